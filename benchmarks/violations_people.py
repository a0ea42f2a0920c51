"""Which violations are the same, by people: Adjudge's matches, by default and calibrated, against simpler rules.

    python benchmarks/violations_people.py FOLDER [--seed 7] [--assert]

FOLDER holds pairs that people judged, in files as `adjudge violations pairs` writes them and people fill them in (JSON lines,
CSV, Label Studio), or else marked.jsonl: what three annotators or more marked, in Adjudge's own lines (`adjudge convert`). Of
these the third stands in for a judge: of overlapping violations of the first two, a pair is the same where one of its own
spans holds at least half of both, and another where it holds half of either; pairs of which it marks neither are left out.
Such judgments see spans alone: they say how boundaries should count, not rules.

Rules: std and ha by default, both calibrated on the texts of the other folds, and as baselines the majority of the other
folds, spans that are the same, that overlap by half at least (intersection over union), and that overlap at all. Printed:
the accuracy of each with intervals of 95 %, and the difference of each rule of Adjudge's to each baseline, by text. With --assert it fails where a calibrated rule is significantly below a baseline.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.violations.calibration import ACCURACY, CALIBRATED, DEFAULT, MAJORITY, calibrate
from adjudge.evaluations.violations.options import CalibrateOptions, SimilarityOptions
from adjudge.evaluations.violations.span_matching import (
    VARIANTS,
    SpanSides,
    candidate_pairs,
    likeness_of,
    share_categories,
)
from adjudge.metrics.cells import cells_from_states, pairs_from_states
from adjudge.metrics.difference import paired_difference
from adjudge.readers.inputs import sources
from adjudge.readers.spans.violations import JudgedPairs, SpanReading, read_annotators, read_judged_pairs
from adjudge.schemas.violations import ID, PLACE, TEXT, TEXT_PARTS, MarkedTexts

OVERLAPS = {"same span": lambda overlap: overlap == 1, "IoU .5": lambda overlap: overlap >= 0.5, "any overlap": lambda overlap: overlap > 0}  # fmt: skip
LIKENESS = likeness_of(SimilarityOptions())
HALF, CONFIDENCE = 0.5, 0.95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--assert", action="store_true", dest="strict")
    options = parser.parse_args()
    pairs = read(options.folder)
    answers, groups = said(pairs, options.seed)
    print(
        f"{len(groups):,} judgments of {groups.max() + 1:,} texts, {pairs.frame['same'].mean():.3f} the same; "
        f"five folds by text, seed {options.seed}\n"
    )
    baselines = [name for name in answers if not name.startswith(tuple(VARIANTS))]
    print("| rule | accuracy |", *(f" minus {name} |" for name in baselines), sep="")
    print("|---|---|", "---|" * len(baselines), sep="")
    below = []
    for name, own in answers.items():
        cells = cells_from_states(own, groups)
        accuracy = shown(ACCURACY.estimate(CONFIDENCE, table=cells))
        gaps = [""] * len(baselines)
        if name not in baselines:
            found = [
                paired_difference(
                    ACCURACY, pairs_from_states(answers[base], own, groups), CONFIDENCE
                ).comparison.estimate
                for base in baselines
            ]
            gaps = [shown(one, "+") for one in found]
            below += [f"{name} to {base}" for base, one in zip(baselines, found, strict=True) if (one.high or 0) < 0]
        print("|", " | ".join([name, accuracy, *gaps]), "|")
    print(f"\nsignificantly below a baseline: {', '.join(below) or 'none'}")
    if options.strict and any(CALIBRATED in one for one in below):
        sys.exit(1)


def shown(one: Estimate, sign: str = "") -> str:
    if one.value is None:
        return one.reason
    limits = "" if one.low is None else f" [{one.low:{sign}.3f}, {one.high:{sign}.3f}]"
    return f"{one.value:{sign}.3f}{limits}"


def said(pairs: JudgedPairs, seed: int) -> tuple[dict[str, pl.DataFrame], np.ndarray]:
    """What each rule says of each judgment, and the text of each."""
    found, baselines = {}, {}
    for variant, rule in VARIANTS.items():
        data = calibrate(pairs, rule, LIKENESS, CalibrateOptions(pairs.name, seed=seed))
        answers = {name: data.held_out.select("same", answer=name) for name in (DEFAULT, CALIBRATED, MAJORITY)}
        found |= {f"{variant}, {name}": answers[name] for name in (DEFAULT, CALIBRATED)}
        if not baselines:
            overlap = data.judgments.values["overlap"]
            baselines = {MAJORITY: answers[MAJORITY]}
            baselines |= {name: answers[DEFAULT].with_columns(answer=test(overlap)) for name, test in OVERLAPS.items()}
        groups = data.judgments.groups
    return found | baselines, groups


def read(folder: Path) -> JudgedPairs:
    marked = folder / "marked.jsonl"
    if not marked.exists():
        return read_judged_pairs(*sources([folder]))
    first, second, third, *_ = read_annotators(sources([marked])[0], SpanReading())
    return read_judged_pairs(*sources([pl.DataFrame(list(judged(first, second, third)), infer_schema_length=None)]))


def judged(first: MarkedTexts, second: MarkedTexts, judge: MarkedTexts) -> Iterator[dict[str, Any]]:
    """Overlapping violations of two annotators with what the third one's spans say of them."""
    ours, theirs = share_categories([first.spans, second.spans])
    spans = judge.spans.group_by(PLACE).agg("start", "end")
    known = {place: np.column_stack([start, end]) for place, start, end in spans.iter_rows()}
    texts = first.texts.select(ID, TEXT).rows()
    for batch in candidate_pairs(SpanSides(ours, theirs, {})):
        for one, other in zip(ours[batch["predicted"]].to_dicts(), theirs[batch["truth"]].to_dicts(), strict=True):
            held = [holding(known.get(one[PLACE], np.empty((0, 2))), side) for side in (one, other)]
            if any(side.any() for side in held):
                item, text = texts[one[PLACE]]
                sides = {"predicted": parts(one), "ground_truth": parts(other)}
                yield {"id": item, "text": text, **sides, "same": bool((held[0] & held[1]).any()), "judge": judge.name}


def holding(spans: np.ndarray, side: dict[str, Any]) -> np.ndarray:
    """Which spans hold at least half of a violation."""
    shared = np.minimum(spans[:, 1], side["end"]) - np.maximum(spans[:, 0], side["start"])
    return shared >= HALF * max(side["end"] - side["start"], 1)


def parts(one: dict[str, Any]) -> dict[str, Any]:
    return {name: one[name] for name in ("start", "end", *TEXT_PARTS)}


if __name__ == "__main__":
    main()
