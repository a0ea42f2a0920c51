"""What a saved run, or two on the same items, say of the next one: variances, clusters, how often judges differ."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from karat.evaluations import COMPARED
from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Floats, Moves, Pairs
from karat.evaluations.comparing.joining import Joined
from karat.evaluations.comparing.tables import Keys, both_moves, figures_of, groups, named, state_pairs
from karat.statistics import Pilot


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a figure. keys: of its row, as in the table `comparison`."""

    keys: Keys
    metric: str
    pilot: Pilot


def pilots(data: Joined, how: Pairing) -> Iterator[Known]:
    """What two runs say of each figure; of one run, it stands for both, and nothing is said of differences.

    Means over parts are left out, since their variances rest on several figures.
    """
    counts = data.counted(["judge", KIND, *data.keys], data.unit)
    figures = [both for both in figures_of(data, how) if both[0].table == COMPARED]
    for keys, part in groups(data, counts, ["judge", KIND, *data.keys]):
        states, pairs = state_pairs(part, data.states)
        for one, other in figures:
            if one.kind == keys[KIND] and one.where(keys):
                before, after = both_moves(one, other, states, pairs)
                if before.value is not None:
                    known = _pilot(before, after, pairs, alone=data.first is data.second)
                    yield Known(named(data, {**keys, **one.keys}), one.metric, known)


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
    summed = np.bincount(pairs.units, influence * pairs.counts)
    clusters = len(summed)
    together = clusters / max(clusters - 1, 1) * float(summed @ summed)
    return items * single, max(together / single, 1.0), clusters


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
