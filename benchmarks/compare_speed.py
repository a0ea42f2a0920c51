"""How long `adjudge compare` takes beside polars' join of the same two files. Goal: at most 1.5 times.

    python benchmarks/compare_speed.py [--items N] [--runs N]

Two runs of one system on N items and one criterion are made up (10 million by default), as `--save-items` writes them; the
second changes the outcome of one item in ten. What is timed: reading both with polars and joining them on the item, and
all of `adjudge.compare` but the report's pictures, each in a process of its own, the best of some runs, in turns,
by the clock and in seconds of all cores, which on a shared machine tell more.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from adjudge.render.files import write_items
from adjudge.report import Input

_LABELS = ("A", "B", "both_good", "both_bad")
_JOIN = """
import sys, time
import polars as pl
start = time.perf_counter(), time.process_time()
first, second = (pl.scan_parquet(path) for path in sys.argv[1:])
frame = first.join(second, on="item").collect()
print(time.perf_counter() - start[0], time.process_time() - start[1], frame.height)
"""
_COMPARE = """
import sys, time
import adjudge, adjudge.metrics.comparison, adjudge.metrics.run_matching
start = time.perf_counter(), time.process_time()
report = adjudge.compare(sys.argv[1:])
print(time.perf_counter() - start[0], time.process_time() - start[1], report.counts["items in both"])
"""


def main() -> None:
    """Make the runs, time both, print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("first.parquet", "second.parquet")]
        _write(paths, chosen.items)
        times: dict[str, list[tuple[float, float]]] = {"join": [], "compare": []}
        for _ in range(chosen.runs):
            for name, code in (("join", _JOIN), ("compare", _COMPARE)):
                times[name].append(_timed(code, paths, chosen.items))
    for place, kind in enumerate(("by the clock", "of all cores")):
        joining, comparing = (min(one[place] for one in times[name]) for name in ("join", "compare"))
        print(f"{chosen.items:,} items, {kind}: polars' join {joining:.2f} s, adjudge.compare {comparing:.2f} s")
        print(f"ratio {comparing / joining:.2f} (goal: at most 1.5)")


def _write(paths: list[str], count: int) -> None:
    """The outcomes of two runs; the second's rows stand in another order."""
    draw = np.random.default_rng(0)
    gold, said = (draw.integers(0, len(_LABELS), count) for _ in range(2))
    other = np.where(draw.random(count) < 0.1, draw.integers(0, len(_LABELS), count), said)
    items = pl.select(pl.format("item-{}", pl.int_range(count))).to_series()
    for path, labels, order in zip(paths, (said, other), (np.arange(count), draw.permutation(count)), strict=True):
        made = {
            "adjudge": "0.2.0",
            "evaluation": "preferences",
            "signature": "",
            "rows": count,
            "collected": count,
            "options": {"ci_level": 0.95},
            "inputs": (Input("gold.jsonl", "0", count),),
        }
        write_items(_outcomes(items, gold, labels)[order].lazy(), Path(path), made)


def _outcomes(items: pl.Series, gold: np.ndarray, labels: np.ndarray) -> pl.DataFrame:
    words = np.array(_LABELS)
    none = pl.lit(None, pl.String)
    return pl.DataFrame({"item": items, "label": words[labels], "reference_label": words[gold]}).select(
        "item",
        none.alias("cluster"),
        pl.lit("mine").alias("judge"),
        pl.lit("gold").alias("reference"),
        pl.lit("overall_quality").alias("part"),
        "label",
        "reference_label",
        outcome=pl.when(pl.Series(gold == labels)).then(pl.lit("correct")).otherwise(pl.lit("incorrect")),
        value=pl.Series((gold == labels).astype(float)),
        detail=none,
        reply=none,
    )


def _timed(code: str, paths: list[str], count: int) -> tuple[float, float]:
    """Seconds by the clock, and of all cores."""
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    seconds, of_cores, found = done.stdout.split()
    if int(found) != count:
        raise SystemExit(f"expected {count} items in both; got {found}")
    return float(seconds), float(of_cores)


if __name__ == "__main__":
    main()
