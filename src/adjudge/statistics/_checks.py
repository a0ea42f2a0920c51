"""Checks of the arguments of statistics."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def check_part(name: str, part: float, whole: float) -> None:
    """Raise DataError unless 0 <= part <= whole."""
    if not 0 <= part <= whole:
        raise DataError(f"{name}: expected a count from 0 to {whole}; got {part}")


def columns(named: Mapping[str, ArrayLike | None], multiplicity: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """The named columns, one entry per cluster, as a matrix, column x cluster; and each cluster's multiplicity.

    A column that is None is 1 throughout; the first must not be None.
    Raises DataError if the columns differ in length or have values other than finite numbers,
    or if a multiplicity is negative.
    """
    given = [None if column is None else np.asarray(column, np.float64) for column in (*named.values(), multiplicity)]
    ones = np.ones(max(len(column) for column in given if column is not None))
    arrays = [ones if column is None else column for column in given]
    if any(column.shape != ones.shape or not np.isfinite(column).all() for column in arrays) or (arrays[-1] < 0).any():
        shapes = ", ".join(str(column.shape) for column in arrays)
        listed = ", ".join([*named, "multiplicity"])
        raise DataError(f"{listed}: expected finite numbers, one per cluster, multiplicities from 0; got {shapes}")
    present = arrays[-1] > 0
    return np.stack(arrays[:-1])[:, present], arrays[-1][present]


def check_parts(name: str, parts: Floats, wholes: Floats) -> None:
    """Raise DataError unless every part lies between 0 and its whole."""
    wrong = np.flatnonzero((parts < 0) | (parts > wholes))
    if len(wrong):
        first = wrong[0]
        raise DataError(f"{name}[{first}]: expected 0 to {wholes[first]:g}; got {parts[first]:g}", total=len(wrong))
