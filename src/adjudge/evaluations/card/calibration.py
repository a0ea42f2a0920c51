"""How well a judge's confidence is calibrated."""

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.metrics.tables import rows_by_group
from adjudge.readers.problems import count_words, listed
from adjudge.report import truncate
from adjudge.spec import MetricSpec
from adjudge.statistics import calibration
from adjudge.statistics.scores import mean_change, mean_score

_PERCENT = 100.0
_SCALES = 10
"""Numbers above 1 up to this may come from a scale such as 1 to 5 or 1 to 10, so that they are not read as percent."""
CONFIDENCE, RIGHT = "sure", "right"
"""Columns: the confidence as a share, and whether the label is right."""


def outcomes_with_confidence(card: CardLabels, by: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Outcomes of items that people labelled and for which a judge gives its confidence; and notes.

    They have the columns CONFIDENCE and RIGHT: whether the label is the one that most people give, 1 / k of k that tie.
    A judge's values are percentages if some have a percent sign, or if some are above 10 and none lies between 0 and
    1.
    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    shares, notes = confidence_shares(card.labels_by(card.judges, card.first_labels))
    texts = pl.col("item", "judge", "label").cast(pl.String)
    labels = outcomes(card, by).with_columns(texts).collect().drop_nulls("agrees")
    for columns, keys in ((shares, ["item", "judge"]), (majority_labels(card), ["item", "label"])):
        labels = labels.join(columns, on=keys, how="left", maintain_order="left")
    labels = labels.with_columns(pl.col(RIGHT).fill_null(0.0))
    if silent := labels[CONFIDENCE].null_count():
        unsaid = count_words(silent, "label", "labels")
        notes.append(f"Nothing says how sure the judge is of {unsaid}, which are left out there.")
    if labels["cluster"].null_count() == labels.height:
        labels = labels.drop("cluster")
    return labels.drop_nulls(CONFIDENCE), notes


def majority_labels(card: CardLabels) -> pl.DataFrame:
    """The most frequent labels of people per item; RIGHT is 1 / k for each of k that tie."""
    people = card.labels_by(card.people, card.first_labels).select(pl.col("item", "label").cast(pl.String))
    votes = people.group_by("item", "label").len("votes")
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over("item"))
    return most.select("item", "label", (1 / pl.len().over("item")).alias(RIGHT))


def confidence_shares(labels: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The confidence of each label of judges as a share (item, judge, CONFIDENCE), and notes.

    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    columns = labels.select(pl.col("item", "certainty").cast(pl.String), judge=pl.col("who").cast(pl.String))
    text, confidence = pl.col("certainty").str.strip_chars(), pl.col(CONFIDENCE)
    number = text.str.strip_suffix("%").str.strip_chars().cast(pl.Float64, strict=False)
    given = columns.filter(text.str.len_chars() > 0).with_columns(number.alias(CONFIDENCE))
    whole = (confidence.max() > _SCALES) & ~((confidence > 0) & (confidence < 1)).any()
    given = given.with_columns(percent=(text.str.ends_with("%").any() | whole).over("judge"))
    most = pl.when("percent").then(_PERCENT).otherwise(1.0)
    wrong = given.filter(~confidence.is_between(0, most).fill_null(value=False))
    for row in wrong.head(1).iter_rows(named=True):
        problem = "expected a number from 0 to 1, or percent from 0 to 100"
        got = truncate(repr(row["certainty"]), 60)
        whose = f"confidence of {row['judge']:.60} on item {row['item']:.60}"
        raise DataError([f"{whose}: {problem}; got {got}"], total=wrong.height)
    judges = given.filter("percent")["judge"].unique().sort().to_list()
    notes = [f"Certainties of {listed(judges)} are read as percent."] if judges else []
    return given.select("item", "judge", confidence / most), notes


METRICS = {
    "mean_certainty": MetricSpec("Certainty", "Mean confidence that the judge states."),
    "right": MetricSpec(
        "Right", "Labels equal to the majority label / items; one of k labels that tie counts 1 / k.", "high"
    ),
    "overconfidence": tables.difference_spec("Too sure by", "Confidence less the share that is right."),
    "overconfidence_single": tables.difference_spec(
        "Too sure by, single people", "Confidence less the share of people with the label: lower than the majority's."
    ),
    "plain_error": tables.mean_share_spec(
        "Calibration error",
        "Expected calibration error (ECE), in bins of about equal counts; above 0 by chance alone.",
        "low",
    ),
    "error_by_chance": tables.mean_share_spec(
        "Of it by chance", "Mean ECE of a perfectly calibrated judge on as many items."
    ),
    "calibration_error": tables.mean_share_spec(
        "Corrected error", "Root mean square distance of confidence from the share that is right, less chance.", "low"
    ),
    "brier": tables.number_spec(
        "Brier score", "Mean squared distance of confidence from 1 if right, from 0 if wrong.", "low", bounds=(0.0, 1.0)
    ),
    "risk_area": tables.mean_share_spec(
        "Wrong over all coverages", "Area under the risk-coverage curve (AURC): mean error over all coverages.", "low"
    ),
}
TABLES = {
    "certainty": "Each judge's confidence beside its accuracy against the majority label.",
    "calibration": "Accuracy in bins of about equal counts, by mean confidence.",
}


def calibration_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows of the two tables on confidence, with notes."""
    if not card.has("certainty"):
        return
    if card.level not in (NOMINAL, "ordinal"):
        yield "How sure a judge is stands beside how often it is right, which numbers are not."
        return
    labels, notes = outcomes_with_confidence(card, options.by)
    for keys, rows in rows_by_group(labels, [*options.by, "judge"]):
        parts = rows.select(CONFIDENCE, RIGHT, pl.col("agrees").cast(pl.Float64))
        certainty, right, agreed = (part.to_numpy() for part in parts)
        units, confidence = tables.cluster_numbers(rows), options.ci_level
        error = calibration.miscalibration(certainty, right, units, confidence=confidence)
        squares = right * (1 - certainty) ** 2 + (1 - right) * certainty**2
        known = partial(Estimate, n=len(right), confidence=confidence)
        mean, change = (partial(each, units=units, confidence=confidence) for each in (mean_score, mean_change))
        results: dict[str, tables.CardResult] = {
            "mean_certainty": mean(certainty),
            "right": mean(right),
            "overconfidence": change(certainty - right),
            "overconfidence_single": change(certainty - agreed),
            "plain_error": known(error.plain),
            "error_by_chance": known(error.by_chance),
            "calibration_error": error.corrected,
            "brier": mean(squares),
            "risk_area": calibration.risk_coverage_area(certainty, right, units, confidence=confidence),
        }
        for metric, result in results.items():
            yield tables.CardRow("certainty", keys, metric, result)
        for point in calibration.calibration_curve(certainty, right, units, confidence=confidence):
            yield tables.CardRow("calibration", {**keys, "certainty": point.certainty}, "right", point.right)
    yield from notes


CALIBRATION_SECTION = tables.CardSection(METRICS, TABLES, calibration_parts)
