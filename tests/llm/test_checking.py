"""A model as a checker, and as a judge of answers: where quotes stand, and what becomes of what it says."""

import json

import pytest

import adjudge as library
from adjudge.errors import DataError
from adjudge.llm.answering import Answering, AnswerJudge, ExplanationJudge
from adjudge.llm.calls import Reply, Status
from adjudge.llm.checking import Checker, Rule, Violation, located
from adjudge.llm.prompts import template
from adjudge.llm.violation_texts import rules_of
from adjudge.options.shared import Reading
from llm.scripted import ask

RULES = (Rule("no superlatives", "nothing is the best", "style"), Rule("no claims", "no medical claims"))
TEXTS = {"ad": "The best tea. It heals. Buy it.", "note": "Plain words.", "empty": ""}
NEVER = "no superlatives"


def violation(quote, start, rule=NEVER, **further):
    return Violation(quote, rule, "style" if rule == NEVER else None, start, **further)


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The  best\n tea.", "The best tea", (0, "The  best\n tea")),
        ("He said “no”.", '"no"', (8, "“no”")),
        ("The best tea.", "worst", (None, "worst")),
        ("The best tea.", " \n", (None, " \n")),
    ],
)
def test_a_quote_is_placed_in_the_texts_own_characters(text, quote, expected):
    (found,) = located(text, [Violation(quote, "r", explanation="kept")])
    assert (found.start, found.quote) == expected
    assert found.explanation == "kept"


def test_repeated_quotes_take_one_place_after_another_by_rule():
    given = [Violation("no", "x"), Violation("no", "x"), Violation("no", "y"), Violation("no", "x")]
    assert [one.start for one in located("no, no", given)] == [0, 4, 0, 0]


def test_an_invented_quote_is_a_false_positive(written):
    text = "The best tea."
    spans = [violation("best", 4), Violation("never said", NEVER, correction="tea")]
    assert spans[1].record() == {"invented": "never said", "rule": NEVER, "correction": "tea"}
    truth = written(json.dumps({"id": "1", "text": text, "violations": [spans[0].record()]}), "truth.jsonl")
    line = {"id": "1", "text": text, "checker": "c", "violations": [one.record() for one in spans]}
    report = library.violations(truth, written(json.dumps(line), "predicted.jsonl"))
    assert not any("mean nothing" in warning for warning in report.warnings)
    outcomes = report.outcomes.first.filter(variant="std").sort("outcome")
    assert outcomes["outcome"].to_list() == ["false_positive", "true_positive"]


def test_each_text_is_asked_about_once_and_what_is_quoted_is_placed():
    said = {"quote": "best", "rule": NEVER, "explanation": "praise", "correction": "good"}
    answers = {"ad": [said], "note": [{"quote": "words", "rule": NEVER}], "empty": Status.REFUSED}
    found = Checker(template("violations_baseline"), TEXTS, RULES).find(ask(lambda call: answers[call.about["id"]]))
    spans = [violation("best", 4, explanation="praise", correction="good")]
    assert found == {"ad": spans, "note": [violation("words", 6)], "empty": Reply(Status.REFUSED)}


def test_rules_are_read_from_a_table(written):
    def rules(text):
        return rules_of(written(text, "rules.csv"), Reading())[0]

    assert rules("rule,category\nshort,style\nkind,\n") == [Rule("short", "short", "style"), Rule("kind", "kind")]
    assert rules("rule,description\nshort,be brief\n") == [Rule("short", "be brief")]
    for text, got in (
        ("rule,category\n", "no rows found"),
        ("rule,category\n,x\n", "a row without one"),
        ("rule,category\na,x\na,y\n", '"a" twice'),
        ("name,description\na,b\n", "its name in the column rule; got a row without one"),
    ):
        with pytest.raises(DataError, match=got):
            rules(text)


TEA = "Our tea is the best in the world. It is known that it cures all headaches within a day. Ask Dr. K. Lee!"


@pytest.mark.parametrize("sign", ["`{}`", "**{}**", "“{}”", "...{}...", "3. {}", "- ({})", "{}.", '3. ~~**"{}"**~~.'])
def test_a_quote_as_models_write_it_is_located_and_called_inexact(sign):
    for quote in (sign.format("cures all headaches"), "Cures All Headaches", "curse all headaches"):
        (found,) = located(TEA, [Violation(quote, "calm")])
        assert (found.quote, found.is_inexact) == ("cures all headaches", True)
    exact, omitted = located(
        TEA, [Violation("cures all headaches", "calm"), Violation("Our tea ... in the world", "calm")]
    )
    assert (exact.start, exact.is_inexact) == (found.start, False)
    assert omitted.quote == "Our tea is the best in the world"


@pytest.mark.parametrize("quote", ["world peace", "cures all cancers", "free tea", "headaches cures all"])
def test_a_quote_that_the_text_lacks_is_invented(quote):
    (found,) = located(TEA, [Violation(quote, "calm")])
    assert (found.start, found.quote) == (None, quote)


def test_explanations_are_judged_where_people_and_system_gave_one():
    import polars as pl

    gold = pl.DataFrame({"id": ["1", "2"], "q_explanation": ["it is shorter", None]})
    ours = pl.DataFrame({"id": ["1", "2"], "q_explanation": ["B is longer", "so"]})
    asked = ExplanationJudge(template("preferences_explanation"), gold, [("ours", ours), ("none", ours.clear())], ["q"])
    (row,) = asked.verdicts(ask(lambda call: "no"))
    about = {"id": "1", "system": "ours", "criterion": "q", "prompt": template("preferences_explanation").signed}
    assert row == about | {"verdict": "no", "outcome": "answered", "reason": "so it is"}
    (row,) = asked.verdicts(ask(lambda call: Status.REFUSED))
    assert (row["verdict"], row["outcome"]) == (None, "refused")


def test_an_answer_keeps_what_its_question_says_and_names_the_prompt():
    question = {"id": "1", "ability": "noise_robustness", "query": "Where?", "answer": ["Lima"], "documents": ["x"]}
    (row,) = Answering(template("rag_answer"), [question], "m").answers(ask(lambda call: "In Lima."))
    said = {"model": "m", "response": "In Lima.", "outcome": "answered", "prompt": template("rag_answer").signed}
    assert row == question | said


def test_answers_are_asked_what_their_question_allows():
    known = {"id": "1", "response": "Lima", "slots": [["Lima", "lima"], ["Peru"]], "false": ["Quito"], "model": "m"}
    plain = {**known, "slots": [["Lima"]], "false": None}
    silent, unknown = {**known, "response": None}, {**known, "slots": None, "false": None}
    calls = [*AnswerJudge(template("rag_judge"), [known, plain, silent, unknown], {"1": "Where?"}).calls()]
    assert [call.given["asked"] for call in calls] == [
        ["correct", "rejected", "error_detected", "error_corrected"],
        ["correct", "rejected"],
        ["rejected"],
    ]
    assert calls[0].judged == {
        "response": "Lima",
        "query": "Where?",
        "truth": "Lima or lima; and Peru",
        "false_answer": "Quito",
    }
    assert "Quito" in calls[0].messages("0")[1]


def test_verdicts_on_answers_are_true_false_or_null():
    known = {"id": "1", "response": "Lima", "slots": [["Lima"]], "false": None, "model": "m", "noise_ratio": 0.0}
    asked = AnswerJudge(template("rag_judge"), [known], {})
    (row,) = asked.verdicts(ask(lambda call: {"correct": "yes", "rejected": "no"}))
    said = {"correct": True, "rejected": False, "error_detected": None, "error_corrected": None}
    said |= {"outcome": "answered", "reason": "so it is", "prompt": template("rag_judge").signed}
    assert row == {"id": "1", "model": "m", "noise_ratio": 0.0, **said}
    (row,) = asked.verdicts(ask(lambda call: Status.UNPARSEABLE))
    assert [row[name] for name in ("correct", "rejected", "outcome")] == [None, None, "unparseable"]
