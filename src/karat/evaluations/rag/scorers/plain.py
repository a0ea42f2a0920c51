"""What the scorers `document` and `benchmark` share: phrases and true answers are looked for letter by letter."""

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

ROW, SLOT = "__row__", "__slot__"
RESPONSE, ALIAS = "response", "alias"


def holds(texts: pl.Series, phrases: Sequence[str]) -> pl.Series:
    """Whether each text holds one of the phrases; null where the text is."""
    return texts.str.contains("|".join(map(_literal, phrases)))


def _literal(phrase: str) -> str:
    """A phrase as a regular expression that polars recognises as literal, which it finds several times faster."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", phrase)


def first(texts: pl.Series, phrases: Sequence[str], where: pl.Series) -> pl.Series:
    """The phrase that comes first in each text of which `where` is true, the longest of those; else null."""
    chosen = texts.set(~where.fill_null(value=False), None)
    return chosen.str.extract_many(sorted(phrases, key=len, reverse=True), leftmost=True).list.first()


def pairs(responses: pl.Series, slots: pl.Series) -> pl.DataFrame:
    """A row per response, slot and alias: ROW, SLOT, RESPONSE, ALIAS; none where there are no slots."""
    frame = pl.DataFrame({RESPONSE: responses, ALIAS: slots}).with_row_index(ROW).drop_nulls(ALIAS)
    return frame.explode(ALIAS).drop_nulls(ALIAS).with_row_index(SLOT).explode(ALIAS).drop_nulls(ALIAS)


def every_slot(frame: pl.DataFrame, answered: pl.Series, slots: pl.Series) -> pl.Series:
    """Whether every slot is answered by any alias; null where there are no slots, false where their list is empty.

    frame: as `pairs` gives it. answered: whether each of its rows is.
    """
    met = frame[SLOT].is_in(frame[SLOT].filter(answered).unique().implode())
    found = among(len(slots), frame[ROW]) & ~among(len(slots), frame[ROW].filter(~met))
    return found.set(slots.is_null(), None)


def among(height: int, rows: pl.Series) -> pl.Series:
    """Of so many rows whether each is one of those named."""
    found = np.zeros(height, dtype=bool)
    found[rows.to_numpy()] = True
    return pl.Series(found)
