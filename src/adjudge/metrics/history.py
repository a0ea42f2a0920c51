"""Metrics of several runs of an evaluation, ordered by time or by a key column, and the steps from run to run."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path

import polars as pl

from adjudge.display_names import axis_kind, count_of, listed_names, short_name, sort_key
from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.metrics.comparison import differences
from adjudge.metrics.data_checks import CheckedData, count_missing, fate_of_missing
from adjudge.metrics.difference import Difference
from adjudge.metrics.metric import Metric, View
from adjudge.metrics.row_selection import ReportRows, TableRow, check_known_name, rows_for_gates
from adjudge.metrics.run_matching import match_runs, setting_differences
from adjudge.metrics.tables import DIFFERENCE, DifferenceRow, difference_rows, keyed_table
from adjudge.readers.saved_runs import Run, SavedReport
from adjudge.report import ESTIMATE_COLUMNS, key_columns, number_columns, typed_table
from adjudge.spec import Evaluation, MetricSpec
from adjudge.statistics.comparison import independent_difference

_MOST_NAMED = 5
"""The most runs, or values, that a sentence lists; if there are more, it lists one fewer and counts the others."""

SavedReports = Sequence[SavedReport]


def build_history(
    runs: SavedReports, about: Evaluation, view: View, metrics: Sequence[str], by: str | None, judges: Sequence[str]
) -> tuple[pl.DataFrame, list[tuple[SavedReport, int]], list[str]]:
    """The requested metrics of runs of one evaluation: by time if each has one, else in the order of `runs`.

    Returns the table of `adjudge.history`; the runs in its order, each with the number of its metrics; and warnings
    on excluded data, and on differences that make runs incomparable.

    metrics, judges: by default all. by: the column that gives the order. Metrics are those that gates read: pooled
    ones if an evaluation pools, and none of baselines. Raises OptionError for a metric, a judge or a column that no run
    has, DataError without any metric.
    """
    runs = sorted(runs, key=lambda run: run.time) if all(run.dated for run in runs) else runs
    tables = {run: run.report[about.main] for run in runs}
    of_runs = sorted((key_columns(table.columns) for table in tables.values()), key=len, reverse=True)
    keys = list(dict.fromkeys(key for of_run in of_runs for key in of_run))
    if by is not None:
        check_known_name("no run has the key column", by, keys, "by")
    names = [table[name] for table in tables.values() for name in (about.judge, "name") if name in table.columns]
    known = {name for column in names for name in column.unique() if name is not None}
    for name in judges:
        check_known_name(f"no run has the {about.judge}", name, sorted(known), "judge")
    shown = _metrics(tables.values(), about, metrics)
    rows = {run: _select_rows(table, shown, about, by, judges) for run, table in tables.items()}
    ordered = [(run, row) for run, of_run in rows.items() for row in of_run]
    if by is not None:
        kind = axis_kind(row[by] for _, row in ordered)
        ordered.sort(key=lambda pair: sort_key(pair[1][by], kind))
    run_name, time = (f"report_{name}" if name in keys else name for name in ("run", "time"))
    others = [by, *(key for key in keys if key != by)] if by else keys
    cells = [
        {name: row.get(name) for name in (*others, *ESTIMATE_COLUMNS)} | {run_name: run.name, time: run.time}
        for run, row in ordered
    ]
    numbers = {name for table in tables.values() for name in number_columns(table)}.intersection(others)
    columns = [run_name, *([] if by else [time]), *others, *ESTIMATE_COLUMNS]
    warnings = [*_missing_labels_warning(runs)]
    without = [run for run, table in tables.items() if by is not None and by not in table.columns]
    if without:
        warnings.append(f"{count_with_names('run', [run.name for run in without])} without the column {by}: excluded")
    for metric in shown:
        lacking = [run for run, of_run in rows.items() if all(row["metric"] != metric for row in of_run)]
        if named := [run.name for run in lacking if run not in without]:
            warnings.append(f"{count_with_names('run', named)} without a metric of {metric}")
    counts = Counter(run for run, _ in ordered)
    for name, values in setting_differences([run.report.signature for run in runs], view):
        each = [f"{short_name(value)} in {count:,}" for value, count in Counter(values).most_common()]
        listed = listed_names(each, most=_MOST_NAMED)
        warnings.append(f"runs differ in {name} ({listed}), and their results may differ only because of that")
    counted = [(run, counts[run]) for run in [*counts, *(run for run in runs if not counts[run])]]
    return typed_table(cells, columns, numbers=sorted(numbers)), counted, warnings


def _metrics(tables: Iterable[pl.DataFrame], about: Evaluation, requested: Sequence[str]) -> list[str]:
    """The requested metrics; by default those that the evaluation follows over time.

    These are those that it names, else the leading one, else the first with a better direction.
    """
    seen = dict.fromkeys(name for table in tables for name in table["metric"])
    names = [*(name for name in about.metrics if name in seen), *(name for name in seen if name not in about.metrics)]
    if not names:
        raise DataError("the runs hold no metrics: their main tables are empty")
    for name in requested:
        check_known_name("no run has the metric", name, names, "metric")
    good = [name for name in names if name in about.metrics and about.metrics[name].better]
    usual = [name for name in about.over_time or (about.leading,) if name in names]
    return list(requested) or usual or [*good, *names][:1]


def _select_rows(
    table: pl.DataFrame, metrics: Sequence[str], about: Evaluation, by: str | None, judges: Sequence[str]
) -> list[TableRow]:
    """A run's rows of those metrics, in the same order under the same keys."""
    if by is not None and by not in table.columns:
        return []
    every = table.to_dicts()
    rows = [row for row in every if not judges or not {row[about.judge], row.get("name")}.isdisjoint(judges)]
    named = [name for name in (by, about.judge if judges else None) if name is not None]
    rows_by_metric = [[row for row in rows if row["metric"] == name] for name in metrics]
    selected = [row for of_metric in rows_by_metric for row in rows_for_gates(of_metric, named, about)]
    keys = key_columns(table.columns)
    places = {tuple(map(row.get, keys)): -place for place, row in enumerate(reversed(rows))}
    return sorted(selected, key=lambda row: places[tuple(map(row.get, keys))])


def _missing_labels_warning(runs: SavedReports) -> Iterator[str]:
    """The run with the largest share of missing labels, if any are missing."""
    data = {run.name: CheckedData(ReportRows(run.report), {}, "") for run in runs}
    counts = {name: [side.total() for side in count_missing(one)] for name, one in data.items()}
    most = max(counts, key=lambda name: counts[name][0] / max(counts[name][1], 1))
    missing, possible = counts[most]
    if missing:
        yield f"{most}: {missing:,} of {possible:,} labels missing, {fate_of_missing(data[most])}"


def count_with_names(what: str, names: Sequence[str]) -> str:
    """The number of names, and the first of them.

    >>> count_with_names("run", ["a", "b"]), count_with_names("run", list("abcdef"))
    ('2 runs (a and b)', '6 runs (a, b, c, d and 2 more)')
    """
    listed = listed_names([short_name(Path(name).name) for name in names], most=_MOST_NAMED)
    return f"{count_of(len(names), what)} ({listed})"


# --- the steps of a history ---


STEPS = "steps"
"""The name of their table."""
SAME_ITEMS = "same_items"
"""Its column that records whether both runs have the same items."""
YES, NO, UNKNOWN = "yes", "no", "unknown"
_SHARED = 0.5
"""Two runs have the same items if both have this share of the items of the run with fewer."""


@dataclass(frozen=True, eq=False)
class RunComparisons:
    """Compares runs of a history on their shared items.

    runs: those with available items, by name. view: of the compared metrics (see `limit_view`). judges: those to
    compare; all if empty. warnings: reasons for unpaired runs, added during comparison.
    """

    runs: Mapping[str, Run]
    view: View
    judges: Collection[str]
    confidence: float
    warnings: list[str] = field(default_factory=list)

    def differences(self, first: str, second: str) -> tuple[str, Sequence[DifferenceRow]]:
        """Whether two runs have the same items; if so, the differences that `adjudge.compare` tests."""
        if not {first, second} <= self.runs.keys():
            return UNKNOWN, []
        earlier, later = self.runs[first], self.runs[second]
        items = [run.outcomes.select("item").unique().collect(engine="streaming") for run in (earlier, later)]
        if items[0].join(items[1], on="item", how="semi").height < _SHARED * min(map(len, items)):
            return NO, []
        asked = self.judges or earlier.judges
        judges = {name: name for name in earlier.judges if name in later.judges and name in asked}
        try:
            both = match_runs(earlier, later, judges, self.view)
        except DataError as error:
            self.warnings.append(f"not compared item by item: {'; '.join(error.problems)}")
            return UNKNOWN, []
        return YES, [row for data in both for row in differences(data, self.confidence)]


def limit_view(view: View, metrics: Collection[str]) -> View:
    """A view with only those metrics, all of its main tables."""
    subviews = (limit_view(subview, metrics) for subview in view.subviews)
    own = tuple(metric for metric in view.metrics if metric.name in metrics and not metric.table)
    return replace(view, metrics=own, subviews=tuple(subview for subview in subviews if subview.metrics))


def run_changes(table: pl.DataFrame, about: Evaluation, by: str | None, paired: RunComparisons) -> pl.DataFrame:
    """The steps of all metrics of a history, as a table of differences: the later run minus the earlier one.

    Runs with the same items are compared on shared items. Others are compared by the two intervals, as if they shared
    no item, which is conservative if they do. p is adjusted by Holm's method over the steps in a family, and
    separately over its changes from the first run to the last: over all rows that `adjudge.compare` tests between
    two such runs, whether a history shows them or not.
    """
    run = by or table.columns[0]
    run_columns = [table.columns[0], *([] if by else [table.columns[1]]), run]
    keys = [key for key in key_columns(table.columns) if key not in run_columns]
    compared_by_runs: dict[tuple[str, str], tuple[str, Sequence[DifferenceRow]]] = {}
    rows: list[DifferenceRow] = []
    for earlier, later, step in _neighbours(table, ["metric", *keys]):
        names = earlier[table.columns[0]], later[table.columns[0]]
        if names not in compared_by_runs:
            compared_by_runs[names] = (UNKNOWN, []) if by else paired.differences(*names)
        same, compared = compared_by_runs[names]
        named = {**earlier, "judge": earlier[about.judge]}
        same_metric = [row for row in compared if row.metric.name == earlier["metric"]]
        like = [row for row in same_metric if all(named.get(key, value) == value for key, value in row.keys.items())]
        if len(like) != 1:
            # As if no item were in both.
            estimates = (Estimate.from_row(row, confidence=paired.confidence) for row in (later, earlier))
            result = Difference(earlier["value"], later["value"], independent_difference(*estimates))
            metric = Metric(earlier["metric"], MetricSpec(earlier["metric"], ""))
            same, like = (UNKNOWN if same == YES else same), [DifferenceRow({}, metric, result)]
        group = {"first": str(earlier[run]), "second": str(later[run]), **{key: earlier[key] for key in keys}}
        rows.append(replace(like[0], keys={**like[0].keys, **group, SAME_ITEMS: same, _STEP: step}))
    runs = table[table.columns[0]].unique(maintain_order=True).to_list()
    steps = dict.fromkeys(zip(runs[:1], runs[-1:], strict=True), False) | dict.fromkeys(pairwise(runs), True)
    not_shown = (
        replace(row, keys={**row.keys, _STEP: step})
        for names, step in steps.items()
        for row in compared_by_runs.get(names, (UNKNOWN, []))[1]
    )
    tested = difference_rows([*rows, *not_shown], paired.view, apart=_STEP)
    return keyed_table(tested[: len(rows)], ["first", "second", *keys, SAME_ITEMS], DIFFERENCE)


_STEP = "__step__"


def _neighbours(table: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[TableRow, TableRow, bool]]:
    """Each row with the next of the same keys, and the first of several with the last; whether it is the next."""

    def place(row: TableRow) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in keys)

    rows = [row for row in table.to_dicts() if row["low"] is not None]
    for _, group in groupby(sorted(rows, key=place), place):
        runs = list(group)
        yield from ((*pair, True) for pair in pairwise(runs))
        if len(runs) > 2:  # noqa: PLR2004 - two runs have only one step
            yield runs[0], runs[-1], False
