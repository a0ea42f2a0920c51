"""`adjudge rag` from the command line and from Python: what is printed, written and refused."""

import inspect
import json
import shlex

import polars as pl
import pytest

import adjudge as library
from made import DATA
from made_reports import UNSIGNED, signed

CASES = DATA / "rag" / "document_rules.jsonl"


def answer(number, response, **more):
    return {
        "id": str(number),
        "ability": "noise_robustness",
        "model": "m",
        "noise_ratio": 0.0,
        "response": response,
        "answer": "Paris",
        **more,
    }


def keys(**more):
    return {"model": "m", "ability": "noise_robustness", "scorer": "strict", **more}


def figure(report, metric, noise=0.0, **more):
    rows = report["scores"].filter(metric=metric, **keys(**more))
    rows = rows.filter(pl.col("noise_ratio").eq_missing(pl.lit(noise, pl.Float64)))
    return rows.row(0, named=True)


def test_accuracy_counts_answers_given_and_says_what_missing_ones_could_change(written):
    rows = [answer(1, "It is Paris."), answer(2, "Rome"), answer(3, None), answer(4, "  ")]
    report = library.rag(written(rows, "a.json"))
    assert (figure(report, "accuracy")["value"], figure(report, "accuracy")["n"]) == (0.5, 2)
    assert figure(report, "missing")["value"] == 0.5
    assert figure(report, "accuracy_lowest")["value"] == 0.25
    assert figure(report, "accuracy_highest")["value"] == 0.75
    document = library.rag(written(rows, "a.json"), scorer="document")
    assert figure(document, "accuracy", scorer="document")["value"] == 0.25


def test_rejection_detection_and_correction(written):
    rejection = [
        answer(n, text, ability="negative_rejection", noise_ratio=1.0)
        for n, text in enumerate(["The documents do not contain the answer.", "It is Rome.", "Paris"])
    ]
    lies = [
        answer(n, text, ability="counterfactual_robustness", counterfactual="London")
        for n, text in enumerate(
            ["The documents are wrong: it is Paris, not London.", "London", "Paris", "The documents are wrong."]
        )
    ]
    report = library.rag(written([*rejection, *lies], "a.json"), scorer="all")
    assert figure(report, "rejection_rate", 1.0, ability="negative_rejection")["value"] == pytest.approx(1 / 3)
    values = {
        metric: figure(report, metric, ability="counterfactual_robustness")["value"]
        for metric in ("error_detection_rate", "error_correction_rate", "error_correction_rate_detected")
    }
    assert values == {"error_detection_rate": 0.5, "error_correction_rate": 0.5, "error_correction_rate_detected": 0.5}
    assert figure(report, "all_rate", 1.0, ability="negative_rejection", scorer="benchmark")["value"] == pytest.approx(
        1 / 3
    )


def test_noise_takes_accuracy_and_a_line_says_how_much(written):
    rows = [
        answer(n, "Paris" if n < right else "Rome", noise_ratio=noise)
        for noise, right in ((0.0, 8), (0.5, 6), (1.0, 4))
        for n in range(10)
    ]
    report = library.rag(written(rows, "a.json"))
    slope = figure(report, "slope", None)
    assert slope["value"] == pytest.approx(-0.4)
    assert slope["low"] < -0.4 < slope["high"]
    drops = report["differences"].filter(compared="noise", metric="accuracy")
    assert drops["value"].to_list() == pytest.approx([-0.2, -0.4])
    assert drops["p"].to_list() == pytest.approx([0.25, 0.0625])  # mid-P of 2 and 4 changes, all one way
    assert drops["p_adjusted"].to_list() == pytest.approx([0.25, 0.125])


def test_models_are_compared_on_the_same_questions(written):
    one = [answer(n, "Paris") for n in range(6)]
    other = [answer(n, "Paris" if n < 2 else "Rome", model="z") for n in range(8)]
    report = library.rag(written([*one, *other], "a.json"))
    row = report["differences"].filter(compared="models", metric="accuracy").row(0, named=True)
    assert (row["first"], row["second"], row["n"], row["value"]) == ("m", "z", 6, pytest.approx(-4 / 6))
    assert (row["first_value"], row["second_value"], row["left_out"]) == (1, pytest.approx(2 / 6), 0)


def test_answers_from_memory_are_counted_apart(written):
    rows = [
        answer(1, "Paris"),
        answer(2, "Rome"),
        answer(1, "Paris", noise_ratio=None, documents=[]),
        answer(2, "Paris", noise_ratio=None, documents=[]),
    ]
    report = library.rag(written(rows, "a.json"))
    assert figure(report, "closed_book_accuracy", None)["value"] == 1
    assert figure(report, "accuracy")["value"] == 0.5


def test_a_judge_is_a_scorer_and_agreement_is_told(adjudge, written):
    rows = [answer(n, "Paris" if n < 6 else "Rome") for n in range(10)]
    verdicts = [{"id": str(n), "model": "m", "correct": n < 5 if n < 9 else None} for n in range(10)]
    report = library.rag(written(rows, "a.json"), verdicts=written(verdicts, "v.json"))
    assert figure(report, "accuracy", scorer="judge")["value"] == pytest.approx(5 / 9)
    row = report["agreement"].row(0, named=True)
    assert (row["first"], row["second"], row["verdict"], row["n"]) == ("strict", "judge", "correct", 9)
    assert row["value"] == pytest.approx((8 / 9 - 42 / 81) / (1 - 42 / 81))  # chance: (6 x 5 + 3 x 4) / 81
    wrong = [{"id": "1", "model": "m", "correct": "perhaps"}, {"id": "77", "model": "m", "correct": True}]
    status, _, err = adjudge("rag", written(rows, "a.json"), "--verdicts", written(wrong, "w.json"))
    assert status == 1
    assert 'expected true, false or null; got "perhaps"' in err
    assert "no answer with id 77" in err
    assert "adjudge look" not in err  # which would name the answers, in which nothing is wrong


def test_reasoning_is_cut_off_before_scoring(written):
    rows = [
        answer(1, "<think>It could be Paris.</think>Rome"),
        answer(2, "Perhaps Rome?</think>\nParis"),
        answer(3, "<think>Paris, Paris"),
        answer(4, "I think Paris"),
    ]
    report = library.rag(written(rows, "a.json"), scorer="document")
    frame = report["outcomes"].select("outcome", "count")
    assert dict(frame.iter_rows()) == {"correct": 2, "incorrect": 1, "missing": 1}


OTHER = {
    "scorer": "all",
    "exact": True,
    "model": "other",
    "columns": {"draw": "number"},
    "by": "topic",
    "cluster": "topic",
    "ci_level": 0.9,
    "seed": 1,
    "on_invalid": "drop",
    "reading": library.Reading(input_format="jsonl"),
    "answer_lists": "aliases",
    "answer_separator": "|",
    "constant": {"draw": "1"},
    "map_values": {"topic": {"t0": "t1", "t1": "a,b"}},
}
ELSEWHERE = {"human", "verdicts", "gold", "item_columns"}
SILENT = UNSIGNED | {"answers"}


def test_the_signature_and_the_command_hold_every_option(adjudge, tmp_path, monkeypatch):
    assert set(OTHER) | ELSEWHERE | SILENT == set(inspect.signature(library.rag).parameters)
    rows = [{**answer(n, "Paris" if n % 3 else "Rome"), "topic": f"t{n % 4}", "number": 1} for n in range(12)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    together = {**OTHER, "scorer": "document"}
    for options in (together, {"scorer": "all", "constant": together.pop("constant")}):  # which says the draw too
        report = library.rag("a.jsonl", **options)
        status, out, _ = adjudge(*shlex.split(report.command)[1:], "--format", "json")
        assert (status, json.loads(out)) == (0, json.loads(report.to_json()))
        assert signed(report, "a.jsonl", **options) == report.signature
    signatures = {
        signed(report, "a.jsonl"),
        *(signed(report, "a.jsonl", **{name: value}) for name, value in OTHER.items()),
    }
    assert len(signatures) == len(OTHER) + 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (answer(1, "x", ability="noise"), "ability: expected one of noise_robustness"),
        (answer(1, "x", noise_ratio=1.5), 'noise_ratio: expected a number from 0 to 1; got "1.5"'),
        (answer(1, True), "response: expected text, blocks of content, or null for an answer that failed; got true"),
        (answer(1, "x", answer=[]), "answer: expected a text, or a list of slots"),
        (answer(1, "x", answer=["Paris", ""]), "answer, slot 2: expected a text, or a list of slots"),
        (answer(1, "x", counterfactual=[None]), "counterfactual: expected a text, or a list of texts"),
        ({**answer(1, "x"), "id": None}, "id: expected an id"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told(adjudge, written, row, said):
    path = written([answer(0, "Paris"), row], "a.json")
    status, out, err = adjudge("rag", path)
    assert (status, out) == (1, "")
    assert "a.json, record 2, " in err
    assert said in err
    report = library.rag(path, on_invalid="drop")
    assert report.counts["answers"] == 1
    assert "1 invalid answer was dropped" in report.warnings[0]


def test_two_answers_to_the_same_are_refused(adjudge, written):
    status, _, err = adjudge("rag", written([answer(1, "a"), answer(1, "b")], "a.json"))
    assert status == 1
    assert "a.json, records 1, 2: expected one answer each (number several in the column draw); id 1, ability " in err
    one, other = (written([answer(1, "a")], name) for name in ("a.json", "b.json"))
    status, _, err = adjudge("rag", one, other)
    assert status == 1
    assert "two files hold one of id 1" in err


def test_verdicts_are_joined_on_the_noise_that_answers_have(written):
    rows = [
        answer(n, "I do not know.", ability="negative_rejection", noise_ratio=None, documents=documents)
        for n in range(3)
        for documents in ([], ["x"])
    ]
    keys = {"model": "m", "ability": "negative_rejection", "noise_ratio": None}
    verdicts = [{"id": str(n), **keys, "rejected": n > 0} for n in range(3)]
    report = library.rag(written(rows, "a.json"), verdicts=written(verdicts, "v.json"))
    row = report["scores"].filter(metric="rejection_rate", scorer="judge").row(0, named=True)
    assert (row["value"], row["n"]) == (pytest.approx(2 / 3), 3)
    assert report.inputs[1].rows == 3


def test_rates_of_errors_say_that_nobody_knows_what_documents_say_falsely(written):
    report = library.rag(written([answer(1, "Paris", ability="counterfactual_robustness")], "a.json"))
    row = figure(report, "error_detection_rate", ability="counterfactual_robustness")
    assert (row["value"], row["reason"]) == (None, "no answer with a counterfactual to compare with")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,model\n1,m\n", "expected at least one column of correct, rejected"),
        ("id,model,noise_ratio,rejected\n1,m,80,true\n", 'row 1, column noise_ratio: expected a number .*; got "80"'),
        ("id,model,correct\n1,m,true\n1,m,false\n", "rows 1, 2: expected one verdict per answer"),
        ("id,model,correct\n1,m,true\n", "several answers have the same id, model; add ability, noise_ratio, draw"),
        (
            "id,model,ability,noise_ratio,draw,correct\n1,m,noise_robustness,0,1,true\n",
            "several answers have the same id, model, ability, noise_ratio, draw; add draw, with and without",
        ),
    ],
)
def test_verdicts_that_cannot_be_joined_are_refused(written, text, said):
    rows = [answer(1, "Paris", draw=1), answer(1, "Paris", draw=1, documents=[]), answer(1, "Paris", draw=2)]
    with pytest.raises(library.DataError, match=said):
        library.rag(written(rows, "a.json"), verdicts=written(text, "v.csv"))


def test_answers_can_count_under_the_noise_that_was_reached(written):
    rows = [answer(n, "Paris", noise_ratio=0.4, reached_noise=reached) for n, reached in enumerate((0.4, 0.6))]
    reached = library.rag(written(rows, "a.json"), columns={"noise_ratio": "reached_noise"})
    assert figure(reached, "accuracy", 0.6)["n"] == 1
