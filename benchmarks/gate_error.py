"""How often `adjudge compare --fail-if-worse` fails on two runs that are truly equally good. Nominal: 2.5 %.

    python benchmarks/gate_error.py [--replications N] [--seed N] [--only WORD]

A gate fails where the difference lies below 0 with p below .05. Each row simulates null
comparisons (2,000 by default) and prints the share that fails, and beside it the share whose p is below .05. One share
of 2.5 % has a standard error of .0035 with 2,000. The last rows have a true fall: there failing is right.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from statistics import NormalDist

import numpy as np
import polars as pl

from adjudge.evaluations import view_of
from adjudge.metrics.cells import Floats, Integers, PairedCells
from adjudge.metrics.difference import ItemParts, mean_difference, paired_difference
from adjudge.metrics.metric import Metric
from adjudge.metrics.ratios import Mean, Share
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import Comparison

Draw = np.random.Generator
Sides = tuple[Integers, Integers, Integers, Integers | None]
"""The states of rows in either run, how many rows, and their units."""
Made = tuple[pl.DataFrame, Sides]

RIGHT = Share("right", MetricSpec("Right", ""), pl.col("right"), pl.lit(value=True))
_SCORE = Mean("score", MetricSpec("Score", ""), pl.col("score"), bounds=(0.0, 1.0))
_BOTH = pl.DataFrame({"right": [False, True]})
_LABELS = np.array(["A", "B", "both_good", "both_bad"])
_GOLD = (0.4, 0.3, 0.2, 0.1)
_RARE = {60: (0.4, 0.3, 0.267, 0.033), 1000: (0.5, 0.3, 0.197, 0.003)}
"""Shares of labels of which the rarest is expected on 2 of 60 items, on 3 of 1,000."""
_CRITERIA = 5


def main() -> None:
    """Print a row per setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    chosen = parser.parse_args()
    print(f"{'comparison':<58} {'gate fails':>10} {'p < .05':>8}")
    for number, (name, run) in enumerate(_settings()):
        if chosen.only in name:
            draw = np.random.default_rng([chosen.seed, number])
            found = [run(draw) for _ in range(chosen.replications)]
            fails = np.mean([one.p is not None and one.p < 0.05 and (one.estimate.value or 0) < 0 for one in found])
            small = np.mean([one.p is not None and one.p < 0.05 for one in found])
            print(f"{name:<58} {fails:>10.4f} {small:>8.4f}", flush=True)


def _settings() -> Iterator[tuple[str, Callable[[Draw], Comparison]]]:
    for name, of, make in _plain():
        yield name, partial(_one, of, make)
    for metric, (n, gold) in product(("accuracy", "kappa", "balanced_accuracy"), {100: _GOLD, **_RARE}.items()):
        name = f"{metric}, mean over {_CRITERIA} criteria, {'a rare label, ' if gold != _GOLD else ''}n {n}"
        yield name, partial(_averaged, figure("preferences", metric), n, gold)


def _one(of: Metric, make: Callable[[Draw], Made], draw: Draw) -> Comparison:
    return compared(of, *make(draw))


def _plain() -> Iterator[tuple[str, Metric, Callable[[Draw], Made]]]:
    for discordance, n in product((0.1, 0.4), (50, 200, 1000)):
        yield f"accuracy, n {n}, discordant {discordance}", RIGHT, partial(shares, n, discordance, 0.0)
    for clusters, size in product((40, 100), (3, 10)):
        yield f"accuracy, {clusters} clusters of {size} on average, ICC .3", RIGHT, partial(clustered, clusters, size)
    for n in (50, 200, 1000):
        yield f"ROUGE-L, n {n}", _SCORE, partial(_scores, n)
    for metric, n in product(("macro_f1", "kappa", "balanced_accuracy"), (100, 300, 1000)):
        yield f"{metric}, four labels, n {n}", figure("preferences", metric), partial(labels, n)
    for metric, (n, gold) in product(("macro_f1", "kappa", "balanced_accuracy"), _RARE.items()):
        yield f"{metric}, a rare label, n {n}", figure("preferences", metric), partial(labels, n, gold=gold)
    balanced = figure("preferences", "balanced_accuracy")
    for clusters, gold in product((40, 100), (_GOLD, _RARE[60])):
        name = f"balanced_accuracy, {'a rare label, ' if gold != _GOLD else ''}{clusters} clusters of 3 on average"
        yield name, balanced, partial(_in_clusters, clusters, gold)
    for average, n in product(("micro", "macro"), (20, 100, 300)):
        of = figure("violations", "f1", average=average)
        yield f"F1 of violations, {average}, {n} texts", of, partial(texts, n)
    for fall in (0.05, 0.1):
        yield f"a true fall of {fall}, n 400, discordant .3", RIGHT, partial(shares, 400, 0.3, -fall)


def figure(evaluation: str, metric: str, **keys: str) -> Metric:
    return next(one for one in view_of(evaluation).metrics if one.name == metric and dict(one.keys) == keys)


def compared(of: Metric, states: pl.DataFrame, sides: Sides) -> Comparison:
    return paired_difference(of, PairedCells(states, *sides), 0.95).comparison


def _averaged(of: Metric, n: int, gold: Sequence[float], draw: Draw) -> Comparison:
    """The mean over criteria; some items are known to a system on all criteria, others guessed on all."""
    known = [draw.random(n) for _ in range(2)]
    parts = []
    for _ in range(_CRITERIA):
        partly = [np.where(draw.random(n) < 0.5, one, draw.random(n)) for one in known]
        states, (first, second, *_) = labels(n, draw, gold, partly)
        parts.append((states, first, second))
    names = [str(number) for number in range(_CRITERIA)]
    states, *runs = zip(*parts, strict=True)
    return mean_difference(of, ItemParts(names, states, runs), 0.95).comparison


def shares(n: int, discordance: float, gain: float, draw: Draw) -> Made:
    """Two runs that differ on a share of the items; the second is better by `gain`."""
    parts = [(discordance - gain) / 2, (discordance + gain) / 2]
    counts = draw.multinomial(n, [*parts, (1 - discordance) / 4, 3 * (1 - discordance) / 4])
    return _BOTH, _pairs(np.array([1, 0, 0, 1]), np.array([0, 1, 0, 1]), counts)


def clustered(clusters: int, size: int, draw: Draw) -> Made:
    """Items right in 70 %; latent variance: .15 by cluster, .15 by cluster and judge, .3 by item, .4 by chance."""
    sizes = draw.integers(1, 2 * size, clusters)
    units = np.repeat(np.arange(clusters), sizes)
    shared = np.sqrt(0.15) * draw.normal(size=clusters)[units] + np.sqrt(0.3) * draw.normal(size=len(units))
    right = [
        shared + np.sqrt(0.15) * draw.normal(size=clusters)[units] + np.sqrt(0.4) * draw.normal(size=len(units))
        < NormalDist().inv_cdf(0.7)
        for _ in range(2)
    ]
    return _BOTH, _pairs(*(one.astype(np.int64) for one in right), units=units)


def _scores(n: int, draw: Draw) -> Made:
    """Scores from 0 to 1 that hang together, many of them 0 or 1."""
    easy = draw.beta(2, 2, n)
    sides = [np.clip(easy + draw.normal(0, 0.25, n), 0, 1) for _ in range(2)]
    states, places = np.unique(np.concatenate(sides), return_inverse=True)
    return pl.DataFrame({"score": states}), _pairs(places[:n], places[n:])


def labels(n: int, draw: Draw, gold: Sequence[float] = _GOLD, known: Sequence[Floats] | None = None) -> Made:
    """Gold labels, and two systems that are right in 70 % each; known: below .6 where they know the label."""
    truth = draw.choice(4, n, p=gold)
    known = known or [draw.random(n) for _ in range(2)]
    said = [np.where(one < 0.6, truth, draw.integers(0, 4, n)) for one in known]
    codes, places = np.unique(np.concatenate([truth * 4 + one for one in said]), return_inverse=True)
    states = pl.DataFrame({"reference_label": _LABELS[codes // 4], "label": _LABELS[codes % 4]})
    outcome = pl.when(pl.col("label") == pl.col("reference_label")).then(pl.lit("correct"))
    return states.with_columns(outcome.otherwise(pl.lit("incorrect")).alias("outcome")), _pairs(places[:n], places[n:])


def _in_clusters(clusters: int, gold: Sequence[float], draw: Draw) -> Made:
    """Labels of clusters of items, of which a system knows all or guesses all."""
    units = np.repeat(np.arange(clusters), draw.integers(1, 6, clusters))
    states, sides = labels(len(units), draw, gold, [draw.random(clusters)[units] for _ in range(2)])
    return states, (*sides[:3], units)


def texts(n: int, draw: Draw, missed: Sequence[float] = (1.0, 1.0)) -> Made:
    """Texts of different length and difficulty, and two checkers that find 70 % of what is there.

    missed: how much of what such a checker misses each of them does.
    """
    true = draw.poisson(draw.gamma(2, 1, n))
    hard = draw.beta(7, 3, n)
    sides = []
    for part in missed:
        found = draw.binomial(true, 1 - part * (1 - hard))
        sides.append(np.stack([found, found + draw.poisson(0.5, n), true]))
    codes, places = np.unique(np.concatenate(sides, axis=1), axis=1, return_inverse=True)
    states = pl.DataFrame(dict(zip(("found", "predicted", "true"), codes, strict=True)))
    return states.with_columns(score=pl.col("found").cast(pl.Float64)), _pairs(places[:n], places[n:])


def _pairs(first: Integers, second: Integers, counts: Integers | None = None, units: Integers | None = None) -> Sides:
    return first, second, np.ones(len(first), dtype=np.int64) if counts is None else counts, units


if __name__ == "__main__":
    main()
