"""Items: all labels of each, those that changed between two runs, pairs of texts, and the items behind a cell."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors

from adjudge.display_names import display_names, number_repeats, short_name
from adjudge.evaluations.annotations.data_sets import DataSet, data_set
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import outcomes as outcomes_of
from adjudge.evaluations.annotations.scoring import TAKEN
from adjudge.evaluations.scoring import PEERS
from adjudge.explorer import files, filters, markup
from adjudge.explorer.filters import PREFIX, one_of, show_list
from adjudge.explorer.results import Result
from adjudge.readers.problems import count_words
from adjudge.render.html import Voter, items_fragment, pair_fragment
from adjudge.render.numbers import counted_name, worded
from adjudge.render.visible_text import visible
from adjudge.report import Report, truncate
from adjudge.schemas.outcomes import OUTCOMES, categories_as_text
from adjudge.schemas.pairs import TEXTS, VOTE, VOTES, Annotator

_PAGE_ROWS = 500
"""The most outcomes on a page."""
_SORTED = 300_000
"""The most outcomes that are sorted."""
_LONG = 120
_SAID = ("judge", "label", "outcome")
Row = Mapping[str, Any]
Show = Callable[[Result, Row], None]
_CHANGE = f"{PREFIX}change-"
_OF_ITEMS = {"item", "first_label", "second_label", "reference_label"}
"""Columns of changes that are no filters."""
_ROLES = ("annotator", "reference")
_SIDES = {"first", "second"}


def items(result: Result) -> None:
    """The selected items as a list, and one of them in full."""
    if result.function == "compare":
        _changes(result)
    elif result.function == "annotations" and result.read is not None:
        _pairs(result)
    else:
        _outcomes(result)


def lead_to(result: Result, row: Mapping[str, Any]) -> bool:
    """Select a row's items: those of its judges, parts, labels. Returns whether there may be any."""
    if result.function == "compare":
        return _lead_to_changes(result, row)
    if result.function == "annotations" and result.read is not None:
        return _lead_to_pairs(result, row)
    return filters.lead_to(result, row)


# --- outcomes, a line for each ---


def _outcomes(result: Result, show: Show | None = None) -> None:
    """The selected outcomes, a line for each, and one item in full.

    show: shows the item of the selected row; by default like an example.
    """
    values = filters.known_values(result)
    found = filters.filter_outcomes(result, values)
    total = found.select(pl.len()).collect().item()
    if not total:
        markup.remark("No items match: remove a filter.")
        st.button("Show all items", on_click=filters.forget)
        return
    called = result.report.about.items
    ordered = found
    if total <= _SORTED:  # wrong outcomes come before right ones
        places = {name: place for place, name in enumerate(filters.outcome_titles(result))}
        place = pl.col("outcome").replace_strict(places, default=len(places), return_dtype=pl.Int64)
        ordered = found.sort(place, maintain_order=True)
    listed, which = _page_of(ordered, total)
    items_there = found.select(pl.col("item").n_unique()).collect().item()
    many = f"{count_words(total, 'outcome', 'outcomes')} of {count_words(items_there, counted_name(called, 1), called)}"
    markup.remark(f"{which}{many}. Choose a row to read it.")
    left, right = st.columns(2, gap="medium")
    with left:
        row = listed.row(_list(result, listed), named=True)
    with right:
        (show or _item)(result, row)
    files.save_frame("items", found)


def _page_of(found: pl.LazyFrame, total: int) -> tuple[pl.DataFrame, str]:
    """The rows of the selected page, and their range if there are several pages."""
    pages = -(-total // _PAGE_ROWS)
    if pages <= 1:
        return found.collect(), ""
    if st.session_state.get(filters.PAGE, 1) > pages:
        st.session_state[filters.PAGE] = 1
    number = int(st.number_input(f"Page, 1 to {pages:,}", 1, pages, key=filters.PAGE, bind="query-params", width=160))
    start = (number - 1) * _PAGE_ROWS
    listed = found.slice(start, _PAGE_ROWS).collect()
    return listed, f"{start + 1:,} to {start + listed.height:,} of "


def _list(result: Result, listed: pl.DataFrame) -> int:
    """A list of outcomes that lead to their items. Returns the place of the selected one."""
    listed = _without_repeated(result, listed)
    shown = [name for name in listed.columns if listed[name].null_count() < listed.height]
    own = {*result.outcomes.collect_schema()} - set(result.report.options.get("by") or ())
    titles = {name: filters.column_title(result, name) for name in shown if name in own}
    texts = {
        name: [one and visible(truncate(filters.value_title(result, name, one), _LONG)) for one in listed[name]]
        for name in shown
        if listed[name].dtype == pl.String
    }
    frame = listed.select(shown).with_columns(pl.Series(name, values, pl.String) for name, values in texts.items())
    shares = result.report.about.shares
    return show_list("outcomes", frame, listed["item"], titles, judges=listed["judge"], shares=shares)


def _without_repeated(result: Result, listed: pl.DataFrame) -> pl.DataFrame:
    """Outcomes without redundant columns: the part, the value, and the correctness.

    Also without a reference (often a path), a part, or a scorer that is constant, and without values that follow from
    outcomes.
    """
    listed = listed.drop(selectors.boolean())
    once = [name for name in ("reference", "part", *result.report.about.common) if name in listed.columns]
    hidden = [name for name in result.report.about.hidden_columns if name in listed]
    again = [
        *(["label"] if result.report.about.labels else []),
        *(name for name in once if listed[name].n_unique() == 1),
        *(name for name in hidden if any(listed[name].equals(listed[other]) for other in ("part", "value"))),
    ]
    return listed.drop(again)


def _item(result: Result, row: Row) -> None:
    """An item in full: each part once, with every judge's label and the reference."""
    first = [row["judge"], *(st.session_state.get(f"{PREFIX}judge") or ())]
    if result.item is not None and not (explained := result.item(row["item"])).is_empty():
        judge = next(one for one in (*first, *explained["judge"]) if one in set(explained["judge"]))
        markup.show_html(items_fragment(replace(result.report, examples=explained.filter(judge=judge))))
        return
    is_it = [pl.col(name).eq_missing(pl.lit(row[name])) for name in result.outcomes.collect_schema() if name in row]
    places = {judge: place for place, judge in reversed(list(enumerate(first)))}
    of_judge = pl.col("judge").replace_strict(places, default=len(first), return_dtype=pl.Int64)
    rows = result.outcomes.filter(item=row["item"]).collect()
    # The selected outcome first, so that its question and its judge come first.
    rows = rows.sort(~pl.all_horizontal(is_it), of_judge, maintain_order=True)
    if parts := st.session_state.get(f"{PREFIX}part"):
        rows = rows.filter(pl.col("part").is_in(parts))
    markup.show_html(items_fragment(_questions(result, rows)))


def _questions(result: Result, rows: pl.DataFrame) -> Report:
    """A report whose examples are the questions about an item, with the labels of the first judge and of the others.

    rows: its outcomes; the first row's judge is the first judge.
    """
    texts = result.texts(rows.to_dicts())
    rows = rows.drop("value", "cluster", *result.report.about.hidden_columns, selectors.boolean(), strict=False)
    keys = ["part", *(name for name in rows.columns if name not in OUTCOMES)]
    groups: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for row, own in zip(rows.to_dicts(), texts, strict=True):
        question = groups.setdefault(tuple(row[key] for key in keys), [])
        if all(other["judge"] != row["judge"] for other, _ in question):
            question.append((row, {name: text for name, text in own.items() if name not in row}))
    shown = [_question(many) for many in groups.values()]
    names = list(dict.fromkeys(name for one in shown for name in one))
    columns = {name: [one.get(name) for one in shown] for name in names}
    return replace(result.report, examples=pl.DataFrame(columns, infer_schema_length=None, strict=False))


def _question(rows: list[tuple[Row, Row]]) -> Row:
    """A question as an example: texts that differ between judges are shown per judge."""
    (first, texts), *rest = rows
    own = {name for _, labels in rest for name in labels.keys() | texts.keys() if labels.get(name) != texts.get(name)}
    others = [
        {name: row[name] for name in _SAID} | {name: labels[name] for name in sorted(own) if name in labels}
        for row, labels in rest
    ]
    return {**first, **texts, PEERS: json.dumps(others, ensure_ascii=False) if others else None}


# --- items whose outcome changed between two runs ---


def _lead_to_changes(result: Result, row: Mapping[str, Any]) -> bool:
    """Select a row's changed items. Returns whether there are any."""
    frame = result.report["changes"]
    about = {name: value for name, value in row.items() if name in frame.columns and value is not None}
    if frame.filter(True, **about).is_empty():
        markup.toast("No item changed there: those whose outcome stayed the same are not listed.")
        return False
    filters.forget()
    for name in _filter_columns(frame):
        if name in about:
            filters.choose(_CHANGE + name, [about[name]])
    return True


def _filter_columns(frame: pl.DataFrame) -> list[str]:
    """The filter columns of changes."""
    return [name for name in frame.columns if name not in _OF_ITEMS and frame[name].n_unique() > 1]


def _changes(result: Result) -> None:
    """Items whose outcome changed, the largest changes first."""
    frame, names = result.report["changes"], _filter_columns(result.report["changes"])
    rows = frame.with_row_index("__place__")
    for place, name in zip(st.columns(len(names) or 1), names, strict=False):
        values = frame[name].unique(maintain_order=True).drop_nulls().to_list()
        if picked := filters.pick(place, _CHANGE + name, markup.field_title(name), values):
            rows = rows.filter(pl.col(name).is_in(picked))
    if rows.is_empty():
        markup.remark("No item changed." if frame.is_empty() else "No changed items match: remove a filter.")
        return
    listed, which = _page_of(rows.lazy(), rows.height)
    most = result.report.options["examples"]
    is_cut = frame.group_by("first", "second", "change").len()["len"].max() == most
    limit = f" Of each kind of change the first {most:,} are listed." if is_cut else ""
    changed = count_words(rows.height, "judgment", "judgments")
    markup.remark(f"{which}{changed} that changed; items whose outcome stayed the same are not listed.{limit}")
    shown = listed.select(name for name in frame.columns if name in _OF_ITEMS or frame[name].n_unique() > 1)
    shown = shown.with_columns(
        pl.Series(name, [one and visible(worded(one)) for one in shown[name]], pl.String)
        for name, dtype in shown.schema.items()
        if dtype == pl.String
    )
    left, right = st.columns(2, gap="medium")
    with left:
        row = show_list("changed", shown, listed["item"], {name: markup.field_title(name) for name in shown.columns})
    with right:
        examples = result.report.examples[listed["__place__"]].filter(item=listed["item"][row])
        markup.show_html(items_fragment(replace(result.report, examples=examples)))
    files.save_frame("changes", rows.drop("__place__"))


# --- pairs of texts ---


def _pairs(result: Result) -> None:
    """The pairs on which any two annotators of the file vote; and one pair with all votes on it."""
    sets, names = _data_sets(result), _names(result)
    name = one_of("Data set", list(sets), f"{PREFIX}dataset") if len(sets) > 1 else next(iter(sets))
    annotator, reference = (
        _voter(place, sets[name], names, role) for place, role in zip(st.columns(2), _ROLES, strict=True)
    )
    _outcomes(_outcomes_between(result, name, annotator, reference), partial(_pair, sets[name], names))


def _lead_to_pairs(result: Result, row: Row) -> bool:
    """Select a row's pairs. Returns whether there may be any."""
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


@lru_cache(4)
def _data_sets(result: Result) -> Mapping[str, DataSet]:
    """The data sets with a column of votes for each annotator, by name."""
    options = AnnotationsOptions.of(result.report.options)
    return {one.name: data_set(one, options) for one in result.read}


def _voters(one: DataSet) -> dict[str, Annotator]:
    """The annotators with votes in a data set, by id: the compared ones, then the others of the file."""
    return {each.id: each for each in (*one.all_annotators, *one.pairs.annotators)}


@lru_cache(4)
def _names(result: Result) -> Mapping[str, str]:
    """A unique short name for each annotator, by id."""
    found = display_names((each.id, each.name) for one in _data_sets(result).values() for each in _voters(one).values())
    return dict(zip(found, number_repeats(map(short_name, found.values())), strict=True))


def _first(one: DataSet, role: str) -> str:
    """The id of the default annotator, or reference."""
    reference, annotators = next(iter(one.annotators_by_reference.items()))
    return (annotators[0] if role == "annotator" else reference).id


def _voter(place: "st.delta_generator.DeltaGenerator", one: DataSet, names: Mapping[str, str], role: str) -> str:
    """The id of the selected annotator for a role."""
    first = _first(one, role)
    ids = {names[name]: name for name in (first, *(name for name in _voters(one) if name != first))}
    return ids[one_of(role.capitalize(), list(ids), PREFIX + role, place=place, on_change=filters.first_page)]


@lru_cache(4)
def _outcomes_between(result: Result, name: str, annotator: str, reference: str) -> Result:
    """The result with the outcomes of one annotator against one reference, whether compared in it or not."""
    one = _data_sets(result)[name]
    voters = _voters(one)
    frame = one.frame.with_columns(cluster=pl.lit(None, pl.String), dataset=pl.lit(name))
    beside = {voters[reference]: (voters[annotator],)}
    (found,) = outcomes_of(frame, beside, ["dataset", *result.report.options["by"]])
    return replace(result, outcomes=categories_as_text(found.drop(TAKEN)))


def _pair(one: DataSet, names: Mapping[str, str], _: Result, row: Row) -> None:
    """A pair with all votes; the two compared annotators come first."""
    meant = [row["judge"], row["reference"]]
    pair = one.frame.filter(pair=row["item"]).collect().row(0, named=True)
    given: dict[str, list[Voter]] = {}
    for name in sorted(_voters(one), key=lambda name: name not in meant):
        given.setdefault(VOTES[pair[VOTE + name]], []).append(Voter(short_name(names[name]), name in meant))
    meta = {name: truncate(pair[name]) for name in one.pairs.metadata if pair[name] is not None}
    marked = st.toggle("Mark words that differ", value=True, key="marked", bind="query-params")
    votes = {vote: given[vote] for vote in VOTES if vote in given}
    markup.show_html(pair_fragment({name: pair[name] for name in TEXTS}, votes, meta, marked=marked))
