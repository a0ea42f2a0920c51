"""How often intervals of agreement among raters contain the truth: over items, and over items and raters.

Items have a true label that raters of differing skill find, or miss in ways of their own; some items are hard, so that
all guess. The truth is the figure of all items of a large population and, over items and raters, of all its raters.
Prints Markdown tables; two minutes for 200 replications:

    python benchmarks/agreement_coverage.py --replications 200
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.statistics.raters import (
    PAIR,
    Coefficient,
    GivenLabels,
    LabelRatings,
    Level,
    agreement_interval,
    disputed_items,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    two_way_estimate,
)

SEED = 20261122
FIGURES: dict[str, Callable[[LabelRatings, Level], Coefficient]] = {
    "alpha": krippendorff_alpha,
    "Gwet's AC": gwet_ac,
    "Fleiss' kappa": fleiss_kappa,
    "percent agreement": percent_agreement,
}
SIZES = (30, 100, 300)
RATERS = (3, 5, 10)
HARD = 0.15
PRIORS = {
    "two labels": (0.5, 0.5),
    "two labels, one rare": (0.95, 0.05),
    "three labels": (0.5, 0.3, 0.2),
    "five labels": (0.3, 0.3, 0.2, 0.15, 0.05),
}
SKILLS = (0.6, 0.8, 0.95)
Table = NDArray[np.int64]
"""Labels of items in rows by raters in columns; -1 where there is none."""


class Truth(NamedTuple):
    """A population. prior: shares of true labels. skill: of raters, on average. missing: the share of labels.

    guess: the share of raters who give any label.
    """

    prior: Sequence[float]
    skill: float
    missing: float = 0.0
    guess: float = 0.0


def population(truth: Truth, items: int, raters: int, level: Level, draw: np.random.Generator) -> Table:
    """Labels of all raters for all items."""
    labels = len(truth.prior)
    right = draw.choice(labels, items, p=truth.prior)
    hard = draw.random(items) < HARD
    table = np.empty((items, raters), np.int64)
    for rater, skill in enumerate(draw.beta(10 * truth.skill, 10 * (1 - truth.skill), raters)):
        wrong = draw.choice(labels, items, p=draw.dirichlet(np.full(labels, 2.0)))
        if level != "nominal":
            near = np.clip(right + draw.choice([-1, 1], items), 0, labels - 1)
            wrong = np.where(hard, wrong, near)
        table[:, rater] = np.where((draw.random(items) < skill) & ~hard, right, wrong)
        if rater < truth.guess * raters:
            table[:, rater] = draw.integers(labels, size=items)
    table[draw.random(table.shape) < truth.missing] = -1
    return table


def given_of(table: Table) -> GivenLabels:
    """Labels as statistics take them."""
    items, raters = np.nonzero(table >= 0)
    held, labels = np.unique(table[items, raters], return_inverse=True)
    cells, rows, counts = np.unique(items * len(held) + labels, return_inverse=True, return_counts=True)
    times = np.ones(len(table))
    ratings = LabelRatings(cells // len(held), cells % len(held), counts.astype(float), times, held.astype(float))
    return GivenLabels(ratings, rows, raters)


def over_items(found: Coefficient, ratings: LabelRatings, level: Level) -> Estimate:
    """The interval over items alone."""
    sizes = (ratings.raters >= PAIR).astype(float)
    rest = {"disputed": disputed_items(ratings), "nominal": level == "nominal"}
    return agreement_interval(found, found.influence, sizes, ratings.times, **rest)


Held = defaultdict[tuple[str, bool, int, int], list[float]]
"""Figure, whether over raters too, raters and items -> the coverage of each truth."""


def coverage(level: Level, replications: int) -> Held:
    """Of all truths."""
    found: Held = defaultdict(list)
    settings = [Truth(prior, skill) for prior in PRIORS.values() for skill in SKILLS]
    settings += [Truth(PRIORS["three labels"], 0.8, 0.4)]
    for place, truth in enumerate(settings):
        if level == "nominal" or len(truth.prior) > PAIR:
            draw = np.random.default_rng([SEED, place])
            for key, inside in _of_truth(truth, level, replications, draw).items():
                found[key].append(float(np.mean(inside)))
    return found


def with_guessers(share: float, raters: int, items: int, replications: int) -> list[float]:
    """The coverage of every coefficient over items and raters, of whom a share guesses."""
    found = []
    for place, prior in enumerate(((0.5, 0.5), (0.4, 0.3, 0.3), (0.8, 0.2))):
        draw = np.random.default_rng([SEED, place, raters])
        everyone = population(Truth(prior, 0.9, guess=share), 2000, 200, "nominal", draw)
        whole = given_of(everyone).ratings
        samples = [
            given_of(everyone[draw.integers(len(everyone), size=items)][:, draw.permutation(200)[:raters]])
            for _ in range(replications)
        ]
        for figure in FIGURES.values():
            right = figure(whole, "nominal").value
            estimates = [two_way_estimate(figure, sample, "nominal") for sample in samples]
            found.append(float(np.mean([one.low <= right <= one.high for one in estimates])))
    return found


def of_grades(labels: int, items: int, replications: int) -> tuple[float, list[Estimate]]:
    """Gwet's AC2 of so many grades, the outermost of which are the rarest, and its estimates over items."""
    draw = np.random.default_rng([SEED, labels, items])
    near = np.exp(-(np.linspace(-3, 3, labels) ** 2))
    everyone = population(Truth(near / near.sum(), 0.8), 20_000, 3, "ordinal", draw)
    samples = (given_of(everyone[draw.integers(len(everyone), size=items)]).ratings for _ in range(replications))
    estimates = [over_items(gwet_ac(sample, "ordinal"), sample, "ordinal") for sample in samples]
    return gwet_ac(given_of(everyone).ratings, "ordinal").value, estimates


def _of_truth(truth: Truth, level: Level, replications: int, draw: np.random.Generator) -> dict[tuple, list[bool]]:
    """Whether each interval of each sample holds the truth."""
    inside = defaultdict(list)
    everyone = population(truth, 4000, 300, level, draw)
    whole = {name: figure(given_of(everyone).ratings, level).value for name, figure in FIGURES.items()}
    for raters in RATERS:
        fixed = everyone[:, :raters]
        own = {name: figure(given_of(fixed).ratings, level).value for name, figure in FIGURES.items()}
        for items in SIZES:
            for _ in range(replications):
                rows = draw.integers(len(everyone), size=items)
                alone, both = given_of(fixed[rows]), given_of(everyone[rows][:, draw.permutation(300)[:raters]])
                for name, figure in FIGURES.items():
                    try:
                        estimates = (
                            (over_items(figure(alone.ratings, level), alone.ratings, level), own[name]),
                            (two_way_estimate(figure, both, level), whole[name]),
                        )
                    except DataError:  # all labels are the same: there is no figure
                        continue
                    for two_way, (one, right) in enumerate(estimates):
                        if one.low is not None and one.high is not None:
                            inside[name, bool(two_way), raters, items].append(one.low <= right <= one.high)
    return inside


def main() -> None:
    """Print least / mean coverage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--level", default="nominal")
    arguments = parser.parse_args()
    found = coverage(arguments.level, arguments.replications)
    print(f"| {arguments.level} | raters | " + " | ".join(f"n = {size}" for size in SIZES) + " |")
    print("|---" * (2 + len(SIZES)) + "|")
    for name in FIGURES:
        for two_way in (False, True):
            for raters in RATERS:
                cells = [found[name, two_way, raters, size] for size in SIZES]
                over = "items and raters" if two_way else "items"
                values = " | ".join(f"{min(one):.3f} / {np.mean(one):.3f}" for one in cells)
                print(f"| {name}, over {over} | {raters} | {values} |", flush=True)


if __name__ == "__main__":
    main()
