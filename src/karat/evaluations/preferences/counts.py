"""Labels as arrays, a row per item: the same cells that outcomes would give, without a table of outcomes."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.figures.cells import Cells, Floats, Integers, Pairs, coded, coded_pairs, measured
from karat.figures.figure import Figure
from karat.figures.means import PairedParts, Parts
from karat.schemas.preferences import MISSING

Codes = NDArray[np.uint8]
"""Criteria x items, codes of labels; 0 is missing."""

_OUTCOMES = ("correct", "incorrect", "missing", "unjudged")


@dataclass(frozen=True, eq=False)
class System:
    """A system's predictions. scores: metric -> criteria x items, NaN where an item has none."""

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

    @property
    def everyone(self) -> tuple[System, ...]:
        """Systems, then baselines."""
        return (*self.systems, *self.baselines)

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.gold.shape[1])

    @cached_property
    def units(self) -> int:
        """The number of sampling units: items, or clusters of them."""
        return self.items if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    @cached_property
    def states(self) -> pl.DataFrame:
        """Every gold label with every predicted one, missing first, as outcomes say them."""
        words, size = (None, *self.labels), 1 + len(self.labels)
        gold, codes = np.divmod(np.arange(size * size), size)
        kinds = np.select([gold == MISSING, codes == MISSING, gold == codes], [3, 2, 0], default=1)
        return pl.DataFrame(
            {
                "outcome": [_OUTCOMES[kind] for kind in kinds],
                "label": pl.Series([words[code] for code in codes], dtype=pl.String),
                "reference_label": pl.Series([words[code] for code in gold], dtype=pl.String),
                "score": pl.Series([None] * len(kinds), dtype=pl.Float64),
            }
        )

    def places(self, system: System, place: int) -> Integers:
        """The state of each item on the criterion at a place."""
        found: Integers = self.gold[place].astype(np.int64) * (1 + len(self.labels)) + system.codes[place]
        return found

    def cells(self, system: System, figure: Figure, place: int, units: Integers | None) -> Cells:
        """What a figure of a system rests on, on the criterion at a place."""
        if figure.name not in system.scores:
            return coded(self.states, self.places(system, place), units)
        values = system.scores[figure.name][place]
        held = ~np.isnan(values)
        return measured({"score": values[held]}, None if units is None else units[held])

    def pairs(self, first: System, second: System, figure: Figure, place: int, units: Integers | None) -> Pairs:
        """What the difference of two systems rests on, on the criterion at a place."""
        if figure.name not in first.scores:
            return coded_pairs(self.states, self.places(first, place), self.places(second, place), units)
        one, other = first.scores[figure.name][place], second.scores[figure.name][place]
        rows = np.flatnonzero(~(np.isnan(one) & np.isnan(other)))
        states = pl.DataFrame({"score": pl.Series(np.concatenate([one[rows], other[rows]]), nan_to_null=True)})
        start = np.arange(len(rows))
        kept = None if units is None else units[rows]
        return Pairs(states, start, start + len(rows), np.ones(len(rows), dtype=np.int64), kept)

    @cached_property
    def numbers(self) -> Integers:
        """The items by number."""
        return np.arange(self.items)

    def parts(self, system: System, figure: Figure) -> Parts:
        """What a figure of a system rests on, on all criteria."""
        cells = [self.cells(system, figure, place, self.numbers) for place in range(len(self.criteria))]
        return Parts(self.criteria, cells, self.items, self.clusters)

    def paired_parts(self, first: System, second: System, figure: Figure) -> PairedParts:
        """What the difference of two systems rests on, on all criteria."""
        pairs = [self.pairs(first, second, figure, place, self.numbers) for place in range(len(self.criteria))]
        return PairedParts(self.criteria, pairs, self.items, self.clusters)


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
