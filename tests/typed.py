"""A user's program, which `mypy --strict` checks against the types that Adjudge ships."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

import adjudge
from adjudge import DataError, Estimate, OptionError, Report
from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.statistics.proportions import mean, proportion


def worst(votes: Path, columns: dict[str, str]) -> tuple[str, float]:
    """The annotator with the lowest reliability."""
    report: Report = adjudge.reliability(votes, columns=columns, reference=["lead"], by="week", examples=0)
    table: pl.DataFrame = report["annotators"].filter(metric="reliability").sort("value")
    name = str(table["annotator"][0])
    found: Estimate = report.estimate("reliability", table="annotators", annotator=name)
    return name, found.value if found.value is not None else 0.0


def compared(runs: Sequence[str | Path]) -> str:
    """Two runs on the same items, as a page of Markdown; and what is wrong with them."""
    try:
        report = adjudge.compare(runs, judge=["1=a", "2=b"], texts=False)
    except (DataError, OptionError) as error:
        return "\n".join(error.lines)
    report.save("report.html")
    return report.to_json() if report.summary.verdict else str(report)


def saved(path: str) -> list[str]:
    """What the report of a saved run concludes, warns of and was made of."""
    report = Report.load(path)
    return [report.summary.verdict, *report.warnings, *(one.path for one in report.inputs)]


def others() -> list[float | None]:
    """Other evaluations, and figures of counts alone."""
    reports = [
        adjudge.preferences("gold.jsonl", ["a.tsv", "b.tsv"], explanations=True, seed=1),
        adjudge.rag(pl.DataFrame(), scorer="all", on_invalid="drop"),
        adjudge.violations("truth.jsonl", "found.jsonl", variant="std"),
        adjudge.annotations("pairs.json", style=True),
        adjudge.agreement("votes.csv", level="ordinal", ordered=["1", "2", "3"]),
        adjudge.card("labels.csv", judges=["gpt"], reference="people"),
    ]
    values = [report.estimate("accuracy", table=report.about.main).value for report in reports]
    return [*values, proportion(7, 10).value, mean(10, 7.0, 5.5).value]


def mistaken() -> None:
    """Ten mistakes that type checkers see before anything runs."""
    adjudge.reliability("votes.csv", refrence="lead")  # type: ignore[call-arg]
    adjudge.reliability("votes.csv", ci_level="high")  # type: ignore[arg-type]
    adjudge.reliability("votes.csv", date_order="most")  # type: ignore[arg-type]
    adjudge.reliability("votes.csv", encoding="cp1252")  # type: ignore[call-arg]
    adjudge.reliability("votes.csv", reading=adjudge.Reading(encodin="cp1252"))  # type: ignore[call-arg]
    adjudge.reliability()  # type: ignore[call-arg]
    adjudge.compare(runs=["a.parquet", "b.parquet"], all_pairs="yes")  # type: ignore[arg-type]
    adjudge.violations("truth.jsonl", variant="half")  # type: ignore[arg-type]
    adjudge.score([1, 0], [1, 1], positiv="1")  # type: ignore[call-arg]
    proportion("7", 10)  # type: ignore[arg-type]


def of_options(options: ReliabilityOptions) -> bool:
    """Two more, of code that reads options."""
    return options.exmaples == 0 or options.date_order == "most"  # type: ignore[attr-defined, comparison-overlap]
