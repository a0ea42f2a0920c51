"""Verdicts become shares per question, over which figures are means."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.statistics import clustered_proportion, linearised_proportion, proportion

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Shares:
    """What share of a question's answers (its draws) have a property. ids: of the questions, sorted; values: in [0, 1].

    clusters: what each question belongs to, or None.
    """

    ids: pl.Series
    values: Floats
    clusters: pl.Series | None

    def mean(self, reason: str, confidence: float) -> Estimate:
        """The mean over questions, with Wilson's interval: of questions, of clusters, or with an effective n.

        reason: why it is undefined where there is no question.
        """
        if not len(self.values):
            return Estimate.undefined(reason, confidence=confidence)
        whole = bool(((self.values == 0) | (self.values == 1)).all())
        if self.clusters is None and whole:
            return proportion(int(self.values.sum()), len(self.values), confidence=confidence)
        sums, sizes = self.per_cluster()
        if whole:
            return clustered_proportion(sums, sizes, confidence=confidence)
        value = float(self.values.mean())
        influence = (sums - value * sizes) / len(self.values)
        return linearised_proportion(value, influence, n=len(self.values), scores=True, confidence=confidence)

    def per_cluster(self) -> tuple[Floats, Floats]:
        """Sums of values, and how many questions there are, per cluster."""
        if self.clusters is None:
            return self.values, np.ones(len(self.values))
        _, places = np.unique(self.clusters.to_numpy(), return_inverse=True)
        sums, sizes = (np.bincount(places, one).astype(np.float64) for one in (self.values, None))
        return sums, sizes


def shares(answers: pl.DataFrame, holds: pl.Expr, among: pl.Expr) -> Shares:
    """The share of each question's answers that hold something, among those of which it can be said.

    answers: id, cluster (of all or of none), and what the expressions speak of.
    """
    found = (
        answers.filter(among)
        .group_by("id")
        .agg(holds.cast(pl.Float64).mean().alias("value"), pl.col("cluster").first())
        .sort("id")
    )
    clusters = None if found["cluster"].null_count() else found["cluster"]
    return Shares(found["id"], found["value"].to_numpy(), clusters)


def paired(first: Shares, second: Shares) -> tuple[Floats, Floats, pl.Series | None]:
    """The values of both on the questions that both have, and their clusters."""
    ours = pl.DataFrame({"id": first.ids, "one": first.values})
    if first.clusters is not None:
        ours = ours.with_columns(first.clusters.alias("cluster"))
    both = ours.join(pl.DataFrame({"id": second.ids, "other": second.values}), on="id").sort("id")
    return both["one"].to_numpy(), both["other"].to_numpy(), both.get_column("cluster", default=None)
