"""Items: who said what of each, chosen by judge, outcome and whatever else outcomes say."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import streamlit as st

from karat.app import downloads, lists, words
from karat.app.chosen import PREFIX, choose, chosen, first_page, forget, known_values, lead_to, outcome_titles
from karat.app.outcome_bars import outcome_bars
from karat.app.results import Result
from karat.app.together import together
from karat.formats.findings import counted
from karat.render.html import items_fragment
from karat.render.numbers import plain
from karat.render.signs import visible
from karat.report import cut

_MOST = 500
"""How many outcomes are listed at once."""
_SORTED = 300_000
"""More outcomes than this stand in their own order."""
_LONG = 120
_ITEM = 180
"""Pixels."""


def items(result: Result) -> None:
    """The outcomes that are chosen, a line for each, and one item with all that is said of it."""
    values = known_values(result)
    found, either = chosen(result, values)
    outcome_bars(result, either)
    total = found.select(pl.len()).collect().item()
    if not total:
        words.say("Nothing is left: choose less.")
        st.button("Show all items", on_click=forget)
        return
    listed = _page(_ordered(result, found, total), total)
    names = list(dict.fromkeys(listed["item"]))
    _list(result, listed)
    downloads.of_items(found)
    item(result, stepped(names))


def _ordered(result: Result, found: pl.LazyFrame, total: int) -> pl.LazyFrame:
    """Outcomes, those first that one looks for first: what is wrong before what is right."""
    if total > _SORTED:
        return found
    places = {name: place for place, name in enumerate(result.report.about.outcomes)}
    place = pl.col("outcome").replace_strict(places, default=len(places), return_dtype=pl.Int64)
    return found.sort(place, maintain_order=True)


def _page(found: pl.LazyFrame, total: int) -> pl.DataFrame:
    """The outcomes of the page that is chosen."""
    pages = -(-total // _MOST)
    number = 1
    if pages > 1:
        if st.session_state.get("page", 1) > pages:
            first_page()
        number = int(st.number_input(f"Page (of {pages:,})", 1, pages, key="page", bind="query-params", width=160))
    start = (number - 1) * _MOST
    listed = found.slice(start, _MOST).collect()
    items_there = found.select(pl.col("item").n_unique()).collect().item()
    which = f", of which {start + 1:,} to {start + listed.height:,} are listed" if pages > 1 else ""
    many = f"{counted(total, 'outcome', 'outcomes')} of {counted(items_there, 'item', 'items')}"
    words.remark(f"{many}{which}. Choose a line to read its item.")
    return listed


def _list(result: Result, listed: pl.DataFrame) -> None:
    """Outcomes, which lead to their items."""
    known = listed.drop("reference") if listed["reference"].n_unique() == 1 else listed  # often a path
    shown = [name for name in known.columns if listed[name].null_count() < listed.height]
    titles = {name: plain(name) for name in shown} | {"judge": result.report.about.judge}
    meant = outcome_titles(result)
    text = {
        name: [visible(cut(meant.get(one, plain(one)) if name == "outcome" else one, _LONG)) if one else one for one in
               listed[name]]
        for name in shown
        if listed[name].dtype == pl.String
    }  # fmt: skip

    frame = listed.select(shown).with_columns(pl.Series(name, values, pl.String) for name, values in text.items())
    lists.listed("outcomes", frame, listed["item"], titles, alt="Outcomes of the items that are chosen")


def stepped(names: Sequence[str]) -> str:
    """The item that is looked at, with buttons for the one before and the next."""
    if st.session_state.get("item") not in names:
        st.session_state["item"] = names[0]

    def step(by: int) -> None:
        st.session_state["item"] = names[(names.index(st.session_state["item"]) + by) % len(names)]

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("Previous", on_click=step, args=(-1,))
        found: str = st.selectbox("Item", names, key="item", bind="query-params", filter_mode="contains", width=_ITEM)
        st.button("Next", on_click=step, args=(1,))
    return found


def item(result: Result, name: str) -> None:
    """All that is said of an item: of each part once, with what every judge says beside the reference."""
    if result.item is not None and not (found := result.item(name)).is_empty():
        words.put(items_fragment(replace(result.report, examples=found)))
        return
    rows = result.outcomes.filter(pl.col("item") == name).collect()
    judges: Sequence[str] = st.session_state.get(f"{PREFIX}judge") or ()
    parts: Sequence[str] = st.session_state.get(f"{PREFIX}part") or ()
    if parts:
        rows = rows.filter(pl.col("part").is_in(parts))
    ordered = rows.sort(pl.col("judge").is_in(list(judges)), descending=True, maintain_order=True)
    words.put(items_fragment(together(result, ordered)))


__all__ = ["PREFIX", "choose", "forget", "item", "items", "lead_to", "stepped"]
