"""What becomes of each vote beside the reference's: a row per pair and annotator.

| part | outcome | when |
|---|---|---|
| vote | agree, disagree | both votes are valid |
| vote | annotator_only, reference_only | only one of them is |
| vote | undecided | neither is, but both annotate the pair |
| vote | missing | one of them does not annotate it, or was asked and did not answer |
| swap | same_text, other_text | which text wins in two pairs of the same texts in either order |
| swap | undecided | one of the two votes is not valid |

Behind the key columns stand `longer`, which text has more characters, as a vote, and in rows of swaps `swapped`, the
pair with the same texts in the other order, whose vote is the reference label.
"""

from collections.abc import Sequence

import polars as pl

from karat.evaluations.annotations.figures import LONGER, OTHER, SAME, SWAP, SWAPPED, VOTE
from karat.schemas.outcomes import first_of, outcomes_frame
from karat.schemas.pairs import NOT_GIVEN, VALID, VOTES, Annotator

TAKEN = frozenset({LONGER, SWAPPED})
"""Names that a `by` column cannot have here, besides those forbidden in all evaluations."""

LONGER_VOTE = "vote:style:longer"
"""The column of codes that says which text is longer."""

_OTHER = "__other__"


def outcomes(
    pairs: pl.LazyFrame, annotators: Sequence[Annotator], reference: Annotator, keys: Sequence[str]
) -> pl.LazyFrame:
    """The outcomes of a batch of pairs, in any order.

    pairs: pair, cluster (may be null), the columns of votes, LONGER_VOTE, and the key columns.
    """
    beside = pairs.with_columns(word(pl.col(LONGER_VOTE)).alias(LONGER), pl.lit(None, pl.String).alias(SWAPPED))
    frames = []
    for annotator in annotators:
        ours, theirs = pl.col(annotator.column), pl.col(reference.column)
        frames.append(_frame(beside, annotator, reference, VOTE, (ours, theirs, outcome_of(ours, theirs)), keys))
    return pl.concat(frames)


def swap_outcomes(
    pairs: pl.LazyFrame, swaps: pl.DataFrame, annotators: Sequence[Annotator], keys: Sequence[str]
) -> pl.LazyFrame:
    """The outcomes of pairs with the same texts in either order. swaps: the names of both, first and second."""
    first = pairs.join(swaps.lazy(), left_on="pair", right_on="first", maintain_order="right")
    frames = []
    for annotator in annotators:
        other = pairs.select(pl.col("pair").alias("second"), pl.col(annotator.column).alias(_OTHER))
        both = first.join(other, on="second", maintain_order="left").with_columns(
            pl.col("second").alias(SWAPPED), pl.lit(None, pl.String).alias(LONGER)
        )
        ours, theirs = pl.col(annotator.column), pl.col(_OTHER)
        frames.append(_frame(both, annotator, annotator, SWAP, (ours, theirs, swap_outcome(ours, theirs)), keys))
    return pl.concat(frames)


def _frame(
    batch: pl.LazyFrame,
    annotator: Annotator,
    reference: Annotator,
    part: str,
    votes: tuple[pl.Expr, pl.Expr, pl.Expr],
    keys: Sequence[str],
) -> pl.LazyFrame:
    """The outcomes of an annotator. votes: its own, the reference's, and the outcome."""
    ours, theirs, outcome = votes
    columns = {
        "item": pl.col("pair"),
        "cluster": pl.col("cluster"),
        "judge": pl.lit(annotator.id),
        "reference": pl.lit(reference.id),
        "part": pl.lit(part),
        "label": word(ours),
        "reference_label": word(theirs),
        "outcome": outcome,
    }
    return outcomes_frame(columns, batch, [*keys, LONGER, SWAPPED])


def word(code: pl.Expr) -> pl.Expr:
    """A vote as outcomes name it."""
    return code.replace_strict(range(len(VOTES)), VOTES, default=None, return_dtype=pl.String)


def outcome_of(ours: pl.Expr, theirs: pl.Expr) -> pl.Expr:
    """The outcome of a vote against the reference's, both given as codes."""
    valid, known = ours.is_in(VALID), theirs.is_in(VALID)
    cases = {
        "agree": valid & known & (ours == theirs),
        "disagree": valid & known,
        "missing": ours.is_in(NOT_GIVEN) | theirs.is_in(NOT_GIVEN),
        "annotator_only": valid,
        "reference_only": known,
    }
    return first_of(cases, _UNDECIDED, pl.String())


def swap_outcome(ours: pl.Expr, theirs: pl.Expr) -> pl.Expr:
    """The outcome of an annotator's votes on the same texts in either order, given as codes."""
    valid = ours.is_in(VALID) & theirs.is_in(VALID)
    return first_of({SAME: valid & (ours != theirs), OTHER: valid}, _UNDECIDED, pl.String())


_UNDECIDED = "undecided"
