"""What a Parquet file says of itself, before it is read."""

from contextlib import suppress
from pathlib import Path

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.decompress import in_words
from adjudge.readers.io.parquet_pages import bytes_in_lists

_CELL = 16
"""Bytes that a cell of text takes in memory, however short; other cells count the same, since they become text."""


def check_rows(path: Path, name: str, most: int) -> None:
    """Raises DataError for a table that would take more than `most` bytes in memory by its cells and lists alone.

    A few bytes of Parquet can stand for any number of rows, and of elements of a list.
    """
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        frame = pl.scan_parquet(path, glob=False)
        dtypes = frame.collect_schema().dtypes()
        rows = int(frame.select(pl.len()).collect().item())
        cells = rows * sum(1 if dtype in (pl.UInt8, pl.Int8, pl.Boolean) else _CELL for dtype in dtypes)
        lists = bytes_in_lists(path) if any(dtype.is_nested() for dtype in dtypes) else 0
        if cells + lists > most:
            held = f"{rows:,} rows of {len(dtypes):,} columns" + (" with the elements of their lists" if lists else "")
            raise DataError(
                f"{name}: expected at most {in_words(most)} of unpacked data; got {held}, which take "
                f"{in_words(cells + lists)}. If that is what it should hold, raise --max-size"
            )
