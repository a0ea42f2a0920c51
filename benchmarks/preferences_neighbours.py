"""The predictor neighbours on the PandaLM test set: how well it does on instructions that it has not seen.

    python benchmarks/preferences_neighbours.py FILE_OR_FOLDER [--embedding-model M] [--seeds 1] [--leaky]

FILE is testset-v1.json of WeOpenML/PandaLM, FOLDER what holds it. The overall preference is the majority of the three
annotators: 1 is A, 2 is B, 0 (a tie) both_good; items on which all three differ are left out and counted. A response
that is a JSON boolean is read as its JSON text. Instruction and input together are the instruction, and what folds keep together.
Prints accuracy and balanced accuracy of neighbours, majority and longer with intervals clustered by instruction, and
how much better neighbours is on the same items. --seeds: that many partitions into folds, one after the other. --leaky: also
with folds that part the items of one instruction, to see what that feigns.
Goal: above both in balanced accuracy, the interval of the difference above 0; it exits otherwise.
"""

import argparse
import json
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import polars as pl

from karat.evaluations.preferences.predictors.classifier import instruction_groups
from karat.evaluations.preferences.predictors.neighbours import features_of, fit, held_out, tables_of
from karat.schemas.preferences import Task

NAME = "testset-v1.json"
TASK = Task(criteria=("overall_quality",), labels=("A", "B", "both_good"))
CODES = {1: 1, 2: 2, 0: 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedding-model")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--leaky", action="store_true")
    options = parser.parse_args()
    items, differ = read(options.path / NAME if options.path.is_dir() else options.path)
    instructions = len(np.unique(instruction_groups(items)))
    print(f"{len(items):,} items of {instructions:,} instructions; {differ} on which all annotators differ left out")
    lost = False
    for seed in range(options.seeds):
        start = time.perf_counter()
        model = fit(items, TASK, embedding_model=options.embedding_model, seed=seed)
        print(f"\nseed {seed}: trained and cross-validated in {time.perf_counter() - start:.1f} s\n")
        show(model.scores, "system")
        show(model.differences, "second")
        gaps = model.differences.filter(pl.col("metric") == "balanced_accuracy", pl.col("criterion") != "average")
        lost |= bool((gaps["low"] <= 0).any())
    if options.leaky:
        print("\nfolds that part instructions (leaky)\n")
        gold = items.select(TASK.label_columns).to_numpy().T
        features = features_of(items, options.embedding_model)
        alone = np.arange(len(items))
        show(tables_of(held_out(features, gold, alone, items, TASK, 0, nullcontext))[0], "system")
    if lost:
        raise SystemExit("neighbours does not beat both baselines in balanced accuracy")


def read(path: Path) -> tuple[pl.DataFrame, int]:
    """The items, and how many were left out."""
    rows, differ = [], 0
    for entry in json.loads(path.read_text(encoding="utf-8")):
        (verdict, votes), *_ = Counter(entry[f"annotator{number}"] for number in (1, 2, 3)).most_common(1)
        if votes == 1:
            differ += 1
            continue
        asked = entry["instruction"] + (f"\n{entry['input']}" if entry["input"] else "")
        shown = text(entry["response1"]), text(entry["response2"])
        rows.append((str(entry["idx"]), asked, *shown, CODES[verdict]))
    names = ["id", "instruction", "output_a", "output_b", *TASK.label_columns]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.col(TASK.label_columns).cast(pl.UInt8)
    ), differ


def text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def show(table: pl.DataFrame, column: str) -> None:
    print(
        f"| {'neighbours less' if column == 'second' else column} | metric | value | 95 % interval |\n|---|---|---|---|"
    )
    for row in table.filter(pl.col("criterion") != "average").iter_rows(named=True):
        print(f"| {row[column]} | {row['metric']} | {row['value']:.3f} | {row['low']:.3f} to {row['high']:.3f} |")


if __name__ == "__main__":
    main()
