"""The charts of a report, and outcomes as a bar for each judge, which chooses the items."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from adjudge.display_names import short_name
from adjudge.explorer import downloads, markup
from adjudge.explorer.filters import PREFIX, choose, first_page, outcome_titles, value_title
from adjudge.explorer.markup import colours
from adjudge.explorer.results import Result
from adjudge.readers.problems import counted
from adjudge.render.charts import drawn_in, specification
from adjudge.render.examples import part_title
from adjudge.render.kit import charts
from adjudge.render.kit.style import GRID, OUTCOMES, RenderedChart, data, edges, names_axis
from adjudge.render.numbers import plain
from adjudge.render.palette import DARK, LIGHT
from adjudge.render.signs import visible

_MOST, _TICKS, _LEGEND_COLUMNS = 30, 8, 2
"""Judges that are drawn, marks of the axis, and outcomes beside one another in the legend."""
_WIDTH, _ROW, _AXIS, _LEGEND_LINE = 480, 24, 80, 20
"""Pixels of the bars, of one, of the axis and of a line of the legend, which streamlit counts as part of the height."""
_NAME = 40
_KEPT = 8
_ENLARGED = 1.4
"""How many times its own size a chart has."""
_SVG_WIDTH = re.compile(r'width="(\d+)')


def all_charts(result: Result) -> None:
    """All charts of the report."""
    if not draw_charts(result, None, dark=False):
        markup.say("There is nothing to draw: no table that is drawn holds a figure.")
    show_charts(result)


@lru_cache(_KEPT)
def draw_charts(result: Result, most: int | None, *, dark: bool) -> Sequence[tuple[RenderedChart, str]]:
    """The first charts of a report with how they look. Most of the time of a page is spent here."""
    return [(chart, drawn_in(chart, DARK if dark else LIGHT)) for chart in charts(result.report, most)]


def show_charts(result: Result, most: int | None = None) -> None:
    """The first charts of a report, or all."""
    for chart, svg in draw_charts(result, most, dark=colours() is DARK):
        markup.heading(chart.title)
        width = int(_ENLARGED * int(_SVG_WIDTH.findall(svg)[0]))
        st.image(svg, width=width, alt=f"{chart.title}. {chart.caption}")
        markup.remark(chart.caption)
        downloads.of_picture(chart)


def outcome_bars(result: Result, outcomes: pl.LazyFrame) -> None:
    """The outcomes of each judge, counted, a bar for each part where parts are apart; a click chooses them."""
    about, titles = result.report.about, outcome_titles(result)
    scores = [name for name, metric in about.metrics.items() if not metric.percent]  # there is nothing to count of them
    counted_once, first = _once(outcomes.filter(~pl.col("outcome").is_in(scores)), about.repeating_columns)
    part = pl.col("part").cast(pl.String).fill_null("") if about.separate_parts else pl.lit("").alias("part")
    groups = counted_once.group_by("judge", part, "outcome").len().sort("judge", "part", "outcome")
    counts = groups.collect().drop_nulls()
    judges = counts["judge"].unique().sort().to_list()
    if not judges:
        return
    chosen = st.session_state.get(f"{PREFIX}judge") or ()
    drawn = judges if len(judges) <= _MOST else sorted(judges, key=lambda judge: judge not in chosen)[:_MOST]
    several = counts["part"].n_unique() > 1
    places = {kind: place for place, kind in enumerate(titles)}
    titles = {kind: title for kind, title in titles.items() if kind in set(counts["outcome"])}
    rows = []
    for row in counts.filter(pl.col("judge").is_in(drawn)).to_dicts():
        name, kind = visible(short_name(row["judge"], _NAME)), row["outcome"]
        line = f"{name}: {visible(part_title(row['part'], about))}" if several else name
        own = {"judge": row["judge"], "part": row["part"], "line": line, "kind": kind, "place": places[kind]}
        rows.append(own | {"outcome": titles[kind], "count": row["len"]})

    def picked() -> None:
        for bar in st.session_state["outcome-bars"]["selection"]["bar"]:
            st.session_state[f"{PREFIX}judge"] = [bar["judge"]] if len(judges) > 1 else []
            st.session_state[f"{PREFIX}outcome"] = [bar["kind"]] if len(titles) > 1 else []
            for name, value in first.items():
                choose(PREFIX + name, [value])
            first_page()

    told = f"Outcomes of each {plain(about.judge)}"
    markup.small_heading(told)
    bars = _bars(rows, {title: OUTCOMES.get(kind, GRID) for kind, title in titles.items()})
    chart = RenderedChart("outcomes", told, "", bars.to_dict(validate=False))
    shown = specification(chart, colours())
    shown["height"] += _AXIS + _LEGEND_LINE * -(-len(titles) // _LEGEND_COLUMNS)
    st.vega_lite_chart(shown, width="stretch", theme=None, key="outcome-bars", on_select=picked, alt=told)
    left = len(judges) - len(drawn)
    more = f" {left:,} more are not drawn." if left else ""
    held = _without_bars(result, outcomes.filter(pl.col("outcome").is_in(scores)), counts, first)
    markup.remark(f"{held}Choose a bar to read its {about.items}.{more}")
    downloads.of_picture(chart)


def _without_bars(result: Result, scored: pl.LazyFrame, counts: pl.DataFrame, first: Mapping[str, str]) -> str:
    """How many outcomes the bars hold, where the list below holds others too, and which these are."""
    held = f"The bars hold {counted(int(counts['len'].sum()), 'outcome', 'outcomes')}"
    only = [f"{plain(name)} “{value_title(result, name, value)}”" for name, value in first.items()]
    if only:
        return f"{held}: those of the {' and the '.join(only)} alone. "
    scores = scored.select(pl.col("outcome").unique().sort()).collect()["outcome"]
    titles = " and ".join(result.report.about.metrics[name].title for name in scores)
    return f"{held}; those of {titles} are only in the list below. " if titles else ""


def _once(outcomes: pl.LazyFrame, repeated: Sequence[str]) -> tuple[pl.LazyFrame, Mapping[str, str]]:
    """Outcomes, each item once, and the value that was taken of each column by whose values items come again."""
    known = [name for name in repeated if name in outcomes.collect_schema()]
    values = {name: outcomes.select(pl.col(name).drop_nulls().unique(maintain_order=True)).collect() for name in known}
    first = {name: many.item(0, 0) for name, many in values.items() if many.height > 1}
    return outcomes.filter(True, *(pl.col(name) == value for name, value in first.items())), first


def _bars(rows: list[dict[str, Any]], known: Mapping[str, str]) -> alt.Chart:
    """Counts beside one another in each line. known: what outcomes are called -> their colours."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    scale = alt.Scale(domain=list(known), range=list(known.values()))
    legend = alt.Legend(title=None, orient="top", columns=_LEGEND_COLUMNS, labelLimit=0)
    axis = alt.Axis(tickMinStep=1, tickCount=_TICKS, format=",d")
    made: alt.Chart = alt.Chart(data(rows)).mark_bar(cursor="pointer", strokeWidth=1)
    made = made.encode(
        alt.Y("line:N", sort=lines, title=None, axis=names_axis()),
        alt.X("count:Q", title="Number of outcomes", stack="zero", axis=axis),
        color=alt.Color("outcome:N", scale=scale, legend=legend),
        stroke=edges("outcome", known),
        order="place:O",
        tooltip=[alt.Tooltip("line:N", title=" "), alt.Tooltip("outcome:N", title="Outcome"), alt.Tooltip("count:Q")],
    )
    picked = alt.selection_point(name="bar", fields=["judge", "kind"], on="click", toggle=False)
    return made.add_params(picked).properties(width=_WIDTH, height=_ROW * len(lines))
