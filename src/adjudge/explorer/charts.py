"""The chart of a report, in which a click on a bar or a point selects its items."""

from collections import ChainMap
from functools import lru_cache

import polars as pl
import streamlit as st

from adjudge.display_names import annotator_names, short_name
from adjudge.explorer import markup
from adjudge.explorer.filters import PREFIX
from adjudge.explorer.items import lead_to
from adjudge.explorer.results import Result
from adjudge.render.charts.output import chart_element, chart_title, legend_text
from adjudge.render.charts.parts import WIDE
from adjudge.render.examples import part_title
from adjudge.report import Report

_CHART = "chart"
"""Key of the chart. Its state holds the clicked point."""
_POINT = f"{PREFIX}point"
"""Key of the address: the beginning of the selected point's tooltip."""
_PARTS = ("criterion", "ability")
"""Key columns of tables that hold parts of items."""
_SCRIPT = """
export default ({ data, parentElement, setTriggerValue }) => {
  const figure = parentElement.querySelector('figure')
  figure.innerHTML = data.svg
  for (const title of figure.querySelectorAll(':is(path, line) > title')) {
    const mark = title.parentElement
    mark.classList.toggle('faded', Boolean(data.point) && !title.textContent.startsWith(data.point + ': '))
    mark.onclick = () => setTriggerValue('point', title.textContent)
  }
}"""
_STYLE = """
figure { margin: 0 }
figure svg { display: block; max-width: 100%; overflow: visible; font-family: Helvetica, 'Liberation Sans', Arial }
figure :is(path, line):has(> title) { cursor: pointer }
figure .faded { filter: opacity(.3) }
"""


@lru_cache(16)
def draw_chart(result: Result) -> str:
    """The chart of a report as SVG. Most of a page's time is spent here."""
    return str(chart_element(result.report, WIDE, _CHART))


def show_chart(result: Result) -> bool:
    """The chart of a report with its title. Returns whether a point is selected, whose items are then shown.

    The selected point keeps its colour and the others fade. A second click clears the selection.
    """
    report = result.report
    point, svg = st.query_params.get(_POINT, ""), draw_chart(result)
    if not svg:
        return False

    def choose_point() -> None:
        clicked, _, _ = (st.session_state[_CHART].get("point") or "").rpartition(": ")
        if clicked == point:
            st.query_params.pop(_POINT, None)
        elif not (row := _row_of(report, clicked)):
            markup.toast("This part of the chart has no items of its own.")
        elif lead_to(result, row):
            st.query_params[_POINT] = clicked

    markup.small_heading(chart_title(report))
    show = st.components.v2.component(_CHART, html="<figure></figure>", css=_STYLE, js=_SCRIPT, isolate_styles=False)
    show(key=_CHART, data={"svg": svg, "point": point}, on_point_change=choose_point)
    legend = legend_text(report)
    markup.remark(f"{legend}{legend and '. '}Choose a point to read its {report.about.items}.")
    return bool(point)


def _row_of(report: Report, point: str) -> dict[str, str]:
    """The subject of a point, as keys of a table: a judge, a part, a group. point: the beginning of its tooltip."""
    about, by = report.about, report.options.get("by") or ()
    tables = [frame.select(pl.col(pl.String)) for frame in report.tables.values()]

    def values(key: str) -> dict[str, None]:
        return dict.fromkeys(one for frame in tables if key in frame.columns for one in frame[key].drop_nulls())

    called = annotator_names(report.tables.values())
    judges = {
        short_name(name): {key: one}
        for key in ("annotator", about.judge)
        for one in values(key)
        for name in (one, called.get(one, one))
    }
    names = f", {point}, "
    judge = max((name for name in judges if f", {name}, " in names), key=len, default="")
    metric = names.replace(f", {judge}, ", ", ").strip(", ").casefold()
    parts = [
        {key: one} for key in _PARTS for one in values(key) if part_title(one, about).casefold().startswith(metric)
    ]
    groups = [
        {key: one}
        for key in ("reference", *by)
        for one in values(key)
        if f", {key} {one}, " in names or (key in by and f", {one}, " in names)
    ]
    return dict(ChainMap(judges.get(judge, {}), *parts[: bool(metric)], *groups))
