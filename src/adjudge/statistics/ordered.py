"""Agreement on labels that have an order: weighted kappas and Spearman's rank correlation, with influence functions."""

from typing import Literal

import numpy as np

from adjudge.errors import DataError
from adjudge.statistics._checks import Floats, Integers
from adjudge.statistics.contingency import ContingencyTable, Influence, sum_by_place

Weights = Literal["linear", "quadratic"]
"""How a disagreement grows with the distance of two labels."""

_POWER = {"linear": 1, "quadratic": 2}
_ROUNDING = 1e-12


def weighted_kappa(joint: ContingencyTable, places: Floats, weights: Weights) -> tuple[float, Influence]:
    """Agreement beyond chance, where far labels disagree more than near ones; and its influence function.

    1 - D / E with D = sum of w_ij p_ij, E = sum of w_ij p_i. p_.j and w_ij = |x_i - x_j| (linear) or its square
    (quadratic). One more item in cell i, j moves it by (D e_ij / E - (w_ij - D)) / E / n with
    e_ij = sum over l of w_il p_.l + sum over k of w_kj p_k. - 2 E.

    joint: an annotator's labels in rows, the reference's in columns. places: x, where each label stands on the scale.
    Returns the figure in [-1, 1], 1 for equal labels, 0 for what chance gives; and its influence, whose mean over the
    items is 0. Time and memory grow with the labels, not with their square.
    Raises DataError where there is no item, and where all labels of both judges are one and the same.

    >>> from adjudge.statistics.contingency import contingency_of_table
    >>> table = contingency_of_table([[2, 1, 0], [0, 2, 0], [0, 1, 2]])
    >>> round(weighted_kappa(table, np.array([1.0, 2.0, 3.0]), "quadratic")[0], 4)
    0.8

    Source: Cohen 1968, Psychological Bulletin 70, 213-220; variance: Fleiss, Cohen and Everitt 1969, Psychological
    Bulletin 72, 323-327.
    """
    n, shares, rows, across = _shares(joint)
    places = places - places[0]  # so that labels that are all one and the same cost exactly 0
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
        squared: Floats = places**2 * whole - 2 * places * first + float(shares @ places**2)
        return squared
    order = np.argsort(places, kind="stable")
    below, part = np.cumsum(shares[order]), np.cumsum((shares * places)[order])
    means = np.empty(len(places))
    means[order] = places[order] * (2 * below - whole) + first - 2 * part
    return means


def rank_correlation(joint: ContingencyTable) -> tuple[float, Influence]:
    """Spearman's rank correlation of two judges' labels, and its influence function.

    Pearson's correlation of mid-ranks (ridits): r_i = p_1. + ... + p_(i-1). + p_i. / 2, and s_j of the columns.
    The influence follows from the ranks' own change as well as from the item's place.

    joint: labels are numbered in their order. Returns the figure in [-1, 1], and its influence, whose mean over the
    items is 0.
    Raises DataError where there is no item, and where all labels of a judge are the same: it orders nothing.

    >>> from adjudge.statistics.contingency import contingency_of_table
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
        moved: Floats = r[row] * s[column] / scale + of_rows[row] + of_columns[column]
        return moved

    mean = float(shares @ raw(joint.rows, joint.columns))
    return float(np.clip(rho, -1, 1)), lambda row, column: _clear_rounding_errors((raw(row, column) - mean) / n, n)


def _above(values: Floats) -> Floats:
    """For each label, the sum of the values of all labels above it, plus half its own value."""
    sums: Floats = values.sum() - np.cumsum(values) + values / 2
    return sums


def _shares(joint: ContingencyTable) -> tuple[float, Floats, Floats, Floats]:
    """How many items there are; the shares of cells, of rows and of columns. Raises DataError where there are none."""
    n = joint.total
    if not n:
        raise DataError("no items")
    return n, joint.counts / n, joint.of_rows / n, joint.of_columns / n


def _clear_rounding_errors(moved: Floats, n: float) -> Floats:
    """Without rounding errors, so that what does not vary has a variance of 0."""
    cleared: Floats = np.where(np.abs(moved) * n < _ROUNDING, 0.0, moved)
    return cleared
