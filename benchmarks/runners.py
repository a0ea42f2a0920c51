"""Ray, processes and threads on the same files, and one file in one piece.

    python benchmarks/runners.py [--pairs 312500] [--files 16] [--rounds 5]

Goal: Ray at most 1.3 times processes, without start-up. Runners are started once, and do all of the work once before
the clock starts; then they take turns. A ratio is that of neighbours in a round, so that other work on the machine
weighs on both; the table shows the median and the range over rounds. Exits where tables differ.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl
from annotations_large import write_pairs
from apart import apart
from polars.testing import assert_frame_equal

import adjudge
from adjudge.runners import workers
from adjudge.runners.on_ray import OnRay
from adjudge.runners.runner import Processes, Runner, Threads

Tables = dict[str, pl.DataFrame]


class Started:
    """A runner that stays when a run is over."""

    def __init__(self, runner: Runner) -> None:
        self.map = runner.map

    def close(self) -> None:
        """Not yet."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, number in (("pairs", 312_500), ("files", 16), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    started: dict[str, Runner] = {"threads": Threads(), "processes": Processes(), "ray": OnRay(None)}
    workers.runner_of = lambda name, _: Threads() if name == "threads" else Started(started[name])
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{place:03}.parquet") for place in range(options.files)]
        for place, path in enumerate(files):
            apart(write_pairs, Path(path), options.pairs, place * options.pairs)
        whole = str(Path(folder) / "whole.parquet")
        apart(write_pairs, Path(whole), options.pairs * options.files)
        print(f"{options.files} files of {options.pairs:,} pairs", flush=True)
        print("| what | beside | s | ratio: median | least | most |\n|---|---|---|---|---|---|")
        count = {name: partial(counted, files, name) for name in started}
        in_turn("files, ray", count["ray"], "processes", count["processes"], options.rounds)
        in_turn("files, processes", count["processes"], "threads", count["threads"], options.rounds)
        alone = partial(counted, [whole], "processes")
        in_turn("one file as large, processes", alone, "threads", partial(counted, [whole], "threads"), options.rounds)
    for runner in started.values():
        runner.close()


def counted(files: list[str], runner: str) -> Tables:
    return dict(adjudge.annotations(files, one_data_set="all", runner=runner).tables)


def in_turn(what: str, first: Callable[[], Tables], beside: str, second: Callable[[], Tables], rounds: int) -> None:
    """Prints how many times as long the first takes as the second."""
    taken = []
    for number in range(rounds + 1):
        seconds, found = [], []
        for work in (first, second) if number % 2 else (second, first):
            start = time.perf_counter()
            found.append(work())
            seconds.append(time.perf_counter() - start)
        for name, table in found[0].items():
            assert_frame_equal(found[1][name], table, rel_tol=0, abs_tol=1e-6)
        taken.append(seconds if number % 2 else seconds[::-1])
    ratios = [one / other for one, other in taken[1:]]
    middle = [f"{statistics.median(each):.1f}" for each in zip(*taken[1:], strict=True)]
    print(
        f"| {what} | {beside} | {', '.join(middle)} | {statistics.median(ratios):.2f} | {min(ratios):.2f} "
        f"| {max(ratios):.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
