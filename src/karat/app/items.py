"""Items: who said what of each, chosen by judge, outcome and whatever else outcomes say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.further import leading_of
from karat.app.results import Result
from karat.render.html import items_fragment
from karat.render.numbers import worded

_CHOSEN = ("judge", "reference", "part", "outcome", "label", "reference_label")
_AS = {"criterion": "part", "ability": "part"}
"""Key columns of tables -> what outcomes call them."""
_MOST = 500
"""How many outcomes are listed."""
_VALUES = 200
PREFIX = "of-"
"""Begins the keys of all that chooses items."""


def forget() -> None:
    """Choose no items."""
    for name in list(st.session_state):
        if str(name).startswith(PREFIX) or name == "item":
            del st.session_state[name]


def choose(key: str, value: str | list[str]) -> None:
    """Choose what a control has that is not shown yet; streamlit itself says in the address only what it shows."""
    st.session_state[key] = st.query_params[key] = value


def lead_to(result: Result, row: Mapping[str, Any]) -> None:
    """Show the items that a row of a table is about."""
    if own := leading_of(result.function):
        own(result, row)
        return
    columns = result.outcomes.collect_schema().names()
    judge = result.report.about.judge
    forget()
    for name, value in row.items():
        column = "judge" if name == judge else _AS.get(name, name)
        if column in columns and isinstance(value, str):
            choose(PREFIX + column, [value])
    st.session_state["view"] = "Items"


def items(result: Result) -> None:
    """The outcomes that are chosen, a line for each, and one item with all that is said of it."""
    found = _chosen(result)
    total = found.select(pl.len()).collect().item()
    listed = found.head(_MOST).collect()
    words.remark(f"{total:,} outcomes" + (f", of which the first {_MOST} are listed" if total > _MOST else ""))
    if listed.is_empty():
        words.say("Nothing is left: choose less.")
        return
    names = list(dict.fromkeys(listed["item"]))
    shown = [name for name in listed.columns if listed[name].null_count() < listed.height]

    def picked() -> None:
        rows = st.session_state["outcomes"]["selection"]["rows"]
        if rows:
            st.session_state["item"] = listed["item"][rows[0]]

    st.dataframe(
        listed.select(shown),
        key="outcomes",
        on_select=picked,
        selection_mode="single-row",
        hide_index=True,
        height=260,
        column_config={name: worded(name) for name in shown},
    )
    item(result, stepped(names))


def _chosen(result: Result) -> pl.LazyFrame:
    """The outcomes that are left by what is chosen."""
    frame, values = result.outcomes, _values(result)
    places = st.columns(min(4, len(values)) or 1)
    for number, (name, known) in enumerate(values.items()):
        with places[number % len(places)]:
            key = PREFIX + name
            chosen = st.multiselect(worded(name), known, key=key, bind="query-params")
            if chosen:
                frame = frame.filter(pl.col(name).is_in(chosen))
    sought = st.text_input("Item contains", key=f"{PREFIX}text", bind="query-params")
    return frame.filter(pl.col("item").str.contains(sought, literal=True)) if sought else frame


def _values(result: Result) -> dict[str, list[str]]:
    """Columns of outcomes by which they can be chosen, and their values."""
    known = [*_CHOSEN, *(result.report.options.get("by") or ())]
    schema = result.outcomes.collect_schema()
    names = [name for name in known if schema.get(name) == pl.String]
    found = result.outcomes.select(pl.col(name).unique().drop_nulls().sort().implode() for name in names).collect()
    values = {name: found[name][0].to_list() for name in names}
    return {name: many for name, many in values.items() if 1 < len(many) <= _VALUES}


def stepped(names: Sequence[str]) -> str:
    """The item that is looked at, with buttons for the one before and the next."""
    if st.session_state.get("item") not in names:
        st.session_state["item"] = names[0]

    def step(by: int) -> None:
        st.session_state["item"] = names[(names.index(st.session_state["item"]) + by) % len(names)]

    before, middle, after = st.columns([1, 4, 1], vertical_alignment="bottom")
    before.button("Previous", on_click=step, args=(-1,), width="stretch")
    after.button("Next", on_click=step, args=(1,), width="stretch")
    found: str = middle.selectbox("Item", names, key="item", bind="query-params")
    return found


def item(result: Result, name: str) -> None:
    """All that is said of an item."""
    words.put(items_fragment(replace(result.report, examples=_examples(result, name))))


def _examples(result: Result, name: str) -> pl.DataFrame:
    """An item as examples are, a row for each judge and part."""
    if result.item is not None:
        found = result.item(name)
        if not found.is_empty():
            return found
    rows = result.outcomes.filter(pl.col("item") == name).collect()
    texts = result.texts(rows.to_dicts())
    known = sorted({key for one in texts for key in one}.difference(rows.columns))
    added = [pl.Series(key, [one.get(key) for one in texts], pl.String) for key in known]
    return rows.drop("value", "cluster").with_columns(added)
