"""Exports of annotation tools in which two texts are compared."""

import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge import DataError, OptionError
from made_pair_exports import CSV, FLAT, MIN, NESTED, SAMPLES, TASKS, VERSION_1, annotation
from made_pair_tables import SAMPLES as TABLES
from made_pairs import column, read, votes


def test_tasks_of_label_studio_hold_the_votes_of_all_who_annotated(written):
    pairs = read(written(TASKS))
    assert votes(pairs) == {"1": ["text_a", "text_b"], "ben@x.org": ["text_b", "missing"]}
    frame = pairs.frame.collect()
    assert frame.select("pair", "prompt", "text_a", "text_b", "topic").row(0) == ("1", "Why?", "So.", "No.", "logic")
    assert pairs.warnings == (
        "1 annotation is left out, since cancelled",
        "1 prediction of a model is left out",
    )


def test_short_json_and_csv_of_label_studio_read_alike(written):
    assert votes(read(written(MIN))) == {"1": ["text_a"]}
    pairs = read(written(CSV, "export.csv"))
    assert votes(pairs) == {"ann@x.org": ["text_a"], "ben@x.org": ["text_b"]}
    assert (column(pairs, "text_b"), column(pairs, "prompt")) == (["No."], ["Why?"])


def test_argilla_records_are_read_nested_and_flat_with_labels_and_rankings(written, tmp_path):
    nested = read(written(NESTED))
    assert votes(nested) == {"u1": ["text_a"], "u2": ["both"]}
    assert column(nested, "topic") == ["logic"]
    assert nested.warnings == ("1 prediction of a model is left out",)
    flat = read(written(FLAT))
    assert votes(flat) == {"u1": ["text_b"]}
    assert flat.warnings == ("1 response that was not submitted is left out",)
    pl.DataFrame(FLAT).write_parquet(tmp_path / "flat.parquet")
    assert votes(read(tmp_path / "flat.parquet")) == votes(flat)


def test_what_is_no_response_among_responses_is_passed_over(written):
    record = {**VERSION_1[0], "preference": [None, *VERSION_1[0]["preference"]]}
    assert votes(read(written([record]))) == {"u1": ["text_b"], "u2": ["both"]}


def test_version_1_of_argilla_has_a_column_of_responses_per_question(written):
    pairs = read(written(VERSION_1))
    assert votes(pairs) == {"u1": ["text_b"], "u2": ["both"]}
    assert column(pairs, "pair") == ["e1"]


def test_texts_and_questions_that_nothing_tells_are_asked_for(written):
    odd = [{**TASKS[0], "data": {"prompt": "Why?", "good": "So.", "better": "No."}}]
    with pytest.raises(DataError, match=r"expected two texts whose names end in their sides(?s:.*)columns text_a="):
        read(written(odd))
    assert column(read(written(odd), columns={"text_a": "good", "text_b": "better"}), "text_a") == ["So."]
    two = [{**TASKS[0], "annotations": [annotation(1, "left"), annotation(1, "right", name="tone")]}]
    with pytest.raises(DataError, match=r"several questions were asked\nfound: comparison, tone\nfix:   columns vote="):
        read(written(two))
    assert votes(read(written(two), columns={"vote": "tone"})) == {"1": ["text_b"]}


def test_numbers_from_0_are_sides_only_where_texts_are_called_so(written):
    fields = {"prompt": "Why?", "generation-0": "So.", "generation-1": "No."}
    record = {**NESTED[0], "fields": fields, "suggestions": {}}
    record["responses"] = {"best": [{"value": "generation-1", "user_id": "u1"}, {"value": "0", "user_id": "u2"}]}
    assert votes(read(written([record]))) == {"u1": ["text_b"], "u2": ["text_a"]}


def test_a_word_that_names_no_side_is_an_error_unless_it_is_said(written):
    record = json.loads(json.dumps(NESTED[0]).replace('"tie"', '"unsure"'))
    with pytest.raises(DataError, match=r'column vote: expected one of .*; got "unsure"'):
        read(written([record]))
    said = {"text_a": ["text_a"], "text_b": ["text_b"], "invalid": ["unsure"]}
    assert votes(read(written([record]), vote_values=said)) == {"u1": ["text_a"], "u2": ["invalid"]}


ODD = st.sampled_from(
    [None, True, 5, "x", "[", [], {}, [1], [None], {"a": 1}, [[{"role": "user"}]], [{"type": "pairwise"}], {"value": 3}]
)
EVERY = [content for _, content in [*SAMPLES.values(), *TABLES.values()] if not isinstance(content, str)]


def changed(value, draw):
    """A JSON value with something in it replaced."""
    if draw(st.integers(0, 5)) == 0 or not isinstance(value, list | dict) or not value:
        return draw(ODD)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = draw(st.sampled_from(keys))
    other = changed(value[key], draw)
    return {**value, key: other} if isinstance(value, dict) else [*value[:key], other, *value[key + 1 :]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_record_is_read_or_refused(written, data):
    content = changed(data.draw(st.sampled_from(EVERY)), data.draw)
    try:
        pairs = read(written(json.dumps(content), "odd.json"))
    except (DataError, OptionError):
        return
    assert pairs.frame.collect().height > 0
