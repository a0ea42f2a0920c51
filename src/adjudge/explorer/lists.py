"""Lists whose lines lead to items, and tables as streamlit takes them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypedDict, Unpack

import polars as pl
import streamlit as st
from polars import selectors
from streamlit.delta_generator import DeltaGenerator

from adjudge.display_names import short_name
from adjudge.explorer import words
from adjudge.render.numbers import MINUS
from adjudge.render.signs import TURNS, visible


class How(TypedDict, total=False):
    """How streamlit shows a list of which one is chosen."""

    format_func: Callable[[str], str]
    filter_mode: Literal["contains"]
    on_change: Callable[[], None]
    width: int


_HEIGHT, _FEW, _DECIMALS = 260, 6, 3
_TITLE = 60
"""Characters of what a button says of each part of what a cell is about."""
_WHOLE = 25
"""Tables of so many rows are shown whole, and lists of _FEW."""


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame as streamlit shows it at once: of any other it makes one of pandas, which takes a second to load.

    Characters that would turn a cell's text about are named in brackets.
    """
    return _unturned(frame).to_arrow()


def _unturned(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(selectors.string().str.replace_many(TURNS))


def with_minus(frame: pl.DataFrame, config: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """A frame as streamlit shows it, with the signs of negative numbers that pages have, which its own formats lack.

    config: of its columns, the formats of numbers in it. Pandas is needed only where there is such a number.
    """
    floats = frame.select(selectors.float())
    negative = [name for name in floats.columns if (floats[name] < 0).any()]
    if not negative:
        return arrow(frame), config
    own, formats, frame = dict(config), {}, _unturned(frame)
    for name in negative:
        how = own[name]["type_config"]
        formats[name] = partial(_written, how["format"])
        own[name] = {**own[name], "type_config": {**how, "format": None}}
    return frame.to_pandas(use_pyarrow_extension_array=True).style.format(formats, na_rep=""), own


def _written(how: str, number: float) -> str:
    return (how % number).replace("-", MINUS)


def height_of(rows: int) -> Literal["content", "auto"]:
    """How high a table is: of many rows the first are seen."""
    return "content" if rows <= _WHOLE else "auto"


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
    **how: Unpack[How],
) -> str:
    """What is chosen of a list that may change, by default its first. label: escaped. place: by default where it is.

    The default stands in no address. So it gives way to that of the next list, as in a page opened from the address.
    """
    looked_at(key, known, first)
    index = 0 if first is None else known.index(first)
    how = {"format_func": visible, **how}
    found: str = (place or st).selectbox(label, known, index=index, key=key, bind="query-params", **how)
    return found


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


def listed(
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
            name: _column(frame[name], words.column(titles.get(name, name)), pinned=nth == 0, percent=name in percent)
            for nth, name in enumerate(frame.columns)
        },
        alt=alt,
    )
    return place


def grid(
    data: Any,  # noqa: ANN401 - whatever streamlit shows as a table
    key: str,
    *,
    columns: Collection[str],
    rows: int,
    items: str,
    said: Callable[[int, str], Sequence[str]],
    lead: Callable[[int, str], None],
    **how: Any,  # noqa: ANN401 - streamlit's own
) -> None:
    """A table, and below it a button that leads from the cell that is chosen to its items.

    A cell alone leads nowhere: the first is chosen as soon as the Tab key reaches the table, and by arrows one goes
    from cell to cell, which streamlit does not tell from a click.

    columns, rows: the names of the columns whose cells lead somewhere, and how many rows there are; what was chosen of
    a table that is smaller now is no longer there. items: what is opened. said: what a cell is about, in words. lead:
    what opens it. how: further arguments of streamlit's table.
    """
    chosen = st.dataframe(data, key=key, on_select="rerun", selection_mode="single-cell", **how)
    for row, column in chosen["selection"]["cells"]:
        if row < rows and column in columns:
            about = said(row, column)
            of = " of " + ", ".join(short_name(one, _TITLE) for one in about) if about else ""
            title = words.plain(f"Open the {items}{of}")
            st.button(title, key=f"open-{key}", type="primary", on_click=lead, args=(row, column))


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
        return st.column_config.NumberColumn(title, pinned=pinned, format="%.1f %%")
    if not values.dtype.is_float():
        return st.column_config.Column(title, pinned=pinned)
    rounded = values.round(_DECIMALS)
    decimals = next(some for some in range(_DECIMALS + 1) if (rounded.round(some) == rounded).all())
    return st.column_config.NumberColumn(title, pinned=pinned, format=f"%.{decimals}f")
