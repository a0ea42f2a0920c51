"""Tables of which a cell is chosen, and a button that opens what the cell is about."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from karat.app import words
from karat.names import short

_LONG = 60


def choosing(items: str) -> str:
    """How one gets from a table to what its cells are about. items: what that is called."""
    return f"Choose a cell, then press the button that appears below the table to read its {items}."


def grid(
    data: Any,  # noqa: ANN401 - whatever streamlit shows as a table
    key: str,
    *,
    columns: Collection[str],
    rows: int,
    items: str,
    said: Callable[[int, str], Sequence[str] | None],
    lead: Callable[[int, str], None],
    **how: Any,  # noqa: ANN401 - streamlit's own
) -> None:
    """A table, and below it a button that leads from the cell that is chosen to its items.

    A cell alone leads nowhere: the first is chosen as soon as the Tab key reaches the table, and by arrows one goes
    from cell to cell, which streamlit does not tell from a click.

    columns, rows: the names of the columns whose cells lead somewhere, and how many rows there are; what was chosen of
    a table that is smaller now is no longer there. items: what is opened. said: what a cell is about, in words; None
    where it leads nowhere. lead: what opens it. how: further arguments of streamlit's table.
    """
    chosen = st.dataframe(data, key=key, on_select="rerun", selection_mode="single-cell", **how)
    for row, column in chosen["selection"]["cells"]:
        about = said(row, column) if row < rows and column in columns else None
        if about is not None:
            of = " of " + ", ".join(short(one, _LONG) for one in about) if about else ""
            title = words.plain(f"Open the {items}{of}")
            st.button(title, key=f"open-{key}", type="primary", on_click=lead, args=(row, column))
