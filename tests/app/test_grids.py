"""A cell that is chosen shows the button that opens its items, and by itself leads nowhere."""

from typing import Any

import pytest

st = pytest.importorskip("streamlit")

SAID = {(1, "share"): ["ana", "*hard* items"], (0, "share"): [], (0, "note"): None}


class Seen(list[tuple[str, dict[str, Any]]]):
    """The buttons of a page on which a cell of a table is chosen, and the cells that were opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *cells: tuple[int, str]) -> None:
        from karat.app.grids import grid

        super().__init__()
        self.opened: list[tuple[int, str]] = []
        monkeypatch.setattr(st, "dataframe", lambda *_, **__: {"selection": {"cells": cells}})
        monkeypatch.setattr(st, "button", lambda title, **how: self.append((title, how)))
        grid(
            None,
            "some",
            columns=["share", "note"],
            rows=2,
            items="pairs",
            said=lambda row, column: SAID[row, column],
            lead=lambda row, column: self.opened.append((row, column)),
        )


def test_a_button_names_what_the_cell_is_about_and_opens_it_when_it_is_pressed(monkeypatch):
    seen = Seen(monkeypatch, (1, "share"))
    [(title, how)] = seen
    assert title == r"Open the pairs of ana, \*hard\* items"
    assert seen.opened == []
    how["on_click"](*how["args"])
    assert seen.opened == [(1, "share")]


def test_a_cell_that_is_about_everything_opens_all(monkeypatch):
    assert [title for title, _ in Seen(monkeypatch, (0, "share"))] == ["Open the pairs"]


@pytest.mark.parametrize("cell", [(0, "note"), (2, "share"), (0, "gone")])
def test_nothing_is_opened_by_a_cell_that_leads_nowhere_or_is_no_longer_there(monkeypatch, cell):
    assert Seen(monkeypatch, cell) == []


def test_no_cell_no_button(monkeypatch):
    assert Seen(monkeypatch) == []
