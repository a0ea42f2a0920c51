"""Judgments as a long table: a row per item and annotator, with the trusted label and flags where they are known."""

from dataclasses import replace

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.source import Source
from adjudge.readers.labels.judgments import Judgments, Options, read_judgments
from adjudge.readers.problems import counted, listed
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import constant_columns, mapped_columns
from adjudge.writers.options import ConvertOptions
from adjudge.writers.tables import Writable, further_columns, writable

_SAID = ("label", "flagged", "skipped")
_TRUSTED = ("reference_label", "reference_flagged", "reference_skipped")
_TABLES = {"wide", "win-tie-loss"}
"""Formats that hold further columns, or texts, of items."""
_OF_ITEMS = ("id", "output_values", "QC")
"""What win-tie-loss JSON says of items in words of its own."""


def judgments_to_write(source: Source, options: ConvertOptions) -> Writable:
    """The judgments of a file, with its further columns. Raises DataError with all that is wrong with it."""
    how = Options(
        columns=mapped_columns(options.columns, schema.TEXT, constants=constant_columns(options)),
        reference=(),
        by=(),
        flag_values=options.flag_values or schema.FLAGS,
        labels=(),
        drop=options.on_invalid == "drop",
        annotator_columns=options.annotator_columns,
        vote_separator=options.vote_separator or "",
        exact_labels=options.exact_labels,
        untrusted=True,
    )
    known = [*schema.TEXT, *how.annotator_columns, *_OF_ITEMS]
    further, left = further_columns(source, how, "reliability", known, _TABLES, {*_SAID, *_TRUSTED})
    read = read_judgments([source], replace(how, by=further))
    frame, warnings = _with_trusted(source.name, read)
    if frame.is_empty():
        raise DataError(f"{source.name}: no judgment is left after dropping")
    rows = read.frame.height + sum(read.dropped.values())
    return writable(rows, _written(frame, flags=read.flags_known), (*read.warnings, *warnings, *left))


def _with_trusted(name: str, read: Judgments) -> tuple[pl.DataFrame, list[str]]:
    """All judgments, with what is trusted beside them, else among them; and warnings.

    Raises DataError where several are trusted on an item, and one of them is an annotator too.
    """
    frame, references = read.frame, read.references
    if references is None:
        return frame, []
    if references["item"].is_duplicated().any():
        trusted = references["annotator"].cast(pl.String).unique(maintain_order=True).to_list()
        if both := [one for one in frame["annotator"].cast(pl.String).unique().to_list() if one in trusted]:
            raise DataError(
                f"{name}: several annotators are trusted on one item, so that they become rows like all others; "
                f"{listed(sorted(both))} is among both",
                fix="another name for them on one side",
            )
        flags = " ".join(f"--reference {one}" for one in trusted)
        told = "several annotators are trusted on one item, and are rows like all others: read what is written with "
        return pl.concat([frame, references], how="diagonal"), [f"{told}{flags}"]
    own = references.select("item", *(pl.col(said).alias(one) for said, one in zip(_SAID, _TRUSTED, strict=True)))
    alone = own.join(frame, on="item", how="anti").height
    items = counted(alone, "item has", "items have")
    warnings = [f"{name}: {items} a reference but no annotator's judgment, and are not written"] if alone else []
    return frame.join(own, on="item", how="left", maintain_order="left"), warnings


def _written(frame: pl.DataFrame, *, flags: bool) -> pl.LazyFrame:
    """The judgments under the names of a long table, as text; without columns that say nothing."""
    columns = {name: pl.col(name) for name in schema.NEEDED}
    if flags:
        columns["flag"] = _yes_or_no(pl.col("flagged"))
    if frame["skipped"].any():
        columns["skipped"] = pl.when("skipped").then(pl.lit("true"))
    if _TRUSTED[0] in frame.columns:
        columns["reference"] = pl.col(_TRUSTED[0])
        if flags:
            columns["reference_flag"] = pl.when(~schema.NO_REFERENCE).then(_yes_or_no(pl.col(_TRUSTED[1])))
        if frame[_TRUSTED[2]].any():
            columns["reference_skipped"] = pl.when(_TRUSTED[2]).then(pl.lit("true"))
    columns |= {name: pl.col(name) for name in frame.columns if name not in (*_SAID, *_TRUSTED, *columns)}
    return frame.lazy().select(column.cast(pl.String).alias(name) for name, column in columns.items())


def _yes_or_no(flagged: pl.Expr) -> pl.Expr:
    return pl.when(flagged).then(pl.lit("yes")).otherwise(pl.lit("no"))
