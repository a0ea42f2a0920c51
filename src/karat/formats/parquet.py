"""What a Parquet file says of itself, before it is read."""

from contextlib import suppress
from pathlib import Path

import polars as pl

from karat.errors import DataError
from karat.formats.unpacking import in_words

_CELL = 16
"""Bytes that a cell of text takes in memory, however short; other cells count the same, since they become text."""


def check_rows(path: Path, name: str, most: int) -> None:
    """Raises DataError for a table that would take more than `most` bytes in memory by its rows and columns alone.

    A few bytes of Parquet can stand for any number of rows.
    """
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        frame = pl.scan_parquet(path, glob=False)
        widths = [1 if dtype in (pl.UInt8, pl.Int8, pl.Boolean) else _CELL for dtype in frame.collect_schema().dtypes()]
        rows = int(frame.select(pl.len()).collect().item())
        if rows * sum(widths) > most:
            raise DataError(
                f"{name}: expected at most {in_words(most)} of unpacked data; got {rows:,} rows of {len(widths):,} "
                f"columns, which take {in_words(rows * sum(widths))}. If that is what it should hold, raise --max-size"
            )
