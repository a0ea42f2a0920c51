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
from karat.schemas.outcomes import first_of, outcomes_frame

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
    filled = {"flags_known": pl.lit(flags_known), "no_consensus": pl.lit(value=False)}
    if exclude_no_consensus:
        filled["no_consensus"] = pl.col("no_consensus").fill_null(value=False)
    if "cluster" not in judgments.columns:
        filled["cluster"] = pl.lit(None, dtype=pl.Categorical())
    return frame.with_columns(**filled)


def _without_consensus(judgments: pl.DataFrame) -> pl.DataFrame:
    """The items on which the unflagged, unskipped annotators have no unique most frequent choice."""
    votes = judgments.filter(~pl.col("flagged") & ~pl.col("skipped")).select("item", value="label")
    return most_frequent(votes).select("item", no_consensus=pl.col("winners") > 1).filter("no_consensus")


def outcomes(judgments: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch of judgments, in any order.

    judgments: item, annotator, label, flagged, skipped, reference, reference_label, reference_flagged,
    reference_status (null: no reference), no_consensus, flags_known, cluster (may be null), and the `by` columns.
    """
    columns = {"judge": pl.col("annotator")} | {name: pl.col(name) for name in ("item", "cluster", "reference")}
    parts = [columns | _flag_part(), columns | _choice_part()]
    return pl.concat([outcomes_frame(part, judgments, list(by)) for part in parts])


def _status(name: str) -> pl.Expr:
    return pl.col("reference_status") == pl.lit(name, dtype=STATUS)


def _not_comparable() -> dict[str | None, pl.Expr]:
    """Why a judgment is deducted from both figures -> whether it is."""
    return {
        "skipped": pl.col("skipped"),
        NO_REFERENCE: pl.col("reference_status").is_null(),
        "reference_skipped": _status(SKIPPED),
        "reference_flags_differ": _status(FLAGS_DIFFER),
    }


def _flag_part() -> dict[str, pl.Expr]:
    reason = first_of(_not_comparable())
    ours, theirs, known = pl.col("flagged"), pl.col("reference_flagged"), pl.col("flags_known")
    flag_known = (_status(GIVEN) | _status(CHOICES_DIFFER) | _status(NO_CHOICE)).fill_null(value=False)
    outcome = {
        "deducted": reason.is_not_null(),
        NO_FLAGS: ~known,
        "both": ours & theirs,
        "annotator_only": ours,
        "reference_only": theirs,
    }
    return {
        "part": pl.lit("flag"),
        "label": first_of({None: pl.col("skipped") | ~known, "flagged": ours}, "clean"),
        "reference_label": first_of({None: ~(flag_known & known), "flagged": theirs}, "clean"),
        "outcome": first_of(outcome, "neither"),
        "detail": reason,
    }


def _choice_part() -> dict[str, pl.Expr]:
    flagged = pl.col("flagged") | pl.col("reference_flagged")
    reason = first_of(
        _not_comparable()
        | {
            None: flagged,
            "no_reference_choice": _status(NO_CHOICE),
            "reference_choices_differ": _status(CHOICES_DIFFER),
            NO_CONSENSUS: pl.col("no_consensus"),
        }
    )
    correct = pl.col("label") == pl.col("reference_label")
    outcome = {"deducted": reason.is_not_null(), "flagged": flagged, "correct": correct}
    return {
        "part": pl.lit("choice"),
        "label": pl.when(~pl.col("flagged") & ~pl.col("skipped")).then("label"),
        "reference_label": pl.when(_status(GIVEN) & ~pl.col("reference_flagged")).then("reference_label"),
        "outcome": first_of(outcome, "incorrect"),
        "detail": reason,
    }
