"""How many rows two annotators have in common: a bit per row, so that 64 rows are compared at once."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
"""A row of words for each annotator; bits beyond the last row are 0."""

_WORD = 8
"""Bytes of a word."""


def bits(masks: Iterable[NDArray[np.bool_]]) -> Bits:
    """The rows that each mask holds, as bits. All masks are of the same length."""
    packed = np.stack([np.packbits(mask) for mask in masks])
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % _WORD))).view(np.uint64)


def in_common(first: Bits, second: Bits) -> NDArray[np.int64]:
    """How many rows each of the first has in common with each of the second."""
    found = np.zeros((len(first), len(second)), np.int64)
    for place, own in enumerate(first):
        found[place] = _counted(own & second)
    return found


def among(held: Bits) -> NDArray[np.int64]:
    """How many rows every two have in common: each two are counted once."""
    found = np.zeros((len(held), len(held)), np.int64)
    for place, own in enumerate(held):
        found[place, place:] = found[place:, place] = _counted(own & held[place:])
    return found


def _counted(words: Bits) -> NDArray[np.int64]:
    """The bits of each row of words."""
    found: NDArray[np.int64] = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    return found
