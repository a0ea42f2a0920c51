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


@pytest.mark.parametrize(("sure", "share"), [(0.67, None), (0.4, "66.7 %")])
def test_a_judge_is_less_sure_than_it_may_be_by_what_single_people_say(sure, share):
    """Two of three people say yes to each item, as gpt does: the majority bears it out always, one of them in 2 of 3."""
    rows = [(i, "gpt", "yes", sure + (i % 3 - 1) / 20) for i in range(ITEMS)]
    rows += [
        (i, who, "no" if (i + i // 7) % 3 == nth else "yes", None)
        for i in range(ITEMS)
        for nth, who in enumerate("abc")
    ]
    text = said(rows, ["sure"], confidence_column="sure")
    assert ("less sure of itself" in text) is (share is not None)
    if share:
        assert f"it is 40.0 % sure of its labels and right on {share}, as single people judge, 26.7 pp (" in text


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
    card = adjudge.card(frame, judges="gpt", confidence_column="sure")
    assert card.advice == ("Choose gpt: it may stand in for people.", *step)
