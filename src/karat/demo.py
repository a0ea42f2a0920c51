"""Simulated data with a known truth, evaluated: the quickest way to understand and to trust the figures."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat import api
from karat.errors import OutputError
from karat.report import Report, number_columns, typed_table

if TYPE_CHECKING:
    import polars as pl


def demo(folder: Path, seed: int) -> list[Report]:
    """Simulate data for every evaluation into `folder`, evaluate it, and save the reports as report.html.

    Each report has a table `truth`: keys, metric, truth, value, low, high.
    Raises OutputError where the folder cannot be made.
    """
    from karat.render.files import check_target, replacing
    from karat.render.html import report_page

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    check_target(folder / "report.html")
    reports = [_beside_truth(*part(folder, seed)) for part in _PARTS]
    with replacing(folder / "report.html") as partial:
        partial.write_text(report_page(reports), encoding="utf-8")
    return reports


def _reliability(folder: Path, seed: int) -> tuple[Report, "pl.DataFrame"]:
    from karat.evaluations.reliability.simulate import simulate
    from karat.render.files import replacing

    judgments, truth = simulate(seed)
    data = folder / "reliability.csv"
    with replacing(data) as partial:
        judgments.write_csv(partial)
    return api.reliability(data, seed=seed), truth


def _annotations(folder: Path, seed: int) -> tuple[Report, "pl.DataFrame"]:
    from karat.evaluations.annotations.simulate import simulate
    from karat.formats.columnar import write_columnar
    from karat.render.files import replacing

    pairs, truth = simulate(seed)
    data = folder / "annotations.parquet"
    with replacing(data) as partial:
        write_columnar(pairs, partial)
    return api.annotations(data, seed=seed), truth


def _preferences(folder: Path, seed: int) -> tuple[Report, "pl.DataFrame"]:
    from karat.evaluations.preferences.simulate import simulate
    from karat.render.files import replacing

    gold, systems, truth = simulate(seed)
    data = folder / "preferences.jsonl"
    with replacing(data) as partial:
        gold.write_ndjson(partial)
    submissions = [folder / f"{name}.tsv" for name in systems]
    for path, predictions in zip(submissions, systems.values(), strict=True):
        with replacing(path) as partial:
            predictions.write_csv(partial, separator="\t")
    return api.preferences(data, submissions, explanations=True, seed=seed), truth


def _violations(folder: Path, seed: int) -> tuple[Report, "pl.DataFrame"]:
    from karat.evaluations.violations.simulate import simulate

    texts, checkers, truth = simulate(seed)
    paths = [folder / "violations.jsonl", *(folder / f"{name}.jsonl" for name in checkers)]
    for path, lines in zip(paths, [texts, *checkers.values()], strict=True):
        _write_lines(path, lines)
    return api.violations(paths[0], paths[1:], seed=seed), truth


def _rag(folder: Path, seed: int) -> tuple[Report, "pl.DataFrame"]:
    from karat.evaluations.rag.simulate import simulate

    answers, truth = simulate(seed)
    _write_lines(folder / "rag.jsonl", answers)
    return api.rag(folder / "rag.jsonl", seed=seed), truth


def _write_lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    from karat.render.files import replacing

    with replacing(path) as partial:
        partial.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


_PARTS: tuple[Callable[[Path, int], tuple[Report, "pl.DataFrame"]], ...] = (
    _reliability,
    _annotations,
    _preferences,
    _violations,
    _rag,
)


def _beside_truth(report: Report, truth: "pl.DataFrame") -> Report:
    """The report with its estimates beside the truth, and how many intervals hold it."""
    figures = report[report.about.main]
    keys = [name for name in truth.columns if name != "truth"]
    beside = figures.join(truth, on=keys, how="inner", maintain_order="left")
    table = typed_table(
        beside.to_dicts(), [*keys, "truth", "value", "low", "high", "n", "note"], numbers=number_columns(truth)
    )
    held = table.filter((table["low"] <= table["truth"]) & (table["truth"] <= table["high"])).height
    confidence = f"{report.options['confidence']:.0%}"
    note = f"The data is simulated: {held} of {table.height} intervals of {confidence} hold the true value."
    return replace(report, tables={**report.tables, "truth": table}, notes=(*report.notes, note))
