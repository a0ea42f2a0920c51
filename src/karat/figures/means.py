"""The mean of a figure over parts of the same items, such as criteria: estimate, difference, pilot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
import polars as pl

from karat.estimate import Estimate, Note
from karat.figures.cells import Cells, Floats, Integers, Mask, Pairs, sums_by
from karat.figures.difference import Difference, LeftOut, compared_rows, left_out_of, noted
from karat.figures.figure import Figure, Linearised, histogram, within
from karat.figures.labels import BalancedAccuracy, strata_difference
from karat.figures.ratios import Share
from karat.statistics import (
    Comparison,
    influence_correlations,
    linearised_difference,
    linearised_proportion,
    mean_of_proportions,
)

MANY_ITEMS = 100
"""From this many items on, intervals of means over criteria keep their coverage."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A figure's cells on each part of the same items. names: of the parts. cells: with items as units, by number.

    items: how many there are. clusters: of each item, or None where items are independent.
    """

    names: Sequence[str]
    cells: Sequence[Cells]
    items: int
    clusters: Integers | None = None

    def drawn(self, cells: Cells) -> Cells:
        """The cells of a part, with their sampling units."""
        return replace(cells, units=None if self.clusters is None else drawn_units(cells.units, self.clusters))


@dataclass(frozen=True, eq=False)
class PairedParts:
    """The same of two runs. pairs: with items as units."""

    names: Sequence[str]
    pairs: Sequence[Pairs]
    items: int
    clusters: Integers | None = None


def drawn_units(units: Integers | None, clusters: Integers) -> Integers | None:
    """The clusters of items, in the place of the items, as sampling units."""
    return None if units is None else clusters[units]


def mean_estimate(figure: Figure, parts: Parts, confidence: float) -> Estimate:
    """The mean over parts: the parts' own intervals, combined with the correlations of items' influence between parts.

    Shares of independent items: Wilson's interval with an effective n. n: the items that count on some part.
    """
    if len(parts.cells) == 1:
        return figure.estimate(parts.drawn(parts.cells[0]), confidence)
    found = [figure.linearise(cells.states, cells.totals) for cells in parts.cells]
    for name, one in zip(parts.names, found, strict=True):
        if one.value is None:
            return Estimate.undefined(f"{name}: {one.reason}", confidence=confidence)
    counted = [figure.counted(cells.states)[cells.place] for cells in parts.cells]
    held = _held([cells.units for cells in parts.cells], counted, parts.items)
    value = fsum(one.value or 0.0 for one in found) / len(found)
    moved = np.stack([_moved(one, cells, parts.items) for one, cells in zip(found, parts.cells, strict=True)], axis=1)
    n = int(held.sum())
    if isinstance(figure, Share) and parts.clusters is None:
        return _of_shares(value, moved[held].mean(axis=1), sum(int(one.sum()) for one in counted), n, confidence)
    single = [figure.estimate(parts.drawn(cells), confidence) for cells in parts.cells]
    together = _correlations(summed_by(moved, parts.clusters))
    joined = mean_of_proportions(single, correlations=together, items=n, confidence=confidence)
    notes = [one.note for one in single if one.note and one.note is not Note.FEW_ITEMS]
    rare = Note.RARE_LABELS in notes and joined.low is not None
    note = Note.RARE_LABELS if rare else joined.note or next(iter(notes), None)
    return within(replace(joined, value=value, note=note), figure.limits)


def _of_shares(value: float, influence: Floats, judgments: int, n: int, confidence: float) -> Estimate:
    """`karat.statistics.mean_over_criteria`, from what each item adds."""
    distinct, counts = histogram(influence)
    found = linearised_proportion(min(value, 1.0), distinct, n=judgments, multiplicity=counts, confidence=confidence)
    if found.low is None:
        return replace(found, n=n, note=Note.ONE_ITEM)
    return replace(found, n=n, note=Note.FEW_ITEMS if n < MANY_ITEMS else None)


def _moved(found: Linearised, cells: Cells, items: int) -> Floats:
    """The influence of each item on a part's figure."""
    return _by_item(cells.units, found.influence[cells.place] * cells.counts, items)


def _held(units: Sequence[Integers | None], counted: Sequence[Mask], items: int) -> Mask:
    """The items that count on some part."""
    held = np.zeros(items, dtype=bool)
    for own, mask in zip(units, counted, strict=True):
        held[_known(own)[mask]] = True
    return held


def summed_by(values: Floats, clusters: Integers | None) -> Floats:
    """Rows per item, summed per cluster."""
    if clusters is None:
        return values
    ones = np.ones(len(clusters), dtype=np.int64)
    return np.stack([sums_by(clusters, column, ones) for column in values.T], axis=1)


def _correlations(by_unit: Floats) -> Floats:
    """The correlations between the parts' figures; equal rows are counted together, so that sums have one order."""
    names = [str(place) for place in range(by_unit.shape[1])]
    rows = pl.DataFrame(by_unit, schema=names).group_by(names).len("count").sort(names)
    weights = np.sqrt(rows["count"].to_numpy().astype(np.float64))
    return influence_correlations(rows.select(names).to_numpy() * weights[:, None])


@dataclass(frozen=True, eq=False)
class LinearisedParts:
    """A mean over parts of two runs.

    before, after: its values on complete cases; None where it is undefined on some part, for `reason`. moved: items x
    parts, how far each item moves the difference; moved_before: the first run's figure. held: the items that count on
    some part. kept: the pairs that each part rests on. notes: what intervals cannot promise.
    """

    before: float | None
    after: float | None
    reason: str
    moved: Floats
    moved_before: Floats
    held: Mask
    kept: Sequence[Pairs]
    left_out: LeftOut
    notes: Sequence[Note | None]


def linearised_parts(figure: Figure, parts: PairedParts) -> LinearisedParts:
    """A mean over parts on the items on which both runs have the figure, part by part."""
    kept = [_complete(figure, pairs) for pairs in parts.pairs]
    sides = [[figure.linearise(rows.states, totals) for totals in rows.totals] for rows in kept]
    undefined = [
        f"{name}: {one.reason}"
        for name, both in zip(parts.names, sides, strict=True)
        for one in both
        if one.value is None
    ]
    moved = [
        [
            _moved_items(one, pairs, place, parts.items)
            for one, place in zip(both, (pairs.first, pairs.second), strict=True)
        ]
        for both, pairs in zip(sides, kept, strict=True)
    ]
    first, second = (np.stack([both[place] for both in moved], axis=1) for place in (0, 1))
    before, after = (_mean([both[place].value for both in sides]) for place in (0, 1))
    return LinearisedParts(
        before=before,
        after=after,
        reason=next(iter(undefined), ""),
        moved=second - first,
        moved_before=first,
        held=_held([rows.units for rows in kept], [np.ones(len(rows.first), bool) for rows in kept], parts.items),
        kept=kept,
        left_out=sum((left_out_of(figure, pairs) for pairs in parts.pairs), Counter()),
        notes=[one.note for both in sides for one in both],
    )


def mean_difference(figure: Figure, parts: PairedParts, confidence: float) -> Difference:
    """The second run's mean over parts minus the first's, on the items on which both have the figure, part by part."""
    both = linearised_parts(figure, parts)
    if both.before is None or both.after is None:
        undefined = Comparison(Estimate.undefined(both.reason, confidence=confidence), None)
        return Difference(both.before, both.after, undefined, both.left_out)
    found = _compared(figure, parts, both, both.after - both.before, confidence)
    found = replace(found, estimate=figure.clipped(replace(found.estimate, n=int(both.held.sum()))))
    return Difference(both.before, both.after, noted(found, both.notes), both.left_out)


def _compared(figure: Figure, parts: PairedParts, both: LinearisedParts, gap: float, confidence: float) -> Comparison:
    """By the intervals of strata where the figure is a mean over strata, else by linearisation."""
    clusters = None if parts.clusters is None else _numbered(parts.clusters[both.held])
    by_unit = summed_by(both.moved[both.held], clusters)
    sizes = None if clusters is None else np.bincount(clusters).astype(np.float64)
    if isinstance(figure, BalancedAccuracy):
        drawn = [replace(one, units=_cluster_numbers(one.units, parts.clusters)) for one in both.kept]
        strata = [one for one in map(figure.strata, drawn) if one is not None]
        if len(strata) == len(drawn):
            together = _correlations(by_unit)
            return strata_difference(strata, clusters=sizes, confidence=confidence, correlations=together)
    influence, weights, times = histogram(by_unit.mean(axis=1), np.ones(len(by_unit)) if sizes is None else sizes)
    return linearised_difference(gap, influence, sizes=weights, multiplicity=times, confidence=confidence)


def _numbered(clusters: Integers) -> Integers:
    return np.unique(clusters, return_inverse=True)[1].astype(np.int64)


def _cluster_numbers(units: Integers | None, clusters: Integers | None) -> Integers | None:
    return None if clusters is None or units is None else _numbered(clusters[units])


def _complete(figure: Figure, pairs: Pairs) -> Pairs:
    """The pairs that a part rests on, with items numbered as before."""
    rows = compared_rows(figure, pairs)
    kept = replace(pairs, units=None).where(rows)
    return replace(kept, units=None if pairs.units is None else pairs.units[rows])


def _moved_items(found: Linearised, pairs: Pairs, place: Integers, items: int) -> Floats:
    """The influence of each item on a part's figure in one of the runs."""
    return _by_item(pairs.units, found.influence[place] * pairs.counts, items)


def _by_item(units: Integers | None, values: Floats, items: int) -> Floats:
    """Values of rows, summed per item; as they are where each item has one row, in its place."""
    numbers = _known(units)
    if len(numbers) == items and (numbers == np.arange(items)).all():
        return values
    return np.bincount(numbers, values, items).astype(np.float64)


def _known(units: Integers | None) -> Integers:
    if units is None:
        raise ValueError("parts of the same items: expected items as units")
    return units


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(values) else None
