"""What becomes of each vote beside the reference's: a row per pair and annotator.

| outcome | when |
|---|---|
| agree, disagree | both votes are valid |
| annotator_only, reference_only | only one of them is |
| undecided | neither is, but both annotate the pair |
| missing | one of them does not annotate it |

Behind the key columns stand `longer`, which text has more characters, as a vote, and `swapped`: of two pairs of the
same texts in either order the other one's name, beside the first of them; a line each where there are several.
"""

from collections.abc import Sequence

import polars as pl

from karat.evaluations.annotations.tables import LONGER
from karat.schemas.outcomes import outcomes_frame
from karat.schemas.pairs import CODE, VALID, VOTES, Annotator

LONGER_TEXT, SWAPPED = "longer", "swapped"
TAKEN = frozenset({LONGER_TEXT, SWAPPED})
"""Names of columns that no `by` column can bear, beside those that no evaluation allows."""


def outcomes(
    pairs: pl.LazyFrame, annotators: Sequence[Annotator], reference: Annotator, keys: Sequence[str]
) -> pl.LazyFrame:
    """The outcomes of a batch of pairs, in any order.

    pairs: pair, cluster (may be null), the columns of votes, LONGER, SWAPPED, and the key columns.
    """
    return pl.concat([_outcomes_of(pairs, annotator, reference, keys) for annotator in annotators])


def _outcomes_of(pairs: pl.LazyFrame, annotator: Annotator, reference: Annotator, keys: Sequence[str]) -> pl.LazyFrame:
    ours, theirs = pl.col(annotator.column), pl.col(reference.column)
    columns = {
        "item": pl.col("pair"),
        "cluster": pl.col("cluster"),
        "judge": pl.lit(annotator.id),
        "reference": pl.lit(reference.id),
        "part": pl.lit("vote"),
        "label": _word(ours),
        "reference_label": _word(theirs),
        "outcome": _outcome(ours, theirs),
    }
    beside = pairs.with_columns(_word(pl.col(LONGER)).alias(LONGER_TEXT))
    return outcomes_frame(columns, beside, [*keys, LONGER_TEXT, SWAPPED])


def _word(code: pl.Expr) -> pl.Expr:
    return code.replace_strict(range(len(VOTES)), VOTES, return_dtype=pl.String)


def _outcome(ours: pl.Expr, theirs: pl.Expr) -> pl.Expr:
    valid, known = ours.is_in(VALID), theirs.is_in(VALID)
    absent = (ours == CODE["missing"]) | (theirs == CODE["missing"])
    return (
        pl.when(valid & known & (ours == theirs))
        .then(pl.lit("agree"))
        .when(valid & known)
        .then(pl.lit("disagree"))
        .when(absent)
        .then(pl.lit("missing"))
        .when(valid)
        .then(pl.lit("annotator_only"))
        .when(known)
        .then(pl.lit("reference_only"))
        .otherwise(pl.lit("undecided"))
    )
