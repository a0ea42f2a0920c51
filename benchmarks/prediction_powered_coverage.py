"""How often intervals of people's figures sharpened by a judge contain the truth, and how wide they are beside people's.

    python benchmarks/prediction_powered_coverage.py [--replications 1000] [--kind strength]

People label n items and a judge all n + N; both are drawn from a known truth: how often items have a label, and how often the
judge says so where it is right to and where it is not. All samples of a setting are computed at once, and some of each kind are
held against `prediction_powered`. Prints a Markdown table: coverage (least / mean over truths), the share of truths within .93
to .97, coverage of people's labels alone, and the mean width over that of these. The judge's skills and prevalences are none of
those among which the interval was chosen (see docs/formulas.md). Strata and unequal weights are in
stratified_score_coverage.py. Goal: a mean of .93 to .97 in each row. Half a minute a kind.
"""

import argparse
import itertools
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.estimate import Estimate
from adjudge.statistics.prediction_powered import prediction_powered, true_rate
from adjudge.statistics.quantiles import critical_value

Array = NDArray[np.float64]
Skill = tuple[float, float]
SEED = 20241122
SKILLS = [(0.5, 0.5), (0.6, 0.6), (0.8, 0.8), (0.9, 0.9), (0.95, 0.95), (0.7, 0.95), (0.95, 0.7)]
"""How often the judge is right on items with the label, and on those without."""
PREVALENCES = [0.03, 0.08, 0.2, 0.4, 0.6]
AT_ONCE, CHECKED, SIZE, ICC = 250, 2, 5, 0.2


class Samples(NamedTuple):
    """Samples x units x items of each: y, x: of those that people labelled; f: of all, these first."""

    truth: float
    y: Array
    f: Array
    x: Array
    bounds: tuple[float, float] | None = (0.0, 1.0)


def labels(rng: np.random.Generator, truth: Array, skill: Skill) -> Array:
    """What the judge says of items that have the label or have it not."""
    right = rng.random(truth.shape) < np.where(truth == 1, *skill)
    return np.where(right, truth, 1 - truth)


def clustered(rng: np.random.Generator, times: int, items: int, share: float) -> Array:
    """Labels of items in clusters: a beta distribution of shares with that intraclass correlation."""
    spread = (1 - ICC) / ICC
    shares = rng.beta(share * spread, (1 - share) * spread, (times, items // SIZE, 1))
    return (rng.random((times, items // SIZE, SIZE)) < shares).astype(float)


def drawn(rng: np.random.Generator, times: int, items: int, share: float) -> Array:
    return (rng.random((times, items, 1)) < share).astype(float)


def shares(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    truth = drawn(rng, times, n + more, share)
    return Samples(share, truth[:, :n], labels(rng, truth, skill), np.ones((times, n, 1)))


def by_two(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """Two people label each item, each right in .95."""
    truth = drawn(rng, times, n + more, share)
    people = np.mean([labels(rng, truth[:, :n], (0.95, 0.95)) for _ in range(2)], axis=0)
    return Samples(0.05 + 0.9 * share, people, labels(rng, truth, skill), np.ones((times, n, 1)))


def in_clusters(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    truth = clustered(rng, times, n + more, share)
    own = truth[:, : n // SIZE]
    return Samples(share, own, labels(rng, truth, skill), np.ones(own.shape))


def errors_too(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """The judge's errors hang together in clusters as much as the labels do."""
    truth, *right = (clustered(rng, times, n + more, one) for one in (share, *skill))
    own = truth[:, : n // SIZE]
    return Samples(share, own, np.where(truth == 1, right[0], 1 - right[1]), np.ones(own.shape))


def strengths(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """Wins, ties (a fifth) and losses, of which the judge takes some for others."""
    truth, others = (
        rng.choice([1.0, 0.0, -1.0], (times, n + more, 1), p=[0.8 * share, 0.2, 0.8 * (1 - share)]) for _ in range(2)
    )
    said = np.where(rng.random(truth.shape) < skill[0], truth, others)
    return Samples(0.8 * (2 * share - 1), truth[:, :n], said, np.ones((times, n, 1)), (-1.0, 1.0))


def means(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """Grades from 1 to 5, and a judge that is off by a grade or two."""
    chances = np.array([1, 2, 3, 2, 1]) * np.array([1, 1, 1, share, share])
    grades, shape = np.arange(1.0, 6.0), (times, n + more, 1)
    truth = rng.choice(grades, shape, p=chances / chances.sum())
    off = rng.choice([0, 1, 1, 2], shape) * (rng.random(shape) > skill[0])
    mean = float(grades @ chances / chances.sum())
    return Samples(mean, truth[:, :n], np.clip(truth + off, 1, 5), np.ones((times, n, 1)), None)


def recalls(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """How many of the items with the label the judge finds: a ratio whose denominator people alone know."""
    truth = drawn(rng, times, n + more, share)
    said = labels(rng, truth, skill)
    return Samples(skill[0], (truth * said)[:, :n], said, truth[:, :n])


def accuracies(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: Skill) -> Samples:
    """How often the judge is right; its labels tell how often it gives the one on which it errs more."""
    truth = drawn(rng, times, n + more, share)
    said = labels(rng, truth, skill)
    right = (truth == said).astype(float)[:, :n]
    expected = np.empty(said.shape)
    for label in (0, 1):
        given = said == label
        sums = np.broadcast_to((right * given[:, :n]).sum(1, keepdims=True), said.shape).copy()
        sizes = np.broadcast_to(given[:, :n].sum(1, keepdims=True), said.shape).astype(float)
        sums[:, :n] -= right
        sizes[:, :n] -= 1
        mean = np.broadcast_to(right.mean(1, keepdims=True), said.shape).copy()
        expected = np.where(given, np.divide(sums, sizes, out=mean, where=sizes > 0), expected)
    return Samples(share * skill[0] + (1 - share) * skill[1], right, expected, np.ones((times, n, 1)))


KINDS: dict[str, Callable[..., Samples]] = {
    "share": shares,
    "share, two people an item": by_two,
    "share, clusters of 5, ICC .2": in_clusters,
    "share, clusters of 5, ICC .2, of errors too": errors_too,
    "strength": strengths,
    "mean of grades": means,
    "recall": recalls,
    "accuracy": accuracies,
}
FLAG_RATE = "flag rate"


@cache
def critical(degrees: float) -> float:
    return critical_value(0.95, degrees) if degrees else critical_value(0.95)


def each(values: Array) -> Array:
    return values[:, None, None]


def both_limits(given: Samples) -> tuple[Array, Array, Array]:
    """Limits of people's figure and of the corrected one (samples x 2 x 2), and how many units of labels there are."""
    low, span = (0.0, 1.0) if given.bounds is None else (given.bounds[0], given.bounds[1] - given.bounds[0])
    x, every = given.x, given.f / span
    y, f = (given.y - low * x) / span, every[:, : x.shape[1]]
    n, items, total = x[0].size, every[0].size, x.sum((1, 2))
    value = y.sum((1, 2)) / total
    e = y - each(value) * x
    sizes, moment = x.sum(2) / total[:, None], (e * (f - f.mean((1, 2), keepdims=True))).mean((1, 2))
    spread = every.var((1, 2), ddof=1)
    known = spread > 1e-14
    tuned = np.divide(moment, items / (items - n) * spread, out=np.zeros(len(x)), where=known)
    weight = np.clip(tuned, 0, 1) * items / (items - n)

    def variance(w: Array) -> Array:
        left = e - each(w) * f
        means = left.mean((1, 2), keepdims=True)
        added = each(w) * (every - every.mean((1, 2), keepdims=True)) / items
        added[:, : x.shape[1]] += (left - means) / n
        squares = added.sum(2) ** 2
        squares[:, : x.shape[1]] /= 1 - sizes
        return squares.sum(1) * (n / total) ** 2

    alone, together = variance(0 * weight), variance(weight)
    weight, units = np.where(together < alone, weight, 0), np.count_nonzero(sizes, axis=1)
    whole = np.isin(y, (0, 1)).all((1, 2))
    worth = 1 / (sizes**2).sum(1)
    error = 2 * alone * worth if given.bounds is None else np.where(whole, 1, 0.125)
    heaviest = sizes.max(1) * x.max((1, 2)) / total * units / (units - 1)
    together = np.minimum(together + 0.5 * heaviest * error, alone)
    moved = weight * (every.mean((1, 2)) - f.mean((1, 2))) * n / total
    labelled = np.count_nonzero(x, axis=(1, 2))
    plain = whole & (x.shape[2] == 1) & (given.bounds is not None)
    times = np.where(plain, 0.0, units - 1)
    z = np.array([critical(float(one)) for one in times])
    found = []
    for point, v, most in (
        (value, alone, labelled),
        (value + moved, together, np.where(weight > 0, items * labelled // n, labelled)),
    ):
        if given.bounds is None:
            found.append([point - z * np.sqrt(v), point + z * np.sqrt(v)])
            continue
        place = np.clip(point, 0, 1)
        varies = (v > 1e-14) & (place > 0) & (place < 1)
        size = np.divide(place * (1 - place), v, out=worth.copy(), where=varies)
        size = np.where(plain & varies, size * worth / (worth - 1), size)
        size = np.minimum(size, np.where(whole, 1, 4) * most)
        middle, half = place + z**2 / (2 * size), z * np.sqrt(place * (1 - place) / size + (z / size / 2) ** 2)
        found.append([low + span * (middle + side * half) / (1 + z**2 / size) for side in (-1, 1)])
    return *(np.stack(one, 1) for one in found), units


def checked(given: Samples, place: int, found: Array) -> None:
    """That the product has the same limits of one sample, people's and the corrected ones."""
    y, f, x = (one[place].ravel() for one in (given.y, given.f, given.x))
    n, hung = len(y), {}
    if given.x.shape[2] > 1:
        units = np.arange(len(f)) // given.x.shape[2]
        hung = {"units": units[:n], "other_units": units[n:]}
    own = prediction_powered(y, f[:n], f[n:], totals=x, bounds=given.bounds, **hung)
    known = [[one.low, one.high] for one in (own.people, own.corrected)]
    np.testing.assert_allclose(found, known, atol=1e-9)


def covered(kind: str, n: int, more: int, share: float, skill: Skill, times: int) -> tuple[Array, Array] | None:
    """Of each sample whether people's interval and the corrected one hold the truth, and how wide they are."""
    rng, inside, widths = (
        np.random.default_rng([SEED, n, more, int(1000 * share), *(int(100 * s) for s in skill)]),
        [],
        [],
    )
    for begun in range(0, times, AT_ONCE):
        given = KINDS[kind](rng, min(AT_ONCE, times - begun), n, more, share, skill)
        enough = np.count_nonzero(given.x.sum(2), axis=1) > 1
        given = given._replace(y=given.y[enough], f=given.f[enough], x=given.x[enough])
        *limits, _ = both_limits(given)
        for place in range(0 if begun else min(CHECKED, len(given.y))):
            checked(given, place, np.stack([one[place] for one in limits]))
        inside.append([(one[:, 0] <= given.truth) & (given.truth <= one[:, 1]) for one in limits])
        widths.append([one[:, 1] - one[:, 0] for one in limits])
    held = np.concatenate(inside, 1)
    return None if held.shape[1] <= times / 2 else (held, np.concatenate(widths, 1))


def flag_rates(n: int, more: int, share: float, skill: Skill, times: int) -> Array:
    """The rate of a label among items that the judge alone labelled, where people labelled as many with it as without."""
    rng, inside = np.random.default_rng([SEED, n, more, int(1000 * share), *(int(100 * s) for s in skill)]), []
    flagged = share * skill[0] + (1 - share) * (1 - skill[1])
    half = n // 2
    for rest, hits, right in zip(
        rng.binomial(more, flagged, times), *(rng.binomial(half, one, times) for one in skill), strict=True
    ):
        found = true_rate(int(rest), more, int(hits), half, int(right), half)
        if found.low is not None:
            inside.append(found.low <= share <= found.high)
    return np.array(inside)


NUMBERS: dict[str, tuple[float, Callable[[np.random.Generator, int], Array]]] = {
    "lognormal": (float(np.exp(1.2**2 / 2)), lambda rng, size: rng.lognormal(0, 1.2, size)),
    "mostly 0": (0.1, lambda rng, size: rng.exponential(1.0, size) * (rng.random(size) < 0.1)),
    "normal": (0.0, lambda rng, size: rng.normal(size=size)),
    "gamma": (2.0, lambda rng, size: rng.gamma(2.0, size=size)),
}
"""Distributions of numbers without bounds, and their means."""


def of_numbers(name: str, n: int, noise: float, times: int) -> tuple[float, list[Estimate]]:
    """The mean and its corrected estimates, from n labels and a judge that is off by a part of their spread."""
    rng = np.random.default_rng([SEED, n, int(10 * noise), *name.encode()])
    truth, draw = NUMBERS[name]
    estimates = []
    for _ in range(times):
        y = draw(rng, n + 1000)
        f = y + rng.normal(size=y.shape) * noise * y.std()
        estimates.append(prediction_powered(y[:n], f[:n], f[n:]).corrected)
    return truth, estimates


def rows(kinds: list[str], times: int) -> Iterator[str]:
    truths = list(itertools.product(PREVALENCES, SKILLS))
    for kind in kinds:
        sizes = (150, 300, 1000) if "clusters" in kind else (30, 100, 300)
        for n, more in itertools.product(sizes, (300, 3000)):
            if kind == FLAG_RATE:
                found = [flag_rates(n, more, *truth, times) for truth in truths]
                held, beside = [one.mean() for one in found if len(one) > times / 2], "| |"
            else:
                both = [one for truth in truths if (one := covered(kind, n, more, *truth, times)) is not None]
                alone, held = ([float(one[0][side].mean()) for one in both] for side in (0, 1))
                narrower = np.mean([np.mean(one[1][1] / one[1][0]) for one in both])
                beside = f"{min(alone):.3f} / {np.mean(alone):.3f} | {narrower:.2f} |"
            within = np.mean([0.93 <= one <= 0.97 for one in held])
            yield f"| {kind} | {n}, {more} | {min(held):.3f} / {np.mean(held):.3f} | {within:.2f} | {beside}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--kind", choices=[*KINDS, FLAG_RATE], action="append")
    given = parser.parse_args()
    print(
        "| figure | n, N | least / mean | within .93-.97 | people's: least / mean | width beside people's |\n"
        "|---|---|---|---|---|---|"
    )
    for row in rows(given.kind or [*KINDS, FLAG_RATE], given.replications):
        print(row, flush=True)


if __name__ == "__main__":
    main()
