"""Long tables of figures turned wide, as people read them: a row per combination of keys, a column per metric."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.render.numbers import FigureText, metric_of, row_text
from karat.report import FIGURE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from karat.evaluations import Metric

_COUNT_COLUMNS = 8
"""More values than this of a last key are not spread over columns."""


@dataclass(frozen=True, slots=True)
class Wide:
    """A table of figures for reading. rows: the keys' values, and the metrics' figures (None where absent)."""

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: tuple[tuple[tuple[str | None, ...], tuple[FigureText | None, ...]], ...]


def is_figures(frame: "pl.DataFrame") -> bool:
    """Whether a table holds figures (else it holds counts or the like)."""
    return set(FIGURE) <= set(frame.columns)


def wide(frame: "pl.DataFrame", metrics: "Mapping[str, Metric]") -> Wide:
    """A table of figures as rows of figures. metrics: what the evaluation says of each."""
    keys = tuple(name for name in frame.columns if name not in {*FIGURE, "p", "p_adjusted"})
    names = tuple(dict.fromkeys(frame["metric"].to_list()))
    found: dict[tuple[str | None, ...], dict[str, FigureText]] = {}
    for row in frame.iter_rows(named=True):
        texts = found.setdefault(tuple(row[key] for key in keys), {})
        texts[row["metric"]] = row_text(row, metric_of(metrics, row["metric"]))
    return Wide(keys, names, tuple((key, tuple(map(texts.get, names))) for key, texts in found.items()))


def wide_counts(frame: "pl.DataFrame") -> "pl.DataFrame":
    """A long table of counts with a column per value of its last key, none reading as 0; others as they are."""
    import polars as pl

    if frame.columns[-1] != "count" or len(frame.columns) < len(("key", "last key", "count")):
        return frame
    *keys, last = frame.columns[:-1]
    values = frame[last].unique(maintain_order=True)
    if len(values) > _COUNT_COLUMNS or set(values) & set(keys):
        return frame
    spread = frame.pivot(last, index=keys, values="count", aggregate_function="sum")
    return spread.with_columns(pl.col(pl.Int64).fill_null(0))
