"""Adjudge's tasks of Inspect: their scores are the outcomes of `score`, and their logs are read by it."""

import json
import subprocess
import sys
from math import isnan
from pathlib import Path

import polars as pl
import pytest

import adjudge

pytest.importorskip("inspect_ai", reason="asking models needs adjudge[models]")

from inspect_ai import eval as run_task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_find, registry_info
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from adjudge import tasks
from adjudge.errors import DataError
from made import EXAMPLES

pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings(
        "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
    ),
]


def mock(answer):
    """Inspect's mock model with answers of ours; usage is given, since counting tokens needs the network."""

    def output(messages, tools, choice, config):
        made = ModelOutput.from_content("mock", answer(messages[-1].text))
        made.usage = ModelUsage()
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def logged(task, answer, folder, epochs=1):
    how = {"display": "none", "ctl_server": False, "log_realtime": False, "epochs": epochs}
    (log,) = run_task(task, model=mock(answer), log_dir=str(folder), **how)
    assert log.status == "success", log.error
    return Path(log.location.removeprefix("file://"))


def gold_file(tmp_path, count):
    """Labelled items of the examples: their frame, and the file."""
    gold = pl.read_ndjson(EXAMPLES / "preferences" / "gold.jsonl").head(count)
    gold.write_ndjson(tmp_path / "gold.jsonl")
    return gold, str(tmp_path / "gold.jsonl")


def on(*criteria, label="A"):
    """What a model answers that gives a label on each criterion."""
    return "FINAL VERDICT = " + json.dumps({name: {"explanation": "", "label": label} for name in criteria})


def scores_of(path):
    return [next(iter(one.scores.values())) for one in read_eval_log(str(path)).samples]


def rows_of(path):
    return [row for one in read_eval_log(str(path)).samples for row in one.store["adjudge"]["rows"]]


def lines(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def test_tasks_are_found_by_name():
    from importlib.metadata import entry_points

    (point,) = (one for one in entry_points(group="inspect_ai") if one.name == "adjudge")
    point.load()
    found = {registry_info(one).name for one in registry_find(lambda info: info.type == "task")}
    names = {"judge", "preferences_judge", "rag_robustness", "violations_check"}
    assert {name.rpartition("/")[2] for name in found} >= names


def test_preferences_are_scored_as_score_does_and_read_from_the_log(tmp_path):
    gold, file = gold_file(tmp_path, 8)
    task = tasks.preferences_judge(file, criteria="safety", swap=False)
    path = logged(task, lambda prompt: on("safety"), tmp_path)
    right = [label == "A" for label in gold["safety_preference"]]
    assert [one.value["safety"] for one in scores_of(path)] == [float(one) for one in right]
    report = adjudge.preferences(file, path, criteria="safety", system="judge")
    figure = report.estimate("accuracy", table="scores", system="judge", criterion="safety")
    assert (figure.value, figure.n) == (sum(right) / 8, 8)


def test_a_rubric_is_scored_by_the_labels_of_people(tmp_path):
    (tmp_path / "rubric.toml").write_text('[criteria.helpful]\nquestion = "Does it help?"\nscale = ["yes", "no"]\n')
    (tmp_path / "data.csv").write_text("answer,human_ana,human_ben\nHold it.,yes,no\nNo idea.,no,no\nYes.,yes,yes\n")
    task = tasks.judge(str(tmp_path / "data.csv"), str(tmp_path / "rubric.toml"))
    path = logged(task, lambda prompt: 'FINAL VERDICT = {"label": "yes", "confidence": 80}', tmp_path)
    assert [one.value["helpful"] for one in scores_of(path)] == [0.5, 0.0, 1.0]
    assert adjudge.card(path).estimate("agreement", table="judges").value == 0.5


def test_a_judge_that_always_names_the_first_is_found_out_by_the_other_order_and_epochs_are_refused(tmp_path):
    _, file = gold_file(tmp_path, 3)
    task = tasks.preferences_judge(file, criteria="safety")
    path = logged(task, lambda prompt: on("safety"), tmp_path / "once")
    labels = [row["safety_preference"] for row in rows_of(path)]
    assert labels == ["both_good"] * 3, "A and, turned back, B are level"
    path = logged(task, lambda prompt: on("safety"), tmp_path / "twice", epochs=2)
    with pytest.raises(DataError, match="expected one answer to each sample; got several epochs"):
        adjudge.preferences(file, path, criteria="safety")


def test_answers_from_documents_are_scored_and_read_from_the_log(tmp_path):
    row = {"query": "Where?", "answer": "Lima", "positive": ["It is in Lima."], "negative": ["No.", "Hm."]}
    file = lines(tmp_path / "questions.jsonl", *({"id": str(n), **row} for n in range(4)))
    task = tasks.rag_robustness(file, noise_ratio=0.5, passages=2)
    path = logged(task, lambda prompt: "It is in Lima.", tmp_path)
    assert [one.value for one in scores_of(path)] == [{"noise_robustness": 1.0}] * 4
    assert adjudge.rag(path)["scores"].select("value", "n").row(0) == (1.0, 4)


def test_violations_are_scored_and_read_from_the_log(tmp_path):
    marked = [{"start": 4, "end": 8, "rule": "no superlatives"}]
    lines(tmp_path / "truth.jsonl", {"id": "t1", "text": "The best tea. Drink it.", "violations": marked})
    (tmp_path / "rules.csv").write_text("rule,description\nno superlatives,nothing is the best\n")
    found = [{"quote": "best", "rule": "no superlatives", "explanation": "", "correction": "fine"}]
    task = tasks.violations_check(str(tmp_path / "truth.jsonl"), str(tmp_path / "rules.csv"))
    path = logged(task, lambda prompt: "FINAL VERDICT = " + json.dumps(found), tmp_path)
    report = adjudge.violations(tmp_path / "truth.jsonl", path)
    assert report.estimate("f1", table="scores", variant="std", average="micro").value == 1.0


def test_what_is_not_answered_has_no_score_and_says_why(tmp_path):
    gold, file = gold_file(tmp_path, 4)
    first, text = gold["safety_preference"][0], gold["output_a"][0]
    task = tasks.preferences_judge(file, criteria="safety", swap=False)
    path = logged(task, lambda prompt: on("safety", label=first) if text in prompt else "hm", tmp_path)
    one, *rest = scores_of(path)
    assert one.value == {"safety": 1.0}
    assert all(isnan(score.value) and "unparseable: " in score.explanation for score in rest)
    (result,) = read_eval_log(str(path)).results.scores
    assert (result.scored_samples, result.unscored_samples) == (1, 3)
    (average,) = result.metrics.values()
    assert average.value == 1.0, "of the one that was answered; the others are not wrong"


def test_a_log_without_an_answer_has_no_mean_and_says_so(tmp_path):
    pl.read_ndjson(EXAMPLES / "violations" / "truth.jsonl").head(2).write_ndjson(tmp_path / "truth.jsonl")
    (tmp_path / "rules.csv").write_text("rule,description\nno superlatives,nothing is the best\n")
    task = tasks.violations_check(str(tmp_path / "truth.jsonl"), str(tmp_path / "rules.csv"))
    path = logged(task, lambda prompt: "hm", tmp_path)
    (average,) = read_eval_log(str(path)).results.scores[0].metrics.values()
    assert isnan(average.value)
    with pytest.raises(DataError, match=r"its samples hold no answers \(unparseable: "):
        adjudge.violations(tmp_path / "truth.jsonl", path)


def test_inspect_runs_a_task_without_a_key_and_names_a_missing_file(tmp_path):
    _, file = gold_file(tmp_path, 2)
    given = ["-T", f"items={file}", "-T", "criteria=safety,relevance"]
    how = ["--log-dir", str(tmp_path / "logs"), "--model", "mockllm/model", "--display", "plain"]
    command = [sys.executable, "-m", "inspect_ai", "eval", "adjudge/preferences_judge", *given, *how]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    report = adjudge.preferences(file, path, criteria=["safety", "relevance"], system="mock")
    assert report.estimate("missing", table="scores", system="mock", criterion="safety").value == 0.0
    with pytest.raises(PrerequisiteError, match=r"nofile\.jsonl"):  # which Inspect tells in a line
        tasks.preferences_judge("nofile.jsonl", criteria="safety,relevance")


def test_a_log_of_another_task_is_refused_in_words(tmp_path):
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    path = logged(Task(dataset=[Sample(id="1", input="hm")], solver=generate()), lambda prompt: "x", tmp_path)
    with pytest.raises(DataError, match="expected a log of a task such as adjudge/preferences_judge"):
        adjudge.rag(path)


def test_an_argument_that_is_missing_or_unknown_is_told_in_a_line():
    with pytest.raises(PrerequisiteError, match="preferences_judge: missing a required argument: 'items'"):
        tasks.preferences_judge()
    with pytest.raises(PrerequisiteError, match="got an unexpected keyword argument 'itmes'"):
        tasks.preferences_judge("gold.jsonl", itmes="gold.jsonl")
