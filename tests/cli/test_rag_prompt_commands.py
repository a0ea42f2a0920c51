"""`adjudge rag prepare` and `adjudge rag audit`: what is printed, written and refused."""

import json
from functools import partial

import polars as pl
import pytest

from adjudge.api.rag_prompts import audit_rag, prepare_rag
from adjudge.errors import OptionError


@pytest.fixture
def run(adjudge):
    """A command of this evaluation: exit status, standard output and standard error."""
    return partial(adjudge, "rag")


@pytest.fixture
def questions(written):
    lines = [
        {
            "id": number,
            "query": f"Where was {number}?",
            "answer": [["Tampa", "Tampa Bay"]],
            "fakeanswer": "Rome",
            "positive": [f"It was in Tampa, {place}." for place in range(5)],
            "positive_wrong": [f"It was in Rome, {place}." for place in range(5)],
            "negative": [f"Tickets – {place}" for place in range(5 if number else 1)],
        }
        for number in range(10)
    ]
    return written("".join(json.dumps(line) + "\n" for line in lines), "en_fact.json")


def test_prompts_are_those_of_the_library(run, questions, tmp_path):
    path = tmp_path / "prompts.jsonl"
    words = ("--ability", "counterfactual_robustness", "--noise", "0,0.4", "--noise", "0.8", "--passages", 4)
    status, out, err = run("prepare", questions, *words, "--seed", 3, "--draws", 2, "--output", path)
    assert status == 0
    assert out == f"{path}: 60 prompts\n"
    assert err.startswith("warning: 4 of 60 prompts have fewer passages")
    found = prepare_rag(
        questions, ability="counterfactual_robustness", noise=(0, 0.4, 0.8), passages=4, seed=3, draws=2
    )
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == list(found.prompts)
    assert (found.short, str(found)) == (4, "60 prompts")
    assert "–" in path.read_text(encoding="utf-8")


def test_an_audit_is_written_from_python_as_from_the_command_line(run, written, tmp_path):
    row = {"id": "1", "query": "Where?", "answer": "Tampa", "positive": ["Here."], "negative": ["In Tampa."]}
    questions = written(json.dumps(row), "questions.jsonl")
    found = audit_rag(questions, output=tmp_path / "python.csv")
    assert run("audit", questions, "--output", tmp_path / "command.csv")[1] == f"{found}\n"
    assert pl.read_csv(tmp_path / "python.csv").height == found.findings.height > 0
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "command.csv").read_bytes()
    with pytest.raises(OptionError, match=r"expected a name that ends in one of \.csv"):
        audit_rag(questions, output=tmp_path / "odd.txt")


def test_original_sampling(run, questions, tmp_path):
    path = tmp_path / "prompts.jsonl"
    assert (
        run("prepare", questions, "--ability", "noise_robustness", "--sampling", "original", "--output", path)[0] == 0
    )
    found = prepare_rag(questions, ability="noise_robustness", sampling="original")
    assert [json.loads(line) for line in path.read_text().splitlines()] == list(found.prompts)
    assert [prompt["noise_ratio"] for prompt in found.prompts[::10]] == [0, 0.2, 0.4, 0.6, 0.8]


def test_rejection_has_negatives_alone_and_closed_book_has_none(questions):
    found = prepare_rag(questions, ability="negative_rejection")
    assert {prompt["noise_ratio"] for prompt in found.prompts} == {1.0}
    closed = prepare_rag(questions, ability="noise_robustness", passages=0, draws=2)
    assert len(closed.prompts) == 20
    assert closed.warnings == ()
    assert closed.prompts[0]["documents"] == []
    assert (closed.prompts[0]["noise_ratio"], closed.prompts[0]["reached_noise"]) == (None, None)


def test_a_table_and_numbers_of_any_kind(questions):
    table = pl.read_ndjson(questions)
    first = prepare_rag(table, ability="noise_robustness", noise=0)
    assert first.prompts == prepare_rag(questions, ability="noise_robustness", noise=[-0.0]).prompts


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--noise", "0,x"), "--noise: expected ratios from 0 to 1; got 'x'"),
        (("--noise", "2"), "expected ratios from 0 to 1; got 2"),
        (("--noise", "nan"), "expected ratios from 0 to 1; got nan"),
        (("--noise", "0,0"), "expected each ratio once"),
        (("--passages", "0", "--noise", "0"), "expected none without passages"),
        (("--sampling", "original", "--draws", "2"), "the same documents every time"),
    ],
)
def test_options_that_are_none(run, questions, tmp_path, words, said):
    path = tmp_path / "p.jsonl"
    status, _, err = run("prepare", questions, "--ability", "noise_robustness", "--output", path, *words)
    assert status == 2
    assert said in err
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"ability": "noise"}, "ability: expected one of"),
        ({"sampling": None}, "sampling: expected one of"),
        ({"noise": "0.2"}, "noise: expected ratios"),
        ({"noise": [True]}, "noise: expected ratios"),
        ({"noise": [None]}, "noise: expected ratios"),
        ({"noise": object()}, "noise: expected ratios"),
        ({"noise": [10**400]}, "noise: expected ratios"),
        ({"noise": []}, "expected at least one ratio"),
        ({"passages": -1}, "passages: expected a whole number"),
        ({"passages": 2.5}, "passages: expected a whole number"),
        ({"seed": "a"}, "seed: expected a whole number"),
        ({"draws": 0}, "draws: expected a whole number from 1"),
        ({"output": 3}, "output: expected the path"),
        ({"output": "prompts.json"}, "expected a name that ends in one of .jsonl"),
        ({"progress": 3}, "progress: expected a function"),
        ({"batch_file": "batch.jsonl", "model": "name"}, "model: expected PROVIDER/NAME"),
    ],
)
def test_arguments_that_are_none(questions, arguments, said):
    with pytest.raises(OptionError, match=said):
        prepare_rag(questions, **({"ability": "noise_robustness"} | arguments))


def test_an_input_is_never_replaced(run, questions, tmp_path):
    path = tmp_path / "q.jsonl"
    questions.rename(path)
    before = path.read_bytes()
    status, _, said = run("prepare", path, "--ability", "noise_robustness", "--output", path)
    assert status == 2
    assert "would be written over an input" in said
    assert path.read_bytes() == before


def test_the_audit_is_that_of_the_library(run, questions, tmp_path):
    path = tmp_path / "odd.csv"
    status, out, err = run("audit", questions, "--passages", 7, "--output", path)
    assert (status, err) == (0, "")
    found = audit_rag(questions, passages=7)
    assert out == f"{found}\n"
    assert "too few documents: 1 in 1 question" in out
    assert pl.read_csv(path).select("id", "finding").rows() == [(0, "too few documents")]


def test_the_audit_says_what_it_left_out(run, questions):
    questions.write_text(questions.read_text().replace('"id"', '"note": 1, "id"'))
    assert run("audit", questions)[2].startswith("warning: keys that mean nothing to Adjudge are left out")


def test_the_audit_refuses_what_it_cannot_do(run, questions, tmp_path):
    status, _, said = run("audit", questions, "--output", tmp_path / "odd.json")
    assert status == 2
    assert "ends in one of .csv" in said
    status, _, said = run("audit", _broken(tmp_path))
    assert status == 1
    assert "expected JSON" in said
    with pytest.raises(OptionError, match="passages: expected 1 or more; got 0"):
        audit_rag(questions, passages=0)


def _broken(folder):
    path = folder / "broken.json"
    path.write_text('{"id": 1,')
    return path
