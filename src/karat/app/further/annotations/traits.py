"""How strongly each annotator votes with the reference: a figure that is chosen, drawn and as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from karat.about import GREATEST, SIDE_BY_SIDE, Metric
from karat.app import downloads, items, words
from karat.app.cells import numbers
from karat.app.further.annotations.presets import presets
from karat.app.further.annotations.who import OF_TWO_LABELS, Key, groups_of, keys_of, names_of, of_two_labels
from karat.app.grids import choosing, grid
from karat.app.lists import with_minus
from karat.app.looks import colours
from karat.app.results import Result
from karat.evaluations.annotations.figures import STRENGTH
from karat.names import numbered
from karat.render.charts import specification
from karat.render.kit.style import INK, SERIES, Chart, data, ends_of, names_axis, rounded, ticks, upright
from karat.render.numbers import interval_text, metric_of, metric_text, p_text
from karat.report import Report

Row = Mapping[str, Any]

_ORDERS = ("Highest first", "Lowest first", "Farthest from 0 first", "As in the file", "By name")
_APART = "Greatest difference first"
_GREATEST, _TESTED = "Greatest difference", "adjusted p"
_DRAWN, _LEAST_DRAWN = 60, 10
"""Bars that are drawn, and of how many annotators at least; the table has all of them."""
_TICKS, _LEGEND_COLUMNS = 6, 2
_ROW, _DODGED = 22, 0.6
"""Pixels of a row, and how much higher it is for each further group."""
_AXIS, _LEGEND = 55, 25
_SAVED = 480
"""Pixels: how wide the plot of a picture is that is saved."""


@dataclass(frozen=True)
class _Shown:
    """Figures of one metric. groups: titles by keys. rows: name of an annotator -> title of a group -> its row."""

    metric: Metric
    groups: Mapping[Key, str]
    rows: Mapping[str, Mapping[str, Row]]


def traits(result: Result) -> None:
    """A figure of each annotator beside the reference, in each group, which leads to the pairs behind it."""
    presets(result)
    shown = _chosen(result)
    words.remark(shown.metric.meaning)
    if shown.rows:
        _chart(result, shown)
        _table(result, shown)
    else:
        words.say("No annotator has such a name.")


def _chosen(result: Result) -> _Shown:
    """The figures that are chosen, in the order that is."""
    frame, metrics = result.report["agreement"], result.report.about.metrics
    groups = groups_of(result, frame, [*keys_of(result.report), "reference"])
    held = (STRENGTH.name, *frame["metric"].unique(maintain_order=True))
    titles = {metric_of(metrics, name).title: name for name in held}
    several = len(groups) > 1
    figure, order, search, *further = st.columns(3 + several)
    title = figure.selectbox("Figure", list(titles), key="figure", bind="query-params")
    orders = (_APART, *_ORDERS) if several else _ORDERS
    ordered = order.selectbox("Order", orders, key="order", bind="query-params")
    sought = search.text_input("Annotator contains", key="annotators", bind="query-params")
    for place in further:
        some = place.multiselect(
            "Groups", list(groups.values()), key="groups", bind="query-params", placeholder=words.ALL
        )
        groups = {key: one for key, one in groups.items() if one in some} or groups
    return _shown(result, titles[title], groups, sought, ordered)


def _shown(result: Result, metric: str, groups: Mapping[Key, str], sought: str, order: str) -> _Shown:
    """The figures of a metric in some groups, of annotators whose names contain a text, in that order."""
    report, names = result.report, names_of(result)
    frame = report["agreement"].filter(pl.col("metric") == metric)
    found: dict[str, dict[str, Row]] = {names[one]: {} for one in frame["annotator"].unique(maintain_order=True)}
    for row in frame.iter_rows(named=True):
        key = tuple(row[name] for name in (*keys_of(report), "reference"))
        if key in groups:
            found[names[row["annotator"]]][groups[key]] = row
    kept = {name: own for name, own in found.items() if own and sought.casefold() in name.casefold()}
    return _Shown(metric_of(report.about.metrics, metric), groups, dict(_ordered(kept, order)))


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
    most = max(_LEAST_DRAWN, _DRAWN // len(shown.groups))
    known = [name for name, own in shown.rows.items() if any(row["value"] is not None for row in own.values())]
    rows = [
        {
            "name": name,
            "group": group,
            **{number: row[number] for number in ("value", "low", "high")},
            "said": metric_text(row["value"], shown.metric),
            "interval": interval_text(row["low"], row["high"], shown.metric),
        }
        for name in known[:most]
        for group, row in shown.rows[name].items()
    ]
    if not rows:
        _say_why(result, shown)
        return

    def chosen() -> None:
        for bar in st.session_state["bars"]["selection"]["bar"]:
            items.lead_to(result, shown.rows[bar["name"]][bar["group"]])

    words.small_heading(f"{shown.metric.title} of each annotator")
    told = f"{shown.metric.title} of each annotator, with its {100 * result.report.confidence:.4g} % interval"
    drawn = Chart("traits", told, "", _bars(rows, known[:most], shown).to_dict(validate=False))
    made = specification(drawn, colours())
    st.vega_lite_chart(made, width="stretch", theme=None, key="bars", on_select=chosen, alt=told)
    left = f" {len(known) - most:,} more stand in the table." if len(known) > most else ""
    words.remark(f"{told}.{left} Choose a bar to read its pairs.")
    downloads.of_picture(replace(drawn, spec={**drawn.spec, "width": _SAVED}))


def _say_why(result: Result, shown: _Shown) -> None:
    """Why nobody has the figure that is chosen."""
    title = shown.metric.title
    metrics = result.report.about.metrics
    if result.report.options["labels"] != "valid" and shown.metric in [metrics[name] for name in OF_TWO_LABELS]:
        words.say(f"No annotator has a value. {of_two_labels(f'{title} is')}, or another figure.")
        return
    reasons = (row["reason"] for own in shown.rows.values() for row in own.values())
    for reason in dict.fromkeys(one for one in reasons if one):
        words.say(f"No annotator has a value. {title}: {reason}.")


def _bars(rows: Sequence[Row], names: Sequence[str], shown: _Shown) -> alt.LayerChart:
    groups, metric = list(shown.groups.values()), shown.metric
    several = len(groups) > 1
    y = alt.Y("name:N", sort=list(names), title=None, axis=names_axis(grid=False))
    tip = [alt.Tooltip("name:N", title="Annotator"), *([alt.Tooltip("group:N", title="Group")] if several else [])]
    tip += [alt.Tooltip("said:N", title=metric.title), alt.Tooltip("interval:N", title="Interval")]
    base = alt.Chart(data(rows)).encode(y, tooltip=tip)
    if several:
        base = base.encode(alt.YOffset("group:N", sort=groups))
    series = [SERIES[place % len(SERIES)] for place in range(len(groups))]
    legend = alt.Legend(title=None, orient="top", columns=_LEGEND_COLUMNS) if several else None
    colour = alt.Color("group:N", scale=alt.Scale(domain=groups, range=series), legend=legend)
    low, high = ends_of(rows)
    scale = alt.Scale(domain=list(rounded(min(low, 0.0), max(high, 0.0))), nice=False)
    axis = ticks(metric, tickCount=_TICKS, labelFlush=False, grid=False, domain=True, ticks=True)
    along = alt.X("value:Q", title=metric.title, axis=axis, scale=scale)
    picked = alt.selection_point(name="bar", fields=["name", "group"], on="click", toggle=False)
    bars = base.mark_bar(cursor="pointer", opacity=0.55).encode(along, color=colour).add_params(picked)
    reach = base.mark_rule(color=INK, strokeWidth=1.5).encode(alt.X("low:Q"), x2="high:Q")
    legend_high = _LEGEND * -(-len(groups) // _LEGEND_COLUMNS) if several else 0
    high = _ROW * len(names) * (1 + _DODGED * (len(groups) - 1)) + _AXIS + legend_high
    return alt.LayerChart(layer=[bars, reach, *upright(0.0, alt.X("x:Q"), color=INK, strokeWidth=1)], height=high)


def _columns(result: Result, shown: _Shown) -> tuple[dict[str, list[Any]], dict[str, Any], dict[str, str]]:
    """The columns of the table, how they are shown, and the group of those that are about one."""
    metric, several = shown.metric, len(shown.groups) > 1
    columns: dict[str, list[Any]] = {"Annotator": list(shown.rows)}
    of: dict[str, str] = {}
    config: dict[str, Any] = {"Annotator": st.column_config.Column(pinned=True)}
    if several:
        columns |= _apart(result.report, shown)
        if _GREATEST in columns:
            columns[_GREATEST], config[_GREATEST] = numbers(metric, _GREATEST, columns[_GREATEST])
    for group in shown.groups.values():
        own = [rows.get(group, {}) for rows in shown.rows.values()]
        title = group if several else metric.title
        value, interval = numbered([*columns, title, f"{title}: interval"])[-2:]
        of |= {value: group, interval: group}
        columns[value], config[value] = numbers(metric, value, [row.get("value") for row in own])
        columns[interval] = [interval_text(row.get("low"), row.get("high"), metric) for row in own]
        if not several:
            columns |= {"Pairs": [row["n"] for row in own], _TESTED: [p_text(row["p_adjusted"]) for row in own]}
    held = any(row["value"] is not None for own in shown.rows.values() for row in own.values())
    if held and any(why := [_why(own) for own in shown.rows.values()]):  # else it is said above
        columns[numbered([*columns, "Remarks"])[-1]] = why
    return columns, config, of


def _table(result: Result, shown: _Shown) -> None:
    """The same as a table; each cell leads to the pairs behind it."""
    columns, config, of = _columns(result, shown)
    every, several = list(shown.rows.items()), len(shown.groups) > 1

    def chosen(row: int, column: str) -> None:
        rows = every[row][1]
        items.lead_to(result, rows.get(of.get(column, "")) or next(iter(rows.values())))

    def said(row: int, column: str) -> list[str]:
        name, rows = every[row]
        return [name, of[column] if of.get(column) in rows else next(iter(rows))] if several else [name]

    data, shapes = with_minus(pl.DataFrame(columns, infer_schema_length=None, strict=False), config)
    grid(
        data,
        "traits",
        columns=list(columns),
        rows=len(every),
        items=result.report.about.items,
        said=said,
        lead=chosen,
        hide_index=True,
        width="content",
        column_config=shapes,
        placeholder="",
        alt=f"{shown.metric.title} of each annotator",
    )
    words.remark(choosing("pairs"))
    rows = [row for own in shown.rows.values() for row in own.values()]
    downloads.of_frame("traits", pl.DataFrame(rows, schema=result.report["agreement"].schema))


def _why(own: Mapping[str, Row]) -> str:
    """Why an annotator lacks figures. own: title of a group -> its row."""
    said = {group: row["reason"] for group, row in own.items() if row["reason"]}
    if len(set(said.values())) == 1 and len(said) == len(own):
        return str(next(iter(said.values())))
    return "; ".join(f"{group}: {reason}" for group, reason in said.items())


def _apart(report: Report, shown: _Shown) -> dict[str, list[Any]]:
    """How far apart the two groups are that are farthest apart; of two groups with the p-value, where they are tested.

    Nothing where no table says so.
    """
    if shown.metric is not report.about.metrics[STRENGTH.name] or SIDE_BY_SIDE not in report.tables:
        return {}
    ids = [next(iter(rows.values()))["annotator"] for rows in shown.rows.values()]
    known = dict(report[SIDE_BY_SIDE].select("annotator", GREATEST).iter_rows())
    found = {_GREATEST: [known[one] for one in ids]}
    tests = report["differences"].filter(pl.col("annotator").is_not_null())
    if tests.height and not tests["annotator"].is_duplicated().any():
        p = dict(tests.select("annotator", "p_adjusted").iter_rows())
        found[_TESTED] = [p_text(p.get(one)) for one in ids]
    return found
