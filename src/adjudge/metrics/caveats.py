"""Caveats on results: baselines that no judge beats, agreement at chance, missing answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import polars as pl

from adjudge.metrics.ranking import differences_matching, is_significant
from adjudge.metrics.row_selection import TableRow, key_columns
from adjudge.report import Report
from adjudge.spec import BASELINE_PREFIX, Headline


@dataclass(frozen=True, slots=True)
class FirstValueOnly:
    """Only the first value of a key column is reported. others: its further values.

    same: whether the rows of all values are equal.
    """

    key: str
    value: str
    others: Sequence[str]
    same: bool = False


@dataclass(frozen=True, slots=True)
class BaselineUnbeaten:
    """Judges that are not significantly better than the best baseline. worse: those that are significantly worse."""

    baseline: str
    judges: Sequence[str]
    worse: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ChanceAgreement:
    """Judges whose agreement is not significantly above chance, those with most labels first.

    contrary: whether their agreement is significantly below chance.
    """

    rows: Sequence[TableRow]
    contrary: bool = False


@dataclass(frozen=True, slots=True)
class MissingAnswerBounds:
    """Judges with missing answers, each with the lowest and the highest value it could have if they were known."""

    metric: str
    bounds: Mapping[str, tuple[float, float]]


CaveatFact: TypeAlias = FirstValueOnly | BaselineUnbeaten | ChanceAgreement | MissingAnswerBounds


def first_values(report: Report) -> Iterator[FirstValueOnly]:
    """The key columns of which only the first of several values is reported."""
    main = report.tables[report.about.main]
    firsts: dict[str, FirstValueOnly] = {}
    for answer in report.about.answers:
        rows = main.filter(metric=answer.metric)
        for key in answer.first:
            if rows.schema.get(key) == pl.String and rows[key].drop_nulls().n_unique() > 1:
                value, *others = rows[key].drop_nulls().unique(maintain_order=True)
                first_rows, *other_rows = (main.filter(pl.col(key) == each).drop(key) for each in (value, *others))
                equal = all(rows.equals(first_rows) for rows in other_rows)
                firsts.setdefault(key, FirstValueOnly(key, value, others, equal))
    yield from firsts.values()


def unbeaten_baseline(report: Report, answer: Headline, ranked: Sequence[TableRow]) -> Iterator[BaselineUnbeaten]:
    """The judges that are not significantly better than the best baseline, and those that are worse."""
    if "differences" not in report.tables or not ranked:
        return
    compared = differences_matching(report, answer, ranked[0])
    rows = [row for row in compared if str(row["first"]).startswith(BASELINE_PREFIX)]
    defined = [row for row in rows if row["first_value"] is not None]
    if not defined:
        return
    best, confidence = max(defined, key=lambda row: row["first_value"])["first"], report.confidence
    rows = [row for row in rows if row["first"] == best]
    judges = [row["second"] for row in rows if not _is_significantly_better(row, confidence)]
    if judges:
        worse = [row["second"] for row in rows if _is_significantly_better(row, confidence, worse=True)]
        yield BaselineUnbeaten(best, judges, worse)


def _is_significantly_better(row: TableRow, confidence: float, *, worse: bool = False) -> bool:
    """Whether the second is significantly better (worse) than the first."""
    value = row["value"]
    return value is not None and value != 0 and (value < 0) is worse and is_significant(row["p_adjusted"], confidence)


def agreement_at_chance(report: Report, ranked: Sequence[TableRow]) -> Iterator[ChanceAgreement]:
    """The annotators whose interval of kappa, which is 0 by chance, reaches 0 or lies below it, where labels can tell.

    Those with a note that the metric rests on little, and those whose labels, or the reference's, are all the same, are
    left out. An interval that is not adjusted reaches 0 wherever one that is adjusted for many judges does.
    """
    if not report.about.of_annotators:
        return
    judges, judge = set(map(_row_identity, ranked)), report.about.judge
    rows = report[report.about.main].filter(pl.col("metric") == "kappa").to_dicts()
    rows = [row for row in rows if _row_identity(row) in judges]
    defined = [row for row in rows if row["high"] is not None and row["caveat"] is None]
    several = _with_several_labels(report)
    telling = sorted((row for row in defined if row[judge] in several), key=lambda row: -row["n"])
    for contrary in (False, True):
        if found := [row for row in telling if row["low"] <= 0 and (row["high"] < 0) is contrary]:
            yield ChanceAgreement(found, contrary)


def _with_several_labels(report: Report) -> set[str]:
    """The judges that give at least two different labels where the reference does so too."""
    given = report.about.label_counts
    if given.table not in report.tables:
        return set()
    counted = report[given.table].filter(pl.col("count") > 0, ~pl.col(given.label).is_in(given.missing))
    labels = counted.drop_nulls([given.label, given.reference]).group_by(report.about.judge)
    sides = labels.agg(pl.col(given.label, given.reference).n_unique())
    return set(sides.filter(pl.min_horizontal(given.label, given.reference) > 1)[report.about.judge])


def missing_answer_bounds(
    report: Report, answer: Headline, ranked: Sequence[TableRow]
) -> Iterator[MissingAnswerBounds]:
    """The lowest and highest possible values of estimates with missing answers."""
    ends = [f"{answer.metric}_{end}" for end in ("lowest", "highest")]
    rows = report[report.about.main].filter(pl.col("metric").is_in(ends)).to_dicts()
    values = {(row["metric"], _row_identity(row)): row["value"] for row in rows}
    bounds = {}
    for row in ranked:
        low, high = (values.get((end, _row_identity(row))) for end in ends)
        if low is not None and high is not None and low < high:
            bounds[row[report.about.judge]] = (low, high)
    if bounds:
        yield MissingAnswerBounds(answer.metric, bounds)


def _row_identity(row: TableRow) -> tuple[Any, ...]:
    return tuple(row[key] for key in key_columns(row))
