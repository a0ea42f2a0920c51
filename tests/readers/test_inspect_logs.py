"""Logs of Inspect are judgments of a model by the target, of whatever task they are."""

import json
import zipfile

import pytest

from adjudge import DataError
from made_labels import INSPECT, judgments, rows_of


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_log_that_inspect_writes_of_any_task_reads_as_its_json(written, tmp_path, ending):
    logs = pytest.importorskip("inspect_ai.log")
    spec = {"config": {}, "dataset": {"name": "tone", "samples": 2, "sample_ids": [1, 2]}, **INSPECT["eval"]}
    path = tmp_path / f"log.{ending}"
    logs.write_eval_log(logs.EvalLog.model_validate({**INSPECT, "eval": spec}), str(path))
    assert rows_of(judgments(path)) == rows_of(judgments(written(INSPECT)))


SAMPLE = {"id": 1, "epoch": 1, "input": "x", "target": "kind", "scores": {"match": {"value": "C", "answer": "kind"}}}
HEADER = {**INSPECT, "eval": {"dataset": {"samples": 1, "sample_ids": [1]}, "config": {}, **INSPECT["eval"]}}

WRONG = "its parts are damaged, or not what the installed version of Inspect writes"


@pytest.mark.parametrize(("header", "wrong"), [(None, WRONG), (HEADER, None)])
def test_what_is_wrong_with_a_log_made_by_hand_is_said_in_words(tmp_path, header, wrong):
    """Where its header or a sample has not what Inspect's own types ask for."""
    pytest.importorskip("inspect_ai.log")
    path = tmp_path / "hand.eval"
    with zipfile.ZipFile(path, "w") as archive:
        if header:
            archive.writestr("header.json", json.dumps({**header, "samples": None}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(SAMPLE))
    if wrong is None:
        assert rows_of(judgments(path)) == [("1", "openai/m", "kind", "kind")]
        return
    with pytest.raises(DataError) as refused:
        judgments(path)
    assert str(refused.value) == f"{path}: expected a log of Inspect; {wrong}"
