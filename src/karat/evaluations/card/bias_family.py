"""Bias of a model that judges for responses of its own family of models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError, nearest
from karat.evaluations.card.beside import by_item, contrast, contrast_rows, judged, slopes
from karat.evaluations.card.found import SCALE, SHARES, Found
from karat.evaluations.card.reading import NOMINAL, Read
from karat.evaluations.card.sides import NO_SIDES, Sides, sides_of
from karat.evaluations.files_together import SECOND_FAMILY
from karat.figures.tables import Keys
from karat.formats.findings import listed
from karat.formats.naming import words

_NO_ITEM = "no item with a response of the own family beside one of another"
_UNKNOWN = "Bias for the own family of models is unknown"


def of_family(read: Read, options: Mapping[str, Any]) -> Found:
    """Whether a judge favours responses of its own family more than people do."""
    if not read.has("family"):
        return Found(lacks=["responses of the judge's own family of models (needs --family COLUMN)"])
    paired = read.has(SECOND_FAMILY)
    sides = sides_of(read, options["choices"]) if paired else None
    if paired and sides is None:
        return Found(notes=[f"{_UNKNOWN}: {NO_SIDES}."])
    if not paired and read.level == NOMINAL:
        return Found(notes=[f"{_UNKNOWN}: labels of one response have no order; give --ordered LABEL,..."])
    held = [name for name in ("family", SECOND_FAMILY) if read.has(name)]
    families = read.labels.group_by("item").agg(pl.col(held).cast(pl.String).drop_nulls().first())
    known = sorted({name for column in held for name in families[column].drop_nulls()})
    own = _own(read.judges, known, options["own_family"])
    rows, people = list[Keys](), read.of(read.people)
    for keys, labels in judged(read, options["by"]):
        if family := own.get(keys["judge"]):
            own_labels = labels.drop(held).join(families, on="item", how="left", maintain_order="left")
            named = {**keys, "bias": "own family", "of": family}
            rows += _rows(own_labels, people, (family, sides), named, options["confidence"])
    lacking = [judge for judge in read.judges if judge not in own]
    told = f"{_UNKNOWN} of {listed(lacking)}: no family is part of the name; say which with --own-family JUDGE=FAMILY."
    notes = [told] if lacking else []
    return Found(rows, notes=notes) if paired else Found(scale=rows, notes=notes)


def _own(judges: Sequence[str], families: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The family of each judge: the one that is named, else the longest whose words are words of its name.

    Raises OptionError for a judge or a family that nobody knows.
    """
    for judge, family in named.items():
        for name, known in ((judge, judges), (family, families)):
            if name not in known:
                raise OptionError(f"own_family: no {name}{nearest(name, known)}; there are {listed(known)}")
    found = {}
    for judge in judges:
        fits = [one for one in families if words(one) and _among(words(one), words(judge))]
        if judge in named or fits:
            found[judge] = named.get(judge) or max(fits, key=len)
    return found


def _among(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether words stand among others, side by side."""
    return any(others[place : place + len(some)] == some for place in range(len(others)))


def _rows(
    labels: pl.DataFrame, people: pl.DataFrame, own: tuple[str, Sides | None], keys: Keys, confidence: float
) -> list[Keys]:
    """own: the judge's family, and the labels that choose between two responses, if there are two."""
    family, sides = own
    if sides is not None:
        one, other = (pl.col(name).fill_null("") == family for name in ("family", SECOND_FAMILY))
        values = by_item(labels, sides.chosen, people, pl.when(one != other).then(one))
        return contrast_rows(keys, SHARES, contrast(values, confidence, reason=_NO_ITEM))
    told = by_item(labels.drop_nulls("family"), pl.col("place"), people)
    values = told.join(labels.select("item", "family").unique("item"), on="item", how="left", maintain_order="left")
    along = (values["family"] == family).cast(pl.Float64).to_numpy()
    reason = "all responses are of the own family" if np.all(along) else "no response is of the own family"
    return contrast_rows(keys, SCALE, slopes(values, along, confidence, reason))
