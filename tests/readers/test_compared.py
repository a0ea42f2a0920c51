"""Exports of annotation tools in which two texts are compared."""

import json

import polars as pl
import pytest

from adjudge import DataError
from made_pair_exports import CSV, FLAT, MIN, NESTED, TASKS, annotation
from made_pairs import column, read, votes

BEST = {"best": [{"value": "generation-1", "user_id": "u1"}, {"value": "0", "user_id": "u2"}]}
FIELDS = {"prompt": "Why?", "generation-0": "So.", "generation-1": "No."}
NUMBERED = [{**NESTED[0], "fields": FIELDS, "suggestions": {}, "responses": BEST}]
UNSURE = [json.loads(json.dumps(NESTED[0]).replace('"tie"', '"unsure"'))]
VALUES = {"text_a": ["text_a"], "text_b": ["text_b"], "invalid": ["unsure"]}
SUBMITTED = ("1 response that was not submitted is left out",)
MODEL = "1 prediction of a model is left out"
VOTED = {"1": ["text_a", "text_b"], "ben@x.org": ["text_b", "missing"]}


@pytest.mark.parametrize(
    ("file", "content", "options", "expected", "warnings"),
    [
        ("e.json", TASKS, {}, VOTED, ("1 annotation is left out, since cancelled", MODEL)),
        ("e.json", MIN, {}, {"1": ["text_a"]}, ()),
        ("e.csv", CSV, {}, {"ann@x.org": ["text_a"], "ben@x.org": ["text_b"]}, ()),
        ("e.json", NESTED, {}, {"u1": ["text_a"], "u2": ["both"]}, (MODEL,)),
        ("e.json", FLAT, {}, {"u1": ["text_b"]}, SUBMITTED),
        ("table", pl.DataFrame(FLAT), {}, {"u1": ["text_b"]}, SUBMITTED),
        ("e.json", NUMBERED, {}, {"u1": ["text_b"], "u2": ["text_a"]}, ()),  # as texts are called so
        ("e.json", UNSURE, {"vote_values": VALUES}, {"u1": ["text_a"], "u2": ["invalid"]}, (MODEL,)),
    ],
)
def test_exports_hold_the_votes_of_all_who_annotated(written, file, content, options, expected, warnings):
    pairs = read(content if file == "table" else written(content, file), **options)
    assert votes(pairs) == expected
    assert pairs.warnings == warnings
    row = pairs.frame.select("prompt", "text_a", "text_b").collect().row(0)
    assert row == ("Why?", "So.", "No.")


def test_a_word_that_names_no_side_is_an_error_and_ids_and_metadata_are_kept(written):
    with pytest.raises(DataError, match=r'column vote: expected one of .*; got "unsure"'):
        read(written(UNSURE))
    with pytest.raises(DataError, match='got "0"'):  # of response_a and response_b, 1 is the first
        read(written(json.loads(json.dumps(NESTED).replace('"tie"', '"0"'))))
    tasks, nested = read(written(TASKS)), read(written(NESTED))
    assert tasks.frame.select("pair", "topic").collect().row(0) == ("1", "logic")
    assert column(nested, "topic") == ["logic"]


def test_texts_and_questions_that_nothing_tells_are_asked_for(written):
    odd = [{**TASKS[0], "data": {"prompt": "Why?", "good": "So.", "better": "No."}}]
    with pytest.raises(DataError, match=r"expected two texts whose names end in their sides(?s:.*)columns text_a="):
        read(written(odd))
    assert column(read(written(odd), columns={"text_a": "good", "text_b": "better"}), "text_a") == ["So."]
    two = [{**TASKS[0], "annotations": [annotation(1, "left"), annotation(1, "right", name="tone")]}]
    with pytest.raises(DataError, match=r"several questions were asked\nfound: comparison, tone\nfix:   columns vote="):
        read(written(two))
    assert votes(read(written(two), columns={"vote": "tone"})) == {"1": ["text_b"]}
