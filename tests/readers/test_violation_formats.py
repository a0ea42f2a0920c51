"""Violations from Label Studio, Prodigy and M2: worked by hand."""

import csv
import io
import json

import pytest

import adjudge
from adjudge.errors import OptionError
from adjudge.schemas.violations import PLACE
from made_marks import lines
from made_violations import predicted, refusal, spans, truth

TEXT = "Cures headache."
EMOJI = "\U0001f4a9This is an annotation."  # the text of https://github.com/HumanSignal/label-studio/issues/1347


def region(start, end, quote, *labels, **more):
    value = {"start": start, "end": end, "text": quote, "labels": list(labels)}
    return {"id": "r", "type": "labels", "from_name": "label", "to_name": "text", "value": value, **more}


def task(*annotations, id_=1, predictions=(), **data):
    held = {"annotations": list(annotations), "predictions": list(predictions)}
    return {"id": id_, "data": data or {"text": TEXT}, **held}


def by(who, *result, **more):
    return {"completed_by": who, "result": list(result), **more}


@pytest.fixture
def studio(written):
    def read(*tasks, name="tasks.json", **options):
        return truth(written(list(tasks), name), **options)

    return read


HTML = "<p>Salt &amp; <b>tea</b><br>cures \U0001f600 all</p>"
SHOWN = "Salt & tea\ncures \U0001f600 all"
"""What HTML shows: a line break for <br>, and two units of UTF-16 for the emoji."""


PAGE = "<!DOCTYPE html>\n<html><head><title>A page</title><style>b {}</style></head>\n<body><p>Salt <b>tea</b></p></body></html>"


def hyper(start, end, quote, *labels):
    place = {"start": "/p[1]/b[1]/text()[1]", "end": "/p[1]/text()[2]", "startOffset": 0, "endOffset": 3}
    found = {"globalOffsets": {"start": start, "end": end}} if start is not None else {}
    value = {**place, **found, "text": quote, "hypertextlabels": list(labels)}
    return {"id": "r", "type": "hypertextlabels", "from_name": "label", "to_name": "text", "value": value}


def accepted(*marks, **more):
    """A line of Prodigy."""
    found = [{"start": start, "end": end, "label": label, "token_start": 0} for start, end, label in marks]
    return {"text": TEXT, "spans": found, "answer": "accept", "_input_hash": -17, **more}


@pytest.fixture
def prodigy(written):
    def read(*records, **options):
        return truth(written(lines(*records), "p.jsonl"), **options)

    return read


REGIONS = [region(13, 23, "annotation", "a"), region(0, 2, "\U0001f4a9", "b"), region(12, 22, "annotation", "c")]
CANCELLED = by(1, region(0, 5, "Cures", "a"), was_cancelled=True)
OTHERS = by(1, {"type": "choices", "value": {}}, {"id": "q"})
MARKED = [{"start": 0, "end": 5, "text": "Cures", "labels": ["a", "b"]}]
MIN = [
    {"id": 1, "text": TEXT, "label": MARKED, "annotator": 1, "annotation_id": 3, "created_at": "2024"},
    {"id": 2, "body": "x", "annotator": 1, "annotation_id": 4, "updated_at": "2024"},
    {"id": 3, "text": TEXT, "label": [], "annotator": {"email": "1"}},
]
HASHED = [
    *(accepted((0, 5, "a"), (6, 14, None)), {"text": "none", "_input_hash": 4}, accepted(id="own"), accepted(meta={"id": 9})),
    *(accepted(_input_hash=n, answer=answer) for n, answer in enumerate(["reject", "ignore", "ignore"])),
]  # fmt: skip
UNITS = "offsets that count UTF-16 units, as JavaScript does, were converted: {}"
REJECTED = "lines that were not accepted are excluded: "


@pytest.mark.parametrize(
    ("records", "options", "texts", "marks", "warnings"),
    [
        ([task(by(1, *REGIONS), text=EMOJI)], {}, {"1": EMOJI}, [(0, 0, 1, "b"), (0, 12, 22, "a"), (0, 12, 22, "c")], [UNITS.format(2)]),
        ([task(by(1, region(14, 24, "annotation", "a")), text=EMOJI)], {"offset_base": 1}, {"1": EMOJI}, [(0, 12, 22, "a")], [UNITS.format(1)]),
        ([task(by(1, region(1, 5, None, "a")), text=EMOJI)], {}, {"1": EMOJI}, [(0, 1, 5, "a")], []),
        ([task(by(1, region(2, 6, None, "a")), text=EMOJI)], {}, {"1": EMOJI}, [(0, 1, 5, "a")], [UNITS.format(1)]),
        ([task(by(1, region(0, 5, None, "b")))], {}, {"1": TEXT}, [(0, 0, 5, "b")], []),
        # quotes that lost their line breaks
        *(([task(by(1, region(0, 7, quote, "a")), text="one\ntwo three")], {}, {"1": "one\ntwo three"}, [(0, 0, 7, "a")], []) for quote in ("onetwo", "one two", "one\\ntwo", "one\ntwo")),
        ([task(CANCELLED, OTHERS), task(id_=2)], {}, {"1": TEXT}, [], ["annotations that were cancelled are excluded: 1", "results that are no labels of text are excluded: choices 1, without a type 1", "tasks without annotations: 1", "nothing is marked in any text"]),
        (MIN, {}, {"1": TEXT, "2": "x", "3": TEXT}, [(0, 0, 5, "a"), (0, 0, 5, "b")], []),
        ([task(by(1, hyper(7, 10, "tea", "drink"), hyper(20, 23, "all", "claim")), html=HTML)], {}, {"1": SHOWN}, [(0, 7, 10, "drink"), (0, 19, 22, "claim")], ["texts are those which their HTML shows, without tags, as offsets of hypertext count: 1", UNITS.format(1)]),
        ([task(by(1, hyper(None, None, "tea", "drink")), html=HTML)], {}, {"1": SHOWN}, [(0, 7, 10, "drink")], ["texts are those which their HTML shows"]),
        ([task(by(1, hyper(5, 8, "tea", "drink")), html=PAGE)], {}, {"1": "Salt tea"}, [(0, 5, 8, "drink")], ["texts are those which their HTML shows"]),
        ([{"id": 7, "data": {"text": TEXT}, "completions": [by(1, region(0, 5, "Cures", "a"))]}], {}, {"7": TEXT}, [(0, 0, 5, "a")], []),
        ([task(by(1, region(0, 5, "Cures", "a")), predictions=[90, 91])], {}, {"1": TEXT}, [(0, 0, 5, "a")], ["predictions given as ids, without results, are excluded: 2"]),
        # Prodigy
        (HASHED, {}, {"-17": TEXT, "4": "none", "own": TEXT, "9": TEXT}, [(0, 0, 5, "a"), (0, 6, 14, None)], [f"{REJECTED}ignore 2, reject 1"]),
    ],
)  # fmt: skip
def test_what_tools_mark_are_violations(written, records, options, texts, marks, warnings):
    found = truth(written(records, "records.json"), **options)
    assert dict(found.texts.rows()) == texts
    assert spans(found) == marks
    assert len(found.warnings) == len(warnings)
    assert all(map(str.startswith, found.warnings, warnings))
    assert found.rows == len(records)


def test_regions_stand_in_cells_of_csv(written):
    regions = json.dumps([{"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}])
    rows = [("3", "1", "a1", "9.5", TEXT, regions, ""), ("4", "1", "a1", "2", "Tea.", "", "")]
    names = ("annotation_id", "annotator", "created_at", "lead_time", "text", "label", "updated_at", "id")
    content = io.StringIO()
    csv.writer(content).writerows([names, *((*row, nth) for nth, row in enumerate(rows, 1))])
    found = truth(written(content.getvalue(), "export.csv"))
    assert found.texts.rows() == [("1", TEXT), ("2", "Tea.")]
    assert spans(found) == [(0, 0, 5, "claim")]


def test_labels_are_rules_and_other_results_are_counted(studio):
    cures = region(0, 5, "Cures", "claim", "tone")
    note = {"id": "r", "type": "textarea", "value": {"start": 0, "end": 5, "text": ["more"]}}
    found = studio(task(by(1, cures, note, region("6", "14", "headache"))), task(by(1), id_=2, body="only text", n=3))
    assert found.texts.rows() == [("1", TEXT), ("2", "only text")]
    assert spans(found) == [(0, 0, 5, "claim"), (0, 0, 5, "tone"), (0, 6, 14, None)]
    assert found.warnings == ("results that are no labels of text are excluded: textarea 1",)


def test_annotators_are_called_by_address_or_number(studio, written):
    tasks = [task(by({"id": 7, "email": "a@b.c"}, region(0, 5, "Cures", "x")), by({"id": 8}), by(9))]
    text = refusal(studio, *tasks, kind=OptionError)
    assert "expected the violations of one annotator; got 3\nfound: a@b.c, 8, 9\n" in text
    assert adjudge.look(written(tasks, "tasks.json")).fit.evaluation == "violations"  # and no labels of whole items
    found = studio(*tasks, annotators=["a@b.c"])
    assert spans(found) == [(0, 0, 5, "x")]
    assert [one.name for one in predicted(written(tasks, "p.json"), found)] == ["a@b.c", "8", "9"]


def test_predictions_of_models_count_where_they_are_asked_for(studio, written):
    model = {"model_version": "m1", "result": [region(6, 14, "headache", "p")]}
    both = [task(by(1, region(0, 5, "Cures", "x")), predictions=[model])]
    found = studio(*both)
    assert spans(found) == [(0, 0, 5, "x")]
    assert found.warnings == ("predictions are excluded unless their model is named: m1 1",)
    assert spans(studio(*both, annotators=["m1"])) == [(0, 6, 14, "p")]
    alone = written([task(predictions=[model])], "p.json")
    (marked,) = predicted(alone, found)
    assert (marked.name, spans(marked)) == ("m1", [(0, 6, 14, "p")])
    assert "expected at least one text" in refusal(truth, alone)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (3, 'task 1: expected an object; got "3"'),
        ({"id": 1, "data": 3, "annotations": []}, 'task 1, data: expected an object; got "3"'),
        (task(3), 'task 1, annotations 1: expected an object; got "3"'),
        (task(by(1), a="x", b="y"), "task 1: expected one text; got a, b\nfix:   columns text=a"),
        (task(by(1, {"type": "labels", "value": 1})), 'result 1, value: expected an object; got "1"'),
        (task(by(1, region(0, 99, TEXT, "a"))), "task 1, violation 1, end: expected at most 15 (the end of the text)"),
        (task(by(1, region(0, 5, "Cures", []))), "violation 1, rule: expected text or a number; got an empty list"),
        (task(by(1), by(1)), "tasks 1, 1: expected each id once; id 1 appears 2 times"),
        (task(by(1), id_=None), "1, column id: expected one in every task; got nothing"),
    ],
)
def test_wrong_tasks_are_told_and_can_be_dropped(studio, broken, message):
    tasks = [broken, task(by(1, region(0, 5, "Cures", "x")), id_=2)]
    text = refusal(studio, *tasks, input_format="label-studio")
    assert message in text
    assert text.count("fix:") == 1
    assert spans(studio(*tasks, drop=True, input_format="label-studio"))[-1][1:] == (0, 5, "x")


def test_names_of_tasks_may_be_given(studio):
    tasks = [task(by(1), id_=5, body=TEXT, title="T", key="k1", lang="en")]
    found = studio(*tasks, columns={"text": "body", "id": "key"}, further={"by": "lang"})
    assert found.texts.rows() == [("k1", TEXT, "en")]
    assert 'no column "bod" in' in refusal(studio, *tasks, kind=OptionError, columns={"text": "bod"}, drop=True)
    text = refusal(studio, *tasks, kind=OptionError, columns={"rule": "x"})
    assert "only id, text may be mapped; got rule" in text


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        (region(2, 3, "zz", "a"), "a\U0001f600b"),
        (region(-1, 2, "a", "b"), EMOJI),
        (region(0, 5, "cures", "a"), TEXT),
        (hyper(None, None, None, "drink"), "Salt"),
    ],
)
def test_offsets_and_quotes_that_fit_no_count_are_problems(studio, mark, text):
    assert "task 1, violation 1, " in refusal(studio, task(by(1, mark), text=text))


def test_annotators_of_prodigy_may_be_sessions(prodigy, written):
    records = [accepted((0, 5, "x"), (0, 5, "x"), _annotator_id="anna"), accepted(_session_id="bert")]
    assert "found: anna, bert\n" in refusal(prodigy, *records, kind=OptionError)
    found = prodigy(*records, annotators=["anna"])
    assert spans(found) == [(0, 0, 5, "x")]
    assert found.warnings == ("repeated marks of the same violation, which counts once: 1",)
    assert [one.name for one in predicted(written(records, "p.json"), found)] == ["anna", "bert"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (accepted(answer="maybe"), 'line 1, answer: expected one of accept, reject, ignore; got "maybe"'),
        (accepted(spans=3), 'line 1, spans: expected a list; got "3"'),
        (accepted((0, 99, "x")), "line 1, violation 1, end: expected at most 15 (the end of the text); got 99"),
        (accepted(_input_hash=None), "1, column id: expected one in every line; got nothing"),
    ],
)
def test_wrong_lines_of_prodigy_are_told(prodigy, record, message):
    records = [record, accepted((0, 5, "x"), id="ok")]
    assert message in refusal(prodigy, *records)
    assert spans(prodigy(*records, drop=True))[-1][1:] == (0, 5, "x")


M2 = """S This are  a sentence .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 3 3|||M:ADJ|||short|||REQUIRED|||-NONE-|||0
A 5 5|||M:PUNCT|||-NONE-|||REQUIRED|||-NONE-|||1

S Fine \U0001f600 here
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 3|||U:OTHER||||||REQUIRED|||-NONE-|||1

S
"""


def test_offsets_of_tokens_become_offsets_of_characters(written):
    path = written(M2, "x.m2")
    assert "found: 0, 1\n" in refusal(truth, path, kind=OptionError)
    first, second = (truth(path, annotators=[name]) for name in "01")
    assert first.texts.rows() == [("1", "This are a sentence ."), ("2", "Fine \U0001f600 here"), ("3", "")]
    assert first.texts.equals(second.texts)
    assert spans(first, PLACE, "start", "end", "rule", "correction") == [
        (0, 5, 8, "R:VERB:SVA", "is"),
        (0, 11, 11, "M:ADJ", "short"),
    ]
    assert spans(second, PLACE, "start", "end", "rule", "correction") == [
        (0, 21, 21, "M:PUNCT", None),
        (1, 5, 11, "U:OTHER", None),
    ]
    assert first.rows == 3
    assert [one.name for one in predicted(path, first)] == ["0", "1"]
    assert spans(truth(path, "m2", annotators=["0"], offset_base=1)) == spans(first)


def test_sentences_without_edits_are_texts(written):
    found = truth(written("S a b\r\n\r\nS c\r\n", "x.txt"))
    assert found.texts.rows() == [("1", "a b"), ("2", "c")]


@pytest.mark.parametrize(
    "line",
    [
        *("A 0 3|||r|||x|||y|||z|||0", "A 1 0|||r|||x|||y|||z|||0", "A x 1|||r|||x|||y|||z|||0"),
        *("A 0 1|||r|||x|||0", "A 0 1|||r|||x|||y|||z|||", "B 0 1"),
    ],
)
def test_wrong_lines_of_m2_are_told(written, line):
    path = written(f"S a b\n{line}\nA 0 1|||ok|||x|||y|||z|||0\n", "x.m2")
    expected = f'line 2: expected a sentence (S), or an edit of its tokens (A) with 6 fields; got "{line}"'
    assert expected in refusal(truth, path, "m2")


def test_no_column_of_m2_may_be_mapped(written):
    text = refusal(truth, written(M2, "x.m2"), kind=OptionError, columns={"id": "key"})
    assert "no column may be mapped; got id" in text
