"""How much worse than people a judge can still be: the margins by which tests show that it is no worse, or the same."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from karat.about import EQUIVALENT, NO_WORSE, Metric
from karat.estimate import Estimate
from karat.evaluations.card.figures import DIFFERENCE, DISTANCE_DIFFERENCE, views_of
from karat.evaluations.card.outcomes import outcomes
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made
from karat.figures.figure import Figure
from karat.figures.tables import Row, cells_by, figure_row, score
from karat.report import FIGURE, typed_table
from karat.statistics.quantiles import significance_level

COMPARED: dict[Figure, str] = {DIFFERENCE: "agreement", DISTANCE_DIFFERENCE: "distance"}
"""Differences of judge and people -> in what."""


def _metrics(name: str, title: str, *, percent: bool) -> dict[str, Metric]:
    between = (0.0, 1.0 if percent else None)
    return {
        f"{name}{NO_WORSE}": Metric(
            f"{title}: no worse by",
            "The margin by which the judge is shown to be no worse than people, by a one-sided test: of no smaller one "
            "is it shown.",
            "low",
            percent=percent,
            of_shares=percent,
            margin=True,
            between=between,
        ),
        f"{name}{EQUIVALENT}": Metric(
            f"{title}: equivalent within",
            "The margin within which judge and people are shown to be equivalent, by two one-sided tests.",
            "low",
            percent=percent,
            of_shares=percent,
            margin=True,
            between=between,
        ),
    }


METRICS = _metrics("agreement", "Agreement", percent=True) | _metrics("distance", "Distance", percent=False)
TABLES = {
    "equivalence": "The smallest margins that the data show, in percentage points of agreement or in units of "
    "distance: that the judge is no worse than people by more, and no farther from them either way. They rest on "
    "one-sided limits of the difference, which lie nearer to it than the ends of its interval.",
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """Both margins of each judge."""
    by, unit = options["by"], "cluster" if read.clustered else None
    found = outcomes(read, by)
    wide = 1 - 2 * significance_level(options["confidence"])
    if wide <= 0:
        return Made({}, ("Equivalence is unknown: at a confidence of 50 % or less one-sided tests show nothing.",))
    views = [
        replace(view, figures=tuple(one for one in view.figures if one in COMPARED)) for view in views_of(read.level)
    ]
    rows = [
        figure_row({name: keys[name] for name in [*by, "judge"]}, f"{COMPARED[row.figure]}{suffix}", margin)
        for view in views
        for keys, cells in cells_by(view.rows(found, by, options), view, [*by, "judge"], unit)
        for row in score(view, cells, keys, wide)
        for suffix, margin in zip((NO_WORSE, EQUIVALENT), _margins(row, options["confidence"]), strict=True)
    ]
    return Made({"equivalence": typed_table(rows, [*by, "judge", *FIGURE])})


def _margins(row: Row, confidence: float) -> tuple[Estimate, Estimate]:
    """The margins within which a difference lies, on the bad side and on both.

    Its interval is one at 1 - 2 alpha, whose limits are where one-sided tests at alpha begin to reject.
    """
    gap = row.estimate
    if gap.low is None or gap.high is None:
        reason = gap.reason or f"the difference has no interval ({gap.note.title if gap.note else ''})"
        lacking = Estimate.undefined(reason, n=gap.n, confidence=confidence)
        return lacking, lacking
    worst = -gap.low if row.figure.about.better == "high" else gap.high
    one, both = (
        Estimate(margin, n=gap.n, method=gap.method, confidence=confidence, note=gap.note)
        for margin in (max(worst, 0.0), max(-gap.low, gap.high))
    )
    return one, both
