"""Two runs: what became of the same items, down to each that changed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st

from karat.app import downloads, items, words
from karat.app.confusions import grid
from karat.app.items import stepped
from karat.app.lists import listed
from karat.app.results import Result
from karat.render.html import items_fragment
from karat.render.numbers import plain, worded
from karat.render.signs import visible

START = {"examples": 200}
"""So many items of each kind of change are listed."""
_PREFIX = "change-"
_OF_ITEMS = {"item", "first_label", "second_label", "reference_label"}
"""Columns of changes by which nothing is chosen."""


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the items that changed of what a row of a table is about."""
    frame = result.report["changes"]
    for name in _chosen_by(frame):
        st.session_state.pop(_PREFIX + name, None)
        if row.get(name) in set(frame[name].drop_nulls()):
            items.choose(_PREFIX + name, [row[name]])
    st.session_state["view"] = "Items"


def _chosen_by(frame: pl.DataFrame) -> list[str]:
    """The columns by which changes are chosen."""
    return [name for name in frame.columns if name not in _OF_ITEMS and frame[name].n_unique() > 1]


def _transitions(result: Result) -> None:
    """The outcomes of the same items in both runs."""
    words.remark(f"{result.report.about.tables['transitions']} Choose a cell to read its items.")
    sides = ("first_outcome", "second_outcome")
    grid(result, result.report["transitions"], sides, "transitions", lambda row: lead_to(result, row))


def _items(result: Result) -> None:
    """Items whose outcome changed, the largest changes first."""
    frame, examples = result.report["changes"], result.report.examples
    names = _chosen_by(frame)
    left = pl.lit(value=True)
    for place, name in zip(st.columns(len(names) or 1), names, strict=False):
        values = frame[name].unique(maintain_order=True).drop_nulls().to_list()
        chosen = place.multiselect(
            words.label(words.own(name)), values, key=_PREFIX + name, bind="query-params", placeholder=words.ALL
        )
        left &= pl.col(name).is_in(chosen) if chosen else pl.lit(value=True)
    places = frame.with_row_index("__place__").filter(left)
    if places.is_empty():
        words.say("No item changed." if frame.is_empty() else "No item that changed is left: choose less.")
        return
    words.remark(f"{places.height:,} judgments changed; items whose outcome stayed the same are not listed.")
    changed = places.drop("__place__")
    shown = changed.select(name for name in changed.columns if name in _OF_ITEMS or frame[name].n_unique() > 1)
    shown = shown.with_columns(
        pl.Series(name, [one and visible(worded(one)) for one in shown[name]], pl.String) for name in shown.columns
    )
    listed("changed", shown, changed["item"], _titles(frame, shown.columns))
    downloads.of_frame("changes", changed)
    item = stepped(list(dict.fromkeys(places["item"])))
    rows = examples[places["__place__"].to_list()].filter(pl.col("item") == item)
    words.put(items_fragment(replace(result.report, examples=rows)))


def _titles(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """What columns are called: those of the first and the second run by its name, where there are two runs."""
    runs = {run: visible(frame[run][0]) for run in ("first", "second") if frame[run].n_unique() == 1}
    found = {}
    for name in columns:
        run, _, what = name.partition("_")
        found[name] = f"{runs[run]}: {plain(what)}" if run in runs and what else words.own(name)
    return found


VIEWS = {"Transitions": _transitions, "Items": _items}
