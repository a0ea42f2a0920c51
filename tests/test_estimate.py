"""Estimates and their notes."""

import pytest

from adjudge.errors import OptionError
from adjudge.estimate import Caveat, Estimate


def test_titles_differ_and_every_note_is_explained_in_two_sentences():
    assert len({note.title for note in Caveat}) == len(Caveat)
    for note in Caveat:
        assert note.title != note.title.upper()
        for sentence in (note.meaning, note.consequence):
            assert sentence[0].isupper()
            assert sentence.endswith(".")


def test_a_confidence_lies_between_0_and_1():
    with pytest.raises(OptionError, match="confidence: expected a number between 0 and 1; got 95"):
        Estimate.undefined("no items", confidence=95)


@pytest.mark.parametrize("text", ["rather few", "few items"])
def test_no_other_text_is_a_note(text):
    row = {"value": 0.5, "low": None, "high": None, "n": 3, "method": None, "reason": None, "caveat": "few_items"}
    assert Estimate.from_row(row).caveat is Caveat.FEW_ITEMS
    with pytest.raises(ValueError, match=text):
        Estimate.from_row({**row, "caveat": text})
