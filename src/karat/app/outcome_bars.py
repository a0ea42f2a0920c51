"""What became of items, as a bar for each judge, which leads to the items."""

from collections.abc import Mapping

import altair as alt
import polars as pl
import streamlit as st
from markupsafe import Markup

from karat.app import words
from karat.app.chosen import PREFIX, first_page, outcome_titles
from karat.app.looks import colours
from karat.app.results import Result
from karat.names import short
from karat.render.charts import specification
from karat.render.kit.style import OUTCOMES, PALETTE, PAPER, UNDEFINED, Chart, data, names_axis
from karat.render.numbers import plain
from karat.render.signs import visible

_MOST = 30
"""Judges that are drawn."""
_ROW, _AXIS = 24, 44
"""Pixels: streamlit counts the axis as part of the height."""
_NAME = 40


def outcome_bars(result: Result, outcomes: pl.LazyFrame) -> None:
    """The outcomes of each judge, counted; a click chooses them."""
    scores = [name for name, metric in result.report.about.metrics.items() if not metric.percent]  # of explanations
    counted = outcomes.filter(~pl.col("outcome").is_in(scores)).group_by("judge", "outcome").len()
    counts = counted.sort("judge", "outcome").collect().drop_nulls()
    judges = counts["judge"].unique().sort().to_list()
    if not judges:
        return
    drawn, titles = judges[:_MOST], outcome_titles(result)
    names = {judge: visible(short(judge, _NAME)) for judge in drawn}
    kinds = list(titles)
    titles = {kind: title for kind, title in titles.items() if kind in set(counts["outcome"])}
    rows = [
        {"judge": row["judge"], "name": names[row["judge"]], "kind": row["outcome"], "outcome": titles[row["outcome"]],
         "count": row["len"], "place": kinds.index(row["outcome"])}
        for row in counts.filter(pl.col("judge").is_in(drawn)).to_dicts()
    ]  # fmt: skip

    def picked() -> None:
        for bar in st.session_state["outcome-bars"]["selection"]["bar"]:
            st.session_state[f"{PREFIX}judge"] = [bar["judge"]] if len(judges) > 1 else []
            st.session_state[f"{PREFIX}outcome"] = [bar["kind"]] if len(titles) > 1 else []
            first_page()

    told = f"Outcomes of each {plain(result.report.about.judge)}, counted"
    known = {title: OUTCOMES.get(kind, UNDEFINED) for kind, title in titles.items()}
    chart = _bars(rows, list(names.values()), known).to_dict(validate=False)
    shown = colours()
    made = specification(Chart("outcomes", told, "", chart), shown)
    words.put(_legend(known, {colour: shown[name] for name, colour in PALETTE.items()}))
    st.vega_lite_chart(made, width="stretch", theme=None, key="outcome-bars", on_select=picked, alt=told)
    left = len(judges) - len(drawn)
    words.remark("Choose a bar to read its items." + (f" {left:,} more are not drawn." if left else ""))


def _bars(rows: list[dict[str, object]], names: list[str], known: Mapping[str, str]) -> alt.Chart:
    """A bar for each name. known: what outcomes are called -> their colours."""
    scale = alt.Scale(domain=list(known), range=list(known.values()))
    picked = alt.selection_point(name="bar", fields=["judge", "kind"], on="click", toggle=False)
    tips = [alt.Tooltip("name:N", title=" "), alt.Tooltip("outcome:N", title="Outcome"), alt.Tooltip("count:Q")]
    bars = alt.Chart(data(rows)).mark_bar(cursor="pointer", stroke=PAPER, strokeWidth=1)
    made: alt.Chart = bars.encode(
        alt.Y("name:N", sort=names, title=None, axis=names_axis()),
        alt.X("count:Q", title=None, stack="zero", axis=alt.Axis(tickMinStep=1, format=",d")),
        color=alt.Color("outcome:N", scale=scale, legend=None),
        order="place:O",
        tooltip=tips,
    )
    return made.add_params(picked).properties(height=_ROW * len(names) + _AXIS)


def _legend(known: Mapping[str, str], shown: Mapping[str, str]) -> Markup:
    """Which colour is which outcome, in lines that fit the window; outcomes that mean the same share one.

    known: what outcomes are called -> their colours. shown: what becomes of a colour in the theme.
    """
    alike: dict[str, list[str]] = {}
    for title, colour in known.items():
        alike.setdefault(shown.get(colour, colour), []).append(title)
    item = Markup('<li><span style="background: {}"></span>{}</li>')
    items = (item.format(colour, "; ".join(titles)) for colour, titles in alike.items())
    return Markup('<ul class="karat-legend">{}</ul>').format(Markup("").join(items))
