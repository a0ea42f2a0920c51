"""The tables of a report as rows, of one group of its judgments, with the names of judges as people read them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from adjudge.display_names import annotator_names, distinct_names, short_name
from adjudge.metrics.row_selection import GroupKeys, TableRow
from adjudge.report import Report
from adjudge.spec import BASELINE_PREFIX, MetricSpec

_NAMES = frozenset({"annotator", "reference", "judge", "second_judge", "person", "other"})
"""Columns that name who judges, besides those that the evaluation declares."""


@dataclass(frozen=True)
class ReportRows:
    """The rows of a report. group: the values of the columns that set its group apart; empty for all rows."""

    report: Report
    group: GroupKeys = field(default_factory=dict)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Judge -> its name for readers, each another one."""
        known = annotator_names(self.report.tables.values())
        main, judge = self.report.tables.get(self.report.about.main), self.report.about.judge
        ids = [] if main is None or judge not in main.columns else main[judge].unique(maintain_order=True).to_list()
        ids = [name for name in ids if name is not None]
        return known | dict(zip(ids, distinct_names([known.get(name, name) for name in ids]), strict=True))

    def name(self, judge: str | None) -> str:
        """The name of a judge for readers."""
        return self.names.get(judge or "") or short_name(judge)

    @cached_property
    def _tables(self) -> dict[str, list[TableRow]]:
        return {}

    def rows(self, table: str, **keys: Any) -> list[TableRow]:  # noqa: ANN401 - whatever cells hold
        """The rows of a table with these values; none if the report lacks the table."""
        if table not in self._tables:
            frame = self.report.tables.get(table, pl.DataFrame())
            held = {key: value for key, value in self.group.items() if key in frame.columns}
            if held:
                frame = frame.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in held.items())
            columns = (
                _NAMES | {self.report.about.judge} | ({"first", "second"} if "compared" in frame.columns else set())
            )
            columns |= {"first", "second"} if table == "differences" else set()
            named = [name for name in frame.columns if name in columns and frame.schema[name] == pl.String]
            rows = frame.to_dicts()
            self._tables[table] = [row | {key: self._display_name(row[key]) for key in named} for row in rows]
        return [row for row in self._tables[table] if all(row.get(key) == value for key, value in keys.items())]

    def _display_name(self, name: str | None) -> str | None:
        return name if name is None or name.startswith(BASELINE_PREFIX) else self.name(name)

    def by_judge(self, table: str, metric: str, *, judge: str = "", **keys: Any) -> dict[str, TableRow]:  # noqa: ANN401
        """Judge -> its row of a metric. judge: the column of judges, by default that of the evaluation."""
        return {row[judge or self.report.about.judge]: row for row in self.rows(table, metric=metric, **keys)}

    def headline_rows(self, table: str) -> list[TableRow]:
        """The rows of the metrics that answer the evaluation's question, with the parts of means."""
        about, every, chosen = self.report.about, self.rows(table), list[TableRow]()
        for answer in about.answers:
            rows = [row for row in every if row["metric"] == answer.metric]
            for key, value in {**({} if about.pooled else about.gated_values), **answer.where}.items():
                rows = [row for row in rows if row.get(key) == value] or rows
            for key in answer.first:
                values = [row[key] for row in rows if row.get(key) is not None]
                first: Any = max(values) if values and isinstance(values[0], float) else next(iter(values), None)
                rows = [row for row in rows if row.get(key) == first]
            chosen += [row for row in rows if row not in chosen]
        return chosen or [row for row in every if row["metric"] == every[0]["metric"]]

    def metric(self, name: str) -> MetricSpec:
        """How a metric is displayed; one that the evaluation does not declare is a plain number."""
        return self.report.about.metrics.get(name) or MetricSpec(name.replace("_", " ").capitalize(), "", percent=False)


def report_groups(report: Report, columns: tuple[str, ...] = ()) -> Iterator[GroupKeys]:
    """The groups of a report: the combinations of its `by` columns, and of further ones with several values."""
    main = report.tables.get(report.about.main)
    if main is None:
        return
    keys = [key for key in (*(report.options.get("by") or ()), *columns) if key in main.columns]
    keys = [key for key in dict.fromkeys(keys) if main[key].n_unique() > 1]
    if not keys:
        yield {}
        return
    yield from main.select(keys).unique(maintain_order=True).to_dicts()
