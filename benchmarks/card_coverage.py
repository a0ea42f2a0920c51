"""How often the intervals of a card's sections on certainty, draws and windows hold the truth.

Simulated with a fixed seed over truths of known calibration, steadiness and drift. Prints a Markdown table with the
least and the mean coverage of each figure by size:

    python benchmarks/card_coverage.py --replications 1000
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from karat.estimate import Estimate
from karat.statistics.calibration import miscalibration, risk_coverage_area
from karat.statistics.draws import components
from karat.statistics.windows import change_point

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


def of_numbers(correlation: float, draws: int) -> Setting:
    def made(random: np.random.Generator, n: int) -> Estimate:
        items = random.normal(size=(n, 1)) * np.sqrt(correlation)
        table = items + random.normal(size=(n, draws)) * np.sqrt(1 - correlation)
        return components(table.sum(axis=1, keepdims=True), (table**2).sum(axis=1), [draws] * n).correlation

    return f"correlation of draws, numbers, {correlation:g}, {draws} draws", correlation, made


def of_labels(concentration: float, labels: int, draws: int) -> Setting:
    """Each item's labels are drawn with probabilities of a Dirichlet distribution: correlation 1 / (1 + its sum)."""
    spread = np.full(labels, concentration)

    def made(random: np.random.Generator, n: int) -> Estimate:
        counts = random.multinomial(draws, random.dirichlet(spread, n))
        return components(counts.astype(float), [float(draws)] * n, [draws] * n).correlation

    truth = 1 / (1 + float(spread.sum()))
    return f"correlation of draws, {labels} labels, {truth:.2f}, {draws} draws", truth, made


def settings() -> Iterator[tuple[str, list[Setting]]]:
    beliefs = [(belief, bias) for belief in BELIEFS for bias in BIASES]
    yield "calibration error", [calibration(*one, 1) for one in beliefs]
    yield "calibration error, clusters of 5", [calibration(*one, 5) for one in beliefs]
    yield "area of accuracy against coverage", [area(*one, 1) for one in beliefs]
    yield "the same, clusters of 5", [area(*one, 5) for one in beliefs]
    yield "correlation of draws, numbers", [of_numbers(r, k) for r in (0.3, 0.6, 0.9) for k in (2, 3, 10)]
    yield (
        "correlation of draws, labels",
        [of_labels(a, labels, k) for labels in (2, 4) for a in (0.05, 0.2, 0.5) for k in (2, 3, 10)],
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
    parser.add_argument("--each", action="store_true", help="print every setting")
    given = parser.parse_args()
    print("| figure | " + " | ".join(f"n = {n}" for n in SIZES) + " |\n|---" + "|---" * len(SIZES) + "|")
    for name, listed in settings():
        found = np.array([[covered(one, n, given.replications) for n in SIZES] for one in listed])
        if given.each:
            for one, row in zip(listed, found, strict=True):
                print(f"  {one[0]}: {row.round(3).tolist()}")
        cells = " | ".join(
            f"{low:.3f} / {mean:.3f}" for low, mean in zip(found.min(axis=0), found.mean(axis=0), strict=True)
        )
        print(f"| {name} | {cells} |", flush=True)
    for windows in (2, 4, 12):
        alarms = " | ".join(f"{false_alarms(windows, n, given.replications):.3f}" for n in SIZES)
        print(f"| false alarms of a change, {windows} windows | {alarms} |", flush=True)


if __name__ == "__main__":
    main()
