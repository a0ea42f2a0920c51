"""The predictor fitted on the PandaLM test set: how well it does on instructions that it has not seen.

    python benchmarks/preferences_fitted.py FILE_OR_FOLDER [--embedding-model M] [--seeds 3]

FILE is testset-v1.json of WeOpenML/PandaLM, FOLDER what holds it. The overall preference is the majority of the three
annotators: 1 is A, 2 is B, 0 (a tie) both_good; items on which all three differ are left out and counted. A response
that is a JSON boolean is read as its JSON text. Instruction and input together are the instruction, and what folds keep together.
Instructions are split into halves: one to learn from and to choose by, the other to be predicted. Prints, for each
objective and seed, what was chosen, its figure, majority's and longer's on the other half, and the difference, with
intervals clustered by instruction.
Goal: what was chosen is never significantly worse than a baseline in what it was chosen for; it exits otherwise.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.outcomes import Group, codes_of
from karat.evaluations.preferences.predictors.classifier import grouped_folds, instruction_groups
from karat.evaluations.preferences.predictors.fitted import fit, tables_of
from karat.schemas.preferences import Task

NAME = "testset-v1.json"
TASK = Task(criteria=("overall_quality",), labels=("A", "B", "both_good"))
CODES = {1: 1, 2: 2, 0: 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedding-model")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    items, differ = read(options.path / NAME if options.path.is_dir() else options.path)
    groups = instruction_groups(items)
    print(
        f"{len(items):,} items of {groups.max() + 1:,} instructions; {differ} on which all annotators differ left out"
    )
    lost = False
    for objective in ("accuracy", "balanced_accuracy"):
        for seed in range(options.seeds):
            half = grouped_folds(groups, 2, seed=seed) == 0
            model = fit(
                items.filter(half), TASK, embedding_model=options.embedding_model, objective=objective, seed=seed
            )
            scores, gaps = tables_of(beside(model.predict(items.filter(~half)), items, half, groups[~half]))
            print(f"\n{objective}, seed {seed}: {model.used[0]} is used\n")
            show(scores, "system", objective)
            show(gaps, "first", objective)
            lost |= bool((gaps.filter(pl.col("metric") == objective)["high"] < 0).any())
    if lost:
        raise SystemExit("what was chosen is worse than a baseline")


def beside(predicted: pl.DataFrame, items: pl.DataFrame, half: np.ndarray, groups: np.ndarray) -> Group:
    """The predictions for one half beside the most frequent label of the other, and the longer response."""
    learnt, held = items.filter(half), items.filter(~half)
    words = predicted["overall_quality_preference"]
    ours = np.array([[TASK.code(word) for word in words]], np.uint8)
    most = baselines.majority(codes_of(learnt, TASK), len(TASK.labels))[:, :1]
    longer = baselines.longer_of(held, TASK)[None]
    return Group(
        keys={},
        task=TASK,
        gold=codes_of(held, TASK),
        names=("fitted", "majority", "longer"),
        labels=np.stack([ours, np.broadcast_to(most, ours.shape), longer]),
        scores={},
        clusters=np.unique(groups, return_inverse=True)[1].astype(np.int64),
        confidence=0.95,
        submitted=1,
    )


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


def show(table: pl.DataFrame, column: str, metric: str) -> None:
    print(f"| {'fitted minus' if column == 'first' else column} | {metric} | 95 % interval |\n|---|---|---|")
    for row in table.filter(criterion="overall_quality", metric=metric).iter_rows(named=True):
        print(f"| {row[column]} | {row['value']:.3f} | {row['low']:.3f} to {row['high']:.3f} |")


if __name__ == "__main__":
    main()
