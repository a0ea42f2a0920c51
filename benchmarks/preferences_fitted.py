"""The predictor fitted on instructions that it has not seen, beside the longer response and the majority.

    python benchmarks/preferences_fitted.py FILE... [--embedding-model M] [--seeds 3] [--decided]

FILE is one of these, told by its name:

- testset-v1.json of WeOpenML/PandaLM (Apache-2.0). The overall preference is the majority of the three annotators: 1 is A,
  2 is B, 0 (a tie) both_good; items on which all three differ, of which there is none, are left out. A response that is a JSON boolean is
  read as its JSON text. Instruction and input together are the instruction.
- NQ301_human.tsv of ehsk/OpenQA-eval (MIT): answers of systems to questions, each acceptable to people or not. Every two
  answers to a question are a pair: the acceptable one is preferred; both_good and both_bad where they do not differ.
- factuality_annotations_xsum_summaries.csv of google-research-datasets (CC BY 4.0): summaries of articles, each factual or
  not to the majority of three people. Pairs are made alike; the article's number is the instruction.
- any other: labelled items as `karat preferences score` reads them (overall_quality_preference).

Pairs that are made stand in a random order. With --decided only items that are A or B are left, on which the longer response
is not wrong by being unable to say "both". Instructions are split into halves: one to learn from and to
choose by, the other to be predicted. Prints, for each set, objective and seed, what was chosen, its figure, majority's and
longer's on the other half, and the differences, with intervals clustered by instruction.
Goal: what was chosen is never significantly worse than a baseline in what it was chosen for; it exits otherwise.
"""

import argparse
import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.outcomes import Group, codes_of
from karat.evaluations.preferences.predictors.classifier import grouped_folds, instruction_groups
from karat.evaluations.preferences.predictors.fitted import fit, tables_of
from karat.formats.inputs import source_of
from karat.formats.preferences import Options, read_gold
from karat.schemas.preferences import Task

TASK = Task(criteria=("overall_quality",))
DECIDED = [TASK.code("A"), TASK.code("B")]
CODES = {1: 1, 2: 2, 0: 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--embedding-model")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--decided", action="store_true")
    options = parser.parse_args()
    print("| set | objective | seed | chosen | fitted | majority | longer | fitted - majority | fitted - longer |")
    print("|---|---|---|---|---|---|---|---|---|")
    lost = [
        lost
        for path in options.files
        for objective in ("accuracy", "balanced_accuracy")
        for seed in range(options.seeds)
        for lost in held_out(path, objective, seed, options)
    ]
    if lost:
        raise SystemExit(f"what was chosen is worse than a baseline: {', '.join(lost)}")


def held_out(path: Path, objective: str, seed: int, options: argparse.Namespace) -> list[str]:
    """Prints a line on the half that was kept apart, and returns the baselines that are better."""
    items = READERS.get(path.name, read_items)(path).with_columns(pl.col(TASK.label_columns).cast(pl.UInt8))
    if options.decided:
        items = items.filter(pl.col(TASK.label_columns[0]).is_in(DECIDED))
    groups = instruction_groups(items)
    half = grouped_folds(groups, 2, seed=seed) == 0
    model = fit(items.filter(half), TASK, embedding_model=options.embedding_model, objective=objective, seed=seed)
    scores, gaps = tables_of(beside(model.predict(items.filter(~half)), items, half, groups[~half]))
    about = {"criterion": "overall_quality", "metric": objective}
    values = {row["system"]: row["value"] for row in scores.filter(**about).to_dicts()}
    differences = {row["first"]: row for row in gaps.filter(**about).to_dicts()}
    figures = [f"{values[name]:.3f}" for name in ("fitted", *differences)]
    apart = [f"{row['value']:+.3f} [{row['low']:.3f}, {row['high']:.3f}]" for row in differences.values()]
    name = f"{path.stem} ({items.height:,} pairs, {groups.max() + 1:,} instructions)"
    print("| " + " | ".join([name, objective, str(seed), model.used[0], *figures, *apart]) + " |", flush=True)
    return [f"{path.stem} {objective} {seed}: {name}" for name, row in differences.items() if row["high"] < 0]


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


def read_pandalm(path: Path) -> pl.DataFrame:
    rows = []
    for entry in json.loads(path.read_text(encoding="utf-8")):
        (verdict, votes), *_ = Counter(entry[f"annotator{number}"] for number in (1, 2, 3)).most_common(1)
        if votes == 1:
            continue
        asked = entry["instruction"] + (f"\n{entry['input']}" if entry["input"] else "")
        shown = text(entry["response1"]), text(entry["response2"])
        rows.append((str(entry["idx"]), asked, *shown, CODES[verdict]))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def read_answers(path: Path) -> pl.DataFrame:
    table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    return paired(table.select("Question", "Model answer", pl.col("Acceptable?") == "Yes"))


def read_summaries(path: Path) -> pl.DataFrame:
    votes = pl.read_csv(path, infer_schema=False).filter(pl.col("is_factual").is_in(["yes", "no"]))
    yes = (pl.col("is_factual") == "yes").mean() > 1 / 2
    return paired(votes.group_by("bbcid", "summary", maintain_order=True).agg(yes.alias("good")))


def paired(judged: pl.DataFrame) -> pl.DataFrame:
    """Every two texts of an instruction, in random order. judged: instruction, text, whether it is good."""
    draw, rows = np.random.default_rng(0), []
    for (asked,), some in judged.unique(maintain_order=True).group_by(judged.columns[0], maintain_order=True):
        for both in combinations(some.select(judged.columns[1:]).rows(), 2):
            (a, good_a), (b, good_b) = both[:: draw.choice([1, -1])]
            label = (3 if good_a else 4) if good_a == good_b else 1 if good_a else 2
            rows.append((str(len(rows)), asked, a, b, label))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def read_items(path: Path) -> pl.DataFrame:
    return read_gold(source_of(path), Options(task=TASK)).frame


def text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


COLUMNS = ["id", "instruction", "output_a", "output_b", *TASK.label_columns]
READERS = {
    "testset-v1.json": read_pandalm,
    "NQ301_human.tsv": read_answers,
    "factuality_annotations_xsum_summaries.csv": read_summaries,
}


if __name__ == "__main__":
    main()
