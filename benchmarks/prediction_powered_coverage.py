"""How often intervals of people's figures sharpened by a judge contain the truth, and how wide they are beside people's.

    python benchmarks/prediction_powered_coverage.py [--replications 2000]

People label n items and a judge all n + N; both are drawn from a known truth: how often items have a label, and how often the
judge says so where it is right to and where it is not. Prints a Markdown table: coverage (least / mean over truths), the share of
truths within .93 to .97, and the mean width over that of people's labels alone. The judge's skills and prevalences are none of
those among which the interval was chosen (see docs/statistics.md). Strata and unequal weights are in
stratified_score_coverage.py. Goal: a mean of .93 to .97 in each row.
"""

import argparse
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from karat.statistics import Powered, prediction_powered, proportion, true_rate

Array = NDArray[np.float64]
SEED = 20241122
SKILLS = [(0.5, 0.5), (0.6, 0.6), (0.8, 0.8), (0.9, 0.9), (0.95, 0.95), (0.7, 0.95), (0.95, 0.7)]
"""How often the judge is right on items with the label, and on those without."""
PREVALENCES = [0.03, 0.08, 0.2, 0.4, 0.6]


def labels(rng: np.random.Generator, truth: Array, skill: tuple[float, float]) -> Array:
    """What the judge says of items that have the label or have it not."""
    right = rng.random(truth.shape) < np.where(truth == 1, *skill)
    return np.where(right, truth, 1 - truth)


def clustered(rng: np.random.Generator, clusters: int, size: int, prevalence: float, icc: float) -> Array:
    """Labels of items in clusters: a beta distribution of shares with that intraclass correlation."""
    spread = (1 - icc) / icc
    shares = rng.beta(prevalence * spread, (1 - prevalence) * spread, clusters)
    return (rng.random((clusters, size)) < shares[:, None]).astype(float).ravel()


def shares(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    truth = (rng.random(n + more) < prevalence).astype(float)
    said = labels(rng, truth, skill)
    return prevalence, prediction_powered(truth[:n], said[:n], said[n:], bounds=(0, 1))


def in_clusters(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    size = 5
    truth = clustered(rng, (n + more) // size, size, prevalence, 0.2)
    said, units = labels(rng, truth, skill), np.arange(len(truth)) // size
    return prevalence, prediction_powered(
        truth[:n], said[:n], said[n:], units=units[:n], other_units=units[n:], bounds=(0, 1)
    )


def strengths(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    """Wins, ties (a fifth) and losses, of which the judge takes some for others."""
    truth = rng.choice([1.0, 0.0, -1.0], n + more, p=[0.8 * prevalence, 0.2, 0.8 * (1 - prevalence)])
    said = np.where(rng.random(n + more) < skill[0], truth, rng.permutation(truth))
    return 0.8 * (2 * prevalence - 1), prediction_powered(truth[:n], said[:n], said[n:], bounds=(-1, 1))


def means(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    """Grades from 1 to 5, and a judge that is off by a grade or two."""
    chances = np.array([1, 2, 3, 2, 1]) * np.array([1, 1, 1, prevalence, prevalence])
    grades = np.arange(1.0, 6.0)
    truth = rng.choice(grades, n + more, p=chances / chances.sum())
    off = rng.choice([0, 1, 1, 2], n + more) * (rng.random(n + more) > skill[0])
    said = np.clip(truth + off, 1, 5)
    return float(grades @ chances / chances.sum()), prediction_powered(truth[:n], said[:n], said[n:])


def recalls(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    """How many of the items with the label the judge finds: a ratio whose denominator people alone know."""
    truth = (rng.random(n + more) < prevalence).astype(float)
    said = labels(rng, truth, skill)
    return skill[0], prediction_powered(truth[:n] * said[:n], said[:n], said[n:], totals=truth[:n], bounds=(0, 1))


def accuracies(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    """How often the judge is right; its labels tell how often it gives the one on which it errs more."""
    truth = (rng.random(n + more) < prevalence).astype(float)
    said = labels(rng, truth, skill)
    right = (truth == said).astype(float)
    sums, sizes = (np.bincount(said[:n].astype(int), one, 2)[said.astype(int)] for one in (right[:n], np.ones(n)))
    sums[:n] -= right[:n]
    sizes[:n] -= 1
    expected = np.divide(sums, sizes, out=np.full(n + more, right[:n].mean()), where=sizes > 0)
    found = prediction_powered(right[:n], expected[:n], expected[n:], bounds=(0, 1))
    return prevalence * skill[0] + (1 - prevalence) * skill[1], found


def rates(n: int, more: int, prevalence: float, skill: tuple[float, float], rng: np.random.Generator) -> tuple:
    """The rate of a label among items that the judge alone labelled, where people labelled as many with it as without."""
    truth = np.arange(n) % 2
    seen, rest = labels(rng, truth, skill), labels(rng, (rng.random(more) < prevalence).astype(float), skill)
    yes = truth == 1
    counts = (
        int(rest.sum()),
        more,
        int(seen[yes].sum()),
        int(yes.sum()),
        int((1 - seen[~yes]).sum()),
        int((~yes).sum()),
    )
    found = true_rate(*counts)
    alone = proportion(int(yes.sum()), n)
    return prevalence, Powered(alone, found)


KINDS = {
    "share": shares,
    "share, clusters of 5, ICC .2": in_clusters,
    "strength": strengths,
    "mean of grades": means,
    "recall": recalls,
    "accuracy": accuracies,
    "flag rate": rates,
}


def settings(kind: str) -> Iterator[tuple[int, int]]:
    sizes = (150, 300, 1000) if "clusters" in kind else (30, 100, 300)
    return itertools.product(sizes, (300, 3000))


def row(kind: str, n: int, more: int, replications: int) -> tuple[list[float], list[float], list[str]]:
    """Coverage of each truth, and the mean width of the corrected interval over people's."""
    held, widths, where = [], [], []
    for number, (prevalence, skill) in enumerate(itertools.product(PREVALENCES, SKILLS)):
        rng = np.random.default_rng([SEED, n, more, number])
        inside, ratios = [], []
        for _ in range(replications):
            truth, found = KINDS[kind](n, more, prevalence, skill, rng)
            own, alone = found.corrected, found.people
            if own.low is not None:
                inside.append(own.low <= truth <= own.high)
                ratios.append((own.high - own.low) / (alone.high - alone.low))
        if len(inside) > replications / 2:
            held.append(float(np.mean(inside)))
            widths.append(float(np.mean(ratios)))
            where.append(f"{prevalence} {skill}")
    return held, widths, where


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    given = parser.parse_args()
    print(
        "| figure | n, N | least / mean | within .93-.97 | width beside people's | least at |\n|---|---|---|---|---|---|"
    )
    for kind in given.kind or KINDS:
        for n, more in settings(kind):
            held, widths, where = row(kind, n, more, given.replications)
            within = np.mean([0.93 <= one <= 0.97 for one in held])
            least = where[int(np.argmin(held))]
            print(
                f"| {kind} | {n}, {more} | {min(held):.3f} / {np.mean(held):.3f} | {within:.2f} | {np.mean(widths):.2f} "
                f"| {least} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
