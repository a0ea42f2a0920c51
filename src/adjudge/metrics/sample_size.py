"""Sample sizes that detect a difference with 80% power, if the true difference is the one seen."""

from functools import lru_cache
from math import ceil, sqrt

from adjudge.estimate import Estimate
from adjudge.statistics import planning
from adjudge.statistics.quantiles import critical_value, normal_quantile

POWER = 0.8
"""How probably as many items as a fact names would tell two judges apart."""
_FARTHEST = 1000
"""Differences that need more than this multiple of the present items are not worth detecting."""
_EXACT = 200
"""Up to this many items the power is summed over all outcomes; beyond, the normal approximation is as good."""


@lru_cache(maxsize=64)  # a report asks for it in several places
def items_needed(difference: Estimate, tests: int, collected: int = 0, discordant: float | None = None) -> int | None:
    """The number of items to collect to detect a difference with 80% power, at the level of the smallest p of `tests`.

    Its standard error falls as the root of their number; of shares by Connor's formula, and of few items the power is
    summed, as in `adjudge.plan`. None where there are as many, or where it takes more than 1,000 times as many.

    collected: the number of items in the data, of which n bear on the difference, or which hold n judgments that do; so
    do those to collect, at the same rate. By default n. discordant: the share of items on which only one judge is
    right; by default as the interval says, which errs on the safe side.
    """
    if not difference.value or difference.low is None or difference.high is None:
        return None
    variance, size = _item_variance(difference), abs(difference.value)
    sure = 1 - (1 - difference.confidence) / tests
    z, power = critical_value(sure), normal_quantile(POWER)
    needed = ceil(((z + power) / size) ** 2 * variance)
    if difference.method == "tango" and discordant is not None:
        needed = ceil(((z * sqrt(discordant) + power * sqrt(max(discordant - size**2, 0.0))) / size) ** 2)
    if difference.method == "tango" and needed <= _EXACT and sure >= planning.LEAST_CONFIDENCE:
        discordant = min(max(variance + size**2 if discordant is None else discordant, size), 1.0)
        needed = planning.fewest_items(
            lambda items: planning.paired_difference_power(items, size, discordant, confidence=sure) >= POWER,
            steady=False,
        )
    n = difference.n
    return round_up(needed * (collected or n) / n) if n < needed <= _FARTHEST * n else None


def round_up(number: float) -> int:
    """A count rounded up to two digits that count."""
    step: int = 10 ** max(len(str(int(number))) - 2, 0)
    return ceil(number / step) * step


def _item_variance(estimate: Estimate) -> float:
    """The variance of what a single item adds, by the width of the interval; 0 where there is none."""
    if estimate.low is None or estimate.high is None:
        return 0.0
    return estimate.n * ((estimate.high - estimate.low) / (2 * critical_value(estimate.confidence))) ** 2
