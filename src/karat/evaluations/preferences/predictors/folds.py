"""Folds of cross-validation that never part the items of one instruction."""

import numpy as np
import polars as pl

from karat.figures.cells import Integers
from karat.schemas.preferences import TEXTS

_APART = "\x1f"
"""Stands between two responses where they name a group."""


def instruction_groups(items: pl.DataFrame) -> Integers:
    """Which items show the same instruction: a number from 0 per item, equal where they do.

    The whole instruction counts, with its input or context where that is a part of it; case and the amount of white
    space do not. Items without an instruction belong together where they show the same two responses, in either order.

    items: the columns instruction, output_a, output_b; nulls are empty texts.
    Returns as many numbers as items; they do not depend on the order of the rows. Instructions that say the same
    in other words are told apart.

    >>> items = pl.DataFrame({"instruction": ["Say hi", "say  hi", "Go"], "output_a": "", "output_b": ""})
    >>> instruction_groups(items).tolist()
    [1, 1, 0]
    """
    plain = pl.col(TEXTS).cast(pl.String).fill_null("").str.replace_all(r"\s+", " ")
    texts = items.select(plain.str.strip_chars().str.to_lowercase())
    both = pl.concat_list("output_a", "output_b").list.sort().list.join(_APART)
    key = pl.when(pl.col("instruction") == "").then(pl.lit(_APART) + both).otherwise("instruction")
    return texts.select(key.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()


def grouped_folds(groups: Integers, folds: int, *, seed: int = 0) -> Integers:
    """A fold for each item, the same one for all items of a group.

    Groups are taken from the largest to the smallest, equally large ones in random order, each into the fold that holds
    the fewest items so far, so folds are nearly equal in size.

    groups: a number per item. folds: how many, from 1; no more than there are groups are filled.
    Returns numbers in [0, folds), one per item; the same for the same groups and seed.

    >>> sorted(grouped_folds(np.array([0, 0, 1, 2]), 2).tolist())
    [0, 0, 1, 1]
    """
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = np.random.default_rng(seed).permutation(len(sizes))
    filled, chosen = np.zeros(folds, np.int64), np.zeros(len(sizes), np.int64)
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        chosen[group] = filled.argmin()
        filled[chosen[group]] += sizes[group]
    found: Integers = chosen[places]
    return found
