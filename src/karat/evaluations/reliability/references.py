"""The reference label of each item, which may rest on several trusted judges."""

from typing import Literal

import polars as pl

from karat.schemas.outcomes import first_of

Rule = Literal["first", "majority", "unanimous"]
"""How several trusted judges are combined into one reference.

first: the first one who did not skip the item. majority: the label most of them give. unanimous: the label all give.
"""

_STATUSES = ("given", "skipped", "no_choice", "flags_differ", "choices_differ")
GIVEN, SKIPPED, NO_CHOICE, FLAGS_DIFFER, CHOICES_DIFFER = _STATUSES
STATUS = pl.Enum(_STATUSES)


def from_columns(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Judgments whose own rows hold the trusted label, with the columns `reference` and `reference_status`.

    A row without a reference keeps a null status.
    """
    flagged, labelled = pl.col("reference_flagged"), pl.col("reference_label").is_not_null()
    cases = {
        SKIPPED: pl.col("reference_skipped"),
        NO_CHOICE: ~labelled & ~flagged,
        GIVEN: labelled | flagged,
    }
    status = first_of(cases, dtype=STATUS)
    return frame.with_columns(
        pl.lit("reference").cast(pl.Categorical()).alias("reference"), status.alias("reference_status")
    )


def resolve(references: pl.DataFrame, rule: Rule) -> pl.DataFrame:
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
    status = first_of(cases, GIVEN, STATUS)
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
