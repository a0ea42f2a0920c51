"""How well a judge's confidence is calibrated, and what is gained if it abstains when it is unsure."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np
import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.metrics import NO_CEILING, mean_gap
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.metrics.cells import Floats, Mask
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.problems import count_words, listed
from adjudge.report import truncate
from adjudge.spec import MetricSpec
from adjudge.statistics import calibration
from adjudge.statistics.comparison import Comparison
from adjudge.statistics.scores import mean_change, mean_score, sums_of

_PERCENT = 100.0
_SCALES = 10
"""Numbers above 1 up to this may come from a scale such as 1 to 5 or 1 to 10, so that they are not read as percent."""
_SHOWN = 5
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
    if wrong.height:
        raise DataError(
            (
                f"confidence of {row['judge']:.60} on item {row['item']:.60}: expected a number from 0 to 1, or "
                f"percent from 0 to 100; got {truncate(repr(row['certainty']), 60)}"
                for row in wrong.head(_SHOWN).iter_rows(named=True)
            ),
            total=wrong.height,
        )
    judges = given.filter("percent")["judge"].unique().sort().to_list()
    notes = [f"Certainties of {listed(judges)} are read as percent."] if judges else []
    return given.select("item", "judge", confidence / most), notes


_COVERAGES = np.arange(1, 11) / 10
_PERCENTILES = np.arange(1, 101) / 100
_LEAST_KEPT = 30
"""The fewest items above a threshold that counts as sufficient."""
_NEVER_SUFFICIENT = (
    "whatever its certainty, on 30 items or more it agrees with people less often than they do with one another"
)
_ROUNDING = 1e-12
Result: TypeAlias = tuple[str, Keys, str, tables.CardResult]
"""The table, the keys besides those of the judge, the metric, and the result."""


class JudgeConfidence:
    """A judge's items: its confidence in each label, and whether the label is right.

    agreed: the share of people who agree with it. beyond: that share less that of pairs of people who agree; NaN where
    that is unknown. Rows are those of one judge from `outcomes_with_confidence`.
    """

    def __init__(self, rows: pl.DataFrame, confidence: float) -> None:
        agreed = pl.col("agrees").cast(pl.Float64)
        parts = rows.select(CONFIDENCE, RIGHT, agreed, beyond=(agreed - pl.col("ceiling")).cast(pl.Float64))
        self.certainty, self.right, self.agreed, self.beyond = (part.to_numpy() for part in parts)
        self.units, self.confidence = tables.cluster_numbers(rows), confidence

    def overall(self) -> Iterator[Result]:
        """Metrics over all items, one of which is tested."""
        error = calibration.miscalibration(self.certainty, self.right, self.units, confidence=self.confidence)
        squares = self.right * (1 - self.certainty) ** 2 + (1 - self.right) * self.certainty**2
        known = partial(Estimate, n=len(self.right), confidence=self.confidence)
        results: dict[str, tables.CardResult] = {
            "mean_certainty": self._mean(self.certainty),
            "right": self._mean(self.right),
            "overconfidence": self._mean_change(self.certainty - self.right),
            "overconfidence_single": self._mean_change(self.certainty - self.agreed),
            "plain_error": known(error.plain),
            "error_by_chance": known(error.by_chance),
            "calibration_error": error.corrected,
            "brier": self._mean(squares),
        }
        yield from (("certainty", {}, metric, result) for metric, result in results.items())

    def calibration_bins(self) -> Iterator[Result]:
        """The mean confidence of each bin, its accuracy, and the gap between both."""
        bins = calibration.equal_bins(self.certainty)
        curve = calibration.calibration_curve(self.certainty, self.right, self.units, confidence=self.confidence)
        for number, point in enumerate(curve):
            keys = {"certainty": point.certainty}
            yield "calibration", keys, "right", point.right
            gap = self._mean_change(self.certainty - self.right, bins == number)
            yield "calibration", keys, "gap", gap.estimate

    def abstention(self) -> Iterator[Result]:
        """Threshold, accuracy, and agreement less the human ceiling, for ten shares of items kept."""
        for threshold in calibration.thresholds(self.certainty, _COVERAGES):
            kept = calibration.kept_from(
                self.certainty, self.right, float(threshold), self.units, confidence=self.confidence
            )
            least = Estimate(kept.threshold, n=kept.right.n, confidence=self.confidence)
            known = (self.certainty >= threshold) & ~np.isnan(self.beyond)
            gap = Estimate.undefined(NO_CEILING, confidence=self.confidence)
            if known.any():
                values, units = self.beyond[known].round(12), None if self.units is None else self.units[known]
                sums, sizes = sums_of(values, units)
                cluster_sizes = None if units is None else sizes
                gap = mean_gap(float(values.mean()), sums, cluster_sizes, np.ones(len(sums)), self.confidence)
            for metric, estimate in (("threshold", least), ("kept_right", kept.right), ("kept_difference", gap)):
                yield "abstaining", {"coverage": kept.coverage}, metric, estimate

    def sufficient_confidence(self) -> Iterator[Result]:
        """The area under the risk-coverage curve, and the lowest confidence that reaches the human ceiling."""
        area = calibration.risk_coverage_area(self.certainty, self.right, self.units, confidence=self.confidence)
        known = ~np.isnan(self.beyond)
        reason = _NEVER_SUFFICIENT if known.any() else NO_CEILING
        lowest = share = Estimate.undefined(reason, confidence=self.confidence)
        for threshold in calibration.thresholds(self.certainty, _PERCENTILES)[::-1]:
            above = self.certainty >= threshold
            inside = above & known
            if inside.sum() >= _LEAST_KEPT and self.beyond[inside].mean() >= -_ROUNDING:
                share = self._mean(above.astype(float))
                lowest = Estimate(float(threshold), n=int(inside.sum()), confidence=self.confidence)
                break
        for metric, estimate in (("risk_area", area), ("enough_certainty", lowest), ("enough_coverage", share)):
            yield "sure_enough", {}, metric, estimate

    def _mean(self, values: Floats) -> Estimate:
        return mean_score(values, self.units, confidence=self.confidence)

    def _mean_change(self, values: Floats, inside: Mask | slice = slice(None)) -> Comparison:
        """The mean of values, and the test that it is 0."""
        units = None if self.units is None else self.units[inside]
        return mean_change(values[inside], units, confidence=self.confidence)


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
    "enough_certainty": tables.mean_share_spec(
        "Sure enough from",
        "Lowest confidence from which on agreement reaches the human ceiling; sought in these data, so rather too low.",
    ),
    "enough_coverage": MetricSpec("Then it labels", "The share of items of at least that confidence.", "high"),
    "gap": tables.difference_spec("Too sure by, in the bin", "Mean confidence less the share that is right."),
    "threshold": tables.mean_share_spec("From a certainty of", "The lowest confidence among the items that are kept."),
    "kept_right": MetricSpec("Accuracy of labels kept", "Right labels / items that are kept.", better="high"),
    "kept_difference": tables.difference_spec(
        "Judge minus people", "Agreement less the human ceiling, on the items that are kept.", "high"
    ),
}
TABLES = {
    "certainty": "Each judge's confidence beside its accuracy against the majority label.",
    "sure_enough": "How well confidence separates right labels from wrong ones, and from where on it is enough.",
    "calibration": "Confidence and accuracy in bins of about equal counts.",
    "abstaining": "Accuracy on the items that are kept if a judge abstains where it is unsure, by the share kept.",
}


def calibration_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows of the four tables on confidence, with a note if the data have none."""
    if not card.has("certainty"):
        yield "No column is named that says how sure a judge is of its labels: --confidence-column COLUMN names it."
        return
    if card.level not in (NOMINAL, "ordinal"):
        yield "How sure a judge is stands beside how often it is right, which numbers are not."
        return
    labels, notes = outcomes_with_confidence(card, options.by)
    for keys, rows in rows_by_group(labels, [*options.by, "judge"]):
        judge = JudgeConfidence(rows, options.ci_level)
        parts = judge.overall(), judge.sufficient_confidence(), judge.calibration_bins(), judge.abstention()
        for table, more, metric, result in chain(*parts):
            yield tables.CardRow(table, {**keys, **more}, metric, result)
    yield from notes


CALIBRATION_SECTION = tables.CardSection(METRICS, TABLES, calibration_parts)
