"""How often the score interval of shares holds the truth where labels stand for unequal numbers of items.

    python benchmarks/stratified_score_coverage.py [--replications 2000] [--kind strata]

The truths and ways of drawing are those of prediction_powered_coverage.py, of which labels of 0 and 1 and a judge that says 0
or 1 leave only counts of four kinds in each stratum. So all samples of a setting are computed at once, and 70 of each kind are held
against `prediction_powered`, sample by sample (which has another interval where all labels happen to weigh the same). Prints a
Markdown table: coverage (least / mean over truths), the share of truths within .93 to .97, of the corrected share and of people's
alone. 20 seconds to 2 minutes a kind.
"""

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from prediction_powered_coverage import PREVALENCES, SEED, SKILLS

from adjudge.statistics.prediction_powered import prediction_powered
from adjudge.statistics.quantiles import critical_value

Array = NDArray[np.float64]
Z = critical_value(0.95)
SAID = np.array([0.0, 1.0])
SIZES = list(itertools.product((30, 100, 300), (300, 3000)))


@dataclass(frozen=True)
class Samples:
    """Counts: samples x strata x what the judge says. true, seen: labels of 1, and all; items; weight: of each label."""

    true: Array
    seen: Array
    items: Array
    weight: Array

    @cached_property
    def counts(self) -> Array:
        """How many items a label stands for."""
        if self.seen.shape[1] == 1:
            return self.weight
        return self.weight * self.items.sum(2, keepdims=True) / (self.seen * self.weight).sum(2, keepdims=True)

    @cached_property
    def whole(self) -> Array:
        """The weights of all labels."""
        return each((self.seen * self.counts).sum((1, 2)))

    @cached_property
    def share(self) -> Array:
        """People's."""
        return each((self.true * self.counts).sum((1, 2))) / self.whole

    @cached_property
    def rates(self) -> Array:
        """Of labels of 1."""
        return np.divide(self.true, self.seen, out=np.zeros_like(self.true), where=self.seen > 0)

    @cached_property
    def power(self) -> tuple[Array, Array]:
        """How far the judge is trusted, 0 where it gains nothing, and the corrected share."""
        n, m = (each(one.sum((1, 2))) for one in (self.seen, self.items))
        flagged, seen = (
            each((part * SAID).sum((1, 2))) for part in (self.items / m, self.seen * self.counts / self.whole)
        )
        spread = flagged * (1 - flagged) * m / (m - 1)
        parts = self.seen * self.counts / self.whole
        together = each((parts * (self.rates - self.share) * (SAID - seen)).sum((1, 2)))
        tuned = np.divide(together, spread * m / (m - n), out=np.zeros_like(spread), where=spread > 0)
        weight = np.clip(tuned, 0, 1) * m / (m - n)
        gains = self.variance(self.rates, self.share, weight) < self.variance(self.rates, self.share, 0 * weight)
        weight = np.where(gains, weight, 0)
        return weight, np.clip(self.share + weight * (flagged - seen), 0, 1)

    def variance(self, rates: Array, share: Array, weight: Array) -> Array:
        """Of the corrected share, if labels were 1 at these rates."""
        size, parts = each(self.items.sum((1, 2))), self.seen * self.counts
        left = (parts * (rates - share - weight * SAID)).sum(2, keepdims=True) / parts.sum(2, keepdims=True)
        told = weight * SAID + left
        apart = (told - each((self.items * told).sum((1, 2))) / size) / size
        free = 1 - self.counts / parts.sum(2, keepdims=True)

        def square(y: float) -> Array:
            return (apart + self.counts * (y - share - told) / self.whole) ** 2 / np.maximum(free, 1e-9)

        labelled = self.seen * (rates * square(1) + (1 - rates) * square(0))
        return each(((self.items - self.seen) * apart**2 + labelled).sum((1, 2)))

    def limits(self, *, corrected: bool) -> tuple[Array, Array]:
        """Of the corrected share, or of people's: by strata, and where weights follow the judge by what it says."""
        weight, value = self.power if corrected else (0 * self.share, self.share)
        by_judge = corrected | (self.seen.shape[1] == 1) & (np.ptp(self.counts, axis=2, keepdims=True) > 0)
        shares = self.items / each(self.items.sum((1, 2))) if corrected else self.seen * self.counts / self.whole
        empty = (self.seen == 0).any(2, keepdims=True) | ~by_judge
        n, x, a = (np.where(empty, one.sum(2, keepdims=True), one) for one in (self.seen, self.true, shares))
        found = []
        for side in (1, -1):
            low, high = np.full(value.shape, -12.0), np.full(value.shape, 25.0)
            for _ in range(45):
                middle = (low + high) / 2
                b = side * np.exp(middle) * a
                root = np.sqrt(np.maximum((n + b) ** 2 - 4 * b * x, 0))
                with np.errstate(divide="ignore", invalid="ignore"):
                    rates = np.clip(np.where(n + b > 0, 2 * x / (n + b + root), (n + b - root) / (2 * b)), 0, 1)
                share = each((shares * rates).sum((1, 2)))
                within = side * (value - share) <= Z * np.sqrt(self.variance(rates, share, weight)) + 1e-14
                low, high = np.where(within, middle, low), np.where(within, high, middle)
            found.append(share)
        return np.minimum(found[0], value)[:, 0, 0], np.maximum(found[1], value)[:, 0, 0]

    def checked(self, place: int) -> None:
        """That one sample has the same limits in the product."""
        y, f, w, s = [], [], [], []
        rest: list[tuple[int, int]] = []
        for stratum, said in np.ndindex(self.seen.shape[1:]):
            n, x, m = (int(one[place, stratum, said]) for one in (self.seen, self.true, self.items))
            y += [1] * x + [0] * (n - x)
            f, w, s = f + [said] * n, w + [float(self.weight[place, stratum, said])] * n, s + [stratum] * n
            rest += [(said, stratum)] * (m - n)
        others, strata = zip(*rest, strict=True)
        apart = {"strata": s, "other_strata": strata} if self.seen.shape[1] > 1 else {}
        found = prediction_powered(y, f, others, weights=w, bounds=(0, 1), **apart)
        for one, corrected in ((found.people, False), (found.corrected, True)):
            if found.people.method == "score":
                known = [float(limit[place]) for limit in self.limits(corrected=corrected and found.weight > 0)]
                np.testing.assert_allclose([one.low, one.high], known, atol=1e-6)


def each(values: Array) -> Array:
    return values[:, None, None]


def made(
    rng: np.random.Generator, times: int, sizes: list[int], shares: list[float], skill: tuple[float, float]
) -> Array:
    """All items: samples x strata x true labels x what the judge says."""
    drawn = []
    for size, share in zip(sizes, shares, strict=True):
        kinds = [(1 - share) * skill[1], (1 - share) * (1 - skill[1]), share * (1 - skill[0]), share * skill[0]]
        drawn.append(rng.multinomial(size, kinds, times).reshape(times, 2, 2))
    return np.stack(drawn, 1)


def some(rng: np.random.Generator, counts: Array, size: int) -> Array:
    """So many of each sample's items at random."""
    flat = counts.reshape(len(counts), -1)
    rest, left, found = flat.sum(1), np.full(len(flat), size), np.zeros_like(flat)
    for kind in range(flat.shape[1]):
        found[:, kind] = rng.hypergeometric(flat[:, kind], rest - flat[:, kind], left)
        left, rest = left - found[:, kind], rest - flat[:, kind]
    return found.reshape(counts.shape)


def stratified(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: tuple) -> tuple:
    """Half of the labels go to a tenth of the items, in which the label is three times as frequent."""
    size = n + more
    sizes, shares = [size - -(-size // 10), -(-size // 10)], [share, min(3 * share, 0.9)]
    items = made(rng, times, sizes, shares, skill)
    seen = np.stack([some(rng, items[:, one], min(n // 2, sizes[one])) for one in (0, 1)], 1)
    found = Samples(*(one.astype(float) for one in (seen[:, :, 1], seen.sum(2), items.sum(2))), np.ones((times, 2, 2)))
    return float(np.dot(sizes, shares)) / size, found


def weighted(rng: np.random.Generator, times: int, n: int, more: int, share: float, skill: tuple) -> tuple:
    """People label what the judge flags three times as often as the rest."""
    items = made(rng, times, [n + more], [share], skill)
    said = items.sum(2)
    chance = np.minimum([1.0, 3.0] * (n / (said @ [1, 3]))[:, :, None], 1)
    seen = rng.binomial(items, chance[:, :, None])
    return share, Samples(*(one.astype(float) for one in (seen[:, :, 1], seen.sum(2), said)), 1 / chance)


KINDS: dict[str, Callable[..., tuple]] = {"strata": stratified, "unequal weights": weighted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    given = parser.parse_args()
    print(
        "| figure | n, N | least / mean | within .93-.97 | least at | people's: least / mean | within |\n|---|---|---|---|---|---|---|"
    )
    for kind, (n, more) in itertools.product(given.kind or KINDS, SIZES):
        held, where = [], list(itertools.product(PREVALENCES, SKILLS))
        for number, (share, skill) in enumerate(where):
            truth, found = KINDS[kind](
                np.random.default_rng([SEED, n, more, number]), given.replications, n, more, share, skill
            )
            for place in range(2 if n == 30 and more == 300 else 0):
                found.checked(place)
            limits = [found.limits(corrected=one) for one in (True, False)]
            held.append([np.mean((low <= truth) & (truth <= high)) for low, high in limits])
        both = [
            f"{min(one):.3f} / {np.mean(one):.3f} | {np.mean([0.93 <= x <= 0.97 for x in one]):.2f}"
            for one in zip(*held, strict=True)
        ]
        least = where[int(np.argmin([one[0] for one in held]))]
        print(f"| {kind} | {n}, {more} | {both[0]} | {least} | {both[1]} |", flush=True)


if __name__ == "__main__":
    main()
