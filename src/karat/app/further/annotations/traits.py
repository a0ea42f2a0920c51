"""How strongly each annotator votes with the reference: a figure that is chosen, drawn and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from karat.about import Metric
from karat.app import words
from karat.app.further.annotations.pairs import lead_to
from karat.app.further.annotations.presets import presets
from karat.app.further.annotations.who import Key, groups_of, keys_of
from karat.app.looks import colours
from karat.app.results import Result
from karat.names import annotator_names, distinct, numbered
from karat.render.charts import specification
from karat.render.kit.style import INK, SERIES, Chart, data, names_axis, ticks
from karat.render.numbers import interval_text, metric_of, metric_text, p_text
from karat.report import Report

Row = Mapping[str, Any]

_ORDERS = ("Highest first", "Lowest first", "Farthest from 0 first", "As in the file", "By name")
_APART = "Greatest difference first"
_DRAWN = 60
"""Annotators that are drawn; the table has all of them."""
_ROW, _DODGED = 22, 0.6
"""Pixels of a row, and how much higher it is for each further group."""
_AXIS, _LEGEND = 55, 35


@dataclass(frozen=True)
class _Shown:
    """Figures of one metric. groups: titles by keys. rows: name of an annotator -> title of a group -> its row."""

    metric: Metric
    groups: Mapping[Key, str]
    rows: Mapping[str, Mapping[str, Row]]


def traits(result: Result) -> None:
    """A figure of each annotator beside the reference, in each group, which leads to the pairs behind it."""
    report = result.report
    presets(result)
    frame = report["agreement"]
    groups = groups_of(result, frame, [*keys_of(report), "reference"])
    several = len(groups) > 1
    places = st.columns([1, 1, 2] if several else [1, 1, 1])
    held = list(frame["metric"].unique(maintain_order=True))
    titles = {metric_of(report.about.metrics, name).title: name for name in ("strength", *held)}
    with places[0]:
        title = st.selectbox("Figure", list(titles), key="figure", bind="query-params")
    with places[1]:
        orders = (_APART, *_ORDERS) if several else _ORDERS
        order = st.selectbox("Order", orders, key="order", bind="query-params")
    with places[2]:
        if several:
            chosen = st.multiselect("Groups", list(groups.values()), key="groups", bind="query-params")
            groups = {key: one for key, one in groups.items() if not chosen or one in chosen}
        sought = st.text_input("Annotator contains", key="annotators", bind="query-params")
    shown = _shown(report, titles[title], groups, sought, order)
    words.remark(shown.metric.meaning)
    if not shown.rows:
        words.say("No annotator has such a name.")
        return
    _chart(result, shown)
    _table(result, shown)


def _shown(report: Report, metric: str, groups: Mapping[Key, str], sought: str, order: str) -> _Shown:
    """The figures of a metric in some groups, of annotators whose names contain a text, in that order."""
    frame = report["agreement"].filter(pl.col("metric") == metric)
    names = annotator_names([frame])
    found: dict[str, dict[str, Row]] = {names[one]: {} for one in frame["annotator"].unique(maintain_order=True)}
    for row in frame.iter_rows(named=True):
        key = tuple(row[name] for name in (*keys_of(report), "reference"))
        if key in groups:
            found[names[row["annotator"]]][groups[key]] = row
    kept = {name: own for name, own in found.items() if own and sought.casefold() in name.casefold()}
    named = dict(zip(distinct(kept), kept.values(), strict=True))
    return _Shown(metric_of(report.about.metrics, metric), groups, dict(_ordered(named, order)))


def _ordered(rows: Mapping[str, Mapping[str, Row]], order: str) -> list[tuple[str, Mapping[str, Row]]]:
    """Annotators in an order, by their first group that has a value; those without a value last."""
    listed = list(rows.items())
    if order == "By name":
        return sorted(listed, key=lambda one: one[0].casefold())
    if order == "As in the file":
        return listed

    def size(one: tuple[str, Mapping[str, Row]]) -> float:
        values: list[float] = [row["value"] for row in one[1].values() if row["value"] is not None]
        if not values:
            return float("inf")
        if order == _APART:
            return min(values) - max(values)
        return {"Lowest first": values[0], "Highest first": -values[0]}.get(order, -abs(values[0]))

    return sorted(listed, key=size)


def _chart(result: Result, shown: _Shown) -> None:
    """Bars with intervals, which lead to the pairs behind them."""
    titles = list(shown.groups.values())
    most = max(10, _DRAWN // len(titles))
    drawn = dict(list(shown.rows.items())[:most])
    rows = [
        {
            "name": name,
            "group": group,
            "value": row["value"],
            "low": row["low"],
            "high": row["high"],
            "said": metric_text(row["value"], shown.metric),
            "interval": interval_text(row["low"], row["high"], shown.metric),
        }
        for name, own in drawn.items()
        for group, row in own.items()
    ]
    chart = _bars(rows, list(drawn), titles, shown.metric)

    def chosen() -> None:
        for bar in st.session_state["bars"]["selection"]["bar"]:
            lead_to(result, shown.rows[bar["name"]][bar["group"]])

    told = f"{shown.metric.title} of each annotator, with its {100 * result.report.confidence:.4g} % interval"
    made = specification(Chart("bars", told, "", chart), colours())
    st.vega_lite_chart(made, width="stretch", theme=None, key="bars", on_select=chosen, alt=told)
    left = len(shown.rows) - len(drawn)
    words.remark(
        f"{told}. "
        + (f"{left:,} more annotators stand in the table. " if left else "")
        + "Choose a bar to read its pairs."
    )


def _bars(rows: Sequence[Row], names: Sequence[str], groups: Sequence[str], metric: Metric) -> alt.LayerChart:
    several = len(groups) > 1
    series = [SERIES[place % len(SERIES)] for place in range(len(groups))]
    y = alt.Y("name:N", sort=list(names), title=None, axis=names_axis())
    tip = [alt.Tooltip("name:N", title="Annotator"), *([alt.Tooltip("group:N", title="Group")] if several else [])]
    tip += [alt.Tooltip("said:N", title=metric.title), alt.Tooltip("interval:N", title="Interval")]
    base = alt.Chart(data(rows)).encode(y, tooltip=tip)
    if several:
        base = base.encode(alt.YOffset("group:N", sort=list(groups)))
    legend = alt.Legend(title=None, orient="top") if several else None
    colour = alt.Color("group:N", scale=alt.Scale(domain=list(groups), range=series), legend=legend)
    along = alt.X("value:Q", title=metric.title, axis=ticks(metric))
    picked = alt.selection_point(name="bar", fields=["name", "group"], on="click", toggle=False)
    bars = base.mark_bar(cursor="pointer", opacity=0.75).encode(along, color=colour).add_params(picked)
    reach = base.mark_rule(color=INK, strokeWidth=1.5).encode(alt.X("low:Q"), x2="high:Q")
    high = _ROW * len(names) * (1 + _DODGED * (len(groups) - 1))
    return alt.LayerChart(layer=[bars, reach], height=high + _AXIS + _LEGEND * several)


def _table(result: Result, shown: _Shown) -> None:
    """The same as a table; each cell leads to the pairs behind it."""
    percent, several = shown.metric.percent, len(shown.groups) > 1
    columns: dict[str, list[Any]] = {"Annotator": list(shown.rows)}
    of: dict[str, str] = {}
    for group in shown.groups.values():
        own = [rows.get(group, {}) for rows in shown.rows.values()]
        title = group if several else shown.metric.title
        value, interval = numbered([*columns, title, f"{title}: interval"])[-2:]
        of |= {value: group, interval: group}
        columns[value] = [None if row.get("value") is None else row["value"] * (100 if percent else 1) for row in own]
        columns[interval] = [interval_text(row.get("low"), row.get("high"), shown.metric) for row in own]
        if not several:
            columns |= {"Pairs": [row["n"] for row in own], "p, adjusted": [p_text(row["p_adjusted"]) for row in own]}
    shape = st.column_config.NumberColumn(format="%.1f %%" if percent else "%.3f")

    def chosen() -> None:
        for place, column in st.session_state["traits"]["selection"]["cells"]:
            rows = list(shown.rows.values())[place]
            lead_to(result, rows.get(of.get(column, "")) or next(iter(rows.values())))

    st.dataframe(
        pl.DataFrame(columns, infer_schema_length=None, strict=False),
        key="traits",
        on_select=chosen,
        selection_mode="single-cell",
        hide_index=True,
        column_config={name: shape for name in of if columns[name][:1] and not isinstance(columns[name][0], str)},
    )
    words.remark("Choose a cell to read its pairs.")
