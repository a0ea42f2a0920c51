"""Outcomes summed: per annotator, and per item or cluster. Every sum can be split and merged."""

from collections.abc import Sequence

import polars as pl

CELL = ("judge", "part", "outcome", "label", "reference_label", "detail")


def cells(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.DataFrame:
    """How many outcomes of each kind: the keys, the columns of CELL, count. In the order of the keys and CELL."""
    names = [*keys, *CELL]
    counted = outcomes.group_by(names).agg(count=pl.len()).collect(engine="streaming")
    return counted.with_columns(pl.col(names).cast(pl.String), pl.col("count").cast(pl.Int64)).sort(names)


def item_sums(outcomes: pl.LazyFrame, keys: Sequence[str], *, clustered: bool) -> pl.DataFrame:
    """Sums over the annotators of each item: the keys, item, cluster (where the outcomes are clustered), and

    correct, choices, mismatches, flags: counts as in the figures; known: whether the reference says if the
    item is to be flagged; reference_flagged: whether it is.
    """
    names = [*keys, "item", *(["cluster"] if clustered else [])]
    correct, mismatch = _is("correct"), _is("annotator_only") | _is("reference_only")
    flag = pl.col("part") == _word("flag")
    sums = outcomes.group_by(names).agg(
        correct=correct.sum(),
        choices=(correct | _is("incorrect")).sum(),
        mismatches=mismatch.sum(),
        flags=(mismatch | _is("both") | _is("neither")).sum(),
        known=(flag & pl.col("reference_label").is_not_null()).any(),
        reference_flagged=(flag & (pl.col("reference_label") == _word("flagged"))).any(),
    )
    return sums.collect(engine="streaming")


def judge_sums(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Outcomes per annotator and cluster: the keys, cluster, CELL without detail, count."""
    names = [*keys, "cluster", *CELL[:-1]]
    counted = outcomes.group_by(names).agg(count=pl.len()).collect(engine="streaming")
    return counted.with_columns(pl.col(names).cast(pl.String), pl.col("count").cast(pl.Int64)).sort(names)


def _is(outcome: str) -> pl.Expr:
    return pl.col("outcome") == _word(outcome)


def _word(text: str) -> pl.Expr:
    return pl.lit(text, dtype=pl.Categorical())
