"""True answers, alias by alias, beside the responses that may hold them."""

import numpy as np
import polars as pl

ROW, SLOT = "__row__", "__slot__"
RESPONSE, ALIAS = "response", "alias"


def pairs(responses: pl.Series, slots: pl.Series) -> pl.DataFrame:
    """A row per response, slot and alias: ROW, SLOT, RESPONSE, ALIAS; none where there are no slots."""
    frame = pl.DataFrame({RESPONSE: responses, "slots": slots}).with_row_index(ROW).drop_nulls("slots")
    by_slot = frame.explode("slots").drop_nulls("slots").with_row_index(SLOT)
    return by_slot.explode("slots").drop_nulls("slots").rename({"slots": ALIAS})


def every_slot(frame: pl.DataFrame, answered: pl.Series, slots: pl.Series) -> pl.Series:
    """Whether every slot is answered by any alias; null where there are no slots, false where their list is empty.

    frame: as `pairs` gives it. answered: whether each of its rows is.
    """
    by_slot = frame.select(ROW, SLOT).with_columns(answered.alias("answered"))
    if frame.height > frame[SLOT].n_unique():
        by_slot = by_slot.group_by(ROW, SLOT).agg(pl.col("answered").any())
    missed = by_slot.filter(~pl.col("answered"))[ROW]
    found = among(len(slots), by_slot[ROW]) & ~among(len(slots), missed)
    return found.set(slots.is_null(), None)


def among(height: int, rows: pl.Series) -> pl.Series:
    """Of so many rows whether each is one of those named."""
    found = np.zeros(height, dtype=bool)
    found[rows.to_numpy()] = True
    return pl.Series(found)
