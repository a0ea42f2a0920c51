"""What a judge's labels are worth, where it labelled more items than people did; how many more people have to."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from karat.evaluations.card import budget, corrected
from karat.evaluations.card.corrected import doubts, figures_of, left_out, tables_of
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made

METRICS = {**corrected.METRICS, **budget.METRICS}
TABLES = {**corrected.TABLES, **budget.TABLES}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """The tables, where items that nobody else labelled are to be counted in; else a note that they may be."""
    if not options["items_without_people"]:
        return Made(notes=tuple(_may_be_counted(read)))
    found = list(figures_of(read, options))
    tables = tables_of(found, options["by"]) | budget.budget_of(found, options)
    return Made(tables, (*doubts(found, options["by"]), *left_out(read, found, options["by"])))


def _may_be_counted(read: Read) -> Iterator[str]:
    items = read.of(read.people)["item"].unique()
    alone = read.of(read.judges).filter(~pl.col("item").is_in(items.implode()))["item"].n_unique()
    if alone:
        said = f"{alone:,} items are" if alone > 1 else "1 item is"
        yield (
            f"{said} labelled by judges alone and not counted. Where the items that people labelled were drawn at "
            "random, --items-without-people says what these labels are worth, and corrects figures by them."
        )
