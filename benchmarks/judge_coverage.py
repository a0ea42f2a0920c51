"""Do the intervals of a card cover what is known of simulated judges that `adjudge judge` asks?

    python benchmarks/judge_coverage.py [--runs 200] [--items 60]

Pairs: a judge sees each pair in both orders. In each it refuses with the probability REFUSES, else names the response
shown first with BIAS, else the better one with SKILL; it always states the confidence STATED. Jury: three judges label
items one by one, each right with its own skill. Three human annotators are right with HUMAN. What follows for the
tables of the card is worked out by hand (`known_pairs`, `known_jury`). The 95% intervals should cover these values in
at least .91 of 200 runs.
"""

import argparse
import hashlib
import json
import multiprocessing
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

import adjudge
from adjudge.statistics.proportions import proportion

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))
HUMAN, HUMANS = 0.85, ("ana", "ben", "cleo")
SKILL, BIAS, REFUSES, STATED = 0.8, 0.2, 0.05, 0.9
JURY = {"one": 0.9, "two": 0.8, "three": 0.75}
GOAL = 0.91
PAIRS_RUBRIC = """responses = ["first", "second"]
[criteria.better]
question = "Which response is better?"
pairwise = true
scale = ["A", "B"]
"""
JURY_RUBRIC = """[criteria.good]
question = "Is the answer good?"
scale = ["yes", "no"]
"""
OF_PAIRS = {
    "agreement": "judges",
    "inconsistency": "orders",
    "place_preference": "orders",
    "overconfidence": "certainty",
}
"""The metrics that are known of the judge of pairs, and their tables."""
TEXTS = {"first": "A", "second": "B"}


def serve(pipe: Connection) -> None:
    """The judges. The texts say what is true; chance follows from the texts, whatever the marker."""
    from llm.server import RefusingServer, serving

    def answer(prompt: str, body: dict[str, Any]) -> str:
        shown = re.findall(r"quality-(?:high|low)-\w+", prompt)
        drawn = Random(hashlib.sha256(" ".join([body["model"], *shown]).encode()).digest())
        if body["model"] in JURY:
            right = drawn.random() < JURY[body["model"]]
            label = "yes" if right == shown[-1].startswith("quality-high") else "no"
        elif drawn.random() < REFUSES:
            return ""
        elif drawn.random() < BIAS:
            label = "A"
        else:
            label = "A" if (drawn.random() < SKILL) == shown[-2].startswith("quality-high") else "B"
        return json.dumps({"reason": "", "verdict": {"label": label, "confidence": round(100 * STATED)}})

    with serving(RefusingServer(answer)) as url:
        pipe.send(url)
        time.sleep(10**6)


def majority(*right: float) -> float:
    """How often most of three are right, who err independently."""
    a, b, c = right
    return a * b * c + a * b * (1 - c) + a * (1 - b) * c + (1 - a) * b * c


def agreement(one: float, other: float) -> float:
    """How often two agree on one of two labels, who err independently."""
    return one * other + (1 - one) * (1 - other)


def known_pairs() -> dict[str, float]:
    """What is true of the judge of pairs."""
    first, second = BIAS + (1 - BIAS) * SKILL, (1 - BIAS) * SKILL
    right = (first + second) / 2
    return {
        "refused": REFUSES,
        "inconsistency": first * (1 - second) + (1 - first) * second,
        "place_preference": BIAS,
        "agreement": agreement(right, HUMAN),
        "overconfidence": STATED - agreement(right, majority(*[HUMAN] * 3)),
    }


def known_jury() -> dict[str, float]:
    """What is true of the jury, and of its best member."""
    jury = majority(*JURY.values())
    return {
        "jury": agreement(jury, HUMAN),
        "best member": agreement(JURY["one"], HUMAN),
        "jury - best member": agreement(jury, HUMAN) - agreement(JURY["one"], HUMAN),
    }


def labelled(random: Random, better: str, other: str) -> dict[str, str]:
    """The labels of the human annotators on one item."""
    return {name: better if random.random() < HUMAN else other for name in HUMANS}


def made_items(random: Random, runs: int, items: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The pairs and the answers of all runs, with human labels; ids begin with the run's number."""
    pairs, answers = [], []
    for number in (f"{run}x{item}" for run in range(runs) for item in range(items)):
        better, good = random.choice("AB"), random.choice(("yes", "no"))
        texts = {name: f"quality-{'high' if better == side else 'low'}-{number}{side}" for name, side in TEXTS.items()}
        pairs.append({"id": number, **texts} | labelled(random, better, "BA"[better == "B"]))
        text = f"quality-{'high' if good == 'yes' else 'low'}-{number}"
        answers.append({"id": number, "answer": text} | labelled(random, good, "no" if good == "yes" else "yes"))
    return pl.DataFrame(pairs), pl.DataFrame(answers)


def asked(rows: pl.DataFrame, rubric: str, models: list[str], url: str, *, swap: bool = False) -> pl.DataFrame:
    """The labels of models on items, by a rubric."""
    folder = Path(tempfile.mkdtemp())
    (folder / "rubric.toml").write_text(rubric)
    options: dict[str, Any] = {"model": models, "swap": swap, "concurrency": 32, "min_answered": 0.5, "logs": folder}
    output, prefix = folder / "labels.parquet", "openai-api/local/"
    options["model"] = [prefix + name for name in models]
    adjudge.judge(rows, rubric=folder / "rubric.toml", base_url=url, output=output, **options)
    return pl.read_parquet(output).with_columns(pl.col("annotator").str.strip_prefix(prefix))


def estimates(
    pairs: pl.DataFrame, answers: pl.DataFrame, folder: Path
) -> Iterator[tuple[str, float, adjudge.Estimate]]:
    """What is known of the judges of one run, and its estimates."""
    known, path = known_pairs() | known_jury(), folder / "labels.parquet"
    given = pairs.filter(kind="model")["label"]
    yield "refused", known["refused"], proportion(given.null_count(), len(given))
    pairs.write_parquet(path)
    card = adjudge.card(path)
    for metric, table in OF_PAIRS.items():
        yield metric, known[metric], card.estimate(metric, table=table)
    answers.write_parquet(path)
    card = adjudge.card(path, jury=[*JURY])
    jury = next(name for name in card["judges"]["judge"] if "jury" in name)
    for name, judge in (("jury", jury), ("best member", "one")):
        yield name, known[name], card.estimate("agreement", table="judges", judge=judge)
    tests = card["differences"].filter(metric="agreement").to_dicts()
    (row,) = [one for one in tests if {one["first"], one["second"]} == {jury, "one"}]
    ends = [row[end] if row["second"] == jury else -row[end] for end in ("value", "low", "high")]
    yield "jury - best member", known["jury - best member"], adjudge.Estimate(ends[0], min(ends), max(ends), row["n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--items", type=int, default=60)
    given = parser.parse_args()
    mine, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    url, folder = mine.recv(), Path(tempfile.mkdtemp())
    pairs, answers = made_items(Random(1), given.runs, given.items)
    judged = [asked(pairs, PAIRS_RUBRIC, ["judge"], url, swap=True), asked(answers, JURY_RUBRIC, [*JURY], url)]
    held, truth, defined = Counter[str](), dict[str, float](), Counter[str]()
    for run in range(given.runs):
        parts = [frame.filter(pl.col("item").str.starts_with(f"{run}x")) for frame in judged]
        for name, value, one in estimates(*parts, folder):
            truth[name] = value
            defined[name] += one.low is not None
            held[name] += one.low is not None and one.low <= value <= one.high
    server.terminate()
    for name, count in held.items():
        print(
            f"{name}: {truth[name]:.4f} is covered in {count / defined[name]:.3f} of {defined[name]} runs (goal {GOAL})"
        )
    if any(count < GOAL * defined[name] for name, count in held.items()):
        sys.exit("an interval covers the known value too seldom")


if __name__ == "__main__":
    main()
