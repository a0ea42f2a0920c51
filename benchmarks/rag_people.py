"""Scorers of answers against people's verdicts: strict, document and plain lexical matching, on a half that nothing was tuned on.

    python benchmarks/rag_people.py FOLDER [--half all|tune|report] [--seed 7] [--replications 1000]

FOLDER holds JSON lines (*.jsonl), an answer a line: {"id": of the question, "model", "response", "answer": list of aliases,
"human": whether people call it right}. Questions are split into two halves by the seed. Lexical: an alias, normalised as
SQuAD does (lower case, no punctuation, no articles, single spaces), is contained in the normalised response.

Printed, pooled and per model: agreement, kappa, answers called right that people call wrong with their share and its
interval, the other way round, and the difference of strict's kappa to the others' with its interval. Intervals are of 95 %,
bootstraps of questions. Goals: both pooled differences above 0 with their intervals, no model's interval wholly below 0, at most 3 %
false right. Then, where models are named, their order by the share of right answers, of people and of each scorer. Last, how many
of the false rights are an alias word for word: no rule of matching can tell them from right answers.
"""

import argparse
import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from adjudge.evaluations.rag.strict import score_strict
from adjudge.evaluations.rag.substrings import score_document
from adjudge.schemas.answers import SLOTS

STRICT, OTHERS = "strict", ("document", "lexical")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("all", "tune", "report"), default="report")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--replications", type=int, default=1000)
    options = parser.parse_args()
    data = scored(halved(read(options.folder), options.half, options.seed))
    questions = data["id"].n_unique()
    print(f"{data.height:,} answers to {questions:,} questions, half: {options.half}, seed: {options.seed}\n")
    print(*compared(data, np.random.default_rng(options.seed), options.replications), sep="\n", flush=True)
    wrong = data.filter(STRICT, ~pl.col("human")).select("response", "answer").iter_rows()
    same = [squad(response) in map(squad, aliases) for response, aliases in wrong]
    print(f"false rights of {STRICT} that are an alias word for word: {sum(same)} of {len(same)}")


def compared(data: pl.DataFrame, rng: np.random.Generator, replications: int) -> Iterator[str]:
    """The lines of the table: of all answers, and of each model where several are named; and what follows from them."""
    yield "| model | scorer | agreement | kappa | false right | false wrong | strict minus it, kappa |"
    yield "|---|---|---|---|---|---|---|"
    models = data.partition_by("model", as_dict=True, maintain_order=True).items()
    below = []
    for model, own in [("all", data), *((model, own) for (model,), own in models if len(models) > 1)]:
        lines, worse = rows_of(model, own, rng, replications)
        yield from lines
        below += worse
    yield f"\nsignificantly below another scorer: {', '.join(below) or 'none'}"
    if len(models) > 1:
        rates = data.group_by("model").agg(pl.col("human", STRICT, *OTHERS).mean())
        for name in ("human", STRICT, *OTHERS):
            order = rates.sort(-pl.col(name), "model").select("model", name).iter_rows()
            yield f"models by {name}: {', '.join(f'{model} {rate:.3f}' for model, rate in order)}"


def read(folder: Path) -> pl.DataFrame:
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    records = [json.loads(line) for line in lines if line.strip()]
    names = ("id", "model", "response", "answer", "human")
    schema = {"id": pl.String, "model": pl.String, "response": pl.String, "answer": pl.List(pl.String)}
    rows = [tuple(record[name] for name in names) for record in records]
    return pl.DataFrame(rows, schema=schema | {"human": pl.Boolean}, orient="row")


def halved(data: pl.DataFrame, half: str, seed: int) -> pl.DataFrame:
    """The answers to the questions of one half."""
    ids = sorted(set(data["id"]))
    random.Random(seed).shuffle(ids)
    first = ids[: len(ids) // 2]
    return {
        "all": data,
        "tune": data.filter(pl.col("id").is_in(first)),
        "report": data.filter(~pl.col("id").is_in(first)),
    }[half]


def scored(data: pl.DataFrame) -> pl.DataFrame:
    """The answers with what each scorer says of them; what it gives no verdict on is no right answer."""
    slots = pl.Series("slots", [[aliases] for aliases in data["answer"].to_list()], dtype=SLOTS)
    frame = data.select("response", slots, false=pl.lit(None, pl.List(pl.String)))
    found = {name: scorer(frame)["correct"].fill_null(value=False) for name, scorer in SCORERS.items()}
    lexical = [contains(*pair) for pair in data.select("response", "answer").iter_rows()]
    return data.with_columns(lexical=pl.Series(lexical), **found)


def contains(response: str, aliases: list[str]) -> bool:
    said = squad(response)
    return any(alias in said for alias in map(squad, aliases) if alias)


def squad(text: str) -> str:
    """A text as SQuAD normalises it."""
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_PUNCTUATION)).split())


def rows_of(model: str, data: pl.DataFrame, rng: np.random.Generator, replications: int) -> tuple[list[str], list[str]]:
    """The lines of a table on these answers; and the scorers that strict is significantly below."""
    human = data["human"].to_numpy()
    said = {name: data[name].to_numpy() for name in (STRICT, *OTHERS)}
    drawn = [*resampled(data, rng, replications)]
    lines, below = [], []
    for name, own in said.items():
        right, wrong = (own & ~human).sum(), (~own & human).sum()
        low, high = interval([share(own, ~human, rows) for rows in drawn])
        found = interval([kappa(said[STRICT][rows], human[rows]) - kappa(own[rows], human[rows]) for rows in drawn])
        gap = f"{kappa(said[STRICT], human) - kappa(own, human):+.3f} [{found[0]:+.3f}, {found[1]:+.3f}]"
        lines.append(
            f"| {model} | {name} | {(own == human).mean():.3f} | {kappa(own, human):.3f} "
            f"| {right} ({share(own, ~human):.3f} [{low:.3f}, {high:.3f}]) | {wrong} ({share(~own, human):.3f}) "
            f"| {'' if name == STRICT else gap} |"
        )
        below += [f"{model} ({name})"] if found[1] < 0 else []
    return lines, below


def resampled(data: pl.DataFrame, rng: np.random.Generator, replications: int) -> Iterator[np.ndarray]:
    """The rows of as many questions as there are, drawn with replacement."""
    groups = data.with_row_index("row").group_by("id", maintain_order=True).agg("row")["row"].to_list()
    places = [np.array(group) for group in groups]
    for _ in range(replications):
        yield np.concatenate([places[place] for place in rng.integers(len(places), size=len(places))])


def interval(found: list[float]) -> tuple[float, float]:
    """The percentile interval of resampled values."""
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def share(said: np.ndarray, among: np.ndarray, rows: np.ndarray | slice = slice(None)) -> float:
    """How many of some answers a scorer says this of; 0 where there are none."""
    return float(said[rows][among[rows]].sum() / max(among[rows].sum(), 1))


def kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's kappa of two verdicts; 0 where both always say the same."""
    agreed, first, second = (one == other).mean(), one.mean(), other.mean()
    chance = first * second + (1 - first) * (1 - second)
    return 0.0 if chance == 1 else float((agreed - chance) / (1 - chance))


SCORERS = {STRICT: score_strict, "document": score_document}

if __name__ == "__main__":
    main()
