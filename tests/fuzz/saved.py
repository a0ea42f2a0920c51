"""Samples of what Adjudge itself writes and reads again: reports, items files, and any file that is looked at or converted."""

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import adjudge
from adjudge.report import Report
from made_samples import JUDGED, SAMPLES, Sample, in_container


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


SCORED: Mapping[str, Callable[[Path], Any]] = {
    "compare": _compared,
    "convert": _converted,
    "history": _history,
    "load": Report.load,
    "look": adjudge.look,
    "plan": lambda path: adjudge.plan(width=0.2, pilot=path),
}
"""What is asked of a file that is no evaluation's input -> what does it."""
