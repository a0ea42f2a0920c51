"""Labels as arrays, and their counts: how often a system says this where people say that."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.schemas.preferences import MISSING

Codes = NDArray[np.uint8]
"""Criteria x items, codes of labels; 0 is missing."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True)
class Labels:
    """What a system says on one criterion beside the gold. table: gold in rows, missing first on both sides."""

    gold: np.ndarray
    codes: np.ndarray
    judged: Mask
    table: Integers

    @cached_property
    def right(self) -> Mask:
        """Whether the label is the gold one."""
        found: Mask = self.judged & (self.gold == self.codes)
        return found


@dataclass(frozen=True, eq=False)
class System:
    """What a system predicts. scores: metric -> criteria x items, NaN where an item has none."""

    name: str
    codes: Codes
    scores: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Group:
    """Items to give figures for: all, or those with the same values of the `by` columns.

    keys: the values of the key columns. gold: people's labels. baselines: computed, not submitted. clusters: an
    index per item, or None where items are independent.
    """

    keys: dict[str, str | None]
    criteria: tuple[str, ...]
    labels: tuple[str, ...]
    gold: Codes
    systems: tuple[System, ...]
    baselines: tuple[System, ...]
    clusters: Integers | None
    confidence: float
    seed: int
    _labels: dict[tuple[System, int], Labels] = field(init=False, default_factory=dict)

    @property
    def everyone(self) -> tuple[System, ...]:
        """Systems, then baselines."""
        return (*self.systems, *self.baselines)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Criteria x items: whether people gave a label."""
        found: NDArray[np.bool_] = self.gold != MISSING
        return found

    @cached_property
    def units(self) -> int:
        """How many items (clusters) there are."""
        return self.gold.shape[1] if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    def predicted(self, system: System, place: int) -> Labels:
        """What a system says on the criterion at a place; counted once, since most figures rest on it."""
        if (system, place) not in self._labels:
            gold, codes = self.gold[place], system.codes[place]
            table = joint(gold, codes, len(self.labels))
            table[MISSING] = 0
            self._labels[system, place] = Labels(gold, codes, self.judged[place], table)
        return self._labels[system, place]

    def per_unit(self, values: Floats) -> Floats:
        """Values per item, summed per cluster; as they are where items are independent."""
        if self.clusters is None:
            return values
        return np.bincount(self.clusters, weights=values, minlength=self.units).astype(np.float64)

    def counted(self, mask: NDArray[np.bool_]) -> Integers:
        """How many of each cluster's items are true."""
        return self.per_unit(mask.astype(np.float64)).astype(np.int64)


def joint(gold: Codes, codes: Codes, labels: int) -> Integers:
    """How often each gold label (row) meets each predicted one (column), both with missing first: a square table."""
    size = labels + 1
    cells = gold.astype(np.intp) * size + codes
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def part(group: Group, items: NDArray[np.intp], keys: dict[str, str | None]) -> Group:
    """Some of a group's items as a group of their own."""
    clusters = None if group.clusters is None else np.unique(group.clusters[items], return_inverse=True)[1]
    return replace(
        group,
        keys=keys,
        gold=group.gold[:, items],
        systems=tuple(_some(system, items) for system in group.systems),
        baselines=tuple(_some(system, items) for system in group.baselines),
        clusters=clusters,
    )


def _some(system: System, items: NDArray[np.intp]) -> System:
    scores = {metric: values[:, items] for metric, values in system.scores.items()}
    return System(system.name, system.codes[:, items], scores)
