"""`adjudge convert` turns files of any format into Adjudge's own form, whole or not at all."""

import json
import re
from itertools import cycle

import pytest

import adjudge as library
from adjudge.errors import DataError
from adjudge.readers.answers.answers import AnswerReading as AnswerOptions
from adjudge.readers.answers.answers import read_answers
from adjudge.readers.inputs import sources
from adjudge.readers.spans.violations import SpanReading, read_truth
from adjudge.readers.tables import scan
from made import DATA, item
from made_marks import TEXT
from made_pairs import comparison, document, read, votes
from made_samples import CONTAINERS, SAMPLES

# --- pairs ---

CASE = DATA / "annotations" / "annotated_pairs.json"


def test_both_formats_give_the_same_pairs(adjudge, tmp_path):
    first = read(CASE)
    for ending in ("json", "parquet"):
        status, printed, said = adjudge("convert", CASE, tmp_path / f"out.{ending}")
        assert (status, said) == (0, "")
        assert re.fullmatch(rf"(\d+) pairs read, \1 written to .*out\.{ending}\n", printed)
        again = read(tmp_path / f"out.{ending}")
        assert again.frame.collect().equals(first.frame.collect())
        for part in ("name", "annotators", "default"):
            assert getattr(again, part) == getattr(first, part)


def test_a_wide_table_is_converted_as_it_is_told(adjudge, tmp_path, written):
    rows = [{"instruction": "Q", "response1": True, "response2": "no", "annotator1": 1, "annotator2": 0}]
    words = ["--columns", "prompt=instruction,text_a=response1,text_b=response2"]
    words += ["--annotator-columns", "annotator1,annotator2", "--vote-values", "text_a=1,text_b=2,both=0"]
    status, printed, _ = adjudge("convert", written(rows), tmp_path / "out.json", *words)
    assert (status, printed) == (0, f"1 pair read, 1 written to {tmp_path / 'out.json'}\n")
    assert votes(read(tmp_path / "out.json")) == {"annotator1": ["text_a"], "annotator2": ["both"]}


def test_invalid_pairs_are_refused_or_dropped_and_counted(adjudge, tmp_path, written):
    source = written(document(comparison("1", {"ann": "a"}), comparison("2", {"ann": "c"})))
    target = tmp_path / "out.parquet"
    target.write_text("what was there")
    status, _, said = adjudge("convert", source, target)
    assert status == 1
    assert "comparison 2, annotations.ann.pref: expected one of" in said
    assert target.read_text() == "what was there"
    status, _, said = adjudge("convert", source, target, "--on-invalid", "drop")
    assert status == 0
    assert "1 invalid pair was dropped" in said
    assert votes(read(target))["ann"] == ["text_a"]


# --- violations and answers ---

MARKS = [one for one in SAMPLES if one.evaluation == "violations"]
ANSWERS = [one for one in SAMPLES if one.evaluation == "rag"]


def in_lines(path):
    """The objects of a file of JSON lines, without what is missing in those of their lists."""
    lines = [json.loads(one) for one in path.read_text().splitlines()]
    for marks in (line.get("violations") or [] for line in lines):
        marks[:] = [{name: one for name, one in mark.items() if one is not None} for mark in marks]
    return lines


def told(sample):
    """What convert is told: flat tables do not say what they hold, and exports of some tools may hold other data."""
    unclear = (*CONTAINERS, "spans", "argilla", "label-studio")
    return {"evaluation": sample.evaluation} if sample.format in unclear else {}


@pytest.mark.parametrize("sample", MARKS, ids=str)
def test_violations_of_every_format_read_back_the_same(tmp_path, sample):
    path, out, made = sample.put(tmp_path), tmp_path / "out.jsonl", tmp_path / "made.parquet"
    library.convert(path, out, **told(sample))
    library.convert(out, made)
    before, *after = (sources(one, None, "violations")[0] for one in (path, out, made))
    for name in {line.get("annotator", line.get("checker")) for line in in_lines(out)}:
        options = SpanReading(annotators=[name] if name else [])
        first = read_truth(before, options)
        for one in after:
            again = read_truth(one, options)
            assert first.texts.equals(again.texts), one.name
            assert first.spans.equals(again.spans), one.name


@pytest.mark.parametrize("sample", ANSWERS, ids=str)
def test_answers_of_every_format_read_back_the_same(tmp_path, sample):
    path, out = sample.put(tmp_path), tmp_path / "out.jsonl"
    gold = {name: tmp_path / held for name, held in sample.options.items() if name == "gold"}
    others = {name: held for name, held in sample.options.items() if name not in ("gold", "by", "cluster")}
    library.convert(path, out, **told(sample), **gold, **others)
    (source,) = sources(out, None, "rag")
    again = read_answers(source, AnswerOptions()).frame
    library.convert(out, tmp_path / "again.parquet")
    library.convert(tmp_path / "again.parquet", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == out.read_bytes()
    scored = [library.rag(path, **gold, **others), library.rag(out)]
    assert scored[0].tables["scores"].equals(scored[1].tables["scores"])
    assert again.height == len(in_lines(out))


def test_a_table_of_spans_becomes_a_line_per_text(adjudge, tmp_path, written):
    table = "id,text,start,end,rule\n1,Cures headache.,0,5,claim\n1,Cures headache.,6,14,illness\n2,Tea,,,\n"
    words = [written(table, "a.csv"), tmp_path / "out.jsonl", "--evaluation", "violations"]
    assert adjudge("convert", *words) == (0, f"2 lines read, 2 written to {tmp_path / 'out.jsonl'}\n", "")
    assert in_lines(tmp_path / "out.jsonl") == [
        {
            "id": "1",
            "text": TEXT,
            "violations": [{"start": 0, "end": 5, "rule": "claim"}, {"start": 6, "end": 14, "rule": "illness"}],
        },
        {"id": "2", "text": "Tea", "violations": []},
    ]


def line(number, text=TEXT, start=0, **who):
    return json.dumps({"id": number, "text": text, **who, "violations": [{"start": start, "end": 5}]}) + "\n"


def test_offsets_from_one_count_from_zero_in_what_is_written(adjudge, tmp_path, written):
    assert adjudge("convert", written(line("1", start=1)), tmp_path / "o.jsonl", "--offset-base", 1)[0] == 0
    assert in_lines(tmp_path / "o.jsonl")[0]["violations"] == [{"start": 0, "end": 4}]


def test_what_a_checker_invented_and_what_it_did_not_answer_stay(adjudge, tmp_path, written):
    lines = [
        {"id": "1", "text": TEXT, "checker": "m", "outcome": "answered", "violations": [{"invented": "cancer"}]},
        {"id": "2", "text": "Tea", "checker": "m", "outcome": "refused", "violations": None},
    ]
    source = written("".join(json.dumps(one) + "\n" for one in lines), "p.jsonl")
    assert adjudge("convert", source, tmp_path / "o.jsonl")[0] == 0
    assert in_lines(tmp_path / "o.jsonl") == lines


def answer(number, said="Lyon", **further):
    row = {"id": number, "ability": "question_answering", "model": "m", "response": said, "answer": ["Lyon", "Lyons"]}
    return json.dumps({**row, **further}) + "\n"


def test_true_answers_are_written_so_that_they_read_in_one_way(adjudge, tmp_path, written):
    text = answer("1", documents=[])
    words = [written(text), tmp_path / "o.jsonl", "--evaluation", "rag"]
    status, _, said = adjudge("convert", *words, "--answer-lists", "aliases")
    assert (status, said) == (0, "")
    assert in_lines(tmp_path / "o.jsonl") == [json.loads(text) | {"answer": [["Lyon", "Lyons"]]}]


@pytest.mark.parametrize(
    ("out", "words", "expected"),
    [
        ("o.md", [], "expected a name that ends in one of .jsonl, .parquet"),
        ("o.jsonl", ["--vote-values", "text_a=1"], "concerns pairs; the input holds violations"),
        ("o.jsonl", ["--answer-lists", "slots"], "concerns answers; the input holds violations"),
    ],
)
def test_what_cannot_be_written_is_refused_with_what_can(adjudge, tmp_path, written, out, words, expected):
    status, _, said = adjudge("convert", written(line("1"), "1.jsonl"), tmp_path / out, *words)
    assert status == 2
    assert expected in said


@pytest.mark.parametrize(
    ("evaluation", "content", "name"),
    [
        ("rag", answer("1", answer="Lyon", topic="towers"), "1.jsonl"),
        ("violations", "id,text,start,end,topic\n1,Tea,0,2,drinks\n", "a.csv"),
    ],
)
def test_columns_that_are_not_written_are_named(adjudge, tmp_path, written, evaluation, content, name):
    _, _, said = adjudge("convert", written(content, name), tmp_path / "o.jsonl", "--evaluation", evaluation)
    assert "columns that are not written: topic" in said


# --- tables ---

ENDINGS = ("csv", "tsv", "jsonl", "parquet")
FIRST = {one.format: one for one in reversed(SAMPLES) if one.evaluation == "reliability"}
"""Format -> its first sample; what its other shapes hold is tested with their readers."""
JUDGED = list(zip(reversed(FIRST.values()), cycle(ENDINGS)))

AMBIGUOUS = ("label-studio", "argilla", "prodigy", "kili")
"""Formats of tools whose exports may hold labels, comparisons and spans."""


def rows(path):
    """What a converted file holds, without what is missing."""
    (source,) = sources(path)
    return [{name: one for name, one in row.items() if one is not None} for row in scan(source).collect().to_dicts()]


# --- judgments ---


@pytest.mark.parametrize(("sample", "ending"), JUDGED, ids=str)
def test_judgments_of_every_format_give_the_same_figures(tmp_path, sample, ending):
    path, out = sample.put(tmp_path), tmp_path / f"out.{ending}"
    reading = {
        name: sample.options[name] for name in ("columns", "constant", "annotator_columns") if name in sample.options
    }
    library.convert(path, out, **reading, evaluation="reliability" if sample.format in AMBIGUOUS else None)
    by = {name: held for name, held in sample.options.items() if name == "by"}
    trusted = {} if any("reference" in row for row in rows(out)) else {"reference": sample.options["reference"]}
    first = {**sample.options, "reference": trusted.get("reference", ())}
    before, after = library.reliability(path, **first), library.reliability(out, **trusted, **by)
    for name, table in before.tables.items():
        assert after.tables[name].equals(table), name


def test_the_summary_counts_what_was_left_out(adjudge, tmp_path, written):
    source = written("item,annotator,label\n1,ana,a\n2,,a\n3,ana,b\n", "1.csv")
    status, printed, said = adjudge("convert", source, tmp_path / "o.csv", "--on-invalid", "drop")
    assert (status, printed) == (0, f"3 judgments read, 2 written to {tmp_path / 'o.csv'}, 1 skipped\n")
    assert "1 invalid row was dropped" in said


def test_several_references_of_an_item_are_refused(tmp_path, written):
    judged = [{"id": "1", **item("a", ana="a"), "QC": {one: {"item_flag": "No", "best": "a"} for one in ("x", "y")}}]
    with pytest.raises(DataError, match="several annotators are the reference of one item"):
        library.convert(written(judged), tmp_path / "o.jsonl")


# --- preferences ---

GOLD = {"id": "1", "instruction": "Hi", "output_a": "Ho", "output_b": "Hello", "safety_preference": "A", "week": "w"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_preferences_give_the_same_figures_in_every_format(tmp_path, written, ending):
    labels = zip(["A", "B", "both_bad", None], ["why", None, "so", None], "wwvv", strict=True)
    table = [
        {**GOLD, "id": str(n), "safety_preference": label, "safety_explanation": why, "week": week}
        for n, (label, why, week) in enumerate(labels)
    ]
    wrong = [{"id": row["id"], "safety_preference": "A", "safety_explanation": "x"} for row in table]
    wrong[0]["safety_outcome"] = "answered"
    gold, predicted = written(json.dumps(table), "gold.json"), written(json.dumps(wrong), "predicted.json")
    for path in (gold, predicted):
        library.convert(path, tmp_path / f"{path.stem}-made.{ending}")
    options = {"criteria": "safety", "by": "week", "explanations": True, "system": "s"}
    before = library.preferences(gold, predicted, **options)
    after = library.preferences(*(tmp_path / f"{name}-made.{ending}" for name in ("gold", "predicted")), **options)
    for name, made in before.tables.items():
        assert after.tables[name].equals(made), name


def test_a_table_that_does_not_show_what_it_holds_is_refused_with_what_to_say(adjudge, tmp_path, written):
    source = written("a,b\n1,2\n", "x.csv")
    status, _, said = adjudge("convert", source, tmp_path / "o.csv")
    assert status == 2
    assert f"--evaluation: nothing shows what {source} holds; its columns are a, b\n  fix:   --evaluation " in said


def test_an_export_that_may_hold_several_kinds_of_data_is_refused_with_what_to_say(adjudge, tmp_path):
    path = FIRST["label-studio"].put(tmp_path)
    status, _, said = adjudge("convert", path, tmp_path / "o.csv")
    assert status == 2
    assert "may hold data for several: violations, reliability\n  fix:   --evaluation violations" in said
