"""The tables of a report that compares runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np
import polars as pl

from karat.about import COMPARED
from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Floats, Moves, Pairs, Part, difference, mean_of
from karat.evaluations.comparing.joining import COUNT, COUNTED, MOVED, SECOND, UNIT, Joined
from karat.report import FIGURE, number_columns, typed_table
from karat.statistics import Comparison, holm

EVERYONE = "all judges"
TESTED = (*FIGURE, "p", "p_adjusted", "first_value", "second_value")
CHANGES = ("worse", "better", "other")

_STATE, _PLACE = "__state__", "__place__"

Keys = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Row:
    """A figure of two runs. before, after: its values in either."""

    table: str
    keys: Keys
    metric: str
    before: float | None
    after: float | None
    found: Comparison


Both = tuple[Pairing, Joined]
"""What two runs have in common, and how they are compared."""


def comparison_tables(data: Sequence[Both], confidence: float) -> dict[str, pl.DataFrame]:
    """Every figure that both runs of a pair hold, by the table that it stands in; the main one is always there."""
    rows = [row for how, one in data for row in _rows(one, how, confidence)]
    names = dict.fromkeys([COMPARED, *(row.table for row in rows)])
    return {name: _comparison([row for row in rows if row.table == name]) for name in names}


def _comparison(rows: Sequence[Row]) -> pl.DataFrame:
    """A table of figures; p adjusted over all rows of the same metric."""
    adjusted: dict[int, float | None] = {}
    for metric in dict.fromkeys(row.metric for row in rows):
        tests = {id(row.found): row.found.p for row in rows if row.metric == metric}
        adjusted |= zip(tests, holm(list(tests.values())), strict=True)
    longest = sorted(rows, key=lambda row: "second_judge" not in row.keys)  # so that it stands beside the first's
    keys = list(dict.fromkeys(key for row in longest for key in row.keys))
    return typed_table(
        [
            {
                **dict.fromkeys(keys),
                **({"second_judge": row.keys["judge"]} if "second_judge" in keys else {}),
                **row.keys,
                "metric": row.metric,
                **{name: getattr(row.found.estimate, name) for name in FIGURE[1:]},
                "p": row.found.p,
                "p_adjusted": adjusted[id(row.found)],
                "first_value": row.before,
                "second_value": row.after,
            }
            for row in rows
        ],
        [*keys, *TESTED],
        numbers=[key for key in keys if any(isinstance(row.keys.get(key), float) for row in rows)],
    )


def _rows(data: Joined, how: Pairing, confidence: float) -> Iterator[Row]:
    figures = figures_of(data, how)
    single = list(_rows_of(data, data.counted(["judge", KIND, *data.keys], data.unit), figures, confidence))
    yield from single
    if how.mean_over is not None:
        yield from _means(data, single, figures, how.mean_over, confidence)
    if how.pooled and len(data.judges) > 1:
        counts = data.counted([KIND, *data.keys], data.unit or "item").with_columns(
            pl.lit(None, pl.Categorical).alias("judge")
        )
        yield from _rows_of(data, counts, figures, confidence)


def figures_of(data: Joined, how: Pairing) -> list[tuple[Figure, Figure]]:
    """The figures that both runs can hold, each as the options of either make it."""
    first, second = (
        {(one.metric, one.kind, *one.keys.items()): one for one in how.figures(run.options)}
        for run in (data.first, data.second)
    )
    return [(one, second[name]) for name, one in first.items() if name in second]


def _rows_of(
    data: Joined, counts: pl.DataFrame, figures: Sequence[tuple[Figure, Figure]], confidence: float
) -> Iterator[Row]:
    for keys, part in groups(data, counts, ["judge", KIND, *data.keys]):
        states, pairs = state_pairs(part, data.states)
        for one, other in figures:
            if one.kind == keys[KIND] and one.where(keys):
                before, after = both_moves(one, other, states, pairs)
                found = difference(before, after, pairs, confidence)
                yield Row(one.table, named(data, {**keys, **one.keys}), one.metric, before.value, after.value, found)


def _means(
    data: Joined,
    single: Sequence[Row],
    figures: Sequence[tuple[Figure, Figure]],
    mean_over: tuple[str, str],
    confidence: float,
) -> Iterator[Row]:
    """Figures as means over the values of a key, of the same items. single: the figures of each value."""
    key, average = mean_over
    if data.order[key].n_unique() == 1:
        yield from (replace(row, keys={**row.keys, key: average}) for row in single)
        return
    counts = data.counted(["judge", KIND, *data.keys], data.unit)
    others = [name for name in data.keys if name != key]
    for keys, group in groups(data, counts, ["judge", KIND, *others]):
        own = [(one, other) for one, other in figures if one.kind == keys[KIND]]
        found = [_moved(number, part, data, own) for number, (_, part) in enumerate(groups(data, group, [key]))]
        units = data.summed([frame for frame, _ in found])
        for place, (one, _) in enumerate(own):
            parts = [of_figures[place] for _, of_figures in found]
            before, after = _mean([part.one.value for part in parts]), _mean([part.other.value for part in parts])
            compared = mean_of(parts, _moves_of(units, place), confidence)
            yield Row(one.table, named(data, {**keys, key: average}), one.metric, before, after, compared)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if len(known) == len(values) else None


def _moved(
    number: int, rows: pl.DataFrame, data: Joined, figures: Sequence[tuple[Figure, Figure]]
) -> tuple[pl.DataFrame, list[Part]]:
    """Pairs of states with how far a row in each moves each difference; and the figures.

    Of means over strata it is said for each part of the mean over figures by itself; number: of the part.
    """
    states, pairs = state_pairs(rows, data.states)
    parts, columns = [], []
    for place, (one, other) in enumerate(figures):
        before, after = both_moves(one, other, states, pairs)
        moved = after.influence[pairs.second] - before.influence[pairs.first]
        counted = before.counted[pairs.first] | after.counted[pairs.second]
        own = number if before.strata is not None and after.strata is not None else 0
        columns += [pl.Series(f"{MOVED}{place}_{own}", moved), pl.Series(f"{COUNTED}{place}", counted)]
        parts.append(Part(before, after, pairs))
    known = rows.with_columns(columns).drop(UNIT, COUNT, strict=False)
    return (known if pairs.units is None else known.unique(maintain_order=True)), parts


def _moves_of(units: pl.DataFrame, place: int) -> Floats:
    """How far each unit that a figure rests on moves its differences, a column for each."""
    return units.filter(pl.col(f"{COUNTED}{place}")).select(pl.col(f"^{MOVED}{place}_.*$")).to_numpy()


def both_moves(one: Figure, other: Figure, states: pl.DataFrame, pairs: Pairs) -> tuple[Moves, Moves]:
    """The figure in either run."""
    sides = ((one, pairs.first), (other, pairs.second))
    before, after = (
        figure.of(states, np.bincount(places, pairs.counts, states.height).astype(np.int64)) for figure, places in sides
    )
    return before, after


def named(data: Joined, keys: Keys) -> Keys:
    """The keys of a row as the table has them."""
    judge = keys["judge"]
    names: Keys = {"first": data.first.name, "second": data.second.name, "judge": judge or EVERYONE}
    if any(own != other for own, other in data.judges.items()):
        names["second_judge"] = data.judges.get(judge, EVERYONE)
    return names | {name: value for name, value in keys.items() if name not in ("judge", KIND)}


def groups(data: Joined, counts: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[Keys, pl.DataFrame]]:
    """The rows of each combination of keys, in the order of the first run."""
    texts = counts.with_columns(pl.col(name).cast(pl.String) for name in keys if counts[name].dtype == pl.Categorical)
    known = [name for name in keys if name != KIND]
    places = data.order.select(known).unique(maintain_order=True).with_row_index(_PLACE)
    found = texts.select(keys).unique(maintain_order=True).join(places, on=known, how="left", nulls_equal=True)
    kinds = [name for name in (KIND,) if name in keys]
    parts = texts.partition_by(keys, as_dict=True)
    for row in found.sort(_PLACE, *kinds, nulls_last=True, maintain_order=True).drop(_PLACE).iter_rows(named=True):
        yield row, parts[tuple(row.values())]


def state_pairs(part: pl.DataFrame, states: Sequence[str]) -> tuple[pl.DataFrame, Pairs]:
    """The distinct states of a group, and how often each pair of them stands there."""
    ours = part.select(states)
    theirs = part.select(pl.col(name + SECOND).alias(name) for name in states)
    known = pl.concat([ours, theirs]).unique(maintain_order=True).with_row_index(_STATE)
    places = [
        side.join(known, on=list(states), how="left", nulls_equal=True, maintain_order="left")[_STATE]
        .cast(pl.Int64)
        .to_numpy()
        for side in (ours, theirs)
    ]
    units = part[UNIT].rank("dense").cast(pl.Int64).to_numpy() - 1 if UNIT in part.columns else None
    texts = known.drop(_STATE).with_columns(pl.col(pl.Categorical).cast(pl.String))
    return texts, Pairs(places[0], places[1], part[COUNT].to_numpy(), units)


# --- items ---


def items(data: Sequence[Joined]) -> pl.DataFrame:
    """How many items both runs of a pair hold, and one of them alone."""
    rows = [
        {"first": one.first.name, "second": one.second.name, "outcome": outcome, "count": count}
        for one in data
        for outcome, count in (("both", one.both), ("only_first", one.only_first), ("only_second", one.only_second))
    ]
    return typed_table(rows, ["first", "second", "outcome", "count"])


def transitions(data: Sequence[Joined], how: Pairing) -> pl.DataFrame:
    """What became of rows in the first run and in the second."""
    frames = []
    for one in data:
        counts = one.counted(["judge", KIND, *one.keys], None)
        outcomes = [_side(counts, one.states, end).select(how.outcome).to_series() for end in ("", SECOND)]
        frames.append(
            counts.select(
                pl.lit(one.first.name).alias("first"),
                pl.lit(one.second.name).alias("second"),
                *("judge", KIND, *one.keys),
                outcomes[0].alias("first_outcome"),
                outcomes[1].alias("second_outcome"),
                pl.col(COUNT).alias("count"),
            ).with_columns(pl.col(pl.Categorical).cast(pl.String))
        )
    table = pl.concat(frames, how="diagonal")
    table = table.filter(pl.col("first_outcome") != pl.col(KIND))  # scores have no outcome but their name
    table = _parted(table, [table[KIND]])
    names = [*(name for name in table.columns if name not in _BEHIND), *_BEHIND[:-1]]
    summed = table.group_by(names).agg(pl.col("count").sum()).sort(names)
    return typed_table(summed.to_dicts(), [*names, "count"], numbers=number_columns(summed))


_BEHIND = ("first_outcome", "second_outcome", "count")


def changes(data: Joined, how: Pairing, most: int, *, retold: bool) -> tuple[pl.DataFrame, list[int]]:
    """Rows whose outcome or label changed, at most so many that are worse, better, other; and how many of each are.

    What changed most stands first; of equal changes those of items of which most changed in the same way.

    Columns change, first, second, item, judge, KIND, the keys, first_outcome, second_outcome, first_label,
    second_label and, where it is known, reference_label; with retold also second_reference_label, the second run's.
    """
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name + SECOND)) for name in data.states)
    rows = data.rows.filter(differs)
    sides = [
        _side(rows, data.states, end).select(worth=how.worth, outcome=how.outcome, label=how.label)
        for end in ("", SECOND)
    ]
    gain = sides[1]["worth"] - sides[0]["worth"]
    every = rows.with_columns(
        gain.fill_null(0.0).alias(_GAIN),
        *(
            side[name].cast(pl.String).alias(f"{place}_{name}")
            for place, side in zip(_PLACES, sides, strict=True)
            for name in _SAID
        ),
        first=pl.lit(data.first.name),
        second=pl.lit(data.second.name),
    )
    found, counts = [], []
    names = [pl.col(name) for name in ("item", "judge", KIND, *data.keys)]
    whole = -pl.col(_GAIN).sum().over("item", "judge").abs()
    for change, chosen in zip(CHANGES, (pl.col(_GAIN) < 0, pl.col(_GAIN) > 0, pl.col(_GAIN) == 0), strict=True):
        own = every.filter(chosen).with_columns(whole.alias(_WHOLE))
        by = [-pl.col(_GAIN).abs(), pl.col(_WHOLE), *names]
        found.append(own.bottom_k(most, by=by).sort(by).with_columns(pl.lit(change).alias("change")))
        counts.append(own.height)
    columns = ["change", "first", "second", "item", "judge", KIND, *data.keys, *_said(rows.columns)]
    right_too = [pl.col("reference_label" + SECOND).alias("second_reference_label")] if retold else []
    table = pl.concat(found).select(*columns, *right_too).with_columns(pl.col(pl.Categorical).cast(pl.String))
    return table, counts


_GAIN, _WHOLE = "__gain__", "__whole__"
_PLACES, _SAID = ("first", "second"), ("outcome", "label")


def _said(columns: Sequence[str]) -> list[str]:
    said = [f"{place}_{name}" for name in _SAID for place in _PLACES]
    return [*said, *({"reference_label"} & set(columns))]


def _side(frame: pl.DataFrame, states: Sequence[str], end: str) -> pl.DataFrame:
    """What one of the runs says, under the names of the states."""
    return frame.select(pl.col(name + end).alias(name) for name in states)


def changed(data: Sequence[Joined], how: Pairing, most: int) -> tuple[pl.DataFrame, list[int]]:
    """The table of changes of all pairs of runs; and how many rows in all are worse, better, otherwise."""
    retold = any(one.retold for one in data)
    tables, counts = zip(*(changes(one, how, most, retold=retold) for one in data), strict=True)
    table = pl.concat(tables, how="diagonal")
    summed = [sum(of_change) for of_change in zip(*counts, strict=True)]
    return _named_parts(table, data), summed


def _named_parts(table: pl.DataFrame, data: Sequence[Joined]) -> pl.DataFrame:
    return _parted(table, [one.counted(["judge", KIND, *one.keys], None)[KIND] for one in data])


def _parted(table: pl.DataFrame, kinds: Sequence[pl.Series]) -> pl.DataFrame:
    """The table with what rows are about, where the runs' rows are about several things."""
    several = len({kind for one in kinds for kind in one.unique().cast(pl.String)}) > 1
    return table.rename({KIND: "part"}) if several else table.drop(KIND)
