"""Lists whose lines lead to items."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors
from streamlit.delta_generator import DeltaGenerator

from adjudge.explorer import markup
from adjudge.render.signs import TURNS, visible

_HEIGHT, _FEW, _DECIMALS = 260, 6, 3
"""Pixels of lists of more rows than a few, and decimals of their numbers."""


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame as streamlit shows it at once: of any other it makes one of pandas, which takes a second to load."""
    return without_turns(frame).to_arrow()


def without_turns(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose characters that would turn a cell's text about are named in brackets."""
    return frame.with_columns(selectors.string().str.replace_many(TURNS))


MARKED = "item of "
"""Begins the keys of the items of which lists marked a row last."""
ITEM, JUDGE = "item", "item-judge"
"""Keys of what is looked at: an item, and by whom, where each judge has a view of it."""


def one_of(
    label: str,
    known: Sequence[str],
    key: str,
    *,
    first: str | None = None,
    place: DeltaGenerator | None = None,
    **how: Any,  # noqa: ANN401 - streamlit's own
) -> str:
    """What is chosen of a list that may change, by default its first. label: escaped. place: by default where it is.

    The default stands in no address. So it gives way to that of the next list, as in a page opened from the address.
    """
    looked_at(key, known, first)
    index = 0 if first is None else known.index(first)
    how = {"format_func": visible, **how}
    return str((place or st).selectbox(label, known, index=index, key=key, bind="query-params", **how))


def looked_at(key: str, known: Sequence[str], first: str | None = None) -> str:
    """What is chosen of those that a list has now, before its control shows it."""
    first, before = first or known[0], f"default of {key}"
    found = st.session_state.get(key)
    if found is None and (asked := st.query_params.get(key)):  # an address that was opened reaches its control later
        found = next((one for one in known if visible(one) == asked), None)
    if found not in known or found == st.session_state.get(before):
        found = st.session_state[key] = first
    st.session_state[before] = first
    return str(found)


def look_at(key: str, value: object) -> None:
    """Choose of a list, whatever its default is."""
    st.session_state[key] = value
    st.session_state.pop(f"default of {key}", None)


def show_list(
    key: str,
    frame: pl.DataFrame,
    items: pl.Series,
    titles: Mapping[str, str],
    *,
    judges: pl.Series | None = None,
    shares: Collection[str] = (),
    alt: str | None = None,
) -> int:
    """A list; the row that is chosen says which item is looked at. Returns its place.

    Where an item was chosen otherwise, its first row is marked as if that were chosen.
    items, judges: of each row. titles: of columns that are not called as in the frame. shares: columns that hold
    shares. alt: what it is, for those who cannot see it.
    """

    def picked() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            look_at(ITEM, items[row])
            if judges is not None:
                look_at(JUDGE, judges[row])

    percent = [name for name in frame.columns if name in shares]
    place = _marked(key, items, judges)
    st.dataframe(
        arrow(frame.with_columns(pl.col(percent) * 100)),
        key=key,
        on_select=picked,
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        width="content",
        height="content" if frame.height <= _FEW else _HEIGHT,
        column_config={
            name: _column(frame[name], markup.column(titles.get(name, name)), pinned=nth == 0, percent=name in percent)
            for nth, name in enumerate(frame.columns)
        },
        alt=alt,
    )
    return place


def choose_rows(key: str, rows: Sequence[int]) -> None:
    """Choose rows of a table, before it is shown."""
    st.session_state[key] = {"selection": {"rows": [*rows], "columns": [], "cells": []}}


def _marked(key: str, items: pl.Series, judges: pl.Series | None) -> int:
    """The place of the row that is chosen, or of the first of the item that is looked at, which is chosen then."""
    item, before = looked_at(ITEM, items.unique(maintain_order=True).to_list()), f"{MARKED}{key}"
    judge = st.session_state.get(JUDGE, st.query_params.get(JUDGE))
    is_it = items == item
    same = hash((*items, *(() if judges is None else judges)))
    item_before, same_before = st.session_state.get(before, (item, same))
    if judges is not None and judge is not None and item_before == item:
        theirs = is_it & (judges.cast(pl.String).map_elements(visible, pl.String) == visible(judge))
        is_it = theirs if theirs.any() else is_it
    st.session_state[before] = item, same
    chosen = st.session_state.get(key, {}).get("selection", {}).get("rows", [])
    for row in chosen if same == same_before else []:  # of another list the place says nothing
        if row < len(items) and is_it[row]:
            return int(row)
    first = int(is_it.arg_true()[0])
    choose_rows(key, [first])
    if judges is not None and JUDGE in st.session_state:
        look_at(JUDGE, judges[first])
    return first


def _column(values: pl.Series, title: str, *, pinned: bool, percent: bool) -> Any:  # noqa: ANN401 - streamlit's own
    """How a column of a list is shown: numbers of a column all with as many decimals as one of them needs."""
    if percent:
        return st.column_config.NumberColumn(title, pinned=pinned, format="%.1f%%")
    if not values.dtype.is_float():
        return st.column_config.Column(title, pinned=pinned)
    rounded = values.round(_DECIMALS)
    decimals = next(some for some in range(_DECIMALS + 1) if (rounded.round(some) == rounded).all())
    return st.column_config.NumberColumn(title, pinned=pinned, format=f"%.{decimals}f")
