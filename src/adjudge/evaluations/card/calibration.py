"""How well a judge's confidence is calibrated, and what is gained if it abstains when it is unsure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.evaluations.card.metrics import mean_gap
from adjudge.evaluations.card.outcomes import outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.evaluations.card.tables import CardSection, Codes, SectionTables, cluster_numbers
from adjudge.metrics.tables import TESTED, Keys, estimate_row, rows_by_group
from adjudge.readers.problems import counted, listed
from adjudge.report import ESTIMATE_COLUMNS, truncate, typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.calibration import (
    calibration_curve,
    equal_bins,
    kept_from,
    miscalibration,
    risk_coverage_area,
    thresholds,
)
from adjudge.statistics.comparison import Comparison
from adjudge.statistics.scores import mean_change, mean_score, sums_of

_PERCENT = 100.0
_SCALES = 10
"""Numbers up to this, and above 1, may be of a scale from 1 to 5 or 10 as well as percent."""
_SHOWN = 5
CONFIDENCE, RIGHT = "sure", "right"
"""The columns of certainties as shares, and of whether a label is right."""


def outcomes_with_confidence(card: CardLabels, by: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Outcomes of items that people labelled and for which a judge gives its confidence; and notes.

    They have the columns CONFIDENCE and RIGHT: whether the label is the one that most people give, 1 / k of k that tie.
    A judge's values are percentages if some have a percent sign, or if some are above 10 and none lies between 0 and
    1.
    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    shares, notes = confidence_shares(card.labels_by(card.judges, card.first_labels))
    found = outcomes(card, by).with_columns(pl.col("item", "judge").cast(pl.String)).collect().drop_nulls("agrees")
    told = found.join(shares, on=["item", "judge"], how="left", maintain_order="left")
    labels = told.with_columns(pl.col("label").cast(pl.String)).join(
        _majority_labels(card), on=["item", "label"], how="left", maintain_order="left"
    )
    labels = labels.with_columns(pl.col(RIGHT).fill_null(0.0))
    silent = labels[CONFIDENCE].null_count()
    if silent:
        notes.append(
            f"Nothing says how sure the judge is of {counted(silent, 'label', 'labels')}, which are left out there."
        )
    if labels["cluster"].null_count() == labels.height:
        labels = labels.drop("cluster")
    return labels.drop_nulls(CONFIDENCE), notes


def _majority_labels(card: CardLabels) -> pl.DataFrame:
    """The most frequent labels of people per item; RIGHT is 1 / k for each of k that tie."""
    people = card.labels_by(card.people, card.first_labels).select(pl.col("item", "label").cast(pl.String))
    votes = people.group_by("item", "label").len("votes")
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over("item"))
    return most.select("item", "label", (1 / pl.len().over("item")).alias(RIGHT))


def confidence_shares(labels: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The confidence of each label of judges as a share (item, judge, CONFIDENCE), and notes.

    Raises DataError for values that are no numbers, and for numbers out of range.
    """
    said = labels.select(pl.col("item", "certainty").cast(pl.String), judge=pl.col("who").cast(pl.String))
    text = pl.col("certainty").str.strip_chars()
    signed = text.str.ends_with("%")
    number = text.str.strip_suffix("%").str.strip_chars().cast(pl.Float64, strict=False)
    told = said.filter(text.str.len_chars() > 0).with_columns(number.alias(CONFIDENCE), signed.alias("signed"))
    sure = pl.col(CONFIDENCE)
    whole = (sure.max() > _SCALES) & ~((sure > 0) & (sure < 1)).any()
    percent = (pl.col("signed").any() | whole).over("judge")
    told = told.with_columns(percent.alias("percent"))
    most = pl.when("percent").then(_PERCENT).otherwise(1.0)
    wrong = told.filter(~(pl.col(CONFIDENCE).is_between(0, most)).fill_null(value=False))
    if wrong.height:
        raise DataError(
            (
                f"certainty of {row['judge']:.60} on item {row['item']:.60}: expected a number from 0 to 1, or percent "
                f"from 0 to 100; got {truncate(repr(row['certainty']), 60)}"
                for row in wrong.head(_SHOWN).iter_rows(named=True)
            ),
            total=wrong.height,
        )
    judges = told.filter("percent")["judge"].unique().sort().to_list()
    notes = [f"Certainties of {listed(judges)} are read as percent."] if judges else []
    return told.select("item", "judge", pl.col(CONFIDENCE) / pl.when("percent").then(_PERCENT).otherwise(1.0)), notes


Floats = NDArray[np.float64]

_COVERAGES = np.arange(1, 11) / 10
_PERCENTILES = np.arange(1, 101) / 100
_LEAST_KEPT = 30
"""With fewer items kept nothing is said to be sure enough."""
_NO_CEILING = "no item that two or more people labelled: what people reach among themselves is unknown"
_NEVER_SUFFICIENT = (
    "whatever its certainty, on 30 items or more it agrees with people less often than they do with one another"
)


@dataclass(frozen=True, eq=False)
class JudgeConfidence:
    """A judge's items: its confidence in each label, and whether the label is right.

    beyond: the share of people who agree with it, less that of pairs of people who agree; NaN where that is unknown.
    """

    certainty: Floats
    right: Floats
    beyond: Floats
    units: Codes | None
    confidence: float

    @classmethod
    def from_outcomes(cls, rows: pl.DataFrame, confidence: float) -> Self:
        """From outcomes with confidence."""
        parts = rows.select(CONFIDENCE, RIGHT, beyond=(pl.col("agrees") - pl.col("ceiling")).cast(pl.Float64))
        certainty, right, beyond = (part.to_numpy() for part in parts)
        return cls(certainty, right, beyond, cluster_numbers(rows), confidence)

    def overall(self) -> Iterator[tuple[str, Estimate, float | None]]:
        """Metrics over all items, with p for those that are tested."""
        error = miscalibration(self.certainty, self.right, self.units, confidence=self.confidence)
        gap = self._mean_change(self.certainty - self.right)
        n = len(self.right)
        yield "mean_certainty", mean_score(self.certainty, self.units, confidence=self.confidence), None
        yield "right", mean_score(self.right, self.units, confidence=self.confidence), None
        yield "overconfidence", gap.estimate, gap.p
        yield "plain_error", Estimate(error.plain, n=n, confidence=self.confidence), None
        yield "error_by_chance", Estimate(error.by_chance, n=n, confidence=self.confidence), None
        yield "calibration_error", error.corrected, None
        squares = self.right * (1 - self.certainty) ** 2 + (1 - self.right) * self.certainty**2
        yield "brier", mean_score(squares, self.units, confidence=self.confidence), None

    def calibration_bins(self) -> Iterator[tuple[float, str, Estimate]]:
        """The mean confidence of each bin, its accuracy, and the gap between both."""
        bins = equal_bins(self.certainty)
        found = calibration_curve(self.certainty, self.right, self.units, confidence=self.confidence)
        for number, one in enumerate(found):
            inside = bins == number
            yield one.certainty, "right", one.right
            yield one.certainty, "gap", self._mean_change(self.certainty - self.right, inside).estimate

    def abstention(self) -> Iterator[tuple[float, str, Estimate]]:
        """Accuracy and coverage from each of ten thresholds on."""
        for threshold in thresholds(self.certainty, _COVERAGES):
            one = kept_from(self.certainty, self.right, float(threshold), self.units, confidence=self.confidence)
            n = one.right.n
            yield one.coverage, "threshold", Estimate(one.threshold, n=n, confidence=self.confidence)
            yield one.coverage, "kept_right", one.right
            yield one.coverage, "kept_difference", self._difference_from_people(self.certainty >= threshold)

    def sufficient_confidence(self) -> Iterator[tuple[str, Estimate]]:
        """The area under the risk-coverage curve, and from which confidence on the judge reaches the ceiling."""
        yield "risk_area", risk_coverage_area(self.certainty, self.right, self.units, confidence=self.confidence)
        yield from self._lowest_sufficient().items()

    def _lowest_sufficient(self) -> dict[str, Estimate]:
        known = ~np.isnan(self.beyond)
        if not known.any():
            none = Estimate.undefined(_NO_CEILING, confidence=self.confidence)
            return {"enough_certainty": none, "enough_coverage": none}
        for threshold in thresholds(self.certainty, _PERCENTILES)[::-1]:
            inside = (self.certainty >= threshold) & known
            if inside.sum() >= _LEAST_KEPT and self.beyond[inside].mean() >= -_ROUNDING:
                share = mean_score((self.certainty >= threshold).astype(float), self.units, confidence=self.confidence)
                found = Estimate(float(threshold), n=int(inside.sum()), confidence=self.confidence)
                return {"enough_certainty": found, "enough_coverage": share}
        never = Estimate.undefined(_NEVER_SUFFICIENT, confidence=self.confidence)
        return {"enough_certainty": never, "enough_coverage": never}

    def _difference_from_people(self, inside: NDArray[np.bool_]) -> Estimate:
        """Agreement with people less the human ceiling, on some items."""
        known = inside & ~np.isnan(self.beyond)
        if not known.any():
            return Estimate.undefined(_NO_CEILING, confidence=self.confidence)
        values, units = self.beyond[known].round(12), None if self.units is None else self.units[known]
        sums, sizes = sums_of(values, units)
        each = None if units is None else sizes
        return mean_gap(float(values.mean()), sums, each, np.ones(len(sums)), self.confidence)

    def _mean_change(self, values: Floats, inside: NDArray[np.bool_] | None = None) -> Comparison:
        """The mean of values, and the test that it is 0."""
        chosen = np.ones(len(values), dtype=bool) if inside is None else inside
        return mean_change(
            values[chosen], None if self.units is None else self.units[chosen], confidence=self.confidence
        )


_ROUNDING = 1e-12


METRICS = {
    "mean_certainty": MetricSpec("Certainty", "How sure the judge says it is, on average."),
    "right": MetricSpec(
        "Right",
        "Labels equal to the one that most people give the item / items; one of k that tie counts 1 / k.",
        better="high",
    ),
    "overconfidence": MetricSpec(
        "Too sure by",
        "Certainty less the share that is right: above 0 the judge is surer than it may be.",
        of_shares=True,
        signed=True,
    ),
    "plain_error": MetricSpec(
        "Calibration error",
        "Expected calibration error: in bins of about equal counts, the mean distance of certainty from the share that "
        "is right. It is above 0 by chance alone.",
        better="low",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "error_by_chance": MetricSpec(
        "Of it by chance",
        "What the expected calibration error would be on average, on as many items, of a perfectly calibrated judge.",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "calibration_error": MetricSpec(
        "Corrected error",
        "Root mean square distance of certainty from the share that is right, less the part that is chance.",
        better="low",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "brier": MetricSpec(
        "Brier score",
        "Mean squared distance of the certainty from 1 where the label is right, and from 0 where it is wrong.",
        better="low",
        percent=False,
        bounds=(0.0, 1.0),
    ),
    "risk_area": MetricSpec(
        "Wrong over all coverages",
        "Mean share of wrong labels where the least certain items are left out, over all numbers of items left: where "
        "certainty tells nothing, the share that is wrong.",
        better="low",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "enough_certainty": MetricSpec(
        "Sure enough from",
        "The least certainty from which on the judge agrees with people as often as they do with one another on the "
        "same items. Sought in these data, and so rather too low.",
        of_shares=True,
        bounds=(0.0, 1.0),
    ),
    "enough_coverage": MetricSpec("Then it labels", "The share of items of at least that certainty.", better="high"),
    "gap": MetricSpec(
        "Too sure by, in the bin", "Mean certainty less the share that is right.", of_shares=True, signed=True
    ),
    "threshold": MetricSpec(
        "From a certainty of", "The least certainty among the items that are kept.", of_shares=True, bounds=(0.0, 1.0)
    ),
    "kept_right": MetricSpec(
        "Accuracy of labels kept", "Share of right labels among the items that are kept.", better="high"
    ),
    "kept_difference": MetricSpec(
        "Judge minus people",
        "Agreement with people less that of people with one another, on the items that are kept.",
        better="high",
        of_shares=True,
        signed=True,
    ),
}
TABLES = {
    "certainty": "How sure each judge says it is, beside how often it is right, by what most people say.",
    "sure_enough": "What its certainty is good for: telling right labels from wrong ones, and where it agrees with "
    "people as often as they do with one another.",
    "calibration": "Certainty beside what is right in bins of about equal counts, by their mean certainty.",
    "abstaining": "What is right of the items that are kept, where a judge abstains on those it is least sure of, by "
    "the share that is kept.",
}


def calibration_tables(card: CardLabels, options: Mapping[str, Any]) -> SectionTables:
    """Make the four tables on confidence, with a note if the data have none."""
    if not card.has("certainty"):
        return SectionTables(
            notes=("No column is named that says how sure a judge is of its labels: --certainty COLUMN names it.",)
        )
    if card.level not in (NOMINAL, "ordinal"):
        return SectionTables(notes=("How sure a judge is stands beside how often it is right, which numbers are not.",))
    by = options["by"]
    labels, notes = outcomes_with_confidence(card, by)
    whole, enough, curve, kept = list[Keys](), list[Keys](), list[Keys](), list[Keys]()
    for keys, rows in rows_by_group(labels, [*by, "judge"]):
        sure = JudgeConfidence.from_outcomes(rows, options["confidence"])
        whole += [{**estimate_row(keys, metric, found), "p": p, "p_adjusted": p} for metric, found, p in sure.overall()]
        enough += [estimate_row(keys, metric, found) for metric, found in sure.sufficient_confidence()]
        curve += [
            estimate_row({**keys, "certainty": at}, metric, found) for at, metric, found in sure.calibration_bins()
        ]
        kept += [estimate_row({**keys, "coverage": at}, metric, found) for at, metric, found in sure.abstention()]
    tables = {
        "certainty": typed_table(whole, [*by, "judge", *TESTED]),
        "sure_enough": typed_table(enough, [*by, "judge", *ESTIMATE_COLUMNS]),
        "calibration": typed_table(curve, [*by, "judge", "certainty", *ESTIMATE_COLUMNS], numbers=["certainty"]),
        "abstaining": typed_table(kept, [*by, "judge", "coverage", *ESTIMATE_COLUMNS], numbers=["coverage"]),
    }
    return SectionTables({name: table for name, table in tables.items() if table.height}, tuple(notes))


CALIBRATION_SECTION = CardSection(METRICS, TABLES, calibration_tables)
