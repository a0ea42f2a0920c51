"""Judgments as a long table: a row per item and annotator, with the trusted label and flags where they are known."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import polars as pl

from karat.errors import DataError
from karat.formats.conversion import Conversion, Settings
from karat.formats.findings import Findings, counted, listed
from karat.formats.judgments import Judgments, Options, read_judgments
from karat.formats.merged_tables import FILE, agreeing, stacked
from karat.formats.opened import opened
from karat.formats.source import Source
from karat.formats.written_tables import FLAT, Table, flat_among, further_columns, unwritten
from karat.schemas import judgments as schema
from karat.schemas.columns import constants_of, mapped_columns
from karat.text.ids import alike_warnings

_SAID = ("label", "flagged", "skipped")
_TRUSTED = ("reference_label", "reference_flagged", "reference_skipped")
_KEYS = ("item", "annotator")
_TABLES = {"wide", "win-tie-loss"}
"""Formats that hold further columns, or texts, of items."""
_OF_ITEMS = ("id", "output_values", "QC")
"""What win-tie-loss JSON says of items in words of its own."""


@dataclass(frozen=True)
class _File:
    """What one file says. rows: how many it holds.

    frame: a row per item and annotator, with what is trusted and the file's further columns.
    trusted: the trusted annotators, where several judge an item: their judgments are rows too. flags: whether the file
    says who flags what.
    """

    name: str
    rows: int
    frame: pl.DataFrame
    trusted: tuple[str, ...]
    flags: bool
    warnings: tuple[str, ...]


def _read(sources: Sequence[Source], values: Settings) -> Table:
    """The judgments of all files. Raises DataError with all that is wrong with one of them, and for all clashes."""
    alone = len(sources) == 1
    files = [_file(one, _options(values, alone=alone), alone=alone) for one in sources]
    findings = Findings("judgment")
    frame = files[0].frame if alone else _merged(files, findings)
    settled = findings.settle(drop=values["on_invalid"] == "drop")
    if frame.is_empty():
        raise DataError(f"{listed((one.name for one in files), say=str)}: no judgment is left after dropping")
    rows = {one.name: one.rows for one in files}
    alike = [] if alone else alike_warnings("items", frame["item"].cast(pl.String).unique())
    told = (*(said for one in files for said in one.warnings), *settled, *alike, *_how_to_read(files))
    return Table(rows, _written(frame, flags=any(one.flags for one in files)), ("label",), told, ("annotator",))


def _options(values: Settings, *, alone: bool) -> Options:
    return Options(
        columns=mapped_columns(values["columns"], schema.TEXT, constants=constants_of(values)),
        reference=(),
        by=(),
        flag_values=values["flag_values"] or schema.FLAGS,
        labels=(),
        drop=values["on_invalid"] == "drop",
        annotator_columns=values["annotator_columns"],
        vote_separator=values["vote_separator"] or "",
        exact_labels=values["exact_labels"],
        untrusted=True,
        named_as_files=not alone,
    )


# --- one file ---


def _file(source: Source, options: Options, *, alone: bool) -> _File:
    """What one file says. Items without ids are called after the file too where there are several."""
    further, left = _further(source, options)
    read = read_judgments([source], replace(options, by=further))
    frame, trusted, warnings = _with_trusted(source.name, read)
    if not alone and any(one.positions for one in read.parts):
        frame = frame.with_columns((pl.lit(f"{source.name}#") + pl.col("item").cast(pl.String)).alias("item"))
    rows = read.frame.height + sum(read.dropped.values())
    return _File(source.name, rows, frame, trusted, read.flags_known, (*read.warnings, *warnings, *left))


def _further(source: Source, options: Options) -> tuple[list[str], list[str]]:
    """The further columns of a flat table, or texts of items, that are kept; and a warning that names others."""
    found = opened(source, options)
    others = further_columns(found, "reliability", [*schema.TEXT, *options.annotator_columns, *_OF_ITEMS], _TABLES)
    kept = flat_among([name for name in others if name not in {*_SAID, *_TRUSTED}], found)
    return kept, unwritten(source, [name for name in others if name not in kept])


def _with_trusted(name: str, read: Judgments) -> tuple[pl.DataFrame, tuple[str, ...], list[str]]:
    """All judgments, with what is trusted beside them, else among them; whom to trust among them; and warnings.

    Raises DataError where several are trusted on an item, and one of them is an annotator too.
    """
    frame, references = read.frame, read.references
    if references is None:
        return frame, (), []
    if references["item"].is_duplicated().any():
        trusted = references["annotator"].cast(pl.String).unique(maintain_order=True).to_list()
        if both := [one for one in frame["annotator"].cast(pl.String).unique().to_list() if one in trusted]:
            raise DataError(
                f"{name}: several annotators are trusted on one item, so that they become rows like all others; "
                f"{listed(sorted(both))} is among both. Rename them on one side"
            )
        return pl.concat([frame, references], how="diagonal"), tuple(trusted), []
    own = references.select("item", *(pl.col(said).alias(one) for said, one in zip(_SAID, _TRUSTED, strict=True)))
    alone = own.join(frame, on="item", how="anti").height
    items = counted(alone, "item has", "items have")
    told = [f"{name}: {items} a reference but no annotator's judgment, and are not written"] if alone else []
    return frame.join(own, on="item", how="left", maintain_order="left"), (), told


def _how_to_read(files: Sequence[_File]) -> list[str]:
    """A warning that says whom to trust where that is no column. Raises DataError where it is one in other files."""
    trusted = dict.fromkeys(chain.from_iterable(one.trusted for one in files))
    if not trusted:
        return []
    if columns := [one.name for one in files if _TRUSTED[0] in one.frame.columns]:
        rows, one_each = (listed(names, say=str) for names in ([one.name for one in files if one.trusted], columns))
        raise DataError(f"{rows}: several annotators are trusted on one item; {one_each}: one is. Convert apart")
    flags = " ".join(f"--reference {one}" for one in trusted)
    return [
        f"several annotators are trusted on one item, and are rows like all others: read what is written with {flags}"
    ]


# --- several files ---


def _merged(files: Sequence[_File], findings: Findings) -> pl.DataFrame:
    """The judgments of several files as those of one: each of an annotator on an item once, one reference per item.

    What two files say differently is a finding, and left out; what both say alike stands once.
    """
    names, every = [one.name for one in files], stacked([one.frame for one in files])
    kept = agreeing(every, _KEYS, _SAID, names, findings).unique(_KEYS, keep="first", maintain_order=True)
    if _TRUSTED[0] in kept.columns:
        kept = kept.with_columns(pl.col(_TRUSTED[2]).fill_null(value=False))
        trusting = kept.filter(~schema.SILENT).unique(["item", *_TRUSTED, FILE], maintain_order=True)
        known = agreeing(trusting, ["item"], _TRUSTED, names, findings)
        wrong = trusting.join(known, on="item", how="anti")
        kept, _ = schema.with_references(kept.join(wrong, on="item", how="anti", maintain_order="left"))
    return kept.drop(FILE)


# --- the table ---


def _written(frame: pl.DataFrame, *, flags: bool) -> pl.LazyFrame:
    """The judgments under the names of a long table, as text; without columns that say nothing."""
    given, trusted = pl.col("skipped"), pl.col(_TRUSTED[2])
    columns = {"item": pl.col("item"), "annotator": pl.col("annotator"), "label": pl.col("label")}
    if flags:
        columns["flag"] = _yes_or_no(pl.col("flagged"))
    if frame["skipped"].any():
        columns["skipped"] = pl.when(given).then(pl.lit("true"))
    if _TRUSTED[0] in frame.columns:
        columns["reference"] = pl.col(_TRUSTED[0])
        if flags:
            columns["reference_flag"] = pl.when(~schema.SILENT).then(_yes_or_no(pl.col(_TRUSTED[1])))
        if frame[_TRUSTED[2]].any():
            columns["reference_skipped"] = pl.when(trusted).then(pl.lit("true"))
    own = {*_SAID, *_TRUSTED, *columns}
    columns |= {name: pl.col(name) for name in frame.columns if name not in own}
    return frame.lazy().select(column.cast(pl.String).alias(name) for name, column in columns.items())


def _yes_or_no(flagged: pl.Expr) -> pl.Expr:
    return pl.when(flagged).then(pl.lit("yes")).otherwise(pl.lit("no"))


def _holds(columns: Collection[str]) -> bool:
    return {"item", "label"} <= {*columns}


CONVERSION = Conversion(
    "judgments",
    "judgment",
    FLAT,
    ("pseudonyms", "annotator_columns", "exact_labels", "flag_values", "vote_separator"),
    lambda _: schema.TEXT,
    _holds,
    _read,
)
