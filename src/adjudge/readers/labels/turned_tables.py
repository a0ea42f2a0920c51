"""Tables of labels in other shapes than a row per label: a column per annotator, and counts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from adjudge.readers.column_names import ANNOTATOR, PEOPLE, joined_key
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, count_words, listed
from adjudge.readers.tables import ROW, as_text, collect, is_flat, schema_of
from adjudge.version import NAME

ITEM, JUDGE, LABEL = "__item__", "__annotator__", "__label__"
_COUNT, _PERCENT, _NEARLY_ALL = "__count__", 100, 0.75
_OTHER = "If columns are annotators: --annotator-columns"


@dataclass(frozen=True, slots=True)
class TurnedTable:
    """A table as a row per label.

    rows: with ROW, JUDGE, LABEL, and the further columns of the table. item: its column of items. told: a warning about
    its reading, with the alternative. about: further fields of its `Part`.
    """

    rows: pl.LazyFrame
    item: str
    told: str = ""
    about: Mapping[str, int] = field(default_factory=dict)


def of_columns(source: Source, frame: pl.LazyFrame, judges: Sequence[str], item: str, reference: str) -> TurnedTable:
    """A table with a column per annotator. An empty cell is no judgment. Without ids, rows are the items.

    reference: the column whose empty cells exclude rows from the count of cells.
    """
    types = schema_of(source, frame)
    labels = pl.concat_list(as_text(pl.col(name), types[name]) for name in judges)
    rows = frame.with_columns(pl.lit(list(judges)).alias(JUDGE), labels.alias(LABEL))
    rows = rows.explode(JUDGE, LABEL).filter(pl.col(LABEL).str.strip_chars() != "")
    if positions := item not in types:
        item, rows = ITEM, rows.with_columns(pl.col(ROW).cast(pl.String).alias(ITEM))
    asked = frame.filter(pl.col(reference).is_not_null()) if reference in types else frame
    given = labels.list.eval(pl.element().str.strip_chars() != "").list.sum().sum()
    cells, filled = collect(source, asked.select(pl.len().cast(pl.Int64) * len(judges), given)).row(0)
    return TurnedTable(rows, item, about={"cells": cells, "empty": cells - filled, "positions": positions})


def turned_table(source: Source, frame: pl.LazyFrame, names: Mapping[str, str], *, counts: bool) -> TurnedTable | None:
    """A table without a column of labels as a row per label; None if its columns are unknown.

    names: Adjudge's column -> the file's. counts: whether it may count annotators.
    """
    types = schema_of(source, frame)
    flat = [name for name, dtype in types.items() if name != ROW and is_flat(dtype)]
    if not {names["label"], names["annotator"]}.isdisjoint(flat):
        return None
    table = collect(source, frame.with_columns(as_text(pl.col(name), types[name]).alias(name) for name in flat))
    named = any(joined_key(name) in ANNOTATOR and joined_key(name) not in PEOPLE for name in flat)
    return _of_counts(source, table, names["item"], flat) if counts and not named else None


def constant_sum(table: pl.DataFrame) -> int | None:
    """The sum of a table's rows, if its cells are whole numbers that may count annotators; else None.

    Up to a quarter of the rows may have another sum, since annotators may skip items, if no cell exceeds the usual sum.
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


def _of_counts(source: Source, table: pl.DataFrame, item: str, names: Sequence[str]) -> TurnedTable | None:
    """A table of numbers of annotators per label, with the same total in (nearly) every row."""
    texts = table.select(name for name in names if name != item)
    counts = [name for name in texts.columns if texts[name].str.contains(r"^\d{1,4}$").fill_null(value=False).all()]
    if not counts:
        return None
    numbers = texts.select(counts).cast(pl.UInt32)
    every = numbers.sum_horizontal()
    numbers = numbers.drop(name for name in counts if numbers.width > 2 and (numbers[name] * 2 == every).all())  # noqa: PLR2004
    each = constant_sum(numbers)
    if each is None:
        return None
    ids = [item] if item in names else [name for name in texts.columns if name not in counts][:1]
    wide = table.with_columns(numbers, item=pl.col(ids[0] if ids else ROW).cast(pl.String))
    others = [name for name in wide.columns if name not in numbers.columns]
    rows = wide.unpivot(numbers.columns, index=others, variable_name=LABEL, value_name=_COUNT)
    rows = rows.sort(ROW, maintain_order=True).with_columns(pl.col(LABEL).repeat_by(_COUNT)).explode(LABEL)
    rows = rows.drop_nulls(LABEL).with_columns(pl.int_range(1, pl.len() + 1).over(ROW).cast(pl.String).alias(JUDGE))
    apart = int((numbers.sum_horizontal() != each).sum())
    but = f" ({apart:,} of {numbers.height:,} do not)" if apart else ""
    message = f"{source.name}: rows sum to {each}{but}, and are read as counts of {each} annotators per label. {_OTHER}"
    return TurnedTable(rows.drop(_COUNT).lazy(), "item", message, {"anonymous": True})


def of_people(frame: pl.DataFrame, models: Collection[str], findings: Findings) -> pl.DataFrame:
    """The judgments of humans, unless models made all of them."""
    people = frame.filter(~pl.col("annotator").cast(pl.String).is_in(list(models)))
    if not 0 < people.height < frame.height:
        return frame
    count = count_words(frame.height - people.height, "prediction is", "predictions are")
    findings.told.append(f"{count} excluded, of {listed(sorted(models))}: {NAME} card compares models with humans")
    return people
