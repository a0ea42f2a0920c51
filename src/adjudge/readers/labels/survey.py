"""Tables with a row per annotator and a column per item, as forms and surveys export them, as a row per judgment."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.errors import OptionError
from adjudge.readers.io.json_documents import plain_text
from adjudge.schemas.columns import check_column_exists

ITEM, LABEL = "item", "label"
ANY = "*"
"""What stands at the end of a name for whatever may follow."""


def item_columns(asked: Sequence[str], names: Sequence[str], place: str) -> list[str]:
    """The columns that are items. asked: their names, or how they begin, with ANY behind.

    Raises OptionError for one that is not there, and where columns have the names that are made.
    """
    found: dict[str, None] = {}
    for name in asked:
        begins = name[:-1] if name.endswith(ANY) and name not in names else None
        fitting = [one for one in names if begins is not None and one.startswith(begins)]
        check_column_exists(place, [] if fitting else [("item_columns", name)], names)
        found |= dict.fromkeys(fitting or [name])
    if both := [name for name in (ITEM, LABEL) if found and name in names and name not in found]:
        raise OptionError(f"item_columns: {place} has a column {both[0]} already; rename it")
    return list(found)


def judgment_rows(frame: pl.LazyFrame, items: Sequence[str], texts: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """A row per row and item, with the item's name and its label; an empty cell is no judgment.

    texts: the columns of items as text.
    """
    long = frame.with_columns(texts[name].alias(name) for name in items).unpivot(
        on=list(items),
        index=[name for name in frame.collect_schema().names() if name not in items],
        variable_name=ITEM,
        value_name=LABEL,
    )
    return long.filter(pl.col(LABEL).str.strip_chars() != "")


def judgment_records(record: Mapping[str, Any], items: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The same of a record of JSON."""
    others = {name: value for name, value in record.items() if name not in items}
    for name in items:
        if (plain_text(record.get(name)) or "").strip():
            yield {**others, ITEM: name, LABEL: record[name]}
