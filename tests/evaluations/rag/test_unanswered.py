"""What became of questions to models: answers that did not come, and verdicts on answers."""

import json

import pytest

import adjudge

QUESTION = {"ability": "noise_robustness", "noise_ratio": 0.4, "model": "m", "answer": ["Lima"]}


def written(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def answers(tmp_path, *said):
    """A file of answers. said: of each the response and the outcome."""
    rows = [{**QUESTION, "id": f"q{n}", "response": text, "outcome": outcome} for n, (text, outcome) in enumerate(said)]
    return written(tmp_path / "answers.jsonl", *rows)


def share(report, metric, asked):
    keys = {"model": "m", "ability": "noise_robustness", "asked": asked}
    return report.estimate(metric, table="replies", **keys).value


def test_what_became_of_questions_to_the_model_is_told(tmp_path):
    path = answers(tmp_path, ("Lima", "answered"), ("Rome", "answered"), (None, "failed"), (None, "refused"))
    report = adjudge.rag(path, scorer="strict")
    shares = {"answered": 2 / 4, "refused": 1 / 4, "unparseable": 0.0, "failed": 1 / 4}
    assert {one: share(report, one, "answers") for one in shares} == pytest.approx(shares)
    keys = {"ability": "noise_robustness", "scorer": "strict"}
    bounds = [report.estimate(f"accuracy_{end}", table="scores", **keys).value for end in ("lowest", "highest")]
    assert bounds == pytest.approx([1 / 4, 3 / 4])


@pytest.mark.parametrize(("scorer", "fate"), [("strict", "excluded"), ("document", "counted as wrong")])
def test_a_missing_answer_is_said_to_count_as_its_scorer_counts_it(tmp_path, scorer, fate):
    report = adjudge.rag(answers(tmp_path, ("Lima", "answered"), (None, "failed")), scorer=scorer)
    assert report.summary.cautions[0].text == f"m: 1 of 2 answers missing, {fate}"
    n = report.estimate("accuracy", table="scores", ability="noise_robustness", scorer=scorer).n
    assert n == {"excluded": 1, "counted as wrong": 2}[fate]


def test_what_became_of_questions_to_a_judge_is_told_with_bounds(tmp_path):
    path = answers(tmp_path, *[(f"Lima {n}", "answered") for n in range(4)])
    said = [(True, "answered"), (None, "refused"), (None, "unparseable"), (False, "answered")]
    rows = [{"id": f"q{n}", "model": "m", "correct": one, "outcome": outcome} for n, (one, outcome) in enumerate(said)]
    report = adjudge.rag(path, scorer="strict", verdicts=written(tmp_path / "verdicts.jsonl", *rows))
    shares = {"answered": 2 / 4, "refused": 1 / 4, "unparseable": 1 / 4, "failed": 0.0}
    assert {one: share(report, one, "verdicts") for one in shares} == pytest.approx(shares)
    assert set(report["replies"]["asked"]) == {"verdicts"}
    keys = {"ability": "noise_robustness", "scorer": "judge"}
    values = [
        report.estimate(name, table="scores", **keys).value
        for name in ("accuracy", "accuracy_lowest", "accuracy_highest")
    ]
    assert values == pytest.approx([1 / 2, 1 / 4, 3 / 4])


def test_a_comparison_says_what_became_of_the_questions_in_both_runs(tmp_path):
    silent = (None, "refused")
    runs = {"before": [("Lima", "answered"), silent, silent], "after": [("Lima", "answered")] * 2 + [silent]}
    rows = [{"id": f"q{n}", "model": "m", "correct": True, "outcome": "answered"} for n in range(3)]
    verdicts = written(tmp_path / "verdicts.jsonl", *rows)
    for run, said in runs.items():
        options = {"scorer": "all", "verdicts": verdicts, "save_items": tmp_path / f"{run}.parquet"}
        adjudge.rag(answers(tmp_path, *said), **options)
    report = adjudge.compare([tmp_path / "before.parquet", tmp_path / "after.parquet"])
    found = {
        (row["asked"], row["metric"]): (row["first_value"], row["second_value"], row["n"])
        for row in report["replies"].to_dicts()
    }
    assert found["answers", "answered"] == (1 / 3, 2 / 3, 3)
    assert found["answers", "refused"] == (2 / 3, 1 / 3, 3)
    assert found["verdicts", "answered"] == (1, 1, 3)
