"""Bias for long and for formatted texts: of two responses, or of the text that a label is about."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from karat.evaluations.card.beside import by_item, contrast, contrast_rows, judged, slopes
from karat.evaluations.card.found import SCALE, SHARES, Found
from karat.evaluations.card.reading import NOMINAL, Read
from karat.evaluations.card.sides import FEATURES, NO_SIDES, SECOND, Sides, features_of, sides_of
from karat.figures.tables import Keys
from karat.text.style import LONGER, RULES

_ALIKE = "no item on which one response has more"
_UNKNOWN = "Bias for long and for formatted texts is unknown: "


def of_texts(read: Read, options: Mapping[str, Any]) -> Found:
    """Whether a judge prefers longer and more formatted responses more than people do."""
    responses = options["responses"]
    if not responses:
        return Found(lacks=["long and formatted texts (needs --responses COLUMN,COLUMN)"])
    features = features_of(read, responses)
    if len(responses) == 1:
        return _of_one(read, features, options)
    sides = sides_of(read, options["choices"])
    return Found(notes=[f"{_UNKNOWN}{NO_SIDES}."]) if sides is None else _of_two(read, features, sides, options)


def _of_two(read: Read, features: pl.DataFrame, sides: Sides, options: Mapping[str, Any]) -> Found:
    """How often the response is chosen that has more, where one of the two has."""
    people, rows = read.of(read.people), list[Keys]()
    for keys, labels in judged(read, options["by"]):
        held = labels.with_columns(pl.col("item").cast(pl.String)).join(
            features, on="item", how="inner", maintain_order="left"
        )
        own = people.with_columns(pl.col("item").cast(pl.String))
        for rule, bias in FEATURES.items():
            one, other = pl.col(rule), pl.col(rule + SECOND)
            more = pl.when(one != other).then(one > other)
            values = by_item(held, sides.chosen, own, more)
            named = {**keys, "bias": bias, "of": RULES[rule].name.lower()}
            rows += contrast_rows(named, SHARES, contrast(values, options["confidence"], reason=_ALIKE))
    return Found(rows)


def _of_one(read: Read, features: pl.DataFrame, options: Mapping[str, Any]) -> Found:
    """How much higher labels are where the text is twice as long."""
    if read.level == NOMINAL:
        return Found(notes=[f"{_UNKNOWN}labels of one response have no order; give --ordered LABEL,..."])
    people, rows = read.of(read.people).with_columns(pl.col("item").cast(pl.String)), list[Keys]()
    for keys, labels in judged(read, options["by"]):
        values = by_item(labels.with_columns(pl.col("item").cast(pl.String)), pl.col("place"), people)
        values = values.join(features.filter(pl.col(LONGER) > 0), on="item", how="inner", maintain_order="left")
        doublings = np.log2(values[LONGER].to_numpy())
        found = slopes(values, doublings, options["confidence"], "all texts are of one length")
        rows += contrast_rows({**keys, "bias": "length", "of": "twice as long"}, SCALE, found)
    return Found(scale=rows)
