"""What a saved run, or two on the same items, say of the next one: variances, clusters, how often judges differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

import numpy as np
import polars as pl

from karat.about import COMPARED
from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Floats, Moves, Pairs
from karat.evaluations.comparing.joining import COUNT, COUNTED, MOVED, Joined
from karat.evaluations.comparing.tables import Keys, both_moves, figures_of, groups, named, state_pairs
from karat.statistics import Pilot


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a figure. keys: of its row, as in the table `comparison`."""

    keys: Keys
    metric: str
    pilot: Pilot


def pilots(data: Joined, how: Pairing) -> Iterator[Known]:
    """What two runs say of each figure; of one run, it stands for both, and nothing is said of differences."""
    counts = data.counted(["judge", KIND, *data.keys], data.unit)
    figures = [both for both in figures_of(data, how) if both[0].table == COMPARED]
    single = []
    for keys, part in groups(data, counts, ["judge", KIND, *data.keys]):
        states, pairs = state_pairs(part, data.states)
        for one, other in figures:
            if one.kind == keys[KIND] and one.where(keys):
                before, after = both_moves(one, other, states, pairs)
                if before.value is not None:
                    known = _pilot(before, after, pairs, alone=data.first is data.second)
                    single.append(Known(named(data, {**keys, **one.keys}), one.metric, known))
    yield from single
    if how.mean_over is not None:
        yield from _means(data, single, figures, how.mean_over)


def _means(
    data: Joined, single: Sequence[Known], figures: Sequence[tuple[Figure, Figure]], mean_over: tuple[str, str]
) -> Iterator[Known]:
    """What is known of figures as means over the values of a key. single: of each value."""
    key, average = mean_over
    if data.order[key].n_unique() == 1:
        yield from (replace(one, keys={**one.keys, key: average}) for one in single)
        return
    counts = data.counted(["judge", KIND, *data.keys], None)
    others = [name for name in data.keys if name != key]
    for keys, group in groups(data, counts, ["judge", KIND, *others]):
        own = [(one, other) for one, other in figures if one.kind == keys[KIND]]
        found = [_moved(part, data, own) for _, part in groups(data, group, [key])]
        frames = [frame for frame, _ in found]
        units = {unit: data.summed(frames, unit) for unit in ("item", *(["cluster"] if data.clustered else []))}
        for place, (one, _) in enumerate(own):
            parts = [moves[place] for _, moves in found]
            if all(before.value is not None for before, _ in parts):
                known = _mean_pilot(parts, units, place, alone=data.first is data.second)
                yield Known(named(data, {**keys, key: average}), one.metric, known)


def _moved(
    rows: pl.DataFrame, data: Joined, figures: Sequence[tuple[Figure, Figure]]
) -> tuple[pl.DataFrame, list[tuple[Moves, Moves]]]:
    """Pairs of states with how far a row in each moves the first run's figures and the differences; and the figures."""
    states, pairs = state_pairs(rows, data.states)
    moves = [both_moves(one, other, states, pairs) for one, other in figures]
    columns = []
    for place, (before, after) in enumerate(moves):
        own, then = before.influence[pairs.first], after.influence[pairs.second]
        sides = (before.counted[pairs.first], after.counted[pairs.second])
        columns += [pl.Series(f"{MOVED}{place}", own), pl.Series(f"{MOVED}{place}{_APART}", then - own)]
        columns += [
            pl.Series(f"{COUNTED}{place}", sides[0]),
            pl.Series(f"{COUNTED}{place}{_APART}", sides[0] | sides[1]),
        ]
    return rows.with_columns(columns).drop(COUNT), moves


_APART = "_apart"
"""Behind the names of columns that speak of differences."""


def _mean_pilot(
    parts: Sequence[tuple[Moves, Moves]], units: Mapping[str, pl.DataFrame], place: int, *, alone: bool
) -> Pilot:
    """What is known of a mean. units: "item" and, where there are any, "cluster" -> what each adds up to."""
    value = fsum(before.value or 0.0 for before, _ in parts) / len(parts)
    variance, effect, items, clusters = _of_units(units, str(place), len(parts))
    if alone or any(after.value is None for _, after in parts):
        return Pilot(value, variance, effect, items, clusters)
    difference_variance, difference_effect, *_ = _of_units(units, f"{place}{_APART}", len(parts))
    return Pilot(
        value=value,
        item_variance=variance,
        design_effect=effect,
        items=items,
        clusters=clusters,
        difference_variance=difference_variance,
        difference_effect=difference_effect,
    )


def _of_units(units: Mapping[str, pl.DataFrame], name: str, parts: int) -> tuple[float, float | None, int, int | None]:
    """The variance of single items of a mean over so many parts, what clusters add to it, items, clusters."""
    sums = {
        unit: frame.filter(pl.col(COUNTED + name))[MOVED + name].to_numpy() / parts for unit, frame in units.items()
    }
    items = len(sums["item"])
    single = float(sums["item"] @ sums["item"])
    if "cluster" not in sums or not single:
        return items * single, None, items, None
    clusters = len(sums["cluster"])
    return items * single, _effect(sums["cluster"], single), items, clusters


def _pilot(before: Moves, after: Moves, pairs: Pairs, *, alone: bool) -> Pilot:
    counted = before.counted[pairs.first]
    items = int(pairs.counts[counted].sum())
    own = before.influence[pairs.first]
    variance, effect, clusters = _variance(own, pairs, items)
    if alone or after.value is None:
        return Pilot(before.value, variance, effect, items, clusters)
    moved = after.influence[pairs.second] - own
    held = counted | after.counted[pairs.second]
    difference_variance, difference_effect, _ = _variance(moved, pairs, int(pairs.counts[held].sum()))
    return Pilot(
        value=before.value,
        item_variance=variance,
        design_effect=effect,
        items=items,
        clusters=clusters,
        discordant=_discordant(before, after, pairs),
        difference_variance=difference_variance,
        difference_effect=difference_effect,
    )


def _variance(influence: Floats, pairs: Pairs, items: int) -> tuple[float, float | None, int | None]:
    """The variance of single items, how much clusters add to it (a factor from 1), and how many there are."""
    single = float(pairs.counts @ influence**2)
    if pairs.units is None or not single:
        return items * single, None, None
    summed = np.bincount(pairs.units, influence * pairs.counts).astype(np.float64)
    return items * single, _effect(summed, single), len(summed)


def _effect(summed: Floats, single: float) -> float:
    """How much clusters add to the variance of independent items, as a factor from 1. summed: influence by cluster."""
    together = len(summed) / max(len(summed) - 1, 1) * float(summed @ summed)
    return max(together / single, 1.0)


def _discordant(before: Moves, after: Moves, pairs: Pairs) -> float | None:
    """The share of rows on which only one run is right; None for figures whose rows are not each right or wrong."""
    if before.above is None or after.above is None or before.below is None or after.below is None:
        return None
    sides = ((before.above, before.below, pairs.first), (after.above, after.below, pairs.second))
    if not all(np.isin(of_state[places], (0.0, 1.0)).all() for *sums, places in sides for of_state in sums):
        return None
    both = (before.below[pairs.first] == 1) & (after.below[pairs.second] == 1)
    if not both.any():
        return None
    first, second = before.above[pairs.first][both], after.above[pairs.second][both]
    counts = pairs.counts[both]
    return float(counts[first != second].sum() / counts.sum())
