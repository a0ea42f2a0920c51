"""`adjudge convert` turns violations and answers of any format into Adjudge's own JSON lines."""

import json

import polars as pl
import pytest

import adjudge as library
from adjudge.readers.answers.answers import Options as AnswerOptions
from adjudge.readers.answers.answers import read_answers
from adjudge.readers.inputs import sources
from adjudge.readers.spans.violations import Options, read_truth
from made_marks import TEXT
from made_samples import CONTAINERS, SAMPLES

MARKS = [one for one in SAMPLES if one.evaluation == "violations"]
ANSWERS = [one for one in SAMPLES if one.evaluation == "rag"]


def in_lines(path):
    return [json.loads(one) for one in path.read_text().splitlines()]


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
        options = Options(annotators=[name] if name else [])
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


def test_a_table_from_python_is_converted(tmp_path):
    table = pl.DataFrame({"id": ["1"], "text": [TEXT], "start": [0], "end": [5]})
    library.convert(table, tmp_path / "o.jsonl", evaluation="violations")
    assert in_lines(tmp_path / "o.jsonl") == [{"id": "1", "text": TEXT, "violations": [{"start": 0, "end": 5}]}]


def test_a_tag_of_reasoning_that_is_left_in_a_response_reads_back(adjudge, tmp_path, written):
    source = written(answer("1", "<think>so</think> A </think> Lyon", answer="Lyon"), "1.jsonl")
    adjudge("convert", source, tmp_path / "o.jsonl", "--evaluation", "rag")
    read = [read_answers(one, AnswerOptions()).frame for one in sources([source, tmp_path / "o.jsonl"], None, "rag")]
    assert read[0].equals(read[1])
    assert read[1]["response"].to_list() == ["A </think> Lyon"]


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
