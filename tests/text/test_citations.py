"""Numbers of notes, citations and sources, on texts worked by hand."""

import polars as pl
import pytest

from adjudge.text.values import GLUED, NOTES, without_notes


@pytest.mark.parametrize(
    ("pattern", "said", "left"),
    [
        # numbers of notes and sources fall, but not those of units
        (NOTES, "Paris [1][2].", "Paris."),
        (NOTES, "paris【4:0†source】", "paris"),
        (NOTES, "Document 3 says 5 [2]", " says 5"),
        (NOTES, "Fleet⁶, 5 km², 1971¹².", "Fleet, 5 km², 1971."),
        # numbers of notes are one or two digits behind words and years
        (GLUED, "by fleet1.", "by fleet."),
        (GLUED, "fleet12 and maryland.3", "fleet12 and maryland."),
        (GLUED, "there were 19712 men", "there were 19712 men"),
        (GLUED, "mp3, vol.3, b12, fleet100", "mp3, vol.3, b12, fleet100"),
    ],
)
def test_numbers_of_notes_and_sources_fall(pattern, said, left):
    assert without_notes(pl.Series([said, None]), pattern).to_list() == [left, None]
