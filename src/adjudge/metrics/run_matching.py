"""Two runs on the same items: the shared rows, paired, and the counts of pairs of states."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.metrics.cells import STATE, UNIT, Integers, count_states, number_states, occurring_states, unit_name
from adjudge.metrics.difference import ABSENT, ItemParts
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.row_selection import check_known_name
from adjudge.readers.problems import listed
from adjudge.readers.saved_runs import Run
from adjudge.schemas.outcomes import OUTCOMES, categories_as_text
from adjudge.version import NAME, TITLE

SECOND = "__second"
"""Suffix of the names of columns that hold the second run's values."""

_ITEM, _ROW = "__item__", "__row__"
_PLACE = pl.int_range(pl.len(), dtype=pl.UInt32).alias(_ROW)


@dataclass(frozen=True, eq=False)
class MatchedRuns:
    """Rows of a view that two runs have in common.

    judges: those of the first run, each with its counterpart in the second. keys: key columns of the rows. rows: item,
    judge (the first's), KIND, keys, cluster, the view's states, and the second run's states with the suffix SECOND.
    alone: for a sparse view whose judges differ, the rows that only one run has, with ABSENT in the other's states.
    order: judges and keys in the order of the first run. shared_items, only_first, only_second: numbers of items.
    main: for a subview, the rows of the main one.
    """

    view: View
    first: Run
    second: Run
    judges: Mapping[str, str]
    keys: tuple[str, ...]
    rows: pl.DataFrame
    alone: pl.DataFrame | None
    order: pl.DataFrame
    shared_items: int
    only_first: int
    only_second: int
    main: "MatchedRuns | None" = None

    @cached_property
    def has_clusters(self) -> bool:
        """Whether items are sampled in clusters."""
        return self.rows["cluster"].null_count() < self.rows.height

    @property
    def collected(self) -> pl.DataFrame:
        """Item, judge and keys of the rows of the main view, relevant to a metric or not."""
        data = self.main or self
        parts = (part.select("item", "judge", *data.keys) for part in (data.rows, data.alone) if part is not None)
        return pl.concat(parts)

    @cached_property
    def changed_references(self) -> int:
        """The number of rows whose reference labels differ between the runs."""
        name = "reference_label"
        if name not in self.rows.columns:
            return 0
        return int(self.rows.select(pl.col(name).ne_missing(pl.col(name + SECOND)).sum()).item())

    @cached_property
    def unit(self) -> str | None:
        """The sampling unit: clusters, or items with several rows; None if each row is its own unit."""
        if self.has_clusters:
            return "cluster"
        repeated = self.view.subkeys and self.rows.select("item", "judge", KIND, *self.keys).is_duplicated().any()
        return "item" if repeated else None

    def count_states(self, keys: Sequence[str], unit: str | None) -> pl.DataFrame:
        """The count of each pair of states: keys, states of both runs, COUNT and, by units, UNIT.

        A sparse view includes rows that only one run has.
        """
        return count_pairs(self.rows, self.alone, keys, self.view.states, unit)

    def parts(self, rows: pl.DataFrame, key: str) -> ItemParts:
        """The rows of each value of a key, in the order of the first run."""
        items = rows.select(pl.col("item"), unit_name("cluster")).unique().sort("item", UNIT)
        rows, states = number_states(
            rows.join(items.with_row_index(_ITEM), on="item", validate="m:1"), self.view.states, ("", SECOND)
        )
        parts = {value: part for (value,), part in rows.partition_by(key, as_dict=True).items()}
        names = [value for value in self.order[key].unique(maintain_order=True) if value in parts]
        held, first, second = zip(*(_item_states(parts[name], states, items.height) for name in names), strict=True)
        clusters = items[UNIT].rank("dense").cast(pl.Int64).to_numpy() - 1 if self.has_clusters else None
        return ItemParts(names, held, [first, second], clusters)


def _item_states(rows: pl.DataFrame, states: pl.DataFrame, items: int) -> tuple[pl.DataFrame, Integers, Integers]:
    """The states of rows, and each item's state in either run; -1 if it has no row."""
    occurring, places = occurring_states(states, rows[STATE].to_numpy(), rows[STATE + SECOND].to_numpy())
    by_item = np.full((2, items), -1)
    by_item[:, rows[_ITEM].to_numpy()] = places
    return occurring, by_item[0], by_item[1]


def match_runs(first: Run, second: Run, judges: Mapping[str, str], view: View) -> list[MatchedRuns]:
    """Match the rows of two runs: of the main view, then of its further views that apply.

    judges: of the first run -> of the second. Raises DataError if the runs share no item.
    """
    main = _match_view(first, second, judges, view)
    further = (
        replace(_match_view(first, second, judges, more, main.rows.select("item", "judge")), main=main)
        for more in view.subviews  # whether one applies is far cheaper to detect before reading and matching
        if more.applies(*(more.rows(run.outcomes, [], run.options) for run in (first, second)))
    )
    return [main, *(data for data in further if data.view.applies(*states_by_run(data.rows, data.view.states)))]


def _match_view(
    first: Run, second: Run, judges: Mapping[str, str], view: View, among: pl.DataFrame | None = None
) -> MatchedRuns:
    """The rows of a view that two runs have in common. among: items and judges to keep."""
    shared = [name for name in first.keys if name in second.keys and name not in view.ignored_columns]
    shared += [name for name in view.names if name in OUTCOMES]
    left, right = _read_rows(first, [*judges], view, shared), _read_rows(second, [*judges.values()], view, shared)
    names = [name for name in view.names if name in shared]
    single = [name for name in names if left[name].n_unique() <= 1 and right[name].n_unique() <= 1]
    left, right, shared = left.drop(single), right.drop(single), [name for name in shared if name not in single]
    renamed = {other: own for own, other in judges.items() if own != other}
    if renamed:
        judge = pl.col("judge").cast(pl.String).replace(renamed)  # rows of all judges together keep their name
        right = right.with_columns(judge.cast(pl.Categorical))
    keys = (*view.keys, *shared)
    columns = ("item", "judge", KIND, *keys, *view.subkeys)
    on = [name for name in columns if name == "item" or distinguishes_rows(name, left, right)]
    rows = join_rows(left, right, on, view)
    alone = rows_alone(left, right, on, view) if view.sparse and renamed else None
    if among is not None:
        rows = rows.clear() if left.is_empty() or right.is_empty() else rows
        rows = rows.join(among, on=among.columns, how="semi", maintain_order="left")
        if view.most_frequent is not None:
            name, most = view.most_frequent
            counts, text = rows[name].value_counts(), pl.col(name).cast(pl.String)
            often = counts.sort(pl.col("count"), text, descending=[True, False]).head(most)
            rows = rows.join(often, on=name, how="semi", nulls_equal=True, maintain_order="left")
    elif rows.is_empty():
        ours, theirs = (", ".join(map(str, side["item"].head(3))) for side in (left, right))
        problem = "have no item in common that the same judge judged in the same part"
        held = f"{first.name} holds {ours:.200}, {second.name} {theirs:.200}"
        apart = [one for one in on[1:] if left.join(right, one, "semi", nulls_equal=True).is_empty()]
        fix = f"runs with the same values of {' and '.join(apart)}" if apart else ""
        raise DataError(f"{first.name} and {second.name} {problem}: {held}", fix=fix)
    key = on == ["item"] and not view.required_count  # whether the item alone identifies a row
    both, one, other = (len(f) if key else pl.concat([rows["item"], f["item"]]).n_unique() for f in (rows, left, right))
    order = categories_as_text((left.head(1) if key else left).select("judge", *keys).unique(maintain_order=True))
    return MatchedRuns(view, first, second, judges, keys, rows, alone, order, both, one - both, other - both)


def _read_rows(run: Run, judges: Sequence[str], view: View, keys: Sequence[str]) -> pl.DataFrame:
    """A run's rows of some judges (of all if the view uses all outcomes), with repeated words as categories."""
    with run.damage_named():
        outcomes = run.outcomes
        if set(judges) < set(run.judges) and not view.needs_all_judges:
            outcomes = outcomes.filter(pl.col("judge").is_in(list(judges)))
        rows = view.rows(outcomes, [*keys], run.options)
        schema = rows.collect_schema()
        names = ("judge", KIND, *view.keys, *keys, *view.subkeys, *view.states)
        often = [name for name in names if schema[name] == pl.String]
        return rows.with_columns(pl.col(often).cast(pl.Categorical)).collect()


def distinguishes_rows(name: str, left: pl.DataFrame, right: pl.DataFrame) -> bool:
    """Whether a column has several values, so that it is needed to match rows."""
    values = pl.concat([frame[name].unique().cast(pl.String) for frame in (left, right)])
    return values.n_unique() > 1


def join_rows(left: pl.DataFrame, right: pl.DataFrame, on: Sequence[str], view: View) -> pl.DataFrame:
    """Rows of a view that both sides have, with the second side's states under names that end in SECOND.

    on: columns that identify rows. Raises DataError if a side has duplicate rows.
    """
    states = list(dict.fromkeys([*view.states, *({"reference_label"} & set(right.columns))]))
    own, other = left.lazy().with_columns(_PLACE), right.lazy().select(*on, "cluster", *states, _PLACE)
    how: Literal["full", "inner"] = "full" if view.required_count else "inner"
    rows = own.join(other, on=on, how=how, coalesce=True, nulls_equal=True, suffix=SECOND).collect(engine="streaming")
    for side, name in ((left, _ROW), (right, _ROW + SECOND)):  # a check by polars takes longer than its join
        times = np.bincount(rows[name].drop_nulls(), minlength=side.height)
        if times.max(initial=0) > 1 or side.filter(times == 0).select(on).is_duplicated().any():
            raise DataError("a run has several rows of the same item, judge and part", fix="the file as it was saved")
    if view.required_count:
        constant = [name for name in left.columns if name not in {*on, *states, "cluster"}]
        rows = _fill_missing_counts(rows, view, constant)
    if rows["cluster"].null_count() == rows.height:
        rows = rows.with_columns(pl.col("cluster" + SECOND).alias("cluster"))
    return rows.drop("cluster" + SECOND, _ROW, _ROW + SECOND)


def rows_alone(left: pl.DataFrame, right: pl.DataFrame, on: Sequence[str], view: View) -> pl.DataFrame:
    """The rows that only one side has, with the columns of `join_rows`; the other's state is ABSENT."""
    ours, theirs = (
        one.join(other, on=on, how="anti", nulls_equal=True).with_columns(
            pl.lit(value=one is right).alias(ABSENT), pl.lit(value=one is left).alias(ABSENT + SECOND)
        )
        for one, other in ((left, right), (right, left))
    )
    return pl.concat([ours, theirs.rename({name: name + SECOND for name in view.states})], how="diagonal")


def count_pairs(
    rows: pl.DataFrame, alone: pl.DataFrame | None, keys: Sequence[str], states: Sequence[str], unit: str | None
) -> pl.DataFrame:
    """The count of each pair of states in rows of `join_rows` and, for a sparse view, of `rows_alone`."""
    names = [*states]
    if alone is not None and not alone.is_empty():
        rows = pl.concat([rows, alone], how="diagonal")
        rows = rows.with_columns(pl.col(ABSENT, ABSENT + SECOND).fill_null(value=False))
        names.append(ABSENT)
    return count_states(rows.lazy(), keys, [name + end for end in ("", SECOND) for name in names], unit)


def states_by_run(rows: pl.DataFrame, states: Sequence[str]) -> list[pl.DataFrame]:
    """The states of the first and of the second run, each under their own names."""
    return [rows.select(pl.col(name + end).alias(name) for name in states) for end in ("", SECOND)]


def _fill_missing_counts(rows: pl.DataFrame, view: View, constant: Sequence[str]) -> pl.DataFrame:
    """Rows of both runs, and those that one run lacks because its counts there are 0.

    constant: columns with a single value in both runs.
    """
    first, second = pl.col(view.required_count), pl.col(view.required_count + SECOND)
    lacking = ((first > 0) & second.is_null()) | ((second > 0) & first.is_null())
    counts = [name + end for name in view.states for end in ("", SECOND)]
    return rows.filter(~lacking.fill_null(value=False)).with_columns(
        pl.col(counts).fill_null(0),
        pl.coalesce("cluster", "cluster" + SECOND),
        *(pl.col(name).fill_null(pl.col(name).drop_nulls().first()) for name in constant),
    )


def setting_differences(signatures: Sequence[str], view: View) -> Iterator[tuple[str, list[str]]]:
    """Each setting in which runs' signatures differ, except the judge and the inputs, with its value in every run."""
    # A piece of a signature without a name continues the previous value.
    pieces = [re.split(r"\|(?=[^\W\d]\w*=)", signature) for signature in signatures]
    settings = [{name: value for name, _, value in (piece.partition("=") for piece in of_run)} for of_run in pieces]
    for name in dict.fromkeys(name for of_run in settings for name in of_run):
        values = [of_run.get(name, "none") for of_run in settings]
        if len(set(values)) > 1 and name not in {"inputs", "absent", *view.judge_options}:
            yield f"version of {TITLE}" if name == NAME else name, values


def match_all_runs(
    runs: Sequence[Run], asked: Sequence[str], view: View, *, all_pairs: bool
) -> tuple[list[MatchedRuns], list[str]]:
    """The matched rows of every two runs, or of the first and every other one, with warnings.

    asked: judges, as JUDGE in all runs, or RUN=JUDGE. Raises OptionError for unknown judges.
    """
    chosen = _requested_judges(runs, asked)
    places = list(combinations(range(len(runs)), 2))
    matched, warnings = [], []
    for one, other in places if all_pairs else places[: len(runs) - 1]:
        judges, left_out = pair_judges(runs[one], runs[other], chosen[one], chosen[other])
        matched += match_runs(runs[one], runs[other], judges, view)
        apart = setting_differences([runs[one].signature, runs[other].signature], view)
        settings = [f"{name} ({', '.join(f'{value:.60}' for value in values)})" for name, values in apart]
        trusted = zip(*(runs[place].inputs[: view.reference_inputs] for place in (one, other)), strict=False)
        settings += [f"reference file ({ours.path}, {own.path})" for ours, own in trusted if ours.sha256 != own.sha256]
        differ = f"{runs[one].name} and {runs[other].name} differ in more than the judge: {', '.join(settings)}"
        warnings += [*left_out, *([differ] if settings else [])]
    warnings += [
        f"{match.first.name} and {match.second.name}: the reference label differs on {match.changed_references:,} of "
        f"{match.rows.height:,} judgments in both, which affects differences"
        for match in matched
        if match.view is view and match.changed_references
    ]
    return matched, warnings


def pair_judges(
    first: Run, second: Run, ours: Sequence[str] = (), theirs: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """The judges of the first run, each with its counterpart in the second, and a warning on judges without one.

    ours, theirs: the requested judges; by default all.
    """
    one, other = ours or first.judges, theirs or second.judges
    if len(one) == len(other) and (len(one) == 1 or (ours and theirs)):
        return dict(zip(one, other, strict=True)), []
    both = [name for name in one if name in other]
    if not both:
        found = f"{listed(one)} in {first.name}, {listed(other)} in {second.name}"
        fix = f"{first.name}={one[0]},{second.name}={other[0]}"
        raise OptionError("no judge is in both runs", option="judge", found=found, fix=fix)
    wanted = [side for side in ((first, ours), (second, theirs)) if side[1]] or [(first, one), (second, other)]
    alone = [(run, [name for name in names if name not in both]) for run, names in wanted]
    left = "; ".join(f"{listed(names)} of {run.name}" for run, names in alone if names)
    return {name: name for name in both}, [f"not compared, since they have no counterpart: {left}"] if left else []


def _requested_judges(runs: Sequence[Run], requested: Sequence[str]) -> list[list[str]]:
    """The requested judges of each run; an empty list means all."""
    chosen: list[list[str]] = [[] for _ in runs]
    by_name = {f"{run.name}={judge}": (place, judge) for place, run in enumerate(runs) for judge in run.judges}
    common = [judge for judge in runs[0].judges if all(judge in run.judges for run in runs)]
    for request in requested:
        check_known_name("expected a judge of every run, or RUN=JUDGE; got", request, [*common, *by_name], "judge")
        for place, name in [by_name[request]] if request in by_name else enumerate([request] * len(runs)):
            chosen[place] += [name] if name not in chosen[place] else []
    return chosen
