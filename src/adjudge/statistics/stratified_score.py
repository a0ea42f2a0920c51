"""Shares of unequally weighted items: the weights of strata, and limits from an inverted score test."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from adjudge.statistics.clusters import Floats, Integers
from adjudge.statistics.intervals import Limits
from adjudge.statistics.quantiles import critical_value

ALIKE = 1e-9
"""The relative tolerance at which weights count as equal."""
ROUNDING = 1e-14
"""Values up to this are rounding errors."""


@dataclass(frozen=True)
class Sample:
    """The sampling of n labelled items among M.

    counts: how many items each labelled one represents. strata, units: of all items, the labelled ones first, as whole
    numbers from 0; no units: each item by itself. totals: X of labelled items.
    """

    counts: Floats
    strata: Integers
    units: Integers | None
    totals: Floats

    def per_unit(self, values: Floats) -> Floats:
        """Sums over units of values of all items, or of the labelled ones alone."""
        if self.units is None:
            return np.concatenate([values, np.zeros(len(self.strata) - len(values))])
        return np.bincount(self.units[: len(values)], values, int(self.units.max()) + 1).astype(np.float64)

    @cached_property
    def parts(self) -> Floats:
        """The share of each label in all labels."""
        return self.counts * self.totals / (self.counts @ self.totals)

    @cached_property
    def sizes(self) -> Floats:
        """The share of the labels in each unit that has labels."""
        sizes_of_units = self.per_unit(self.parts)
        return sizes_of_units[sizes_of_units > 0]

    @property
    def unequal(self) -> bool:
        """Whether labels represent different numbers of items."""
        return bool(np.ptp(self.counts) > ALIKE * self.counts.max())

    @property
    def equally_weighted(self) -> bool:
        """Whether each label is its own unit and all count alike, or not at all."""
        plain = self.units is None and not self.strata.any() and not self.unequal
        return bool(plain and np.isin(self.totals, (0, 1)).all())

    @cached_property
    def leverage(self) -> Floats:
        """The share of the labels of its stratum in each unit."""
        labelled = self.strata[: len(self.counts)]
        parts = self.counts * self.totals
        wholes = np.bincount(labelled, parts)[labelled]
        return self.per_unit(np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0))

    def variance(self, left: Floats, predicted: Floats) -> float:
        """The variance of the mean of `predicted` over all items plus the mean of `left` over labelled items."""
        rest = 1 - self.leverage
        squares = self.contributions(left, predicted) ** 2
        return float(np.divide(squares, rest, out=np.zeros_like(squares), where=rest > ROUNDING).sum())

    def contributions(self, left: Floats, predicted: Floats) -> Floats:
        """The term of each unit in that mean, less its expectation."""
        labelled = self.strata[: len(left)]
        means = np.bincount(labelled, self.counts * left) / np.bincount(labelled, self.counts)
        adjusted = predicted + means[self.strata]
        added = (adjusted - adjusted.mean()) / len(adjusted)
        added[: len(left)] += self.counts * (left - means[labelled]) / self.counts.sum()
        return self.per_unit(added)


def counts_of(given: Floats, strata: Integers) -> Floats:
    """How many items each labelled one represents; all 0 if a stratum has no labels."""
    if not strata.any():
        return given
    labelled, items = strata[: len(given)], np.bincount(strata)
    drawn = np.bincount(labelled, given, len(items))
    return given / drawn[labelled] * items[labelled] if drawn.all() else 0 * given


_FEW_VALUES = 10
"""The most cells of a score test: up to this many distinct values of the judge are cells, more are binned."""
_HALVINGS = 36
_LEAST, _MOST = 1e-6, 1e9
"""The range of the multipliers of both limits, over the number of labels."""


def has_score(sample: Sample, y: Floats) -> bool:
    """Whether labels are 0 and 1, unequally weighted, and each its own unit."""
    plain = sample.units is None and (sample.totals == 1).all() and np.isin(y, (0, 1)).all()
    return bool(plain and sample.unequal)


def limits_by_score(
    sample: Sample, y: Floats, every: Floats, level: Floats, confidence: float, weight: float
) -> Callable[[float], Limits]:
    """A function from a share to its limits by a score test. weight: of the judge's labels; 0 for human labels alone.

    Cells are the judge's labels: level, of all items, in classes if many differ. For human labels alone they are the
    weights, if few differ.
    """
    z = critical_value(confidence)
    if weight:
        cells = _classes(level)
        predicted = every.copy()
        # More labels would hardly distinguish values within a class: others have its mean.
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
    """Codes of values in their order: one for each if few differ, else that of the nearest of ten quantiles."""
    kinds = np.unique(level)
    if len(kinds) > _FEW_VALUES:
        kinds = np.unique(np.quantile(level, (np.arange(_FEW_VALUES) + 0.5) / _FEW_VALUES))
    return np.searchsorted((kinds[1:] + kinds[:-1]) / 2, level).astype(np.int64)


def score_limits(
    sample: Sample, y: Floats, predicted: Floats, value: float, cells: Integers, sizes: Floats, critical: float
) -> Limits:
    """The shares that a score test does not reject, given a weighted or a prediction-powered share.

    Labels are 1 or 0 with rates p_c of cells: items of a stratum with one code. Of all rates that give a share
    P = sum a_c p_c the likeliest ones are x p^-1 - (n - x) (1 - p)^-1 = mu a in each cell, with x of n labels, so that
    each P below the estimate has a single mu >= 0, and each P above it a mu <= 0. The limits are those at which
    |value - P| = z sqrt(V), V the variance of the estimate under these rates, see `Sample.variance`. A rate
    without observed labels is thus not taken as 0, which would make intervals too narrow if few labels represent many
    items.

    sample: units are items, each with a total of 1. y: 0 or 1 of each label. predicted: the term of the judge's label
    of each item in the estimate. cells: codes of all items, in their order; cells without labels have the rate of
    a neighbour. sizes: the part of the share that each item represents. critical: z.

    Source: Wilson 1927 for one cell. For strata Yan and Su 2010, Statistics in Biopharmaceutical Research 2, 329-335;
    rates under a hypothesis as in Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226. With a judge's labels
    it is ours: simulated in benchmarks/stratified_score_coverage.py.
    """
    model = _model(sample, y, predicted, cells, sizes)
    low, high = (_limit(model, value, side, critical) for side in (1, -1))
    return Limits(np.asarray(min(low, value)), np.asarray(max(high, value)))


@dataclass(frozen=True, slots=True)
class _Model:
    """Kinds of items with equal terms, in groups that share a rate: a cell with labels and its neighbours without.

    size: the number of items. stratum, predicted, items, unseen, group: for each kind its stratum, each item's term,
    the number of items and of items without labels, and its group. parts: the sum of the weights of its labels.
    moments: sums of powers 0 to 2 of each label's share of all weights, over 1 less its share of those of its stratum.
    labels, true, shares: n, x and a of groups.
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
    """For each cell, the number of the cell whose rate it has: itself, or a neighbour if it has no labels."""
    places, known = np.arange(len(labels)), labels > 0
    before = np.maximum.accumulate(np.where(known, places, -1))
    after = np.minimum.accumulate(np.where(known, places, len(labels) - 1)[::-1])[::-1]
    alike = (before >= 0) & (stratum[before] == stratum)
    numbers: Integers = np.cumsum(known) - 1
    return numbers[np.where(alike, before, after)]


def _limit(model: _Model, value: float, side: int, critical: float) -> float:
    """The lower limit (side 1) or the upper one (side -1), by bisection of the multiplier's logarithm."""
    low, high = (float(np.log(times * model.labels.sum())) for times in (_LEAST, _MOST))
    share = value
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rates = model.rates(side * float(np.exp(middle)))
        share = float(model.shares @ rates)
        within = side * (value - share) <= critical * sqrt(model.variance(rates, share)) + ROUNDING
        low, high = (middle, high) if within else (low, middle)
    return share
