"""True answers that are sentences: what is said of them."""

import polars as pl
import pytest

import adjudge

RIGHT = ("Belk {0} was founded by Person{0}.", "The founder of Belk {0} was Person{0}.")
WRONG = ("It was founded by Person{0}7.", "The founder of Aron {0} was Person{0}.")


def ragas(pairs: list[tuple[str, str]], **more: object) -> pl.DataFrame:
    rows = [(f"Who founded it, {n}?", said.format(n), true.format(n)) for n, (said, true) in enumerate(pairs)]
    frame = pl.DataFrame(rows, schema=["user_input", "response", "reference"], orient="row")
    return frame.with_columns(pl.lit(value).alias(name) for name, value in more.items())


def value(report: adjudge.Report, table: str, metric: str) -> float:
    return report[table].filter(metric=metric)["value"].item()


def test_sentences_are_no_ground_for_an_accuracy_of_nothing_without_a_caution():
    report = adjudge.rag(ragas([*[RIGHT] * 20, *[WRONG] * 10]), model="mine")
    assert value(report, "scores", "accuracy") == pytest.approx(2 / 3)
    report = adjudge.rag(ragas([("Nobody knows who that was.", RIGHT[1])] * 10), model="mine")
    assert value(report, "scores", "accuracy") == 0
    caution = " ".join(report.warnings)
    assert "auto took strict" in caution
    assert "adjudge rag judge" in caution
    for scorer in ("strict", "document", "benchmark", "all"):
        assert "a judge is needed" in " ".join(adjudge.rag(ragas([RIGHT]), model="mine", scorer=scorer).warnings)


def test_labels_of_answers_among_true_answers_are_cautioned():
    report = adjudge.rag(ragas([("It is Rome.", "PASS"), ("In May.", "FAIL")] * 5), model="mine")
    assert "10 of 10 true answers are labels (PASS, FAIL), which no response holds" in " ".join(report.warnings)
    assert not adjudge.rag(ragas([("Yes, in May.", "yes"), ("No, it is not.", "no")] * 5), model="mine").warnings


def test_short_answers_are_judged_by_strict_alone():
    rows = [("It is Paris.", "Paris"), ("Rome", "the city of Paris, in France"), ("London", "Paris")]
    report = adjudge.rag(ragas(rows), model="mine")
    assert set(report["scores"]["scorer"]) == {"strict"}
    assert not report.warnings
    always_right = adjudge.rag(ragas([("It is Paris.", "Paris")] * 12), model="mine")
    assert "always answers" not in " ".join(one.text for one in always_right.summary.cautions)


def test_the_shortest_alias_says_whether_true_answers_are_sentences():
    rows = {"id": ["1", "2"], "ability": "question_answering", "response": "Paris"}
    aliases = [[["Paris", "the city of light and love on the Seine"]]] * 2
    report = adjudge.rag(pl.DataFrame({**rows, "answer": aliases}), model="mine")
    assert not report.warnings
