"""`karat card correct`: the section on what a judge's labels are worth as a report of its own."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from karat.about import Forest, Head
from karat.errors import OptionError
from karat.evaluations import judging
from karat.evaluations.card.budget import budget_of
from karat.evaluations.card.corrected import NUMBERS, OF, SHARES, Figures, doubts, figures_of, left_out, tables_of
from karat.evaluations.card.reading import Read

OF_CORRECTED = (SHARES, NUMBERS)
"""The tables of which one is the main one of such a report."""
CORRECTED = Head(
    "Corrected figures",
    "What would people say of all items, and what are the judge's labels worth?",
    pictures=tuple(
        Forest(
            name=name,
            title="People, the judge, and both",
            caption="Figures by people's labels of some items, by the judge's labels of all, and corrected: by the "
            "judge's less its errors on the items that people labelled. With {confidence} intervals.",
            table=name,
            where={"figure": figure},
            label="label",
            metrics=tuple((one,) for one in metrics),
            groups=("judge",),
        )
        for (name, metrics), figure in zip(OF.items(), ("share", "mean"), strict=True)
    ),
    answers=(),
    over_time=("corrected", "corrected_mean"),
    opening="corrected",
)


class Corrected(NamedTuple):
    """The tables, and what must be known of them."""

    tables: dict[str, pl.DataFrame]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def check(options: Mapping[str, Any]) -> None:
    """Raises OptionError for options that need one another, or exclude one another."""
    judging.check(options)
    if options["weights"] and options["strata"]:
        raise OptionError(
            "strata: leave out --strata, or --weights, which say how often items of each kind were labelled"
        )


def corrected(read: Read, options: Mapping[str, Any]) -> Corrected:
    """All tables."""
    figures = list(figures_of(read, options))
    tables = tables_of(figures, options["by"]) | budget_of(figures, options)
    warnings = tuple(doubts(figures, options["by"]))
    return Corrected(tables, warnings, tuple(_notes(read, figures, options)))


def counts_of(read: Read) -> dict[str, int]:
    """What was counted, for the head of the report."""
    items = read.labels["item"].n_unique()
    found = {"labels": read.labels.height, "items": items, "people": len(read.people), "judges": len(read.judges)}
    return found | {f"dropped for {column}": dropped for column, dropped in read.held.dropped.items()}


def _notes(read: Read, figures: Figures, options: Mapping[str, Any]) -> Iterator[str]:
    how = "within what --weights or --strata say, " if read.has("weights") or read.has("strata") else ""
    sample = f"{how}the items that people labelled have to be a random sample of these"
    flags = "The flag rate may rest on items chosen by what they are in truth, never by what the judge says of them."
    yield f"Corrected figures are about all items that a judge labelled: {sample}. {flags}"
    yield from judging.of_scale(read.labels["label"], options)
    yield from left_out(read, figures, options["by"])
    if read.clustered:
        yield f"All intervals are clustered by {options['cluster'] or 'cluster'}."
