"""Shares of what became of questions to a model. They stand in a table of their own, `replies`."""

from functools import partial

import polars as pl

from karat.about import Metric
from karat.figures.ratios import Share
from karat.schemas.replies import ANSWERED, STATUSES

TABLE = "replies"
ABOUT = "What became of the questions to models, and what figures would be if all had been answered."

_MEANINGS = {
    "answered": "Questions that the model answered / questions asked.",
    "refused": "Questions that the model, or a filter, refused / questions asked.",
    "unparseable": "Questions whose reply held no verdict / questions asked.",
    "failed": "Questions to which no whole reply came / questions asked.",
}


def shares(status: pl.Expr) -> tuple[Share, ...]:
    """The share of each status. status: null where nothing was asked."""
    share = partial(Share, among=status.is_not_null(), reason="nothing was asked", table=TABLE)
    return tuple(
        share(one, Metric(one.capitalize(), _MEANINGS[one], "high" if one == ANSWERED else "low"), status == one)
        for one in STATUSES
    )
