"""Tables of Python's libraries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, MissingError, OptionError
from adjudge.readers.io.paths import named_file


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
            return _with_class_names(pl.DataFrame(data.to_polars()), getattr(data, "features", None) or {})
        if isinstance(data, list):
            return pl.DataFrame(data, infer_schema_length=None)
        return pl.DataFrame(data)
    except ImportError as error:
        missing = error.name or "pyarrow"
        raise MissingError(f"{name}: a table of this kind needs {missing}", fix=f"pip install {missing}") from None
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever it raises
        raise DataError(
            f"{name}: expected a table whose columns have a name and a type of their own; got {type(error).__name__}: "
            f"{str(error).splitlines()[0] if str(error) else ''}"
        ) from None


def _with_class_names(table: pl.DataFrame, features: Mapping[str, Any]) -> pl.DataFrame:
    """A data set of Hugging Face with the names of classes in place of their numbers; -1 is no label.

    features: what each column holds, as the data set says; of lists, `feature` says it of their elements.
    """
    made = {}
    for name, one in features.items():
        inner = getattr(one, "feature", None)
        classes = getattr(one, "names", None) or getattr(inner, "names", None)
        if classes:
            number = pl.col(name) if inner is None else pl.element()
            named = number.replace_strict({-1: None, **dict(enumerate(classes))}, return_dtype=pl.String)
            made[name] = named if inner is None else pl.col(name).list.eval(named)
    return table.with_columns(**made)


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
