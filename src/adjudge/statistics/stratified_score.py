"""Limits of a share of which items stand for unequal numbers of others: a score test inverted."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from adjudge.statistics._checks import Floats, Integers
from adjudge.statistics.intervals import Limits
from adjudge.statistics.quantiles import critical_value
from adjudge.statistics.sampling_weights import ROUNDING, Sample

_FEW_VALUES = 10
"""The most cells of a score test: up to this many distinct values of the judge are cells, more are binned."""
_HALVINGS = 36
_LEAST, _MOST = 1e-6, 1e9
"""Between these times the number of labels the multipliers of both limits lie."""


def has_score(sample: Sample, y: Floats) -> bool:
    """Whether labels of 0 and 1 weigh unequally, each for itself."""
    plain = sample.units is None and (sample.totals == 1).all() and np.isin(y, (0, 1)).all()
    return bool(plain and sample.unequal)


def limits_by_score(
    sample: Sample, y: Floats, every: Floats, level: Floats, confidence: float, weight: float
) -> Callable[[float], Limits]:
    """From a share to its limits by a score test. weight: how far the judge is trusted; 0 of people's share alone.

    Cells are what the judge says: level, of all items, in classes where many differ. Of people alone they are the
    weights, where few differ.
    """
    z = critical_value(confidence)
    if weight:
        cells = _classes(level)
        predicted = every.copy()
        # What more labels would tell apart within a class is next to nothing: others have its mean.
        means = np.bincount(cells[len(y) :], every[len(y) :]) / np.maximum(np.bincount(cells[len(y) :]), 1)
        predicted[len(y) :] = means[cells[len(y) :]]
        return lambda value: score_limits(sample, y, weight * predicted, value, cells, np.ones(len(every)), z)
    cells, sizes = np.zeros(len(every), dtype=np.int64), np.zeros(len(every))
    sizes[: len(y)] = sample.counts
    kinds, cells[: len(y)] = np.unique(sample.counts, return_inverse=True)
    if len(kinds) > _FEW_VALUES:
        cells[:] = 0
    return lambda value: score_limits(sample, y, 0 * every, value, cells, sizes, z)


def _classes(level: Floats) -> Integers:
    """Codes of values in their order: each its own where few differ, else that of the nearest of ten quantiles."""
    kinds = np.unique(level)
    if len(kinds) > _FEW_VALUES:
        kinds = np.unique(np.quantile(level, (np.arange(_FEW_VALUES) + 0.5) / _FEW_VALUES))
    classes: Integers = np.searchsorted((kinds[1:] + kinds[:-1]) / 2, level).astype(np.int64)
    return classes


def score_limits(
    sample: Sample, y: Floats, predicted: Floats, value: float, cells: Integers, sizes: Floats, critical: float
) -> Limits:
    """The shares that a score test does not reject, given a weighted share or one that is sharpened by a judge.

    Labels are 1 or 0 with rates p_c of cells: items of a stratum that have one code. Of all rates that give a share
    P = sum a_c p_c the likeliest ones are x p^-1 - (n - x) (1 - p)^-1 = mu a in each cell, with x of n labels, so that
    a single mu >= 0 stands for a P below the estimate, and mu <= 0 for one above it. The limits are those at which
    |value - P| = z sqrt(V), V the variance of the estimate under these rates, as `Sample.variance` has it. So a rate
    that no label shows is not taken for 0, which is what makes intervals too narrow where few labels stand for many
    items.

    sample: units are items, each with a total of 1. y: 0 or 1 of each label. predicted: what the judge's label
    of each item adds to the estimate. cells: codes of all items, in their order; cells without labels have the rate of
    one beside them. sizes: how much of the share each item stands for. critical: z.

    Source: Wilson 1927 for one cell. For strata Yan and Su 2010, Statistics in Biopharmaceutical Research 2, 329-335;
    rates under a hypothesis as in Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226. With a judge's labels
    it is ours: simulated in benchmarks/stratified_score_coverage.py.
    """
    model = _model(sample, y, predicted, cells, sizes)
    low, high = (_limit(model, value, side, critical) for side in (1, -1))
    return Limits(np.asarray(min(low, value)), np.asarray(max(high, value)))


@dataclass(frozen=True, slots=True)
class _Model:
    """Kinds of items that add the same, in groups that share a rate: each is a cell with labels, and those beside it.

    size: the number of items. stratum, predicted, items, unseen, group: for each kind its stratum, what each item adds,
    the number of items and of items without labels, and its group. parts: the sum of the weights of its labels.
    moments: sums of powers 0 to 2 of each label's share of all weights, over 1 less its share of those of its stratum.
    labels, true, shares: of groups n, x and a.
    """

    size: int
    stratum: Integers
    predicted: Floats
    items: Floats
    unseen: Floats
    group: Integers
    parts: Floats
    moments: tuple[Floats, Floats, Floats]
    labels: Floats
    true: Floats
    shares: Floats

    def rates(self, mu: float) -> Floats:
        """The likeliest rates of groups at a multiplier."""
        n, b = self.labels, mu * self.shares
        root = np.sqrt(np.maximum((n + b) ** 2 - 4 * b * self.true, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(n + b > 0, 2 * self.true / (n + b + root), (n + b - root) / (2 * b))
        return np.clip(rate, 0, 1)

    def variance(self, rates: Floats, share: float) -> float:
        """The variance of the estimate under rates that give a share."""
        each = rates[self.group]
        sums = np.bincount(self.stratum, self.parts * (each - share - self.predicted))
        adjusted = self.predicted + (sums / np.bincount(self.stratum, self.parts))[self.stratum]
        apart = (adjusted - float(self.items @ adjusted) / self.size) / self.size
        rest = share + adjusted
        squares = each * (1 - rest) ** 2 + (1 - each) * rest**2
        labelled, first, second = self.moments
        added = labelled * apart**2 + 2 * first * apart * (each - rest) + second * squares
        return float(self.unseen @ apart**2 + added.sum())


def _model(sample: Sample, y: Floats, predicted: Floats, cells: Integers, sizes: Floats) -> _Model:
    n, kinds = len(y), np.unique(predicted, return_inverse=True)[1]
    cell = np.unique(sample.strata * (int(cells.max()) + 1) + cells, return_inverse=True)[1]
    _, first, kind = np.unique(cell * (int(kinds.max()) + 1) + kinds, return_index=True, return_inverse=True)

    def sum_by_place(values: Floats, places: Integers) -> Floats:
        return np.bincount(places[: len(values)], values, int(places.max()) + 1).astype(np.float64)

    shares, ones = sample.counts / sample.counts.sum(), np.ones(len(cells))
    whole = 1 / np.maximum(1 - sample.leverage[:n], ROUNDING)
    labels, parts, true = (sum_by_place(one, cell) for one in (ones[:n], sample.counts, sample.counts * y))
    known, stratum = labels > 0, np.zeros(len(labels), dtype=np.int64)
    stratum[cell] = sample.strata
    group = _groups(labels, stratum)
    return _Model(
        len(cells),
        sample.strata[first],
        predicted[first],
        sum_by_place(ones, kind),
        sum_by_place(ones, kind) - sum_by_place(ones[:n], kind),
        group[cell[first]],
        sum_by_place(sample.counts, kind),
        (sum_by_place(whole, kind), sum_by_place(whole * shares, kind), sum_by_place(whole * shares**2, kind)),
        labels[known],
        labels[known] * true[known] / parts[known],
        np.bincount(group, sum_by_place(sizes, cell)) / float(sizes.sum()),
    )


def _groups(labels: Floats, stratum: Integers) -> Integers:
    """For each cell, the number of the cell whose rate it has: itself, or without labels one beside it."""
    places, known = np.arange(len(labels)), labels > 0
    before = np.maximum.accumulate(np.where(known, places, -1))
    after = np.minimum.accumulate(np.where(known, places, len(labels) - 1)[::-1])[::-1]
    alike = (before >= 0) & (stratum[before] == stratum)
    numbers: Integers = np.cumsum(known) - 1
    return numbers[np.where(alike, before, after)]


def _limit(model: _Model, value: float, side: int, critical: float) -> float:
    """The lower limit (side 1) or the upper one (side -1): halves the logarithm of the multiplier."""
    low, high = (float(np.log(times * model.labels.sum())) for times in (_LEAST, _MOST))
    share = value
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rates = model.rates(side * float(np.exp(middle)))
        share = float(model.shares @ rates)
        within = side * (value - share) <= critical * sqrt(model.variance(rates, share)) + ROUNDING
        low, high = (middle, high) if within else (low, middle)
    return share
