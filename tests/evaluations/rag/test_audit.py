"""What is odd in questions, such as documents that hold what they should not."""

from dataclasses import replace

import polars as pl
import pytest

import adjudge
from adjudge.evaluations.rag.audit import audit, contains_answer
from adjudge.schemas.answers import Question, Questions

SLOTS = (("Tampa", "Tampa Bay"), ("2021",))


TICKETS = ("Tickets.", "More tickets.", "No tickets.", "Sold out.")


def question(name="q", slots=SLOTS, groups=(("In Tampa, 2021.",),), negative=TICKETS, wrong=(), false=()):
    return Question(1, name, f"Where is {name}?", slots, groups, negative, wrong, false)


def checked(*items, kind="base", passages=5):
    return audit(Questions("q.json", kind, items, ("a warning",)), passages)


def names(*items, **options):
    return checked(*items, **options).findings["finding"].to_list()


@pytest.mark.parametrize(
    ("text", "alias", "held"),
    [
        ("It was in Tampa.", "tampa", True),
        ("It was in TAMPA BAY", "Tampa  Bay", True),
        ("Tampas", "Tampa", False),
        ("aTampa", "Tampa", False),
        ("Tampa_1", "Tampa", False),
        ("Straße", "STRASSE", True),
        ("cafe\u0301 au lait", "café", True),
        ("Ｔａｍｐａ", "Tampa", True),
        ("O’Neill", "O'Neill", True),
        ("2014–15", "2014-15", True),
        ("in 1991", "1", False),
        ("at 2.5 %", "5", False),
        ("5,000 of them", "5", False),
        ("all 5, then", "5", True),
        ("costs $5.", "$5", True),
        ("US$5", "$5", True),
        ("共有70个议席", "70", True),
        ("共有170个议席", "70", False),
        ("来自北京市", "北京", True),
        ("于 2016 年 9 月", "2016年9月", True),
        ("于2016年9月", "2016 年 9 月", True),
        ("北京ABC公司", "abc", True),
        ("北京ABCD公司", "abc", False),
        ("서울에서", "서울", True),
        ("anything", "\u200b", False),
        ("", "a", False),
    ],
)
def test_a_text_holds_an_answer(text, alias, held):
    assert contains_answer(text, alias) is held


def test_nothing_is_odd():
    found = checked(question(groups=(("In Tampa, 2021.", "2021 in Tampa Bay"),)))
    assert found.findings.is_empty()
    assert str(found).splitlines()[-1] == "Nothing is odd."
    assert found.warnings == ("a warning",)


def test_every_slot_by_any_alias():
    found = checked(question(groups=(("Tampa", "2021", "Tampa 2021"),), negative=("Tampa.", "Tampa Bay in 2021")))
    rows = found.findings.select("finding", "list", "place", "detail").rows()
    assert rows == [
        ("positive lacks the answer", "positive", 0, "without 2021: Tampa"),
        ("positive lacks the answer", "positive", 1, "without Tampa: 2021"),
        ("negative holds the answer", "negative", 1, "Tampa Bay in 2021"),
    ]


def test_a_positive_of_a_group_holds_a_slot():
    found = checked(question(groups=(("Tampa", "nothing"), ("2021",))), kind="int", passages=2)
    assert found.findings.select("finding", "place", "group").rows() == [("positive lacks the answer", 1, 0)]


def test_lies_that_are_none():
    one = question(wrong=("In Rome, 2021.", "In tampa, 2021 ..."), false=("Rome", "TAMPA"))
    assert names(one, kind="fact") == ["false document holds the truth"]
    told = checked(question(wrong=("In Roma.",), false=("Rome",)), kind="fact").findings.select("finding", "detail")
    assert told.rows() == [("false document lacks the false answer", "without Rome: In Roma.")]
    assert names(question(wrong=("In Rome.",)), kind="fact") == []


def test_lists_that_are_too_short_and_empty_documents():
    assert names(question(negative=("a", " ")), passages=5) == ["too few documents", "empty document"]
    assert names(question(), question(), question("r")) == ["double id"]


def test_what_stands_twice():
    one = question(groups=(("In Tampa, 2021.", "in  tampa, 2021."),), negative=("Tickets.", "Tickets.", "", ""))
    again = replace(question("r"), query="where IS q?")
    found = checked(one, again, passages=2).findings.select("id", "finding", "list", "place", "detail")
    assert found.rows() == [
        ("q", "repeated document", "positive", 1, "in tampa, 2021."),
        ("q", "repeated document", "negative", 1, "Tickets."),
        ("q", "empty document", "negative", 2, ""),
        ("q", "empty document", "negative", 3, ""),
        ("r", "repeated question", "query", None, "as q: where IS q?"),
    ]


def test_a_document_is_shown_from_shortly_before_the_answer():
    long = "Nothing of this. " * 20
    (detail,) = checked(question(negative=(f"{long}It was in TAMPA, 2021. {long}", *TICKETS))).findings["detail"]
    assert detail.startswith("…")
    assert "It was in TAMPA, 2021." in detail
    assert len(detail) < 130


@pytest.mark.parametrize(
    ("answer", "text"), [("44 billion", "It was sold for $44bn."), ("January 2, 2022", "It opened on Jan 2, 2022.")]
)
def test_a_document_holds_an_answer_in_another_form(answer, text):
    row = {"id": "1", "query": "?", "answer": answer, "positive": [text], "negative": [f"So: {text}"]}
    found = adjudge.audit_rag(pl.DataFrame([row]), passages=2).findings
    assert found["finding"].to_list() == ["negative holds the answer"]
