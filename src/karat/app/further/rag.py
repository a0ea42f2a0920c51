"""Models that answer from documents: accuracy over noise, answers by outcome, answers on which scorers differ."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from karat.app import downloads, items, words
from karat.app.chosen import column_title, said
from karat.app.confusions import one_of_each
from karat.app.lists import listed
from karat.app.looks import colours
from karat.app.results import Result
from karat.app.together import as_chosen, together
from karat.formats.findings import counted
from karat.names import percentage
from karat.render.html import items_fragment
from karat.render.kit.style import PERCENT, SERIES, Chart, ends_of, rounded
from karat.render.numbers import short_number
from karat.render.palette import LIGHT
from karat.render.part import keys_of

_ASKED = ["ability", "noise_ratio"]
"""What tells apart what is asked about the same question."""
_KEYS = ("judge", "ability", "noise_ratio", "scorer", "outcome")
_PREFIX = f"{items.PREFIX}answer-"
_PICKED = "picked"
_SAVED = (480, 300)
"""Pixels of the plot of a picture that is saved."""
_APART = 0.012
"""How far models are from one another, as a share of the axis."""
_PADDING = 18
"""How far the first and the last share of noise are from the ends of the axis, in pixels."""


def _noise(result: Result) -> None:
    """A model's accuracy by the share of documents that do not hold the answer; its points lead to answers."""
    report = result.report
    rows = report["scores"].filter(pl.col("metric") == "accuracy", pl.col("noise_ratio").is_not_null())
    keys = [key for key in keys_of(rows) if key not in ("model", "noise_ratio")]
    rows = rows.filter(pl.col("noise_ratio").n_unique().over("model", *keys) > 1)
    if rows.is_empty():
        words.say("There is nothing to compare: all answers come from documents with the same share of noise.")
        return
    chosen = one_of_each(result, rows, keys, "noise")
    rows = rows.filter(*(pl.col(key).eq_missing(pl.lit(value)) for key, value in chosen.items()))
    shown = rows.select("model", "noise_ratio", "value", "low", "high", "n")

    def picked() -> None:
        points = st.session_state["noise"]["selection"].get(_PICKED, [])
        if points:
            lead_to(result, {**chosen, "judge": points[0]["model"], "noise_ratio": points[0]["noise_ratio"]})

    words.small_heading("Accuracy over noise")
    sure = percentage(report.confidence)
    told = (
        f"Accuracy with its {sure} interval, by the share of documents without the answer. Choose a point to read its "
        "answers."
    )
    st.altair_chart(_lines(shown, colours()), width="stretch", theme=None, key="noise", on_select=picked, alt=told)
    words.remark(told)
    saved = _lines(shown, LIGHT).properties(width=_SAVED[0], height=_SAVED[1])
    downloads.of_picture(Chart("noise", "Accuracy over noise", "", saved.to_dict(validate=False)))
    downloads.of_frame("noise", rows)


def _lines(rows: pl.DataFrame, look: Mapping[str, str]) -> alt.LayerChart:
    """A line for each model. look: the colours of a theme."""
    told: dict[str, Any] = {
        "labelColor": look["ink"],
        "titleColor": look["muted"],
        "titleFontWeight": "normal",
        "gridColor": look["grid"],
        "labelFontSize": 13,
    }
    low, high = rounded(*ends_of(rows.to_dicts()))
    axis = alt.Axis(labelExpr=PERCENT, titleFontSize=13, domain=False, ticks=False, **told)
    places = sorted(rows["noise_ratio"].unique())
    noises = alt.Axis(titleFontSize=13, values=places, grid=False, labelFlush=False, **told)
    along = alt.Scale(domain=[places[0], places[-1]], nice=False, zero=False, padding=_PADDING)
    models = rows["model"].unique(maintain_order=True).to_list()
    series = [look["accent"], *SERIES[1:]]
    legend = alt.Legend(labelColor=look["ink"], title=None, orient="top", labelFontSize=13, symbolOpacity=1)
    chosen = alt.selection_point(name=_PICKED, fields=["model", "noise_ratio"])
    # Models stand a little apart where their intervals would lie on one another.
    step = _APART * (places[-1] - places[0])
    apart = {one: (place - (len(models) - 1) / 2) * step for place, one in enumerate(models)}
    drawn = rows.with_columns(at=pl.col("noise_ratio") + pl.col("model").replace_strict(apart, return_dtype=pl.Float64))
    base = alt.Chart(drawn).encode(
        x=alt.X("at:Q", title="Noise ratio: share of documents without the answer", axis=noises, scale=along),
        color=alt.Color("model:N", scale=alt.Scale(domain=models, range=series), legend=legend),
    )
    tip = [alt.Tooltip(name) for name in ("model", "noise_ratio", "value", "low", "high", "n")]
    value = alt.Y("value:Q", title="Accuracy", axis=axis, scale=alt.Scale(domain=[low, high], nice=False, zero=False))
    line = base.mark_line().encode(y=value)
    interval = base.mark_rule(opacity=0.8, strokeWidth=1.5).encode(y=alt.Y("low:Q", title="Accuracy"), y2="high:Q")
    points = (
        base.mark_point(size=90, filled=True, opacity=1)
        .encode(shape=alt.Shape("model:N", scale=alt.Scale(domain=models), legend=legend), y=value, tooltip=tip)
        .add_params(chosen)
    )
    view = alt.ViewConfig(stroke=None)
    layers: alt.LayerChart = alt.layer(line, interval, points).configure(background=look["paper"], view=view)
    return layers


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the answers that a row of a table is about."""
    named = {"judge" if name == result.report.about.judge else name: value for name, value in row.items()}
    for name in _KEYS:
        st.session_state.pop(_PREFIX + name, None)
        if named.get(name) is not None:
            items.choose(_PREFIX + name, [_text(named[name])])
    st.session_state["view"] = "Answers"


def _answers(result: Result) -> None:
    """Answers by whatever is chosen, and one of them with those of the other models."""
    frame, names = result.outcomes, _names(result)
    for place, name in zip(st.columns(len(names) or 1), names, strict=False):
        values = frame.select(pl.col(name).drop_nulls().unique().sort()).collect()[name].to_list()
        options = {_text(value): value for value in values}
        chosen = place.multiselect(
            words.label(column_title(result, name)),
            list(options),
            format_func=partial(said, result, name),
            key=_PREFIX + name,
            bind="query-params",
            placeholder=words.ALL,
            on_change=items.first_page,
        )
        if chosen:
            frame = frame.filter(pl.col(name).is_in([options[one] for one in chosen]))
    count = frame.select(pl.len()).collect().item()
    start = items.beginning(count)
    listed = frame.slice(start, items.MOST).collect()
    which = f"{start + 1:,} to {start + listed.height:,} of " if count > items.MOST else ""
    words.remark(f"{which}{counted(count, 'answer', 'answers')}. Choose a row to read it.")
    columns = ["item", *dict.fromkeys([*names, "outcome"]), "reference_label", "detail"]
    _listed(result, listed, columns, "answers", every=frame)


def _scorers(result: Result) -> None:
    """Answers that one scorer takes for right and another does not, with what each says."""
    known = result.outcomes.filter(pl.col("value").is_not_null())
    keys = ["item", "judge", "ability", "noise_ratio", "draw"]
    judged = known.group_by([*keys, "scorer"], maintain_order=True).agg(
        pl.col("value").first(), pl.col("label").first()
    )
    differ = judged.filter(pl.col("value").n_unique().over(keys) > 1).collect()
    if differ.is_empty():
        many = result.outcomes.select(pl.col("scorer").n_unique()).collect().item()
        if many > 1:
            words.say("All scorers agree on every answer.")
        elif result.read is None:
            words.say("One scorer judged these answers.")
        else:
            words.say("Only one scorer is chosen. With all scorers, this view lists the answers on which they differ.")
            st.button("Choose all scorers", on_click=items.choose, args=("scorer", "all"))
        return
    words.remark("A row for each answer and scorer, where scorers differ. Choose one to read it.")
    _listed(
        result, differ, ["item", "judge", "ability", "noise_ratio", "scorer", "label"], "differing", every=differ.lazy()
    )


def _listed(result: Result, found: pl.DataFrame, names: Sequence[str], key: str, *, every: pl.LazyFrame) -> None:
    """A list of answers, and one question with all answers to it. every: those that were chosen, listed or not."""
    if found.is_empty():
        words.say("Nothing is left: choose less.")
        return
    shown = [name for name in names if found[name].null_count() < found.height]
    own = {"ability", "outcome"} & set(shown)
    told = [pl.Series(name, [said(result, name, one) for one in found[name]], pl.String) for name in own]
    lines = found.with_columns(told).select(shown)
    place = listed(key, lines, found["item"], {name: column_title(result, name) for name in shown})
    downloads.of_frame(key, every)
    item = items.stepped(list(dict.fromkeys(found["item"])))
    here = every.filter(pl.col("item") == item).select(_ASKED).unique()
    rows = result.outcomes.filter(pl.col("item") == item).join(
        here, on=_ASKED, nulls_equal=True, how="semi", maintain_order="left"
    )
    words.put(items_fragment(together(result, as_chosen(rows.collect(), found.row(place, named=True)))))


def _names(result: Result) -> list[str]:
    """By what answers can be chosen: what several values stand in."""
    counts = result.outcomes.select(pl.col(_KEYS).drop_nulls().n_unique()).collect().row(0, named=True)
    return [name for name, count in counts.items() if count > 1]


def _text(value: object) -> str:
    return short_number(value) if isinstance(value, float) else str(value)


VIEWS = {"Noise": _noise, "Answers": _answers, "Scorers": _scorers}
