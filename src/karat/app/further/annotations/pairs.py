"""The pairs behind a figure: both responses side by side, and everybody's votes."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.further.annotations.who import data_sets, names_of, voters
from karat.app.results import Result
from karat.evaluations.annotations.data_sets import DataSet
from karat.evaluations.annotations.outcomes import outcome_of, word
from karat.names import numbered, short
from karat.render.numbers import count_text
from karat.render.pair import Voter, pair_fragment
from karat.report import cut
from karat.schemas.pairs import TEXTS, VOTE, VOTES

_OUTCOMES = {
    "Both agree": "agree",
    "Both disagree": "disagree",
    "Only the annotator": "annotator_only",
    "Only the reference": "reference_only",
    "Neither": "undecided",
    "Not annotated": "missing",
}
"""What becomes of two votes, as it is shown -> as outcomes call it."""
_LISTED = 100
"""Pairs that are listed at once."""
_BEGINNING = 120
_ALL, _MISSING = "(all)", "(missing)"


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the pairs that a row of a table is about."""
    items.forget()
    names = {} if result.read is None else names_of(result)
    who = {name: names.get(row.get(name) or "") for name in ("annotator", "reference")}
    by = {name: _MISSING if row[name] is None else row[name] for name in result.report.options["by"] if name in row}
    for name, value in {**who, **by, "dataset": row.get("dataset"), "outcome": _outcome(row)}.items():
        if value is not None:
            st.session_state[items.PREFIX + name] = value
    st.session_state["view"] = "Items"


def _outcome(row: Mapping[str, Any]) -> str | None:
    """What becomes of two votes, where a row is about two."""
    if row.get("vote") not in VOTES or row.get("reference_vote") not in VOTES:
        return None
    ours, theirs = (pl.lit(VOTES.index(row[name])) for name in ("vote", "reference_vote"))
    found = pl.select(outcome_of(ours, theirs).cast(pl.String)).item()
    return next(shown for shown, outcome in _OUTCOMES.items() if outcome == found)


def pairs(result: Result) -> None:
    """The pairs on which two annotators vote alike, or do not; and one of them with all that is said of it."""
    if result.read is None:
        items.items(result)
        return
    sets, names = data_sets(result), names_of(result)
    one = sets[_one_of("Data set", list(sets), "dataset")] if len(sets) > 1 else next(iter(sets.values()))
    places = iter(st.columns(2 + len(result.report.options["by"])))
    with next(places):
        annotator = _voter(one, names, "annotator", next(iter(one.beside.values()))[0].id)
    with next(places):
        reference = _voter(one, names, "reference", next(iter(one.beside)).id)
    frame = one.frame
    for name in result.report.options["by"]:
        with next(places):
            frame = _grouped(frame, one, name)
    frame = frame.with_columns(outcome_of(pl.col(VOTE + annotator), pl.col(VOTE + reference)).alias("outcome"))
    listed = _listed(_found(frame), {annotator: names[annotator], reference: names[reference]})
    if listed.is_empty():
        words.say("There is no such pair.")
    else:
        _pair(one, items.stepped(listed["pair"].to_list()), names, (annotator, reference))


def _voter(one: DataSet, names: Mapping[str, str], role: str, first: str) -> str:
    """The annotator that is chosen for a role, by id. first: who it is where none is."""
    ids = {names[name]: name for name in (first, *(other for other in voters(one) if other != first))}
    return ids[_one_of(role.capitalize(), list(ids), role)]


def _one_of(label: str, values: Sequence[str], name: str) -> str:
    """One of several values, by default the first. name: of its key."""
    key = items.PREFIX + name
    if st.session_state.get(key) not in values:
        st.session_state.pop(key, None)
    found: str = st.selectbox(words.plain(label), values, key=key, bind="query-params")
    return found


def _grouped(frame: pl.LazyFrame, one: DataSet, name: str) -> pl.LazyFrame:
    """The pairs with the value that is chosen of a column of groups."""
    values = one.votes[name].unique().sort(nulls_last=True).to_list()
    shown = dict(zip(numbered([_ALL, *(_MISSING if value is None else value for value in values)]), [None, *values]))
    chosen = _one_of(name, list(shown), name)
    return frame if chosen == _ALL else frame.filter(pl.col(name).eq_missing(pl.lit(shown[chosen], pl.String)))


def _found(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The pairs with the outcome that is chosen, and with a text that is sought."""
    counted = frame.group_by("outcome").len().collect()
    counts = dict(zip(counted["outcome"].cast(pl.String), counted["len"], strict=True))
    chosen = st.segmented_control(
        "Valid votes",
        list(_OUTCOMES),
        default="Both agree",
        required=True,
        key=f"{items.PREFIX}outcome",
        bind="query-params",
    )
    words.remark(", ".join(f"{name} {count_text(counts.get(one, 0))}" for name, one in _OUTCOMES.items()) + " pairs")
    found = frame.filter(pl.col("outcome") == _OUTCOMES[chosen])
    sought = st.text_input("Prompt or response contains", key=f"{items.PREFIX}text", bind="query-params")
    texts = [pl.col(name).str.contains(sought, literal=True) for name in ("prompt", "text_a", "text_b")]
    return found.filter(pl.any_horizontal(texts)) if sought else found


def _listed(found: pl.LazyFrame, who: Mapping[str, str]) -> pl.DataFrame:
    """The first pairs, from the place that is chosen on, as a table that leads to one of them. who: whose votes."""
    start = st.session_state.get(f"{items.PREFIX}from", 1)
    columns = ("pair", "prompt", *(VOTE + name for name in who))
    listed = found.select(columns).slice(start - 1, _LISTED).collect()
    votes = [word(pl.col(VOTE + name)).alias(shown) for name, shown in zip(who, numbered(["pair", "prompt", *map(short, who.values())])[2:], strict=True)]
    shown = listed.select("pair", pl.col("prompt").str.slice(0, _BEGINNING), *votes)

    def picked() -> None:
        rows = st.session_state["listed"]["selection"]["rows"]
        if rows:
            st.session_state["item"] = listed["pair"][rows[0]]

    st.dataframe(
        shown, key="listed", on_select=picked, selection_mode="single-row", hide_index=True, height=200
    )
    return listed
