"""Which predicted violation is which true one.

Overlapping spans become candidate pairs, pairs become scores, and scores become a one-to-one match. All of it happens
in arrays over many texts at once, in batches that bound the memory.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from karat.evaluations.violations.rules import DECIMALS, PARTS, Assignment, Rule
from karat.evaluations.violations.spans import NOTHING, Floats, Integers, Spans, summed

MOST_PAIRS = 1 << 21
"""Candidate pairs in a batch; more only where a single text has more."""

_ROUNDING = 1e-9
"""Well above what rounding adds to a score, well below any difference that counts."""

Similarity = Callable[[Integers, Integers], Floats]
"""From numbers of texts (predicted, true), none of them missing, to how alike they are, in [0, 1]."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Predicted and true violations that may belong together, or do.

    predicted, truth: rows of the spans of either side. score: how much speaks for it. parts: what the score is
    made of, by part.
    """

    predicted: Integers
    truth: Integers
    score: Floats
    parts: dict[str, Floats]

    def __len__(self) -> int:
        return len(self.predicted)

    def some(self, rows: np.ndarray) -> "Pairs":
        """Some of them."""
        parts = {name: values[rows] for name, values in self.parts.items()}
        return Pairs(self.predicted[rows], self.truth[rows], self.score[rows], parts)


def matches(
    predicted: Spans,
    truth: Spans,
    rules: Mapping[str, Rule],
    similarities: Mapping[str, Similarity],
) -> dict[str, Pairs]:
    """The matches by each rule: pairs in the order of the predictions, each violation in at most one.

    similarities: for each part that says something in texts.
    A rule's assignment: greedy takes the highest score first, of equal ones the larger overlap, then by what the
    violations themselves say; optimal takes the highest sum of scores.
    """
    found: dict[str, list[Pairs]] = {name: [] for name in rules}
    for p, t in candidates(predicted, truth):
        pairs = compared(predicted, truth, p, t)
        if "rule" in similarities:  # which nearly every variant asks for
            pairs.parts["rule"] = part_values("rule", pairs, predicted, truth, similarities)
        for name, rule in rules.items():
            scored = _scored(pairs, predicted, truth, rule, similarities)
            found[name].append(_assigned(scored, predicted, truth, rule.assignment))
    return {name: _joined(parts) for name, parts in found.items()}


def _joined(parts: list[Pairs]) -> Pairs:
    if not parts:
        nothing = np.empty(0, np.int64)
        return Pairs(nothing, nothing, np.empty(0), {"overlap": np.empty(0)})
    found = Pairs(
        np.concatenate([one.predicted for one in parts]),
        np.concatenate([one.truth for one in parts]),
        np.concatenate([one.score for one in parts]),
        {name: np.concatenate([one.parts[name] for one in parts]) for name in parts[0].parts},
    )
    return found.some(np.argsort(found.predicted, kind="stable"))


# --- candidates ---


def candidates(predicted: Spans, truth: Spans) -> Iterator[tuple[Integers, Integers]]:
    """All pairs of spans of one text that share a character, or are empty at one place, in batches.

    Each pair is met once: either the true span starts in the predicted one, or the predicted one starts in the true
    one, behind its start.
    """
    if not len(predicted) or not len(truth):
        return
    width = 1 + max(int(predicted.end.max()), int(truth.end.max()))
    p_start, t_start = (side.place * width + side.start for side in (predicted, truth))
    p_end, t_end = (side.place * width + np.maximum(side.end, side.start + 1) for side in (predicted, truth))
    in_predicted = np.searchsorted(t_start, p_start), np.searchsorted(t_start, p_end)
    in_truth = np.searchsorted(p_start, t_start, side="right"), np.searchsorted(p_start, t_end)
    places = 1 + max(int(predicted.place[-1]), int(truth.place[-1]))
    counts = summed(predicted.place, in_predicted[1] - in_predicted[0], places)
    counts += summed(truth.place, in_truth[1] - in_truth[0], places)
    for first, last in _batches(counts):
        ours, theirs = predicted.within(first, last), truth.within(first, last)
        p, t = _expanded(ours.start, *(side[ours] for side in in_predicted))
        other_t, other_p = _expanded(theirs.start, *(side[theirs] for side in in_truth))
        yield np.concatenate([p, other_p]), np.concatenate([t, other_t])


def _batches(counts: Floats) -> Iterator[tuple[int, int]]:
    """Runs of texts with at most MOST_PAIRS candidates each, or one text with more. counts: of each text."""
    sums = np.cumsum(counts)
    first = 0
    while first < len(sums):
        before = sums[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(sums, before + MOST_PAIRS, side="right")))
        yield first, last
        first = last


def _expanded(offset: int, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Ranges as pairs: the number of each range, counted from offset, beside each member of it."""
    sizes = np.maximum(high - low, 0)
    total = int(sizes.sum())
    rows = np.repeat(np.arange(len(low)), sizes)
    within = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows + offset, low[rows] + within


def compared(predicted: Spans, truth: Spans, p: Integers, t: Integers) -> Pairs:
    """Candidates with their overlap: characters in both / in either; 1 for empty spans at one place."""
    shared = np.minimum(predicted.end[p], truth.end[t]) - np.maximum(predicted.start[p], truth.start[t])
    either = np.maximum(predicted.end[p], truth.end[t]) - np.minimum(predicted.start[p], truth.start[t])
    overlap = np.divide(shared, either, out=np.ones(len(p)), where=either > 0)
    return Pairs(p, t, np.zeros(len(p)), {"overlap": overlap}).some(overlap > 0)


# --- scores ---


def _scored(pairs: Pairs, predicted: Spans, truth: Spans, rule: Rule, similarities: Mapping[str, Similarity]) -> Pairs:
    """The pairs that can match, with their scores.

    A pair is left as soon as the parts still to come cannot lift it above the threshold.
    """
    left = sum(rule.weights.values())
    limits = {"overlap": rule.overlap, "rule": rule.rule}
    for part in PARTS:
        weight = rule.weights.get(part, 0.0)
        if not weight and limits.get(part, -1.0) < 0:
            continue
        values = pairs.parts.get(part)
        if values is None:
            values = part_values(part, pairs, predicted, truth, similarities)
        left -= weight
        score = pairs.score + weight * values
        kept = (score + left > rule.score - _ROUNDING) & (values > limits.get(part, -1.0))
        pairs = Pairs(pairs.predicted, pairs.truth, score, {**pairs.parts, part: values}).some(kept)
    scored = Pairs(pairs.predicted, pairs.truth, np.round(pairs.score, DECIMALS), pairs.parts)
    return scored.some(scored.score > rule.score)


def part_values(
    part: str, pairs: Pairs, predicted: Spans, truth: Spans, similarities: Mapping[str, Similarity]
) -> Floats:
    """The similarity of two violations in a part: 0 where one lacks it; where both do, 1 for category."""
    ours, theirs = predicted.parts[part][pairs.predicted], truth.parts[part][pairs.truth]
    if part == "category":
        same: Floats = (ours == theirs).astype(np.float64)
        return same
    values = np.zeros(len(pairs))
    said = np.flatnonzero((ours != NOTHING) & (theirs != NOTHING))
    if len(said):
        values[said] = similarities[part](ours[said], theirs[said])
    return values


# --- assignment ---


def _assigned(pairs: Pairs, predicted: Spans, truth: Spans, assignment: Assignment) -> Pairs:
    """The pairs that match."""
    alone = (_occurrences(pairs.predicted) == 1) & (_occurrences(pairs.truth) == 1)
    rest = np.flatnonzero(~alone)
    taken = alone
    if len(rest):
        contested = pairs.some(rest)
        choose = _greedy if assignment == "greedy" else _optimal
        taken[rest[choose(contested, predicted, truth)]] = True
    return pairs.some(taken)


def _occurrences(rows: Integers) -> Integers:
    """How often the value of each entry occurs."""
    if not len(rows):
        return rows
    shifted = rows - rows.min()
    found: Integers = np.bincount(shifted)[shifted]
    return found


def _greedy(pairs: Pairs, predicted: Spans, truth: Spans) -> list[int]:
    """The highest score first, each violation once."""
    p, t = ((rows - rows.min()).tolist() for rows in (pairs.predicted, pairs.truth))
    taken_p, taken_t = bytearray(max(p) + 1), bytearray(max(t) + 1)
    chosen = []
    for row in _order(pairs, predicted, truth).tolist():
        ours, theirs = p[row], t[row]
        if not (taken_p[ours] or taken_t[theirs]):
            taken_p[ours] = taken_t[theirs] = 1
            chosen.append(row)
    return chosen


def _order(pairs: Pairs, predicted: Spans, truth: Spans) -> Integers:
    """Text by text the highest score first, then the larger overlap, then by what the violations say.

    Of the two contents of a pair the smaller counts first, so that it does not matter which side is which.
    """
    keys = (-pairs.parts["overlap"], -pairs.score, predicted.place[pairs.predicted])
    order = np.lexsort(keys)
    equal = np.logical_and.reduce([one[order][1:] == one[order][:-1] for one in keys])
    if not equal.any():
        return order
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] |= equal
    tied[:-1] |= equal
    rows = order[tied]
    ours, theirs = _ranks(predicted, pairs.predicted[rows], truth, pairs.truth[rows])
    low, high = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    low[rows], high[rows] = np.minimum(ours, theirs), np.maximum(ours, theirs)
    return np.lexsort((high, low, *keys))


def _ranks(predicted: Spans, p: Integers, truth: Spans, t: Integers) -> tuple[Integers, Integers]:
    """Ranks of violations of both sides by content (start, end, rule, category, explanation, correction)."""
    columns = [
        np.concatenate([one[p], other[t]])
        for one, other in [
            (predicted.start, truth.start),
            (predicted.end, truth.end),
            *((predicted.parts[name], truth.parts[name]) for name in predicted.parts),
        ]
    ]
    order = np.lexsort(columns[::-1])
    new = np.logical_or.reduce([one[order][1:] != one[order][:-1] for one in columns])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(new)])
    return ranks[: len(p)], ranks[len(p) :]


def _optimal(pairs: Pairs, predicted: Spans, _: Spans) -> list[int]:
    """The highest sum of scores, text by text."""
    from karat.text.models import extra

    with extra("fit", "An optimal assignment"):
        from scipy.optimize import linear_sum_assignment

    places = predicted.place[pairs.predicted]
    chosen: list[int] = []
    order = np.argsort(places, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(places[order])) + 1):
        (ours, p), (theirs, t) = (np.unique(one[rows], return_inverse=True) for one in (pairs.predicted, pairs.truth))
        scores, numbers = np.zeros((len(ours), len(theirs))), np.full((len(ours), len(theirs)), NOTHING)
        scores[p, t], numbers[p, t] = pairs.score[rows], rows
        found = numbers[linear_sum_assignment(scores, maximize=True)]
        chosen += found[found != NOTHING].tolist()
    return chosen
