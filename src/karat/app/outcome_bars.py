"""What became of items, as a bar for each judge, which leads to the items."""

import altair as alt
import polars as pl
import streamlit as st

from karat.app import words
from karat.app.chosen import PREFIX, first_page
from karat.app.looks import colours
from karat.app.results import Result
from karat.names import short
from karat.render.charts import specification
from karat.render.kit.style import PAPER, SERIES, Chart, data, names_axis
from karat.render.numbers import plain
from karat.render.signs import visible

_MOST = 30
"""Judges that are drawn."""
_ROW, _LINE, _AXIS = 24, 20, 44
"""Pixels: streamlit counts axis and legend as part of the height."""
_COLUMNS = 4
_NAME = 40


def outcome_bars(result: Result, outcomes: pl.LazyFrame) -> None:
    """The outcomes of each judge, counted; a click chooses them."""
    counts = outcomes.group_by("judge", "outcome").len().sort("judge", "outcome").collect().drop_nulls()
    judges = counts["judge"].unique().sort().to_list()
    if not judges:
        return
    meant, drawn = result.report.about.outcomes, judges[:_MOST]
    names = {judge: visible(short(judge, _NAME)) for judge in drawn}
    kinds = [*meant, *sorted(set(counts["outcome"]) - set(meant))]
    titles = {kind: meant.get(kind, plain(kind)) for kind in kinds if kind in set(counts["outcome"])}
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
    chart = _bars(rows, list(names.values()), list(titles.values()))
    made = specification(Chart("outcomes", told, "", chart), colours())
    st.vega_lite_chart(made, width="stretch", theme=None, key="outcome-bars", on_select=picked, alt=told)
    left = len(judges) - len(drawn)
    words.remark("Choose a bar to read its items." + (f" {left:,} more are not drawn." if left else ""))


def _bars(rows: list[dict[str, object]], names: list[str], titles: list[str]) -> alt.Chart:
    series = [SERIES[place % len(SERIES)] for place in range(len(titles))]
    picked = alt.selection_point(name="bar", fields=["judge", "kind"], on="click", toggle=False)
    tips = [alt.Tooltip("name:N", title=" "), alt.Tooltip("outcome:N", title="Outcome"), alt.Tooltip("count:Q")]
    bars = alt.Chart(data(rows)).mark_bar(cursor="pointer", stroke=PAPER, strokeWidth=1)
    legend = alt.Legend(title=None, orient="top", columns=_COLUMNS, labelLimit=320)
    made: alt.Chart = bars.encode(
        alt.Y("name:N", sort=names, title=None, axis=names_axis()),
        alt.X("count:Q", title=None, stack="zero"),
        color=alt.Color("outcome:N", scale=alt.Scale(domain=titles, range=series), legend=legend),
        order="place:O",
        tooltip=tips,
    )
    height = _ROW * len(names) + _LINE * -(-len(titles) // _COLUMNS) + _AXIS
    return made.add_params(picked).properties(height=height)
