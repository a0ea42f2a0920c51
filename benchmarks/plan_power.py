"""The power that `adjudge plan` promises beside the share of simulated comparisons that find the difference.

Run: python benchmarks/plan_power.py [--replications 2000] [--seed 1]. For each row the items that the plan asks for are
drawn, compared as Adjudge compares runs, and the share of p-values below .05 is printed with its distance from the
planned power in standard errors. Of figures that are no shares a pilot of 4,000,000 items tells what items add to them.
"""

import argparse
import itertools
from collections.abc import Callable, Iterator
from functools import partial

import gate_error  # beside this file
import numpy as np
from numpy.typing import NDArray

from adjudge.metrics.cells import PairedCells
from adjudge.statistics.comparison import mcnemar_mid_p, paired_t
from adjudge.statistics.planning import (
    Design,
    clustered_design,
    fewest_items,
    paired_difference_power,
    paired_t_power,
    proportion_width,
)
from adjudge.statistics.proportions import clustered_proportion, proportion
from adjudge.statistics.strength import clustered_paired_difference

LEVEL = 0.05
INDEPENDENT = Design()
PILOT = 4_000_000
"""So many items tell a difference to a hundredth of it."""
Array = NDArray[np.float64]


def shares_found(
    items: int, difference: float, discordant: float, replications: int, seed: int, design: Design = INDEPENDENT
) -> float:
    """How often two judges are told apart by their shares, clustered as the design says."""
    generator = np.random.default_rng(seed)
    chances = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    if design.cluster_size is None:
        counts = generator.multinomial(items, chances, size=replications)[:, :2]
        pairs, times = np.unique(counts, axis=0, return_counts=True)
        p = np.array([mcnemar_mid_p(*pair) for pair in pairs.tolist()])
        return float(times[p < LEVEL].sum() / replications)
    size = round(design.cluster_size)
    shape = (replications, items // size, size)
    outcomes = alike(generator, shape, lambda shape: generator.choice([1.0, -1.0, 0.0], size=shape, p=chances), design)
    totals = np.full(shape[1], size)
    wins, losses = ((outcomes == side).sum(axis=2) for side in (1, -1))
    return share_below([clustered_paired_difference(*row, totals).p for row in zip(wins, losses, strict=True)])


def scores_found(
    items: int, difference: float, sd: float, replications: int, seed: int, design: Design = INDEPENDENT
) -> float:
    """How often two judges are told apart by the means of real-valued scores whose differences are normal."""
    generator = np.random.default_rng(seed)
    if design.cluster_size is None:
        drawn = generator.normal(difference, sd, size=(replications, items))
        return share_below([paired_t(row).p for row in drawn])
    size = round(design.cluster_size)
    icc = (design.effect - 1) / (size - 1)
    clusters = items // size
    common = generator.normal(difference, sd * np.sqrt(icc), size=(replications, clusters))
    own = generator.normal(0, sd * np.sqrt((1 - icc) * size), size=(replications, clusters))
    totals = np.full(clusters, size)
    return share_below([paired_t(row, totals=totals).p for row in size * common + own])


def widths_found(items: int, expected: float, replications: int, seed: int, design: Design = INDEPENDENT) -> Array:
    """The widths of intervals around a share of which so many items are drawn."""
    generator = np.random.default_rng(seed)
    if design.cluster_size is None:
        found = [proportion(int(s), items) for s in generator.binomial(items, expected, size=replications)]
    else:
        size = round(design.cluster_size)
        shape = (replications, items // size, size)
        right = alike(generator, shape, lambda shape: generator.binomial(1, expected, size=shape), design).sum(axis=2)
        found = [clustered_proportion(row, np.full(len(row), size)) for row in right]
    return np.array([(one.high or 0) - (one.low or 0) for one in found])


def alike(generator, shape, draw, design) -> Array:  # noqa: ANN001 - arrays of a shape
    """Outcomes whose items share their cluster's with the probability that makes the correlation the design's."""
    icc = (design.effect - 1) / (design.cluster_size - 1)
    both = generator.random(shape) < np.sqrt(icc)
    return np.where(both, draw((*shape[:2], 1)), draw(shape))


def share_below(p_values: list[float | None]) -> float:
    return float(np.mean([p is not None and p < LEVEL for p in p_values]))


DESIGNS = {"independent": INDEPENDENT, "5 x .2": clustered_design(5, 0.2), "10 x .1": clustered_design(10, 0.1)}


def rows(replications: int, seed: int) -> Iterator[tuple[str, int, float, float]]:
    """Each question: its name, the items, the planned and the simulated power."""
    truths = [(0.02, 0.05), (0.05, 0.1), (0.05, 0.3), (0.1, 0.12), (0.1, 0.4), (0.2, 0.3)]
    for (name, design), (difference, discordant), power in itertools.product(DESIGNS.items(), truths, (0.5, 0.8, 0.95)):

        def planned(n: int, truth=(difference, discordant), design=design) -> float:  # noqa: ANN001
            return paired_difference_power(n, *truth, design=design)

        items = fewest_items(lambda n: planned(n) >= power, design=design, steady=not design.independent)  # noqa: B023
        found = shares_found(items, difference, discordant, replications, seed, design)
        yield f"shares {difference} of {discordant} discordant, {name}", items, planned(items), found
    for (name, design), (difference, power) in itertools.product(
        DESIGNS.items(), itertools.product((0.1, 0.3, 1.0), (0.5, 0.8, 0.95))
    ):

        def promised(n: int, difference=difference, design=design) -> float:  # noqa: ANN001
            return paired_t_power(n, difference, 1, design=design)

        items = fewest_items(lambda n: promised(n) >= power, design=design)  # noqa: B023
        found = scores_found(items, difference, 1, replications, seed, design)
        yield f"scores {difference} sd, {name}", items, promised(items), found


def of_labels(n: int, draw: np.random.Generator) -> gate_error.Made:
    """Two systems of which the first knows 60 % of the labels and the second, on other items, 69 %."""
    return gate_error.labels(n, draw, known=[draw.random(n), 0.87 * draw.random(n)])


FIGURES: dict[str, tuple[Callable[..., object], Callable[..., gate_error.Made]]] = {
    **{
        name: (gate_error.figure("preferences", name), of_labels) for name in ("balanced_accuracy", "macro_f1", "kappa")
    },
    **{
        f"F1 of violations ({name})": (
            gate_error.figure("violations", "f1", average=name),
            partial(gate_error.texts, missed=(1.0, 0.8)),
        )
        for name in ("micro", "macro")
    },
}


def _with_both(of: gate_error.Metric, pairs: PairedCells) -> PairedCells:
    """The rows on which both runs have the figure, on which a difference rests."""
    counted = of.counted_states(pairs.states)
    both = counted[pairs.first] & counted[pairs.second]
    return PairedCells(pairs.states, pairs.first[both], pairs.second[both], pairs.counts[both])


def figures(replications: int, seed: int) -> Iterator[tuple[str, int, float, float]]:
    """Figures that are no shares: as `rows`."""
    for (name, (of, make)), power in itertools.product(FIGURES.items(), (0.5, 0.8, 0.95)):
        generator = np.random.default_rng(seed)
        states, sides = make(PILOT, generator)
        pairs = _with_both(of, PairedCells(states, *sides))
        one, other = (of.linearise(states, counts) for counts in pairs.totals)
        moved = other.influence[pairs.second] - one.influence[pairs.first]
        sd, difference = float(np.sqrt(PILOT * (pairs.counts * moved**2).sum())), other.value - one.value

        def planned(n: int, difference: float = difference, sd: float = sd) -> float:
            return paired_t_power(n, difference, sd)

        items = fewest_items(lambda n: planned(n) >= power)  # noqa: B023
        found = share_below([gate_error.compared(of, *make(items, generator)).p for _ in range(replications)])
        yield f"{name}, {difference:.3f}", items, planned(items), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    away: dict[str, list[float]] = {}
    print(f"{'question':48} {'items':>6} {'planned':>8} {'found':>7} {'se away':>8}")
    asked = (options.replications, options.seed)
    for name, items, planned, found in itertools.chain(rows(*asked), figures(*asked)):
        error = np.sqrt(planned * (1 - planned) / options.replications)
        kind = name.split(",")[0] if name.split(",")[0] in FIGURES else f"{name.split()[0]}, {name.split(', ')[1]}"
        away.setdefault(kind, []).append(found - planned)
        print(f"{name:48} {items:6} {planned:8.4f} {found:7.4f} {(found - planned) / error:8.2f}")
    print("\nfound less planned: mean, least, most")
    for name, gaps in away.items():
        print(f"{name:30} {np.mean(gaps):8.4f} {min(gaps):8.4f} {max(gaps):8.4f}")
    print("\nwidths around a share: planned, mean, share that is at most a twentieth wider")
    for (name, design), expected in itertools.product(DESIGNS.items(), (0.5, 0.8, 0.95)):
        items = fewest_items(lambda n: proportion_width(n, expected, design=design) <= 0.1, design=design)  # noqa: B023
        planned = proportion_width(items, expected, design=design)
        widths = widths_found(items, expected, options.replications, options.seed, design)
        near = np.mean(widths <= 1.05 * planned)
        print(f"{expected} {name:14} {items:6} {planned:.4f} {widths.mean():.4f} {near:.3f}")


if __name__ == "__main__":
    main()
