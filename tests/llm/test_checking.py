"""Checkers: where quotes stand, what most draws find, and what each way of asking makes of answers."""

import json
from dataclasses import replace

import pytest

import adjudge as library
from adjudge.errors import DataError
from adjudge.llm.answering import Answering, AnswerJudge, ExplanationJudge
from adjudge.llm.calls import Reply, Status
from adjudge.llm.checking import CHECKERS, Rule, Violation, located, majority, sentences
from adjudge.llm.prompts import template
from adjudge.llm.violation_texts import rules_of
from adjudge.options.shared import Reading
from llm.scripted import ask

RULES = (Rule("no superlatives", "nothing is the best", "style"), Rule("no claims", "no medical claims"))
TEXTS = {"ad": "The best tea. It heals. Buy it.", "note": "Plain words.", "empty": ""}
NEVER, HEALS = "no superlatives", "no claims"


def checker(name, draws=1, texts=TEXTS):
    kind = CHECKERS[name]
    return kind(texts, RULES, {one: template(one) for one in kind.prompts}, draws)


def violation(quote, start, rule=NEVER, **further):
    return Violation(quote, rule, "style" if rule == NEVER else None, start, **further)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("  One.\n\nTwo", ["One.", "Two"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("(Really?) Yes…", ["(Really?)", "Yes…"]),
        ("Take 3.5 mg. No...", ["Take 3.5 mg.", "No..."]),
        ("好。是的！", ["好。", "是的！"]),
        ("... and so on. End", ["... and so on.", "End"]),
        (" \n ", []),
    ],
)
def test_sentences(text, expected):
    assert [text[start:end] for start, end in sentences(text)] == expected


def test_sentences_of_points_alone_are_found_quickly():
    assert sentences("." * 20_000 + "x") == [(0, 20_001)]


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


BEST_TEA, BEST, IT, GONE = violation("best tea", 4), violation("best", 4), violation("It", 14), Violation("gone", "r")


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        ([[BEST_TEA], []], []),
        ([[BEST_TEA, IT], [BEST], [IT]], [BEST_TEA, IT]),
        ([[BEST_TEA, BEST]], [BEST_TEA]),
        ([[BEST], [violation("best", 4, HEALS)], []], []),
        ([[BEST], [violation(" tea", 8)], []], []),  # they only touch
        ([[GONE], [GONE], [Violation("lost", "r")]], [GONE]),
        ([[GONE], [Violation("gone", "r", start=0)], []], []),
    ],
)
def test_what_is_found_in_more_than_half_of_the_draws_stays_as_first_found(draws, expected):
    assert majority(draws) == expected


def test_the_baseline_asks_once_a_text_and_places_what_is_quoted():
    said = {"quote": "best", "rule": NEVER, "explanation": "praise", "correction": "good"}
    found = checker("prompt-baseline").find(ask(lambda call: [said] if call.about["id"] == "ad" else []))
    assert found == {"ad": [violation("best", 4, explanation="praise", correction="good")], "note": [], "empty": []}


def test_numbered_sentences_come_back_as_passages():
    asked = checker("zeroshot-index")
    calls = {call.about["id"]: call for call in asked.first()}
    assert [*calls] == ["ad", "note"], "a text without a sentence is not asked"
    assert calls["ad"].judged["text"] == "1. The best tea.\n2. It heals.\n3. Buy it."
    answers = {"ad": [{"sentence": 2, "rule": HEALS}, {"sentence": 1, "rule": NEVER}], "note": []}
    found = asked.find(ask(lambda call: answers[call.about["id"]]))
    spans = [violation("It heals.", 14, HEALS), violation("The best tea.", 0)]
    assert found == {"ad": spans, "note": [], "empty": []}


def test_every_sentence_is_asked_against_every_rule_in_its_context():
    asked = checker("brute-context-classifier")
    calls = [call for call in asked.first() if call.about["id"] == "ad"]
    assert len(calls) == 3 * 2
    far = [*checker("brute-context-classifier", texts={"ad": f"{'a' * 400}. Here. {'b' * 400}."}).first()][2].judged
    assert (far["sentence"], len(far["before"]), len(far["after"])) == ("Here.", 300, 300)
    assert calls[2].judged == {"sentence": "It heals.", "before": "The best tea. ", "after": " Buy it."}
    assert calls[2].given == {"rule": "- no superlatives: nothing is the best"}
    right = {("The best tea.", NEVER), ("It heals.", HEALS)}
    yes = ask(lambda call: "yes" if (call.judged["sentence"], call.about["rule"]) in right else "no")
    spans = [violation("The best tea.", 0), violation("It heals.", 14, HEALS)]
    assert asked.find(yes) == {"ad": [replace(one, explanation="so it is") for one in spans], "note": [], "empty": []}


def test_one_sentence_without_an_answer_leaves_its_text_out():
    def answer(call):
        return Status.FAILED if call.judged["sentence"] == "It heals." and call.about["rule"] == NEVER else "yes"

    found = checker("brute-context-classifier").find(ask(answer))
    assert found["ad"].status == Status.FAILED
    assert len(found["note"]) == 2


def script(finds, verifies, explains=lambda call: {"explanation": "why", "correction": "good"}):
    """Answers by the question's kind."""
    kinds = {"violations_find": finds, "violations_verify": verifies, "violations_explain": explains}
    return ask(lambda call: kinds[call.template.name](call))


def quotes(*many):
    return [{"quote": quote, "rule": rule} for quote, rule in many]


def in_draws(*said):
    """What is found in the first text by draw; nothing in others."""
    return lambda call: said[call.draw - 1] if call.about["id"] == "ad" else []


def test_what_most_draws_find_and_verify_is_explained_and_corrected():
    twice, once = ("best", NEVER), ("Buy it", HEALS)
    finds = in_draws(quotes(twice, once), quotes(twice), [])
    found = checker("self-consistent-explainer", 3).find(script(finds, lambda call: "yes" if call.draw < 3 else "no"))
    assert found == {"ad": [violation("best", 4, explanation="why", correction="good")], "note": [], "empty": []}


@pytest.mark.parametrize(
    ("quoted", "verified", "kept"),
    [
        ((1, 1), ("yes", "no"), 0),
        ((1, 1), ("yes", Status.REFUSED), 1),
        ((1, 1), ("no", Status.UNPARSEABLE), 0),
        ((1, 1), ("yes", "yes"), 1),
        ((1, Status.FAILED, Status.REFUSED), ("yes", "yes", "yes"), 1),  # draws without an answer do not count
    ],
)
def test_what_most_answers_do_not_verify_goes_and_what_is_not_explained_stays(quoted, verified, kept):
    finds = in_draws(*(one if isinstance(one, Status) else quotes(("best", NEVER)) for one in quoted))
    asked = script(finds, lambda call: verified[call.draw - 1], lambda call: Status.UNPARSEABLE)
    found = checker("self-consistent-explainer", len(quoted)).find(asked)
    assert found["ad"] == [violation("best", 4)] * kept


def test_what_nobody_verified_leaves_its_text_out():
    finds = in_draws(quotes(("best", NEVER), ("It heals", HEALS)))

    def verifies(call):
        return "yes" if call.judged["quote"] == "best" else Status.FAILED

    found = checker("self-consistent-explainer").find(script(finds, verifies))
    assert found == {"ad": Reply(Status.FAILED), "note": [], "empty": []}


@pytest.mark.parametrize("name", CHECKERS)
@pytest.mark.parametrize("status", [Status.REFUSED, Status.UNPARSEABLE, Status.FAILED])
def test_of_a_text_without_an_answer_what_became_of_the_question_is_kept(name, status):
    found = checker(name, texts={"ad": "The best tea."}).find(ask(lambda call: status))
    assert found == {"ad": Reply(status)}


def test_rules_are_read_from_a_table(written):
    def rules(text):
        return rules_of(written(text, "rules.csv"), Reading())[0]

    assert rules("rule,category\nshort,style\nkind,\n") == [Rule("short", "short", "style"), Rule("kind", "kind")]
    assert rules("rule,description\nshort,be brief\n") == [Rule("short", "be brief")]
    for text, got in (
        ("rule,category\n", "none"),
        ("rule,category\n,x\n", "a row without one"),
        ("rule,category\na,x\na,y\n", '"a" twice'),
        ("name,description\na,b\n", "its name in the column rule; got a row without one"),
    ):
        with pytest.raises(DataError, match=got):
            rules(text)


TEA = "Our tea is the best in the world. It is known that it cures all headaches within a day. Ask Dr. K. Lee!"


@pytest.mark.parametrize("sign", ["`{}`", "**{}**", "“{}”", "...{}...", "3. {}", "- ({})", "{}."])
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
