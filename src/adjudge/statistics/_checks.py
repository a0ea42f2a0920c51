"""Checks of the arguments of statistics."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adjudge.errors import DataError, OptionError, closest

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


def check_confidence(confidence: float) -> None:
    """Raise OptionError unless confidence lies strictly between 0 and 1."""
    check_inside("confidence", confidence)


def check_inside(name: str, value: float) -> None:
    """Raise OptionError unless a probability lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise OptionError(f"expected a number between 0 and 1; got {value!r}", option=name)


def check_share(name: str, value: float) -> None:
    """Raise OptionError unless a share lies in [0, 1]."""
    if not 0 <= value <= 1:
        raise OptionError(f"expected a number from 0 to 1; got {value!r}", option=name)


def check_positive(name: str, value: float) -> None:
    """Raise OptionError unless a number, which may be infinite, is above 0."""
    if not value > 0:
        raise OptionError(f"expected a number above 0; got {value!r}", option=name)


def check_choice(name: str, value: str, known: Sequence[str]) -> None:
    """Raise OptionError, with the closest known word, unless value is one of the known ones."""
    if value not in known:
        raise OptionError(f"expected one of {', '.join(known)}; got {value!r}", option=name, fix=closest(value, known))


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
    listed = {**named, "multiplicity": multiplicity}
    ones = np.ones(np.shape(next(column for column in listed.values() if column is not None)))
    arrays = {name: _column(name, ones if values is None else values) for name, values in listed.items()}
    lengths = {name: len(array) for name, array in arrays.items() if listed[name] is not None}
    if len(set(lengths.values())) > 1:
        raise DataError(f"expected columns of one length; got {lengths}")
    weights = arrays.pop("multiplicity")
    if (weights < 0).any():
        raise DataError(f"multiplicity: expected counts from 0; got {weights.min()}")
    present = weights > 0
    return np.stack(list(arrays.values()))[:, present], weights[present]


def check_parts(name: str, parts: Floats, wholes: Floats) -> None:
    """Raise DataError unless every part lies between 0 and its whole."""
    wrong = np.flatnonzero((parts < 0) | (parts > wholes))
    if len(wrong):
        first = wrong[0]
        raise DataError(f"{name}[{first}]: expected 0 to {wholes[first]:g}; got {parts[first]:g}", total=len(wrong))


def _column(name: str, values: ArrayLike) -> Floats:
    array: NDArray[Any] = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name}: expected one entry per cluster; got an array of shape {array.shape}")
    floats = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise DataError(f"{name}: expected finite numbers; got some that are not")
    return floats
