"""Replies and failures of a model, and bounds of its metrics had it answered all questions.

Relevance is least if no unanswered vote were valid, and greatest if all were. Kappa is least if all those that can be
compared were against the reference's vote, and greatest if all were the same. So is strength, their product; votes on
pairs on which the reference's own is not valid count as valid or not, whichever is more extreme. kappa_observed has no
such bounds, since its chance would change too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.annotations.metrics import APART, KAPPA, LABELS, NONE, RELEVANCE, STRENGTH, VOTE
from adjudge.evaluations.annotations.metrics import VIEW as FIGURES_VIEW
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.vote_counts import states_of
from adjudge.metrics.cells import StateCells
from adjudge.metrics.metric import KIND, Metric
from adjudge.metrics.reply_rates import asked_rows, replies_view, reply_metrics
from adjudge.schemas.outcomes import ANSWERED, REPLY, UNANSWERED

AnyMetric = TypeVar("AnyMetric", bound=Metric)

_LABEL, _REFERENCE = pl.col("label"), pl.col("reference_label")
_OWN, _AGREE, _COMPARED = (pl.col(name) for name in ("own", "two_agree", "two_compared"))
_SILENT, _COMPARABLE, _WHOLE = (pl.col(name) for name in ("silent", "comparable", "whole"))

_ENDS = {"lowest": ("at least", "no unanswered vote were"), "highest": ("at most", "every unanswered vote were")}
_AGREEING = {"lowest": _AGREE, "highest": _AGREE | _COMPARABLE}
_VALID = {"lowest": _OWN, "highest": _OWN | _SILENT}
_BOTH = _COMPARED | _COMPARABLE


def _bound(metric: AnyMetric, end: str, good: str, **counted: Any) -> AnyMetric:  # noqa: ANN401 - fields of the metric
    """A metric if no unanswered vote were good, or every one."""
    title, (title_end, condition) = metric.spec.title, _ENDS[end]
    spec = replace(metric.spec, title=f"{title}, {title_end}", meaning=f"{title} if {condition} {good}.")
    return replace(metric, name=f"{metric.name}_{end}", spec=spec, **counted)


_ALONE: tuple[Metric, ...] = (
    *(_bound(RELEVANCE, end, "valid", holds=_VALID[end], among=_WHOLE) for end in _ENDS),
    *(_bound(KAPPA, end, "the reference's", holds=_AGREEING[end], among=_BOTH) for end in _ENDS),
)
_EXTREMES = {
    end: [
        _bound(STRENGTH, end, "the reference's", agree=agree, both_vote=_BOTH, valid=_OWN | more, population=_WHOLE)
        for more in (_COMPARABLE, _SILENT)
    ]
    for end, agree in _AGREEING.items()
}
_STATUS = pl.when(_LABEL.is_in(UNANSWERED)).then(_LABEL).when(~_LABEL.is_in(NONE)).then(pl.lit(ANSWERED))
_SHARES = reply_metrics(_STATUS)

REPLIES = (*_SHARES, *_ALONE, *(both[0] for both in _EXTREMES.values()))
"""All metrics of the table."""


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: AnnotationsOptions) -> pl.LazyFrame:
    """The reply status of each vote of models that were asked; null where one was not."""
    votes = outcomes.filter(pl.col("part") == VOTE).with_columns(_LABEL.cast(pl.String))
    vote_rows = votes.select("item", "cluster", "judge", pl.lit(VOTE).alias(KIND), *keys, _STATUS.alias(REPLY))
    return asked_rows(vote_rows)


VIEW = replies_view(_rows, names=FIGURES_VIEW.names, ignored_columns=FIGURES_VIEW.ignored_columns)
"""The shares in two runs."""


def reply_estimates(
    cells: StateCells, population: str, labels: str, confidence: float
) -> Iterator[tuple[str, Estimate]]:
    """Reply rates and bounds of an annotator's votes; nothing if all questions were answered."""
    beside = replace(cells, states=_reply_states(population, labels))
    if not beside.totals @ beside.states["unanswered"].to_numpy():
        return
    yield from ((figure.name, figure.estimate(beside, confidence)) for figure in (*_SHARES, *_ALONE))
    for end, (first, second) in _EXTREMES.items():
        values = [figure.estimate(beside, confidence) for figure in (first, second)]
        pick = min if end == "lowest" else max
        yield first.name, pick(values, key=lambda estimate: estimate.value or 0.0)


@lru_cache
def _reply_states(population: str, labels: str) -> pl.DataFrame:
    """The states of pairs of votes, with what an unanswered vote of the population could have been."""
    states = states_of(population, labels)
    unanswered, reference_counts = _LABEL.is_in(UNANSWERED), _REFERENCE.is_in(LABELS[labels])
    counted = ~_REFERENCE.is_in(APART) if population == "shared" else reference_counts
    silent, two = unanswered & counted, pl.lit(value=labels == "valid")
    return states.with_columns(
        unanswered=unanswered,
        silent=silent,
        comparable=silent & reference_counts & two,
        whole=pl.col("population") | silent,
    )
