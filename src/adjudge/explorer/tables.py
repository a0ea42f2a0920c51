"""Tables of a report as grids, whose cells lead to their items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

from adjudge.display_names import short_name
from adjudge.estimate import Caveat
from adjudge.explorer import files, markup
from adjudge.explorer.filters import arrow, one_of, round_number
from adjudge.explorer.items import lead_to
from adjudge.explorer.results import Result
from adjudge.render.explanations import NOTES, meanings
from adjudge.render.numbers import DASH, capital, decimals_of, interval_text, metric_of, p_text, plain_words, shown_n
from adjudge.render.tables import ReportTable, report_table, spread_counts
from adjudge.render.visible_text import visible
from adjudge.report import Report, key_columns
from adjudge.spec import MetricSpec

_LONG, _TITLE = 80, 60
"""Characters of a cell, and of each part of a cell's subject in the button."""
_WHOLE = 25
"""The most rows of a table that is shown whole."""
Row = Mapping[str, Any]
_Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Cells:
    """A grid. frame: its content. config: streamlit's display of its columns. stands: the subject of each row.

    across: column -> further keys of its cells.
    """

    frame: pl.DataFrame
    config: Mapping[str, Any]
    stands: list[dict[str, Any]]
    across: Mapping[str, Mapping[str, Any]]
    table: ReportTable

    def about(self, row: int, column: str) -> dict[str, Any]:
        """The subject of a cell: key column -> value."""
        return {**self.stands[row], **self.across.get(column, {})}

    def words(self, row: int, column: str) -> list[str]:
        """The subject of a cell in words: the titles of its row's keys, then of its column."""
        keys = [str(self.frame[key][row]) for key, value in self.stands[row].items() if value is not None]
        return keys + [self.table.key_text(key, value) for key, value in self.across.get(column, {}).items()]


def tables(result: Result) -> None:
    """A table of the report, selected by name, whose cells lead to their items, and its meaning."""
    report = result.report
    known = [name for name in report if report[name].height]
    if not known:
        markup.remark("The report holds no table with rows.")
        return
    first = next(one for one in ("leaderboard", report.about.main, *known) if one in known)
    name = one_of("Table", known, "table", first=first, format_func=lambda one: plain_words(one).capitalize())
    table = report_table(report, name)
    if table.about:
        markup.remark(table.about)
    shown, key = cells_of(table), f"cells-{name}"
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
        alt=plain_words(name),
    )
    open_button(result, shown, key, chosen["selection"]["cells"])
    for note in dict.fromkeys(Caveat(one).title for one in table.frame["caveat"] if one) if table.estimates else ():
        markup.remark(f"{capital(note)}: {NOTES[note]}")
    markup.remark(f"Choose a cell, then press the button below the table to read its {report.about.items}.")
    files.save_frame(name, report[name])
    with st.expander("How to read this"):
        markup.sentences([*(f"{name}: {meaning}" for name, meaning in meanings(report)), *report.notes])


def open_button(result: Result, shown: Cells, key: str, chosen: Sequence[tuple[int, str]]) -> None:
    """A button below a table that leads from the selected cell to its items.

    A cell alone leads nowhere: the Tab key selects the first one, and arrow keys move from cell to cell, which
    streamlit does not distinguish from a click. The selection of a table that has shrunk may be out of range.
    """

    def open_items(row: Row) -> None:
        if lead_to(result, row):
            st.session_state["view"] = "Items"

    for row, column in chosen:
        if row < shown.frame.height and column in shown.frame.columns:
            about = ", ".join(short_name(one, _TITLE) for one in shown.words(row, column))
            title = markup.escape_markdown(f"Open the {result.report.about.items}{about and f' of {about}'}")
            st.button(title, key=f"open-{key}", type="primary", on_click=open_items, args=[shown.about(row, column)])


def cells_of(table: ReportTable) -> Cells:
    """A table as a grid; columns of metrics become value and interval."""
    return _estimates(table) if table.estimates else _counts(table)


def _counts(table: ReportTable) -> Cells:
    """A table of counts, with a column for each value of its last key."""
    frame = spread_counts(table.frame, table.report.about.values)
    keys = [name for name in frame.columns if name in table.keys]
    last = table.frame.columns[-2:][0]
    values = {name: table.key_text(last, name) for name in frame.columns if name not in table.frame.columns}
    headings = {name: markup.column(text if text == name else capital(text)) for name, text in values.items()}
    columns = {name: [_key_text(table, name, one) for one in frame[name]] for name in frame.columns}
    return Cells(
        pl.DataFrame(columns, infer_schema_length=None, strict=False),
        {name: _key(table, name) for name in keys} | headings | {"count": "Count"},
        frame.select(keys).to_dicts(),
        {name: {last: name} for name in values},
        table,
    )


def _estimates(table: ReportTable) -> Cells:
    """A table of estimates, with a few columns for each metric."""
    rows: dict[tuple[Any, ...], dict[str, Row]] = {}
    keys = key_columns(table.frame.columns)
    for row in table.frame.iter_rows(named=True):
        rows.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row
    columns: _Columns = {key: [_key_text(table, key, names[at]) for names in rows] for at, key in enumerate(keys)}
    config: dict[str, Any] = {key: _key(table, key) for key in keys}
    for number, name in enumerate(table.metrics):
        more, shapes = _metric(str(number), table.metric(name), [of_row.get(name) for of_row in rows.values()])
        columns, config = columns | more, config | shapes
        config[f"{number} interval"] = f"{100 * table.report.confidence:.4g}% CI"
    remarks = [_remarks(table.report, of_row) for of_row in rows.values()]
    if any(remarks):
        columns["remarks"] = remarks
        config["remarks"] = st.column_config.TextColumn("Remarks", width="large")
    frame = pl.DataFrame(columns, infer_schema_length=None, strict=False)
    return Cells(frame, config, [dict(zip(keys, names, strict=True)) for names in rows], {}, table)


def _metric(number: str, metric: MetricSpec, rows: list[Row | None]) -> tuple[_Columns, dict[str, Any]]:
    """The columns of one metric: its value, its interval, n, and its p, if there are any."""
    more: _Columns = {
        "interval": [interval_text(row["low"], row["high"], metric) if row else "" for row in rows],
        "n": [shown_n(row, metric) for row in rows],
        "p": [p_text(row.get("p_adjusted")) if row else "" for row in rows],
    }
    shown = {f"{number} {name}": values for name, values in more.items() if any(values)}
    config: dict[str, Any] = {f"{number} n": "n", f"{number} p": "adjusted p"}
    scale = 100 if metric.percent else 1
    values = [scale * row["value"] if row and row["value"] is not None else None for row in rows]
    own = decimals_of(max((abs(one) for one in values if one is not None), default=0))
    decimals = 1 if metric.percent else own if metric.decimals is None else metric.decimals
    unit = (" pp" if metric.in_points else "%%") if metric.percent else ""
    form = f"%{'+' if metric.signed else ''}.{decimals}f{unit}"
    title, meaning = markup.column(metric.title), markup.escape_markdown(metric.meaning)
    config[number] = st.column_config.NumberColumn(title, format=form, help=meaning)
    return {number: [round_number(one, decimals) for one in values]} | shown, config


def _remarks(report: Report, rows: Mapping[str, Row]) -> str:
    """Reasons for undefined estimates of a row, and the caveats of its intervals."""
    remarks: dict[str, None] = {}
    for name, row in rows.items():
        if row["reason"]:
            remarks[f"{metric_of(report.about.metrics, name).title}: {row['reason']}"] = None
        elif row["caveat"]:
            remarks[Caveat(row["caveat"]).title] = None
    return "; ".join(remarks)


def _key(table: ReportTable, name: str) -> Any:  # noqa: ANN401 - a streamlit column
    title = table.report.about.headings.get(name, name)
    return st.column_config.Column(markup.column(name) if name in table.by else markup.field_title(title), pinned=True)


def _key_text(table: ReportTable, column: str, value: object) -> object:
    """The display form of a key's value; shares in percent."""
    text = isinstance(value, str) or (column in table.report.about.shares and isinstance(value, float))
    return visible(short_name(table.key_text(column, value), _LONG)) if text else value
