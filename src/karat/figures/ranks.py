"""The ranks that judges may have in a figure, given the tests of all pairs of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from karat.about import Metric
from karat.estimate import Estimate
from karat.figures.tables import Compared, Keys, figure_row
from karat.statistics.comparison import holm
from karat.statistics.ranking import RankSet, rank_sets

RANKS = {
    "rank_low": Metric("Best rank", "1 + the number of others that are significantly better.", "low", False, 0),
    "rank_high": Metric("Worst rank", "How many there are minus those that are significantly worse.", "low", False, 0),
}
TITLE = {"Ranks": ("rank_low", "rank_high")}
"""Under which both are shown as one."""


def ranks_of(names: Sequence[str], rows: Sequence[Compared], confidence: float) -> dict[str, RankSet]:
    """The ranks that each may have in a figure of which more is better.

    rows: its differences, which are adjusted together; pairs that are not compared are not told apart.
    """
    place = {name: at for at, name in enumerate(names)}
    p, gaps = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)))
    for row, adjusted in zip(rows, holm([row.result.found.p for row in rows]), strict=True):
        pair = place[row.keys["first"]], place[row.keys["second"]]
        p[pair] = p[pair[::-1]] = np.nan if adjusted is None else adjusted
        gaps[pair] = -(row.result.found.estimate.value or 0.0)
        gaps[pair[::-1]] = -gaps[pair]
    return dict(zip(names, rank_sets(p, gaps, confidence=confidence), strict=True))


def rank_rows(keys: Mapping[str, Any], ranks: RankSet, shown: Callable[[float], Estimate]) -> Iterator[Keys]:
    """The ranks of one of them as rows of a table. shown: from a value to the estimate that the table shows."""
    for metric, value in zip(RANKS, ranks, strict=True):
        yield figure_row(keys, metric, shown(float(value)))
