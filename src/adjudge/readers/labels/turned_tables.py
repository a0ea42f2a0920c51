"""Tables of labels without a row per label: counts of annotators per label, and rows that are annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from adjudge.readers.column_names import joined
from adjudge.readers.column_synonyms import ANNOTATOR, PEOPLE
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import MISSING
from adjudge.readers.problems import listed
from adjudge.readers.tables import ROW, as_text, collect, is_flat, schema_of
from adjudge.schemas.spelling import fold_label, total_rows

_PERCENT = 100
_FEWEST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class TurnedTable:
    """A table as a row per label: ROW, item, annotator, label, and its further columns.

    told: how it was read, and how to read it otherwise. anonymous: whether annotators are counted rather than known.
    """

    rows: pl.LazyFrame
    told: str
    anonymous: bool = False


def turned_table(source: Source, frame: pl.LazyFrame, names: Mapping[str, str], *, counts: bool) -> TurnedTable | None:
    """A table without a column of labels as a row per label; None where its columns do not say what they hold.

    names: Adjudge's column -> the file's. counts: whether it may count annotators.
    """
    types = schema_of(source, frame)
    flat = [name for name, dtype in types.items() if name != ROW and is_flat(dtype)]
    if names["label"] in flat or (names["annotator"] in flat and names["item"] in flat):
        return None
    table = collect(source, frame.with_columns(as_text(pl.col(name), types[name]).alias(name) for name in flat))
    usual = [name for name in flat if joined(name) in ANNOTATOR and joined(name) not in PEOPLE]
    who = next((name for name in (names["annotator"], *usual) if name in flat), None)
    if who is not None:
        return _rows_of_annotators(source, table, who, [name for name in flat if name not in {who, *names.values()}])
    return _rows_of_counts(source, table, names["item"], flat) if counts else None


def _rows_of_annotators(source: Source, table: pl.DataFrame, who: str, items: Sequence[str]) -> TurnedTable | None:
    """A table with a row per annotator, and columns of items, each of which shares labels with others."""
    labels = [
        {one for text in table[name].unique().drop_nulls() if (one := fold_label(text))} - MISSING for name in items
    ]
    shared = all(any(own & other for other in labels if other is not own) for own in labels if own)
    if len(items) < _FEWEST_ITEMS or not shared or table[who].is_duplicated().any():
        return None
    index = [name for name in table.columns if name not in items]
    long = table.unpivot(list(items), index=index, variable_name="item", value_name="label").rename({who: "annotator"})
    told = f"{source.name}: rows are taken for annotators ({who}), and columns for items ({listed(items, 2)})"
    rows = long.filter(pl.col("label").str.strip_chars() != "").lazy()
    return TurnedTable(rows, f"{told}; name annotators with --annotator-columns")


def constant_sum(table: pl.DataFrame) -> int | None:
    """What every row of a table sums to, if its cells are whole numbers that may count annotators; else None."""
    if min(table.shape) < 2:  # noqa: PLR2004 - one row, or one column, sums to anything
        return None
    numbers = table.cast(pl.UInt32, strict=False)
    sums = numbers.sum_horizontal(ignore_nulls=False).unique()
    several = len(sums) == 1 and sums[0] not in (None, 0, 1, _PERCENT)
    return int(sums[0]) if several else None


def _rows_of_counts(source: Source, table: pl.DataFrame, item: str, names: Sequence[str]) -> TurnedTable | None:
    """A table whose whole numbers say how many annotators gave each label, the same number of them in every row."""
    texts = table.select(name for name in names if name != item)
    counts = [name for name in texts.columns if texts[name].str.contains(r"^\d{1,4}$").fill_null(value=False).all()]
    sums = total_rows(pl.Series(counts, dtype=pl.String))
    numbers = texts.select(name for name in counts if name not in sums).cast(pl.UInt32)
    each = constant_sum(numbers)
    if each is None:
        return None
    ids = [item] if item in names else [name for name in texts.columns if name not in counts][:1]
    by_item = table[ids[0]] if ids else table[ROW].cast(pl.String)
    wide = numbers.with_columns(table[ROW], by_item.alias("item"))
    long = wide.unpivot(numbers.columns, index=[ROW, "item"], variable_name="label", value_name="count")
    each_label = pl.col("label").repeat_by("count").alias("label")
    rows = long.sort(ROW, maintain_order=True).select(ROW, "item", each_label).explode("label").drop_nulls("label")
    rows = rows.with_columns(pl.int_range(1, pl.len() + 1).over(ROW).cast(pl.String).alias("annotator"))
    told = (
        f"{source.name}: read as counts of {each} annotators per label ({listed(numbers.columns)}), since each row "
        f"sums to {each}; name annotators with --annotator-columns"
    )
    return TurnedTable(rows.lazy(), told, anonymous=True)
