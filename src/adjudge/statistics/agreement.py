"""Metrics of the table of two judges' labels: agreement beyond chance, balanced accuracy, macro F1, ranks."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import DataError
from adjudge.estimate import Caveat, Estimate, gravest_caveat
from adjudge.statistics.clusters import Floats, Integers, cluster_degrees, linearised_variance
from adjudge.statistics.intervals import Limits, wilson_limits
from adjudge.statistics.proportions import alone_note, clusters_note, estimate_of, map_estimate
from adjudge.statistics.quantiles import critical_value

FEW_CHANCE_DISAGREEMENTS = 30
"""Below this many disagreements expected by chance kappa's interval can miss its coverage."""
_ROUNDING = 1e-12
"""An influence below it is a rounding error: kappa of a judge with one constant label does not vary."""
_LARGEST_GAIN = 4
"""The effective n of kappa is at most so many times n: beyond, few cells make the variance too small by accident."""


Influence = Callable[[Integers, Integers], Floats]
"""How far one more item in a cell moves a metric; a cell is a row number and a column number."""


class ContingencyTable(NamedTuple):
    """The cells of a table that have items, each once.

    rows, columns: the labels of the first and the second judge, by number from 0. counts: items. size: the number of
    labels.
    """

    rows: Integers
    columns: Integers
    counts: Floats
    size: int
    total: float
    of_rows: Floats
    of_columns: Floats
    equal: Floats


def contingency_table(rows: ArrayLike, columns: ArrayLike, counts: ArrayLike, size: int) -> ContingencyTable:
    """The table of entries, several of which may be the same cell; cells without items are excluded."""
    first, second, items = np.asarray(rows, np.int64), np.asarray(columns, np.int64), np.asarray(counts, np.float64)
    counted = items > 0
    cells, place = np.unique(first[counted] * size + second[counted], return_inverse=True)
    counts_of_cells = sum_by_place(place, items[counted], len(cells))
    row, column = np.divmod(cells, max(size, 1))
    total, equal = float(counts_of_cells.sum()), np.where(row == column, counts_of_cells, 0.0)
    sides = ((row, counts_of_cells), (column, counts_of_cells), (row, equal))
    of_rows, of_columns, alike = (sum_by_place(places, values, size) for places, values in sides)
    return ContingencyTable(row, column, counts_of_cells, size, total, of_rows, of_columns, alike)


def contingency_of_table(table: ArrayLike) -> ContingencyTable:
    """The table from cells in rows and columns, as many of one as of the other."""
    counts = np.asarray(table, dtype=np.float64)
    rows, columns = np.indices(counts.shape)
    return contingency_table(rows.ravel(), columns.ravel(), counts.ravel(), len(counts))


def sum_by_place(places: Integers, values: Floats, size: int) -> Floats:
    """The sum of the values at each place."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)


class ClusteredCells(NamedTuple):
    """A table of two judges' labels split by cluster, in long form: one entry per cluster and cell.

    clusters: number of the cluster. rows, columns: the labels of the first and the second judge, from 0.
    counts: how many items of the cluster fall into the cell, from 1.
    """

    clusters: Integers
    rows: Integers
    columns: Integers
    counts: Integers


def cohen_kappa(
    table: ArrayLike | ContingencyTable, *, confidence: float = 0.95, clusters: ClusteredCells | None = None
) -> Estimate:
    """Agreement of two judges on nominal labels, beyond what their own label frequencies give by chance.

    kappa = (po - pe) / (1 - pe); po the share of items with the same label, pe = sum_i p_i. p_.i.
    Interval: Wilson's limits of po with n* = po (1 - po) / ((1 - pe)^2 v), kept in [1, 4n] and n if v = 0
    or po is 0 or 1, mapped by (x - pe) / (1 - pe); v, the large-sample variance, is that of
    `kappa_influence` over the items, divided by n.

    table: k x k counts, the first judge's labels in rows, the second's in columns, in one order; or its long form.
    clusters: the same table split by cluster, for items that are not independent; n* is then multiplied by the
    ratio of the independent to the clustered variance, with t at `cluster_degrees`.
    Returns an Estimate in [-1, 1]: 1 perfect, 0 chance. Undefined without items, and if both judges used
    one and the same label throughout. Caveat "too few chance disagreements" if n (1 - pe) < 30.
    One cluster: no interval, caveat "one cluster". Other clusters have the caveat of `clustered_proportion` if that is
    more serious.

    >>> round(cohen_kappa([[20, 5], [10, 15]]).value, 12)
    0.4

    Source: Cohen 1960, Educational and Psychological Measurement 20, 37-46; variance of Fleiss, Cohen and
    Everitt 1969, Psychological Bulletin 72, 323-327. The interval is ours.
    """
    joint = table if isinstance(table, ContingencyTable) else contingency_of_table(table)
    n = joint.total
    if n == 0:
        return Estimate.undefined("no items", confidence=confidence)
    # Integers before dividing: one label only must give an expected share of exactly 1.
    observed, expected = float(joint.equal.sum()) / n, float(joint.of_columns @ joint.of_rows) / n**2
    if expected >= 1:
        reason = "both judges used one and the same label"
        return Estimate.undefined(reason, n=int(n), confidence=confidence)
    kappa = (observed - expected) / (1 - expected)
    influence = kappa_influence(joint)(joint.rows, joint.columns)
    variance, size, degrees = float(joint.counts @ influence**2) / n**2, n, np.inf
    if variance > 0 and 0 < observed < 1:
        size = np.clip(observed * (1 - observed) / ((1 - expected) ** 2 * variance), 1, _LARGEST_GAIN * n)
    note = Caveat.FEW_CHANCE_DISAGREEMENTS if n * (1 - expected) < FEW_CHANCE_DISAGREEMENTS else None
    if clusters is not None:
        shrinkage, sizes = _cluster_effect(joint, variance, clusters)
        if len(sizes) <= 1:
            return Estimate(kappa, n=int(n), confidence=confidence, caveat=alone_note(n))
        size, degrees = size * shrinkage, cluster_degrees(sizes)
        note = gravest_caveat(note, clusters_note(len(sizes), confidence))
    shares = wilson_limits(observed * size, size, critical_value(confidence, degrees))
    low, high = ((share - expected) / (1 - expected) for share in shares)
    limits = Limits(np.maximum(low, -1), np.minimum(high, 1))
    method = "effective-wilson" if clusters is None else "clustered-wilson"
    return estimate_of(kappa, limits, n=int(n), method=method, confidence=confidence, note=note)


def kappa_influence(joint: ContingencyTable) -> Influence:
    """How far one more item in each cell would move kappa, times n: the terms of kappa's variances.

    w_ij = [i = j] - (1 - kappa) (p_.i + p_j.); the influence is (w_ij - mean of w) / (1 - pe), and the mean of w is
    po - 2 (1 - kappa) pe.

    Returns a function of rows and columns, whose mean over the items is 0.
    Raises DataError if the table is empty, or holds one label only.

    >>> kappa_influence(contingency_of_table([[1, 0], [0, 1]]))(*np.indices((2, 2)))
    array([[ 0., -2.],
           [-2.,  0.]])

    Source: the terms of the variance of Fleiss, Cohen and Everitt 1969.
    """
    n = joint.total
    observed = float(joint.equal.sum()) / n if n else 0.0
    expected = float(joint.of_columns @ joint.of_rows) / n**2 if n else 1.0
    if expected >= 1:
        raise DataError("kappa is undefined: expected items with at least two labels")
    against = (1 - observed) / (1 - expected)
    rows, across = joint.of_rows / n, joint.of_columns / n

    def influence_of(row: Integers, column: Integers) -> Floats:
        terms = (row == column) - against * (across[row] + rows[column] - 2 * expected) - observed
        influence: Floats = terms / (1 - expected)
        return np.where(np.abs(influence) < _ROUNDING, 0.0, influence)

    return influence_of


def kappa_from_accuracy(accuracy: Estimate) -> Estimate:
    """Kappa with a chance of one half, from the Estimate of an accuracy, clustered or not.

    2 (accuracy - 1 / 2), for the value and for both limits: agreement of two judges on two labels, beyond a chance of
    one half whatever their frequencies.

    >>> kappa_from_accuracy(Estimate(0.75, 0.5, 1.0, n=4)).low
    0.0

    Source: Bennett, Alpert and Goldstein 1954, Public Opinion Quarterly 18, 303-308, for two categories.
    """
    return map_estimate(accuracy, lambda share: 2 * share - 1)


def macro_recall(joint: ContingencyTable) -> tuple[float, Influence]:
    """Balanced accuracy: the mean recall over gold labels, and its influence function.

    mean over i of r_i = n_ii / n_i.; one more item in cell i, j moves it by ([i = j] - r_i) / n_i. / K, with K labels.

    joint: gold labels in rows, predicted ones in columns, at least one item. Labels without gold items are excluded.
    Returns the value in [0, 1], and its influence, whose mean over the items is 0.

    >>> macro_recall(contingency_of_table([[3, 1], [1, 1]]))[0]
    0.625

    Source: Brodersen et al. 2010, "The balanced accuracy and its posterior distribution", ICPR; the influence is that
    of a mean of ratios.
    """
    rows = joint.of_rows
    present = rows > 0
    recalls = np.divide(joint.equal, rows, out=np.zeros(joint.size), where=present)
    scale = np.divide(1.0, rows * present.sum(), out=np.zeros(joint.size), where=present)

    def influence_of(row: Integers, column: Integers) -> Floats:
        values: Floats = ((row == column) - recalls[row]) * scale[row]
        return values

    return float(recalls[present].mean()), influence_of


def macro_f1(joint: ContingencyTable) -> tuple[float, Influence]:
    """The mean over gold labels of F1 = 2 tp / (2 tp + fp + fn), and its influence function.

    F_k = 2 n_kk / (n_k. + n_.k); one more item in cell i, j moves F_k by (2 [i = j = k] - F_k ([i = k] + [j = k])) /
    (n_k. + n_.k).

    joint: gold labels in rows, predicted ones in columns, at least one item. The mean is
    over gold labels; a predicted label without gold items is a wrong answer, not another label. Otherwise a
    single stray prediction would reduce the value by 1 / K. Returns the value in [0, 1], and its influence, whose
    mean over the items is 0.

    >>> round(macro_f1(contingency_of_table([[3, 1, 0], [1, 1, 0], [0, 0, 0]]))[0], 12)
    0.625

    Source: Opitz and Burst 2019, "Macro F1 and Macro F1", arXiv:1911.03347, the mean of F1 over labels. Departure:
    labels without gold items are excluded.
    """
    present, whole = joint.of_rows > 0, joint.of_rows + joint.of_columns
    scale = np.divide(1.0, whole * present.sum(), out=np.zeros(joint.size), where=present)
    f1 = np.divide(2.0 * joint.equal, whole, out=np.zeros(joint.size), where=present)
    missed = f1 * scale

    def influence_of(row: Integers, column: Integers) -> Floats:
        values: Floats = np.where(row == column, 2 * scale[row], 0.0) - missed[row] - missed[column]
        return values

    return float(f1[present].mean()), influence_of


def _cluster_effect(joint: ContingencyTable, independent: float, clusters: ClusteredCells) -> tuple[float, Floats]:
    """Independent over clustered variance of kappa, in (0, 1], and the sizes of the clusters."""
    _, index = np.unique(clusters.clusters, return_inverse=True)
    influence = kappa_influence(joint)(clusters.rows, clusters.columns) * clusters.counts
    sizes = np.bincount(index, weights=clusters.counts).astype(np.float64)
    residuals = np.bincount(index, weights=influence).astype(np.float64)
    variance = linearised_variance(residuals, sizes, np.ones(len(sizes)))
    if variance <= 0 or independent <= 0:
        return joint.total / float(sizes @ sizes), sizes
    return min(independent / variance, 1.0), sizes


Weights = Literal["linear", "quadratic"]
"""How a disagreement grows with the distance of two labels."""

_POWER = {"linear": 1, "quadratic": 2}


def weighted_kappa(joint: ContingencyTable, places: Floats, weights: Weights) -> tuple[float, Influence]:
    """Agreement beyond chance, with greater disagreement between distant labels, and its influence function.

    1 - D / E with D = sum of w_ij p_ij, E = sum of w_ij p_i. p_.j and w_ij = |x_i - x_j| (linear) or its square
    (quadratic). One more item in cell i, j moves it by (D e_ij / E - (w_ij - D)) / E / n with
    e_ij = sum over l of w_il p_.l + sum over k of w_kj p_k. - 2 E.

    joint: an annotator's labels in rows, the reference's in columns. places: x, each label's position on the scale.
    Returns the value in [-1, 1], 1 for equal labels, 0 for chance; and its influence, whose mean over the
    items is 0. Time and memory grow with the labels, not with their square.
    Raises DataError without items, and if all labels of both judges are equal.

    >>> table = contingency_of_table([[2, 1, 0], [0, 2, 0], [0, 1, 2]])
    >>> round(weighted_kappa(table, np.array([1.0, 2.0, 3.0]), "quadratic")[0], 4)
    0.8

    Source: Cohen 1968, Psychological Bulletin 70, 213-220; variance: Fleiss, Cohen and Everitt 1969, Psychological
    Bulletin 72, 323-327.
    """
    n, shares, rows, across = _shares(joint)
    places = places - places[0]  # so that equal labels cost exactly 0
    power = _POWER[weights]
    to_columns, to_rows = (_mean_costs(places, side, power) for side in (across, rows))
    seen = float((np.abs(places[joint.rows] - places[joint.columns]) ** power) @ shares)
    by_chance = float(rows @ to_columns)
    if by_chance <= 0:
        raise DataError("both judges used one and the same label")

    def influence_of(row: Integers, column: Integers) -> Floats:
        expected = to_columns[row] + to_rows[column] - 2 * by_chance
        cost = np.abs(places[row] - places[column]) ** power
        return _clear_rounding_errors((seen / by_chance * expected - (cost - seen)) / by_chance / n, n)

    return 1 - seen / by_chance, influence_of


def _mean_costs(places: Floats, shares: Floats, power: int) -> Floats:
    """The mean cost of each label against labels with these shares: sum over l of w_il p_l."""
    whole, first = shares.sum(), float(shares @ places)
    if power > 1:
        values: Floats = places**2 * whole - 2 * places * first + float(shares @ places**2)
        return values
    order = np.argsort(places, kind="stable")
    below, part = np.cumsum(shares[order]), np.cumsum((shares * places)[order])
    means = np.empty(len(places))
    means[order] = places[order] * (2 * below - whole) + first - 2 * part
    return means


def rank_correlation(joint: ContingencyTable) -> tuple[float, Influence]:
    """Spearman's rank correlation of two judges' labels, and its influence function.

    Pearson's correlation of mid-ranks (ridits): r_i = p_1. + ... + p_(i-1). + p_i. / 2, and s_j of the columns.
    The influence includes the change of the ranks as well as the item's position.

    joint: labels are numbered in their order. Returns the value in [-1, 1], and its influence, whose mean over the
    items is 0.
    Raises DataError without items, and if all labels of a judge are equal: these have no order.

    >>> round(rank_correlation(contingency_of_table([[2, 1, 0], [0, 2, 0], [0, 1, 2]]))[0], 4)
    0.8165

    Source: Spearman 1904, American Journal of Psychology 15, 72-101, with mid-ranks for ties; ridits: Bross 1958,
    Biometrics 14, 18-38. The influence is the derivative.
    """
    n, shares, rows, across = _shares(joint)
    r, s = np.cumsum(rows) - rows / 2, np.cumsum(across) - across / 2
    spread, spread_across = float(rows @ r**2) - 1 / 4, float(across @ s**2) - 1 / 4
    if min(spread, spread_across) <= _ROUNDING:
        raise DataError("one of the judges used one label only, which orders nothing")
    scale = np.sqrt(spread * spread_across)
    rho = (float(shares @ (r[joint.rows] * s[joint.columns])) - 1 / 4) / scale
    of_rows = _above(sum_by_place(joint.rows, shares * s[joint.columns], joint.size)) / scale
    of_columns = _above(sum_by_place(joint.columns, shares * r[joint.rows], joint.size)) / scale
    of_rows -= rho / 2 * (r**2 + 2 * _above(rows * r)) / spread
    of_columns -= rho / 2 * (s**2 + 2 * _above(across * s)) / spread_across

    def raw(row: Integers, column: Integers) -> Floats:
        values: Floats = r[row] * s[column] / scale + of_rows[row] + of_columns[column]
        return values

    mean = float(shares @ raw(joint.rows, joint.columns))
    return float(np.clip(rho, -1, 1)), lambda row, column: _clear_rounding_errors((raw(row, column) - mean) / n, n)


def _above(values: Floats) -> Floats:
    """For each label, the sum of the values of all labels above it, plus half its own value."""
    sums: Floats = values.sum() - np.cumsum(values) + values / 2
    return sums


def _shares(joint: ContingencyTable) -> tuple[float, Floats, Floats, Floats]:
    """The number of items; the shares of cells, of rows and of columns. Raises DataError without items."""
    n = joint.total
    if not n:
        raise DataError("no items")
    return n, joint.counts / n, joint.of_rows / n, joint.of_columns / n


def _clear_rounding_errors(moved: Floats, n: float) -> Floats:
    """Remove rounding errors, so that constants have a variance of 0."""
    return np.where(np.abs(moved) * n < _ROUNDING, 0.0, moved)
