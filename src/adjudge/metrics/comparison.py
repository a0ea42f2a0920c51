"""The tables of a report that compares runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

import numpy as np
import polars as pl
import polars.selectors as cs

from adjudge.metrics.cells import (
    COUNT,
    STATE,
    UNIT,
    PairedCells,
    count_combinations,
    number_states,
    pairs_from_counts,
    unit_name,
)
from adjudge.metrics.difference import ABSENT, Difference, ItemParts, mean_difference, paired_difference
from adjudge.metrics.metric import KIND, Metric, View, applicable_metrics
from adjudge.metrics.run_matching import SECOND, MatchedRuns, count_pairs, distinguishes_rows, join_rows, states_by_run
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    compare_metric,
    difference_rows,
    keyed_table,
    left_out_table,
    rows_by_group,
)
from adjudge.report import number_columns, typed_table
from adjudge.schemas.outcomes import categories_as_text
from adjudge.spec import COMPARISON_TABLE

ALL_JUDGES = "pooled"
CHANGES = ("worse", "better", "other")


def comparison_tables(data: Sequence[MatchedRuns], confidence: float) -> dict[str, pl.DataFrame]:
    """Every metric that both runs of a pair have, by table; the main one always exists."""
    rows = [row for pair in data for row in differences(pair, confidence)]
    by_table: dict[str, list[DifferenceRow]] = {COMPARISON_TABLE: []}
    for row in rows:
        by_table.setdefault(row.metric.table or COMPARISON_TABLE, []).append(row)
    tables = {name: _table(of_table, data[0].view) for name, of_table in by_table.items()}
    return tables | left_out_table(rows)


def _table(rows: Sequence[DifferenceRow], view: View) -> pl.DataFrame:
    longest = sorted(rows, key=lambda row: "second_judge" not in row.keys)  # puts it after the first judge's column
    keys = list(dict.fromkeys(key for row in longest for key in row.keys))
    two, empty = "second_judge" in keys, dict.fromkeys(keys)
    filled = [empty | ({"second_judge": row["judge"]} if two else {}) | row for row in difference_rows(rows, view)]
    return keyed_table(filled, keys, DIFFERENCE)


def differences(data: MatchedRuns, confidence: float) -> Iterator[DifferenceRow]:
    """The differences of a view's metrics: of each judge, means over parts, and pooled."""

    def find_differences(metric: Metric, rows: PairedCells | ItemParts) -> Difference:
        if isinstance(rows, ItemParts):
            return mean_difference(metric, rows, confidence)
        return paired_difference(metric, rows, confidence)

    groups = [(map_metrics(data, data.view.metrics, find_differences), count_collected(data, ["judge"]))]
    if data.view.pooled and len(data.judges) > 1:
        counts = data.count_states([KIND, *data.keys], data.unit or "item")
        nobody = counts.with_columns(pl.lit(None, pl.Categorical).alias("judge"))
        pooled = _map_judge_metrics(data, data.view.metrics, nobody, find_differences)
        groups.append((pooled, count_collected(data, [])))
    for results, count in groups:
        for keys, metric, result in results:
            yield DifferenceRow(keys, metric, replace(result, collected=count(keys)))


def count_collected(data: MatchedRuns, apart: Sequence[str]) -> Callable[[Keys], int]:
    """From the keys of a difference to the number of items that both runs have; see `count_items`.

    Runs with rows only for flagged items or the like use the number of items that they declare, in all groups alike.
    """
    rows = data.collected
    if not (data.main or data).view.required_count:
        return count_items(rows, apart, distinct=rows.height == (data.main or data).shared_items)
    return _scaled_count(rows, min(data.first.collected, data.second.collected))


def _scaled_count(rows: pl.DataFrame, collected: int) -> Callable[[Keys], int]:
    """As `count_items`, scaled from the items in the rows to all collected ones, in all groups alike."""
    count, listed = count_items(rows, []), rows["item"].n_unique()
    return lambda keys: round(count(keys) * max(collected / max(listed, 1), 1))


def count_items(rows: pl.DataFrame, apart: Sequence[str], *, distinct: bool = False) -> Callable[[Keys], int]:
    """From the keys of a difference to the number of items in its group of rows.

    rows: item and key columns. apart: keys that always separate groups. Others do only if each item has one value: all
    items are collected for every condition, such as a share of noise, under which some of them are judged. distinct:
    whether each item has one row, so that rows are counted, which is far faster.
    """
    names = [name for name in rows.columns if name not in ("item", "judge", *apart) and rows[name].n_unique() > 1]
    names = [*apart, *(name for name in names if distinct or rows.n_unique(["item", name]) == rows["item"].n_unique())]
    sizes = categories_as_text(rows.group_by(pl.lit(0), *names).agg(pl.len() if distinct else pl.n_unique("item")))
    count_by_group = {tuple(group): size for _, *group, size in sizes.iter_rows()}
    return lambda keys: count_by_group.get(tuple(keys.get(name) for name in names), 0)


T = TypeVar("T")
Compare = Callable[[Metric, PairedCells | ItemParts], T]


def map_metrics(data: MatchedRuns, metrics: Sequence[Metric], compare: Compare[T]) -> Iterator[tuple[Keys, Metric, T]]:
    """The result of `compare` for each metric of each judge, then for means over a key, with the keys of the row.

    If a key has a single value, its result is the mean.
    """
    keys = ["judge", KIND, *data.keys]
    single = list(_map_judge_metrics(data, metrics, data.count_states(keys, data.unit), compare))
    yield from single
    if data.view.mean_over is None:
        return
    key, average = data.view.mean_over
    if data.order[key].n_unique() == 1:
        yield from (({**group, key: average}, metric, one) for group, metric, one in single)
        return
    others = [name for name in keys if name != key]
    for group, rows in rows_by_group(data.rows, others, data.order.drop(key)):
        parts = data.parts(rows, key)
        for metric in applicable_metrics(metrics, group):
            yield {**row_keys(data, {**group, key: average}), **metric.keys}, metric, compare(metric, parts)


def _map_judge_metrics(
    data: MatchedRuns, metrics: Sequence[Metric], counts: pl.DataFrame, compare: Compare[T]
) -> Iterator[tuple[Keys, Metric, T]]:
    for group, pairs in pairs_by(data, counts):
        for metric in applicable_metrics(metrics, group):
            yield {**row_keys(data, group), **metric.keys}, metric, compare(metric, pairs)


def differences_between(
    left: pl.DataFrame,
    right: pl.DataFrame,
    view: View,
    keys: Sequence[str],
    unit: str | None,
    confidence: float,
    main: tuple[pl.DataFrame, pl.DataFrame] | None = None,
) -> Iterator[DifferenceRow]:
    """The differences of a view's metrics between two sides of one run, such as two of its judges, by keys.

    left, right: rows of the view. main: both sides' rows of the main view, by default these: all collected
    items. Metrics are undefined if both sides have rows with the same keys, but none of the same items.
    """
    on = ["item", *(name for name in (KIND, *keys, *view.subkeys) if distinguishes_rows(name, left, right))]
    rows = join_rows(left, right, on, view)
    if not rows.is_empty() and not view.applies(*states_by_run(rows, view.states)):
        return
    names = [*keys, KIND]
    counts = count_pairs(rows, None, names, view.states, unit)
    counts, states = number_pairs(counts, view)
    parts, (ours, theirs) = counts.partition_by(names, as_dict=True), main or (left, right)
    shared = ["item", KIND, *(name for name in keys if name in ours.columns)]
    items = ours.join(theirs, on=shared, how="semi", nulls_equal=True)
    count = count_items(items.select(shared).drop(KIND), [])
    if view.required_count:  # saved runs have rows only for items with something to count
        some = pl.concat([ours, theirs], how="diagonal").filter(pl.any_horizontal(cs.numeric() > 0)).select(shared)
        count = _scaled_count(some.drop(KIND), items["item"].n_unique())
    combinations = left.select(names).unique().join(right.select(names).unique(), on=names, nulls_equal=True)
    for values in combinations.iter_rows():
        pairs = pairs_from_counts(parts.get(values, counts.clear()), states, SECOND)
        group = dict(zip(names, values, strict=True))
        for metric in applicable_metrics(view.metrics, group):
            row = compare_metric(metric, pairs, {name: group[name] for name in keys}, confidence)
            yield replace(row, result=replace(row.result, collected=count(group)))


def judge_differences(
    rows: pl.DataFrame, view: View, judges: Sequence[str], by: Sequence[str], unit: str | None, confidence: float
) -> Iterator[DifferenceRow]:
    """The differences of a view's metrics between every two judges of one run, in each group.

    rows: of the view, of one KIND, one for each judge, item and unit. As `differences` of a run and itself, with the
    second judge replacing the first.
    """
    for group, part in rows_by_group(rows, by):
        named = part if unit is None else part.with_columns(unit_name(unit))
        numbered, states = number_states(named, view.states)
        states, absent = states.with_columns(pl.lit(value=False).alias(ABSENT)), states.height
        states = pl.concat([states, pl.DataFrame({ABSENT: [True]})], how="diagonal")
        places = numbered["item"].cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()
        if unit is not None:  # rows of an item are paired within a unit
            units = numbered[UNIT].to_numpy()
            places = np.unique(places * (1 + units.max(initial=0)) + units, return_inverse=True)[1]
        frame = numbered.select("judge", STATE, *({UNIT} & {*numbered.columns}), place=pl.Series(places))
        parts = frame.partition_by("judge", as_dict=True, include_key=False)
        unseen = absent if view.sparse else -1  # -1 excludes a row
        state_at, is_seen = np.full(1 + places.max(initial=0), unseen), np.zeros(1 + places.max(initial=0), dtype=bool)
        for first, second in combinations([name for name in judges if (name,) in parts], 2):
            left, right = parts[first,], parts[second,]
            state_at[left["place"]], is_seen[right["place"]] = left[STATE], True
            union = pl.concat([right, left.filter(~is_seen[left["place"]] & view.sparse)])
            pairs = [state_at[union["place"]], np.append(right[STATE], np.full(len(union) - len(right), absent))]
            state_at[left["place"]], is_seen[right["place"]] = unseen, False  # for the next pair
            cells = PairedCells(states, *count_combinations(pairs, None if unit is None else union[UNIT].to_numpy()))
            for metric in view.metrics:
                yield compare_metric(metric, cells, {**group, "first": first, "second": second}, confidence)


def number_pairs(counts: pl.DataFrame, view: View) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counted pairs with the number of both states, and the states."""
    return number_states(counts, [*view.states, *({ABSENT} & {*counts.columns})], ("", SECOND))


def row_keys(data: MatchedRuns, keys: Keys) -> Keys:
    """The keys of a row, as in the table."""
    judge = keys["judge"]
    names: Keys = {"first": data.first.name, "second": data.second.name, "judge": judge or ALL_JUDGES}
    if any(own != other for own, other in data.judges.items()):
        names["second_judge"] = data.judges.get(judge, ALL_JUDGES)
    return names | {name: value for name, value in keys.items() if name not in ("judge", KIND)}


def pairs_by(data: MatchedRuns, counts: pl.DataFrame) -> Iterator[tuple[Keys, PairedCells]]:
    """The pairs of states of each combination of keys."""
    rows, states = number_pairs(counts, data.view)
    for keys, part in rows_by_group(rows, ["judge", KIND, *data.keys], data.order):
        yield keys, pairs_from_counts(part, states, SECOND)


# --- items ---
def item_overlap(data: Sequence[MatchedRuns]) -> pl.DataFrame:
    """The number of items in both runs of a pair, and in only one of them."""
    names = {"both": "shared_items", "only_first": "only_first", "only_second": "only_second"}
    rows = [
        {"first": pair.first.name, "second": pair.second.name, "outcome": outcome, "count": getattr(pair, name)}
        for pair in data
        for outcome, name in names.items()
    ]
    return typed_table(rows)


def outcome_transitions(data: Sequence[MatchedRuns]) -> pl.DataFrame:
    """The outcomes of rows in the first run and in the second, with counts."""
    behind, frames = ("first_outcome", "second_outcome"), []
    for pair in data:
        states = pair.count_states(["judge", KIND, *pair.keys], None)
        if ABSENT in states.columns:
            states = states.filter(~pl.any_horizontal(ABSENT, ABSENT + SECOND))
        rows = _add_labels_of_runs(states, pair, outcome=pair.view.outcome)
        columns = ("first", "second", "judge", KIND, *pair.keys, *behind)
        frames.append(categories_as_text(rows.select(*columns, pl.col(COUNT).alias("count"))))
    table = pl.concat(frames, how="diagonal")
    table = table.filter(pl.col("first_outcome") != pl.col(KIND))  # the outcome of a score is only its name
    table = _add_kind_column(table, [table[KIND]])
    names = [*(name for name in table.columns if name not in (*behind, "count")), *behind]
    summed = table.group_by(names).agg(pl.col("count").sum()).sort(names)
    return typed_table(summed.to_dicts(), [*names, "count"], numbers=number_columns(summed))


def _add_labels_of_runs(rows: pl.DataFrame, data: MatchedRuns, **expressions: pl.Expr) -> pl.DataFrame:
    """Rows with the names of both runs, and an expression's value in each run as first_NAME and second_NAME."""
    sides = (
        side.select(what.alias(f"{place}_{name}") for name, what in expressions.items())
        for place, side in zip(("first", "second"), states_by_run(rows, data.view.states), strict=True)
    )
    named = rows.with_columns(first=pl.lit(data.first.name), second=pl.lit(data.second.name))
    return pl.concat([named, *sides], how="horizontal")


def changed_rows(data: MatchedRuns, most: int, *, retold: bool) -> tuple[pl.DataFrame, list[int]]:
    """Rows whose outcome or label changed, at most `most` each of worse, better and other; and how many there are.

    The largest changes come first.

    Columns change, first, second, item, judge, KIND, the keys, first_outcome, second_outcome, first_label,
    second_label and, if known, reference_label; with retold also second_reference_label, the second run's.
    """
    view = data.view
    differs = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name + SECOND)) for name in view.states)
    expressions = {"goodness": view.goodness, "outcome": view.outcome, "label": view.label.cast(pl.String)}
    rows = _add_labels_of_runs(data.rows.filter(differs), data, **expressions)
    gain = (pl.col("second_goodness") - pl.col("first_goodness")).fill_null(0.0)
    keys = ["item", "judge", KIND, *data.keys]
    parts, counts = [], []
    for change, chosen in zip(CHANGES, (gain < 0, gain > 0, gain == 0), strict=True):
        part = rows.filter(chosen).with_columns(gain.alias(_GAIN), pl.lit(change).alias("change"))
        by = [-pl.col(_GAIN).abs(), *map(pl.col, keys)]
        parts.append(part.bottom_k(most, by=by).sort(by))
        counts.append(part.height)
    labels = ["first_outcome", "second_outcome", "first_label", "second_label"]
    right_too = [pl.col("reference_label" + SECOND).alias("second_reference_label")] if retold else []
    table = pl.concat(parts).select(
        "change", "first", "second", *keys, *labels, *({"reference_label"} & {*rows.columns}), *right_too
    )
    return categories_as_text(table), counts


_GAIN = "__gain__"


def changes_table(data: Sequence[MatchedRuns], most: int) -> tuple[pl.DataFrame, list[int]]:
    """The table of changes for all pairs of runs; and how many rows in all are worse, better, other."""
    retold = any(pair.changed_references for pair in data)
    tables, counts = zip(*(changed_rows(pair, most, retold=retold) for pair in data), strict=True)
    table = pl.concat(tables, how="diagonal")
    summed = [sum(of_change) for of_change in zip(*counts, strict=True)]
    return _add_kind_column(table, [pair.rows[KIND] for pair in data]), summed


def _add_kind_column(table: pl.DataFrame, kinds: Sequence[pl.Series]) -> pl.DataFrame:
    """The table with a column for the kind of rows, if the runs have several kinds."""
    several = len({kind for column in kinds for kind in column.unique().cast(pl.String)}) > 1
    return table.rename({KIND: "part"}) if several else table.drop(KIND)
