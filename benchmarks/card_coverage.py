"""How often the intervals of a card's sections on certainty, draws and windows hold the truth.

Simulated with a fixed seed over truths of known calibration, steadiness and drift. Prints a Markdown table with the
least and the mean coverage of each figure by size:

    python benchmarks/card_coverage.py --replications 1000
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

import adjudge
from adjudge.estimate import Estimate
from adjudge.evaluations.card.tables import JUDGE_VALUE, PEOPLE_VALUE, contrast_slopes
from adjudge.statistics.calibration import miscalibration, risk_coverage_area
from adjudge.statistics.intraclass import components
from adjudge.statistics.scores import change_point, mean_change

Array = NDArray[np.float64]
SEED = 20261122
SIZES = (30, 100, 300, 1000)
Made = Callable[[np.random.Generator, int], Estimate]
Setting = tuple[str, float, Made]
"""The name of a setting, the truth, and an estimate of a made-up sample."""

BELIEFS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "even": lambda random, n: random.uniform(0.5, 1.0, n),
    "sure": lambda random, n: random.beta(9, 1, n),
    "few values": lambda random, n: random.choice([0.6, 0.8, 0.9, 0.95, 1.0], n, p=[0.1, 0.2, 0.3, 0.3, 0.1]),
}
BIASES = (0.0, 0.05, 0.15)


def labelled(random: np.random.Generator, belief: str, bias: float, n: int, size: int = 1) -> tuple[Array, Array]:
    """Certainties and whether labels are right, less often than they say by `bias`; clusters of a size share a draw."""
    sure = BELIEFS[belief](random, n)
    luck = np.repeat(random.uniform(size=-(-n // size)), size)[:n] if size > 1 else random.uniform(size=n)
    mixed = np.where(random.uniform(size=n) < 0.5, luck, random.uniform(size=n)) if size > 1 else luck
    return sure, (mixed < np.clip(sure - bias, 0.0, 1.0)).astype(float)


def clusters(n: int, size: int) -> NDArray[np.int64] | None:
    return np.arange(n) // size if size > 1 else None


def calibration(belief: str, bias: float, size: int) -> Setting:
    """The truth is that of the bins of a very large sample."""
    truth = miscalibration(*labelled(np.random.default_rng(1), belief, bias, 1_000_000)).corrected.value or 0.0

    def made(random: np.random.Generator, n: int) -> Estimate:
        return miscalibration(*labelled(random, belief, bias, n, size), clusters(n, size)).corrected

    return f"calibration error, {belief}, {bias:g} too sure, clusters of {size}", truth if bias else 0.0, made


def area(belief: str, bias: float, size: int) -> Setting:
    truth = risk_coverage_area(*labelled(np.random.default_rng(1), belief, bias, 1_000_000)).value or 0.0

    def made(random: np.random.Generator, n: int) -> Estimate:
        return risk_coverage_area(*labelled(random, belief, bias, n, size), clusters(n, size))

    return f"area, {belief}, {bias:g} too sure, clusters of {size}", truth, made


def of_numbers(correlation: float, draws: int, *, skewed: bool = False) -> Setting:
    """skewed: items are lognormal."""

    def made(random: np.random.Generator, n: int) -> Estimate:
        items = random.normal(size=(n, 1))
        if skewed:
            items = (np.exp(items) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)
        items = items * np.sqrt(correlation)
        table = items + random.normal(size=(n, draws)) * np.sqrt(1 - correlation)
        return components(table.sum(axis=1, keepdims=True), (table**2).sum(axis=1), [draws] * n).correlation

    return f"correlation of draws, numbers, {correlation:g}, {draws} draws", correlation, made


def of_labels(spread: tuple[float, ...], draws: int) -> Setting:
    """Each item's labels are drawn with probabilities of a Dirichlet distribution: correlation 1 / (1 + its sum)."""

    def made(random: np.random.Generator, n: int) -> Estimate:
        counts = random.multinomial(draws, random.dirichlet(spread, n))
        return components(counts.astype(float), [float(draws)] * n, [draws] * n).correlation

    truth = 1 / (1 + sum(spread))
    return f"correlation of draws, {len(spread)} labels, {truth:.2f}, {draws} draws", truth, made


def bias(share: float, shift: float, people: int, size: int) -> Setting:
    """A judge gives a label to items more often than people by a shift; items differ in how often people give it."""

    def made(random: np.random.Generator, n: int) -> Estimate:
        groups = -(-n // size)
        likely = np.repeat(random.beta(2 * share, 2 * (1 - share), groups), size)[:n]
        given = random.uniform(size=n) < likely * (1 - shift) + shift
        theirs = random.binomial(people, likely) / people
        return mean_change((given - theirs).round(12), clusters(n, size)).estimate

    return f"bias, share {share:g}, shift {shift:g}, {people} people, clusters of {size}", shift * (1 - share), made


def slope(lengths: str, size: int) -> Setting:
    """How much a judge's label less people's rises with the length of a text, over doublings."""

    def made(random: np.random.Generator, n: int) -> Estimate:
        along = random.normal(8, 1, n) if lengths == "normal" else random.exponential(1, n) + 5
        noise = np.repeat(random.normal(0, 0.5, -(-n // size)), size)[:n] + random.choice([-1, 0, 0, 1], n)
        found = contrast_slopes(
            pl.DataFrame({JUDGE_VALUE: 0.2 * along + noise, PEOPLE_VALUE: np.zeros(n)}), along, 0.95, ""
        )
        return found.change.estimate

    return f"slope, {lengths} lengths", 0.2, made


def settings() -> Iterator[tuple[str, list[Setting]]]:
    beliefs = [(belief, bias) for belief in BELIEFS for bias in BIASES]
    yield "calibration error", [calibration(*one, 1) for one in beliefs]
    yield "calibration error, clusters of 5", [calibration(*one, 5) for one in beliefs]
    yield "area of accuracy against coverage", [area(*one, 1) for one in beliefs]
    yield "the same, clusters of 5", [area(*one, 5) for one in beliefs]
    biases = [(share, shift, k) for share in (0.05, 0.3, 0.5) for shift in (0.0, 0.1) for k in (1, 3)]
    yield "bias of a share beside people", [bias(*one, 1) for one in biases]
    yield "the same bias, clusters of 5", [bias(*one, 5) for one in biases]
    yield "bias of a slope", [slope(lengths, 1) for lengths in ("normal", "exponential")]
    yield "correlation of draws, numbers", [of_numbers(r, k) for r in (0.3, 0.6, 0.9) for k in (2, 3, 10)]
    yield (
        "correlation of draws, labels",
        [of_labels((a,) * labels, k) for labels in (2, 4) for a in (0.05, 0.2, 0.5) for k in (2, 3, 10)],
    )


def covered(setting: Setting, n: int, replications: int) -> float:
    """The share of defined intervals that hold the truth."""
    _, truth, made = setting
    inside = []
    for nth in range(replications):
        found = made(np.random.default_rng([SEED, n, nth]), n)
        if found.low is not None and found.high is not None:
            inside.append(found.low - 1e-9 <= truth <= found.high + 1e-9)
    return float(np.mean(inside))


def less_sure(people: int, items: int, replications: int) -> tuple[float, float]:
    """How often a judge whose confidence is the agreement of single annotators is significantly underconfident (p < .05).

    By single annotators, and by the label of most. Items differ in how often annotators say yes.
    """
    random, against_single, against_most = np.random.default_rng([SEED, people, items]), [], []
    for _ in range(replications):
        likely = random.uniform(0.05, 0.95, items)
        yes = random.random((items, people + 1)) < likely[:, None]
        names = [*(f"person {nth}" for nth in range(people)), "judge"]
        table = pl.DataFrame(
            {
                "item": np.repeat(np.arange(items), people + 1),
                "annotator": names * items,
                "label": np.where(yes, "yes", "no").ravel(),
                "sure": np.where(yes, likely[:, None], 1 - likely[:, None]).ravel(),
            }
        )
        report = adjudge.card(table, judges="judge", confidence_column="sure", examples=0)
        for metric, found in (("overconfidence_single", against_single), ("overconfidence", against_most)):
            gap = report["certainty"].row(by_predicate=pl.col("metric") == metric, named=True)
            found.append(gap["value"] < 0 and gap["p"] < 0.05)
    return float(np.mean(against_single)), float(np.mean(against_most))


def false_alarms(windows: int, n: int, replications: int) -> float:
    """How often a change is said to be there (p < .05) of a judge that does not drift and is right by chance alone."""
    found = 0
    for nth in range(replications):
        random = np.random.default_rng([SEED, windows, n, nth])
        hard = random.beta(4, 1, (n, 1))
        change = change_point((random.uniform(size=(n, windows)) < hard).astype(float))
        found += change is not None and change.found.p is not None and change.found.p < 0.05
    return found / replications


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--only", default="", help="the figures whose names hold this")
    parser.add_argument("--each", action="store_true", help="print every setting")
    given = parser.parse_args()
    print("| figure | " + " | ".join(f"n = {n}" for n in SIZES) + " |\n|---" + "|---" * len(SIZES) + "|")
    for name, listed in settings():
        if given.only not in name:
            continue
        found = np.array([[covered(one, n, given.replications) for n in SIZES] for one in listed])
        if given.each:
            for one, row in zip(listed, found, strict=True):
                print(f"  {one[0]}: {row.round(3).tolist()}")
        cells = " | ".join(
            f"{low:.3f} / {mean:.3f}" for low, mean in zip(found.min(axis=0), found.mean(axis=0), strict=True)
        )
        print(f"| {name} | {cells} |", flush=True)
    for windows in (2, 4, 12) if not given.only else ():
        alarms = " | ".join(f"{false_alarms(windows, n, given.replications):.3f}" for n in SIZES)
        print(f"| false alarms of a change, {windows} windows | {alarms} |", flush=True)


if __name__ == "__main__":
    main()
