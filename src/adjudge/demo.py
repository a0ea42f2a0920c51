"""Evaluations of simulated data with known true values, to learn and verify the metrics."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import adjudge
from adjudge.errors import OutputError
from adjudge.evaluations import simulate
from adjudge.readers.pairs.pairs import write_columnar
from adjudge.render.files import check_target, write_lines, write_text, write_whole
from adjudge.render.html import report_page
from adjudge.report import Report, number_columns, typed_table

_DEMO_ROWS = 8


def demo(folder: Path, seed: int) -> list[Report]:
    """Simulate data for every evaluation into `folder`, evaluate it, and save the reports as report.html.

    Each report has a table `truth`: keys, metric, truth, value, low, high.
    Raises OutputError if the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    check_target(folder / "report.html")
    reports = []
    for name, make in DEMOS.items():
        given, truth = make(folder, seed)
        reports.append(_add_truth(getattr(adjudge, name)(**given, seed=seed), truth))
    write_text(report_page(reports), folder / "report.html")
    return reports


def brief_screen(report: Report) -> str:
    """The verdict and the table of a report, and whether its intervals cover the truth."""
    summary = report.summary
    table = replace(summary.table, rows=dict([*summary.table.rows.items()][:_DEMO_ROWS]))
    return str(replace(summary, table=table, findings=(), cautions=(), next=(), more=report.notes[-1]))


def _reliability(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    judgments, truth = simulate.simulate_judgments(seed)
    return {"data": write_whole(folder / "reliability.csv", judgments.write_csv)}, truth


def _annotations(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    pairs, truth = simulate.simulate_pairs(seed)
    return {"data": write_whole(folder / "annotations.parquet", partial(write_columnar, pairs))}, truth


def _preferences(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    gold, systems, truth = simulate.simulate_preferences(seed)
    data = write_whole(folder / "preferences.jsonl", gold.write_ndjson)
    submissions = [
        write_whole(folder / f"{name}.tsv", partial(predictions.write_csv, separator="\t"))
        for name, predictions in systems.items()
    ]
    return {"gold": data, "predictions": submissions, "explanations": True}, truth


def _violations(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    texts, checkers, truth = simulate.simulate_violations(seed)
    paths = [folder / "violations.jsonl", *(folder / f"{name}.jsonl" for name in checkers)]
    for path, lines in zip(paths, [texts, *checkers.values()], strict=True):
        write_lines(lines, path)
    return {"ground_truth": paths[0], "predictions": paths[1:]}, truth


def _rag(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    answers, truth = simulate.simulate_answers(seed)
    write_lines(answers, folder / "rag.jsonl")
    return {"answers": folder / "rag.jsonl"}, truth


def _card(folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    labels, truth = simulate.simulate_labels(seed)
    data = write_whole(folder / "card.csv", labels.write_csv)
    columns = {"run_column": "draw", "confidence_column": "certainty", "time": "month"}
    return {"data": data, "judges": [*simulate.JUDGES], **columns}, truth


DEMOS = {
    "reliability": _reliability,
    "annotations": _annotations,
    "preferences": _preferences,
    "violations": _violations,
    "rag": _rag,
    "card": _card,
}
"""The functions that simulate each evaluation's data, in the order of the demo."""


def _add_truth(report: Report, truth: pl.DataFrame) -> Report:
    """The report with its estimates and the true values, and the number of intervals that cover them."""
    rows = report[report.about.main]
    keys = [name for name in truth.columns if name != "truth"]
    beside = rows.join(truth, on=keys, how="inner", maintain_order="left")
    columns = [*keys, "truth", "value", "low", "high", "n", "caveat"]
    table = typed_table(beside.to_dicts(), columns, numbers=number_columns(truth))
    covering = table.filter((table["low"] <= table["truth"]) & (table["truth"] <= table["high"])).height
    ci = f"{100 * report.confidence:.4g}% interval"
    note = f"Simulated data: the {ci} covers the true value in {covering} of {table.height} cases."
    return replace(report, tables={**report.tables, "truth": table}, notes=(*report.notes, note))
