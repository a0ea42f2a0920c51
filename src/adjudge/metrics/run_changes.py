"""The steps of a history: each metric of a run minus that of the previous run, and the last run's minus the first's."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

import polars as pl

from adjudge.errors import DataError
from adjudge.estimate import Estimate
from adjudge.metrics.comparison import differences
from adjudge.metrics.difference import Difference
from adjudge.metrics.metric import Metric, View
from adjudge.metrics.row_selection import TableRow, key_columns
from adjudge.metrics.run_matching import match_runs
from adjudge.metrics.tables import DIFFERENCE, DifferenceRow, difference_rows, keyed_table
from adjudge.readers.saved_runs import Run
from adjudge.spec import Evaluation, MetricSpec
from adjudge.statistics.comparison import independent_difference

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
    figures = tuple(figure for figure in view.metrics if figure.name in metrics and not figure.table)
    return replace(view, metrics=figures, subviews=tuple(subview for subview in subviews if subview.metrics))


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
        like = [row for row in compared if _is_same_row(row, earlier, about.judge)]
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


def _is_same_row(compared: DifferenceRow, row: TableRow, judge: str) -> bool:
    """Whether a difference is that of a row's metric: of its judge, with the keys that both have."""
    like = {**row, "judge": row[judge]}
    of_same = compared.metric.name == row["metric"]
    return of_same and all(like.get(key, value) == value for key, value in compared.keys.items())
