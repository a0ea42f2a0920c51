"""The pairs behind a figure: both responses side by side, and everybody's votes."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st

from karat.app import downloads, items, words
from karat.app.further.annotations.who import data_sets, names_of, voters
from karat.app.lists import arrow, choose_rows, one_of
from karat.app.results import Result
from karat.evaluations.annotations.data_sets import DataSet
from karat.evaluations.annotations.outcomes import outcome_of, word
from karat.names import numbered, short
from karat.render.numbers import count_text, worded
from karat.render.pair import Voter, pair_fragment
from karat.render.signs import visible
from karat.report import cut
from karat.schemas.pairs import TEXTS, VOTE, VOTES

_OUTCOMES = {
    "They agree": "agree",
    "They disagree": "disagree",
    "Only the annotator votes": "annotator_only",
    "Only the reference votes": "reference_only",
    "Neither votes": "undecided",
    "One is missing": "missing",
}
"""What becomes of two votes, as it is shown -> as outcomes call it."""
_WORDS = {vote: worded(vote) for vote in VOTES}
_LISTED = 100
"""Pairs that are listed at once."""
_BEGINNING = 120
_LIST_HEIGHT, _HEAD, _ROW = 230, 37, 35
_ALL, _MISSING = "(all)", "(missing)"
_NUMBER = f"{items.PREFIX}number"


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the pairs that a row of a table is about."""
    items.forget()
    names = {} if result.read is None else names_of(result)
    who = {name: names.get(row.get(name) or "") for name in ("annotator", "reference")}
    by = {name: _MISSING if row[name] is None else row[name] for name in result.report.options["by"] if name in row}
    for name, value in {**who, **by, "dataset": row.get("dataset"), "outcome": _outcome(row)}.items():
        if value is not None:
            items.choose(items.PREFIX + name, value)
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
    sets, names, by = data_sets(result), names_of(result), result.report.options["by"]
    one = sets[_one_of("Data set", list(sets), "dataset")] if len(sets) > 1 else next(iter(sets.values()))
    places = iter(st.columns(2 + len(by)))
    with next(places):
        annotator = _voter(one, names, "annotator", next(iter(one.beside.values()))[0].id)
    with next(places):
        reference = _voter(one, names, "reference", next(iter(one.beside)).id)
    frame = one.frame
    for name in by:
        with next(places):
            frame = _grouped(frame, one, name)
    outcome = outcome_of(pl.col(VOTE + annotator), pl.col(VOTE + reference))
    found = _found(frame.with_columns(outcome.alias("outcome")))
    total = found.select(pl.len()).collect().item()
    if not total:
        words.say("There is no such pair.")
        return
    list_above = st.container()
    number = _number(total)
    with list_above:
        _list(found, number, total, {VOTE + annotator: names[annotator], VOTE + reference: names[reference]})
    _pair(one, found, number, names, (annotator, reference))
    downloads.of_frame("items", found.with_columns(word(pl.col(f"^{VOTE}.*$")).name.keep()))


def _voter(one: DataSet, names: Mapping[str, str], role: str, first: str) -> str:
    """The annotator that is chosen for a role, by id. first: who it is where none is."""
    others = (name for name in voters(one) if name != first)
    ids = {names[name]: name for name in (first, *others)}
    return ids[_one_of(role.capitalize(), list(ids), role)]


def _one_of(label: str, values: Sequence[str], name: str) -> str:
    """One of several values, by default the first. name: of its key."""
    return one_of(words.label(label), values, items.PREFIX + name, on_change=_from_the_first)


def _from_the_first() -> None:
    """Begin with the first pair again."""
    st.session_state[_NUMBER] = 1


def _grouped(frame: pl.LazyFrame, one: DataSet, name: str) -> pl.LazyFrame:
    """The pairs with the value that is chosen of a column of groups."""
    values = one.votes[name].unique().sort(nulls_last=True).to_list()
    shown = numbered([_ALL, *(_MISSING if value is None else value for value in values)])
    chosen = _one_of(name, shown, name)
    if chosen == _ALL:
        return frame
    return frame.filter(pl.col(name).eq_missing(pl.lit(values[shown.index(chosen) - 1], pl.String)))


def _found(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The pairs with the outcome that is chosen, and with a text that is sought."""
    chosen = st.segmented_control(
        "Pairs on which",
        list(_OUTCOMES),
        default=next(iter(_OUTCOMES)),
        required=True,
        key=f"{items.PREFIX}outcome",
        bind="query-params",
        on_change=_from_the_first,
    )
    counted = frame.group_by("outcome").len().collect()
    counts = dict(zip(counted["outcome"].cast(pl.String), counted["len"], strict=True))
    words.remark(", ".join(f"{shown}: {count_text(counts.get(name, 0))}" for shown, name in _OUTCOMES.items()))
    found = frame.filter(pl.col("outcome") == _OUTCOMES[chosen])
    sought = st.text_input(
        "Pair, prompt or response contains", key=f"{items.PREFIX}text", bind="query-params", on_change=_from_the_first
    )
    texts = [pl.col(name).str.contains(sought, literal=True) for name in ("pair", "prompt", "text_a", "text_b")]
    return found.filter(pl.any_horizontal(texts)) if sought else found


def _list(found: pl.LazyFrame, number: int, total: int, votes: Mapping[str, str]) -> None:
    """The pairs around the one that is looked at, which lead to them. votes: columns, and whose they are."""
    start = (number - 1) // _LISTED * _LISTED
    who = numbered(["pair", "prompt", *map(short, votes.values())])[2:]
    said = [word(pl.col(column)).replace(_WORDS).alias(name) for column, name in zip(votes, who, strict=False)]
    listed = found.slice(start, _LISTED).select("pair", pl.col("prompt").str.slice(0, _BEGINNING), *said).collect()

    def picked() -> None:
        rows = st.session_state["listed"]["selection"]["rows"]
        if rows:
            st.session_state[_NUMBER] = start + rows[0] + 1

    choose_rows("listed", [number - 1 - start])
    words.remark(f"{start + 1:,} to {start + listed.height:,} of {total:,} pairs. Choose one to read it.")
    beginnings = pl.Series("prompt", [one and visible(one) for one in listed["prompt"]], pl.String)
    st.dataframe(
        arrow(listed.with_columns(beginnings)),
        key="listed",
        on_select=picked,
        selection_mode="single-row",
        hide_index=True,
        width="content",
        column_config={
            name: st.column_config.Column(words.own(name), pinned=name == "pair") for name in ("pair", "prompt")
        },
        alt="Pairs, with both votes",
        height=min(_LIST_HEIGHT, _HEAD + _ROW * listed.height),
    )


def _number(total: int) -> int:
    """The place of the pair that is looked at, with buttons for the one before and the next."""
    if not 1 <= st.session_state.get(_NUMBER, 1) <= total:
        _from_the_first()

    def step(by: int) -> None:
        st.session_state[_NUMBER] = (st.session_state[_NUMBER] - 1 + by) % total + 1

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Previous", on_click=step, args=(-1,), key="previous-pair")
        number = st.number_input(
            f"Place in the list, 1 to {total:,}", 1, total, key=_NUMBER, bind="query-params", width=190
        )
        st.button("Next", on_click=step, args=(1,), key="next-pair")
    return int(number)


def _pair(one: DataSet, found: pl.LazyFrame, number: int, names: Mapping[str, str], meant: Sequence[str]) -> None:
    """A pair, with what everybody says of it. meant: those whose votes one looks at, by id."""
    row = found.slice(number - 1, 1).collect().row(0, named=True)
    given: dict[str, list[Voter]] = {}
    for name in sorted(voters(one), key=lambda name: name not in meant):
        given.setdefault(VOTES[row[VOTE + name]], []).append(Voter(short(names[name]), name in meant))
    meta = {name: cut(row[name]) for name in one.pairs.metadata if row[name] is not None}
    marked = st.toggle("Mark words that differ", value=True, key="marked", bind="query-params")
    votes = {vote: given[vote] for vote in VOTES if vote in given}
    words.put(pair_fragment({name: row[name] for name in TEXTS}, votes, meta, marked=marked))
