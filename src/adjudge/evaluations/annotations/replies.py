"""Replies and failures of a model, and bounds of its metrics had it answered all questions.

Relevance is least if no unanswered vote were valid, and greatest if all were. Kappa is least if all those that can be
compared were against the reference's vote, and greatest if all were the same. So is strength, their product; votes on
pairs on which the reference's own is not valid count as valid or not, whichever is more extreme. kappa_observed has no
such bounds, since its chance would change too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.annotations.metrics import APART, KAPPA, LABELS, NONE, RELEVANCE, STRENGTH, VOTE
from adjudge.evaluations.annotations.metrics import VIEW as FIGURES_VIEW
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.vote_counts import states_of
from adjudge.metrics.cells import StateCells
from adjudge.metrics.labels import Strength
from adjudge.metrics.metric import KIND, Metric
from adjudge.metrics.ratios import FixedKappa, Share
from adjudge.metrics.reply_rates import asked_rows, replies_view, reply_metrics
from adjudge.schemas.outcomes import ANSWERED, REPLY, UNANSWERED
from adjudge.spec import MetricSpec

_LABEL, _REFERENCE = pl.col("label"), pl.col("reference_label")
_OWN, _AGREE, _COMPARED = (pl.col(name) for name in ("own", "two_agree", "two_compared"))
_SILENT, _COMPARABLE, _WHOLE = (pl.col(name) for name in ("silent", "comparable", "whole"))

_ENDS = {"lowest": ("at least", "no unanswered vote were"), "highest": ("at most", "every unanswered vote were")}
_GOOD = {RELEVANCE: "valid", KAPPA: "the reference's", STRENGTH: "the reference's"}


def _bound_spec(figure: Metric, end: str) -> MetricSpec:
    title_end, condition = _ENDS[end]
    meaning = f"{figure.spec.title} if {condition} {_GOOD[figure]}."
    return replace(figure.spec, title=f"{figure.spec.title}, {title_end}", meaning=meaning)


def _relevance_bound(end: str) -> Share:
    valid = _OWN if end == "lowest" else _OWN | _SILENT
    return Share(f"relevance_{end}", _bound_spec(RELEVANCE, end), valid, _WHOLE, reason=RELEVANCE.reason)


def _kappa_bound(end: str) -> FixedKappa:
    agree = _AGREE if end == "lowest" else _AGREE | _COMPARABLE
    return FixedKappa(f"kappa_{end}", _bound_spec(KAPPA, end), agree, _COMPARED | _COMPARABLE, reason=KAPPA.reason)


def _strength_bound(end: str, *, valid: pl.Expr) -> Strength:
    agree = _AGREE if end == "lowest" else _AGREE | _COMPARABLE
    name, about = f"strength_{end}", _bound_spec(STRENGTH, end)
    return Strength(name, about, agree, _COMPARED | _COMPARABLE, valid, _WHOLE, reason=STRENGTH.reason)


_ALONE: tuple[Metric, ...] = tuple(make(end) for make in (_relevance_bound, _kappa_bound) for end in _ENDS)
_EXTREMES = {end: [_strength_bound(end, valid=_OWN | more) for more in (_COMPARABLE, _SILENT)] for end in _ENDS}
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
