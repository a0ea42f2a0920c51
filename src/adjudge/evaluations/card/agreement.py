"""Agreement with people compared with the human ceiling, and the margins by which a judge is no worse."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card import metrics, tables
from adjudge.evaluations.card.calibration import RIGHT, majority_labels
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import outcomes, people_outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels, find_choices
from adjudge.metrics.cells import StateCells
from adjudge.metrics.comparison import judge_differences
from adjudge.metrics.metric import Metric, View, metric_specs
from adjudge.metrics.ratios import Mean, distinct_sums
from adjudge.metrics.tables import CellsByKind, Keys, cells_by, difference_tables, score
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.spec import EQUIVALENCE_SUFFIX, NON_INFERIORITY_SUFFIX, MetricSpec
from adjudge.statistics.proportions import alone_note
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.scores import mean_score, mean_score_limits

_OTHERS_METRICS: dict[Metric, str] = {
    metrics.AGREEMENT: "agreement_with_others",
    metrics.DISTANCE: "distance_from_others",
}
"""Metric of a judge -> its name in the table of judges among people, each compared with the other people."""
_CEILING_METRICS = {
    **metric_specs(metrics.NOMINAL, metrics.ORDERED),
    "cost": tables.number_spec(
        "Cost per item",
        "Mean cost of a label; a jury costs what its members do.",
        "low",
        decimals=6,
        bounds=(0.0, None),
    ),
    "agreement_with_others": tables.mean_share_spec(
        "Agreement with others", "Mean over items of the share of the other people who give the same label.", "high"
    ),
    "distance_from_others": tables.number_spec(
        "Distance from others", "Mean over items of how far the other people's labels are.", "low", bounds=(0.0, None)
    ),
}
_CEILING_TABLES = {
    "judges": "How far each judge agrees with people, on items that people labelled too; how far people agree with one "
    "another, on those that two or more labelled; and the difference, on those too.",
    "differences": "Whether two judges differ in their agreement with people, paired on the items that both labelled.",
    "left_out": "Items that a difference leaves out because only one judge has the metric there, and why.",
    "everyone": "Judges among people: each compared with the other people, on whatever items both labelled.",
}


def ceiling_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """The main table and the table of judges among people, with a note if the human ceiling is unknown."""
    by, confidence = options.by, options.ci_level
    judges, several = outcomes(card, by), len(card.people) > 1
    yield {"judges": typed_table([], [*by, "judge", *ESTIMATE_COLUMNS])}
    for side, frame in (("judge", judges), ("person", people_outcomes(card, by))):
        for view, keys, cells in _cells_by_annotator(card, frame, by):
            named = {name: keys[name] for name in by} | {"annotator": keys["judge"], "side": side}
            for row in score(view, cells, keys, confidence):
                if side == "judge":
                    yield tables.CardRow("judges", keys, row.metric.name, row.estimate)
                if several and row.metric in _OTHERS_METRICS:
                    yield tables.CardRow("everyone", named, _OTHERS_METRICS[row.metric], row.estimate)
    for keys, labels in tables.labels_by_judge(card, by, card.first_labels) if card.has("cost") else ():
        if len(costs := labels["cost"].drop_nulls()):
            mean = Estimate(float(costs.to_numpy().mean()), n=len(costs), confidence=confidence)
            yield tables.CardRow("judges", keys, "cost", mean)
    if len(card.judges) > 1:
        view = metrics.level_views(card.level)[0]
        view = replace(view, metrics=view.metrics[:1])
        compared = view.rows(judges, by, {}).collect()
        names = sorted(compared["judge"].unique().cast(pl.String))
        differences = [*judge_differences(compared, view, names, by, card.unit, confidence)]
        yield difference_tables(differences, [*by, "first", "second"])
    if judges.select(pl.col("ceiling").is_not_null().any()).collect().item():
        yield "Intervals say what other items would give with the same people, not what other people would."
    else:
        why = "there is one trusted label per item" if card.gold else "no item of a judge is labelled by two people"
        yield f"The ceiling is unknown: {why}, so nothing says how often people would agree with one another."


def _cells_by_annotator(
    card: CardLabels, frame: pl.LazyFrame, by: Sequence[str]
) -> Iterator[tuple[View, Keys, CellsByKind]]:
    """The cells of all annotators in outcomes, for each view of the labels' level."""
    for view in metrics.level_views(card.level):
        for keys, cells in cells_by(view.rows(frame, by, {}), view, [*by, "judge"], card.unit):
            yield view, keys, cells


CEILING_SECTION = tables.CardSection(_CEILING_METRICS, _CEILING_TABLES, ceiling_parts)


_MARGIN_METRICS: dict[Mean, str] = {metrics.DIFFERENCE: "agreement", metrics.DISTANCE_DIFFERENCE: "distance"}
"""Difference between judge and people -> the name of what differs."""


_MARGINS = {
    NON_INFERIORITY_SUFFIX: ("no worse by", "that the judge is no worse than people, by a one-sided test"),
    EQUIVALENCE_SUFFIX: ("equivalent within", "that judge and people are equivalent, by two one-sided tests"),
}
"""Suffix of a margin's metric -> the end of its title, and what it is shown for."""
_EQUIVALENCE_METRICS = {
    f"{name}{suffix}": MetricSpec(
        f"{name.capitalize()}: {title}",
        f"The smallest margin at which the data show {meaning}.",
        better="low",
        percent=percent,
        of_shares=percent,
        margin=True,
        bounds=bounds,
    )
    for name, percent, bounds in (("agreement", True, (0.0, 1.0)), ("distance", False, (0.0, None)))
    for suffix, (title, meaning) in _MARGINS.items()
}
_EQUIVALENCE_TABLES = {
    "equivalence": "The smallest non-inferiority and equivalence margins that the data show, by one-sided score tests "
    "with the variance under the margin."
}


def equivalence_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """Non-inferiority and equivalence margins of each judge."""
    if 2 * significance_level(options.ci_level) >= 1:
        yield "Equivalence is unknown: at a confidence of 50% or less one-sided tests show nothing."
        return
    yield {"equivalence": typed_table([], [*options.by, "judge", *ESTIMATE_COLUMNS])}
    for view, keys, cells in _cells_by_annotator(card, outcomes(card, options.by), options.by):
        for metric in view.metrics:
            if metric in _MARGIN_METRICS and metric.kind in cells:
                margins = _margins(metric, cells[metric.kind], options.ci_level)
                for suffix, margin in zip(_MARGINS, margins, strict=True):
                    yield tables.CardRow("equivalence", keys, f"{_MARGIN_METRICS[metric]}{suffix}", margin)


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


EQUIVALENCE_SECTION = tables.CardSection(_EQUIVALENCE_METRICS, _EQUIVALENCE_TABLES, equivalence_parts)

# --- how often a judge gives the label that most human annotators give, by label ---

_MOST_LABELS = 3
"""The most labels for which rates are shown one by one."""
_HUMAN = "human"

_RATE_METRICS = {
    "label_rate": MetricSpec(
        "Human label given",
        "Items with the label that most humans give / items with a single most frequent human label.",
        better="high",
    )
}
_RATE_TABLES = {
    "label_rates": "How often a judge gives each label that most human annotators give, the rarest label first: of two "
    "labels its true positive and true negative rates."
}


def label_rate_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow]:
    """Rates by human label, if humans give two or three labels that do not choose a response."""
    human = majority_labels(card).filter(pl.col(RIGHT) == 1).select("item", pl.col("label").alias(_HUMAN))
    counts = human.group_by(_HUMAN).len().sort("len", _HUMAN)
    few = card.level in (NOMINAL, "ordinal") and 1 < counts.height <= _MOST_LABELS
    if not few or find_choices(card, options.choices) is not None:
        return
    for keys, labels in tables.labels_by_judge(card, options.by, card.first_labels):
        texts = labels.with_columns(pl.col("item", "label").cast(pl.String))
        both = texts.join(human, on="item", how="inner", maintain_order="left")
        for label in counts[_HUMAN]:
            items = both.filter(pl.col(_HUMAN) == label)
            given = (items["label"] == label).to_numpy().astype(np.float64)
            estimate = mean_score(given, tables.cluster_numbers(items), confidence=options.ci_level)
            yield tables.CardRow("label_rates", {**keys, "label": label}, "label_rate", estimate)


LABEL_RATES_SECTION = tables.CardSection(_RATE_METRICS, _RATE_TABLES, label_rate_parts)
