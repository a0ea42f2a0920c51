"""Agreement on labels that have an order: weighted kappas and Spearman's rank correlation, with influence functions."""

from typing import Literal

import numpy as np

from karat.errors import DataError
from karat.statistics._checks import Floats

Weights = Literal["linear", "quadratic"]
"""How a disagreement grows with the distance of two labels."""

_POWER = {"linear": 1, "quadratic": 2}
_ROUNDING = 1e-12


def weighted_kappa(table: Floats, places: Floats, weights: Weights) -> tuple[float, Floats]:
    """Agreement beyond chance, where far labels disagree more than near ones; and its influence function.

    1 - D / E with D = sum of w_ij p_ij, E = sum of w_ij p_i. p_.j and w_ij = |x_i - x_j| (linear) or its square
    (quadratic). One more item in cell i, j moves it by (D e_ij / E - (w_ij - D)) / E / n with
    e_ij = sum over l of w_il p_.l + sum over k of w_kj p_k. - 2 E.

    table: k x k counts, an annotator's labels in rows, the reference's in columns, both in one order. places: x, where
    each label stands on the scale. Returns the figure in [-1, 1], 1 for equal labels, 0 for what chance gives; and a
    k x k array whose mean over the items is 0.
    Raises DataError where there is no item, and where all labels of both judges are one and the same.

    >>> round(weighted_kappa(np.array([[2, 1, 0], [0, 2, 0], [0, 1, 2]]), np.array([1.0, 2.0, 3.0]), "quadratic")[0], 4)
    0.8

    Source: Cohen 1968, Psychological Bulletin 70, 213-220; variance: Fleiss, Cohen and Everitt 1969, Psychological
    Bulletin 72, 323-327.
    """
    n, shares = _shares(table)
    rows, across = shares.sum(axis=1), shares.sum(axis=0)
    cost = np.abs(places[:, None] - places[None, :]) ** _POWER[weights]
    seen, by_chance = float((cost * shares).sum()), float(rows @ cost @ across)
    if by_chance <= 0:
        raise DataError("both judges used one and the same label")
    kappa = 1 - seen / by_chance
    expected = (cost @ across)[:, None] + (rows @ cost)[None, :] - 2 * by_chance
    moved = (seen / by_chance * expected - (cost - seen)) / by_chance / n
    return kappa, _rounded(moved, n)


def rank_correlation(table: Floats) -> tuple[float, Floats]:
    """Spearman's rank correlation of two judges' labels, and its influence function.

    Pearson's correlation of mid-ranks (ridits): r_i = p_1. + ... + p_(i-1). + p_i. / 2, and s_j of the columns.
    The influence follows from the ranks' own change as well as from the item's place.

    table: k x k counts, labels in rows and columns in their order. Returns the figure in [-1, 1], and a k x k array
    whose mean over the items is 0.
    Raises DataError where there is no item, and where all labels of a judge are the same: it orders nothing.

    >>> round(rank_correlation(np.array([[2, 1, 0], [0, 2, 0], [0, 1, 2]]))[0], 4)
    0.8165

    Source: Spearman 1904, American Journal of Psychology 15, 72-101, with mid-ranks for ties; ridits: Bross 1958,
    Biometrics 14, 18-38. The influence is the derivative.
    """
    n, shares = _shares(table)
    rows, across = shares.sum(axis=1), shares.sum(axis=0)
    before = np.tril(np.ones(shares.shape), -1) + np.eye(len(shares)) / 2
    r, s = before @ rows, before @ across
    spread, spread_across = float(rows @ r**2) - 1 / 4, float(across @ s**2) - 1 / 4
    if min(spread, spread_across) <= _ROUNDING:
        raise DataError("one of the judges used one label only, which orders nothing")
    scale = np.sqrt(spread * spread_across)
    rho = (float(r @ shares @ s) - 1 / 4) / scale
    together = r[:, None] * s[None, :] + (before.T @ shares @ s)[:, None] + (r @ shares @ before)[None, :]
    own, other = r**2 + 2 * before.T @ (rows * r), s**2 + 2 * before.T @ (across * s)
    moved = together / scale - rho / 2 * (own[:, None] / spread + other[None, :] / spread_across)
    moved = (moved - (shares * moved).sum()) / n
    return float(np.clip(rho, -1, 1)), _rounded(moved, n)


def _shares(table: Floats) -> tuple[float, Floats]:
    counts = np.asarray(table, dtype=np.float64)
    n = float(counts.sum())
    if not n:
        raise DataError("no items")
    return n, counts / n


def _rounded(moved: Floats, n: float) -> Floats:
    """Without rounding errors, so that what does not vary has a variance of 0."""
    found: Floats = np.where(np.abs(moved) * n < _ROUNDING, 0.0, moved)
    return found
