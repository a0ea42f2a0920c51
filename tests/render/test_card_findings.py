"""What the card of a judge says of bias, drift, certainty and draws."""

import polars as pl
import pytest

import adjudge
from adjudge.render.opening_sentences import opening_of

ITEMS = 60


def said(rows, columns, **options):
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label", *columns], orient="row")
    report = adjudge.card(frame, judges="gpt", **options)
    return " ".join(opening_of(report).sentences(report)).replace("\u00a0", " ")


def test_the_largest_bias_that_is_shown_is_told():
    """gpt takes what is shown first on 50 of 60 pairs, ana response a on half of them, and that one is first on half."""
    rows = []
    for i in range(ITEMS):
        first = "ab"[i % 2]
        rows += [(i, "ana", "ab"[i // 2 % 2], None), (i, "gpt", first if i < 50 else "ba"[i % 2], f"{first}-first")]
    frame = [(*row[:3], row[3] and row[3][0] + ("b" if row[3][0] == "a" else "a")) for row in rows]
    text = said(frame, ["shown"], order="shown")
    assert "It chooses the response that is shown first more often than people do: 83.3 % against 50.0 %, +33.3" in text
    assert "A bias for" not in text


def test_a_drift_is_told_with_its_window_and_none_where_there_is_none():
    def rows(wrong):
        told = [(i, "ana", "yes", None) for i in range(ITEMS)]
        return told + [
            (i, "gpt", "no" if i < (wrong if week > 1 else 6) else "yes", f"week {week}")
            for i in range(ITEMS)
            for week in range(4)
        ]

    text = said(rows(30), ["week"], time="week")
    assert "agrees with people less often since week 2 than before: by 40.0 pp (" in text
    assert "is not shown to drift over time." in said(rows(6), ["week"], time="week")


def test_a_judge_that_is_too_sure_is_told_so_and_draws_that_help_are():
    """A judge sure by .99 that is right in 40 of 60; two of three draws are right where one is wrong."""
    rows = [(i, "ana", "yes", None, None) for i in range(ITEMS)]
    draws = [("yes", "no", "yes"), ("yes", "yes", "no"), ("no", "yes", "yes")]
    rows += [(i, "gpt", label, n, 0.99) for i in range(ITEMS) for n, label in enumerate(draws[i % 3])]
    text = said(rows, ["run", "sure"], draw="run", certainty="sure")
    assert (
        "is too sure of itself: it is 99.0 % sure of its labels and right on 66.7 %, as most people judge, 32.3 pp ("
        in text
    )
    assert "The majority of 3 draws agrees with people more often than one: by 33.3 pp" in text


@pytest.mark.parametrize(("sure", "share"), [(0.67, None), (0.4, "66.7 %")])
def test_a_judge_is_less_sure_than_it_may_be_by_what_single_people_say(sure, share):
    """Two of three people say yes to each item, as gpt does: the majority bears it out always, one of them in 2 of 3."""
    rows = [(i, "gpt", "yes", sure + (i % 3 - 1) / 20) for i in range(ITEMS)]
    rows += [
        (i, who, "no" if (i + i // 7) % 3 == nth else "yes", None)
        for i in range(ITEMS)
        for nth, who in enumerate("abc")
    ]
    text = said(rows, ["sure"], certainty="sure")
    assert ("less sure of itself" in text) is (share is not None)
    if share:
        assert f"it is 40.0 % sure of its labels and right on {share}, as single people judge, 26.7 pp (" in text


@pytest.mark.parametrize(("people", "begins"), [(3, "Apart from that test, gpt agrees"), (2, "It agrees")])
def test_a_difference_that_may_be_chance_is_set_apart_from_the_test_where_there_was_one(people, begins):
    """Each of the people says no to items of their own, and so does gpt, to fewer; two people are too few for the test."""
    names = ("ana", "ben", "cleo")[:people]
    rows = [(i, who, "no" if i % 6 == place else "yes") for i in range(ITEMS) for place, who in enumerate(names)]
    text = said([*rows, *((i, "gpt", "no" if i % 6 == 4 and i > 4 else "yes") for i in range(ITEMS))], [])
    assert f"{begins} with people on " in text
    assert f"on {ITEMS} items, may be chance." in text
    assert text.count("Apart from that test") == (people == 3)


@pytest.mark.parametrize(
    ("sure", "step"), [(0.99, ("Do not use the certainty of gpt as it is: it is too high.",)), (0.8, ())]
)
def test_a_judge_that_may_be_taken_but_is_too_sure_keeps_its_certainty_for_itself(sure, step):
    """Five people and gpt err on a sixth of the items, each on others: gpt is right on .83, by what most people say."""
    names = ["ana", "ben", "cleo", "dev", "eva", "gpt"]
    rows = [
        (i, who, "no" if i % len(names) == place else "yes", sure if who == "gpt" else None)
        for i in range(2 * ITEMS)
        for place, who in enumerate(names)
    ]
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label", "sure"], orient="row")
    card = adjudge.card(frame, judges="gpt", certainty="sure")
    assert card.advice == ("Choose gpt: it may stand in for people.", *step)
