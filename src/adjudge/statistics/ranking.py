"""Ranks of systems."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class RankSet(NamedTuple):
    """The possible ranks of a system, from low (best) to high, both included; 1 is the best."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}" if self.low == self.high else f"{self.low}\N{EN DASH}{self.high}"


def borda(values: Sequence[float | None]) -> list[float | None]:
    """The number of others that each of several systems beats; a tie counts one half.

    values: an estimate per system, higher is better; None if it is undefined: such a system beats none, is
    beaten by none, and scores None.
    Returns a score per system, from 0 to the number of others.

    >>> borda([0.9, 0.5, 0.5, None])
    [2.0, 0.5, 0.5, None]

    Source: Borda 1784; a tie counts one half.
    """
    present = [value for value in values if value is not None]
    return [None if value is None else _beaten(value, present) for value in values]


def mean_rank(values: ArrayLike) -> list[float]:
    """The mean over several criteria of each system's rank, 1 being the best; ties share their ranks' mean.

    rank = 1 + the number better + half the number of others that tie.

    values: systems x criteria, higher is better; no gaps.
    Returns a mean rank per system, from 1 to the number of systems.

    >>> mean_rank([[0.9, 0.5], [0.8, 0.5]])
    [1.25, 1.75]

    Source: Friedman 1937, JASA 32, 675-701.
    """
    table = np.asarray(values, dtype=np.float64)
    scores = [[_beaten(value, list(column)) for value in column] for column in table.T.tolist()]
    return [len(table) - float(np.mean(column)) for column in zip(*scores, strict=True)]


def rank_agreement(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Rank agreement of two metrics over the same systems: Kendall's tau-b.

    (pairs ordered alike - pairs ordered the other way) / sqrt((pairs not tied in one) (pairs not tied in the other)).

    first, second: an estimate for each system. Returns a number from -1 (reverse order) to 1 (same order); None
    for fewer than two systems, and if all tie.
    Raises ValueError if their lengths differ.

    >>> rank_agreement([0.9, 0.7, 0.5], [0.8, 0.6, 0.7])
    0.3333333333333333

    Source: Kendall 1945, Biometrika 33, 239-251.
    """
    systems = [*zip(first, second, strict=True)]
    signs = [(_sign(a - c), _sign(b - d)) for (a, b), (c, d) in combinations(systems, 2)]
    untied = sum(one != 0 for one, _ in signs) * sum(other != 0 for _, other in signs)
    return sum(one * other for one, other in signs) / untied**0.5 if untied else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _beaten(value: float, values: list[float]) -> float:
    """The number of values below one of them; each further equal one counts one half."""
    return sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
