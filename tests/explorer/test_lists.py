"""Tables as the explorer shows them, and the button that opens the items of a chosen cell."""

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

st = pytest.importorskip("streamlit")


class Seen(list[tuple[str, dict[str, Any]]]):
    """The buttons of a page on which a cell of a table is chosen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *cells: tuple[int, str]) -> None:
        from adjudge.explorer.tables import Cells, open_button

        super().__init__()
        monkeypatch.setattr(st, "button", lambda title, **how: self.append((title, how)))
        stands = [{}, {"annotator": "ana", "topic": "*hard* items"}]
        frame = pl.DataFrame({"annotator": [None, "ana"], "topic": [None, "*hard* items"], "share": [0.5, 0.5]})
        result = SimpleNamespace(report=SimpleNamespace(about=SimpleNamespace(items="pairs")))
        open_button(result, Cells(frame, {"annotator": "Annotator", "topic": "Topic"}, stands, {}, None), "some", cells)


@pytest.mark.parametrize("cell", [(2, "share"), (0, "gone")])
def test_nothing_is_opened_by_a_cell_that_is_no_longer_there(monkeypatch, cell):
    assert Seen(monkeypatch, cell) == []


def test_characters_that_turn_text_about_are_named_in_cells():
    from adjudge.explorer.lists import arrow

    frame = pl.DataFrame({"item": ["a\u202egnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"], "n": [1, 2, 3]})
    shown = pl.from_arrow(arrow(frame))
    assert shown["item"].to_list() == ["a[RLO]gnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"]
    assert shown["n"].to_list() == [1, 2, 3]
