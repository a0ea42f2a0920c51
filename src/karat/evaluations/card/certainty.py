"""Confidence: can it be believed how sure a judge says that it is, and what is gained where it may abstain?"""

from collections.abc import Mapping
from typing import Any

from karat.about import Metric
from karat.evaluations.card.certainties import with_certainties
from karat.evaluations.card.reading import NOMINAL, Read
from karat.evaluations.card.section import Made
from karat.evaluations.card.sure import Sure
from karat.figures.tables import TESTED, Keys, figure_row, groups
from karat.report import FIGURE, typed_table

METRICS = {
    "mean_certainty": Metric("Certainty", "How sure the judge says it is, on average."),
    "right": Metric(
        "Right",
        "Labels equal to the one that most people give the item / items; one of k that tie counts 1 / k.",
        better="high",
    ),
    "overconfidence": Metric(
        "Too sure by",
        "Certainty less the share that is right: above 0 the judge is surer than it may be.",
        of_shares=True,
        signed=True,
    ),
    "plain_error": Metric(
        "Calibration error",
        "Expected calibration error: in bins of about equal counts, the mean distance of certainty from the share that "
        "is right. It is above 0 by chance alone.",
        better="low",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "error_by_chance": Metric(
        "Of it by chance",
        "What the expected calibration error would be on average, on as many items, of a perfectly calibrated judge.",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "calibration_error": Metric(
        "Corrected error",
        "Root mean square distance of certainty from the share that is right, less the part that is chance.",
        better="low",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "brier": Metric(
        "Brier score",
        "Mean squared distance of the certainty from 1 where the label is right, and from 0 where it is wrong.",
        better="low",
        percent=False,
        between=(0.0, 1.0),
    ),
    "risk_area": Metric(
        "Wrong over all coverages",
        "Mean share of wrong labels where the least certain items are left out, over all numbers of items left: where "
        "certainty tells nothing, the share that is wrong.",
        better="low",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "enough_certainty": Metric(
        "Sure enough from",
        "The least certainty from which on the judge agrees with people as often as they do with one another on the "
        "same items. Sought in these data, and so rather too low.",
        of_shares=True,
        between=(0.0, 1.0),
    ),
    "enough_coverage": Metric("Then it labels", "The share of items of at least that certainty.", better="high"),
    "gap": Metric(
        "Too sure by, in the bin", "Mean certainty less the share that is right.", of_shares=True, signed=True
    ),
    "threshold": Metric(
        "From a certainty of", "The least certainty among the items that are kept.", of_shares=True, between=(0.0, 1.0)
    ),
    "kept_right": Metric(
        "Accuracy of labels kept", "Share of right labels among the items that are kept.", better="high"
    ),
    "kept_difference": Metric(
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


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """The four tables; a note where judges do not say how sure they are."""
    if not read.has("certainty"):
        return Made(
            notes=("No column is named that says how sure a judge is of its labels: --certainty COLUMN names it.",)
        )
    if read.level not in (NOMINAL, "ordinal"):
        return Made(notes=("How sure a judge is stands beside how often it is right, which numbers are not.",))
    by = options["by"]
    labels, notes = with_certainties(read, by)
    whole, enough, curve, kept = list[Keys](), list[Keys](), list[Keys](), list[Keys]()
    for keys, rows in groups(labels, [*by, "judge"]):
        sure = Sure.of(rows, options["confidence"])
        whole += [{**figure_row(keys, metric, found), "p": p, "p_adjusted": p} for metric, found, p in sure.whole()]
        enough += [figure_row(keys, metric, found) for metric, found in sure.enough()]
        curve += [figure_row({**keys, "certainty": at}, metric, found) for at, metric, found in sure.curve()]
        kept += [figure_row({**keys, "coverage": at}, metric, found) for at, metric, found in sure.kept()]
    tables = {
        "certainty": typed_table(whole, [*by, "judge", *TESTED]),
        "sure_enough": typed_table(enough, [*by, "judge", *FIGURE]),
        "calibration": typed_table(curve, [*by, "judge", "certainty", *FIGURE], numbers=["certainty"]),
        "abstaining": typed_table(kept, [*by, "judge", "coverage", *FIGURE], numbers=["coverage"]),
    }
    return Made({name: table for name, table in tables.items() if table.height}, tuple(notes))
