"""The ratings of each annotator in NVIDIA's data sets are judgments."""

import pytest

from karat import DataError
from made_labels import HELPSTEER, judgments, lines, said

RATINGS = {name: [4, 3] for name in ("helpfulness", "correctness", "coherence", "complexity", "verbosity")}
RATED = [{"prompt": "Hi", "response": "Ho", **RATINGS}]


def test_the_overall_preference_is_the_reference_of_each_ones(written):
    read = judgments(written(lines(HELPSTEER), "preference.jsonl"))
    assert said(read) == [("1", "1", "-1", "-1"), ("1", "2", "2", "-1")]
    assert any("annotators have no names in" in one for one in read.warnings)


def test_items_without_ids_are_told_apart_by_their_file(written):
    read = judgments(written(lines(HELPSTEER), "a.jsonl"), written(lines(HELPSTEER), "b.jsonl"))
    assert read.frame["item"].n_unique() == 2


def test_of_the_ratings_of_helpsteer_2_one_is_named(written):
    path = written(lines(RATED), "disagreements.jsonl")
    with pytest.raises(DataError, match="several questions were asked: helpfulness, correctness"):
        judgments(path, reference=["1"])
    assert said(judgments(path, reference=["1"], label="helpfulness")) == [("1", "2", "3")]
