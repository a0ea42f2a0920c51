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


def test_rejection_has_negatives_alone_and_closed_book_has_none(questions):
    found = prepare_rag(questions, ability="negative_rejection")
    assert {prompt["noise_ratio"] for prompt in found.prompts} == {1.0}
    closed = prepare_rag(questions, ability="noise_robustness", passages=0, draws=2)
    assert len(closed.prompts) == 20
    assert closed.warnings == ()
    assert closed.prompts[0]["documents"] == []
    assert (closed.prompts[0]["noise_ratio"], closed.prompts[0]["reached_noise"]) == (None, None)


def test_noise_that_is_no_ratio_is_refused_and_nothing_is_written(run, questions, tmp_path):
    path = tmp_path / "p.jsonl"
    status, _, said = run("prepare", questions, "--ability", "noise_robustness", "--output", path, "--noise", "0,x")
    assert status == 2
    assert '--noise: expected a number from 0 to 1; got "x"' in said
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"ability": "noise"}, "ability: expected one of"),
        *(
            ({"noise": one}, "noise: expected a number")
            for one in ("0.2", 2, float("nan"), [True], [None], object(), [10**400])
        ),
        ({"noise": []}, "expected at least one ratio"),
        ({"noise": 0, "passages": 0}, "expected none without passages"),
        ({"passages": -1}, "passages: expected a whole number"),
        ({"draws": 0}, "draws: expected a whole number, 1 or more"),
        ({"output": "prompts.json"}, "expected a name that ends in one of .jsonl"),
    ],
)
def test_arguments_that_are_none(questions, arguments, said):
    with pytest.raises(OptionError, match=said):
        prepare_rag(questions, **({"ability": "noise_robustness"} | arguments))


def test_the_audit_is_that_of_the_library(run, questions, tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("python", "command")]
    found = audit_rag(questions, passages=7, output=paths[0])
    assert run("audit", questions, "--passages", 7, "--output", paths[1]) == (0, f"{found}\n", "")
    assert "too few documents: 1 in 1 question" in str(found)
    assert pl.read_csv(paths[0]).select("id", "finding").rows() == [(0, "too few documents")]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with pytest.raises(OptionError, match=r"expected a name that ends in one of \.csv"):
        audit_rag(questions, output=tmp_path / "odd.txt")
    with pytest.raises(OptionError, match="passages: expected 1 or more; got 0"):
        audit_rag(questions, passages=0)
