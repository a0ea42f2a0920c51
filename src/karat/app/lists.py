"""Lists whose lines lead to items, and tables as streamlit takes them."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import polars as pl
import streamlit as st
from polars import selectors

from karat.app import words

_HEIGHT, _FEW, _DECIMALS = 260, 6, 3
_WHOLE = 25
"""Tables of so many rows are shown whole, and lists of _FEW."""


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame as streamlit shows it at once: of any other it makes one of pandas, which takes a second to load."""
    return frame.to_arrow()


def height_of(rows: int) -> Literal["content", "auto"]:
    """How high a table is: of many rows the first are seen."""
    return "content" if rows <= _WHOLE else "auto"


ITEM, JUDGE = "item", "item-judge"
"""Keys of what is looked at: an item, and by whom, where each judge has a view of it."""


def look_at(key: str, value: str) -> None:
    """Look at an item, or at the view that a judge has of it, whatever list it stands in."""
    st.session_state[key] = value
    st.session_state.pop(_first(key), None)


def looked_at(key: str, known: Sequence[str]) -> str:
    """What is looked at of those that a list has now, which its control then shows.

    The first of a list stands in no address, and is looked at where nobody chose another: it gives way to the first of
    the next list, as it does in a page that is opened from the address.
    """
    if (found := st.session_state.get(key)) not in known or found == st.session_state.get(_first(key)):
        found = st.session_state[key] = known[0]
    st.session_state[_first(key)] = known[0]
    return str(found)


def _first(key: str) -> str:
    """The key of what was the first of the list."""
    return f"first {key}"


def listed(
    key: str,
    frame: pl.DataFrame,
    items: pl.Series,
    titles: Mapping[str, str],
    *,
    judges: pl.Series | None = None,
    alt: str | None = None,
) -> None:
    """A list, with numbers as short as texts have them; the line that is chosen says which item is looked at.

    items, judges: of each line. titles: of columns that are not called as in the frame. alt: what it is, for those who
    cannot see it.
    """

    def picked() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            look_at(ITEM, items[row])
            if judges is not None:
                look_at(JUDGE, judges[row])

    st.dataframe(
        arrow(frame.with_columns(selectors.float().round(_DECIMALS))),
        key=key,
        on_select=picked,
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        height="content" if frame.height <= _FEW else _HEIGHT,
        column_config={
            name: st.column_config.Column(words.column(titles.get(name, name)), pinned=place == 0)
            for place, name in enumerate(frame.columns)
        },
        alt=alt,
    )
