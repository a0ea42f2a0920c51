"""The chart of a report, and outcomes as a bar for each judge, which chooses the items."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
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
from adjudge.render.charts.output import chart_file, chart_in_colours, chart_title, legend_text, spec_file
from adjudge.render.charts.parts import WIDE
from adjudge.render.examples import part_title
from adjudge.render.numbers import plain
from adjudge.render.palette import DARK, LIGHT, TOO_MUCH
from adjudge.render.signs import visible

_MOST, _TICKS, _LEGEND_COLUMNS = 30, 8, 2
"""Judges that are drawn, marks of the axis, and outcomes beside one another in the legend."""
_WIDTH, _ROW, _AXIS, _LEGEND_LINE = 480, 24, 80, 20
"""Pixels of the bars, of one, of the axis and of a line of the legend, which streamlit counts as part of the height."""
_NAME = 40
_KEPT = 8
_FADED = 0.3
_MEANT = {
    "accent": "correct agree true_positive unanimous with_all same_text both_right",
    "#34968c": "corrected both majority with_most rather_right",  # right in part, or in the end
    "#e1d257": "detected with_some with_few level reference_only",  # neither right nor wrong
    "#8275bb": "rejected neither",  # no answer
    TOO_MUCH: "answered annotator_only false_positive one_differs with_none rather_wrong",  # false alarms
    "second": "incorrect disagree false_negative against_all with_nobody split other_text both_wrong",
    "#a0a4aa": "missing skipped deducted undecided",
}
_OUTCOMES = {outcome: colour for colour, meant in _MEANT.items() for outcome in meant.split()}
"""Outcome -> its colour or the name of it, the same in all evaluations."""


@lru_cache(_KEPT)
def draw_chart(result: Result, *, dark: bool) -> str:
    """The chart of a report as SVG. Most of the time of a page is spent here."""
    return chart_in_colours(result.report, DARK if dark else LIGHT)


def show_chart(result: Result) -> None:
    """The chart of a report with its title."""
    if svg := draw_chart(result, dark=colours() is DARK):
        markup.small_heading(chart_title(result.report))
        st.image(svg, width=WIDE, alt=f"{chart_title(result.report)}. {result.report.summary.verdict}")
        markup.remark(legend_text(result.report))
        downloads.of_chart("chart", partial(chart_file, result.report))


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
    shown = _bars(rows, titles, colours())
    shown["height"] += _AXIS + _LEGEND_LINE * -(-len(titles) // _LEGEND_COLUMNS)
    st.vega_lite_chart(shown, width="stretch", theme=None, key="outcome-bars", on_select=picked, alt=told)
    left = len(judges) - len(drawn)
    more = f" {left:,} more are not drawn." if left else ""
    held = _without_bars(result, outcomes.filter(pl.col("outcome").is_in(scores)), counts, first)
    markup.remark(f"{held}Choose a bar to read its {about.items}.{more}")
    downloads.of_chart("outcomes", partial(spec_file, _bars(rows, titles, LIGHT)))


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


def _bars(rows: list[dict[str, Any]], titles: Mapping[str, str], theme: Mapping[str, str]) -> dict[str, Any]:
    """Counts beside one another in each line, as Vega-Lite. titles: of the outcomes. theme: name -> colour."""
    lines = list(dict.fromkeys(row["line"] for row in rows))
    known = [_OUTCOMES.get(kind, "grid") for kind in titles]
    scale = alt.Scale(domain=[*titles.values()], range=[theme.get(colour, colour) for colour in known])
    words: dict[str, Any] = {"labelColor": theme["ink"], "titleColor": theme["muted"]}
    legend = alt.Legend(title=None, orient="top", columns=_LEGEND_COLUMNS, labelLimit=0, labelColor=theme["ink"])
    axis = alt.Axis(tickMinStep=1, tickCount=_TICKS, format=",d", gridColor=theme["grid"], **words)
    picked = alt.selection_point(name="bar", fields=["judge", "kind"], on="click", toggle=False)
    made: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_bar(
        cursor="pointer", stroke=theme["paper"], strokeWidth=1
    )
    made = made.encode(
        alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(domain=False, ticks=False, labelPadding=8, **words)),
        alt.X("count:Q", title="Number of outcomes", stack="zero", axis=axis),
        color=alt.Color("outcome:N", scale=scale, legend=legend),
        opacity=alt.when(picked).then(alt.value(1)).otherwise(alt.value(_FADED)),
        order="place:O",
        tooltip=[alt.Tooltip("line:N", title=" "), alt.Tooltip("outcome:N", title="Outcome"), alt.Tooltip("count:Q")],
    )
    made = made.add_params(picked).properties(width=_WIDTH, height=_ROW * len(lines)).configure_view(stroke=None)
    return dict(made.configure(background="transparent").to_dict(validate=False))
