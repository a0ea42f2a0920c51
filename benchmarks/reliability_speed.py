"""Reliability of a long table in Parquet, against the time polars itself takes to look at the same columns.

polars: scan, group by annotator, label and reference, and check that (item, annotator) is unique.
adjudge: `adjudge reliability` of the same file, saved as JSON, in a process of its own.

    python benchmarks/reliability_speed.py [--labels 40000000] [--items strings|integers]

Prints the ratio of both wall times in one run (goal: at most 3) and Adjudge's peak memory (goal: under 3 GB).
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from apart import apart, ran

PER_ITEM = 5
ANNOTATORS = 2000
LABELS = ["response_1", "response_2", "tie"]
ROUNDS = 3

POLARS = """
import sys, polars as pl
table = pl.scan_parquet(sys.argv[1])
table.group_by("annotator", "label", "reference").len().collect(engine="streaming")
pairs = table.group_by("item", "annotator").len().filter(pl.col("len") > 1).collect(engine="streaming")
assert pairs.is_empty()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--labels", type=int, default=40_000_000)
    parser.add_argument("--items", choices=["strings", "integers"], default="strings")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.parquet"
        apart(write_table, path, options.labels, options.items)
        print(f"{options.labels:,} labels, {path.stat().st_size / 1e6:.0f} MB of Parquet, {os.cpu_count()} cores")
        print("| round | polars, s | polars, GB | adjudge, s | adjudge, GB | ratio |\n|---|---|---|---|---|---|")
        ratios = []
        for number in range(1, ROUNDS + 1):
            theirs, _, their_memory, _ = ran([sys.executable, "-c", POLARS, str(path)])
            report = str(Path(folder) / "report.json")
            command = [sys.executable, "-c", "from adjudge.cli import main; main()"]
            command += ["reliability", str(path), "--output", report]
            ours, _, our_memory, _ = ran(command)
            ratios.append(ours / theirs)
            print(
                f"| {number} | {theirs:.1f} | {their_memory:.2f} | {ours:.1f} | {our_memory:.2f} | {ratios[-1]:.2f} |"
            )
        print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.2f}")


def write_table(path: Path, labels: int, items: str) -> None:
    """Every item judged by PER_ITEM different annotators, in random order of annotators, 80 % of labels right."""
    draw = np.random.default_rng(0)
    count = labels // PER_ITEM
    first = draw.integers(ANNOTATORS, size=count)
    step = draw.integers(1, ANNOTATORS // PER_ITEM, size=count)
    annotator = (first[:, None] + step[:, None] * np.arange(PER_ITEM)) % ANNOTATORS
    reference = np.repeat(draw.integers(3, size=count), PER_ITEM)
    label = np.where(draw.random(labels) < 0.7, reference, draw.integers(3, size=labels))
    names = pl.Series(LABELS)
    item = pl.Series("item", np.repeat(np.arange(count), PER_ITEM))
    pl.DataFrame(
        {
            "item": item if items == "integers" else pl.select(pl.format("item-{}", item)).to_series(),
            "annotator": pl.select(pl.format("worker_{}", pl.Series(annotator.ravel()))).to_series(),
            "label": names.gather(label),
            "reference": names.gather(reference),
        }
    ).write_parquet(path)


if __name__ == "__main__":
    main()
