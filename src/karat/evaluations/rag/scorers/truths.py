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
    missed = frame[ROW].filter(unmet(frame, answered))
    found = among(len(slots), frame[ROW]) & ~among(len(slots), missed)
    return found.set(slots.is_null(), None)


def unmet(frame: pl.DataFrame, answered: pl.Series) -> pl.Series:
    """Of each row of a frame as `pairs` gives it whether its slot is answered by no alias."""
    slots = frame[SLOT]
    return ~among(slots[-1] + 1 if len(slots) else 0, slots.filter(answered)).gather(slots)


def among(height: int, rows: pl.Series) -> pl.Series:
    """Of so many rows whether each is one of those named."""
    found = np.zeros(height, dtype=bool)
    found[rows.to_numpy()] = True
    return pl.Series(found)
