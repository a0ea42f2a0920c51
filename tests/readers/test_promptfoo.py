"""Results of promptfoo are judgments: of providers by what tests expect, or of assertions by what people say."""

import pytest

from adjudge import DataError
from made_labels import PROMPTFOO, PROMPTFOO_RATED, PROMPTFOO_TABLE, judgments, lines, rows_of, trusted


def test_outputs_are_judged_by_what_tests_expect(written):
    assert rows_of(judgments(written(PROMPTFOO))) == [
        ("0", "openai:a", "kind", "kind"),
        ("0", "openai:b", "rude", "kind"),
        ("1", "openai:a", "rude", "rude"),
        ("1", "openai:b", "rude", "rude"),
    ]


def test_assertions_are_judged_by_what_people_say(written):
    read = judgments(written(lines(PROMPTFOO_RATED), "results.jsonl"))
    assert rows_of(read) == [("0/0", "llm-rubric", "pass"), ("1/0", "llm-rubric", "pass")]
    assert trusted(read) == [("0/0", "human", "pass"), ("1/0", "human", "fail")]


def test_without_people_a_trusted_assertion_can_be_named(written):
    records = [{**one, "testCase": {}} for one in PROMPTFOO_RATED]
    for one in records:
        one["gradingResult"] = {"componentResults": one["gradingResult"]["componentResults"][:1] * 2}
    path = written(lines(records), "results.jsonl")
    with pytest.raises(DataError, match="no reference labels"):
        judgments(path)
    read = judgments(path, reference=["llm-rubric"])
    assert rows_of(read) == [("0/0", "llm-rubric#2", "pass"), ("1/0", "llm-rubric#2", "pass")]


def test_two_prompts_of_a_provider_are_two_annotators(written):
    results = [{**one, "provider": "m"} for one in PROMPTFOO["results"]["results"]]
    assert {who for _, who, *_ in rows_of(judgments(written(lines(results), "x.jsonl")))} == {"m#0", "m#1"}


def test_results_that_begin_with_one_that_failed_are_recognised(written):
    failed, *others = PROMPTFOO["results"]["results"]
    failed = {name: one for name, one in failed.items() if name not in {"gradingResult", "response"}}
    read = judgments(written({"results": {"version": 3, "results": [failed, *others]}}))
    assert rows_of(read)[1:] == rows_of(judgments(written(PROMPTFOO)))[1:]


def test_what_is_expected_may_stand_in_a_set_of_assertions(written):
    results = PROMPTFOO["results"]["results"]
    within = [{**one, "testCase": {"assert": [{"type": "assert-set", **one["testCase"]}]}} for one in results]
    assert rows_of(judgments(written({"results": {"results": within}}))) == rows_of(judgments(written(PROMPTFOO)))


def test_a_document_without_results_is_refused(written):
    with pytest.raises(DataError, match=r"results: expected a list of results; got an empty list"):
        judgments(written({"results": {"results": []}}), input_format="promptfoo")


def test_tables_of_promptfoo_hold_outputs_beside_variables_or_grades(written):
    path = written(PROMPTFOO_TABLE, "results.csv")
    assert rows_of(judgments(path)) == [
        ("1", "b", "rude", "kind"),
        ("1", "openai:a", "kind", "kind"),
        ("2", "b", None, "rude"),
        ("2", "openai:a", "rude", "rude"),
    ]
    grades = judgments(path, label="grade", reference=["openai:a"])
    assert rows_of(grades) == [("1", "b", "fail"), ("2", "b", None)]
    free = written(
        "question,__expected,[a] {{question}}\nWhere?,Paris,[PASS] In Paris.\nWho?,Goethe,[FAIL] Me.\n", "free.csv"
    )
    with pytest.raises(DataError, match="no output is what __expected says"):
        judgments(free)
