"""A bootstrap over clusters beside the matrix product that it rests on.

    python benchmarks/bootstrap_speed.py [--clusters 10000] [--replicates 10000]

The product is that of all weights, ready as numbers, with four sums of each cluster. Prints the time of each way to draw the
weights and to multiply, over that of the product alone. Goal: at most 20. Times are of the processor, the least of three.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from adjudge.statistics import bootstrap_weights, resampled_sums

PARTS, ROWS, TIMES = 4, 400, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--clusters", type=int, default=10_000)
    parser.add_argument("--replicates", type=int, default=10_000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    sums, names = rng.random((given.clusters, PARTS)), [f"cluster {number}" for number in range(given.clusters)]
    ready = rng.poisson(1, (ROWS, given.clusters)).astype(np.float64)
    product = seconds(lambda: [ready @ sums for _ in range(given.replicates // ROWS)])
    ways: dict[str, Callable[[], object]] = {
        "as many draws as clusters": lambda: [
            block.astype(np.float64) @ sums for block in bootstrap_weights(given.clusters, replicates=given.replicates)
        ],
        "weights by name": lambda: resampled_sums(names, sums, replicates=given.replicates),
    }
    print(f"| {given.clusters:,} clusters, {given.replicates:,} replicates | s | over the product |\n|---|---|---|")
    print(f"| matrix product alone | {product:.2f} | 1.0 |")
    for name, way in ways.items():
        took = seconds(way)
        print(f"| {name} | {took:.2f} | {took / product:.1f} |", flush=True)


def seconds(run: Callable[[], object]) -> float:
    def once() -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    return min(once() for _ in range(TIMES))


if __name__ == "__main__":
    main()
