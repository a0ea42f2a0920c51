"""What became of items, as a bar for each judge, which leads to the items."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl
import streamlit as st
from markupsafe import Markup

from adjudge.display_names import short_name
from adjudge.explorer import downloads, words
from adjudge.explorer.chosen import PREFIX, choose, first_page, outcome_titles, said
from adjudge.explorer.looks import colours
from adjudge.explorer.results import Result
from adjudge.readers.problems import counted
from adjudge.render.charts import specification
from adjudge.render.examples import part_title
from adjudge.render.kit.style import GRID, OUTCOMES, PALETTE, RenderedChart, data, edges, names_axis
from adjudge.render.numbers import inside, plain
from adjudge.render.signs import visible

_MOST, _BESIDE = 30, 8
"""Judges that are drawn, and beside one who is chosen."""
_ROW, _PART, _AXIS = 24, 14, 60
"""Pixels of a judge, of one of several bars of a judge, of the axis: streamlit counts it as part of the height."""
_TICKS = 8
_WIDTH, _LEGEND_COLUMNS = 480, 2
"""Pixels of the bars, and outcomes beside one another in the legend, of a picture that is saved."""
_NAME = 40


def outcome_bars(result: Result, outcomes: pl.LazyFrame) -> None:
    """The outcomes of each judge, counted, a bar for each part where parts are apart; a click chooses them."""
    about = result.report.about
    drawn_of, first = _once(outcomes.filter(~pl.col("outcome").is_in(_scores(result))), about.repeating_columns)
    counts = _counts(drawn_of, parted=about.separate_parts)
    judges = counts["judge"].unique().sort().to_list()
    if not judges:
        return
    drawn, titles = _drawn(judges), outcome_titles(result)
    names = {judge: visible(short_name(judge, _NAME)) for judge in drawn}
    parts = {part: visible(part_title(part, about)) for part in counts["part"].unique().sort()}
    kinds = list(titles)
    titles = {kind: title for kind, title in titles.items() if kind in set(counts["outcome"])}
    several = len(parts) > 1
    rows = [
        _row(row, names, parts, titles) | {"place": kinds.index(row["outcome"])}
        for row in counts.filter(pl.col("judge").is_in(drawn)).to_dicts()
    ]

    def picked() -> None:
        for bar in st.session_state["outcome-bars"]["selection"]["bar"]:
            st.session_state[f"{PREFIX}judge"] = [bar["judge"]] if len(judges) > 1 else []
            st.session_state[f"{PREFIX}outcome"] = [bar["kind"]] if len(titles) > 1 else []
            for name, value in first.items():
                choose(PREFIX + name, [value])
            first_page()

    told = f"Outcomes of each {plain(about.judge)}"
    words.small_heading(told)
    known = {title: OUTCOMES.get(kind, GRID) for kind, title in titles.items()}
    chart = _bars(rows, list(names.values()), list(parts.values()), known).to_dict(validate=False)
    shown = colours()
    made = specification(RenderedChart("outcomes", told, "", chart), shown)
    for part, name in parts.items():
        own = {titles[kind] for kind in counts.filter(pl.col("part") == part)["outcome"]}
        of_part = {title: colour for title, colour in known.items() if title in own}
        words.put(_legend(name if several else "", of_part, {colour: shown[role] for role, colour in PALETTE.items()}))
    st.vega_lite_chart(made, width="stretch", theme=None, key="outcome-bars", on_select=picked, alt=told)
    left = len(judges) - len(drawn)
    more = f" {left:,} more are not drawn." if left else ""
    words.remark(
        f"{_without_bars(result, outcomes, counts, first)}{_order_of(list(parts.values()))}Choose a bar to "
        f"read its {result.report.about.items}.{more}"
    )
    downloads.of_picture(_alone(rows, told, known))


def _row(
    row: Mapping[str, Any], names: Mapping[str, str], parts: Mapping[str, str], titles: Mapping[str, str]
) -> dict[str, object]:
    """A count as it is drawn. line: what names it where each part of a judge has a line of its own."""
    judge, part, kind = row["judge"], row["part"], row["outcome"]
    name = names[judge]
    line = f"{name}: {parts[part]}" if len(parts) > 1 else name
    own = {"judge": judge, "name": name, "part": parts[part], "line": line}
    return own | {"kind": kind, "outcome": titles[kind], "count": row["len"]}


def _order_of(parts: Sequence[str]) -> str:
    """Which bar is which, where a judge has several."""
    return f"Bars of each, from top to bottom: {', '.join(parts)}. " if len(parts) > 1 else ""


def _scores(result: Result) -> list[str]:
    """The outcomes that are scores, of explanations: there is nothing to count of them."""
    return [name for name, metric in result.report.about.metrics.items() if not metric.percent]


def _without_bars(result: Result, outcomes: pl.LazyFrame, counts: pl.DataFrame, first: Mapping[str, str]) -> str:
    """How many outcomes the bars hold, where the list below holds others too, and which these are."""
    held = f"The bars hold {counted(int(counts['len'].sum()), 'outcome', 'outcomes')}"
    only = [f"{plain(name)} “{said(result, name, value)}”" for name, value in first.items()]
    if only:
        return f"{held}: those of the {' and the '.join(only)} alone. "
    rest = outcomes.filter(pl.col("outcome").is_in(_scores(result)))
    scored = rest.select(pl.col("outcome").unique().sort()).collect()["outcome"].to_list()
    if not scored:
        return ""
    titles = " and ".join(result.report.about.metrics[name].title for name in scored)
    return f"{held}; those of {titles} are only in the list below. "


def _drawn(judges: list[str]) -> list[str]:
    """The judges who have bars: where one is chosen, few others, so that the items are not far below."""
    chosen = [judge for judge in st.session_state.get(f"{PREFIX}judge") or () if judge in judges]
    if not chosen or len(judges) <= _BESIDE:
        return judges[:_MOST]
    return [*chosen, *(judge for judge in judges if judge not in chosen)][: max(_BESIDE, len(chosen))][:_MOST]


def _once(outcomes: pl.LazyFrame, repeated: Sequence[str]) -> tuple[pl.LazyFrame, Mapping[str, str]]:
    """Outcomes, each item once, and the value that was taken of each column by whose values items come again."""
    known = [name for name in repeated if name in outcomes.collect_schema()]
    values = {name: outcomes.select(pl.col(name).drop_nulls().unique(maintain_order=True)).collect() for name in known}
    first = {name: many.item(0, 0) for name, many in values.items() if many.height > 1}
    return outcomes.filter(True, *(pl.col(name) == value for name, value in first.items())), first


def _counts(outcomes: pl.LazyFrame, *, parted: bool) -> pl.DataFrame:
    """How often each judge has each outcome. parted: whether by part; else all parts are one, without a name."""
    part = pl.col("part").cast(pl.String).fill_null("") if parted else pl.lit("").alias("part")
    return outcomes.group_by("judge", part, "outcome").len().sort("judge", "part", "outcome").collect().drop_nulls()


def _bars(rows: list[dict[str, object]], names: list[str], parts: Sequence[str], known: Mapping[str, str]) -> alt.Chart:
    """A bar for each name and part. known: what outcomes are called -> their colours."""
    picked = alt.selection_point(name="bar", fields=["judge", "kind"], on="click", toggle=False)
    tips = [alt.Tooltip("name:N", title=" "), alt.Tooltip("outcome:N", title="Outcome"), alt.Tooltip("count:Q")]
    made = _stacked(rows, "name", names, known, None)
    several = len(parts) > 1
    if several:
        tips.insert(1, alt.Tooltip("part:N", title="Part"))
        made = made.encode(yOffset=alt.YOffset("part:N", sort=list(parts)))
    row = _PART * len(parts) + _ROW - _PART if several else _ROW
    drawn: alt.Chart = made.encode(tooltip=tips).add_params(picked).properties(height=row * len(names) + _AXIS)
    return drawn


def _stacked(
    rows: list[dict[str, object]], field: str, names: list[str], known: Mapping[str, str], legend: alt.Legend | None
) -> alt.Chart:
    """Counts beside one another in a line. field: what names lines. names: in their order. known: see `_bars`."""
    scale = alt.Scale(domain=list(known), range=list(known.values()))
    bars = alt.Chart(data(rows)).mark_bar(cursor="pointer", strokeWidth=1)
    made: alt.Chart = bars.encode(
        alt.Y(f"{field}:N", sort=names, title=None, axis=names_axis()),
        alt.X(
            "count:Q",
            title="Number of outcomes",
            stack="zero",
            axis=alt.Axis(tickMinStep=1, tickCount=_TICKS, format=",d"),
        ),
        color=alt.Color("outcome:N", scale=scale, legend=legend),
        stroke=edges("outcome", known),
        order="place:O",
    )
    return made


def _alone(rows: list[dict[str, object]], told: str, known: Mapping[str, str]) -> RenderedChart:
    """The bars as a picture that is saved: with a line for each part of a judge, and with its legend."""
    lines = list(dict.fromkeys(str(row["line"]) for row in rows))
    legend = alt.Legend(title=None, orient="top", columns=_LEGEND_COLUMNS, labelLimit=0)
    made = _stacked(rows, "line", lines, known, legend).properties(width=_WIDTH, height=_ROW * len(lines))
    return RenderedChart("outcomes", told, "", made.to_dict(validate=False))


def _legend(part: str, known: Mapping[str, str], shown: Mapping[str, str]) -> Markup:
    """Which colour is which outcome, in lines that fit the window; outcomes that mean the same share one.

    part: whose outcomes they are, where parts have bars of their own. known: what outcomes are called -> their colours.
    shown: what becomes of a colour in the theme.
    """
    alike: dict[str, list[str]] = {}
    for title, colour in known.items():
        alike.setdefault(shown.get(colour, colour), []).append(title)
    item = Markup('<li><span style="background: {}"></span>{}</li>')
    items = (item.format(colour, "; ".join([one, *map(inside, more)])) for colour, (one, *more) in alike.items())
    head = Markup("<li><b>{}</b></li>").format(part) if part else ""
    return Markup('<ul class="adjudge-legend">{}{}</ul>').format(head, Markup("").join(items))
