"""A metric is an object that declares its name, its meaning and what it counts. Everything else follows from it.

A metric turns cells into an estimate, pairs of two runs into a difference, and a pilot's cells into the basis of a
plan. Its kinds are in `ratios` and `labels`; an evaluation lists its metrics in `metrics.py`, by the views of
outcomes whose rows they use.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, inf, isinf
from typing import Any, ClassVar, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.cells import MOST_STATES, Floats, Integers, Mask, PairedCells, StateCells, histogram, unit_sums
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import Comparison, linearised_difference

T = TypeVar("T")

KeyCondition = Callable[[Mapping[str, Any]], bool]
"""From a row's keys to whether a metric applies to it."""

KIND = "__kind__"
"""Name of the column that separates rows of different metrics: a flag and a choice, a label and a score."""

MakeRows = Callable[[pl.LazyFrame, Sequence[str], Any], pl.LazyFrame]
"""Turns outcomes, the key columns to keep and a run's options into rows that match one to one between runs."""

Range = tuple[float, float]
SHARES: Range = (0.0, 1.0)

ROUNDING = 1e-14
"""A difference or an influence below this is a rounding error: kappa of a constant label does not vary."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """A metric at some counts of states, and its influence function.

    value: None if it is undefined, for `reason`. influence: how far one more row in each state moves the metric.
    caveat: why an interval may miss its coverage on these counts.
    """

    value: float | None
    influence: Floats
    reason: str | None = None
    caveat: Caveat | None = None


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric of one evaluation, declared once.

    name: its value in the column `metric`. spec: its title, meaning, unit and direction. reason: why it is undefined
    if no row counts. kind: of its rows (the column KIND of a view). applies_to: whether it applies to some keys.
    keys: further keys of its rows. table: its table, if not the main one. bounds: the least and the greatest possible
    value; None without such limits.
    """

    name: str
    spec: MetricSpec
    reason: str = field(default="no items", kw_only=True)
    kind: str = field(default="", kw_only=True)
    applies_to: KeyCondition = field(default=lambda _: True, kw_only=True)
    keys: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    table: str = field(default="", kw_only=True)
    bounds: Range | None = field(default=None, kw_only=True)

    complete_cases: ClassVar[bool] = True
    """Whether a comparison uses only the rows that both runs count (complete cases); ratios of sums use all."""
    keeps_uncounted: ClassVar[bool] = False
    """Whether rows that are not counted affect the metric: a comparison includes those that neither run counts."""

    def counted_states(self, states: pl.DataFrame) -> Mask:
        """For each state, whether the metric counts its rows."""
        raise NotImplementedError

    def weight(self, states: pl.DataFrame) -> Floats:
        """For each state, what a row adds to the denominator."""
        return as_floats(self.counted_states(states))

    def linearise(self, states: pl.DataFrame, counts: Integers) -> Linearisation:
        """The metric and its influence function at so many rows of each state."""
        raise NotImplementedError

    def estimate(self, cells: StateCells, confidence: float) -> Estimate:
        """The estimate for one run, with its confidence interval."""
        result = self.linearise(cells.states, cells.totals)
        if result.value is None:
            return Estimate.undefined(result.reason or self.reason, confidence=confidence)
        return self.interval(cells, result.value, result.influence, confidence)

    def interval(self, cells: StateCells, value: float, influence: Floats, confidence: float) -> Estimate:
        """The estimate of a metric that is defined, with its confidence interval."""
        raise NotImplementedError

    def estimate_and_test(self, cells: StateCells, confidence: float) -> Comparison:
        """The estimate, with the p of the test that it is 0 (None for metrics that are not tested alone)."""
        return Comparison(self.estimate(cells, confidence), None)

    def compare(self, pairs: PairedCells, before: Linearisation, after: Linearisation, confidence: float) -> Comparison:
        """The second run's metric minus the first's, by linearisation unless a subclass has a better method."""
        moved = after.influence[pairs.second] - before.influence[pairs.first]
        value = (after.value or 0.0) - (before.value or 0.0)
        weight = self.weight(pairs.states)
        shares = (side / float(pairs.counts @ side) for side in (weight[pairs.first], weight[pairs.second]))
        sizes = sum(shares, np.zeros(len(moved)))  # of both runs' denominators
        influence, sizes, times = unit_sums(pairs, moved, sizes)
        most = self.most_degrees(pairs, moved)
        return linearised_difference(
            value, influence, sizes=sizes, multiplicity=times, degrees=most, confidence=confidence
        )

    def most_degrees(self, pairs: PairedCells, moved: Floats) -> float:  # noqa: ARG002
        """The most degrees of freedom of a difference. moved: how far each pair moves it."""
        return inf

    def discordant_share(self, pairs: PairedCells) -> float | None:  # noqa: ARG002
        """The share of rows on which only one run is right; None if rows are not each right or wrong."""
        return None

    def undefined(self, states: pl.DataFrame, reason: str | None = None) -> Linearisation:
        """The result for a metric without a value, with the reason."""
        return Linearisation(None, np.zeros(states.height), reason or self.reason)


@dataclass(frozen=True, slots=True)
class View:
    """Rows made of outcomes, and their metrics.

    rows: item, cluster, judge, KIND, the keys, and the columns of `states`; unique by item, judge, KIND, keys and
    `subkeys`. states: columns with all that a row adds to metrics. metrics: in the order of the tables.
    goodness: how good a row is, null if that is undefined. outcome: the row's outcome, in one word. label: the judge's
    label, for display.
    keys: key columns that outcomes lack, or have under another name. names: keys that name the data; two runs may
    differ in their single values. ignored_columns: columns of outcomes that do not identify rows. subkeys: columns that
    identify several rows of an item for the same metrics.
    main_keys: key column -> the value of the rows that answer the evaluation's question; their p are adjusted apart
    from those of its parts. main_metrics: names of metrics that answer it together; their p are adjusted together.
    mean_over: a key over whose values metrics are averaged, and the name of that average. An item has at most one row
    with each value.
    pooled: whether pooled metrics of all judges are compared too.
    sparse: whether judges see different items, so that comparisons include the rows that only one of them has.
    most_frequent: a key column and the number of its most frequent values to keep; others are excluded.
    required_count: a count among the states. A row may be missing in one run if this count is 0 in the other; its
    counts are then 0.
    only_if: the view applies if this is true of some row of either run.
    judge_options: options that name the judge. reference_inputs: the number of first inputs that are the reference.
    needs_all_judges: whether rows are made from the outcomes of all judges, not only of those in both runs.
    words: columns of outcomes and tables that hold text of items or of reference answers.
    subviews: views of the same items, reported only as differences; none if a run has no such rows.
    """

    rows: MakeRows
    states: tuple[str, ...]
    metrics: tuple[Metric, ...]
    goodness: pl.Expr = field(default_factory=lambda: pl.lit(0.0))
    outcome: pl.Expr = field(default_factory=lambda: pl.col("outcome"))
    label: pl.Expr = field(default_factory=lambda: pl.col("label"))
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    subkeys: tuple[str, ...] = ()
    main_keys: Mapping[str, str] = field(default_factory=dict)
    main_metrics: tuple[str, ...] = ()
    mean_over: tuple[str, str] | None = None
    pooled: bool = False
    sparse: bool = False
    required_count: str = ""
    only_if: pl.Expr | None = None
    most_frequent: tuple[str, int] | None = None
    judge_options: tuple[str, ...] = ()
    reference_inputs: int = 0
    needs_all_judges: bool = False
    words: tuple[str, ...] = ()
    subviews: "tuple[View, ...]" = ()

    def applies(self, *sides: pl.DataFrame | pl.LazyFrame) -> bool:
        """Whether the view applies: it has rows, and `only_if` holds for one of them."""
        holds = pl.len() > 0 if self.only_if is None else self.only_if.any()
        return any(rows.lazy().select(holds).collect(engine="streaming").item() for rows in sides)


def applicable_metrics(metrics: Iterable[Metric], keys: Mapping[str, Any]) -> list[Metric]:
    """The metrics that apply to rows with these keys."""
    return [metric for metric in metrics if metric.kind in ("", keys.get(KIND)) and metric.applies_to(keys)]


def metric_specs(*metrics: Iterable[Metric] | Mapping[str, MetricSpec]) -> dict[str, MetricSpec]:
    """Metric name -> its spec. The first of several metrics with the same name counts."""
    specs: dict[str, MetricSpec] = {}
    for group in metrics:
        if isinstance(group, Mapping):
            specs |= {name: spec for name, spec in group.items() if name not in specs}
            continue
        for metric in group:
            spec = metric.spec
            if metric.bounds not in (None, spec.range):  # the least and the greatest value that its kind allows
                low, high = (None if isinf(one) else one for one in metric.bounds)
                spec = replace(spec, bounds=(low, high))
            specs.setdefault(metric.name, spec)
    return specs


def clip_estimate(estimate: Estimate, between: Range | None) -> Estimate:
    """The estimate with its limits clipped to a range, but still containing its value."""
    if between is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    low, high = max(estimate.low, between[0]), min(estimate.high, between[1])
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


def clip_intervals(table: pl.DataFrame, specs: Mapping[str, MetricSpec]) -> pl.DataFrame:
    """A table of metrics or of their differences with limits clipped to the ranges that `specs` declare.

    As in `clip_estimate`, for metrics whose intervals use a distribution without limits. Differences of two values
    (a table with `first_value`) lie within the width of a range on both sides of 0.
    """
    if not {"metric", "value", "low", "high"} <= {*table.columns}:
        return table
    ranges = {name: spec.range for name, spec in specs.items()}
    if "first_value" in table.columns:
        ranges = {name: (low - high, high - low) for name, (low, high) in ranges.items()}
    least, most = (
        pl.col("metric").replace_strict({name: pair[end] for name, pair in ranges.items()}, default=default)
        for end, default in enumerate((-inf, inf))
    )
    low, high, value = map(pl.col, ("low", "high", "value"))
    return table.with_columns(
        pl.when(low.is_not_null()).then(pl.min_horizontal(pl.max_horizontal(low, least), value)).alias("low"),
        pl.when(high.is_not_null()).then(pl.max_horizontal(pl.min_horizontal(high, most), value)).alias("high"),
    )


_Column = NDArray[Any]
"""Named so that it is not built again for every column."""
_MOST_CACHED = 512
"""Results for few states are cached: the same states serve many judges."""
_cache: dict[tuple[int, object], tuple[pl.DataFrame, object, Any]] = {}


def cache_states(states: pl.DataFrame, key: Hashable, make: Callable[[], T], *, keeps_last: bool = False) -> T:
    """The result of `make` for some states, cached by key. For many states it is computed again.

    keeps_last: if there are many states, the results for the last ones are cached.
    """
    if states.height > MOST_STATES and not keeps_last:
        return make()
    place = (0 if states.height > MOST_STATES else id(states), key)
    entry = _cache.get(place)
    if entry is None or entry[0] is not states:
        entry = states, make, make()  # keeps the objects alive, so that their ids stay unique
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[place] = entry  # another thread may clear or replace it
    result: T = entry[2]
    return result


def mask(states: pl.DataFrame, condition: pl.Expr) -> Mask:
    """For each state, whether it meets a condition; unknown counts as no."""
    return _evaluate(states, condition, pl.Boolean)


def numbers(states: pl.DataFrame, expression: pl.Expr) -> Floats:
    """A number for each state; 0 if it has none."""
    return _evaluate(states, expression, pl.Float64)


def _evaluate(states: pl.DataFrame, expression: pl.Expr, dtype: type[pl.DataType]) -> _Column:
    """A column of the states, one entry each; false or 0 for missing values."""

    def column() -> _Column:
        found = states.select(expression.cast(dtype).fill_null(pl.lit(0).cast(dtype))).to_series().to_numpy()
        found = found if len(found) == states.height else np.repeat(found, states.height)
        found.flags.writeable = False
        return found

    return cache_states(states, (id(expression), dtype), column)


def as_floats(values: Mask) -> Floats:
    """True and false as 1 and 0."""
    return values.astype(np.float64)


def weighted_sum(values: Floats, counts: Integers) -> float:
    """The sum of values times counts, rounded once, so that it does not depend on the order of rows."""
    if (values == np.floor(values)).all():
        return float(values @ counts)
    distinct, together = histogram(values, counts=counts)
    return fsum((distinct * together).tolist())
