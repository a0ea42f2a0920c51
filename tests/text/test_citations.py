"""Numbers of notes, citations and sources, on texts worked by hand."""

import polars as pl
import pytest

from adjudge.text.values import uncited, unnumbered, unsourced, without_notes


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("paris [1][2].", "paris ."),
        ("paris[^1^][^12^].", "paris ."),
        ("paris【4:0†source】", "paris "),
        ("paris [doc 1, 2] (3)", "paris  (3)"),
        ("[3] says", "[3] says"),
        ("an array [100]", "an array [100]"),
    ],
)
def test_citations_fall_behind_what_they_stand_for(said: str, left: str) -> None:
    assert uncited(pl.Series([said, None])).to_list() == [left, None]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("by fleet1.", "by fleet."),
        ("fleet12 and maryland.3", "fleet and maryland."),
        ("in 197112.", "in 1971."),
        ("there were 19712 men", "there were 19712 men"),
        ("mp3, vol.3, b12, fleet100", "mp3, vol.3, b12, fleet100"),
    ],
)
def test_numbers_of_notes_are_one_or_two_digits_behind_words_and_years(said: str, left: str) -> None:
    assert unnumbered(pl.Series([said])).item() == left


def test_raised_numbers_fall_but_not_those_of_units() -> None:
    assert without_notes(pl.Series(["Fleet⁶, 5 km², 1971¹²."])).item() == "Fleet, 5 km², 1971."


def test_numbers_of_sources_count_nothing() -> None:
    assert unsourced(pl.Series(["document 3 says 5 [2]", "the 3 documents"])).to_list() == [
        "  says 5 ",
        "the 3 documents",
    ]
