"""Long tables of figures turned wide, as people read them: a row per combination of keys, a column per metric."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from karat.about import COMPARED
from karat.names import annotator_names, short
from karat.render.blocks import blocks, keys_of, under_one_title
from karat.render.comparison import compared_parts
from karat.render.explanations import note_title
from karat.render.numbers import FigureText, metric_of, plain, row_text
from karat.report import FIGURE

if TYPE_CHECKING:
    import polars as pl

    from karat.about import Evaluation, Metric
    from karat.report import Report

_TESTS = ("p", "p_adjusted")
_COUNT_COLUMNS = 8
"""More values than this of a last key are not spread over columns."""
_ANNOTATOR = frozenset({"annotator", "name", "reference"})
"""Columns that say who votes; all other keys say of what."""
_KINDS = {"datasets": "data sets", "baselines": "systems and baselines"}
_PLACE = "\x00place"


@dataclass(frozen=True, slots=True)
class Part:
    """A table, or a part of one, as it is read.

    title, about: what it is called, and what it holds; empty where it goes on with the part before it.
    names: column -> what to call each of its values; others are called what they are. metrics: how figures are shown.
    compared: whether it holds comparisons, those with the smallest p first. block: the heading of a part among others.
    columns: the metrics in their order, with what stands below their titles; empty where the table's order is theirs.
    n: metric -> what its figures rest on, where it is said once. note: of all figures, where it is said once.
    said: sentences in the place of rows.
    """

    name: str
    title: str
    about: str
    frame: "pl.DataFrame"
    names: Mapping[str, Mapping[str, str]]
    metrics: Mapping[str, "Metric"]
    compared: bool = False
    block: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    n: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    said: str = ""


def printed_tables(report: "Report", about: "Evaluation", tables: Collection[str] = ()) -> list[str]:
    """The tables that are shown unasked, in their order, or those that are asked for."""
    if not tables and about.printed:
        return [name for name in about.printed if name in report.tables and report[name].height]
    return [name for name in report.tables if name in (tables or report.tables)]


def not_printed(report: "Report", printed: Collection[str]) -> str:
    """A sentence on the tables that are not shown; empty where all are."""
    others = [
        f"{name} ({frame.height:,} rows)"
        for name, frame in report.tables.items()
        if name not in printed and frame.height
    ]
    return f"Not printed: {', '.join(others)}; --format csv --table NAME prints one." if others else ""


def parts(report: "Report", name: str, about: "Evaluation") -> list[Part]:
    """A table of a report as it is read: comparisons by kind, no column that says nothing, the leading figure first."""
    frame, names = report[name], annotator_names(report.tables.values())
    titles = {metric: known.title for metric, known in about.metrics.items()}
    called: dict[str, Mapping[str, str]] = {"annotator": names, "reference": names, "ranked_metric": titles}
    if about.main == COMPARED:
        title = plain(name).capitalize()
        return compared_parts(Part(name, title, about.tables.get(name, ""), frame, called, about.metrics), about)
    if {"compared", "p_adjusted"} <= set(frame.columns) and frame.height:
        kinds = [_comparison(report, name, kind, about, called) for kind in dict.fromkeys(frame["compared"])]
        return [part for kind in kinds for part in _apart(kind, about.apart)]
    ranked = _ranked(frame, about.leading) if about.leading and name == about.main else frame
    kept, said = _said_once(report, name, ranked, about, called)
    title, words = plain(name).capitalize(), _sentences(about.tables.get(name, ""), *said)
    part = Part(name, title, words, kept, called, about.metrics)
    if about.across in frame.columns and is_figures(frame) and frame.height:
        return blocks(part, about)
    return _apart(part, about.apart)


def _apart(part: Part, columns: Mapping[str, Mapping[str, str]]) -> list[Part]:
    """A table of figures as one for each value of a column whose values stand apart."""
    column = next((name for name in columns if name in part.frame.columns), "")
    if not (column and is_figures(part.frame) and part.frame.height):
        return [part]
    frames = part.frame.partition_by(column, as_dict=True, maintain_order=True, include_key=False)
    found = [
        replace(part, frame=some, block=columns[column].get(value, short(value)))
        for (value,), frame in frames.items()
        for some in _by_number(frame)
    ]
    return under_one_title(found)


def _by_number(frame: "pl.DataFrame") -> "list[pl.DataFrame]":
    """Rows with a value of a key that is a number, then those about all of its values, without that key."""
    numbers = [key for key in keys_of(frame) if frame[key].dtype.is_float() and frame[key].null_count()]
    partly = next((key for key in numbers if frame[key].null_count() < frame.height), None)
    if partly is None:
        return [frame.drop(numbers)]
    empty = frame[partly].is_null()
    return [frame.filter(~empty), frame.filter(empty).drop(partly)]


def _comparison(
    report: "Report", name: str, kind: str, about: "Evaluation", called: Mapping[str, Mapping[str, str]]
) -> Part:
    table = report[name]
    rows = table.filter(table["compared"] == kind).sort("p_adjusted", "p", nulls_last=True, maintain_order=True)
    empty = [column for column in keys_of(rows) if rows[column].null_count() == rows.height]
    kept, said = _said_once(report, name, rows.drop("compared", *empty), about, called)
    if kind == "annotators":
        called = {**called, "first": called["annotator"], "second": called["annotator"]}
    title = f"{plain(name)} between {_KINDS.get(kind, plain(kind))}".capitalize()
    words = _sentences(
        about.tables.get(name, ""), "Each figure is the second minus the first; the smallest p stands first.", *said
    )
    order = dict.fromkeys(about.metrics, "")
    metrics = {one: replace(metric, signed=True) for one, metric in about.metrics.items()}
    return Part(name, title, words, kept, called, metrics, compared=True, columns=order)


def _said_once(
    report: "Report", name: str, frame: "pl.DataFrame", about: "Evaluation", called: Mapping[str, Mapping[str, str]]
) -> tuple["pl.DataFrame", list[str]]:
    """The table without columns that say nothing, or the same in every row; and what they say, where it is news."""
    once = [column for column in about.common if column in frame.columns and frame[column].n_unique() == 1]
    news = [
        column for column in once if name in {about.main, about.headline} or report[about.main][column].n_unique() > 1
    ]
    values = {column: frame[column][0] for column in news if frame[column][0] is not None}
    said = [f"{plain(name).capitalize()}: {_called(value, called.get(name, {}))}." for name, value in values.items()]
    return frame.drop(*once, *({"name"} if {"annotator", "name"} <= set(frame.columns) else ())), said


def _called(value: str | None, names: Mapping[str, str]) -> str:
    return short(value if value is None else names.get(value, value))


def _sentences(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _ranked(frame: "pl.DataFrame", leading: str) -> "pl.DataFrame":
    """The rows of each group by their leading figure, the greatest first and the undefined last."""
    import polars as pl

    keys = keys_of(frame)
    groups = [key for key in keys if key not in _ANNOTATOR]
    figures = frame.filter(pl.col("metric") == leading).select(*keys, "value").with_row_index(_PLACE)
    group = pl.col(_PLACE).min().over(groups) if groups else pl.lit(0)
    order = figures.sort(group, "value", _PLACE, descending=[False, True, False], nulls_last=True)
    places = order.select(keys).with_row_index(_PLACE)
    return (
        frame.join(places, on=keys, how="left", nulls_equal=True, maintain_order="left")
        .sort(_PLACE, nulls_last=True, maintain_order=True)
        .drop(_PLACE)
    )


def how_to_read(report: "Report") -> str:
    """The sentences below all tables on how to read a figure."""
    adjusted = "p is adjusted by Holm's method over all tests of its group; the interval is not adjusted."
    return _sentences(
        "Each figure stands with its interval and n, its denominator.", adjusted if tested(report) else ""
    )


def tested(report: "Report") -> bool:
    """Whether any figure of the report comes with a test."""
    return any(frame["p_adjusted"].count() for frame in report.tables.values() if set(_TESTS) <= set(frame.columns))


def is_figures(frame: "pl.DataFrame") -> bool:
    """Whether a table holds figures (else it holds counts or the like)."""
    return set(FIGURE) <= set(frame.columns)


def wide(part: Part, leading: str = "") -> tuple[list[str], dict[tuple[str | None, ...], list[FigureText | None]]]:
    """The metrics of a table of figures, and keys -> figures by those metrics, None where absent.

    leading: the first of its metrics, where it gives no order.
    """
    keys = keys_of(part.frame)
    places = {name: place for place, name in enumerate(part.columns or (leading,))}
    names = sorted(dict.fromkeys(part.frame["metric"]), key=lambda name: places.get(name, len(places)))
    found: dict[tuple[str | None, ...], dict[str, FigureText]] = {}
    for row in part.frame.iter_rows(named=True):
        found.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = _text(row, part)
    return names, {key: list(map(texts.get, names)) for key, texts in found.items()}


def _text(row: Mapping[str, Any], part: Part) -> FigureText:
    """A figure without what its part says once."""
    note = None if note_title(row["note"]) == part.note else row["note"]
    text = row_text({**row, "note": note}, metric_of(part.metrics, row["metric"]))
    return replace(text, n="") if row["n"] == part.n.get(row["metric"]) else text


def wide_counts(frame: "pl.DataFrame", order: Sequence[str] = ()) -> "pl.DataFrame":
    """A long table of counts with a column per value of its last key, none reading as 0; others as they are.

    order: of the columns, where all of them are in it; else they come as the table has them.
    """
    import polars as pl

    if frame.columns[-1] != "count" or len(frame.columns) < len(("key", "last key", "count")):
        return frame
    *keys, last = frame.columns[:-1]
    values = frame[last].unique(maintain_order=True).to_list()
    if len(values) > _COUNT_COLUMNS or set(values) & set(keys):
        return frame
    spread = frame.pivot(last, index=keys, values="count", aggregate_function="sum")
    known = sorted(values, key=order.index) if set(values) <= set(order) else spread.columns[len(keys) :]
    return spread.select(*keys, *known).with_columns(pl.col(pl.Int64).fill_null(0))
