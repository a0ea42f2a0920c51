"""Numbers of notes, citations and sources, on texts worked by hand."""

import polars as pl
import pytest

from adjudge.text.values import GLUED, NOTES, without_notes


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Paris [1][2].", "Paris."),
        ("paris[^1^][^12^].", "paris."),
        ("paris【4:0†source】", "paris"),
        ("paris [Doc 1, 2] (3)", "paris (3)"),
        ("[3] says", "[3] says"),
        ("an array [100]", "an array [100]"),
        ("Document 3 says 5 [2]", " says 5"),
        ("the 3 documents", "the 3 documents"),
        ("Fleet⁶, 5 km², 1971¹².", "Fleet, 5 km², 1971."),
    ],
)
def test_numbers_of_notes_and_sources_fall_but_not_those_of_units(said: str, left: str) -> None:
    assert without_notes(pl.Series([said, None]), NOTES).to_list() == [left, None]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("by fleet1.", "by fleet."),
        ("fleet12 and maryland.3", "fleet12 and maryland."),
        ("in 197112.", "in 1971."),
        ("there were 19712 men", "there were 19712 men"),
        ("mp3, vol.3, b12, fleet100", "mp3, vol.3, b12, fleet100"),
    ],
)
def test_numbers_of_notes_are_one_or_two_digits_behind_words_and_years(said: str, left: str) -> None:
    assert without_notes(pl.Series([said]), GLUED).item() == left
