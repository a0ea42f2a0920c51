"""Verdicts on answers and marked texts as labels of a card, each case by hand."""

import json
from dataclasses import replace

import polars as pl
import pytest

from karat.errors import DataError
from karat.evaluations.card.of_answers import labels_of_answers
from karat.evaluations.card.of_violations import labels_of_marked
from karat.formats.inputs import sources
from karat.formats.judgments import Options
from karat.formats.source import How

PLAIN = Options(columns={}, reference=(), by=(), flag_values={}, labels=(), drop=False)
ANSWERS = pl.DataFrame(
    {"id": "1", "ability": "question_answering", "model": ["m", "n"], "answer": "Paris", "response": ["Rome", "Paris"]}
)


def read(*tables):
    return sources(list(tables), How(), "reliability")


# --- answers ---


def test_an_item_is_called_by_what_tells_answers_apart():
    """Both answers have one ability, which therefore names neither; a third has another."""
    verdicts = pl.DataFrame({"id": "1", "model": ["m", "n"], "annotator": "ana", "correct": ["false", "true"]})
    alike, both = labels_of_answers(read(ANSWERS, verdicts), ["benchmark"], PLAIN)
    rows = [("1 m", "wrong"), ("1 n", "correct")]
    assert alike[0].select("item", "label").rows() == both[0].select("item", "label").rows() == rows
    assert both[0]["cluster"].to_list() == ["1", "1"]
    third = ANSWERS.head(1).with_columns(ability=pl.lit("noise_robustness"), noise_ratio=pl.lit("0.2"))
    ((more, _),) = labels_of_answers(read(pl.concat([ANSWERS, third], how="diagonal")), ["benchmark"], PLAIN)
    assert sorted(more["item"]) == ["1 m noise_robustness 0.2", "1 m question_answering", "1 n question_answering"]


def test_what_says_nothing_of_whether_an_answer_is_correct_is_counted():
    """To decline is right where documents hold no answer, which scorers do not call correct; ben says of it alone."""
    asked = {"id": "2", "ability": "negative_rejection", "model": "m", "answer": "Paris", "response": "Rome"}
    answers = pl.concat([ANSWERS, pl.DataFrame(asked)], how="diagonal")
    rows = [("1", "m", "ana", "false", None), ("2", "m", "ben", None, "false")]
    verdicts = pl.DataFrame(rows, schema=["id", "model", "annotator", "correct", "rejected"], orient="row")
    (scored, of_rules), (judged, of_people) = labels_of_answers(read(answers, verdicts), ["benchmark"], PLAIN)
    assert sorted(scored["item"]) == ["1 m question_answering", "1 n question_answering"]
    assert "table 1: benchmark says nothing of 1 answer" in of_rules
    assert judged.select("item", "annotator", "label").rows() == [("1 m question_answering", "ana", "wrong")]
    told = "table 2: 1 verdict says something else than whether an answer is correct; left out"
    assert told in of_people


def test_verdicts_that_name_answers_otherwise_need_the_answers():
    ana = pl.DataFrame({"id": ["1"], "model": ["m"], "annotator": "ana", "correct": "true"})
    ben = ana.with_columns(annotator=pl.lit("ben"), ability=pl.lit("question_answering"))
    with pytest.raises(DataError, match=r"table 2: expected answers named by id, model as in table 1; got .*ability"):
        labels_of_answers(read(ana, ben), [], PLAIN)
    both = labels_of_answers(read(ana, ana.with_columns(annotator=pl.lit("gpt"))), [], PLAIN)
    assert [table["item"].to_list() for table, _ in both] == [["1"], ["1"]]


# --- marked texts ---


def marked(folder, *violations):
    """A text for each list of violations."""
    path = folder / "marked.jsonl"
    lines = [
        {"id": f"t{nth}", "text": "some words", "annotator": "ana", "violations": many}
        for nth, many in enumerate(violations)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return sources([path], How(), "violations")


def of_rule(name, **further):
    return {"start": 0, "end": 4, "rule": name} | further


def test_a_text_is_labelled_for_each_value_that_anybody_names_and_what_has_none_is_counted(tmp_path):
    many = marked(tmp_path, [of_rule("a", category="tone"), of_rule("b", category="tone"), of_rule("c")], [])
    ((table, told),) = labels_of_marked(many, replace(PLAIN, by=["category"]))
    assert table.select("item", "label", "cluster").rows() == [
        ("t0 tone", "violation", "t0"),
        ("t1 tone", "none", "t1"),
    ]
    assert told == [
        f"{tmp_path / 'marked.jsonl'}: 1 violation is left out, without category",
        "labels say whether a text has a violation of each category",
    ]
    ((whole, told),) = labels_of_marked(many, PLAIN)
    assert whole.select("item", "label").rows() == [("t0", "violation"), ("t1", "none")]
    assert "cluster" not in whole.columns
    assert told == ["labels say whether a text has a violation (--by rule, or --by category, asks of each one)"]


def test_a_text_that_somebody_did_not_look_at_has_no_label_of_theirs(tmp_path):
    path = tmp_path / "marked.jsonl"
    looked = [("t0", "ana"), ("t1", "ana"), ("t0", "ben")]
    lines = [{"id": name, "text": "some words", "annotator": who, "violations": []} for name, who in looked]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ((table, _),) = labels_of_marked(sources([path], How(), "violations"), PLAIN)
    assert sorted(table.select("item", "annotator", "label").rows()) == [
        ("t0", "ana", "none"),
        ("t0", "ben", "none"),
        ("t1", "ana", "none"),
    ]


@pytest.mark.parametrize(("count", "said"), [(0, "got none"), (1, ""), (200, ""), (201, "got 201, such as r")])
def test_texts_are_labelled_for_1_to_200_values(tmp_path, count, said):
    many = marked(tmp_path, [of_rule(f"r{nth}") for nth in range(count)])
    if not said:
        ((table, _),) = labels_of_marked(many, replace(PLAIN, by=["rule"]))
        assert table.height == count
        return
    with pytest.raises(DataError, match=f"by: expected from 1 to 200 different values of rule; {said}"):
        labels_of_marked(many, replace(PLAIN, by=["rule"]))
