"""Violations from exports of annotation tools and data sets, in the shapes that these write: worked by hand."""

import json

import polars as pl
import pytest

from karat.errors import DataError, OptionError
from karat.formats.opened import format_of, opened
from karat.formats.source import How, formats, sources
from karat.formats.violations import Options, read_predictions, read_truth
from karat.schemas.violations import PLACE

TEXT = "Cures headache."


def truth(data, input_format=None, **options):
    return read_truth(sources(data, How(input_format), "violations")[0], Options(**options))


def predicted(data, gold, **options):
    return read_predictions(sources(data, None, "violations")[0], Options(**options), gold, None)


def said(action, *arguments, kind=DataError, **options):
    with pytest.raises(kind) as caught:
        action(*arguments, **options)
    return str(caught.value)


def spans(marked, *columns):
    return marked.spans.select(columns or (PLACE, "start", "end", "rule")).rows()


def lines(*objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


# doccano

DOCCANO = lines(
    {"id": 4, "text": TEXT, "label": [[0, 5, "claim"], [6, 14, "illness"]], "Comments": []},
    {"id": 5, "text": "Fine \U0001f600 tea", "label": []},
)
DOCCANO_RELATIONS = lines(
    {
        "id": 4,
        "text": TEXT,
        "entities": [{"id": 9, "label": "claim", "start_offset": 0, "end_offset": 5}],
        "relations": [{"id": 1, "from_id": 9, "to_id": 9, "type": "of"}],
        "Comments": [],
    },
    {"id": 5, "text": "tea", "entities": [], "relations": []},
)


def test_lists_of_doccano_are_violations(written):
    found = truth(written(DOCCANO, "all.jsonl"))
    assert found.texts.rows() == [("4", TEXT), ("5", "Fine \U0001f600 tea")]
    assert spans(found) == [(0, 0, 5, "claim"), (0, 6, 14, "illness")]
    assert found.warnings == ()


def test_entities_of_doccano_are_violations_and_its_relations_are_counted(written):
    found = truth(written(DOCCANO_RELATIONS, "all.jsonl"))
    assert spans(found) == [(0, 0, 5, "claim")]
    assert found.warnings == ("left out, since they mark nothing in a text: relations between spans 1",)


def test_older_exports_of_doccano_name_annotators_and_need_no_ids(written):
    old = [{"label": 3, "start_offset": 0, "end_offset": 5, "user": user} for user in (1, 2)]
    path = written([{"text": TEXT, "annotations": old}, {"text": TEXT, "annotations": old[:1]}], "old.json")
    assert "got 1, 2: choose one" in said(truth, path, kind=OptionError)
    assert truth(path, annotators=["1"]).texts["id"].to_list() == ["1", "2"]
    assert spans(truth(path, annotators=["2"])) == [(0, 0, 5, "3")]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"id": 1, "text": TEXT, "label": "claim"}, 'line 1, label: expected a list of spans; got "claim"'),
        ({"id": 1, "text": TEXT}, "line 1: expected one of label, labels, entities, annotations; got id, text"),
        (
            {"id": 1, "text": TEXT, "label": [[0, 99, "x"]]},
            "line 1, violation 1, end: expected 15, the end of the text",
        ),
        ({"id": 1, "text": TEXT, "label": [[0, 5]]}, "line 1, violation 1: expected an object; got a list"),
    ],
)
def test_wrong_lines_of_doccano_are_told_and_can_be_dropped(written, broken, message):
    path = written(lines(broken, {"id": 2, "text": TEXT, "label": [[0, 5, "claim"]]}), "all.jsonl")
    assert message in said(truth, path, "doccano")
    assert spans(truth(path, "doccano", drop=True))[-1][1:] == (0, 5, "claim")


# Argilla

SPAN = {"start": 0, "end": 5, "label": "claim"}
ARGILLA = [
    {
        "id": "a1",
        "fields": {"text": TEXT},
        "metadata": {"lang": "en"},
        "suggestions": {"claims": {"value": [{**SPAN, "start": 6, "end": 14}], "score": 0.9, "agent": "llm"}},
        "responses": {
            "claims": [{"value": [SPAN], "user_id": "u1"}, {"value": [], "user_id": "u2"}],
            "fluent": [{"value": "yes", "user_id": "u1"}],
        },
        "vectors": {},
        "_server_id": "s1",
    },
    {"id": "a2", "fields": {"text": "tea"}, "metadata": {}, "suggestions": {}, "responses": {}, "vectors": {}},
]
ARGILLA_FLAT = [
    {
        "id": "a1",
        "_server_id": "s1",
        "text": TEXT,
        "lang": "en",
        "claims.responses": [[SPAN], []],
        "claims.responses.users": ["u1", "u2"],
        "claims.responses.status": ["submitted", "draft"],
        "claims.suggestion": [{**SPAN, "start": 6, "end": 14}],
        "claims.suggestion.score": 0.9,
        "claims.suggestion.agent": "llm",
    }
]
ARGILLA_1 = [
    {
        "id": "r1",
        "external_id": "a1",
        "fields": {"text": TEXT},
        "metadata": {},
        "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"claims": {"value": [SPAN]}}},
            {"user_id": "u2", "status": "discarded", "values": {"claims": {"value": [SPAN]}}},
        ],
    }
]


@pytest.mark.parametrize("records", [ARGILLA, ARGILLA_FLAT, ARGILLA_1], ids=["nested", "flat", "version 1"])
def test_responses_of_a_user_of_argilla_are_violations(written, records):
    found = truth(written(records, "records.json"), annotators=["u1"])
    assert found.texts.rows() == [("a1", TEXT)]
    assert spans(found) == [(0, 0, 5, "claim")]


def test_a_user_who_marked_nothing_looked_at_the_text(written):
    found = truth(written(ARGILLA, "records.json"), annotators=["u2"], further={"by": "lang"})
    assert (found.texts.rows(), spans(found)) == ([("a1", TEXT, "en")], [])
    assert found.warnings == (
        "1 record is without a response that counts",
        "1 suggestion of a model is left out: name a model to count what it suggests",
    )


def test_drafts_and_discarded_responses_are_counted(written):
    assert (
        truth(written(ARGILLA_FLAT, "flat.json")).warnings[-1]
        == "responses that were not submitted are left out: draft 1"
    )
    assert truth(written(ARGILLA_1, "one.json")).warnings == (
        "responses that were not submitted are left out: discarded 1",
    )


def test_suggestions_are_predictions_of_the_model_that_is_named(written):
    path = written(ARGILLA, "records.json")
    (model,) = predicted(path, truth(path, annotators=["u1"]), annotators=["llm"])
    assert (model.name, spans(model)) == ("llm", [(0, 6, 14, "claim")])


def test_argilla_reads_alike_from_parquet(tmp_path):
    pl.DataFrame(ARGILLA_FLAT).write_parquet(tmp_path / "flat.parquet")
    assert spans(truth(tmp_path / "flat.parquet")) == [(0, 0, 5, "claim")]


def test_the_text_of_argilla_may_be_named(written):
    records = [{**ARGILLA[0], "fields": {"prompt": "p", "answer": TEXT}}]
    path = written(records, "records.json")
    assert "fields: expected one text; got several, prompt, answer. Say which" in said(truth, path, annotators=["u1"])
    assert truth(path, annotators=["u1"], columns={"text": "answer"}).texts["text"].to_list() == [TEXT]


# FaithBench


def mark(who, start, end, *labels, **more):
    return {
        "annot_id": 1,
        "sample_id": 0,
        "annotator": who,
        "label": list(labels),
        "note": "why",
        "annotator_name": "X",
        "summary_span": TEXT[start:end],
        "summary_start": start,
        "summary_end": end,
        **more,
    }


UNPLACED = {"annot_id": 3, "annotator": "b", "label": ["Benign"], "note": "", "source_span": "x", "source_start": 0}
FAITHBENCH = [
    {
        "sample_id": 0,
        "source": "It helps.",
        "summary": TEXT,
        "annotations": [
            mark("a", 0, 5, "Unwanted", "Unwanted.Intrinsic"),
            mark("b", 0, 5, "Unwanted", "Unwanted.Intrinsic"),
            mark("b", 6, 14, "Questionable"),
            UNPLACED,
        ],
        "meta_model": "m",
    },
    {"sample_id": 1, "source": "s", "summary": "tea", "annotations": [], "meta_model": "m"},
]


def test_marks_of_faithbench_are_taken_together_once(written):
    found = truth(written(FAITHBENCH, "batch_1.json"))
    assert found.texts.rows() == [("0", TEXT), ("1", "tea")]
    assert spans(found, PLACE, "start", "end", "rule", "category", "explanation") == [
        (0, 0, 5, "Unwanted.Intrinsic", "Unwanted", "why"),
        (0, 6, 14, "Questionable", None, "why"),
    ]
    assert found.warnings == (
        "the marks of 2 annotators are taken together, what several of them marked alike once",
        "1 annotation is left out, since what they mark stands in the source, not in the summary",
    )


def test_an_annotator_of_faithbench_may_be_named(written):
    found = truth(written(FAITHBENCH, "batch_1.json"), annotators=["a"])
    assert (found.texts["id"].to_list(), spans(found)) == (["0", "1"], [(0, 0, 5, "Unwanted.Intrinsic")])


# Objects of lists

STRUCTS = [
    {"id": "x", "text": TEXT, "spans": {"start": [0, 6], "end": [5, 14], "label": ["claim", "illness"]}},
    {"id": "y", "text": "tea", "spans": {"start": [], "end": [], "label": []}},
]


def test_objects_of_lists_are_violations(written, tmp_path):
    pl.DataFrame(STRUCTS).write_parquet(tmp_path / "s.parquet")
    for data in (written(lines(*STRUCTS), "s.jsonl"), tmp_path / "s.parquet", pl.DataFrame(STRUCTS)):
        found = truth(data)
        assert found.texts.rows() == [("x", TEXT), ("y", "tea")]
        assert spans(found) == [(0, 0, 5, "claim"), (0, 6, 14, "illness")]


def test_objects_of_lists_of_several_lengths_are_told(written):
    rows = [{**STRUCTS[0], "spans": {"start": [0], "end": [5, 14], "label": ["claim"]}}]
    assert "line 1, spans: expected lists of one length; got start 1, end 2, label 1" in said(
        truth, written(lines(*rows), "s.jsonl")
    )


# Which format a file is


SAMPLES = {
    "doccano": [(DOCCANO, "a.jsonl"), (DOCCANO_RELATIONS, "a.jsonl")],
    "argilla": [(ARGILLA, "a.json"), (ARGILLA_FLAT, "a.json"), (ARGILLA_1, "a.json")],
    "faithbench": [(FAITHBENCH, "a.json")],
    "struct-of-lists": [(lines(*STRUCTS), "a.jsonl")],
    "violations": [(lines({"id": "t", "text": TEXT, "violations": []}), "a.jsonl")],
    "label-studio": [
        ([{"id": 1, "data": {"text": TEXT}, "annotations": []}], "a.json"),
        ([{"id": 1, "text": TEXT, "label": [], "annotation_id": 3}], "a.json"),
    ],
    "prodigy": [(lines({"text": TEXT, "_input_hash": 1, "_task_hash": 2, "spans": [], "answer": "accept"}), "a.jsonl")],
    "m2": [("S Cures it\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n", "a.m2")],
    "spans": [
        ("id,text,start,end,rule\n1,Cures,0,5,claim\n", "a.csv"),
        (lines({"id": 1, "start": 0, "end": 1}), "a.jsonl"),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "file"), [(name, *sample) for name, many in SAMPLES.items() for sample in many]
)
def test_a_file_is_of_its_own_format_and_of_no_other(written, name, content, file):
    found = opened(sources(written(content, file), None, "violations")[0], Options())
    assert format_of("violations", found).name == name


def test_every_format_has_a_sample():
    assert set(SAMPLES) == {form.name for form in formats("violations")}
