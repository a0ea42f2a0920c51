"""Figures as functions of how many rows are in which state, and their paired differences.

A row's state is all that it adds to a figure, such as an outcome with both labels. Two runs on the same rows are a
table of pairs of states with counts; of real scores there are as many states as scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, inf
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.about import COMPARED
from karat.estimate import Estimate, Note
from karat.statistics import (
    Comparison,
    Strata,
    clustered_paired_difference,
    cohen_kappa,
    cohen_kappa_influence,
    influence_correlations,
    linearised_difference,
    paired_difference,
    paired_means_difference,
    paired_t,
    share_correlations,
    worth_of_clusters,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NOTHING = 1e-14
"""A difference or an influence below this is a rounding error: kappa of a constant label does not vary."""


@dataclass(frozen=True, eq=False)
class Moves:
    """A figure of one run, and how far one more row in each state moves it.

    value: None where it is undefined, for `reason`. counted: of each state, whether the figure rests on its rows.
    above, below: of a ratio of sums what each state adds to either, else None. scale: what the ratio is multiplied by.
    note: why an interval cannot keep its promise on these rows, if it is known. strata: of a mean of shares over
    strata of rows, such as gold labels, in which stratum each state is, -1 for none, and right: whether it is right.
    """

    value: float | None
    influence: Floats
    counted: NDArray[np.bool_]
    reason: str = ""
    above: Floats | None = None
    below: Floats | None = None
    scale: float = 1.0
    note: Note | None = None
    strata: Integers | None = None
    right: NDArray[np.bool_] | None = None


Of = Callable[[pl.DataFrame, Integers], Moves]
"""From states, and how many rows are in each, to a figure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that can be compared.

    of: what makes it. kind: of the rows that it rests on; where: of what keys it speaks, by default of all. keys: what
    further keys its row has. table: where it stands.
    """

    metric: str
    of: Of
    kind: str
    where: Callable[[Mapping[str, Any]], bool] = lambda _: True
    keys: Mapping[str, str] = field(default_factory=dict)
    table: str = COMPARED


def undefined(states: pl.DataFrame, reason: str) -> Moves:
    """A figure without a value."""
    return Moves(None, np.zeros(states.height), np.zeros(states.height, dtype=bool), reason)


def share(above: pl.Expr, below: pl.Expr, reason: str, *, shift: float = 0.0, scale: float = 1.0) -> Of:
    """A ratio over all rows: scale x sum above / sum below + shift.

    above, below: what a state adds; null adds nothing, and so does what is above where nothing is below. reason: why
    there is no figure where the lower sum is 0.
    """

    def of(states: pl.DataFrame, counts: Integers) -> Moves:
        sums = states.select(_number(above).alias("above"), _number(below).alias("below"))
        y, x = (sums[name].to_numpy() for name in ("above", "below"))
        y = np.where(x > 0, y, 0.0)
        whole = float(counts @ x)
        if whole <= 0:
            return undefined(states, reason)
        ratio = float(counts @ y) / whole
        influence = scale * (y - ratio * x) / whole
        return Moves(scale * ratio + shift, influence, x > 0, above=y, below=x, scale=scale)

    return of


def _number(expression: pl.Expr) -> pl.Expr:
    return expression.cast(pl.Float64).fill_null(0.0)


def of_cells(
    rows: str,
    columns: str,
    counted: pl.Expr,
    made: "OfCells",
    reason: str,
    note: "Callable[[Integers], Note | None]" = lambda _: None,
    *,
    by_row: bool = False,
) -> Of:
    """A figure of the table of two labels.

    counted: the states that stand in it. made: raises ValueError, with the reason, where the figure is undefined;
    reason: why there is none where the table is empty. note: that of Moves, from the table. by_row: whether it is the
    mean over the labels of the rows of the share that has the same label in the columns.
    """

    def of(states: pl.DataFrame, counts: Integers) -> Moves:
        every = states.select(counted.fill_null(value=False)).to_series().to_numpy()
        kept = every & (counts > 0)
        labels = sorted({label for name in (rows, columns) for label in states[name].drop_nulls().to_list()})
        code = {label: number for number, label in enumerate(labels, 1)}
        places = [
            states[name].replace_strict(code, default=0, return_dtype=pl.Int64).fill_null(0).to_numpy()
            for name in (rows, columns)
        ]
        table = np.zeros((len(labels) + 1,) * 2, dtype=np.int64)
        np.add.at(table, (places[0][kept], places[1][kept]), counts[kept])
        if not table.any():
            return undefined(states, reason)
        try:
            value, influence = made(table)
        except ValueError as error:
            return undefined(states, str(error))
        moves = Moves(value, np.where(every, influence[places[0], places[1]], 0.0), every, note=note(table))
        if not by_row:
            return moves
        return replace(moves, strata=np.where(every, places[0], -1), right=places[0] == places[1])

    return of


def kappa_of_cells(table: Integers) -> tuple[float, Floats]:
    """Cohen's kappa, and how far a row in each cell moves it. Raises DataError where there is but one label."""
    influence = cohen_kappa_influence(table) / table.sum()
    return cohen_kappa(table).value or 0.0, np.where(np.abs(influence) < _NOTHING, 0.0, influence)


OfCells = Callable[[Integers], tuple[float, Floats]]
"""From counts, label 0 being none, to a figure and how far one row in each cell moves it."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """How often a row is in one state in the first run and in another in the second.

    first, second: numbers of states. counts: how many rows. units: of each entry the number of what is drawn at random
    (a cluster, an item with several rows), or None where each row is one.
    """

    first: Integers
    second: Integers
    counts: Integers
    units: Integers | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """A figure of two runs that a mean over parts of the same units rests on. pairs: by cluster where there are any."""

    one: Moves
    other: Moves
    pairs: Pairs


def mean_of(parts: Sequence[Part], moved: Floats, confidence: float) -> Comparison:
    """The difference of two means of figures over parts of the same units.

    Where each part is a mean over strata, by their intervals and how far the parts go together, else by linearisation.
    moved: units x parts, how far each unit that they rest on moves each part's difference.
    """
    gaps = []
    for part in parts:
        if part.one.value is None or part.other.value is None:
            return Comparison(Estimate.undefined(part.one.reason or part.other.reason, confidence=confidence), None)
        gaps.append(part.other.value - part.one.value)
    strata = [_strata(part.one, part.other, part.pairs) for part in parts]
    known = [one for one in strata if one is not None]
    if len(known) == len(parts):
        clusters = None if parts[0].pairs.units is None else len(moved)
        found = _of_strata(known, clusters, confidence, influence_correlations(moved))
        return replace(found, estimate=replace(found.estimate, n=len(moved)))
    found = linearised_difference(fsum(gaps) / len(gaps), moved.sum(axis=1) / len(gaps), confidence=confidence)
    return _noted(found, [one.note for part in parts for one in (part.one, part.other)])


def difference(one: Moves, other: Moves, pairs: Pairs, confidence: float) -> Comparison:
    """The second run's figure less the first's, on the same rows; n: the rows that it rests on in either.

    Shares of the same rows: Tango's interval and McNemar's mid-P, with clusters their own forms; means of real scores:
    paired t; everything else by linearisation.
    """
    if one.value is None or other.value is None:
        return Comparison(Estimate.undefined(one.reason or other.reason, confidence=confidence), None)
    held = one.counted[pairs.first] | other.counted[pairs.second]
    units = None if pairs.units is None else np.unique(pairs.units[held], return_inverse=True)[1]
    kept = Pairs(pairs.first[held], pairs.second[held], pairs.counts[held], units)
    strata = _strata(one, other, kept)
    if strata is not None:
        found = _of_strata([strata], None if units is None else len(np.unique(units)), confidence)
        return replace(found, estimate=replace(found.estimate, n=int(kept.counts.sum())))
    found = _on_same_rows(one, other, kept, confidence) or _linearised(one, other, kept, confidence)
    return _noted(replace(found, estimate=replace(found.estimate, n=int(kept.counts.sum()))), [one.note, other.note])


def _noted(found: Comparison, notes: Sequence[Note | None]) -> Comparison:
    """The same with the first of the notes, where it has an interval that one can speak of; rounding errors are 0."""
    if found.estimate.value is not None and abs(found.estimate.value) < _NOTHING:
        found = replace(found, estimate=replace(found.estimate, value=0.0))
    note = next(filter(None, notes), None)
    if note is None or found.estimate.low is None:
        return found
    return replace(found, estimate=replace(found.estimate, note=note))


def _on_same_rows(one: Moves, other: Moves, pairs: Pairs, confidence: float) -> Comparison | None:
    """The difference of two ratios whose every row counts once in both; None for all others."""
    if one.above is None or one.below is None or other.above is None or other.below is None:
        return None
    if (one.below[pairs.first] != 1).any() or (other.below[pairs.second] != 1).any() or one.scale != other.scale:
        return None
    before, after = one.above[pairs.first], other.above[pairs.second]
    whole = bool(np.isin(before, (0.0, 1.0)).all() and np.isin(after, (0.0, 1.0)).all())
    test = _of_shares if whole else _of_scores
    return _scaled(test(before, after, pairs, confidence), one.scale)


def _strata(one: Moves, other: Moves, pairs: Pairs) -> Strata | None:
    """Who is right in each stratum, the second run first; None where rows are not in the same stratum in both runs."""
    if one.strata is None or other.strata is None or one.right is None or other.right is None:
        return None
    strata = one.strata[pairs.first]
    if (strata != other.strata[pairs.second]).any():
        return None
    places, own = np.unique(strata[strata >= 0], return_inverse=True)
    before, after = one.right[pairs.first], other.right[pairs.second]
    kinds = (after & ~before, before & ~after, np.ones(len(strata), dtype=bool))
    units = np.zeros(len(strata), dtype=np.int64) if pairs.units is None else pairs.units
    sums = np.zeros((len(kinds), len(places), int(units.max(initial=0)) + 1))
    for kind, table in zip(kinds, sums, strict=True):
        np.add.at(table, (own, units[strata >= 0]), (pairs.counts * kind)[strata >= 0])
    gained, lost, totals = sums.sum(axis=2)
    if pairs.units is None:
        return Strata(gained, lost, totals)
    return Strata(gained, lost, totals, *_of_clusters(sums))


def _of_clusters(sums: Floats) -> tuple[Floats, Floats]:
    """What items in clusters are worth in each stratum, and how strata go together.

    sums: gained, lost and all items, per stratum and cluster.
    """
    worth = []
    for one in sums.transpose(1, 0, 2):
        gained, lost, totals = one[:, one[-1] > 0]
        worth.append(worth_of_clusters(gained, lost, totals, np.ones(len(totals))))
    gained, lost, totals = sums
    return np.array(worth), share_correlations(gained - lost, totals)


def _of_strata(
    figures: Sequence[Strata], units: int | None, confidence: float, together: Floats | None = None
) -> Comparison:
    """Means over strata compared. units: clusters; None where rows are independent. together: correlations."""
    degrees = inf if units is None else units - 1.0
    return paired_means_difference(figures, correlations=together, degrees=degrees, confidence=confidence)


def _of_shares(before: Floats, after: Floats, pairs: Pairs, confidence: float) -> Comparison:
    gained, lost = after > before, after < before
    if pairs.units is None:
        sums = (int(pairs.counts[mask].sum()) for mask in (gained, lost, slice(None)))
        return paired_difference(*sums, confidence=confidence)
    by_unit = (np.bincount(pairs.units, pairs.counts * mask) for mask in (gained, lost, np.ones_like(gained)))
    return clustered_paired_difference(*by_unit, confidence=confidence)


def _of_scores(before: Floats, after: Floats, pairs: Pairs, confidence: float) -> Comparison:
    gaps = after - before
    gaps[np.abs(gaps) < _NOTHING] = 0.0
    if pairs.units is None:
        return paired_t(gaps, multiplicity=pairs.counts, confidence=confidence)
    totals = np.bincount(pairs.units, pairs.counts)
    return paired_t(np.bincount(pairs.units, gaps * pairs.counts), totals=totals, confidence=confidence)


def _linearised(one: Moves, other: Moves, pairs: Pairs, confidence: float) -> Comparison:
    influence = other.influence[pairs.second] - one.influence[pairs.first]
    value = (other.value or 0.0) - (one.value or 0.0)
    if pairs.units is None:
        found = linearised_difference(value, influence, multiplicity=pairs.counts, confidence=confidence)
    else:
        found = linearised_difference(value, np.bincount(pairs.units, influence * pairs.counts), confidence=confidence)
    return found if one.above is None else _clipped(found, abs(one.scale))


def _clipped(found: Comparison, most: float) -> Comparison:
    """The same with its limits kept where a difference of two shares must lie."""
    one = found.estimate
    if one.low is None or one.high is None:
        return found
    return replace(found, estimate=replace(one, low=max(one.low, -most), high=min(one.high, most)))


def _scaled(found: Comparison, scale: float) -> Comparison:
    if scale == 1:
        return found
    one = found.estimate
    value, low, high = (None if figure is None else scale * figure for figure in (one.value, one.low, one.high))
    return replace(found, estimate=replace(one, value=value, low=low, high=high))
