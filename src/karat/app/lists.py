"""Lists whose lines lead to items, and tables as streamlit takes them."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import words

_HEIGHT = 260


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame as streamlit shows it at once: of any other it makes one of pandas, which takes a second to load."""
    return frame.to_arrow()


def listed(key: str, frame: pl.DataFrame, items: pl.Series, titles: Mapping[str, str], alt: str | None = None) -> None:
    """A list; the line that is chosen says which item is looked at.

    items: of each line. titles: of columns that are not called as in the frame. alt: what it is, for those who cannot
    see it.
    """

    def picked() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            st.session_state["item"] = items[row]

    st.dataframe(
        arrow(frame),
        key=key,
        on_select=picked,
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        height=_HEIGHT,
        column_config={name: words.column(title) for name, title in titles.items()},
        alt=alt,
    )
