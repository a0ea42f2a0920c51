"""The outcome of each judgment: a row for its flag, and a row for its choice.

| part | outcome | when |
|---|---|---|
| flag | both, annotator_only, reference_only, neither | who flagged the item |
| flag | no_flags | the data do not say who flags what |
| choice | correct, incorrect | neither side flagged it |
| choice | flagged | either side flagged it |
| both | deducted | the judgment is left out of the metric; `detail` says why |
"""

from collections.abc import Sequence
from typing import Literal

import polars as pl

from adjudge.schemas.outcomes import first_match, outcomes_frame

ReferenceRule = Literal["first", "majority", "unanimous"]
"""How several trusted judges are combined into one reference.

first: the first one who did not skip the item. majority: the label most of them give. unanimous: the label all give.
"""

_STATUSES = ("given", "skipped", "no_choice", "flags_differ", "choices_differ")
GIVEN, SKIPPED, NO_CHOICE, FLAGS_DIFFER, CHOICES_DIFFER = _STATUSES
STATUS = pl.Enum(_STATUSES)

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
"""Why a judgment is deducted, in the order in which the reasons are tried. The first four concern both metrics."""


def with_references(
    judgments: pl.DataFrame,
    references: pl.DataFrame | None,
    rule: ReferenceRule,
    *,
    exclude_no_consensus: bool,
    flags_known: bool,
) -> pl.LazyFrame:
    """Judgments with what a single batch cannot know: the reference of each item, and its consensus.

    judgments, references: as `adjudge.readers.labels.judgments` reads them. exclude_no_consensus: whether items
    without a unique most frequent choice are to be deducted. flags_known: whether the data say who flags what.
    """
    frame, no_consensus = judgments.lazy(), pl.lit(value=False)
    if references is None:
        frame = references_from_columns(frame)
    else:
        frame = frame.join(resolve_references(references, rule).lazy(), on="item", how="left", maintain_order="left")
    if exclude_no_consensus:
        votes = judgments.filter(~pl.col("flagged") & ~pl.col("skipped")).select("item", value="label")
        tied = most_frequent(votes).select("item", no_consensus=pl.col("winners") > 1).filter("no_consensus")
        frame = frame.join(tied.lazy(), on="item", how="left", maintain_order="left")
        no_consensus = pl.col("no_consensus").fill_null(value=False)
    cluster = pl.col("cluster") if "cluster" in judgments.columns else pl.lit(None, pl.Categorical())
    return frame.with_columns(flags_known=pl.lit(flags_known), no_consensus=no_consensus, cluster=cluster)


def outcomes(judgments: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch of judgments, in any order.

    judgments: item, annotator, label, flagged, skipped, reference, reference_label, reference_flagged,
    reference_status (null: no reference), no_consensus, flags_known, cluster (may be null), and the `by` columns.
    """
    columns = {"judge": pl.col("annotator")} | {name: pl.col(name) for name in ("item", "cluster", "reference")}
    parts = [columns | _flag_part(), columns | _choice_part()]
    return pl.concat([outcomes_frame(part, judgments, list(by)) for part in parts])


def _has_status(name: str) -> pl.Expr:
    return pl.col("reference_status") == pl.lit(name, dtype=STATUS)


def _not_comparable() -> dict[str | None, pl.Expr]:
    """Why a judgment is deducted from both metrics -> whether it is."""
    return {
        "skipped": pl.col("skipped"),
        NO_REFERENCE: pl.col("reference_status").is_null(),
        "reference_skipped": _has_status(SKIPPED),
        "reference_flags_differ": _has_status(FLAGS_DIFFER),
    }


def _flag_part() -> dict[str, pl.Expr]:
    reason = first_match(_not_comparable())
    flagged, reference_flagged, flags_known = pl.col("flagged"), pl.col("reference_flagged"), pl.col("flags_known")
    flag_known = (_has_status(GIVEN) | _has_status(CHOICES_DIFFER) | _has_status(NO_CHOICE)).fill_null(value=False)
    outcome = {
        "deducted": reason.is_not_null(),
        NO_FLAGS: ~flags_known,
        "both": flagged & reference_flagged,
        "annotator_only": flagged,
        "reference_only": reference_flagged,
    }
    return {
        "part": pl.lit("flag"),
        "label": first_match({None: pl.col("skipped") | ~flags_known, "flagged": flagged}, "clean"),
        "reference_label": first_match({None: ~(flag_known & flags_known), "flagged": reference_flagged}, "clean"),
        "outcome": first_match(outcome, "neither"),
        "detail": reason,
    }


def _choice_part() -> dict[str, pl.Expr]:
    flagged = pl.col("flagged") | pl.col("reference_flagged")
    reason = first_match(
        _not_comparable()
        | {
            None: flagged,
            "no_reference_choice": _has_status(NO_CHOICE),
            "reference_choices_differ": _has_status(CHOICES_DIFFER),
            NO_CONSENSUS: pl.col("no_consensus"),
        }
    )
    correct = pl.col("label") == pl.col("reference_label")
    outcome = {"deducted": reason.is_not_null(), "flagged": flagged, "correct": correct}
    return {
        "part": pl.lit("choice"),
        "label": pl.when(~pl.col("flagged") & ~pl.col("skipped")).then("label"),
        "reference_label": pl.when(_has_status(GIVEN) & ~pl.col("reference_flagged")).then("reference_label"),
        "outcome": first_match(outcome, "incorrect"),
        "detail": reason,
    }


# --- the reference of each item, which may rest on several trusted judges ---


def references_from_columns(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Judgments whose own rows hold the trusted label, with the columns `reference` and `reference_status`.

    A row without a reference keeps a null status.
    """
    flagged, labelled = pl.col("reference_flagged"), pl.col("reference_label").is_not_null()
    cases = {SKIPPED: pl.col("reference_skipped"), NO_CHOICE: ~labelled & ~flagged, GIVEN: labelled | flagged}
    status = first_match(cases, dtype=STATUS)
    return frame.with_columns(reference=pl.lit("reference").cast(pl.Categorical()), reference_status=status)


def resolve_references(references: pl.DataFrame, rule: ReferenceRule) -> pl.DataFrame:
    """One reference per item: item, reference, reference_label, reference_flagged, reference_status.

    references: item, annotator, label, flagged, skipped of the trusted judges, in the file's order.
    Judges who skipped an item do not count for it. If the others disagree on the flag (for majority: no
    flag is more frequent than the other) the status is flags_differ; if those who did not flag disagree
    on the choice it is choices_differ. `reference` is the judge's name, or the rule if several judge
    the item.
    """
    speaking = references.filter(~pl.col("skipped"))
    if rule == "first":
        speaking = speaking.unique("item", keep="first", maintain_order=True)
    flags = most_frequent(speaking.select("item", value="flagged"))
    choices = most_frequent(speaking.filter(~pl.col("flagged")).select("item", value="label"))
    decided = pl.col("winners") == 1 if rule == "majority" else pl.col("values") == 1
    several = pl.len() > 1
    name = pl.when(several).then(pl.lit(rule)).otherwise(pl.col("annotator").first().cast(pl.String))
    cases = {
        SKIPPED: pl.col("flag_decided").is_null(),
        FLAGS_DIFFER: ~pl.col("flag_decided"),
        CHOICES_DIFFER: ~pl.col("flagged") & ~pl.col("choice_decided"),
    }
    status = first_match(cases, GIVEN, STATUS)
    return (
        references.group_by("item", maintain_order=True)
        .agg(name.cast(pl.Categorical()).alias("reference"))
        .join(flags.select("item", flagged="value", flag_decided=decided), on="item", how="left")
        .join(choices.select("item", label="value", choice_decided=decided), on="item", how="left")
        .select(
            "item",
            "reference",
            pl.col("label").alias("reference_label"),
            pl.col("flagged").alias("reference_flagged"),
            status.alias("reference_status"),
        )
    )


def most_frequent(votes: pl.DataFrame) -> pl.DataFrame:
    """The most frequent value of each item: item, value (one of them), winners (how many are), values (how many occur).

    votes: the columns item and value, a row per vote.
    """
    counts = votes.group_by("item", "value").len()
    top = pl.col("len") == pl.col("len").max()
    return counts.group_by("item").agg(
        pl.col("value").sort_by("len", descending=True).first(), winners=top.sum(), values=pl.len()
    )
