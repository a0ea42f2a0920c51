"""Samples of files that no evaluation scores alone: true answers, verdicts, judged pairs, questions, labels to correct."""

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import adjudge
from adjudge.readers.inputs import source_of
from adjudge.readers.spans.violations import read_judged_pairs
from adjudge.report import Report
from made_answers import HOTPOTQA_GOLD, SQUAD_GOLD
from made_samples import JUDGED, SAMPLES, Sample, in_container

TRUE = [{"id": "1", "answer": "Lima | the city"}, {"id": "2", "answer": "Rome"}]
ASKED = [
    {"id": one, "ability": "noise_robustness", "noise_ratio": 0.4, "model": "m", "response": said}
    for one, said in (("1", "Lima"), ("2", "It is Oslo."), ("h1", "To Lyon."), ("5733be284776f41900661182", "No."))
]
ANSWERED = [{**one, "answer": "Lima"} for one in ASKED]
VERDICTS = [{"id": one["id"], "model": "m", "noise_ratio": 0.4, "correct": one["id"] == "1"} for one in ASKED]
QUESTIONS = [
    {"id": one, "query": f"{one}?", "answer": [["Ann", "Anna"]], "positive": [["Ann."], ["Anna."]], "negative": ["Rain."]}
    for one in (1, 2)
]  # fmt: skip
PAIRS = [
    {
        "id": f"t{number}",
        "text": "Cures headache. Best tea ever!",
        "predicted": {"start": 0, "end": 5, "rule": "no cures"},
        "ground_truth": {"start": 0, "end": 5 + number, "rule": "no medical claims", "category": "health"},
        "same": number in {0, 1, 4},
        "judge": "ann",
    }
    for number in range(6)
]
PARTLY = [
    {"item": f"{item}", "annotator": who, "label": "yn"[item % (3 + (who == "ann")) == 0], "weight": 2}
    for who in ("ann", "gpt")
    for item in range(20 if who == "gpt" else 8)
]


def beside_samples() -> list[Sample]:
    """A sample of each, in each of its forms."""
    answers = {"answers.json": json.dumps(ASKED).encode(), "full.json": json.dumps(ANSWERED).encode()}
    made = {
        "gold": [SQUAD_GOLD, HOTPOTQA_GOLD, TRUE],
        "verdicts": [VERDICTS],
        "audit": [QUESTIONS],
        "calibrate": [PAIRS],
        "correct": [PARTLY],
    }
    whole = [Sample(what, "json", f"a{n}.json", json.dumps(one).encode(), answers)
             for what, many in made.items() for n, one in enumerate(many)]  # fmt: skip
    flat = [
        *(("csv", what, rows) for what, rows in [("gold", TRUE), ("verdicts", VERDICTS)]),
        *(("parquet", what, rows) for what, rows in [("gold", TRUE), ("correct", PARTLY)]),
        *(("jsonl", what, rows) for what, rows in [("audit", QUESTIONS), ("calibrate", PAIRS)]),
    ]
    return [*whole, *(Sample(what, form, f"a.{form}", in_container(rows, form), answers) for form, what, rows in flat)]


def _answered(path: Path, name: str) -> Any:
    answers = path.parent / ("answers.json" if name == "gold" else "full.json")
    return adjudge.rag(answers, **{name: path}, on_invalid="drop")


def _judged(path: Path) -> Any:
    return read_judged_pairs(source_of(path))


# --- what Adjudge itself writes and reads again, and any file that is looked at or converted ---


@cache
def _written() -> dict[str, bytes]:
    """A report, and its items."""
    with tempfile.TemporaryDirectory() as folder:
        votes = Path(folder) / "votes.csv"
        votes.write_bytes(in_container(JUDGED, "csv"))
        places = {name: Path(folder) / name for name in ("report.json", "items.parquet")}
        adjudge.reliability(votes, save_items=places["items.parquet"])
        adjudge.reliability(votes, positive="b").save(places["report.json"])
        return {name: path.read_bytes() for name, path in places.items()}


def saved_samples() -> list[Sample]:
    """A sample of each."""
    held = _written()
    beside = {"good.parquet": held["items.parquet"], "good.json": held["report.json"]}
    made = [Sample("compare", "items", "items.parquet", held["items.parquet"], beside)]
    made += [Sample(what, "report", "report.json", held["report.json"], beside) for what in ("load", "history", "plan")]
    looked_at = [Sample("look", one.format, one.file, one.content, one.beside) for one in SAMPLES]
    pairs = [one for one in SAMPLES if one.evaluation == "annotations" and one.format != "wide"]
    return [*made, *looked_at, *(Sample("convert", one.format, one.file, one.content) for one in pairs)]


def _compared(path: Path) -> Any:
    return adjudge.compare([path.parent / "good.parquet", path])


def _history(path: Path) -> None:
    adjudge.history([path.parent / "good.json", path])  # says when files were changed, so no two are alike


def _converted(path: Path) -> Any:
    return adjudge.convert(path, output=path.parent / "converted.parquet", evaluation="annotations")


ASKED_OF: Mapping[str, Callable[[Path], Any]] = {
    **{name: partial(_answered, name=name) for name in ("gold", "verdicts")},
    "audit": adjudge.audit_rag,
    "calibrate": _judged,  # what fits a rule to them takes as long as fifty that are read
    "correct": partial(adjudge.correct, judges=["gpt"], weights="weight"),
    "compare": _compared,
    "convert": _converted,
    "history": _history,
    "load": Report.load,
    "look": adjudge.look,
    "plan": lambda path: adjudge.plan(width=0.2, pilot=path),
}
"""What is asked of a file that is no evaluation's input -> what does it."""
