"""True answers that are sentences: what is said of them, and which measures stand beside the verdicts."""

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


def test_sentences_get_token_recall_and_rouge_beside_the_verdicts_of_strict():
    from rouge_score.rouge_scorer import RougeScorer

    report = adjudge.rag(ragas([*[RIGHT] * 20, *[WRONG] * 10], faithfulness=0.5), model="mine")
    assert value(report, "scores", "accuracy") == pytest.approx(2 / 3)
    # Four of the seven words of the truth are in a right answer, and one, `was`, is in a wrong one.
    assert value(report, "overlap", "token_recall") == pytest.approx((20 * 4 / 7 + 10 / 7) / 30)
    rouge = RougeScorer(["rougeL"])
    expected = [rouge.score(true.format(9), said.format(9))["rougeL"].fmeasure for said, true in (RIGHT, WRONG)]
    assert value(report, "overlap", "rouge_l") == pytest.approx((2 * expected[0] + expected[1]) / 3)


def test_sentences_are_no_ground_for_an_accuracy_of_nothing_without_a_caution():
    report = adjudge.rag(ragas([("Nobody knows who that was.", RIGHT[1])] * 10), model="mine")
    assert value(report, "scores", "accuracy") == 0
    caution = " ".join(report.warnings)
    assert "auto took strict" in caution
    assert "adjudge rag judge" in caution
    for scorer in ("strict", "document", "benchmark", "all"):
        assert "a judge is needed" in " ".join(adjudge.rag(ragas([RIGHT]), model="mine", scorer=scorer).warnings)


def test_short_answers_are_judged_by_strict_alone():
    rows = [("It is Paris.", "Paris"), ("Rome", "the city of Paris, in France"), ("London", "Paris")]
    report = adjudge.rag(ragas(rows), model="mine")
    assert set(report["scores"]["scorer"]) == {"strict"}
    assert "overlap" not in report.tables
    assert not report.warnings
    unused = adjudge.rag(ragas(rows), model="mine", embedding_model="any")
    assert unused.warnings[0].startswith("embedding_model: not used")


def test_the_shortest_alias_says_whether_true_answers_are_sentences():
    rows = {"id": ["1", "2"], "ability": "question_answering", "response": "Paris"}
    aliases = [[["Paris", "the city of light and love on the Seine"]]] * 2
    report = adjudge.rag(pl.DataFrame({**rows, "answer": aliases}), model="mine")
    assert "overlap" not in report.tables


def test_several_aliases_count_by_the_best_and_missing_answers_not_at_all():
    rows = {"id": ["1", "2"], "ability": "question_answering", "response": ["one two three four five six", None]}
    truth = ["one two three seven eight nine", "one two three four five ten"]
    report = adjudge.rag(pl.DataFrame({**rows, "answer": [truth] * 2}), model="mine", answer_lists="aliases")
    row = report["overlap"].filter(metric="token_recall").row(0, named=True)
    assert (row["value"], row["n"]) == (pytest.approx(5 / 6), 1)


def test_columns_of_scores_that_are_not_used_are_named():
    report = adjudge.rag(ragas([("Paris", "Paris")], faithfulness=0.5, answer_relevancy=1.0, note="x"), model="mine")
    named = [warning for warning in report.warnings if "faithfulness" in warning]
    assert len(named) == 1
    assert "answer_relevancy" in named[0]
    assert "note" not in named[0].split(":")[-1].split(", ")
