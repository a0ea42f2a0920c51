"""Joint counts become figures."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.evaluations.annotations.counts import ClusterCells, Joint
from karat.schemas.pairs import CODE, VALID, VOTES
from karat.statistics import (
    ClusteredCells,
    Comparison,
    clustered_proportion,
    clustered_strength,
    clustered_strength_product,
    cohen_kappa,
    kappa_from_accuracy,
    linearised_difference,
    proportion,
    sign_mid_p,
    strength,
    strength_product,
)

Population = Literal["shared", "reference"]
"""Which pairs count: those that both annotate, or those on which the reference's vote is valid."""

Labels = Literal["valid", "all"]
"""Which votes are labels: text_a and text_b, or both and neither too."""

Mask = NDArray[np.bool_]
_ALL_LABELS = (*VALID, CODE["both"], CODE["neither"])
_TWO_ONLY = "defined for two labels only; all of them are counted"


@dataclass(frozen=True, slots=True)
class Cells:
    """Which cells of a joint table count as what. All are masks of its shape."""

    population: Mask
    valid: Mask
    compared: Mask
    agree: Mask
    annotated: Mask


@cache
def cells_of(population: Population, labels: Labels) -> Cells:
    """The masks for a population and a set of labels."""
    codes = np.arange(len(VOTES))
    label = np.isin(codes, VALID if labels == "valid" else _ALL_LABELS)
    given = codes != CODE["missing"]
    ours, theirs = np.meshgrid(codes, codes, indexing="ij")
    inside = given[ours] & given[theirs] if population == "shared" else label[theirs]
    compared = label[ours] & label[theirs]
    return Cells(inside, label[ours] & inside, compared, compared & (ours == theirs), given[ours])


@dataclass(frozen=True, slots=True)
class Votes:
    """An annotator's votes beside the reference's: the joint table and, of clustered pairs, its cells by cluster."""

    joint: Joint
    clusters: ClusterCells | None = None

    def count(self, mask: Mask) -> int:
        """How many pairs fall into the masked cells."""
        return int(self.joint[mask].sum())

    def by_cluster(self, mask: Mask) -> NDArray[np.int64]:
        """The same per cluster."""
        cells = self.clusters
        if cells is None:
            raise ValueError("these votes are not clustered")
        counted = np.where(mask[cells.vote, cells.reference], cells.count, 0)
        return np.bincount(cells.cluster, weights=counted).astype(np.int64)


def share(votes: Votes, part: Mask, whole: Mask, reason: str, confidence: float) -> Estimate:
    """The pairs in `part` / those in `whole`, clustered where the votes are."""
    if not votes.count(whole):
        return Estimate.undefined(reason, confidence=confidence)
    if votes.clusters is None:
        return proportion(votes.count(part), votes.count(whole), confidence=confidence)
    return clustered_proportion(votes.by_cluster(part), votes.by_cluster(whole), confidence=confidence)


METRICS = ("relevance", "coverage", "accuracy", "kappa", "kappa_observed", "strength")


def agreement(
    votes: Votes, population: Population, labels: Labels, confidence: float, only: Collection[str] = METRICS
) -> dict[str, Comparison]:
    """The figures of an annotator against a reference; only strength has a p, of the test that it is 0."""
    cells = cells_of(population, labels)
    nobody = (
        "no pair that both annotate" if population == "shared" else "no pair on which the reference's vote is valid"
    )
    apart = "no pair on which both votes are valid"
    everything = np.ones_like(cells.population)
    undefined = Comparison(Estimate.undefined(_TWO_ONLY, confidence=confidence), None)
    accuracy = share(votes, cells.agree, cells.compared, apart, confidence)
    figures: dict[str, Callable[[], Comparison]] = {
        "relevance": lambda: Comparison(share(votes, cells.valid, cells.population, nobody, confidence), None),
        "coverage": lambda: Comparison(share(votes, cells.annotated, everything, "no pairs", confidence), None),
        "accuracy": lambda: Comparison(accuracy, None),
        "kappa": lambda: undefined if labels == "all" else Comparison(kappa_from_accuracy(accuracy), None),
        "kappa_observed": lambda: Comparison(_kappa_observed(votes, labels, apart, confidence), None),
        "strength": lambda: undefined if labels == "all" else _strength(votes, cells, apart, confidence),
    }
    return {name: figure() for name, figure in figures.items() if name in only}


def _kappa_observed(votes: Votes, labels: Labels, reason: str, confidence: float) -> Estimate:
    codes = np.array(VALID if labels == "valid" else _ALL_LABELS)
    table = votes.joint[np.ix_(codes, codes)]
    if not table.sum():
        return Estimate.undefined(reason, confidence=confidence)
    if votes.clusters is None:
        return cohen_kappa(table, confidence=confidence)
    cells = votes.clusters
    place = np.full(len(VOTES), -1)
    place[codes] = np.arange(len(codes))
    row, column = place[cells.vote], place[cells.reference]
    kept = (row >= 0) & (column >= 0)
    split = ClusteredCells(cells.cluster[kept], row[kept], column[kept], cells.count[kept])
    return cohen_kappa(table, confidence=confidence, clusters=split)


def _strength(votes: Votes, cells: Cells, reason: str, confidence: float) -> Comparison:
    agree, compared = votes.count(cells.agree), votes.count(cells.compared)
    valid, n = votes.count(cells.valid), votes.count(cells.population)
    if not compared:
        return Comparison(Estimate.undefined(reason, n=n, confidence=confidence), None)
    if votes.clusters is None:
        one = valid == compared
        estimate = (
            strength(agree, compared - agree, n, confidence=confidence)
            if one
            else strength_product(agree, compared, valid, n, confidence=confidence)
        )
        return Comparison(estimate, sign_mid_p(agree, compared - agree))
    value = (2 * agree / compared - 1) * valid / n
    p = linearised_difference(value, _cluster_influence(votes, cells), confidence=confidence).p
    alike, population = votes.by_cluster(cells.agree), votes.by_cluster(cells.population)
    both = votes.by_cluster(cells.compared)
    if valid == compared:
        return Comparison(clustered_strength(alike, both - alike, population, confidence=confidence), p)
    voted = votes.by_cluster(cells.valid)
    return Comparison(clustered_strength_product(alike, both, voted, population, confidence=confidence), p)


def strength_influence(votes: Votes, cells: Cells) -> NDArray[np.float64]:
    """How far one pair in each cell of the joint table moves the strength; zero where it is undefined.

    With kappa = 2a/m - 1 and relevance v/n:
    relevance x 2 ([agree] - (a/m) [compared]) / m + kappa x ([valid] - (v/n) [population]) / n.
    """
    agree, compared = votes.count(cells.agree), votes.count(cells.compared)
    valid, n = votes.count(cells.valid), votes.count(cells.population)
    if not compared or not n:
        return np.zeros(votes.joint.shape)
    accuracy, relevance = agree / compared, valid / n
    of_kappa = 2 * (cells.agree - accuracy * cells.compared) / compared
    of_relevance = (cells.valid - relevance * cells.population) / n
    influence: NDArray[np.float64] = relevance * of_kappa + (2 * accuracy - 1) * of_relevance
    return influence


def _cluster_influence(votes: Votes, cells: Cells) -> NDArray[np.float64]:
    """The influence of each cluster with pairs of the population on the strength."""
    split = votes.clusters
    if split is None:
        raise ValueError("these votes are not clustered")
    influence = strength_influence(votes, cells)[split.vote, split.reference] * split.count
    summed = np.bincount(split.cluster, weights=influence).astype(np.float64)
    return summed[votes.by_cluster(cells.population) > 0]
