"""Metrics of the card that are sums over items: a judge compared with people on the same items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, TypeVar

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import MEASURES
from adjudge.metrics.cells import Floats, StateCells
from adjudge.metrics.metric import KIND, Metric, View, clip_estimate
from adjudge.metrics.ratios import Mean, MeanShare, distinct_sums
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import paired_t

_ALONE = "no item that humans labelled too"
NO_CEILING = "no item that two or more humans labelled: what humans reach among themselves is unknown"

_PRIOR = (0.5, -0.5)
"""Two items added to the interval of a difference: the judge is better by a half on one, and worse on the other."""


@dataclass(frozen=True, eq=False)
class AgreementGap(Mean):
    """The mean difference between a judge's agreement with people and the human ceiling, many of which are 0.

    The interval is Student's t with two more items, which are clusters of their own, without which it is too narrow
    where few items differ (benchmarks/alternative_test.py). So there is one where none differs, too.
    """

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:  # noqa: ARG002
        """The interval of the mean."""
        sums, sizes, counts = distinct_sums(cells, *self.sums(cells.states))
        alone = cells.units is None
        interval = paired_t(
            [*sums, *_PRIOR],
            totals=None if alone else [*sizes, 1.0, 1.0],
            multiplicity=[*(counts * sizes if alone else counts), 1.0, 1.0],
            confidence=confidence,
        ).estimate
        return clip_estimate(replace(interval, value=value, n=interval.n - len(_PRIOR)), (-1.0, 1.0))


M = TypeVar("M", bound=Metric)

_BY_TWO = "on items that two or more humans labelled"
_distance_spec = partial(MetricSpec, better="low", percent=False)
_ABOUT = {
    "agreement": MetricSpec(
        "Agreement with humans", "Mean over items of the share of humans whose label equals the judge's.", "high"
    ),
    "people_agreement": MetricSpec(
        "Humans with one another", "Mean over the judge's items of the share of pairs of humans with the same label."
    ),
    "agreement_difference": MetricSpec(
        "Judge minus humans", f"Agreement less the human ceiling, {_BY_TWO}.", "high", of_shares=True, signed=True
    ),
    "distance": _distance_spec(
        "Distance from humans", "Mean distance of humans' labels from the judge's: of numbers, else in steps."
    ),
    "people_distance": MetricSpec(
        "Distance of humans", "Mean over the judge's items of the distance between two humans.", percent=False
    ),
    "distance_difference": _distance_spec(
        "Distance, judge minus humans", f"Distance from humans less that among humans, {_BY_TWO}.", signed=True
    ),
}


def _metric(kind: Callable[..., M], name: str, value: pl.Expr, reason: str, **more: Any) -> M:  # noqa: ANN401
    """A metric of labels. kind: its class. more: further fields of the class."""
    return kind(name, _ABOUT[name], value, kind="label", reason=reason, **more)


_AGREES, _CEILING, _DISTANCE, _CEILING_DISTANCE = map(pl.col, MEASURES)
AGREEMENT = _metric(MeanShare, "agreement", _AGREES, _ALONE)
CEILING = _metric(MeanShare, "people_agreement", _CEILING, NO_CEILING)
DIFFERENCE = _metric(AgreementGap, "agreement_difference", _AGREES - _CEILING, NO_CEILING, bounds=(-1.0, 1.0))
DISTANCE = _metric(Mean, "distance", _DISTANCE, _ALONE, bounds=(0.0, inf))
DISTANCE_CEILING = _metric(Mean, "people_distance", _CEILING_DISTANCE, NO_CEILING, bounds=(0.0, inf))
DISTANCE_DIFFERENCE = _metric(Mean, "distance_difference", _DISTANCE - _CEILING_DISTANCE, NO_CEILING)

NOMINAL = (AGREEMENT, CEILING, DIFFERENCE)
ORDERED = (DISTANCE, DISTANCE_CEILING, DISTANCE_DIFFERENCE)
"""Metrics of ordered labels."""


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: CardOptions) -> pl.LazyFrame:
    return outcomes.select("item", "cluster", "judge", pl.col("part").alias(KIND), *keys, "outcome", "label", *MEASURES)


PLACED_VIEW = View(
    rows=_rows,
    states=("outcome", "distance", "ceiling_distance"),
    metrics=ORDERED,
    ignored_columns=MEASURES,
    only_if=pl.col("distance").is_not_null(),
)
VIEW = View(
    rows=_rows,
    states=("outcome", "label", "agrees", "ceiling"),
    metrics=NOMINAL,
    goodness=pl.col("agrees"),
    ignored_columns=MEASURES,
    judge_options=("judges",),
    subviews=(PLACED_VIEW,),
)


def level_views(level: str) -> tuple[View, ...]:
    """The views for labels of a level; equality is not counted for interval and ratio numbers."""
    return {"nominal": (VIEW,), "ordinal": (VIEW, PLACED_VIEW)}.get(level, (PLACED_VIEW,))
