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

import polars as pl

from adjudge.schemas.outcomes import first_match, outcomes_frame

_STATUSES = ("given", "skipped", "no_choice", "flags_differ", "choices_differ")
GIVEN, SKIPPED, NO_CHOICE, FLAGS_DIFFER, CHOICES_DIFFER = _STATUSES
STATUS = pl.Enum(_STATUSES)

FLAG_OUTCOMES = ("both", "annotator_only", "reference_only", "neither")
NO_FLAGS = "no_flags"

UNANIMOUS = "unanimous"
"""The reference of items that several trusted judges labelled: what all of them say."""
NO_REFERENCE = "no_reference"
REASONS = {
    "skipped": "the annotator skipped the item",
    NO_REFERENCE: "the item has no reference",
    "reference_skipped": "the reference skipped the item",
    "reference_flags_differ": "the reference's judges disagree on the flag",
    "no_reference_choice": "the reference does not flag the item, but makes no choice",
    "reference_choices_differ": "the reference's judges disagree on the choice",
}
"""Why a judgment is deducted, in the order in which the reasons are tried. The first four concern both metrics."""


_STATUS_IS = {name: pl.col("reference_status") == pl.lit(name, dtype=STATUS) for name in _STATUSES}
_FLAGGED, _REFERENCE_FLAGGED, _FLAGS_KNOWN = pl.col("flagged"), pl.col("reference_flagged"), pl.col("flags_known")
_DEDUCTED_FROM_BOTH: dict[str | None, pl.Expr] = {
    "skipped": pl.col("skipped"),
    NO_REFERENCE: pl.col("reference_status").is_null(),
    "reference_skipped": _STATUS_IS[SKIPPED],
    "reference_flags_differ": _STATUS_IS[FLAGS_DIFFER],
}
"""Why a judgment is deducted from both metrics -> whether it is."""
_FLAG_REASON = first_match(_DEDUCTED_FROM_BOTH)
_CHOICE_REASON = first_match(
    _DEDUCTED_FROM_BOTH
    | {
        None: _FLAGGED | _REFERENCE_FLAGGED,
        "no_reference_choice": _STATUS_IS[NO_CHOICE],
        "reference_choices_differ": _STATUS_IS[CHOICES_DIFFER],
    }
)
_FLAG_GIVEN = (_STATUS_IS[GIVEN] | _STATUS_IS[CHOICES_DIFFER] | _STATUS_IS[NO_CHOICE]).fill_null(value=False)
_FLAG_OUTCOME = {
    "deducted": _FLAG_REASON.is_not_null(),
    NO_FLAGS: ~_FLAGS_KNOWN,
    "both": _FLAGGED & _REFERENCE_FLAGGED,
    "annotator_only": _FLAGGED,
    "reference_only": _REFERENCE_FLAGGED,
}
_CHOICE_OUTCOME = {
    "deducted": _CHOICE_REASON.is_not_null(),
    "flagged": _FLAGGED | _REFERENCE_FLAGGED,
    "correct": pl.col("label") == pl.col("reference_label"),
}
_PARTS = (
    {
        "part": pl.lit("flag"),
        "label": first_match({None: pl.col("skipped") | ~_FLAGS_KNOWN, "flagged": _FLAGGED}, "clean"),
        "reference_label": first_match({None: ~(_FLAG_GIVEN & _FLAGS_KNOWN), "flagged": _REFERENCE_FLAGGED}, "clean"),
        "outcome": first_match(_FLAG_OUTCOME, "neither"),
        "detail": _FLAG_REASON,
    },
    {
        "part": pl.lit("choice"),
        "label": pl.when(~_FLAGGED & ~pl.col("skipped")).then("label"),
        "reference_label": pl.when(_STATUS_IS[GIVEN] & ~_REFERENCE_FLAGGED).then("reference_label"),
        "outcome": first_match(_CHOICE_OUTCOME, "incorrect"),
        "detail": _CHOICE_REASON,
    },
)
"""The columns of the outcomes of flags, and of choices."""


def with_references(judgments: pl.DataFrame, references: pl.DataFrame | None, *, flags_known: bool) -> pl.LazyFrame:
    """Judgments with what a single batch cannot know: the reference of each item.

    judgments, references: as `adjudge.readers.labels.judgments` reads them. flags_known: whether the data say who
    flags what.
    """
    frame = judgments.lazy()
    if references is None:  # a row's own; one without a reference keeps a null status
        flagged, labelled = pl.col("reference_flagged"), pl.col("reference_label").is_not_null()
        cases = {SKIPPED: pl.col("reference_skipped"), NO_CHOICE: ~labelled & ~flagged, GIVEN: labelled | flagged}
        status = first_match(cases, dtype=STATUS)
        frame = frame.with_columns(reference=pl.lit("reference").cast(pl.Categorical()), reference_status=status)
    else:
        frame = frame.join(resolve_references(references).lazy(), on="item", how="left", maintain_order="left")
    cluster = pl.col("cluster") if "cluster" in judgments.columns else pl.lit(None, pl.Categorical())
    return frame.with_columns(flags_known=pl.lit(flags_known), cluster=cluster)


def outcomes(judgments: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch of judgments, in any order.

    judgments: item, annotator, label, flagged, skipped, reference, reference_label, reference_flagged,
    reference_status (null: no reference), flags_known, cluster (may be null), and the `by` columns.
    """
    columns = {"judge": pl.col("annotator")} | {name: pl.col(name) for name in ("item", "cluster", "reference")}
    return pl.concat([outcomes_frame(columns | part, judgments, list(by)) for part in _PARTS])


# --- the reference of each item, which may rest on several trusted judges ---


def resolve_references(references: pl.DataFrame) -> pl.DataFrame:
    """One reference per item: item, reference, reference_label, reference_flagged, reference_status.

    references: item, annotator, label, flagged, skipped of the trusted judges, in the file's order.
    Judges who skipped an item do not count for it. If the others disagree on the flag the status is flags_differ; if
    those who did not flag disagree on the choice it is choices_differ. `reference` is the judge's name, or UNANIMOUS if
    several judge the item.
    """
    speaking = ~pl.col("skipped")
    flags, labels = pl.col("flagged").filter(speaking), pl.col("label").filter(speaking & ~pl.col("flagged"))
    name = pl.when(pl.len() > 1).then(pl.lit(UNANIMOUS)).otherwise(pl.col("annotator").first().cast(pl.String))
    cases = {
        SKIPPED: pl.col("flags") == 0,
        FLAGS_DIFFER: pl.col("flags") > 1,
        CHOICES_DIFFER: ~pl.col("reference_flagged") & (pl.col("labels") > 1),
    }
    return (
        references.group_by("item", maintain_order=True)
        .agg(
            reference=name.cast(pl.Categorical()),
            reference_label=labels.first(),
            reference_flagged=flags.first(),
            flags=flags.n_unique(),
            labels=labels.n_unique(),
        )
        .with_columns(first_match(cases, GIVEN, STATUS).alias("reference_status"))
        .drop("flags", "labels")
    )
