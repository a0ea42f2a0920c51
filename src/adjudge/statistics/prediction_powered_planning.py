"""How many of people's labels an interval needs, with a judge's labels of all items and without."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

from adjudge.errors import OptionError
from adjudge.estimate import Estimate
from adjudge.statistics._checks import check_inside
from adjudge.statistics.intervals import wilson_limits
from adjudge.statistics.planning import fewest_items
from adjudge.statistics.prediction_powered import Powered
from adjudge.statistics.quantiles import critical_value, normal_quantile

_WIDEST, _LEAST = 0.25, 1e-9
"""The square of half the width of an interval that says nothing, and what it is worth."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The fewest labels of people in all, no fewer than there are: with the judge's, and alone.

    with_judge: None where not even people's labels of all items are enough.
    """

    with_judge: int | None
    alone: int


def labels_needed(
    found: Powered,
    labels: int,
    items: int,
    width: float,
    *,
    bounds: tuple[float, float] | None = None,
    assurance: float | None = None,
    confidence: float = 0.95,
) -> Budget:
    """How many of people's labels give an interval no wider than asked for: those that are there, and further ones.

    With m labels in place of n the variance of people's figure is n / m of what it is; with the judge's labels of M
    items, what is left of the labels falls so, what allows for an error not seen as (n / m)^2, and the rest stays.
    The interval is that of `found`, narrowed as much: of a bounded figure it is Wilson's around the corrected figure,
    with as many labels as give one that wide now, times what the variance falls by. For an assurance with the quantile
    z, what falls as n / m is multiplied by 1 + z sqrt(k (1 / C - n / (m C))), with the unevenness k of C units: how far
    the variance found with m labels may lie above that found with the first n of them.

    found: the figure now. labels, items: n and M, both from 1. width: upper minus lower limit. bounds: as it was found
    with. assurance: how probably the interval is no wider; by default about half of all are.
    Raises OptionError for a width that is not above 0, an assurance outside (0, 1) and a figure without an interval.

    >>> from adjudge.statistics import prediction_powered
    >>> y, f = [1, 0] * 50, [1, 0] * 45 + [0, 1] * 5
    >>> labels_needed(prediction_powered(y, f, f * 20, bounds=(0, 1)), 100, 2100, 0.1, bounds=(0, 1))
    Budget(with_judge=161, alone=381)
    """
    if not 0 < width < inf:
        raise OptionError(f"expected a number above 0; got {width!r}", option="width")
    if assurance is not None:
        check_inside("assurance", assurance)
    if found.corrected.value is None or found.corrected.low is None:
        raise OptionError("expected a metric with an interval")
    plan = _Plan(found, labels, items, bounds, 0.0 if assurance is None else normal_quantile(assurance), confidence)

    def with_judge(given: int) -> bool:
        given = min(given, items)
        return plan.width(found.corrected, found.together, plan.variance_with_judge(given), given) <= width

    def without_judge(given: int) -> bool:
        return plan.width(found.people, found.alone, plan.variance_without_judge(given), given) <= width

    fewest = _fewest(with_judge, labels) if with_judge(items) or with_judge(labels) else None
    return Budget(fewest, _fewest(without_judge, labels))


def _fewest(enough: Callable[[int], bool], labels: int) -> int:
    """From the labels that there are. Where these do not do, what is assured grows at first and falls then for good."""
    return labels if enough(labels) else labels + fewest_items(lambda further: enough(labels + further))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a figure with n labels says of the same one with others. z: quantile of the assurance."""

    found: Powered
    labels: int
    items: int
    bounds: tuple[float, float] | None
    z: float
    confidence: float

    def units(self, given: int) -> float:
        """How many units so many labels are."""
        return max(self.found.units * given / self.labels, 1.0)

    def inflated(self, unevenness: float, given: int) -> float:
        return max(1 + self.z * sqrt(unevenness / self.found.units * (1 - self.labels / given)), 0.0)

    def variance_without_judge(self, given: int) -> float:
        """The variance of people's figure."""
        return self.labels * self.found.alone / given * self.inflated(self.found.unevenness[0], given)

    def variance_with_judge(self, given: int) -> float:
        """The variance of the corrected figure."""
        found, times = self.found, self.labels / given
        rest = max(found.together - found.seen - found.unseen, 0.0)
        return found.seen * times * self.inflated(found.unevenness[1], given) + rest + found.unseen * times**2

    def width(self, found: Estimate, now: float, later: float, given: int) -> float:
        """How wide an interval will be whose variance changes. found: what it is now, with the variance `now`."""
        if self.units(given) <= 1 or found.low is None or found.high is None or found.value is None:
            return inf
        times = later / now if now else self.labels / given
        times *= (self.critical(given) / self.critical(self.labels)) ** 2
        width = found.high - found.low
        if self.bounds is None:
            return width * sqrt(times)
        low, span = self.bounds[0], self.bounds[1] - self.bounds[0]
        share, expected = ((value - low) / span for value in (found.value, self.found.corrected.value or 0.0))
        z = critical_value(self.confidence)
        size = _wilson_size(share, width / span, z) / times
        limits = wilson_limits(expected * size, size, z)
        return span * float(limits.high - limits.low)

    def critical(self, given: int) -> float:
        degrees = self.found.degrees
        return critical_value(self.confidence, max(degrees + self.units(given) - self.found.units, 1))


def _wilson_size(share: float, width: float, critical: float) -> float:
    """The number of labels of which Wilson's interval of a share is so wide: its formula solved for n."""
    square = (width / 2) ** 2
    if square >= _WIDEST:
        return _LEAST
    a, b = 1 / 4 - square, share * (1 - share) - 2 * square
    return critical**2 * 2 * a / (sqrt(b**2 + 4 * a * square) - b)
