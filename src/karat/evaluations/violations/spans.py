"""Violations of several sides as tables whose texts are categories, and the sums that are made of them."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from karat.schemas.violations import TEXT_PARTS

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

NOTHING = -1
"""The number of a text that is missing."""


def with_categories(sides: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Tables of spans (see karat.schemas.violations) in which the texts of each part are the same categories.

    They are sorted, so that their numbers compare as the texts do. Rows keep their order: by text, then by start.
    """
    said = {part: pl.concat([side[part] for side in sides]).drop_nulls().unique().sort() for part in TEXT_PARTS}
    return [side.cast({part: pl.Enum(texts) for part, texts in said.items()}) for side in sides]


def texts_of(spans: pl.DataFrame, part: str) -> pl.Series:
    """All different texts of a part, of every side, by their numbers."""
    found: pl.Series = spans.schema[part].categories  # type: ignore[attr-defined] # of an Enum
    return found


def absent_parts(spans: pl.DataFrame) -> list[str]:
    """The parts of which no side says anything."""
    return [part for part in TEXT_PARTS if texts_of(spans, part).is_empty()]


def numbers(spans: pl.DataFrame, part: str, rows: pl.Series) -> Integers:
    """The numbers of the texts that some of the violations have, or NOTHING."""
    return spans[part].gather(rows).to_physical().cast(pl.Int64).fill_null(NOTHING).to_numpy()


def summed(places: ArrayLike, values: ArrayLike | None, count: int) -> Floats:
    """The sum of values at each place from 0 to count; without values, how many stand there."""
    found: Floats = np.bincount(places, values, count).astype(np.float64)
    return found
