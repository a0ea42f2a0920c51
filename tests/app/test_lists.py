"""Tables as the explorer shows them."""

import polars as pl
import pytest

pytest.importorskip("streamlit", reason="the explorer needs karat[app]")

from karat.app.lists import arrow


def test_characters_that_turn_text_about_are_named_in_cells():
    frame = pl.DataFrame({"item": ["a\u202egnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"], "n": [1, 2, 3]})
    shown = pl.from_arrow(arrow(frame))
    assert shown["item"].to_list() == ["a[RLO]gnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"]
    assert shown["n"].to_list() == [1, 2, 3]
