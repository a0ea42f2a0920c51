"""Logs of Inspect are judgments of a model by the target, of whatever task they are."""

import json
import zipfile

import polars as pl
import pytest

from adjudge import DataError
from made_labels import INSPECT, judgments, rows_of


def log(*samples: dict[str, object]) -> dict[str, object]:
    return {**INSPECT, "samples": [{"id": 1, "epoch": 1, "target": "kind", **one} for one in samples]}


def scored(answer: str | None, value: object = "I") -> dict[str, object]:
    return {"scores": {"match": {"value": value, "answer": answer}}}


def test_the_scorers_answer_is_the_label_and_the_target_the_reference(written):
    read = judgments(written(INSPECT))
    assert rows_of(read) == [("1", "openai/m", "kind", "kind"), ("2", "openai/m", "kind", "rude")]


def test_of_several_targets_the_first_stands_for_all(written):
    document = log({"target": ["kind", "nice"], **scored("nice", "C")})
    assert rows_of(judgments(written(document))) == [("1", "openai/m", "kind", "kind")]


def test_a_sample_that_was_run_again_counts_the_last_time(written):
    assert rows_of(judgments(written(log(scored("rude"), scored("kind"))))) == [("1", "openai/m", "kind", "kind")]


def test_epochs_are_items_that_belong_together(written):
    read = judgments(written(log(scored("kind"), {"epoch": 2, **scored("rude")})))
    assert rows_of(read) == [("1#1", "openai/m", "kind", "kind"), ("1#2", "openai/m", "rude", "kind")]
    assert read.frame["cluster"].cast(pl.String).to_list() == ["1", "1"]


def test_answers_that_a_scorer_counts_as_right_but_are_not_the_target_are_told(written):
    read = judgments(written(log(scored("Kind, I think", "C"))))
    assert any("the scorer match counts 1 answer that differs from the target as right" in one for one in read.warnings)


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_that_inspect_writes_of_any_task_reads_as_its_json(written, tmp_path, ending):
    logs = pytest.importorskip("inspect_ai.log")
    spec = {"config": {}, "dataset": {"name": "tone", "samples": 2, "sample_ids": [1, 2]}, **INSPECT["eval"]}
    path = tmp_path / f"log.{ending}"
    logs.write_eval_log(logs.EvalLog.model_validate({**INSPECT, "eval": spec}), str(path))
    assert rows_of(judgments(path)) == rows_of(judgments(written(INSPECT)))


SAMPLE = {"id": 1, "epoch": 1, "input": "x", "target": "kind", "scores": {"match": {"value": "C", "answer": "kind"}}}
HEADER = {**INSPECT, "eval": {"dataset": {"samples": 1, "sample_ids": [1]}, "config": {}, **INSPECT["eval"]}}


ODD_HEADER = {**HEADER, "eval": {**HEADER["eval"], "dataset": None, "config": 1}}
ODD_SAMPLE = {**SAMPLE, "target": None, "scores": {"match": {}}}
MISSING = "missing, or not what Inspect writes there"


@pytest.mark.parametrize(
    ("header", "sample", "wrong"),
    [
        (ODD_HEADER, SAMPLE, f"{MISSING}: eval.dataset, eval.config"),
        (HEADER, ODD_SAMPLE, f"{MISSING}: target.str, target.list[str], scores.match.value"),
        (None, SAMPLE, "it holds no _journal/start.json"),
        ("{", SAMPLE, "what it holds is no JSON"),
        (HEADER, SAMPLE, None),
    ],
)
def test_what_is_wrong_with_a_log_made_by_hand_is_said_in_words(tmp_path, header, sample, wrong):
    """Where its header or a sample has not what Inspect's own types ask for."""
    pytest.importorskip("inspect_ai.log")
    path = tmp_path / "hand.eval"
    with zipfile.ZipFile(path, "w") as archive:
        if header:
            text = header if isinstance(header, str) else json.dumps({**header, "samples": None})
            archive.writestr("header.json", text)
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    if wrong is None:
        assert rows_of(judgments(path)) == [("1", "openai/m", "kind", "kind")]
        return
    with pytest.raises(DataError) as refused:
        judgments(path)
    assert str(refused.value) == f"{path}: expected a log of Inspect; {wrong}"
