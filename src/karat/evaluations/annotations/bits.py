"""How many rows two annotators have in common: a bit per row, so that 64 rows are compared at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
"""Words of bits, one for each row, along the last axis; bits beyond the last row are 0."""

_WORD = 8
"""Bits of a byte, and bytes of a word."""

MOST_WORDS = (1 << 10) - 1
"""Words whose bits may be counted: those of more could not be added in 16 bits, which is fastest."""


def bits(columns: Sequence[NDArray[np.uint8]], many: int) -> Bits:
    """Which rows hold each of so many codes in each column: columns x codes x words. Columns are of one length."""
    length = -(-len(columns[0]) // _WORD)
    found = np.zeros((len(columns), many, -(-length // _WORD) * _WORD), np.uint8)
    words = found.view(np.uint64)
    for place, own in enumerate(columns):
        left = len(own)
        for code in range(many):
            found[place, code, :length] = np.packbits(own == code)
            left -= int(np.bitwise_count(words[place, code]).sum())
            if not left:  # most columns hold the first few codes alone
                break
    return words


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
    found: NDArray[np.int64] = np.bitwise_count(words).sum(axis=1, dtype=np.uint16).astype(np.int64)
    return found
