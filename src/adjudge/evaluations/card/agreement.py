"""Agreement with people compared with the human ceiling, and the margins by which a judge is no worse."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card.metrics import (
    AGREEMENT,
    DIFFERENCE,
    DISTANCE,
    DISTANCE_DIFFERENCE,
    NOMINAL,
    ORDERED,
    level_views,
)
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import outcomes, people_outcomes
from adjudge.evaluations.card.reading import CardLabels
from adjudge.evaluations.card.tables import CardSection, SectionTables, labels_by_judge
from adjudge.metrics.cells import StateCells
from adjudge.metrics.comparison import judge_differences
from adjudge.metrics.metric import Metric, metric_specs
from adjudge.metrics.ratios import Mean, distinct_sums
from adjudge.metrics.tables import DIFFERENCE as DIFFERENCE_COLUMNS
from adjudge.metrics.tables import MetricRow, cells_by, difference_rows, estimate_row, left_out_table, score
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.spec import EQUIVALENCE_SUFFIX, NON_INFERIORITY_SUFFIX, MetricSpec
from adjudge.statistics.proportions import alone_note
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.scores import mean_score_limits

_OTHERS_METRICS: dict[Metric, str] = {AGREEMENT: "agreement_with_others", DISTANCE: "distance_from_others"}
"""Metric of a judge -> its name in the table of judges among people, each compared with the other people."""
_CEILING_METRICS = {
    **metric_specs(NOMINAL, ORDERED),
    "cost": MetricSpec(
        "Cost per item",
        "Mean cost of the judge's label of an item; that of a jury is the sum of its members'.",
        "low",
        percent=False,
        decimals=6,
        bounds=(0.0, None),
    ),
    "agreement_with_others": MetricSpec(
        "Agreement with others",
        "Mean over items of the share of the other people who give the same label.",
        "high",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "distance_from_others": MetricSpec(
        "Distance from others",
        "Mean over items of how far the other people's labels are.",
        "low",
        percent=False,
        bounds=(0.0, None),
    ),
}
_CEILING_TABLES = {
    "judges": "How far each judge agrees with people, on items that people labelled too; how far people agree with one "
    "another, on those that two or more labelled; and the difference, on those too.",
    "differences": "Whether two judges differ in their agreement with people, paired on the items that both labelled.",
    "left_out": "Items that a difference leaves out because only one judge has the metric there, and why.",
    "everyone": "Judges among people: each compared with the other people, on whatever items both labelled.",
}


def ceiling_tables(card: CardLabels, options: CardOptions) -> SectionTables:
    """Make the main table and the table of judges among people, with a note if the human ceiling is unknown."""
    by, confidence = options.by, options.ci_level
    judges, people = outcomes(card, by), people_outcomes(card, by)
    rows = [
        estimate_row(row.keys, row.metric.name, row.estimate) for row in _agreement_rows(card, judges, by, confidence)
    ]
    everyone = [
        estimate_row(row.keys | {"annotator": row.keys["judge"], "side": side}, metric, row.estimate)
        for side, frame in (("judge", judges), ("person", people))
        for row in _agreement_rows(card, frame, by, confidence)
        if (metric := _OTHERS_METRICS.get(row.metric))
    ]
    for keys, labels in labels_by_judge(card, by, card.first_labels) if card.has("cost") else ():
        if len(costs := labels["cost"].drop_nulls()):
            mean = Estimate(costs.sum() / len(costs), n=len(costs), confidence=confidence)
            rows.append(estimate_row(keys, "cost", mean))
    tables = {"judges": typed_table(rows, [*by, "judge", *ESTIMATE_COLUMNS])}
    if len(card.judges) > 1:
        view = level_views(card.level)[0]
        view, unit = replace(view, metrics=view.metrics[:1]), "cluster" if card.has("cluster") else None
        compared = view.rows(judges, by, {}).collect()
        names = sorted(compared["judge"].unique().cast(pl.String))
        differences, keys = [*judge_differences(compared, view, names, by, unit, confidence)], [*by, "first", "second"]
        tables["differences"] = typed_table(difference_rows(differences), [*keys, *DIFFERENCE_COLUMNS])
        tables |= left_out_table(differences, keys)
    if len(card.people) > 1:
        tables["everyone"] = typed_table(everyone, [*by, "annotator", "side", *ESTIMATE_COLUMNS])
    note = "Intervals say what other items would give with the same people, not what other people would."
    if not judges.select(pl.col("ceiling").is_not_null().any()).collect().item():
        why = "there is one trusted label per item" if card.gold else "no item of a judge is labelled by two people"
        note = f"The ceiling is unknown: {why}, so nothing says how often people would agree with one another."
    return SectionTables(tables, (note,))


def _agreement_rows(card: CardLabels, frame: pl.LazyFrame, by: Sequence[str], confidence: float) -> Iterator[MetricRow]:
    """Metrics of all annotators in outcomes."""
    unit = "cluster" if card.has("cluster") else None
    for view in level_views(card.level):
        for keys, cells in cells_by(view.rows(frame, by, {}), view, [*by, "judge"], unit):
            yield from score(view, cells, keys, confidence)


CEILING_SECTION = CardSection(_CEILING_METRICS, _CEILING_TABLES, ceiling_tables)


_MARGIN_METRICS: dict[Mean, str] = {DIFFERENCE: "agreement", DISTANCE_DIFFERENCE: "distance"}
"""Difference between judge and people -> the name of what differs."""


_MARGINS = {
    NON_INFERIORITY_SUFFIX: (
        "no worse by",
        (
            "The margin by which the judge is shown to be no worse than people, by a one-sided test: of no smaller one "
            "is it shown."
        ),
    ),
    EQUIVALENCE_SUFFIX: (
        "equivalent within",
        "The margin within which judge and people are shown to be equivalent, by two one-sided tests.",
    ),
}
_EQUIVALENCE_METRICS = {
    f"{name}{suffix}": MetricSpec(
        f"{name.capitalize()}: {title}", meaning, "low", percent, of_shares=percent, margin=True, bounds=bounds
    )
    for name, percent, bounds in (("agreement", True, (0.0, 1.0)), ("distance", False, (0.0, None)))
    for suffix, (title, meaning) in _MARGINS.items()
}
_EQUIVALENCE_TABLES = {
    "equivalence": "The smallest margins that the data show, in percentage points of agreement or in units of "
    "distance: that the judge is no worse than people by more, and no farther from them either way. They rest on "
    "one-sided score tests, with the variance that the difference has if it equals the margin."
}


def equivalence_tables(card: CardLabels, options: CardOptions) -> SectionTables:
    """Make the table of non-inferiority and equivalence margins of each judge."""
    by, wide = options.by, 1 - 2 * significance_level(options.ci_level)
    if wide <= 0:
        note = "Equivalence is unknown: at a confidence of 50% or less one-sided tests show nothing."
        return SectionTables(notes=(note,))
    judges, unit = outcomes(card, by), "cluster" if card.has("cluster") else None
    rows = [
        estimate_row(keys, f"{_MARGIN_METRICS[metric]}{suffix}", margin)
        for view in level_views(card.level)
        for keys, cells in cells_by(view.rows(judges, by, {}), view, [*by, "judge"], unit)
        for metric in view.metrics
        if metric in _MARGIN_METRICS and metric.kind in cells
        for suffix, margin in zip(_MARGINS, _margins(metric, cells[metric.kind], options.ci_level), strict=True)
    ]
    return SectionTables({"equivalence": typed_table(rows, [*by, "judge", *ESTIMATE_COLUMNS])})


def _margins(metric: Mean, cells: StateCells, confidence: float) -> tuple[Estimate, Estimate]:
    """The one-sided margin (non-inferiority) and the two-sided margin (equivalence) of a difference.

    Limits at 1 - 2 alpha are where one-sided tests at alpha begin to reject. They are those of the score test
    (`mean_score_limits`), whose variance is the one under the margin.
    """
    wide = 1 - 2 * significance_level(confidence)
    gap = metric.estimate(cells, wide)
    sums, sizes, counts = distinct_sums(cells, *metric.sums(cells.states))
    counted = sizes > 0
    alone = counts[counted].sum() <= 1
    if gap.low is None or alone:
        caveat = alone_note(gap.n) if alone else gap.caveat
        reason = gap.reason or f"the difference has no interval ({caveat.title if caveat else ''})"
        undefined = Estimate.undefined(reason, n=gap.n, confidence=confidence)
        return undefined, undefined
    limits = mean_score_limits(sums[counted], sizes[counted], counts[counted], metric.bounds, confidence=wide)
    low, high = map(float, limits)
    worst = -low if metric.spec.better == "high" else high
    margin = partial(Estimate, n=gap.n, method="score", confidence=confidence, caveat=gap.caveat)
    return margin(max(worst, 0.0)), margin(max(-low, high))


EQUIVALENCE_SECTION = CardSection(_EQUIVALENCE_METRICS, _EQUIVALENCE_TABLES, equivalence_tables)
