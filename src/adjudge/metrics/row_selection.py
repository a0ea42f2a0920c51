"""The table rows that a name such as `accuracy[criterion=safety]` selects: for gates, pilots and histories."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from adjudge.display_names import annotator_names, number_repeats, parse_number, short_name
from adjudge.errors import OptionError, closest
from adjudge.report import Report, holds_estimates, key_columns
from adjudge.spec import BASELINE_PREFIX, Evaluation, MetricSpec

TableRow = Mapping[str, Any]

GroupKeys = Mapping[str, Any]
"""Keys that distinguish rows, with their values."""

RUN_COLUMNS = ("first", "second")
"""Key columns that hold names of runs, where a report compares them."""
OVERALL_TABLE = "overall"
"""The table of pooled results, which gates read if it exists."""
MOST_LISTED = 20
"""The most names that a message lists."""


def metric_tables(report: Report) -> dict[str, list[TableRow]]:
    """The rows of each table of metrics."""
    return {name: [*frame.iter_rows(named=True)] for name, frame in report.tables.items() if holds_estimates(frame)}


def subject_text(metric: str, keys: Mapping[str, str]) -> str:
    """The subject of a gate in its written form.

    >>> print(subject_text("kappa", {"annotator": "a,b", "week": "2"}))
    kappa[annotator="a,b",week=2]
    """
    quoted = {
        name: '"' + value.replace('"', '""') + '"' if re.search(r'^"|[,\]]|^$', value) else value
        for name, value in keys.items()
    }
    inside = ",".join(f"{name}={value}" for name, value in quoted.items())
    return f"{metric}{f'[{inside}]' if inside else ''}"


def select_rows(rows: Iterable[TableRow], metric: str, keys: Mapping[str, str], about: Evaluation) -> list[TableRow]:
    """The rows of a metric with the keys' values; among several values of other keys, the ones that gates read."""
    return rows_for_gates([row for row in rows if row_matches(row, {"metric": metric, **keys})], keys, about)


def rows_for_gates(rows: Iterable[TableRow], named: Collection[str], about: Evaluation) -> list[TableRow]:
    """The rows of one metric that gates read: no baselines, and the pooled ones if metrics are pooled.

    named: keys requested by name, none of whose values is skipped.
    """
    kept = []
    for row in rows:
        names = [row[key] for key in key_columns(row) if key not in {*RUN_COLUMNS, *named}]
        if not any(isinstance(name, str) and name.startswith(BASELINE_PREFIX) for name in names):
            kept.append(row)
    for key, pooled in about.gated_values.items():
        if key not in named:
            kept = [row for row in kept if row.get(key) == pooled] or kept
    return kept


def distinguishing_keys(rows: Sequence[TableRow], about: Evaluation) -> list[str]:
    """The key columns, other than those of judges and subjects, that differ between rows."""
    names = {about.judge, "judge", "second_judge", "name", "reference", *RUN_COLUMNS}
    keys = [key for key in key_columns(rows[0] if rows else ()) if key not in names]
    return [key for key in keys if len({row[key] for row in rows}) > 1]


def row_matches(row: TableRow, wanted: Mapping[str, str]) -> bool:
    """Whether a row has these values; numbers are compared by value."""
    return all(
        parse_number(text) == row[key] if isinstance(row.get(key), float) else text == row.get(key)
        for key, text in wanted.items()
    )


def check_known_name(lacking: str, name: str, names: Collection[str], option: str = "", value: str = "") -> None:
    """Raises OptionError for a name that is not among those known.

    lacking: the start of the message. option, value: the option that holds the name, and its whole value.
    """
    if name not in names:
        listed = ", ".join(map(short_name, list(names)[:MOST_LISTED])) + (" ..." if len(names) > MOST_LISTED else "")
        near = closest(name, names)
        fix = near and (value or name).replace(name, near, 1)
        raise OptionError(f'{lacking} "{short_name(name)}"', option=option, found=listed, fix=fix)


def check_rows_exist(
    where: str, rows: Sequence[TableRow], metric: str, keys: Mapping[str, str], option: str, value: str
) -> None:
    """Raises OptionError, listing the existing ones, if no row of a table has the metric or a key's value.

    where: the start of the message. option, value: see `check_known_name`.
    """
    check_known_name(f"{where} no", metric, list(dict.fromkeys(row["metric"] for row in rows)), option, value)
    left = [row for row in rows if row["metric"] == metric]
    for key, wanted in keys.items():
        check_known_name(f"{where} no key", key, key_columns(left[0]), option, value)
        there = [str(row[key]) for row in left if row[key] is not None]
        left = [row for row in left if row_matches(row, {key: wanted})]
        if not left:
            check_known_name(f"{where} no {metric} of {key}", wanted, list(dict.fromkeys(there)), option, value)


_NAMES = frozenset({"annotator", "reference", "judge", "second_judge", "person", "other"})
"""Columns that name judges, besides those that the evaluation declares."""


@dataclass(frozen=True)
class ReportRows:
    """The rows of a report. group: the values of the columns that define its group; empty for all rows."""

    report: Report
    group: GroupKeys = field(default_factory=dict)
    _tables: dict[str, list[TableRow]] = field(init=False, default_factory=dict, repr=False, compare=False)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Judge -> its display name, unique."""
        known = annotator_names(self.report.tables.values())
        main, judge = self.report.tables.get(self.report.about.main), self.report.about.judge
        ids = [] if main is None or judge not in main.columns else main[judge].unique(maintain_order=True).to_list()
        ids = [name for name in ids if name is not None]
        return known | dict(zip(ids, number_repeats(short_name(known.get(name, name)) for name in ids), strict=True))

    def name(self, judge: str | None) -> str:
        """The display name of a judge."""
        return self.names.get(judge or "") or short_name(judge)

    def rows(self, table: str, **keys: Any) -> list[TableRow]:  # noqa: ANN401 - whatever cells hold
        """The rows of a table with these values; none if the report lacks the table."""
        if table not in self._tables:
            frame = self.report.tables.get(table, pl.DataFrame())
            held = {key: value for key, value in self.group.items() if key in frame.columns}
            if held:
                frame = frame.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in held.items())
            columns = _NAMES | {self.report.about.judge}
            if "compared" in frame.columns or table == "differences":
                columns |= {"first", "second"}
            named = [name for name in frame.columns if name in columns and frame.schema[name] == pl.String]
            rows = frame.to_dicts()
            for row in rows:
                shown = [key for key in named if row[key] is not None and not row[key].startswith(BASELINE_PREFIX)]
                row.update({key: self.name(row[key]) for key in shown})
            self._tables[table] = [*rows]
        return [row for row in self._tables[table] if all(row.get(key) == value for key, value in keys.items())]

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
                first = next((row[key] for row in rows if row.get(key) is not None), None)
                rows = [row for row in rows if row.get(key) == first]
            chosen += [row for row in rows if row not in chosen]
        return chosen or [row for row in every if row["metric"] == every[0]["metric"]]

    def metric(self, name: str) -> MetricSpec:
        """How a metric is displayed; an undeclared one is a plain number."""
        return self.report.about.metrics.get(name) or MetricSpec(name.replace("_", " ").capitalize(), "", percent=False)


def report_groups(report: Report, columns: tuple[str, ...] = ()) -> Iterator[GroupKeys]:
    """The groups of a report: the combinations of its `by` columns, and of further ones with several values."""
    main = report.tables.get(report.about.main)
    if main is None:
        return
    keys = [key for key in (*(report.options.get("by") or ()), *columns) if key in main.columns]
    keys = [key for key in dict.fromkeys(keys) if main[key].n_unique() > 1]
    yield from main.select(keys).unique(maintain_order=True).to_dicts() if keys else [{}]
