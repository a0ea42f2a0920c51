"""Texts with violations, and a literal reading of what matching means, for tests."""

import re

import polars as pl
from hypothesis import strategies as st

from adjudge.schemas.violations import SPANS, TEXT_PARTS, MarkedTexts

PARTS = ("overlap", "rule", "category", "explanation", "correction")


def marked(texts, name="truth"):
    """texts: a list of lists of violations (dicts with start and end)."""
    columns = {column: [] for column in SPANS}
    for place, violations in enumerate(texts):
        for one in violations:
            columns["place"].append(place)
            for column in list(SPANS)[1:]:
                columns[column].append(one.get(column))
    ids = [f"t{place}" for place in range(len(texts))]
    frame = pl.DataFrame({"id": ids, "text": [None] * len(ids)}, schema={"id": pl.String, "text": pl.String})
    return MarkedTexts(name, frame, pl.DataFrame(columns, schema=SPANS).sort(*SPANS), len(texts))


def words(text):
    return set(re.findall(r"\w+", (text or "").lower()))


def alike(one, other):
    if one is None and other is None:
        return None
    ours, theirs = words(one), words(other)
    return 1.0 if one == other else len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def overlap(one, other):
    ours, theirs = set(range(one["start"], one["end"])), set(range(other["start"], other["end"]))
    if not ours and not theirs:
        return float(one["start"] == other["start"])
    return len(ours & theirs) / len(ours | theirs)


def parts_of(one, other):
    found = {part: alike(one.get(part), other.get(part)) for part in TEXT_PARTS}
    if found["category"] is not None:
        found["category"] = float(one.get("category") == other.get("category"))
    return found | {"overlap": overlap(one, other)}


def score_of(parts, weights):
    said = {part: weight for part, weight in weights.items() if parts[part] is not None}
    total = sum(said.values())
    return round(sum(weight * parts[part] for part, weight in said.items()) / total if total else parts["overlap"], 12)


def content(one):
    said = tuple((one.get(part) is not None, one.get(part) or "") for part in TEXT_PARTS)
    return (one["start"], one["end"], *said)


def candidates(predicted, true, rule):
    """All pairs of one text that can match, as (score, parts, place of the prediction, place of the truth)."""
    found = []
    for p, ours in enumerate(predicted):
        for t, theirs in enumerate(true):
            parts = parts_of(ours, theirs)
            score = score_of(parts, rule.weights)
            ruled = parts["rule"] is None or parts["rule"] > rule.rule
            if parts["overlap"] > rule.overlap and ruled and score > rule.score:
                found.append((score, parts, p, t))
    return found


def greedy(predicted, true, rule):
    """The matches of one text: place of the prediction -> (place of the truth, score)."""

    def order(pair):
        score, parts, p, t = pair
        ours, theirs = sorted([content(predicted[p]), content(true[t])])
        return (-score, -parts["overlap"], ours, theirs)

    found = {}
    for score, _, p, t in sorted(candidates(predicted, true, rule), key=order):
        if p not in found and t not in {other for other, _ in found.values()}:
            found[p] = (t, score)
    return found


WORDS = st.sampled_from([None, "a", "b", "a b", "b c", "!"])


@st.composite
def violations(draw):
    start = draw(st.integers(0, 6))
    end = draw(st.integers(start, 8))
    return {"start": start, "end": end, **{part: draw(WORDS) for part in TEXT_PARTS}}


def sides(texts=3, most=5):
    """Predicted and true violations of a few texts."""
    side = st.lists(violations(), max_size=most)
    return st.lists(st.tuples(side, side), min_size=1, max_size=texts)
