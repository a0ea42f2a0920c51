"""Items whose outcome changed between two runs, with what each run says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st

from adjudge.explorer import files, filters, markup
from adjudge.explorer.items.outcomes import page_of
from adjudge.explorer.lists import show_list
from adjudge.explorer.results import Result
from adjudge.readers.problems import count_words
from adjudge.render.html import items_fragment
from adjudge.render.numbers import plain_words, worded
from adjudge.render.visible_text import visible

_PREFIX = f"{filters.PREFIX}change-"
_OF_ITEMS = {"item", "first_label", "second_label", "reference_label"}
"""Columns of changes by which nothing is chosen."""


def lead_to(result: Result, row: Mapping[str, Any]) -> bool:
    """Choose the items that changed of what a row is about. Returns whether there are any."""
    frame = result.report["changes"]
    about = {name: value for name, value in row.items() if name in frame.columns and value is not None}
    if frame.filter(True, **about).is_empty():
        markup.toast("No item changed there: those whose outcome stayed the same are not listed.")
        return False
    filters.forget()
    for name in _filter_columns(frame):
        if name in about:
            filters.choose(_PREFIX + name, [about[name]])
    return True


def _filter_columns(frame: pl.DataFrame) -> list[str]:
    """The columns by which changes are chosen."""
    return [name for name in frame.columns if name not in _OF_ITEMS and frame[name].n_unique() > 1]


def changes(result: Result) -> None:
    """Items whose outcome changed, the largest changes first."""
    frame, names = result.report["changes"], _filter_columns(result.report["changes"])
    rows = frame.with_row_index("__place__")
    for place, name in zip(st.columns(len(names) or 1), names, strict=False):
        values = frame[name].unique(maintain_order=True).drop_nulls().to_list()
        if picked := filters.pick(place, _PREFIX + name, markup.field_title(name), values):
            rows = rows.filter(pl.col(name).is_in(picked))
    if rows.is_empty():
        markup.remark("No item changed." if frame.is_empty() else "No item that changed is left: choose less.")
        return
    listed, which = page_of(rows.lazy(), rows.height)
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
        row = show_list("changed", shown, listed["item"], _titles(frame, shown.columns))
    with right:
        examples = result.report.examples[listed["__place__"]].filter(item=listed["item"][row])
        markup.show_html(items_fragment(replace(result.report, examples=examples)))
    files.save_frame("changes", rows.drop("__place__"))


def _titles(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, str]:
    """What columns are called: those of the first and the second run by its name, where there are two runs."""
    runs = {run: visible(frame[run][0]) for run in ("first", "second") if frame[run].n_unique() == 1}
    found = {}
    for name in columns:
        run, _, what = name.partition("_")
        found[name] = f"{runs[run]}: {plain_words(what)}" if run in runs and what else markup.field_title(name)
    return found
