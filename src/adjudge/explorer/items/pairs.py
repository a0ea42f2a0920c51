"""Pairs of texts: two annotators' votes on them, and both texts of one side by side."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import polars as pl
import streamlit as st

from adjudge.display_names import display_names, distinct_names, short_name
from adjudge.evaluations.annotations.data_sets import DataSet, data_set
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import TAKEN
from adjudge.evaluations.annotations.outcomes import outcomes as outcomes_of
from adjudge.explorer import filters, markup
from adjudge.explorer.filters import PREFIX
from adjudge.explorer.items import outcomes
from adjudge.explorer.lists import one_of
from adjudge.explorer.results import Result
from adjudge.render.html import Voter, pair_fragment
from adjudge.report import truncate
from adjudge.schemas.outcomes import categories_as_text
from adjudge.schemas.pairs import TEXTS, VOTE, VOTES, Annotator

_KEPT = 4
_ROLES = ("annotator", "reference")
_SIDES = {"first", "second"}
Row = Mapping[str, Any]


def pairs(result: Result) -> None:
    """The pairs on which two annotators vote, of all whom the file names; and one pair with all votes on it."""
    sets, names = _data_sets(result), _names(result)
    name = one_of("Data set", list(sets), f"{PREFIX}dataset") if len(sets) > 1 else next(iter(sets))
    annotator, reference = (
        _voter(place, sets[name], names, role) for place, role in zip(st.columns(2), _ROLES, strict=True)
    )
    outcomes.outcomes(_outcomes_between(result, name, annotator, reference), partial(_pair, sets[name], names))


def lead_to(result: Result, row: Row) -> bool:
    """Choose the pairs that a row is about. Returns whether there may be any."""
    sets, names = _data_sets(result), _names(result)
    name = row.get("dataset") or next(iter(sets))
    voters = _voters(sets[name])
    named: dict[str, str] = {role: row[role] for role in _ROLES if row.get(role) in voters}
    here = _outcomes_between(result, name, *(named.get(role) or _first(sets[name], role) for role in _ROLES))
    if not filters.lead_to(here, {key: value for key, value in row.items() if key not in _SIDES}):
        return False
    for role, who in named.items():
        filters.choose(PREFIX + role, names[who])
    if len(sets) > 1:
        filters.choose(f"{PREFIX}dataset", name)
    return True


@lru_cache(_KEPT)
def _data_sets(result: Result) -> Mapping[str, DataSet]:
    """The data sets with a column of votes for each annotator, by name."""
    options = AnnotationsOptions.of(result.report.options)
    return {one.name: data_set(one, options) for one in result.read}


def _voters(one: DataSet) -> dict[str, Annotator]:
    """The annotators with votes in a data set, by id: those that are compared, then the others of the file."""
    return {each.id: each for each in (*one.all_annotators, *one.pairs.annotators)}


@lru_cache(_KEPT)
def _names(result: Result) -> Mapping[str, str]:
    """A short name for each annotator, by id, no two of them alike."""
    every = [each for one in _data_sets(result).values() for each in _voters(one).values()]
    found = display_names((each.id, each.name) for each in every)
    return dict(zip(found, distinct_names(found.values()), strict=True))


def _first(one: DataSet, role: str) -> str:
    """The id of the annotator, or of the reference, that is shown unless another is chosen."""
    reference, annotators = next(iter(one.annotators_by_reference.items()))
    return (annotators[0] if role == "annotator" else reference).id


def _voter(place: "st.delta_generator.DeltaGenerator", one: DataSet, names: Mapping[str, str], role: str) -> str:
    """The id of the annotator that is chosen for a role."""
    first = _first(one, role)
    ids = {names[name]: name for name in (first, *(name for name in _voters(one) if name != first))}
    return ids[one_of(role.capitalize(), list(ids), PREFIX + role, place=place, on_change=filters.first_page)]


@lru_cache(_KEPT)
def _outcomes_between(result: Result, name: str, annotator: str, reference: str) -> Result:
    """The result with the outcomes of one annotator beside one reference, whether they are compared in it or not."""
    one = _data_sets(result)[name]
    voters = _voters(one)
    frame = one.frame.with_columns(cluster=pl.lit(None, pl.String), dataset=pl.lit(name))
    beside = {voters[reference]: (voters[annotator],)}
    (found,) = outcomes_of(frame, beside, ["dataset", *result.report.options["by"]])
    return replace(result, outcomes=categories_as_text(found.drop(TAKEN)))


def _pair(one: DataSet, names: Mapping[str, str], _: Result, row: Row) -> None:
    """A pair with everybody's votes; the two annotators who are compared stand first."""
    meant = [row["judge"], row["reference"]]
    pair = one.frame.filter(pair=row["item"]).collect().row(0, named=True)
    given: dict[str, list[Voter]] = {}
    for name in sorted(_voters(one), key=lambda name: name not in meant):
        given.setdefault(VOTES[pair[VOTE + name]], []).append(Voter(short_name(names[name]), name in meant))
    meta = {name: truncate(pair[name]) for name in one.pairs.metadata if pair[name] is not None}
    marked = st.toggle("Mark words that differ", value=True, key="marked", bind="query-params")
    votes = {vote: given[vote] for vote in VOTES if vote in given}
    markup.show_html(pair_fragment({name: pair[name] for name in TEXTS}, votes, meta, marked=marked))
