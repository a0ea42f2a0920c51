"""Estimates and their notes."""

from pathlib import Path

import pytest

from karat.errors import OptionError
from karat.estimate import Estimate, Note, gravest

STATISTICS = Path(__file__).parents[1] / "docs" / "statistics.md"


def test_a_note_is_a_code_that_prints_as_its_title():
    assert Note.FEW_ITEMS == "few_items"
    assert str(Estimate(0.5, n=3, note=Note.FEW_ITEMS)) == "0.500 n=3 (few items)"


def test_titles_differ_and_every_note_is_explained_in_two_sentences():
    assert len({note.title for note in Note}) == len(Note)
    for note in Note:
        assert note.title != note.title.upper()
        for sentence in (note.meaning, note.consequence):
            assert sentence[0].isupper()
            assert sentence.endswith(".")


def test_the_gravest_of_several_notes_stands_first():
    assert gravest(Note.ABOUT_90_97, Note.RARE_LABELS) is Note.RARE_LABELS
    assert gravest(Note.RARE_LABELS, Note.FEW_CLUSTERS) is Note.FEW_CLUSTERS
    assert gravest(None, None) is None


def test_a_confidence_lies_between_0_and_1():
    with pytest.raises(OptionError, match="confidence: expected a number between 0 and 1; got 95"):
        Estimate.undefined("no items", confidence=95)


@pytest.mark.parametrize("text", ["rather few", "few items"])
def test_no_other_text_is_a_note(text):
    row = {"value": 0.5, "low": None, "high": None, "n": 3, "method": None, "reason": None, "note": "few_items"}
    assert Estimate.of_row(row).note is Note.FEW_ITEMS
    with pytest.raises(ValueError, match=text):
        Estimate.of_row({**row, "note": text})


def test_the_docs_list_every_note_as_it_is():
    rows = [f"| {note.title} | `{note}` | {note.meaning} {note.consequence} |" for note in Note]
    assert "\n".join(rows) in STATISTICS.read_text()
