"""Evaluations of simulated data with known true values, to learn and verify the metrics."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import adjudge
from adjudge.errors import OutputError
from adjudge.evaluations import simulate
from adjudge.render.files import check_target, write_text, write_whole
from adjudge.render.html import report_page
from adjudge.report import Report, number_columns, typed_table
from adjudge.writers.pair_files import write_columnar

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
    for name in DEMOS:
        given, truth = simulate_files(name, folder, seed)
        reports.append(_add_truth(getattr(adjudge, name)(**given, seed=seed), truth))
    write_text(report_page(reports), folder / "report.html")
    return reports


def brief_screen(report: Report) -> str:
    """The verdict and the table of a report, and whether its intervals cover the truth."""
    summary = report.summary
    table = replace(summary.table, rows=dict([*summary.table.rows.items()][:_DEMO_ROWS]))
    return str(replace(summary, table=table, findings=(), cautions=(), next=(), more=report.notes[-1]))


def simulate_files(name: str, folder: Path, seed: int) -> tuple[dict[str, Any], pl.DataFrame]:
    """The arguments of an evaluation of simulated data, which are written to files in `folder`; and the truth."""
    simulate_data, endings, options = DEMOS[name]
    *tables, truth = simulate_data(seed)
    given = dict(options)
    for (argument, ending), table in zip(endings.items(), tables, strict=True):
        files = table if isinstance(table, dict) else {name: table}
        written = [
            write_whole(folder / f"{stem}.{ending}", partial(_WRITERS[ending], one)) for stem, one in files.items()
        ]
        given[argument] = written if files is table else written[0]
    return given, truth


_WRITERS: Mapping[str, Callable[[Any, Path], object]] = {
    "csv": pl.DataFrame.write_csv,
    "tsv": partial(pl.DataFrame.write_csv, separator="\t"),
    "jsonl": lambda table, path: pl.DataFrame(table, infer_schema_length=None).write_ndjson(path),
    "parquet": write_columnar,
}
DEMOS: Mapping[str, tuple[Callable[[int], Any], Mapping[str, str], Mapping[str, Any]]] = {
    "reliability": (simulate.simulate_judgments, {"data": "csv"}, {}),
    "annotations": (simulate.simulate_pairs, {"data": "parquet"}, {}),
    "preferences": (simulate.simulate_preferences, {"gold": "jsonl", "predictions": "tsv"}, {"explanations": True}),
    "violations": (simulate.simulate_violations, {"ground_truth": "jsonl", "predictions": "jsonl"}, {}),
    "rag": (simulate.simulate_answers, {"answers": "jsonl"}, {}),
    "card": (
        simulate.simulate_labels,
        {"data": "csv"},
        {"judges": [*simulate.JUDGES], "run_column": "draw", "confidence_column": "certainty", "time": "month"},
    ),
}
"""Each evaluation, in the order of the demo: what simulates its data, the endings of its arguments' files, options."""


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
