"""Logs of Inspect are judgments of a model by the target, of whatever task they are."""

import polars as pl
import pytest

from karat import DataError
from made_labels import INSPECT, judgments, said


def log(*samples: dict[str, object]) -> dict[str, object]:
    return {**INSPECT, "samples": [{"id": 1, "epoch": 1, "target": "kind", **one} for one in samples]}


def scored(answer: str | None, value: object = "I") -> dict[str, object]:
    return {"scores": {"match": {"value": value, "answer": answer}}}


def test_the_scorers_answer_is_the_label_and_the_target_the_reference(written):
    read = judgments(written(INSPECT))
    assert said(read) == [("1", "openai/m", "kind", "kind"), ("2", "openai/m", "kind", "rude")]


def test_of_several_targets_the_first_stands_for_all(written):
    document = log({"target": ["kind", "nice"], **scored("nice", "C")})
    assert said(judgments(written(document))) == [("1", "openai/m", "kind", "kind")]


def test_a_sample_that_was_run_again_counts_the_last_time(written):
    assert said(judgments(written(log(scored("rude"), scored("kind"))))) == [("1", "openai/m", "kind", "kind")]


def test_epochs_are_items_that_belong_together(written):
    read = judgments(written(log(scored("kind"), {"epoch": 2, **scored("rude")})))
    assert said(read) == [("1#1", "openai/m", "kind", "kind"), ("1#2", "openai/m", "rude", "kind")]
    assert read.frame["cluster"].cast(pl.String).to_list() == ["1", "1"]


def test_of_several_scorers_one_must_be_named(written):
    scores = {name: {"value": "C", "answer": "kind"} for name in ("match", "includes")}
    path = written(log({"scores": scores}))
    with pytest.raises(DataError, match=r"several questions were asked: match\.answer, includes\.answer\."):
        judgments(path)
    assert len(said(judgments(path, label="includes.answer"))) == 1


def test_answers_that_a_scorer_counts_as_right_but_are_not_the_target_are_told(written):
    read = judgments(written(log(scored("Kind, I think", "C"))))
    assert any("the scorer match counts 1 answer that differs from the target as right" in one for one in read.warnings)


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_that_inspect_writes_of_any_task_reads_as_its_json(written, tmp_path, ending):
    logs = pytest.importorskip("inspect_ai.log")
    spec = {"config": {}, "dataset": {"name": "tone", "samples": 2, "sample_ids": [1, 2]}, **INSPECT["eval"]}
    path = tmp_path / f"log.{ending}"
    logs.write_eval_log(logs.EvalLog.model_validate({**INSPECT, "eval": spec}), str(path))
    assert said(judgments(path)) == said(judgments(written(INSPECT)))
