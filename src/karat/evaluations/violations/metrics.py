"""Counts per text become figures with intervals. Texts (clusters of them) are what is drawn at random."""

from collections.abc import Callable
from math import fsum
from typing import NamedTuple

import numpy as np

from karat.estimate import Estimate
from karat.evaluations.violations.counts import Tally
from karat.evaluations.violations.spans import Floats, Integers, summed
from karat.statistics import (
    Comparison,
    clustered_f1,
    clustered_proportion,
    linearised_proportion,
    paired_ratio_difference,
    ratio_influence,
)

MICRO, MACRO = "micro", "macro"
"""Over all texts together, and as the mean over texts."""


class Ratio(NamedTuple):
    """A figure as a ratio of sums over texts. reason: why it is undefined where the lower sum is 0."""

    above: Floats
    below: Floats
    reason: str


_RATIOS: dict[str, Callable[[Tally], Ratio]] = {
    "precision": lambda tally: Ratio(tally.found, tally.predicted, "nothing is predicted"),
    "recall": lambda tally: Ratio(tally.found, tally.true, "nothing is true"),
    "f1": lambda tally: Ratio(2 * tally.found, tally.predicted + tally.true, "nothing is true or predicted"),
}
_SCORED: dict[str, Callable[[Tally, Floats], Ratio]] = {
    "match_score": lambda tally, score: Ratio(score, tally.true, "nothing is true"),
    "match_quality": lambda tally, score: Ratio(score, tally.found, "nothing matches"),
}
COMPARED = ("precision", "recall", "f1", "match_score")
"""Figures by which checkers are compared."""


def ratios(tally: Tally) -> dict[str, Ratio]:
    """All figures of a tally: metric -> ratio."""
    found = {metric: make(tally) for metric, make in _RATIOS.items()}
    if tally.score is not None:
        found |= {metric: make(tally, tally.score) for metric, make in _SCORED.items()}
    return found


def micro(tally: Tally, confidence: float) -> dict[str, Estimate]:
    """Figures over all texts together. tally: per text, or per cluster of them."""
    return {metric: _micro(metric, ratio, tally, confidence) for metric, ratio in ratios(tally).items()}


def _micro(metric: str, ratio: Ratio, tally: Tally, confidence: float) -> Estimate:
    if not ratio.below.any():
        return Estimate.undefined(ratio.reason, confidence=confidence)
    if metric == "f1":
        misses = tally.predicted - tally.found, tally.true - tally.found
        return clustered_f1(tally.found, *misses, confidence=confidence)
    if _whole(ratio.above):
        return clustered_proportion(ratio.above, ratio.below, confidence=confidence)
    value = fsum(ratio.above) / fsum(ratio.below)
    some = ratio.below > 0
    influence = ratio_influence(ratio.above[some], ratio.below[some])
    return linearised_proportion(
        min(value, 1.0), influence, n=int(ratio.below.sum()), scores=True, confidence=confidence
    )


def _whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all())


def macro(tally: Tally, clusters: Integers | None, count: int, confidence: float) -> dict[str, Estimate]:
    """Figures as means over the texts in which they are defined. clusters: of each text, from 0 to count."""
    found = {}
    for metric, ratio in ratios(tally).items():
        some = ratio.below > 0
        if not some.any():
            found[metric] = Estimate.undefined(ratio.reason, confidence=confidence)
            continue
        values = ratio.above[some] / ratio.below[some]
        mean, n = fsum(values) / len(values), len(values)
        influence = (values - mean) / n
        if clusters is not None:
            held = np.bincount(clusters[some], minlength=count) > 0
            influence = summed(clusters[some], influence, count)[held]
        found[metric] = linearised_proportion(min(mean, 1.0), influence, n=n, scores=True, confidence=confidence)
    return found


def difference(first: Tally, second: Tally, metric: str, confidence: float) -> Comparison:
    """The first checker's micro figure less the second's, on the same texts (clusters)."""
    one, other = (ratios(tally)[metric] for tally in (first, second))
    for ratio in (one, other):
        if not ratio.below.any():
            return Comparison(Estimate.undefined(ratio.reason, confidence=confidence), None)
    held = (one.below > 0) | (other.below > 0)
    first_sums, second_sums = ((ratio.above[held], ratio.below[held]) for ratio in (one, other))
    return paired_ratio_difference(first_sums, second_sums, confidence=confidence)


def harmonic_mean(
    first: tuple[Integers, Integers],
    second: tuple[Integers, Integers],
    precision: Estimate,
    recall: Estimate,
    confidence: float,
) -> Estimate:
    """2 P R / (P + R) of two shares over different items of the same texts (clusters), by linearisation.

    first, second: what was found and all there is, per text; precision, recall: their shares. Undefined where either
    is.
    """
    if precision.value is None or recall.value is None:
        return Estimate.undefined(precision.reason or str(recall.reason), confidence=confidence)
    p, r, n = precision.value, recall.value, int(first[1].sum() + second[1].sum())
    if p + r == 0:
        return linearised_proportion(0.0, np.zeros(len(first[0])), n=n, confidence=confidence)
    slopes = 2 * r**2 / (p + r) ** 2, 2 * p**2 / (p + r) ** 2
    influence = slopes[0] * ratio_influence(*first) + slopes[1] * ratio_influence(*second)
    return linearised_proportion(min(2 * p * r / (p + r), 1.0), influence, n=n, confidence=confidence)
