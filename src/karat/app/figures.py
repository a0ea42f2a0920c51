"""Figures: what they conclude, their tables, their pictures."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.looks import colours
from karat.app.results import Result
from karat.render.charts import specification
from karat.render.conclusion import gate_text
from karat.render.kit import charts
from karat.render.numbers import interval_text, metric_of, worded
from karat.render.parts import keys_of
from karat.report import Report, is_figures

_FIRST_PICTURES = 1


def overview(result: Result) -> None:
    """The answer: sentences, gates, the main table and the first picture; what the report warns of."""
    report = result.report
    words.heading(report.about.question)
    words.sentences(report.conclusion)
    for gate in report.gates:
        words.say(gate_text(gate))
    for warning in report.warnings:
        words.warn(warning)
    _table(result, report.about.main)
    _pictures(report, _FIRST_PICTURES)


def tables(result: Result) -> None:
    """A table of the report, chosen by name."""
    report = result.report
    name = st.selectbox(
        "Table",
        list(report),
        index=list(report).index(report.about.main),
        format_func=worded,
        key="table",
        bind="query-params",
    )
    words.remark(report.about.tables.get(name, ""))
    _table(result, name)


def pictures(result: Result) -> None:
    """All pictures of the report."""
    _pictures(result.report, None)


def _pictures(report: Report, most: int | None) -> None:
    for chart in charts(report)[:most]:
        words.heading(chart.title)
        told = f"{chart.title}. {chart.caption}"
        st.vega_lite_chart(specification(chart, colours()), width="content", theme=None, key=chart.name, alt=told)
        words.remark(chart.caption)


def _table(result: Result, name: str) -> None:
    """A table whose rows lead to their items."""
    frame = result.report[name]
    shown = _wide(result.report, frame) if is_figures(frame) else frame
    config = _columns(result.report, frame)
    key = f"table-{name}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells:
            items.lead_to(result, shown.row(cells[0][0], named=True))

    st.dataframe(shown, key=key, on_select=chosen, selection_mode="single-cell", column_config=config, hide_index=True)
    words.remark("Choose a cell to see the items behind it.")


def _wide(report: Report, frame: pl.DataFrame) -> pl.DataFrame:
    """A table of figures with a row for its keys, and for each figure its value and its interval."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    keys = keys_of(frame)
    for row in frame.iter_rows(named=True):
        metric = metric_of(report.about.metrics, row["metric"])
        found = rows.setdefault(tuple(row[key] for key in keys), {key: row[key] for key in keys})
        found[metric.title] = None if row["value"] is None else row["value"] * (100 if metric.percent else 1)
        found[f"{metric.title}: interval"] = interval_text(row["low"], row["high"], metric)
    return pl.DataFrame(list(rows.values()), infer_schema_length=None)


def _columns(report: Report, frame: pl.DataFrame) -> Mapping[str, Any]:
    if not is_figures(frame):
        return {}
    found = {}
    for name in frame["metric"].unique():
        metric = metric_of(report.about.metrics, name)
        shape = "%.1f %%" if metric.percent else "%.3f"
        found[metric.title] = st.column_config.NumberColumn(format=shape, help=words.plain(metric.meaning))
    return found
