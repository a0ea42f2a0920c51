"""Tables of labels without a row per label: counts of annotators per label, and rows that are annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from adjudge.readers.column_names import joined
from adjudge.readers.column_synonyms import ANNOTATOR, PEOPLE
from adjudge.readers.io.source import Source
from adjudge.readers.label_values import MISSING
from adjudge.readers.tables import ROW, as_text, collect, is_flat, schema_of
from adjudge.schemas.spelling import fold_label, total_rows

_COUNT, _PERCENT, _NEARLY_ALL = "__count__", 100, 0.75
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
    taken = {"item", "label", "annotator"}.intersection(table.columns) - ({who} & {"annotator"})
    if len(items) < _FEWEST_ITEMS or not shared or taken or table[who].is_duplicated().any():
        return None
    index = [name for name in table.columns if name not in items]
    long = table.unpivot(list(items), index=index, variable_name="item", value_name="label")
    long = long.with_columns(annotator=pl.col(who))
    told = f"{source.name}: rows are taken for annotators ({who}), columns for {len(items):,} items"
    rows = long.filter(pl.col("label").str.strip_chars() != "").lazy()
    return TurnedTable(rows, f"{told}. If columns are annotators: --annotator-columns")


def constant_sum(table: pl.DataFrame) -> int | None:
    """What the rows of a table sum to, if its cells are whole numbers that may count annotators; else None.

    A quarter of the rows may have another sum, where annotators left some out, if no cell exceeds the usual one and at
    most half of the rows with that hold one number alone, as they do where annotators agree on a label such as 1.
    """
    numbers = table.cast(pl.UInt32, strict=False)
    if min(table.shape) < 2 or any(column.null_count() for column in numbers):  # noqa: PLR2004
        return None
    every, highest, lowest = numbers.sum_horizontal(), numbers.max_horizontal(), numbers.min_horizontal()
    usual = max(every.mode().to_list())
    alike = every == usual
    same = alike & (highest == lowest)
    nearly = alike.sum() >= _NEARLY_ALL * len(every) and 2 * same.sum() <= alike.sum() and (highest <= usual).all()
    return usual if (alike.all() or nearly) and usual not in (0, 1, _PERCENT) else None


def _rows_of_counts(source: Source, table: pl.DataFrame, item: str, names: Sequence[str]) -> TurnedTable | None:
    """A table whose whole numbers say how many annotators gave each label, of as many in (nearly) every row."""
    texts = table.select(name for name in names if name != item)
    counts = [name for name in texts.columns if texts[name].str.contains(r"^\d{1,4}$").fill_null(value=False).all()]
    sums = total_rows(pl.Series(counts, dtype=pl.String))
    numbers = texts.select(name for name in counts if name not in sums).cast(pl.UInt32)
    if numbers.width > 2:  # noqa: PLR2004
        every = numbers.sum_horizontal()
        numbers = numbers.drop(name for name in numbers.columns if (numbers[name] * 2 == every).all())
    each = constant_sum(numbers)
    if each is None:
        return None
    ids = [item] if item in names else [name for name in texts.columns if name not in counts][:1]
    wide = table.with_columns(numbers, item=pl.col(ids[0] if ids else ROW).cast(pl.String))
    others = [name for name in wide.columns if name not in numbers.columns]
    long = wide.unpivot(numbers.columns, index=others, variable_name="label", value_name=_COUNT).sort(
        ROW, maintain_order=True
    )
    long = long.with_columns(pl.col("label").repeat_by(_COUNT)).explode("label").drop_nulls("label").drop(_COUNT)
    rows = long.with_columns(annotator=pl.int_range(1, pl.len() + 1).over(ROW).cast(pl.String))
    apart = int((numbers.sum_horizontal() != each).sum())
    but = f" ({apart:,} of {numbers.height:,} do not)" if apart else ""
    told = f"{source.name}: rows sum to {each}{but}, and are read as counts of {each} annotators per label"
    return TurnedTable(rows.lazy(), f"{told}. If columns are annotators: --annotator-columns", anonymous=True)
