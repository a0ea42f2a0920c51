from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import DataError
from adjudge.evaluations.violations import span_matching
from adjudge.evaluations.violations.metrics import OVERLAP, count_matches
from adjudge.evaluations.violations.span_matching import (
    ALONE,
    VARIANTS,
    MatchRule,
    SpanSides,
    distinct_texts,
    likeness,
    match_spans,
    rule_formula,
    share_categories,
    without_parts,
)
from adjudge.schemas.violations import TEXT_PARTS
from adjudge.text.similarity import similarity
from evaluations.violations.marked import greedy, marked, sides

RULES = st.sampled_from(
    [
        *VARIANTS.values(),
        MatchRule({"overlap": 0.2, "category": 0.3, "explanation": 0.5}, score=0.3, overlap=0.1, rule=-1.0),
        MatchRule({"rule": 1.0}, score=0.4),
        MatchRule({"overlap": 1.0}, score=0.2, rule=0.3),
        ALONE,
    ]
)


def compared(predicted, true):
    ours, theirs = share_categories([marked(predicted).spans, marked(true).spans])
    made = {part: likeness(distinct_texts(ours, part), similarity("jaccard")) for part in TEXT_PARTS}
    return SpanSides(ours, theirs, made)


def found_by(predicted, true, rule):
    both = compared(predicted, true)
    return both.predicted, both.truth, match_spans(both, {"one": rule})["one"]


def said(spans, row):
    return spans.row(row)[:3]


def test_a_text_in_which_too_many_violations_overlap_is_refused_in_words(monkeypatch):
    nested = [{"start": at, "end": 9 - at, "rule": "r"} for at in range(3)]
    monkeypatch.setattr(span_matching, "MOST_OVERLAPS", 9)
    assert found_by([nested], [nested], VARIANTS["std"])[2].height == 3
    monkeypatch.setattr(span_matching, "MOST_OVERLAPS", 8)
    with pytest.raises(DataError, match=r"text 2 of the ground truth: .* overlap in 9 pairs; at most 8 are compared"):
        found_by([nested[:1], nested], [nested[:1], nested], VARIANTS["std"])


@settings(max_examples=30)
@given(sides(), RULES)
def test_matches_are_those_of_a_literal_reading(texts, rule):
    predicted, true = [one for one, _ in texts], [other for _, other in texts]
    ours, theirs, pairs = found_by(predicted, true, rule)
    fast = sorted(
        (said(ours, p), said(theirs, t), score)
        for p, t, score in zip(pairs["predicted"], pairs["truth"], pairs["score"].to_list(), strict=True)
    )
    slow = sorted(
        ((place, mine[p]["start"], mine[p]["end"]), (place, other[t]["start"], other[t]["end"]), score)
        for place, (mine, other) in enumerate(texts)
        for p, (t, score) in greedy(mine, other, rule).items()
    )
    assert [row[:2] for row in fast] == [row[:2] for row in slow]
    assert [row[2] for row in fast] == pytest.approx([row[2] for row in slow], abs=1e-12)


@settings(max_examples=20)
@given(sides(), RULES, st.randoms())
def test_no_order_of_a_file_and_no_exchange_of_sides_changes_a_match(texts, rule, random):
    predicted, true = [one for one, _ in texts], [other for _, other in texts]
    pairs = found_by(predicted, true, rule)[2]
    shuffled = [[random.sample(side, len(side)) for side in sides] for sides in (predicted, true)]
    _, _, again = found_by(*shuffled, rule)
    names = ["predicted", "truth", "score"]
    assert again.select(names).rows() == pairs.select(names).rows()
    _, _, other = found_by(true, predicted, rule)
    assert len(other) == len(pairs)
    assert sorted(other["score"].to_list()) == pytest.approx(sorted(pairs["score"].to_list()), abs=1e-12)


@settings(max_examples=15)
@given(sides())
def test_spans_are_counted_alone_too(texts):
    predicted, true = [one for one, _ in texts], [other for _, other in texts]
    both = compared(predicted, true)
    counted = count_matches(both, match_spans(both, {OVERLAP: ALONE}), len(texts))
    for place, sides_of_one in enumerate(texts):
        offsets = [Counter((one["start"], one["end"]) for one in side) for side in sides_of_one]
        assert counted[OVERLAP, "exact"]["found"][place] == sum((offsets[0] & offsets[1]).values())
        covered = [{at for one in side for at in range(one["start"], one["end"])} for side in sides_of_one]
        characters = counted[OVERLAP, "character"]
        assert characters["found"][place] == len(covered[0] & covered[1])
        assert characters["predicted"][place] == len(covered[0])
        assert characters["true"][place] == len(covered[1])
    partial, exact = counted[OVERLAP, "partial"], counted[OVERLAP, "exact"]
    assert (partial["found"] >= exact["found"]).all()
    assert (partial["found"] <= np.minimum(partial["predicted"], partial["true"])).all()


def test_a_span_that_overlaps_counts_half():
    predicted, true = (
        [[{"start": 0, "end": 4}, {"start": 6, "end": 8}]],
        [[{"start": 0, "end": 4}, {"start": 7, "end": 9}]],
    )
    both = compared(predicted, true)
    counted = count_matches(both, match_spans(both, {OVERLAP: ALONE}), 1)
    assert counted[OVERLAP, "exact"]["found"].to_list() == [1]
    assert counted[OVERLAP, "partial"]["found"].to_list() == [1.5]
    assert counted[OVERLAP, "character"]["found"].to_list() == [5]


def test_a_score_at_the_threshold_is_no_match():
    full = {"start": 0, "end": 10, "rule": "alpha beta"}
    half = {"start": 0, "end": 5, "rule": "alpha"}  # 0.5 x 0.5 + 0.5 x 0.5
    assert len(found_by([[half]], [[full]], VARIANTS["std"])[2]) == 0
    above = {"start": 0, "end": 6, "rule": "alpha"}
    assert found_by([[above]], [[full]], VARIANTS["std"])[2]["score"].to_list() == [0.55]


def test_what_nobody_gives_leaves_its_weight_to_the_others():
    rule = without_parts(VARIANTS["ha"], ["explanation", "correction"])
    assert {part: round(weight, 12) for part, weight in rule.weights.items()} == {
        "overlap": round(3 / 7, 12),
        "rule": round(3 / 7, 12),
        "category": round(1 / 7, 12),
    }
    assert (rule.score, rule.rule) == (0.5, 0.01)
    alone = without_parts(VARIANTS["std"], ["rule"])
    assert dict(alone.weights) == {"overlap": 1.0}
    assert alone.rule == -1.0
    assert dict(without_parts(MatchRule({"rule": 1.0}), ["rule"]).weights) == {"overlap": 1.0}


def test_what_neither_violation_of_a_pair_says_does_not_weigh():
    """Overlap 1/2, rules 1 of 2 words, ha: (.3 / 2 + .3 / 2 + .1) / .7 with a category, .3 / .6 without."""
    rule = replace(VARIANTS["ha"], score=0.4)
    ours, theirs = {"start": 0, "end": 2, "rule": "a"}, {"start": 0, "end": 4, "rule": "a b"}
    beside = {"start": 9, "end": 9, "correction": "x"}
    for further in ([], [beside]):
        assert found_by([[ours, *further]], [[theirs]], rule)[2]["score"].to_list() == [0.5]
    pairs = found_by([[{**ours, "category": "c"}]], [[{**theirs, "category": "c"}]], rule)[2]
    assert pairs["score"].to_list() == [pytest.approx(0.4 / 0.7)]


def test_thresholds_can_be_off():
    """Rules without a word in common match where only the threshold of rules forbids it."""
    ours, theirs = {"start": 0, "end": 4, "rule": "a"}, {"start": 0, "end": 4, "rule": "b"}
    base = MatchRule({"overlap": 0.6, "rule": 0.4})
    assert found_by([[ours]], [[theirs]], base)[2].is_empty()
    assert found_by([[ours]], [[theirs]], replace(base, rule=-1.0))[2]["score"].to_list() == [0.6]
    assert found_by([[ours]], [[theirs]], replace(base, rule=0.0))[2].is_empty()
    none = MatchRule({"rule": 1.0}, score=-1.0, rule=-1.0)
    assert found_by([[ours]], [[theirs]], none)[2]["score"].to_list() == [0]
    assert "needs overlap > 0" in rule_formula(none, "a match")
