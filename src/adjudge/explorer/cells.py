"""A part of a table as the explorer's grid shows it, and what each of its cells stands for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

from adjudge.display_names import short_name
from adjudge.explorer import words
from adjudge.render.explanations import note_title
from adjudge.render.numbers import UPTO, decimals_of, metric_of, row_text, says_n
from adjudge.render.part import Part, keys_of
from adjudge.render.signs import visible
from adjudge.render.views import spread, value_text
from adjudge.render.wording import capital
from adjudge.report import Report
from adjudge.spec import MetricSpec

_LONG = 80
_SIGN, _AROUND, _WIDEST = 7, 24, 480
"""Pixels: of a sign and of what surrounds a text in a cell, and of the widest column of texts."""
_NAMED = ("name", "version")
"""Columns of what together names a judge."""
_SHARE = MetricSpec("", "")
Row = Mapping[str, Any]
_Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Cells:
    """A grid. frame: what it shows. config: how streamlit shows its columns. stands: for each row, what it is about.

    across: column -> what its cells are about besides.
    """

    frame: pl.DataFrame
    config: Mapping[str, Any]
    stands: list[dict[str, Any]]
    across: Mapping[str, Mapping[str, Any]]

    def about(self, row: int, column: str) -> dict[str, Any]:
        """What a cell is about: key column -> value."""
        return {**self.stands[row], **self.across.get(column, {})}

    def said(self, row: int, column: str) -> list[str]:
        """What a cell is about in words: the keys of its row as they read, then what heads its column."""
        keys = {key: self.frame[key][row] for key in self.stands[row] if key in self.frame.columns}
        read = [_read(value, self.config[key]) for key, value in keys.items() if value is not None]
        return read + [value_text(str(value), key) for key, value in self.across.get(column, {}).items()]


def _read(value: object, config: Any) -> str:  # noqa: ANN401 - what streamlit makes of it
    """A value of a key as its column shows it."""
    if not isinstance(value, float):
        return str(value)
    how = (config.get("type_config") or {}).get("format")
    return how % value if how else f"{value:g}"


def cells_of(report: Report, part: Part) -> Cells:
    """A part of a table as a grid. Columns of figures come as value and interval, what sums up the others first."""
    return _figures(report, part) if part.figures else _counts(part)


def _counts(part: Part) -> Cells:
    """A table of counts, with a column for each value of its last key."""
    frame = spread(part.frame, part.values)
    own = [name for name in frame.columns if name in part.frame.columns and name != "count"]
    last = part.frame.columns[-2] if len(part.frame.columns) > 1 else ""
    values = [name for name in frame.columns if name not in part.frame.columns]
    found = {name: [_named(part, name, one) for one in frame[name]] for name in frame.columns}
    return Cells(
        pl.DataFrame(found, infer_schema_length=None, strict=False),
        {name: _key(part, name) for name in own} | {name: _value(name, last) for name in values} | {"count": "Count"},
        frame.select(own).to_dicts(),
        {name: {last: name} for name in values},
    )


def _figures(report: Report, part: Part) -> Cells:
    rows: dict[tuple[Any, ...], dict[str, Row]] = {}
    keys = [key for key in keys_of(part.frame) if key not in _said_by(part.frame, report.about.judge)]
    for row in part.frame.iter_rows(named=True):
        rows.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row
    found: _Columns = {key: [_named(part, key, names[place]) for names in rows] for place, key in enumerate(keys)}
    config: dict[str, Any] = {key: _key(part, key) for key in keys}
    across: dict[str, Mapping[str, Any]] = {}
    block, interval = _across(report, part), f"{100 * report.confidence:.4g} % interval"
    for number, name in enumerate(sorted(part.shown, key=lambda name: name != part.pooled)):
        figures = [of_row.get(name) for of_row in rows.values()]
        columns, shapes = _metric(str(number), metric_of(part.metrics, name), figures, part.n.get(name), interval)
        found, config = found | columns, config | shapes
        across |= dict.fromkeys(columns, {block: name} if block else {})
    said = [_remarks(part, of_row) for of_row in rows.values()]
    if any(said):
        found["remarks"] = said
        config["remarks"] = st.column_config.TextColumn("Remarks", width=_wide(said))
    frame = pl.DataFrame(found, infer_schema_length=None, strict=False)
    return Cells(frame, config, [dict(zip(keys, names, strict=True)) for names in rows], across)


def _said_by(frame: pl.DataFrame, judge: str) -> tuple[str, ...]:
    """The columns of names and versions, where those who are judged are called by both, or by the name alone."""
    if not {judge, *_NAMED} <= set(frame.columns):
        return ()
    whole = pl.concat_str("name", "version", separator="@", ignore_nulls=True)
    return _NAMED if frame.select((pl.col(judge) == whole).fill_null(value=False).all()).item() else ()


def _across(report: Report, part: Part) -> str:
    """The key column whose values stand side by side in the place of metrics; none if metrics do."""
    name = report.about.across
    return name if part.block and name in report[part.name].columns and name not in part.frame.columns else ""


def _metric(
    number: str, metric: MetricSpec, figures: list[Row | None], common: int | None, interval: str
) -> tuple[_Columns, dict[str, Any]]:
    """The columns of one metric: its value, its interval, what it rests on, and its p, as far as there are any.

    common: what they rest on, where it is said once. interval: what its column is called.
    """
    texts = [None if one is None else row_text(one, metric) for one in figures]
    more: _Columns = {
        "interval": [one.interval if one else "" for one in texts],
        "n": [one["n"] if one and says_n(one, metric) and one["n"] != common else None for one in figures],
        "p": [one.p if one else "" for one in texts],
    }
    shown = {f"{number} {name}": values for name, values in more.items() if any(values)}
    config: dict[str, Any] = {
        f"{number} {name}": title for name, title in zip(more, (interval, "n", "adjusted p"), strict=True)
    }
    if any(one and one.get(UPTO) is not None for one in figures):
        values: list[Any] = [one.value if one else None for one in texts]
        config[number] = st.column_config.TextColumn(words.column(metric.title))
    else:
        values, config[number] = numbers(metric, metric.title, [one["value"] if one else None for one in figures])
    return {number: values} | shown, config


def numbers(metric: MetricSpec, title: str, values: Sequence[float | None]) -> tuple[list[float | None], Any]:
    """Figures as a column of numbers, which sort, and how streamlit writes them. title: of the column."""
    scaled = [None if one is None else one * (100 if metric.percent else 1) for one in values]
    decimals = _decimals(metric, scaled)
    shown = [None if one is None else 0.0 if abs(one) < 0.5 / 10**decimals else one for one in scaled]  # not -0.0
    how = st.column_config.NumberColumn(
        words.column(title), format=_format(metric, decimals), help=words.plain(metric.meaning)
    )
    return shown, how


def _decimals(metric: MetricSpec, values: list[float | None]) -> int:
    """How many decimals `metric_text` writes of the greatest of some figures."""
    if metric.percent:
        return 1
    largest = max((abs(one) for one in values if one is not None), default=0)
    return decimals_of(largest) if metric.decimals is None else metric.decimals


def _format(metric: MetricSpec, decimals: int) -> str:
    """How streamlit writes a figure."""
    sign = "+" if metric.signed else ""
    unit = f" {'pp' if metric.in_points else '%%'}" if metric.percent else ""
    return f"%{sign}.{decimals}f{unit}"


def _remarks(part: Part, figures: Mapping[str, Row]) -> str:
    """Why figures of a row are undefined, and what their intervals cannot promise."""
    said: dict[str, None] = {}
    for name, one in figures.items():
        if one["reason"]:
            said[f"{metric_of(part.metrics, name).title}: {one['reason']}"] = None
        elif (note := note_title(one["caveat"])) and note != part.note:
            said[note] = None
    return "; ".join(said)


def _wide(texts: Sequence[str]) -> int:
    """Pixels for the longest of some texts: the browser itself looks at the first rows alone."""
    return min(_WIDEST, _SIGN * max(map(len, texts)) + _AROUND)


def _key(part: Part, name: str) -> Any:  # noqa: ANN401 - what streamlit makes of it
    title = words.column(name) if name in part.by else words.own(part.headings.get(name, name))
    if name in part.shares:
        return st.column_config.NumberColumn(title, format=_format(_SHARE, _decimals(_SHARE, [])), pinned=True)
    return st.column_config.Column(title, pinned=True)


def _value(name: str, key: str) -> str:
    """The heading of a column about one value of a key."""
    text = value_text(name, key)
    return words.column(text if text == name else capital(text))


def _named(part: Part, column: str, value: object) -> object:
    """A value of a key, as it is called; a share in percent."""
    if column in part.shares and isinstance(value, float):
        return 100 * value
    if not isinstance(value, str):
        return value
    return visible(short_name(part.names.get(column, {}).get(value, value_text(value, column)), _LONG))
