"""Texts in which people and checkers mark violations, as labels: has a text any, or one of each rule?"""

from collections.abc import Sequence

import polars as pl

from karat.errors import DataError
from karat.evaluations.other_forms import holds
from karat.formats import judgments, violations
from karat.formats.findings import counted, listed
from karat.formats.opened import Opened, format_of, opened
from karat.formats.source import Source
from karat.schemas.violations import ID, PLACE, TEXT, Marked

PARTS = ("rule", "category")
"""What `by` may name, so that each text is labelled for each of its values."""
_LABELS = {True: "violation", False: "none"}
_MOST = 200
_OFFSETS = ("id", "start", "end")

Told = tuple[pl.DataFrame, list[str]]
"""A table of labels, and warnings."""


def is_marked(found: Opened[judgments.Options]) -> bool:
    """Whether a source says where in texts violations are; any flat table may, but only one with offsets does."""
    form = format_of("violations", found)
    if form is None or form.name == "spans":
        return holds(found, violations.VIOLATIONS) or holds(found, *_OFFSETS)
    return True


def labels_of_marked(sources: Sequence[Source], options: judgments.Options) -> list[Told]:
    """Of each source a row for each text that somebody looked at; with `by` also for each rule that anybody names."""
    asked = [name for name in options.by if name in PARTS]
    read = [violations.read_everyone(source, _reading(source, options)) for source in sources]
    kinds = _kinds([one for many in read for one in many], asked)
    texts = pl.concat(one.texts.select(ID, TEXT) for many in read for one in many[:1])
    texts = texts.sort(pl.col(TEXT).is_null(), maintain_order=True).unique(ID, keep="first", maintain_order=True)
    tables = [_table(source, many, kinds, texts) for source, many in zip(sources, read, strict=True)]
    about = f"of each {' and '.join(asked)}" if asked else "(--by rule, or --by category, asks of each one)"
    tables[0][1].append(f"labels say whether a text has a violation {about}")
    return tables


def _reading(source: Source, options: judgments.Options) -> violations.Options:
    """How one of several sources is read, which may bear Karat's names where others bear their own."""
    there = opened(source, options).names
    named = {name: theirs for name, theirs in options.columns.items() if name in violations.KNOWN_COLUMNS}
    columns = {name: theirs for name, theirs in named.items() if theirs in there or name not in there}
    return violations.Options(columns=columns, drop=options.drop)


def _kinds(everyone: Sequence[Marked], asked: Sequence[str]) -> pl.DataFrame:
    """What each text is labelled for, in the columns that are asked for."""
    if not asked:
        return pl.DataFrame({"": [None]})
    kinds = pl.concat(one.spans.select(asked) for one in everyone).drop_nulls().unique().sort(asked)
    if kinds.is_empty() or kinds.height > _MOST:
        found = f"{kinds.height:,}, such as {listed(kinds[asked[0]].to_list())}" if kinds.height else "none"
        raise DataError(f"by: expected from 1 to {_MOST} different values of {listed(asked)}; got {found}")
    return kinds


def _table(source: Source, everyone: Sequence[Marked], kinds: pl.DataFrame, texts: pl.DataFrame) -> Told:
    asked = [name for name in kinds.columns if name]
    tables, vague = [], 0
    for one in everyone:
        seen = one.texts.with_row_index(PLACE).filter(True if one.seen is None else one.seen).select(PLACE, ID)
        vague += one.spans.select(asked).filter(pl.any_horizontal(pl.all().is_null())).height if asked else 0
        marked = one.spans.select(PLACE, *asked).unique().with_columns(pl.lit(value=True).alias("marked"))
        each = seen.join(kinds.select(asked), how="cross") if asked else seen
        found = each.join(marked, on=[PLACE, *asked], how="left", maintain_order="left")
        tables.append(found.with_columns(pl.lit(one.name).alias("annotator")))
    rows = pl.concat(tables).join(texts, on=ID, how="left", maintain_order="left")
    label = pl.col("marked").fill_null(value=False).replace_strict(_LABELS, return_dtype=pl.String)
    table = rows.select(
        pl.concat_str(ID, *asked, separator=" ").alias("item"),
        "annotator",
        label.alias("label"),
        *([pl.col(ID).alias("cluster")] if asked else []),
        *asked,
        TEXT,
    )
    told = [said for one in everyone for said in one.warnings]
    if vague:
        have = counted(vague, "violation is", "violations are")
        told.append(f"{source.name}: {have} left out, without {' or '.join(asked)}")
    return table, told
