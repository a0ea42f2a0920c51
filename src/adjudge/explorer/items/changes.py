"""Items whose outcome changed between two runs, with what each run says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import polars as pl
import streamlit as st

from adjudge.api.compare import changed_items
from adjudge.api.reports import runs_of
from adjudge.evaluations import view_of
from adjudge.evaluations.redact import hash_texts
from adjudge.explorer import downloads, filters, markup
from adjudge.explorer.items.outcomes import page_of, stepped
from adjudge.explorer.lists import show_list
from adjudge.explorer.results import Result
from adjudge.metrics import comparison
from adjudge.metrics.pair_judges import match_all_runs
from adjudge.metrics.run_matching import MatchedRuns
from adjudge.readers.problems import counted
from adjudge.render.html import items_fragment
from adjudge.render.numbers import plain, worded
from adjudge.render.signs import visible

_PREFIX = f"{filters.PREFIX}change-"
_OF_ITEMS = {"item", "first_label", "second_label", "reference_label"}
"""Columns of changes by which nothing is chosen."""
_KEPT = 2


@lru_cache(_KEPT)
def _changes(result: Result) -> tuple[pl.DataFrame, Sequence[MatchedRuns] | None]:
    """All judgments that changed: those of the report, or of the runs where it may leave out some, and these runs."""
    report, runs = result.report, result.given["runs"]
    frame, most = report["changes"], report.options["examples"]
    if most and all(many < most for many in frame.group_by("first", "second", "change").len()["len"]):
        return frame, None
    read = runs_of(runs)
    view = view_of(read[0].evaluation)
    both, _ = match_all_runs(read, runs, report.options["judge"], view, all_pairs=report.options["all_pairs"])
    data = [one for one in both if one.view is view]
    every, _ = comparison.changes_table(data, max(one.rows.height for one in data))
    if not report.options["texts"]:
        every = hash_texts(every, {f"{run}{name}" for run in ("", "second_") for name in view.words})
    return every, data


@lru_cache(_KEPT)
def _examples(result: Result, places: tuple[int, ...]) -> pl.DataFrame:
    """Some of the judgments that changed with their texts. places: in the table of all."""
    frame, data = _changes(result)
    if data is None:
        return result.report.examples[list(places)]
    return changed_items(frame[list(places)], data, texts=result.report.options["texts"])[0]


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the items that changed of what a row of a table is about."""
    frame = _changes(result)[0]
    about = {name: value for name, value in row.items() if name in frame.columns and value is not None}
    there = [pl.col(name) == value for name, value in about.items()]
    if frame.filter(*there, pl.lit(value=True)).is_empty():
        markup.toast("No item changed there: those whose outcome stayed the same are not listed.")
        return
    for name in _chosen_by(frame):
        key = _PREFIX + name
        st.session_state.pop(key, None)
        filters.unsay(key)
        if name in about:
            filters.choose(key, [about[name]])
    filters.first_page()
    st.session_state["view"] = "Items"


def _chosen_by(frame: pl.DataFrame) -> list[str]:
    """The columns by which changes are chosen."""
    return [name for name in frame.columns if name not in _OF_ITEMS and frame[name].n_unique() > 1]


def changes(result: Result) -> None:
    """Items whose outcome changed, the largest changes first."""
    frame = _changes(result)[0]
    names = _chosen_by(frame)
    left = pl.lit(value=True)
    for place, name in zip(st.columns(len(names) or 1), names, strict=False):
        values = frame[name].unique(maintain_order=True).drop_nulls().to_list()
        picked = filters.pick(place, _PREFIX + name, markup.own(name), values)
        left &= pl.col(name).is_in(picked) if picked else pl.lit(value=True)
    places = frame.with_row_index("__place__").filter(left)
    if places.is_empty():
        markup.say("No item changed." if frame.is_empty() else "No item that changed is left: choose less.")
        return
    every = places.drop("__place__")
    places, which = page_of(places.lazy(), every.height)
    many = counted(every.height, "judgment", "judgments")
    markup.remark(f"{which}{many} that changed; items whose outcome stayed the same are not listed.")
    changed = places.drop("__place__")
    shown = changed.select(name for name in changed.columns if name in _OF_ITEMS or frame[name].n_unique() > 1)
    shown = shown.with_columns(
        pl.Series(name, [one and visible(worded(one)) for one in shown[name]], pl.String)
        for name, dtype in shown.schema.items()
        if dtype == pl.String
    )
    show_list("changed", shown, changed["item"], _titles(frame, shown.columns))
    downloads.of_frame("changes", every)
    item = stepped(list(dict.fromkeys(places["item"])), result.report.about.items)
    rows = _examples(result, tuple(places["__place__"])).filter(pl.col("item") == item)
    markup.put(items_fragment(replace(result.report, examples=rows)))


def _titles(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """What columns are called: those of the first and the second run by its name, where there are two runs."""
    runs = {run: visible(frame[run][0]) for run in ("first", "second") if frame[run].n_unique() == 1}
    found = {}
    for name in columns:
        run, _, what = name.partition("_")
        found[name] = f"{runs[run]}: {plain(what)}" if run in runs and what else markup.own(name)
    return found
