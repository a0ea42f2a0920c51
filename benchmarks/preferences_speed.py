"""A million predictions on five criteria by four systems, against polars' time to read and join the same files.

    python benchmarks/preferences_speed.py [--items 1000000] [--systems 4]

Adjudge reads gold and predictions, checks them, and makes every table: figures with intervals, baselines, comparisons,
ranks. polars reads the same files and joins them on id. Goal: less than 5 times its time.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import adjudge
from adjudge.schemas.preferences import CRITERIA, LABELS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--systems", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gold, systems = write(Path(folder), options.items, options.systems)
        print(f"{options.items:,} items x {len(CRITERIA)} criteria x {options.systems} systems")
        print("| round | polars: read and join, s | Adjudge: all tables, s | ratio |\n|---|---|---|---|")
        for number in range(1, options.rounds + 1):
            theirs = seconds(lambda: joined(gold, systems))
            ours = seconds(lambda: adjudge.preferences(gold, systems, examples=0))
            print(f"| {number} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} |", flush=True)


def write(folder: Path, items: int, systems: int) -> tuple[Path, list[Path]]:
    draw = np.random.default_rng(items)
    ids = [f"item-{number}" for number in range(items)]
    labels = {f"{name}_preference": draw.integers(0, len(LABELS), items) for name in CRITERIA}
    texts = {name: [f"{name} {number} " + "x" * (number % 40) for number in range(items)] for name in ("a", "b")}
    gold = pl.DataFrame(
        {"id": ids, "instruction": ids, "output_a": texts["a"], "output_b": texts["b"][::-1], **words(labels)}
    )
    gold.write_csv(folder / "gold.csv")
    paths = []
    for number in range(systems):
        noise = {
            name: np.where(draw.random(items) < 0.5 + number / 20, own, draw.integers(0, 4, items))
            for name, own in labels.items()
        }
        path = folder / f"system_{number}.tsv"
        shuffled = pl.DataFrame({"id": ids, **words(noise)}).sample(fraction=1, shuffle=True, seed=number)
        shuffled.write_csv(path, separator="\t")
        paths.append(path)
    return folder / "gold.csv", paths


def words(codes: dict[str, np.ndarray]) -> dict[str, pl.Series]:
    return {name: pl.Series(own).replace_strict(range(len(LABELS)), LABELS) for name, own in codes.items()}


def joined(gold: Path, systems: list[Path]) -> pl.DataFrame:
    frame = pl.read_csv(gold)
    for number, path in enumerate(systems):
        frame = frame.join(pl.read_csv(path, separator="\t"), on="id", how="left", suffix=f"_{number}")
    return frame


def seconds(run: object) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
