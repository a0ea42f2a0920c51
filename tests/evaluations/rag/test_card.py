"""The card of scorers beside people, worked by hand."""

import json

import pytest

import adjudge as library


@pytest.fixture
def run(written):
    """A function that scores answers of models and shows people some of them."""

    def made(said, people, **options):
        asked = {"ability": "question_answering", "answer": "Paris"}
        rows = [
            {"id": str(n), "model": model, "response": text, "week": n % 2, **asked}
            for model, texts in said.items()
            for n, text in enumerate(texts)
        ]
        verdicts = [{"id": str(n), "model": model, "correct": right} for model, n, right in people]
        path = written("".join(json.dumps(row) + "\n" for row in verdicts), "people.jsonl")
        return library.rag(written(rows, "a.json"), human=path, **options)

    return made


def card(report, metric, model="all models", **keys):
    (row,) = report["card"].filter(metric=metric, model=model, **{"scorer": "strict", **keys}).to_dicts()
    return row


def test_agreement_and_errors_are_those_of_the_labelled_answers(run):
    # strict: right, right, right, wrong, wrong; people: right, wrong, right, right, nothing.
    people = [("m", 0, True), ("m", 1, False), ("m", 2, True), ("m", 3, True)]
    report = run({"m": ["Paris", "Paris", "Paris", "Rome", "Rome"]}, people)
    found = {name: card(report, name, "m") for name in ("agreement", "false_right", "false_wrong", "kappa")}
    assert {name: (row["value"], row["n"]) for name, row in found.items()} == {
        "agreement": (0.5, 4),
        "false_right": (1, 1),
        "false_wrong": (pytest.approx(1 / 3), 3),
        "kappa": (pytest.approx((8 / 16 - 10 / 16) / (1 - 10 / 16)), 4),
    }


def test_the_corrected_rate_takes_off_the_errors_that_people_show(run):
    # Labelled: Y = 1, 1, 0, 0, scorer 1, 1, 1, 0; others 1, 1, 1, 0, 0, 0: the example of prediction_powered.
    texts = [*["Paris"] * 3, "Rome", *["Paris"] * 3, *["Rome"] * 3]
    report = run({"m": texts}, [("m", 0, True), ("m", 1, True), ("m", 2, False), ("m", 3, False)])
    assert card(report, "people_rate", "m")["value"] == 0.5
    assert card(report, "scorer_rate", "m")["value"] == 0.6
    assert (card(report, "corrected_rate", "m")["value"], card(report, "corrected_rate", "m")["n"]) == (0.4296875, 10)


def test_every_scorer_and_group_has_its_rows(run):
    people = [("m", n, True) for n in range(4)]
    report = run({"m": ["Paris", "Rome"] * 2}, people, scorer="all", by=["week"])
    assert set(report["card"]["scorer"]) == {"strict", "document", "benchmark"}
    assert card(report, "agreement", "m", week="0")["value"] == 1
    assert card(report, "agreement", "m", week="1")["value"] == 0
