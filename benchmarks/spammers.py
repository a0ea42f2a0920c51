"""How often honest annotators are said to guess, and those who do are found.

    python benchmarks/spammers.py [--crowds 200]

Crowds of made-up annotators label items whose truth is known. Honest ones are right in 60 to 95 %, or know between a third and nine tenths
of the items and guess on the others; the rest guess by the labels' shares, always say the same, or say the contrary. Prints, by kind, the share of
annotators with each verdict, and the share of crowds in which an honest annotator is said to guess or to label against the others
(goal: at most 5 %). Then, of annotators who know a given share of the items, the mean of informedness, how often its interval holds
that share, and how often p of guessing is below .05.
"""

import argparse
from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.evaluations.agreement.consensus import CONTRARY, GUESSING, INFORMED, UNDECIDED, verdicts
from adjudge.statistics.consensus import informedness

KINDS = ("honest", "guesses", "constant", "contrary")


KNOWN = (0, 0.3, 0.6, 0.9)


class Crowd(NamedTuple):
    """items: how many; each: labels of an item. annotators: of each kind. shares: of the true labels."""

    items: int
    each: int
    annotators: tuple[int, int, int, int]
    shares: tuple[float, ...]


CROWDS = {
    "5 annotators of all items, 1 guesses": Crowd(200, 5, (4, 1, 0, 0), (0.5, 0.5)),
    "3 annotators of all items, 1 guesses": Crowd(200, 3, (2, 1, 0, 0), (0.5, 0.5)),
    "5 of 40, few labels": Crowd(200, 5, (34, 2, 2, 2), (0.5, 0.5)),
    "5 of 20": Crowd(1000, 5, (14, 2, 2, 2), (0.5, 0.5)),
    "10 of 40, a rare label": Crowd(1000, 10, (34, 2, 2, 2), (0.9, 0.1)),
    "10 of 40, four labels": Crowd(1000, 10, (34, 2, 2, 2), (0.4, 0.3, 0.2, 0.1)),
    "5 of 20, half guess": Crowd(1000, 5, (10, 10, 0, 0), (0.5, 0.5)),
    "5 of 20, nobody does": Crowd(1000, 5, (20, 0, 0, 0), (0.6, 0.4)),
}


MEASURED = {
    "20 labels each": Crowd(40, 5, (10, 0, 0, 0), (0.5, 0.5)),
    "100 labels each": Crowd(200, 5, (10, 0, 0, 0), (0.5, 0.5)),
    "100 labels each, one rare": Crowd(200, 5, (10, 0, 0, 0), (0.9, 0.1)),
    "100 labels each, four of them": Crowd(200, 5, (10, 0, 0, 0), (0.4, 0.3, 0.2, 0.1)),
    "250 labels each": Crowd(1000, 10, (40, 0, 0, 0), (0.5, 0.5)),
    "250 labels each, four of them": Crowd(1000, 10, (40, 0, 0, 0), (0.4, 0.3, 0.2, 0.1)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--crowds", type=int, default=200)
    options = parser.parse_args()
    print(
        "| crowd | kind | labels each | informed | guessing | contrary | undecided | crowds with an honest one accused |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, crowd in CROWDS.items():
        found, accused = Counter[tuple[str, str]](), 0
        for seed in range(options.crowds):
            told = list(zip(kinds(crowd), said(crowd, np.random.default_rng(seed)), strict=True))
            found.update(told)
            accused += any(kind == "honest" and verdict in {GUESSING, CONTRARY} for kind, verdict in told)
        mean = crowd.items * crowd.each / sum(crowd.annotators)
        for kind, count in zip(KINDS, crowd.annotators, strict=True):
            if count:
                shares = [
                    found[kind, one] / (count * options.crowds) for one in (INFORMED, GUESSING, CONTRARY, UNDECIDED)
                ]
                told_ = f"{accused / options.crowds:.3f}" if kind == "honest" else ""
                print(
                    f"| {name} | {kind} | {mean:.0f} | {' | '.join(f'{one:.3f}' for one in shares)} | {told_} |",
                    flush=True,
                )
    print("\n| crowd | knows | mean | interval holds it | p < .05 |\n|---|---|---|---|---|")
    for name, crowd in MEASURED.items():
        for known, line in measured(crowd, options.crowds).items():
            print(f"| {name} | {known} | {' | '.join(f'{one:.3f}' for one in line)} |", flush=True)


def measured(crowd: Crowd, crowds: int) -> dict[float, NDArray[np.float64]]:
    """Of those who know a share: the mean of informedness, how often its interval holds the share, and p is low."""
    truth = np.tile(KNOWN, sum(crowd.annotators))[: sum(crowd.annotators)]
    rows = []
    for seed in range(crowds):
        rng = np.random.default_rng(seed)
        items, annotators, right = drawn(crowd, rng)
        guess = rng.choice(len(crowd.shares), len(items), p=crowd.shares)
        labels = np.where(rng.random(len(items)) < truth[annotators], right[items], guess)
        found = informedness(items, annotators, labels, size=len(crowd.shares))
        rows.append([found.value, (found.low <= truth) & (truth <= found.high), found.p < 0.05])
    means = np.nanmean(np.array(rows, dtype=np.float64), axis=0)
    return {one: means[:, truth == one].mean(axis=1) for one in KNOWN}


def drawn(crowd: Crowd, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Items and annotators of labels, and the true labels of items."""
    who = sum(crowd.annotators)
    truth = rng.choice(len(crowd.shares), crowd.items, p=crowd.shares)
    items = np.repeat(np.arange(crowd.items), crowd.each)
    return items, np.concatenate([rng.permutation(who)[: crowd.each] for _ in range(crowd.items)]), truth


def kinds(crowd: Crowd) -> list[str]:
    return [kind for kind, count in zip(KINDS, crowd.annotators, strict=True) for _ in range(count)]


def said(crowd: Crowd, rng: np.random.Generator) -> list[str]:
    """The verdict on each annotator of a crowd that is drawn."""
    items, annotators, truth = drawn(crowd, rng)
    labels = np.zeros(len(items), np.int64)
    for place, kind in enumerate(kinds(crowd)):
        own = annotators == place
        labels[own] = given(kind, truth[items[own]], crowd.shares, rng)
    return verdicts(informedness(items, annotators, labels, size=len(crowd.shares)), 0.95)


def given(
    kind: str, truth: NDArray[np.int64], shares: tuple[float, ...], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The labels of an annotator of this kind on items of these true labels."""
    size = len(shares)
    guess = rng.choice(size, len(truth), p=shares)
    if kind == "guesses":
        return guess
    if kind == "constant":
        return np.zeros(len(truth), np.int64)
    other = (truth + rng.integers(1, size, len(truth))) % size
    if kind == "contrary":
        return np.where(rng.random(len(truth)) < rng.uniform(0.7, 0.95), other, truth)
    if rng.random() < 0.5:
        return np.where(rng.random(len(truth)) < rng.uniform(0.6, 0.95), truth, other)
    return np.where(rng.random(len(truth)) < rng.uniform(1 / 3, 0.9), truth, guess)


if __name__ == "__main__":
    main()
