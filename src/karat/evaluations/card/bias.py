"""Bias: what a judge prefers beyond what people prefer on the same items."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.about import Metric
from karat.evaluations.card.beside import adjusted, by_item, contrast, contrast_rows, judged
from karat.evaluations.card.bias_family import of_family
from karat.evaluations.card.bias_groups import GROUPS, groups_table
from karat.evaluations.card.bias_pairs import ORDERS, of_pairs
from karat.evaluations.card.bias_texts import of_texts
from karat.evaluations.card.found import SCALE, SHARES, Found
from karat.evaluations.card.reading import NOMINAL, ORDERED_LEVELS, Read
from karat.evaluations.card.section import Made
from karat.figures.tables import TESTED, Keys
from karat.report import typed_table

_MOST_LABELS = 20
_SAME = "on the same items"

METRICS = {
    SHARES[0]: Metric("Judge's share", f"How often the judge gives the label, or chooses the response, {_SAME}."),
    SHARES[1]: Metric("People's share", f"How often people do so {_SAME}: of each item the mean over people."),
    SHARES[2]: Metric(
        "Judge minus people", f"The judge's share less that of people {_SAME}.", of_shares=True, signed=True
    ),
    SCALE[0]: Metric(
        "Judge's labels", "Their mean, or how much higher they are where the text is as said.", percent=False
    ),
    SCALE[1]: Metric("People's labels", f"The same of people {_SAME}.", percent=False),
    SCALE[2]: Metric(
        "Bias of labels", "The judge's less people's, in the unit of the labels.", percent=False, signed=True
    ),
    **ORDERS,
    **GROUPS,
}
TABLES = {
    "bias": "What each judge prefers beyond what people prefer on the same items. p is of the bias, adjusted for all "
    "tests of one kind of bias of a judge.",
    "bias_scale": "The same of labels that stand on a scale: how high they are, and how much higher for longer texts "
    "or for responses of the judge's own family.",
    "orders": "Items that a judge saw with the responses in both orders.",
    "groups": "Agreement with people in each group of items, and its difference from the other groups.",
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """The tables, and a line for each bias that the data do not hold."""
    keys = [*options["by"], "judge"]
    found = [part(read, options) for part in (_of_labels, of_pairs, of_texts, of_family)]
    rows, scale, orders = ([row for one in found for row in getattr(one, name)] for name in ("rows", "scale", "orders"))
    groups = groups_table(read, options)
    tables = {
        "bias": _table(rows, [*keys, "bias"], ["of"]),
        "bias_scale": _table(scale, [*keys, "bias"], ["of"]),
        "orders": _table(orders, [*keys, "metric"], []),
        "groups": groups,
    }
    lacks = [lack for one in found for lack in one.lacks]
    unknown = [f"Not measured: a bias for {', or for '.join(lacks)}."] if lacks else []
    return Made(
        {name: table for name, table in tables.items() if table is not None and table.height},
        (*unknown, *(note for one in found for note in one.notes)),
    )


def _table(rows: Sequence[Keys], family: Sequence[str], further: Sequence[str]) -> pl.DataFrame:
    """family: the keys of the tests that p is adjusted for."""
    keys = [name for name in (*family, *further) if name != "metric"]
    found = typed_table(adjusted(rows, family), [*keys, *TESTED])
    return found.sort(keys[: keys.index("judge") + 1], maintain_order=True)


def _of_labels(read: Read, options: Mapping[str, Any]) -> Found:
    """How often the judge gives each label, and where it stands on the scale on average."""
    confidence, people = options["confidence"], read.of(read.people)
    rows, scale = list[Keys](), list[Keys]()
    counts = read.labels["label"].value_counts(sort=True)
    names = sorted(counts["label"].cast(pl.String).head(_MOST_LABELS)) if read.level in (NOMINAL, "ordinal") else []
    told = names[:1] if counts.height == 2 else names  # noqa: PLR2004 - the share of the other is the rest
    for keys, labels in judged(read, options["by"]):
        for name in told:
            values = by_item(labels, (pl.col("label").cast(pl.String) == name).cast(pl.Float64), people)
            rows += contrast_rows({**keys, "bias": "label", "of": name}, SHARES, contrast(values, confidence))
        if read.level in ORDERED_LEVELS:
            values = by_item(labels, pl.col("place"), people)
            named = {**keys, "bias": "height", "of": "all labels"}
            scale += contrast_rows(named, SCALE, contrast(values, confidence, shares=False))
    more = counts.height - len(names) if names else 0
    left = f"Bias for single labels is that of the {_MOST_LABELS} most frequent ones; {more:,} more are left out."
    return Found(rows, scale, notes=[left] if more else [])
