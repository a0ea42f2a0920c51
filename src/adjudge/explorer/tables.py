"""Tables of a report as grids, whose cells lead to their items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

from adjudge.display_names import short_name
from adjudge.explorer import files, markup
from adjudge.explorer.items import lead_to
from adjudge.explorer.lists import arrow, one_of, rounded
from adjudge.explorer.results import Result
from adjudge.render.explanations import NOTES, meanings
from adjudge.render.numbers import (
    DASH,
    UPTO,
    capital,
    decimals_of,
    figure_text,
    metric_of,
    note_title,
    plain,
    row_text,
    says_n,
)
from adjudge.render.parts import Part, keys_of, leading_tables, parts
from adjudge.render.signs import visible
from adjudge.render.views import spread, value_text
from adjudge.report import Report
from adjudge.spec import MetricSpec

_LONG, _TITLE = 80, 60
"""Characters of a cell, and of what a button says of each part of what a cell is about."""
_WHOLE = 25
"""Tables of so many rows are shown whole."""
_NAMED = ("name", "version")
"""Columns of what together names a judge."""
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

    def words(self, row: int, column: str) -> list[str]:
        """What a cell is about in words: the keys of its row as they read, then what heads its column."""
        keys = [str(self.frame[key][row]) for key, value in self.stands[row].items() if value is not None]
        return keys + [value_text(str(value), key) for key, value in self.across.get(column, {}).items()]


def tables(result: Result) -> None:
    """A table of the report, chosen by name: its parts, whose cells lead to their items, and what it means."""
    report = result.report
    known = [name for name in report if report[name].height]
    if not known:
        markup.remark("The report holds no table with rows.")
        return
    first = next(one for one in (*leading_tables(report), report.about.main, *known) if one in known)
    name = one_of("Table", known, "table", first=first, format_func=lambda one: plain(one).capitalize())
    every = parts(report, name)
    for number, part in enumerate(every):
        if len(every) > 1 and (title := part.block or part.title):
            markup.small_heading(title)
        if part.about:
            markup.remark(part.about)
        if part.frame.height:
            _grid(result, part, f"cells-{name}-{number}")
        if part.said:
            markup.remark(part.said)
    for note in dict.fromkeys(note_title(one) for part in every if part.figures for one in part.frame["caveat"] if one):
        markup.remark(f"{capital(note)}: {NOTES[note]}")
    markup.remark(f"Choose a cell, then press the button below the table to read its {report.about.items}.")
    files.save_frame(name, report[name])
    with st.expander("How to read this"):
        markup.sentences([*(f"{name}: {meaning}" for name, meaning in meanings(report)), *report.notes])


def _grid(result: Result, part: Part, key: str) -> None:
    shown = cells_of(result.report, part)
    chosen = st.dataframe(
        arrow(shown.frame),
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        column_config=shown.config,
        width="content",
        height="content" if shown.frame.height <= _WHOLE else "auto",
        hide_index=True,
        placeholder=DASH,
        alt=f"{part.title or plain(part.name)} {part.block}".strip(),
    )
    open_button(result, shown, key, chosen["selection"]["cells"])


def open_button(result: Result, shown: Cells, key: str, chosen: Sequence[tuple[int, str]]) -> None:
    """A button below a table that leads from the cell that is chosen to its items.

    A cell alone leads nowhere: the first is chosen as soon as the Tab key reaches the table, and by arrows one goes
    from cell to cell, which streamlit does not tell from a click. What was chosen of a table that is smaller now is no
    longer there.
    """

    def open_items(row: Row) -> None:
        if lead_to(result, row):
            st.session_state["view"] = "Items"

    for row, column in chosen:
        if row < shown.frame.height and column in shown.frame.columns:
            about = ", ".join(short_name(one, _TITLE) for one in shown.words(row, column))
            title = markup.escaped(f"Open the {result.report.about.items}{about and f' of {about}'}")
            st.button(title, key=f"open-{key}", type="primary", on_click=open_items, args=[shown.about(row, column)])


def cells_of(report: Report, part: Part) -> Cells:
    """A part of a table as a grid. Columns of metrics come as value and interval, what sums up the others first."""
    return _estimates(report, part) if part.figures else _counts(part)


def _counts(part: Part) -> Cells:
    """A table of counts, with a column for each value of its last key."""
    frame = spread(part.frame, part.values)
    own = [name for name in frame.columns if name in part.frame.columns and name != "count"]
    last = part.frame.columns[-2] if len(part.frame.columns) > 1 else ""
    values = {name: value_text(name, last) for name in frame.columns if name not in part.frame.columns}
    headings = {name: markup.column(text if text == name else capital(text)) for name, text in values.items()}
    found = {name: [_key_text(part, name, one) for one in frame[name]] for name in frame.columns}
    return Cells(
        pl.DataFrame(found, infer_schema_length=None, strict=False),
        {name: _key(part, name) for name in own} | headings | {"count": "Count"},
        frame.select(own).to_dicts(),
        {name: {last: name} for name in values},
    )


def _estimates(report: Report, part: Part) -> Cells:
    """A table of estimates, with a few columns for each metric."""
    rows: dict[tuple[Any, ...], dict[str, Row]] = {}
    keys = [key for key in keys_of(part.frame) if key not in _said_by(part.frame, report.about.judge)]
    for row in part.frame.iter_rows(named=True):
        rows.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row
    found: _Columns = {key: [_key_text(part, key, names[place]) for names in rows] for place, key in enumerate(keys)}
    config: dict[str, Any] = {key: _key(part, key) for key in keys}
    across: dict[str, Mapping[str, Any]] = {}
    block = report.about.across  # the key column whose values may stand side by side in the place of metrics
    is_across = part.block and block in report[part.name].columns and block not in part.frame.columns
    for number, name in enumerate(sorted(part.shown, key=lambda name: name != part.pooled)):
        figures = [of_row.get(name) for of_row in rows.values()]
        columns, shapes = _metric(str(number), metric_of(part.metrics, name), figures, part.n.get(name))
        found, config = found | columns, config | shapes
        config[f"{number} interval"] = f"{100 * report.confidence:.4g}% CI"
        across |= dict.fromkeys(columns, {block: name} if is_across else {})
    said = [_remarks(part, of_row) for of_row in rows.values()]
    if any(said):
        found["remarks"] = said
        config["remarks"] = st.column_config.TextColumn("Remarks", width="large")
    frame = pl.DataFrame(found, infer_schema_length=None, strict=False)
    return Cells(frame, config, [dict(zip(keys, names, strict=True)) for names in rows], across)


def _said_by(frame: pl.DataFrame, judge: str) -> tuple[str, ...]:
    """The columns of names and versions, where those who are judged are called by both, or by the name alone."""
    if not {judge, *_NAMED} <= set(frame.columns):
        return ()
    whole = pl.concat_str("name", "version", separator="@", ignore_nulls=True)
    return _NAMED if frame.select((pl.col(judge) == whole).fill_null(value=False).all()).item() else ()


def _metric(
    number: str, metric: MetricSpec, figures: list[Row | None], common: int | None
) -> tuple[_Columns, dict[str, Any]]:
    """The columns of one metric: its value, its interval, what it rests on, and its p, as far as there are any.

    common: what they rest on, where it is said once.
    """
    texts = [None if one is None else row_text(one, metric) for one in figures]
    more: _Columns = {
        "interval": [one.interval if one else "" for one in texts],
        "n": [one["n"] if one and says_n(one, metric) and one["n"] != common else None for one in figures],
        "p": [one.p if one else "" for one in texts],
    }
    shown = {f"{number} {name}": values for name, values in more.items() if any(values)}
    config: dict[str, Any] = {f"{number} n": "n", f"{number} p": "adjusted p"}
    title = markup.column(metric.title)
    if any(one and one.get(UPTO) is not None for one in figures):
        config[number] = st.column_config.TextColumn(title)
        return {number: [one.value if one else None for one in texts]} | shown, config
    scale = 100 if metric.percent else 1
    values = [scale * one["value"] if one and one["value"] is not None else None for one in figures]
    own = decimals_of(max((abs(one) for one in values if one is not None), default=0))
    decimals = 1 if metric.percent else own if metric.decimals is None else metric.decimals
    unit = (" pp" if metric.in_points else "%%") if metric.percent else ""
    form = f"%{'+' if metric.signed else ''}.{decimals}f{unit}"
    config[number] = st.column_config.NumberColumn(title, format=form, help=markup.escaped(metric.meaning))
    return {number: [rounded(one, decimals) for one in values]} | shown, config


def _remarks(part: Part, figures: Mapping[str, Row]) -> str:
    """Why figures of a row are undefined, and what their intervals cannot promise."""
    said: dict[str, None] = {}
    for name, one in figures.items():
        if one["reason"]:
            said[f"{metric_of(part.metrics, name).title}: {one['reason']}"] = None
        elif note := note_title(one["caveat"]):
            said[note] = None
    return "; ".join(said)


def _key(part: Part, name: str) -> Any:  # noqa: ANN401 - what streamlit makes of it
    title = markup.column(name) if name in part.by else markup.field_title(part.headings.get(name, name))
    return st.column_config.Column(title, pinned=True)


def _key_text(part: Part, column: str, value: object) -> object:
    """A value of a key, as it is called; a share in percent."""
    if column in part.shares and isinstance(value, float):
        return figure_text(value, percent=True)
    if not isinstance(value, str):
        return value
    return visible(short_name(part.names.get(column, {}).get(value, value_text(value, column)), _LONG))
