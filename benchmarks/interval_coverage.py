"""How often Adjudge's intervals contain the truth: minimum and mean over many truths, per figure and size.

Small problems are enumerated exactly, the others simulated with a fixed seed. Prints a Markdown table:

    python benchmarks/interval_coverage.py --replications 10000
"""

import argparse
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from math import comb, lgamma
from operator import attrgetter
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.estimate import Estimate
from adjudge.evaluations.reliability.metrics import ORDERED
from adjudge.evaluations.violations.metrics import MATCHED, METRICS_BY_KIND, SCORE_UNITS
from adjudge.metrics.cells import StateCells, cells_from_states, pairs_from_states
from adjudge.metrics.difference import paired_difference
from adjudge.metrics.labels import RARE
from adjudge.metrics.ranking import rank_ranges
from adjudge.statistics.agreement import ClusteredCells, cohen_kappa, contingency_of_table, macro_f1
from adjudge.statistics.comparison import holm, mcnemar_mid_p
from adjudge.statistics.intervals import Limits, clopper_pearson_limits, product_limits, tango_limits, wilson_limits
from adjudge.statistics.proportions import (
    clustered_f1,
    clustered_proportion,
    linearised_proportion,
    mean_of_proportions,
    mean_of_shares,
    proportion,
    shrink,
)
from adjudge.statistics.quantiles import beta_quantile, critical_value
from adjudge.statistics.strength import clustered_paired_difference, clustered_strength, clustered_strength_product

Array = NDArray[np.float64]
Z = critical_value(0.95)
SEED = 20240501


def generator(*key: float) -> np.random.Generator:
    """Random numbers that depend on the seed and the setting alone, not on what ran before."""
    return np.random.default_rng([SEED, *(round(1000 * value) for value in key)])


def share_inside(estimates: Iterable[Estimate], truth: float) -> float:
    """The share of the defined intervals that contain the truth."""
    inside = [e.low <= truth <= e.high for e in estimates if e.low is not None and e.high is not None]
    return float(np.mean(inside))


def share_inside_or_noted(estimates: Iterable[Estimate], truth: float) -> float:
    """The share of the defined intervals that contain the truth or carry a note."""
    defined = [e for e in estimates if e.low is not None and e.high is not None]
    return float(np.mean([e.caveat is not None or e.low <= truth <= e.high for e in defined]))


# --- one proportion, exactly ---


def binomial(n: int, p: float) -> Array:
    """The probabilities of 0 to n successes."""
    k = np.arange(n + 1)
    logs = [lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) for i in range(n + 1)]
    return np.exp(np.array(logs) + k * np.log(p) + (n - k) * np.log1p(-p))


def proportion_coverage(n: int, limits: Callable[[Array, int], Limits], truths: Sequence[float]) -> list[float]:
    low, high = limits(np.arange(n + 1.0), n)
    return [float(binomial(n, p)[(low <= p) & (p <= high)].sum()) for p in truths]


def wilson(successes: Array, n: int) -> Limits:
    return wilson_limits(successes, n, Z)


def exact(successes: Array, n: int) -> Limits:
    return clopper_pearson_limits(successes, n, 0.95)


def wald(successes: Array, n: int) -> Limits:
    p = successes / n
    half = Z * np.sqrt(p * (1 - p) / n)
    return Limits(p - half, p + half)


PROPORTIONS = [round(0.05 * i, 2) for i in range(1, 20)]


# --- strength and paired differences, exactly ---


@lru_cache
def trinomial_counts(n: int) -> tuple[Array, Array, Array]:
    """All (a, d) with a + d <= n, and the logarithm of n! / (a! d! (n - a - d)!)."""
    a, d = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)], dtype=float).T
    logs = np.array([lgamma(k + 1) for k in range(n + 1)])
    ways = logs[n] - logs[a.astype(int)] - logs[d.astype(int)] - logs[(n - a - d).astype(int)]
    return a, d, ways


def tango_coverage(n: int, *, step: int = 20, least: float = 5) -> list[float]:
    """Over the grid (i / step, j / step) of true shares with n (pa + pd) >= least."""
    a, d, ways = trinomial_counts(n)
    low, high = tango_limits(a, d, n, Z)
    coverage = []
    for i, j in itertools.product(range(step + 1), repeat=2):
        first, second = i / step, j / step
        if i + j > step or n * (first + second) < least:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = n - a - d
            parts = [
                np.where(k > 0, k * np.log(p), 0) for k, p in ((a, first), (d, second), (rest, (step - i - j) / step))
            ]
        difference = first - second
        slack = 1e-12
        inside = (low <= difference + slack) & (difference - slack <= high)
        coverage.append(float(np.exp(ways + sum(parts))[inside].sum()))
    return coverage


def mcnemar_type_one(n: int, discordant: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)) -> list[float]:
    """How often the mid-P test is below .05 though both judges are equally good."""
    rejected = [sum(comb(m, b) for b in range(m + 1) if mcnemar_mid_p(b, m - b) < 0.05) / 2**m for m in range(n + 1)]
    rates = []
    for share in discordant:
        weights = binomial(n, share) if share < 1 else np.eye(n + 1)[n]
        rates.append(float(weights @ rejected))
    return rates


# --- simulated figures ---


def product_coverage(n: int, replications: int) -> list[float]:
    """Strength as kappa x relevance; the reference votes on 80 % of the pairs."""
    coverage = []
    for accuracy, relevance in itertools.product((0.5, 0.6, 0.75, 0.9, 0.97), (0.15, 0.4, 0.7, 0.9, 0.98)):
        random = generator(n, accuracy, relevance)
        valid = random.binomial(n, relevance, replications)
        compared = random.binomial(valid, 0.8)
        agreements = random.binomial(compared, accuracy)
        kept = compared > 0
        valid, compared, agreements = valid[kept], compared[kept], agreements[kept]
        share = wilson_limits(agreements, compared, Z)
        kappa = Limits(2 * share.low - 1, 2 * share.high - 1)
        low, high = product_limits(2 * agreements / compared - 1, kappa, valid / n, wilson_limits(valid, n, Z))
        truth = (2 * accuracy - 1) * relevance
        coverage.append(float(((low <= truth) & (truth <= high)).mean()))
    return coverage


def kappa_truths() -> Iterator[tuple[Array, float, float]]:
    """Tables of cell probabilities with their kappa and the chance of equal labels."""
    frequencies = (
        [0.5, 0.5],
        [0.8, 0.2],
        [0.95, 0.05],
        [0.4, 0.35, 0.25],
        [0.7, 0.2, 0.1],
        [0.3, 0.25, 0.2, 0.15, 0.1],
    )
    tables = []
    for marginal, same in itertools.product(frequencies, (0.0, 0.3, 0.6, 0.9)):
        p = np.array(marginal)
        tables.append(same * np.diag(p) + (1 - same) * np.outer(p, p))
    random = generator(1)
    for k, diagonal in itertools.product((2, 3, 4), (1, 4)):
        tables.append(random.dirichlet((np.ones((k, k)) + diagonal * np.eye(k)).ravel()).reshape(k, k))
    for table in tables:
        chance = float(table.sum(axis=0) @ table.sum(axis=1))
        yield table, float((np.trace(table) - chance) / (1 - chance)), chance


def kappa_coverage(n: int, replications: int, *, gated: bool) -> list[float]:
    coverage = []
    for number, (table, kappa, chance) in enumerate(kappa_truths()):
        if gated and n * (1 - chance) < 30:
            continue
        drawn = generator(n, number).multinomial(n, table.ravel(), size=replications)
        cells, counts = np.unique(drawn, axis=0, return_counts=True)
        estimates = [cohen_kappa(row.reshape(table.shape)) for row in cells]
        inside = [e.low is not None and e.high is not None and e.low <= kappa <= e.high for e in estimates]
        defined = np.array([e.value is not None for e in estimates])
        coverage.append(float(counts[defined] @ np.array(inside)[defined] / counts[defined].sum()))
    return coverage


def ordered_truths() -> Iterator[Array]:
    """Cell probabilities of two judges' labels on a scale: two correlated normal values, cut at the same places.

    With 3, 5 and 10 labels, that are equally frequent or mostly high.
    """
    normal = NormalDist()
    first = np.array([normal.inv_cdf((place + 0.5) / 4000) for place in range(4000)])
    for labels, correlation, skew in itertools.product((3, 5, 10), (0.0, 0.3, 0.6, 0.8, 0.9, 0.97), (1, 3)):
        cuts = [normal.inv_cdf((k / labels) ** skew) for k in range(1, labels)]
        rest = (1 - correlation**2) ** 0.5
        below = np.array([[normal.cdf((cut - correlation * z) / rest) for cut in cuts] for z in first])
        each = np.diff(below, prepend=0.0, append=1.0)
        yield np.array([each[np.searchsorted(cuts, first) == k].sum(axis=0) for k in range(labels)]) / len(first)


def ordered_coverage(n: int, replications: int, name: str) -> list[float]:
    """A figure of labels that have an order, of independent items."""
    figure = next(one for one in ORDERED if one.name == name)
    coverage = []
    for number, table in enumerate(ordered_truths()):
        place, true = (axis.ravel().astype(float) for axis in np.indices(table.shape))
        states = pl.DataFrame({"place": place, "reference_place": true})
        cells = np.arange(table.size)
        truth = figure.linearise(states, np.round(table.ravel() * 1e12).astype(np.int64)).value
        drawn = generator(n, number).multinomial(n, table.ravel() / table.sum(), size=replications)
        estimates = (figure.estimate(0.95, table=StateCells(states, cells, counts)) for counts in drawn)
        coverage.append(share_inside(estimates, truth or 0.0))
    return coverage


def cluster_sizes(random: np.random.Generator, shape: tuple[int, int], *, uneven: bool) -> NDArray[np.int64]:
    return np.minimum(random.geometric(1 / 6, shape), 40) if uneven else np.full(shape, 5)


def cluster_chances(
    random: np.random.Generator, mean: float, correlation: float, shape: int | tuple[int, ...]
) -> NDArray[np.float64]:
    """The chance of each cluster: beta-distributed, so that outcomes within it correlate so."""
    size = 1 / correlation - 1
    return random.beta(mean * size, (1 - mean) * size, shape)


def clustered_counts(
    clusters: int, p: float, correlation: float, replications: int, *, uneven: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Beta-binomial clusters whose size does not depend on the outcome."""
    random = generator(clusters, p, correlation, uneven)
    totals = cluster_sizes(random, (replications, clusters), uneven=uneven)
    shares = cluster_chances(random, p, correlation, totals.shape) if correlation else np.full(totals.shape, p)
    return random.binomial(totals, shares), totals


CLUSTER_TRUTHS = list(itertools.product((0.2, 0.5, 0.8, 0.9, 0.95), (0.0, 0.1, 0.3, 0.6), (False, True)))
EXTREME_TRUTHS = list(itertools.product((0.98, 0.99), (0.3, 0.6), (False, True)))


def clustered_coverage(
    clusters: int,
    replications: int,
    truths: Sequence[tuple[float, float, bool]] = tuple(CLUSTER_TRUTHS),
    estimate: Callable[..., Estimate] = clustered_proportion,
) -> list[float]:
    coverage = []
    for p, correlation, uneven in truths:
        successes, totals = clustered_counts(clusters, p, correlation, replications, uneven=uneven)
        estimates = (estimate(y, x) for y, x in zip(successes, totals, strict=True))
        coverage.append(share_inside(estimates, p))
    return coverage


F1_TRUTHS = list(itertools.product((2.0, 6.0), (0.5, 0.8, 0.95), (0.3, 2.0), (0.05, 0.4)))


def f1_coverage(
    texts: int, replications: int, settings: Sequence[tuple[float, float, float, float]] = tuple(F1_TRUTHS)
) -> list[float]:
    """Texts with a Poisson number of spans, found with a chance that varies from text to text."""
    coverage = []
    for spans, found, false, correlation in settings:
        random = generator(texts, spans, found, false, correlation)
        shape, size = (replications, texts), 1 / correlation - 1
        truths = random.poisson(spans, shape)
        hits = random.binomial(truths, random.beta(found * size, (1 - found) * size, shape))
        extra = random.poisson(false * random.gamma(2, 1 / 2, shape))
        truth = 2 * spans * found / (spans * found + false + spans)
        rows = zip(hits, extra, truths - hits, strict=True)
        coverage.append(share_inside((clustered_f1(*row) for row in rows), truth))
    return coverage


def in_bursts(texts: int, replications: int) -> list[tuple[float, list[Estimate]]]:
    """Precision and F1, true and estimated, of texts with false alarms in bursts: twelve in one text of 17, on average."""
    random, shape = generator(texts), (replications, texts)
    truths = random.poisson(3.0, shape)
    hits = random.binomial(truths, 0.8)
    extra = random.poisson(np.where(random.random(shape) < 1 / 17, 12.0, 0.3))
    right, wrong = 3 * 0.8, 12 / 17 + 0.3 * 16 / 17
    rows = list(zip(hits, extra, truths - hits, strict=True))
    return [
        (right / (right + wrong), [clustered_proportion(true, true + false) for true, false, _ in rows]),
        (2 * right / (right + wrong + 3), [clustered_f1(*row) for row in rows]),
    ]


OF_TEXTS = {(figure.name, figure.keys["average"]): figure for figure in METRICS_BY_KIND[MATCHED]}
"""The figures of violations, by name and average."""


def checked_texts(
    random: np.random.Generator, shape: tuple[int, int], spans: float, found: float, false: float, correlation: float
) -> Iterator[pl.DataFrame]:
    """Tallies of such texts; each match has a score between .55 and 1."""
    truths = random.poisson(spans, shape)
    hits = random.binomial(truths, cluster_chances(random, found, correlation, shape))
    extra = random.poisson(false * random.gamma(2, 1 / 2, shape))
    for hit, true, more in zip(hits, truths, extra, strict=True):
        scores = np.repeat(np.arange(len(hit)), hit)
        score = np.bincount(scores, random.uniform(0.55, 1, len(scores)), len(hit))
        columns = {"found": hit, "predicted": hit + more, "true": true, "score": np.rint(score * SCORE_UNITS)}
        yield pl.DataFrame(columns)


def text_coverage(
    metric: str, average: str, truth: Callable[[float], float], texts: int, replications: int
) -> list[float]:
    """truth: from the share of violations that is found to the figure."""
    coverage = []
    for setting in F1_TRUTHS:
        tallies = checked_texts(generator(texts, *setting), (replications, texts), *setting)
        found = (OF_TEXTS[metric, average].estimate(0.95, table=cells_from_states(tally)) for tally in tallies)
        coverage.append(share_inside(found, truth(setting[1])))
    return coverage


def match_score_coverage(texts: int, replications: int) -> list[float]:
    return text_coverage("match_score", "micro", lambda found: found * (0.55 + 1) / 2, texts, replications)


def match_quality_coverage(texts: int, replications: int) -> list[float]:
    return text_coverage("match_quality", "micro", lambda _: (0.55 + 1) / 2, texts, replications)


def macro_recall_coverage(texts: int, replications: int) -> list[float]:
    """The mean over texts of what is found in each."""
    return text_coverage("recall", "macro", lambda found: found, texts, replications)


def f1_difference_coverage(texts: int, replications: int) -> list[float]:
    """Two checkers on the same true violations, the second with another recall."""
    coverage = []
    for spans, found, false, correlation in F1_TRUTHS:
        random = generator(texts, spans, found, false, correlation)
        estimates = []
        for first in checked_texts(random, (replications, texts), spans, found, false, correlation):
            hit = random.binomial(first["true"].to_numpy(), found / 2)
            extra = random.poisson(false, texts)
            second = first.with_columns(found=hit, predicted=hit + extra)
            pairs = pairs_from_states(first, second)
            estimates.append(paired_difference(OF_TEXTS["f1", "micro"], pairs, 0.95).comparison.estimate)
        ours, theirs = (2 * spans * one / (spans * one + false + spans) for one in (found, found / 2))
        coverage.append(share_inside(estimates, theirs - ours))
    return coverage


def mean_over_criteria(right: NDArray[np.bool_], judged: NDArray[np.bool_]) -> Estimate:
    """The mean over criteria (columns) of the share of the judged items (rows) that are right."""
    counts = judged.sum(axis=0)
    shares = (right & judged).sum(axis=0) / counts
    influence = (judged * (right - shares) / counts).mean(axis=1)[judged.any(axis=1)]
    n, judgments = len(influence), int(counts.sum())
    return mean_of_shares(float(shares.mean()), influence, items=n, judgments=judgments, multiplicity=np.ones(n))


def criteria_coverage(n: int, replications: int) -> list[float]:
    """Five criteria on the same items; items are easy or hard, and some are not judged on all."""
    coverage = []
    for level, likeness, judged_share in itertools.product((0.6, 0.8, 0.93), (0.0, 0.3, 0.7), (0.6, 1.0)):
        random = generator(n, level, likeness, judged_share)
        shares = np.clip(level + np.array([-0.1, -0.05, 0, 0.03, 0.06]), 0, 1)
        estimates = []
        for _ in range(replications):
            common = random.random((n, 1))
            own = random.random((n, 5))
            draws = np.where(random.random((n, 5)) < likeness, common, own)
            judged = random.random((n, 5)) < judged_share
            estimates.append(mean_over_criteria(draws < shares, judged))
        coverage.append(share_inside(estimates, float(shares.mean())))
    return coverage


def label_tables(n: int, replications: int) -> Iterator[tuple[Array, Array]]:
    """Chances of gold and predicted labels, and tables drawn from them: even and rare labels, good and poor systems."""
    for place, (even, right) in enumerate(itertools.product((True, False), (0.3, 0.6, 0.9))):
        gold = np.full(4, 0.25) if even else np.array([0.7, 0.2, 0.07, 0.03])
        chances = gold[:, None] * ((1 - right) * np.array([0.4, 0.3, 0.2, 0.1])[None, :] + right * np.eye(4))
        drawn = generator(n, place, 3).multinomial(n, chances.ravel(), size=replications)
        yield chances, drawn.reshape(-1, 4, 4)


def balanced_accuracy_coverage(n: int, replications: int) -> list[float]:
    """Mean of recalls, each label expected RARE times; samples without a label, which have another truth, are left out."""
    coverage = []
    for chances, tables in label_tables(n, replications):
        truth = float((np.diag(chances) / chances.sum(axis=1)).mean())
        if n * chances.sum(axis=1).min() < RARE:
            continue
        whole = (table for table in tables if table.sum(axis=1).all())
        coverage.append(share_inside((recall_mean(table) for table in whole), truth))
    return coverage


def recall_mean(table: Array) -> Estimate:
    rows = zip(np.diag(table).tolist(), table.sum(axis=1).tolist(), strict=True)
    return mean_of_proportions([proportion(right, n) for right, n in rows])


def macro_f1_coverage(n: int, replications: int) -> list[float]:
    coverage = []
    for chances, tables in label_tables(n, replications):
        if n * chances.sum(axis=1).min() < RARE:
            continue
        truth, _ = macro_f1(contingency_of_table(np.pad(chances, ((1, 0), (1, 0)))))
        whole = (table for table in tables if (table.sum(axis=1) + table.sum(axis=0)).all())
        coverage.append(share_inside((f1_mean(np.pad(table, ((1, 0), (1, 0)))) for table in whole), truth))
    return coverage


def f1_mean(table: Array) -> Estimate:
    value, influence = macro_f1(contingency_of_table(table))
    of_cells = influence(*np.indices(table.shape))
    return linearised_proportion(value, np.repeat(of_cells.ravel(), table.ravel()), n=int(table.sum()))


def clustered_kappa_coverage(clusters: int, replications: int) -> list[float]:
    """Clusters of one label prevalence, in which two judges agree more or less often."""
    coverage = []
    for same, spread, prevalence in itertools.product((0.3, 0.6, 0.85), (0.1, 0.4), (0.5, 0.8)):
        random = generator(clusters, same, spread, prevalence)
        estimates = []
        for _ in range(replications):
            sizes = cluster_sizes(random, (1, clusters), uneven=True)[0]
            copies = np.repeat(cluster_chances(random, same, spread, clusters), sizes)
            first = random.random(len(copies)) < prevalence
            other = random.random(len(copies)) < prevalence
            second = np.where(random.random(len(copies)) < copies, first, other)
            owner = np.repeat(np.arange(clusters), sizes)
            cells = np.bincount(owner * 4 + first * 2 + second, minlength=4 * clusters)
            places = np.arange(4 * clusters)
            split = ClusteredCells(places // 4, places // 2 % 2, places % 2, cells)
            estimates.append(cohen_kappa(cells.reshape(-1, 2, 2).sum(axis=0), clusters=split))
        coverage.append(share_inside(estimates, same))
    return coverage


def clustered_strength_coverage(clusters: int, replications: int) -> list[float]:
    """Two judges that decide only some items, in clusters in which they agree more or less often."""
    coverage = []
    for agree, decided, correlation in itertools.product((0.5, 0.7, 0.9), (0.4, 0.9), (0.05, 0.3)):
        random = generator(clusters, agree, decided, correlation)
        sizes = cluster_sizes(random, (replications, clusters), uneven=True)
        votes = random.binomial(sizes, cluster_chances(random, decided, correlation, sizes.shape))
        alike = random.binomial(votes, cluster_chances(random, agree, correlation, sizes.shape))
        rows = zip(alike, votes - alike, sizes, strict=True)
        coverage.append(share_inside((clustered_strength(*row).estimate for row in rows), (2 * agree - 1) * decided))
    return coverage


def clustered_product_coverage(clusters: int, replications: int) -> list[float]:
    """A judge that decides some items; the reference decides 7 of 10 of these, so relevance rests on more items."""
    coverage = []
    for agree, decided, correlation in itertools.product((0.5, 0.7, 0.9), (0.4, 0.9), (0.05, 0.3)):
        random = generator(clusters, agree, decided, correlation, 2)
        sizes = cluster_sizes(random, (replications, clusters), uneven=True)
        valid = random.binomial(sizes, cluster_chances(random, decided, correlation, sizes.shape))
        compared = random.binomial(valid, 0.7)
        alike = random.binomial(compared, cluster_chances(random, agree, correlation, sizes.shape))
        rows = (one for one in zip(alike, compared, valid, sizes, strict=True) if one[1].any())
        coverage.append(
            share_inside((clustered_strength_product(*row).estimate for row in rows), (2 * agree - 1) * decided)
        )
    return coverage


def clustered_difference_coverage(clusters: int, replications: int) -> list[float]:
    """Two judges right on the same items with chances that vary from cluster to cluster."""
    coverage = []
    for first, second, correlation in itertools.product((0.6, 0.8, 0.9), (0.55, 0.8), (0.05, 0.3)):
        random = generator(clusters, first, second, correlation)
        estimates = []
        for _ in range(replications):
            sizes = cluster_sizes(random, (1, clusters), uneven=True)[0]
            one, two = (
                np.repeat(cluster_chances(random, mean, correlation, clusters), sizes) for mean in (first, second)
            )
            owner, common = np.repeat(np.arange(clusters), sizes), random.random(len(one))
            right1 = common < one
            right2 = np.where(random.random(len(one)) < 0.5, common, random.random(len(one))) < two
            only1 = np.bincount(owner, weights=right1 & ~right2, minlength=clusters)
            only2 = np.bincount(owner, weights=right2 & ~right1, minlength=clusters)
            estimates.append(clustered_paired_difference(only1, only2, sizes).estimate)
        coverage.append(share_inside(estimates, first - second))
    return coverage


SHRINK_TRUTHS = [(0.8, 10), (0.8, 100), (0.95, 20), (0.7, 1e6), (0.75, 3), (0.85, 0)]


def shrink_coverage(annotators: int, replications: int) -> list[float]:
    """Annotators drawn from a beta distribution (concentration 0: from two kinds), 2 to 18 or 2 to 78 items each."""
    coverage = []
    for (mean, concentration), items in itertools.product(SHRINK_TRUTHS, (10, 40)):
        random = generator(annotators, mean, min(concentration, 1e6), items)
        inside = []
        for _ in range(replications):
            if concentration:
                p = random.beta(mean * concentration, (1 - mean) * concentration, annotators)
            else:
                p = random.choice([0.6, 0.95], annotators, p=[0.3, 0.7])
            totals = random.integers(2, 2 * items - 1, annotators)
            estimates = shrink(random.binomial(totals, p), totals)
            inside += [share_inside([estimate], truth) for estimate, truth in zip(estimates, p, strict=True)]
        coverage.append(float(np.mean(inside)))
    return coverage


RANK_TRUTHS = [
    (0.8,) * 5,
    (0.7, 0.75, 0.8, 0.85, 0.9),
    (0.6, 0.8, 0.8, 0.8, 0.9),
    (0.9, 0.92, 0.94, 0.96, 0.98),
]


def rank_coverage(n: int, replications: int) -> list[float]:
    """How often the rank sets of all five systems are right at once; equal systems share their ranks."""
    coverage = []
    for number, accuracies in enumerate(RANK_TRUTHS):
        random = generator(n, number)
        truths = np.array(accuracies)
        right = 0
        for _ in range(replications):
            likeness = random.random((n, 5)) < 0.5
            draws = np.where(likeness, random.random((n, 1)), random.random((n, 5))) < truths
            sets = rank_ranges([*map(str, range(len(truths)))], pair_rows(draws), 0.95).values()
            best = [1 + int((truths > t).sum()) for t in truths]
            worst = [len(truths) - int((truths < t).sum()) for t in truths]
            right += all(s.low <= b and w <= s.high for s, b, w in zip(sets, best, worst, strict=True))
        coverage.append(right / replications)
    return coverage


def pair_rows(correct: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Rows of a table of differences: all pairs of columns, with adjusted p-values."""
    systems = correct.shape[1]
    only = correct.T.astype(float) @ ~correct
    pairs = list(itertools.combinations(range(systems), 2))
    adjusted = holm([mcnemar_mid_p(int(only[i, j]), int(only[j, i])) for i, j in pairs])
    return [
        {"first": str(i), "second": str(j), "value": only[j, i] - only[i, j], "p_adjusted": p}
        for (i, j), p in zip(pairs, adjusted, strict=True)
    ]


# --- controls: intervals that must fail ---


def naive_wilson(successes: Array, totals: Array) -> Estimate:
    """Wilson's interval as if clustered items were independent."""
    y, x = successes.sum(), totals.sum()
    low, high = wilson_limits(y, x, Z)
    return Estimate(float(y / x), float(low), float(high), n=int(x))


def percentile_bootstrap(successes: Array, totals: Array) -> Estimate:
    """Percentile interval of a ratio, texts drawn with replacement."""
    weights = np.random.default_rng(1).multinomial(len(totals), np.full(len(totals), 1 / len(totals)), size=400)
    figures = (weights @ successes) / (weights @ totals)
    low, high = np.quantile(figures, [0.025, 0.975])
    return Estimate(float(successes.sum() / totals.sum()), float(low), float(high), n=len(totals))


def bootstrap_coverage(replications: int) -> float:
    """20 texts with two predictions each, all independent: often all are right, and the interval is a point."""
    drawn = generator(20).binomial(2, 0.98, (replications, 20))
    return share_inside((percentile_bootstrap(y, np.full(20, 2)) for y in drawn), 0.98)


def plug_in_coverage(annotators: int, replications: int) -> float:
    """Shrinking towards one best beta distribution, found by Kleinman's moments, as if it were known."""
    random, inside = generator(annotators), []
    for _ in range(replications):
        p, totals = random.beta(80, 20, annotators), random.integers(2, 19, annotators).astype(float)
        successes = random.binomial(totals.astype(int), p)
        mean, n = successes.sum() / totals.sum(), totals.sum()
        spread = float(totals @ (successes / totals - mean) ** 2)
        size = n - float(totals @ totals) / n
        noise = mean * (1 - mean)
        correlation = (spread - noise * (annotators - 1)) / max(noise * (size - annotators + 1), 1e-12)
        concentration = 1 / min(max(correlation, 1e-6), 0.99) - 1
        for y, x, truth in zip(successes, totals, p, strict=True):
            a, b = mean * concentration + y + 1e-9, (1 - mean) * concentration + x - y + 1e-9
            inside.append(beta_quantile(0.025, a, b) <= truth <= beta_quantile(0.975, a, b))
    return float(np.mean(inside))


def controls(replications: int) -> dict[str, float]:
    return {
        "Wald, p = .95, n = 30": proportion_coverage(30, wald, [0.95])[0],
        "naive Wilson, ICC .3, 40 uneven clusters": clustered_coverage(
            40, replications, [(0.8, 0.3, True)], naive_wilson
        )[0],
        "one best beta distribution, 5 annotators": plug_in_coverage(5, max(replications // 10, 50)),
        "one best beta distribution, 40 annotators": plug_in_coverage(40, max(replications // 40, 20)),
        "percentile bootstrap, precision .98, 20 texts": bootstrap_coverage(min(replications, 1000)),
    }


# --- the table ---

Figure = tuple[str, Sequence[int], Callable[[int], list[float]]]


def figures(replications: int) -> list[Figure]:
    """Each figure with its sizes, and the coverage at every truth as a function of the size."""
    few, half = max(replications // 10, 50), max(replications // 2, 50)
    sizes, clusters = (30, 100, 300, 1000), (5, 10, 20, 40, 100, 200)
    return [
        ("proportion, Wilson (exact)", (10, *sizes), lambda n: proportion_coverage(n, wilson, PROPORTIONS)),
        (
            "proportion, Clopper-Pearson (exact)",
            (10, *sizes),
            lambda n: proportion_coverage(n, exact, PROPORTIONS),
        ),
        ("strength and paired difference, Tango (exact)", (10, 30, 50, 100), tango_coverage),
        ("McNemar mid-P, share rejected at .05 (exact)", (10, 30, 100, 300), mcnemar_type_one),
        (
            "the same, all items discordant, rejected (exact)",
            (10, 30, 100, 300),
            lambda n: mcnemar_type_one(n, [1.0]),
        ),
        ("kappa x relevance", sizes, lambda n: product_coverage(n, replications)),
        ("Cohen's kappa, all truths", sizes, lambda n: kappa_coverage(n, replications, gated=False)),
        (
            "Cohen's kappa, n(1-pe) >= 30",
            (50, *sizes[1:]),
            lambda n: kappa_coverage(n, replications, gated=True),
        ),
        *(
            (name, sizes, partial(ordered_coverage, replications=few, name=name))
            for name in map(attrgetter("name"), ORDERED)
        ),
        ("mean over five criteria", sizes[:3], lambda n: criteria_coverage(n, few)),
        (
            "balanced accuracy of four labels, each 30 times",
            (120, 300, 1000),
            lambda n: balanced_accuracy_coverage(n, few),
        ),
        ("macro F1 of four labels, each 30 times", (120, 300, 1000), lambda n: macro_f1_coverage(n, few)),
        ("clustered proportion, p <= .95", clusters, lambda c: clustered_coverage(c, half)),
        (
            "clustered proportion, p >= .98, ICC >= .3",
            clusters[3:],
            lambda c: clustered_coverage(c, half, EXTREME_TRUTHS),
        ),
        ("F1 over texts", (10, 20, 50, 200), lambda c: f1_coverage(c, half)),
        ("match score over texts", (10, 20, 50, 200), lambda c: match_score_coverage(c, few)),
        ("match quality over texts", (10, 20, 50, 200), lambda c: match_quality_coverage(c, few)),
        ("mean recall over texts", (10, 20, 50, 200), lambda c: macro_recall_coverage(c, few)),
        ("difference of F1 over texts", (10, 20, 50, 200), lambda c: f1_difference_coverage(c, few)),
        ("clustered strength", clusters[1:], lambda c: clustered_strength_coverage(c, few)),
        ("clustered kappa x relevance", clusters[1:], lambda c: clustered_product_coverage(c, few)),
        ("clustered kappa", clusters[1:], lambda c: clustered_kappa_coverage(c, few)),
        ("clustered paired difference", clusters[1:], lambda c: clustered_difference_coverage(c, few)),
        (
            "shrunken proportions",
            (2, 3, 5, 10, 20, 40),
            lambda k: shrink_coverage(k, max(replications // 40, 5)),
        ),
        ("rank sets of five systems, all right", sizes[:3], lambda n: rank_coverage(n, few)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of Adjudge's intervals at a confidence of 95 %.")
    parser.add_argument("--replications", type=int, default=10_000, help="simulated samples per truth")
    parser.add_argument("--only", default="", help="only the figures whose name contains this")
    options = parser.parse_args()
    print("| figure | size: worst / mean over truths |\n|---|---|", flush=True)
    for name, sizes, coverage in figures(options.replications):
        if options.only in name:
            cells = [(size, coverage(size)) for size in sizes]
            worst = max if "rejected" in name else min
            shown = ", ".join(f"{size}: {worst(c):.3f} / {np.mean(c):.3f}" for size, c in cells if c)
            print(f"| {name} | {shown} |", flush=True)
    print("\n| control that must fail | coverage |\n|---|---|")
    for name, share in controls(options.replications).items():
        print(f"| {name} | {share:.3f} |")


if __name__ == "__main__":
    main()
