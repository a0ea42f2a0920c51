"""Tables that are no files of one's own: those of Python's libraries, and data sets on Hugging Face."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, MissingError, OptionError
from karat.formats.scratch import named_file


def fetched_table(address: str) -> pl.DataFrame:
    """A table of a data set on Hugging Face, as polars reads it; texts stay texts."""
    readers: dict[str, Callable[[str], pl.LazyFrame]] = {
        ".parquet": pl.scan_parquet,
        ".csv": partial(pl.scan_csv, infer_schema=False),
        ".tsv": partial(pl.scan_csv, infer_schema=False, separator="\t"),
        ".jsonl": pl.scan_ndjson,
        ".ndjson": pl.scan_ndjson,
    }
    ending = Path(address).suffix
    if ending not in readers:
        raise OptionError(f"{address}: expected an address that ends in {', '.join(readers)}; got {ending or 'none'}")
    try:
        return readers[ending](address).collect()
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        said = str(error).strip().split("\n")[0]
        raise MissingError(f"{address}: cannot be fetched: {said:.300}. Is it right, and is there a network?") from None


def taken_over(data: Any, name: str) -> pl.DataFrame:  # noqa: ANN401
    """A table of another library or of Python's own, or one that polars has yet to make."""
    if not _is_table(data):
        raise OptionError(
            "expected a path, or a table (polars, pandas, pyarrow, a data set of Hugging Face, another with the Arrow "
            f"interface, a dict of columns or a list of dicts); got {type(data).__name__}"
        )
    try:
        if isinstance(data, pl.LazyFrame):
            return data.collect()
        if hasattr(data, "to_polars"):
            return pl.DataFrame(data.to_polars())
        if isinstance(data, list):
            return pl.DataFrame(data, infer_schema_length=None)
        return pl.DataFrame(data)
    except ImportError as error:
        missing = error.name or "pyarrow"
        raise MissingError(f"{name}: a table of this kind needs {missing}: pip install {missing}") from None
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever it raises
        raise DataError(
            f"{name}: expected a table whose columns have a name and a type of their own; got {type(error).__name__}: "
            f"{str(error).splitlines()[0] if str(error) else ''}"
        ) from None


def records_file(data: Sequence[Mapping[str, Any]]) -> Path | None:
    """Rows of which a column holds texts and lists, as JSON lines; None where JSON cannot say what they hold."""
    path = named_file("table.jsonl")
    try:
        lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in data]
    except (TypeError, ValueError):
        return None
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    return path


def _is_table(data: Any) -> bool:  # noqa: ANN401
    """Whether something from Python is one table."""
    known = isinstance(data, pl.LazyFrame | Mapping) or hasattr(data, "__arrow_c_stream__")
    return known or hasattr(data, "to_polars") or is_records(data)


def is_records(data: object) -> bool:
    """Whether something is a list of dicts, which are rows; dicts of nothing but columns are tables each."""
    rows = isinstance(data, list) and bool(data) and all(isinstance(one, Mapping) for one in data)
    return rows and not all(_is_columns(one) for one in data)  # type: ignore[attr-defined]


def _is_columns(row: Mapping[str, Any]) -> bool:
    return all(hasattr(one, "__len__") and not isinstance(one, str | Mapping) for one in row.values())
