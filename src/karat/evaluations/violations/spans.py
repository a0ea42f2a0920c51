"""Violations as arrays: offsets, and a number for each text that they say."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.schemas.violations import PLACE, TEXT_PARTS

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

NOTHING = -1
"""The number of a text that is missing."""


def summed(places: Integers, values: Floats | Integers | None, count: int) -> Floats:
    """The sum of values at each place from 0 to count; without values, how many stand there."""
    found: Floats = np.bincount(places, values, count).astype(np.float64)
    return found


@dataclass(frozen=True, eq=False)
class Spans:
    """Violations of one side, sorted by text, then by start.

    place: the text each is in. start, end: half-open offsets. parts: what each says (rule, category, explanation,
    correction), as a place in a list of texts that both sides share, or NOTHING.
    """

    place: Integers
    start: Integers
    end: Integers
    parts: dict[str, Integers]

    def __len__(self) -> int:
        return len(self.place)

    def within(self, first: int, last: int) -> slice:
        """The violations in the texts from one place up to another, which is excluded."""
        low, high = np.searchsorted(self.place, [first, last])
        return slice(int(low), int(high))

    def some(self, rows: slice) -> "Spans":
        """Some of them."""
        parts = {name: one[rows] for name, one in self.parts.items()}
        return Spans(self.place[rows], self.start[rows], self.end[rows], parts)


@dataclass(frozen=True, eq=False)
class Words:
    """All different texts of each part, sorted, so that their numbers compare as they do."""

    texts: dict[str, pl.Series]

    @property
    def absent(self) -> list[str]:
        """The parts of which nobody says anything."""
        return [name for name, texts in self.texts.items() if not len(texts)]

    def of(self, part: str, numbers: Integers) -> pl.Series:
        """The texts of numbers, null for NOTHING."""
        texts = pl.concat([self.texts[part], pl.Series([None], dtype=pl.String)])
        return texts.gather(np.where(numbers == NOTHING, len(texts) - 1, numbers)).alias(part)


def as_arrays(frames: list[pl.DataFrame]) -> tuple[list[Spans], Words]:
    """Tables of spans (see karat.schemas.violations) as arrays that share their numbers."""
    numbers: dict[str, list[Integers]] = {}
    texts = {}
    for name in TEXT_PARTS:
        distinct = pl.concat([frame[name].drop_nulls() for frame in frames]).unique().sort()
        texts[name] = distinct
        numbered = pl.DataFrame({name: distinct}).with_row_index("number")
        numbers[name] = [
            frame.select(name).join(numbered, on=name, how="left", maintain_order="left")["number"]
            .cast(pl.Int64).fill_null(NOTHING).to_numpy()
            for frame in frames
        ]  # fmt: skip
    spans = [
        Spans(
            frame[PLACE].cast(pl.Int64).to_numpy(),
            frame["start"].to_numpy(),
            frame["end"].to_numpy(),
            {name: numbers[name][side] for name in TEXT_PARTS},
        )
        for side, frame in enumerate(frames)
    ]
    return spans, Words(texts)
