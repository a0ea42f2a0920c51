"""What judges say of how sure they are: read as shares, and set beside whether people agree."""

from collections.abc import Sequence

import polars as pl

from karat.errors import DataError
from karat.evaluations.card.outcomes import outcomes
from karat.evaluations.card.reading import Read
from karat.formats.findings import counted, listed
from karat.report import cut

_PERCENT = 100.0
_SCALES = 10
"""Numbers up to this, and above 1, may be of a scale from 1 to 5 or 10 as well as percent."""
_SHOWN = 5
SURE, RIGHT = "sure", "right"
"""The columns of certainties as shares, and of whether a label is right."""


def with_certainties(read: Read, by: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The outcomes of items that people labelled too and of which a judge says how sure it is; and notes.

    They have SURE, and RIGHT: whether the label is the one that most people give, of k that tie 1 / k. Certainties of a
    judge some of which have a percent sign are percent; so are those of which some are above 10 and none between 0
    and 1.
    Raises DataError for what is no number, and for numbers that are no certainties.
    """
    shares, notes = shares_of(read.of(read.judges, read.once))
    found = outcomes(read, by).with_columns(pl.col("item", "judge").cast(pl.String)).collect().drop_nulls("agrees")
    told = found.join(shares, on=["item", "judge"], how="left", maintain_order="left")
    labels = told.with_columns(pl.col("label").cast(pl.String)).join(
        _most_given(read), on=["item", "label"], how="left", maintain_order="left"
    )
    labels = labels.with_columns(pl.col(RIGHT).fill_null(0.0))
    silent = labels[SURE].null_count()
    if silent:
        notes.append(
            f"Nothing says how sure the judge is of {counted(silent, 'label', 'labels')}, which are left out there."
        )
    if labels["cluster"].null_count() == labels.height:
        labels = labels.drop("cluster")
    return labels.drop_nulls(SURE), notes


def _most_given(read: Read) -> pl.DataFrame:
    """The labels that most people give each item, with the part of each as RIGHT."""
    people = read.of(read.people, read.once).select(pl.col("item", "label").cast(pl.String))
    votes = people.group_by("item", "label").len("votes")
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over("item"))
    return most.select("item", "label", (1 / pl.len().over("item")).alias(RIGHT))


def shares_of(labels: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Of each label of judges its certainty as a share: item, judge, SURE; and notes. Raises DataError as above."""
    said = labels.select(pl.col("item", "certainty").cast(pl.String), judge=pl.col("who").cast(pl.String))
    text = pl.col("certainty").str.strip_chars()
    signed = text.str.ends_with("%")
    number = text.str.strip_suffix("%").str.strip_chars().cast(pl.Float64, strict=False)
    told = said.filter(text.str.len_chars() > 0).with_columns(number.alias(SURE), signed.alias("signed"))
    sure = pl.col(SURE)
    whole = (sure.max() > _SCALES) & ~((sure > 0) & (sure < 1)).any()
    percent = (pl.col("signed").any() | whole).over("judge")
    told = told.with_columns(percent.alias("percent"))
    most = pl.when("percent").then(_PERCENT).otherwise(1.0)
    wrong = told.filter(~(pl.col(SURE).is_between(0, most)).fill_null(value=False))
    if wrong.height:
        raise DataError(
            (
                f"certainty of {row['judge']:.60} on item {row['item']:.60}: expected a number from 0 to 1, or percent "
                f"from 0 to 100; got {cut(repr(row['certainty']), 60)}"
                for row in wrong.head(_SHOWN).iter_rows(named=True)
            ),
            total=wrong.height,
        )
    judges = told.filter("percent")["judge"].unique().sort().to_list()
    notes = [f"Certainties of {listed(judges)} are read as percent."] if judges else []
    return told.select("item", "judge", pl.col(SURE) / pl.when("percent").then(_PERCENT).otherwise(1.0)), notes
