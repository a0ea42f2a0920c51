"""Matching spans against nervaluate 1.2.1: equal counts, and how much faster, in one run.

    python benchmarks/violations_speed.py [--python NERVALUATE_PYTHON]

nervaluate is installed into a temporary environment of its own unless --python names one that has it.
Two sets of made-up texts: 100,000 of 10 x 10 spans (goal: at least 25 times faster) and 1,000 of 200 x 200 (100 times).
Matching: nervaluate's four strategies one after another, from entities in memory; Adjudge's std alone, and its
three variants (std, ha, overlap), from tables in memory. Scores: nervaluate's whole evaluate(), on some of the texts and scaled up; Adjudge from tables in memory
to its table of scores with intervals, exact, partial and character overlap too.
The counts of spans with the same offsets must be those of a join on them. nervaluate's are lower, and printed: where a
prediction overlaps a true span, that span is used up, and a later prediction with its very offsets finds it gone.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from adjudge.evaluations.violations import outcomes, tables
from adjudge.evaluations.violations.metrics import OVERLAP, count_matches
from adjudge.evaluations.violations.options import SimilarityOptions, ViolationsOptions
from adjudge.evaluations.violations.span_matching import (
    ALONE,
    VARIANTS,
    SpanSides,
    likeness_of,
    match_spans,
    set_up_matching,
)
from adjudge.schemas.violations import SPANS, MarkedTexts

SETS = {"100,000 texts of 10 x 10": (100_000, 10, 500), "1,000 texts of 200 x 200": (1_000, 200, 10_000)}
TAGS = 8
SAMPLE = 50

NERVALUATE = """
import json, sys, time
import polars as pl
from nervaluate import Evaluator
from nervaluate.entities import Entity
from nervaluate.strategies import EntityTypeEvaluation, ExactEvaluation, PartialEvaluation, StrictEvaluation

tags = [f"rule {number}" for number in range(int(sys.argv[3]))]
sides = []
for path in sys.argv[1:3]:
    frame = pl.read_parquet(path)
    texts = [[] for _ in range(int(sys.argv[4]))]
    for place, start, end, rule in frame.select("place", "start", "end", "rule").iter_rows():
        texts[place].append(Entity(label=rule, start=start, end=end - 1))
    sides.append(texts)
true, predicted = sides
begun = time.perf_counter()
correct = {}
for strategy in (ExactEvaluation(), PartialEvaluation(), StrictEvaluation(), EntityTypeEvaluation()):
    correct[type(strategy)] = sum(strategy.evaluate(*pair, tags, 0)[0].correct for pair in zip(true, predicted))
alone = time.perf_counter() - begun
correct = correct[ExactEvaluation]
some = int(sys.argv[5])
as_dicts = [[[{"label": e.label, "start": e.start, "end": e.end} for e in one] for one in side[:some]] for side in sides]
begun = time.perf_counter()
Evaluator(as_dicts[0], as_dicts[1], tags=tags, loader="dict").evaluate()
whole = (time.perf_counter() - begun) * len(true) / some
print("RESULT" + json.dumps({"alone": alone, "whole": whole, "correct": correct}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--python", help="a Python that has nervaluate 1.2.1 and polars")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or installed(Path(folder))
        print(
            "| texts | nervaluate, four strategies, s | Adjudge, std, s | ratio | Adjudge, three variants, s | ratio | evaluate(), s | Adjudge, scores, s | ratio | same offsets | nervaluate's |"
        )
        print("|" + "---|" * 11)
        for name, (texts, spans, length) in SETS.items():
            paths = [Path(folder) / f"{side}.parquet" for side in ("true", "predicted")]
            sides = [made_up(texts, spans, length, seed) for seed in (1, 2)]
            for side, path in zip(sides, paths, strict=True):
                side.write_parquet(path)
            theirs = nervaluate(python, paths, texts)
            truth, predicted = (marked(side, texts) for side in sides)
            one, _ = median(partial(matched, truth, predicted, ("std",)))
            three, found = median(partial(matched, truth, predicted, ("std", "ha", OVERLAP)))
            scores, _ = median(partial(scored, truth, predicted))
            exact = int(found[OVERLAP, "exact"]["found"].sum())
            equal = sides[0].join(sides[1], on=["place", "start", "end"]).height
            if exact != equal:
                sys.exit(f"{name}: expected {equal:,} spans with the same offsets; got {exact:,}")
            print(
                f"| {name} | {theirs['alone']:.1f} | {one:.3f} | {theirs['alone'] / one:.0f} "
                f"| {three:.3f} | {theirs['alone'] / three:.0f} "
                f"| {theirs['whole']:.0f} | {scores:.2f} | {theirs['whole'] / scores:.0f} "
                f"| {exact:,} | {theirs['correct']:,} |",
                flush=True,
            )
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def installed(folder: Path) -> str:
    venv.create(folder / "env", with_pip=True)
    python = str(folder / "env" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "nervaluate==1.2.1", "polars"], check=True)
    return python


def made_up(texts: int, spans: int, length: int, seed: int) -> pl.DataFrame:
    """Distinct spans of 5 to 29 characters at random places of each text, under one of a few rules; some of both sides alike."""
    draw, shared = np.random.default_rng(seed), np.random.default_rng(0)
    size = texts * spans
    start, width = (
        np.where(draw.random(size) < 0.3, shared.integers(*at, size), draw.integers(*at, size))
        for at in ((0, length - 30), (5, 30))
    )
    rules = np.array([f"rule {number}" for number in range(TAGS)])
    frame = pl.DataFrame(
        {
            "place": np.repeat(np.arange(texts), spans),
            "start": start,
            "end": start + width,
            "rule": rules[draw.integers(0, TAGS, size)],
            **dict.fromkeys(("category", "severity", "explanation", "correction", "invented")),
        }
    )
    once = frame.unique(["place", "start", "end"], keep="first", maintain_order=True)
    return once.select(pl.col(name).cast(dtype) for name, dtype in SPANS.items()).sort(*SPANS)


def marked(spans: pl.DataFrame, texts: int) -> MarkedTexts:
    ids = pl.DataFrame(
        {"id": pl.int_range(texts, eager=True).cast(pl.String), "text": pl.Series([None] * texts, dtype=pl.String)}
    )
    return MarkedTexts("made up", ids, spans, texts)


def matched(truth: MarkedTexts, predicted: MarkedTexts, names: tuple[str, ...]) -> dict:
    """Matches by some variants, and the counts of spans alone where they are among them."""
    rules = {**VARIANTS, OVERLAP: ALONE}
    setup = set_up_matching([predicted.spans, truth.spans], rules, likeness_of(SimilarityOptions()))
    begun = time.perf_counter()
    sides = SpanSides(*setup.tables, setup.similarities)
    found = match_spans(sides, {name: setup.rules[name] for name in names})
    spent = time.perf_counter() - begun
    return {**count_matches(sides, found, truth.texts.height), "seconds": spent}


def scored(truth: MarkedTexts, predicted: MarkedTexts) -> dict:
    begun = time.perf_counter()
    options = ViolationsOptions("truth.jsonl")
    data = outcomes.score_checkers(truth, [predicted], VARIANTS, likeness_of(options), options)
    list(tables.score_rows(data))
    return {"seconds": time.perf_counter() - begun}


def median(run: object) -> tuple[float, dict]:
    found = sorted((run() for _ in range(3)), key=lambda one: one["seconds"])[1]
    return found["seconds"], found


def nervaluate(python: str, paths: list[Path], texts: int) -> dict:
    some = max(SAMPLE, texts // 50) if texts > 10_000 else SAMPLE
    words = [python, "-c", NERVALUATE, *map(str, paths), str(TAGS), str(texts), str(some)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.split("RESULT")[1])


if __name__ == "__main__":
    main()
