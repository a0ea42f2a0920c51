"""Lists whose rows lead to items."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors
from streamlit.delta_generator import DeltaGenerator

from adjudge.explorer import markup
from adjudge.render.visible_text import TURNS, visible

_HEIGHT, _FEW, _DECIMALS = 260, 6, 3
"""Pixels of long lists, the most rows of short ones, and decimals of their numbers."""


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame in streamlit's fast format, with the names of characters that reorder a cell's text in brackets.

    Streamlit converts any other frame to pandas, which takes a second to load.
    """
    return frame.with_columns(selectors.string().str.replace_many(TURNS)).to_arrow()


def round_number(number: float | None, decimals: int = 1) -> float | None:
    """A number rounded as in pages and the terminal: a browser would make 71.3 of 71.25, and keep the sign of zero.

    >>> round_number(71.25), round_number(-0.04)
    (71.2, 0.0)
    """
    return None if number is None else float(f"{number:z.{decimals}f}")


ITEM, JUDGE = "item", "item-judge"
"""Keys of the address: the selected item, and the judge of its row."""


def one_of(
    label: str,
    known: Sequence[str],
    key: str,
    *,
    first: str | None = None,
    place: DeltaGenerator | None = None,
    **how: Any,  # noqa: ANN401 - streamlit's own
) -> str:
    """The selection from a list that may change, by default its first. label: escaped. place: by default here.

    The default is not in the address, so it changes with the list, as in a page opened from the address.
    """
    first, before = first or known[0], f"default of {key}"
    chosen = st.session_state.get(key)
    if chosen is None and (asked := st.query_params.get(key)):  # an opened address reaches its control later
        chosen = next((one for one in known if visible(one) == asked), None)
    if chosen not in known or chosen == st.session_state.get(before):
        st.session_state[key] = first
    st.session_state[before] = first
    how = {"format_func": visible, **how}
    return str((place or st).selectbox(label, known, index=known.index(first), key=key, bind="query-params", **how))


def show_list(
    key: str,
    frame: pl.DataFrame,
    items: pl.Series,
    titles: Mapping[str, str],
    *,
    judges: pl.Series | None = None,
    shares: Collection[str] = (),
) -> int:
    """A list whose selected row determines the shown item. Returns its place.

    items, judges: of each row. titles: of columns, if different from the frame's. shares: columns that hold
    shares.
    """

    def choose_row() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            st.query_params[ITEM] = items[row]
            if judges is not None:
                st.query_params[JUDGE] = judges[row]

    place = _chosen_row(key, items, judges)
    shares = [name for name in frame.columns if name in shares]
    percents = [pl.Series(name, [share and round_number(100 * share) for share in frame[name]]) for name in shares]
    titles = {name: markup.column(titles.get(name, name)) for name in frame.columns}
    config = {name: st.column_config.Column(title, pinned=name == frame.columns[0]) for name, title in titles.items()}
    config |= {one.name: st.column_config.NumberColumn(titles[one.name], format="%.1f%%") for one in percents}
    st.dataframe(
        arrow(frame.with_columns(percents).with_columns(selectors.float().round(_DECIMALS))),
        key=key,
        on_select=choose_row,
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        width="content",
        height="content" if frame.height <= _FEW else _HEIGHT,
        column_config=config,
        alt="The items that are chosen",
    )
    return place


def _chosen_row(key: str, items: pl.Series, judges: pl.Series | None) -> int:
    """The row of the item in the address, preferably with the judge there; the first row without such an item."""
    is_chosen = items == st.query_params.get(ITEM, "")
    if judges is not None:
        by_judge = is_chosen & (judges.cast(pl.String) == st.query_params.get(JUDGE, ""))
        is_chosen = by_judge if by_judge.any() else is_chosen
    places = is_chosen.arg_true().to_list() or [0]
    rows = st.session_state.get(key, {}).get("selection", {}).get("rows", [])
    place = rows[0] if rows and rows[0] in places else places[0]
    if rows != [place]:
        st.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    return int(place)
