"""What becomes of each judgment: a row for its flag, and a row for its choice.

| part | outcome | when |
|---|---|---|
| flag | both, annotator_only, reference_only, neither | who flagged the item |
| flag | no_flags | the data do not say who flags what |
| choice | correct, incorrect | neither side flagged it |
| choice | flagged | either side flagged it |
| both | deducted | the judgment is left out of the figure; `detail` says why |
"""

from collections.abc import Sequence

import polars as pl

from karat.evaluations.reliability.references import (
    CHOICES_DIFFER,
    FLAGS_DIFFER,
    GIVEN,
    NO_CHOICE,
    SKIPPED,
    STATUS,
    Rule,
    from_columns,
    most_frequent,
    resolve,
)
from karat.schemas.outcomes import outcomes_frame

FLAG_OUTCOMES = ("both", "annotator_only", "reference_only", "neither")
NO_FLAGS = "no_flags"

NO_REFERENCE = "no_reference"
NO_CONSENSUS = "no_consensus"
REASONS = {
    "skipped": "the annotator skipped the item",
    NO_REFERENCE: "the item has no reference",
    "reference_skipped": "the reference skipped the item",
    "reference_flags_differ": "the reference's judges disagree on the flag",
    "no_reference_choice": "the reference does not flag the item, but makes no choice",
    "reference_choices_differ": "the reference's judges disagree on the choice",
    NO_CONSENSUS: "the annotators have no unique most frequent choice",
}
"""Why a judgment is deducted, in the order in which the reasons are tried. The first four concern both figures."""


def prepared(
    judgments: pl.DataFrame,
    references: pl.DataFrame | None,
    rule: Rule,
    *,
    exclude_no_consensus: bool,
    flags_known: bool,
) -> pl.LazyFrame:
    """Judgments with what a single batch cannot know: the reference of each item, and its consensus.

    judgments, references: as `karat.formats.judgments` reads them. exclude_no_consensus: whether items
    without a unique most frequent choice are to be deducted. flags_known: whether the data say who flags what.
    """
    frame = judgments.lazy()
    if references is None:
        frame = from_columns(frame)
    else:
        frame = frame.join(resolve(references, rule).lazy(), on="item", how="left", maintain_order="left")
    if exclude_no_consensus:
        frame = frame.join(_without_consensus(judgments).lazy(), on="item", how="left", maintain_order="left")
    known = set(judgments.columns)
    return frame.with_columns(
        pl.col("no_consensus").fill_null(value=False)
        if exclude_no_consensus
        else pl.lit(value=False).alias("no_consensus"),
        pl.lit(flags_known).alias("flags_known"),
        pl.col("cluster") if "cluster" in known else pl.lit(None, dtype=pl.Categorical()).alias("cluster"),
    )


def _without_consensus(judgments: pl.DataFrame) -> pl.DataFrame:
    """The items on which the unflagged, unskipped annotators have no unique most frequent choice."""
    votes = judgments.filter(~pl.col("flagged") & ~pl.col("skipped")).select("item", value="label")
    return most_frequent(votes).select("item", no_consensus=pl.col("winners") > 1).filter("no_consensus")


def outcomes(judgments: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch of judgments, in any order.

    judgments: item, annotator, label, flagged, skipped, reference, reference_label, reference_flagged,
    reference_status (null: no reference), no_consensus, flags_known, cluster (may be null), and the `by` columns.
    """
    columns = {
        "item": pl.col("item"),
        "cluster": pl.col("cluster"),
        "judge": pl.col("annotator"),
        "reference": pl.col("reference"),
    }
    parts = [columns | _flag_part(), columns | _choice_part()]
    return pl.concat([outcomes_frame(part, judgments, list(by)) for part in parts])


def _text(value: str) -> pl.Expr:
    return pl.lit(value, dtype=pl.Categorical())


def _status(name: str) -> pl.Expr:
    return pl.col("reference_status") == pl.lit(name, dtype=STATUS)


def _no_flag_figure() -> pl.Expr:
    """Why a judgment is deducted from both figures, or null."""
    return (
        pl.when("skipped")
        .then(_text("skipped"))
        .when(pl.col("reference_status").is_null())
        .then(_text(NO_REFERENCE))
        .when(_status(SKIPPED))
        .then(_text("reference_skipped"))
        .when(_status(FLAGS_DIFFER))
        .then(_text("reference_flags_differ"))
    )


def _flag_known() -> pl.Expr:
    """Whether the reference says if the item is to be flagged."""
    return (_status(GIVEN) | _status(CHOICES_DIFFER) | _status(NO_CHOICE)).fill_null(value=False)


def _flag_part() -> dict[str, pl.Expr]:
    reason = _no_flag_figure()
    ours, theirs = pl.col("flagged"), pl.col("reference_flagged")
    compared = (
        pl.when(~pl.col("flags_known"))
        .then(_text(NO_FLAGS))
        .when(ours & theirs)
        .then(_text("both"))
        .when(ours)
        .then(_text("annotator_only"))
        .when(theirs)
        .then(_text("reference_only"))
        .otherwise(_text("neither"))
    )
    return {
        "part": _text("flag"),
        "label": pl.when(~pl.col("skipped") & pl.col("flags_known")).then(
            pl.when(ours).then(_text("flagged")).otherwise(_text("clean"))
        ),
        "reference_label": pl.when(_flag_known() & pl.col("flags_known")).then(
            pl.when(theirs).then(_text("flagged")).otherwise(_text("clean"))
        ),
        "outcome": pl.when(reason.is_not_null()).then(_text("deducted")).otherwise(compared),
        "detail": reason,
    }


def _choice_part() -> dict[str, pl.Expr]:
    both = _no_flag_figure()
    flagged = pl.col("flagged") | pl.col("reference_flagged")
    reason = (
        pl.when(both.is_not_null())
        .then(both)
        .when(flagged)
        .then(None)
        .when(_status(NO_CHOICE))
        .then(_text("no_reference_choice"))
        .when(_status(CHOICES_DIFFER))
        .then(_text("reference_choices_differ"))
        .when("no_consensus")
        .then(_text(NO_CONSENSUS))
    )
    correct = pl.col("label") == pl.col("reference_label")
    compared = pl.when(correct).then(_text("correct")).otherwise(_text("incorrect"))
    outcome = (
        pl.when(reason.is_not_null()).then(_text("deducted")).when(flagged).then(_text("flagged")).otherwise(compared)
    )
    judged = ~pl.col("flagged") & ~pl.col("skipped")
    return {
        "part": _text("choice"),
        "label": pl.when(judged).then("label"),
        "reference_label": pl.when(_status(GIVEN) & ~pl.col("reference_flagged")).then("reference_label"),
        "outcome": outcome,
        "detail": reason,
    }
