"""A cell that is chosen shows the button that opens its items, and by itself leads nowhere."""

from types import SimpleNamespace
from typing import Any

import pytest

from made_explorer import page_of

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


def test_two_who_share_no_item_lead_nowhere(monkeypatch, tmp_path):
    """Ana labels the first item, ben and cleo the second: who shares none, and who is the same, has no number."""
    from karat.app import confusions

    rows = [("1", "ana", "x"), ("2", "ben", "x"), ("2", "cleo", "y")]
    path = tmp_path / "votes.csv"
    lines = ["item,annotator,label,reference", *(f"{item},{who},{label},x" for item, who, label in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    found: dict[tuple[int, str], list[str] | None] = {}

    def grid(*_: object, columns: list[str], rows: int, said: Any, **__: object) -> None:
        found.update({(row, column): said(row, column) for row in range(rows) for column in columns})

    monkeypatch.setattr(confusions, "grids", SimpleNamespace(grid=grid, choosing=confusions.grids.choosing))
    assert not page_of(str(path), view="Disagreement").exception
    assert [cell for cell in found.values() if cell] == [["ben", "cleo"], ["cleo", "ben"]]
