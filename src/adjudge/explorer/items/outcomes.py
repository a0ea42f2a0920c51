"""Outcomes as a list, chosen by judge, outcome and whatever else they say, and one item with all that is said of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors

from adjudge.display_names import number_repeats
from adjudge.explorer import downloads, lists, words
from adjudge.explorer.charts import outcome_bars
from adjudge.explorer.chosen import (
    PAGE,
    PREFIX,
    chosen,
    column_title,
    forget,
    known_values,
    outcome_titles,
    said,
    said_by_outcomes,
)
from adjudge.explorer.results import Result
from adjudge.explorer.together import as_chosen, holds_counts, together
from adjudge.readers.problems import counted
from adjudge.render.html import items_fragment
from adjudge.render.numbers import counted_name
from adjudge.render.signs import visible
from adjudge.report import truncate

MOST = 500
"""How many outcomes are listed at once."""
_SORTED = 300_000
"""More outcomes than this stand in their own order."""
_LONG = 120
_LABELS = 12
"""Labels whose counts are listed."""
_ITEM = 180
"""Pixels."""
Row = Mapping[str, Any]
Show = Callable[[Result, str, Sequence[str], Row], None]


def outcomes(result: Result, show: Show | None = None) -> None:
    """The outcomes that are chosen, a line for each, and one item with all that is said of it.

    show: shows an item of the result, given its name, the judges who stand before the others and the row that is
    chosen; by default as examples are shown.
    """
    values = known_values(result)
    found, either = chosen(result, values)
    outcome_bars(result, either)
    total = found.select(pl.len()).collect().item()
    if not total:
        words.say("Nothing is left: choose less.")
        st.button("Show all items", on_click=forget)
        return
    listed = _page(_ordered(result, found, total), total, result.report.about.items)
    names = list(dict.fromkeys(listed["item"]))
    row = listed.row(_list(result, listed), named=True)
    downloads.of_frame("items", found)
    first = [row["judge"], *(st.session_state.get(f"{PREFIX}judge") or ())]
    (show or _item)(result, stepped(names, result.report.about.items), first, row)


def _ordered(result: Result, found: pl.LazyFrame, total: int) -> pl.LazyFrame:
    """Outcomes, those first that one looks for first: what is wrong before what is right."""
    if total > _SORTED:
        return found
    places = {name: place for place, name in enumerate(outcome_titles(result))}
    place = pl.col("outcome").replace_strict(places, default=len(places), return_dtype=pl.Int64)
    return found.sort(place, maintain_order=True)


def _page(found: pl.LazyFrame, total: int, called: str) -> pl.DataFrame:
    """The outcomes of the page that is chosen. called: what items are called."""
    start = beginning(total)
    listed = found.slice(start, MOST).collect()
    items_there = found.select(pl.col("item").n_unique()).collect().item()
    which = f"{start + 1:,} to {start + listed.height:,} of " if total > MOST else ""
    many = f"{counted(total, 'outcome', 'outcomes')} of {counted(items_there, counted_name(called, 1), called)}"
    words.remark(f"{which}{many}. Choose a row to read it.")
    return listed


def beginning(total: int) -> int:
    """The place of the first that is listed, MOST at once: that of the page that is chosen, where there are several."""
    pages = -(-total // MOST)
    if pages <= 1:
        return 0
    if st.session_state.get(PAGE, 1) > pages:
        st.session_state[PAGE] = 1
    number = int(st.number_input(f"Page, 1 to {pages:,}", 1, pages, key=PAGE, bind="query-params", width=160))
    return (number - 1) * MOST


def _list(result: Result, listed: pl.DataFrame) -> int:
    """Outcomes, which lead to their items. Returns the place of the one that is looked at."""
    listed = _without_repeated(result, listed)
    shown = [name for name in listed.columns if listed[name].null_count() < listed.height]
    own = {*result.outcomes.collect_schema()} - set(result.report.options.get("by") or ())
    titles = {name: column_title(result, name) for name in shown if name in own}
    texts = {
        name: [one and visible(truncate(said(result, name, one), _LONG)) for one in listed[name]]
        for name in shown
        if listed[name].dtype == pl.String
    }
    frame = listed.select(shown).with_columns(pl.Series(name, values, pl.String) for name, values in texts.items())
    alt = "Outcomes of the items that are chosen"
    shares = result.report.about.shares
    judges = listed["judge"]
    return lists.listed("outcomes", frame, listed["item"], titles, judges=judges, shares=shares, alt=alt)


def _without_repeated(result: Result, listed: pl.DataFrame) -> pl.DataFrame:
    """Outcomes without columns that say again what others say: the part, the value, and what is true or false.

    A reference (often a path), a part, or a scorer, that is the same for all is not said either, nor what outcomes say.
    Labels that are counted, as JSON, have a column each.
    """
    if holds_counts(listed["detail"]):
        counts = [json.loads(one or "{}") for one in listed["detail"]]
        labels = list(dict.fromkeys(name for one in counts for name in one))[:_LABELS]
        names = number_repeats([*listed.columns, *map(visible, labels)])[listed.width :]
        columns = {name: [one.get(label) for one in counts] for name, label in zip(names, labels, strict=True)}
        listed = listed.drop("detail").hstack(pl.DataFrame(columns, dict.fromkeys(columns, pl.Int64)))
    listed = listed.drop(selectors.boolean())
    once = [name for name in ("reference", "part", *result.report.about.common) if name in listed.columns]
    again = [
        *(name for name in said_by_outcomes(result) if name in listed.columns),
        *(name for name in once if listed[name].n_unique() == 1),
        *(name for name in result.report.about.hidden_columns if name in listed and _is_said(listed, name)),
    ]
    return listed.drop(again)


def _is_said(listed: pl.DataFrame, name: str) -> bool:
    """Whether the part or the value says what a column says."""
    return any(listed[name].equals(listed[other]) for other in ("part", "value"))


def stepped(names: Sequence[str], called: str) -> str:
    """The item that is looked at, with buttons for the one before and the next. called: what items are called."""
    now = names.index(lists.looked_at(lists.ITEM, names))

    def step(by: int) -> None:
        lists.look_at(lists.ITEM, names[(now + by) % len(names)])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Previous", on_click=step, args=(-1,))
        found = lists.one_of(words.own(counted_name(called, 1)), names, lists.ITEM, filter_mode="contains", width=_ITEM)
        st.button("Next", on_click=step, args=(1,))
    return found


def _item(result: Result, name: str, first: Sequence[str], row: Row) -> None:
    """All that is said of an item: of each part once, with what every judge says beside the reference."""
    if result.item is not None and not (found := result.item(name)).is_empty():
        judge = _looked_at_by(result, found["judge"].to_list(), first)
        words.put(items_fragment(replace(result.report, examples=found.filter(pl.col("judge") == judge))))
        return
    rows = result.outcomes.filter(pl.col("item") == name).collect()
    parts: Sequence[str] = st.session_state.get(f"{PREFIX}part") or ()
    if parts:
        rows = rows.filter(pl.col("part").is_in(parts))
    words.put(items_fragment(together(result, as_chosen(rows, row, first))))


def _looked_at_by(result: Result, known: Sequence[str], first: Sequence[str]) -> str:
    """Whose view of an item is shown, where each judge has one. first: who stands before the others."""
    known = [*(one for one in first if one in known), *(one for one in known if one not in first)]
    if len(known) == 1:
        return known[0]
    title = f"{words.own(result.report.about.judge)} whose violations are explained"
    return lists.one_of(words.label(title), known, lists.JUDGE)
