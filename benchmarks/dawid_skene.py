"""Dawid and Skene's model against a pass over the labels, and against crowd-kit: equal probabilities, and how much faster.

    python benchmarks/dawid_skene.py [--labels 1000000] [--alone]

Annotators of made-up skill label each item ten times. A pass is what any consensus begins with: counting each item's votes for
each label. Prints how many passes an iteration takes (goal: at most 10), and the ratio to crowd-kit's time for as many iterations
in the same run (goal: at least 5); exits where a probability differs by more than 1e-6. --alone leaves crowd-kit out. Times are
of the processor. Both wait for memory, and other programs may take away its cache and bandwidth: so passes and iterations take
turns, as many of one as of the other, and what is printed is the median of their turns, the least and the greatest beside it.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.consensus import dawid_skene

ANNOTATORS, EACH, ITERATIONS, MANY, TURNS = 1000, 10, 5, 25, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--labels", type=int, default=1_000_000)
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    print(
        "| labels to choose from | pass, ms | iteration, ms | passes | Adjudge, s | crowd-kit, s | ratio | largest difference |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for size in (2, 3, 5):
        columns = made(options.labels, size)
        times = np.array([turn(columns) for _ in range(TURNS)])
        once, each, few = np.median(times, axis=0)
        ratios = np.sort(times[:, 1] / times[:, 0])
        passes = f"{np.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
        said = f"| {size} | {1000 * once:.2f} | {1000 * each:.2f} | {passes} | {few:.2f} |"
        print(said if options.alone else f"{said} {beside(columns, few)}", flush=True)


def turn(columns: list[NDArray[np.int64]]) -> tuple[float, float, float]:
    """Seconds of a pass, of an iteration and of a few iterations with all that is done once."""
    items, _, labels = columns
    more = MANY - ITERATIONS
    few = seconds(lambda: fitted(columns, ITERATIONS))
    passes = [seconds(lambda: np.bincount(items * (labels.max() + 1) + labels)) for _ in range(more)]
    many = seconds(lambda: fitted(columns, MANY))
    return sum(passes) / more, (many - few) / more, few


def made(labels: int, size: int) -> list[NDArray[np.int64]]:
    """Items, annotators and labels in an arbitrary order."""
    rng = np.random.default_rng(0)
    items = rng.permutation(np.repeat(np.arange(labels // EACH), EACH))
    annotators, truth, skill = (
        rng.integers(0, ANNOTATORS, labels),
        rng.integers(0, size, labels // EACH),
        rng.random(ANNOTATORS),
    )
    given = np.where(rng.random(labels) < skill[annotators], truth[items], rng.integers(0, size, labels))
    return [items, annotators, given]


def fitted(columns: list[NDArray[np.int64]], iterations: int) -> NDArray[np.float64]:
    return dawid_skene(*columns, most=iterations).posteriors


def beside(columns: list[NDArray[np.int64]], ours: float) -> str:
    """Crowd-kit's time on the same labels, and the largest difference."""
    import pandas as pd
    from crowdkit.aggregation import DawidSkene

    frame = pd.DataFrame(dict(zip(("task", "worker", "label"), columns, strict=True)))
    model = DawidSkene(n_iter=ITERATIONS, tol=-np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = seconds(lambda: model.fit(frame))
    probable = model.probas_.sort_index(axis=0).sort_index(axis=1).to_numpy()
    apart = np.abs(probable - fitted(columns, ITERATIONS)).max()
    if apart > 1e-6:
        raise SystemExit(f"the probabilities differ by {apart}")
    return f"{theirs:.1f} | {theirs / ours:.0f} | {apart:.0e} |"


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    main()
