"""Metrics of several runs of an evaluation, ordered by time or by a key column."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import polars as pl

from adjudge.display_names import axis_kind, count_of, listed_names, short_name, sort_key, split_version, varying_parts
from adjudge.errors import DataError
from adjudge.metrics.data_checks import CheckedData, count_missing, fate_of_missing
from adjudge.metrics.row_selection import ReportRows, TableRow, check_known_name, key_columns, rows_for_gates
from adjudge.metrics.run_matching import INTERVAL_SETTINGS, VERSION_SETTING, settings_table
from adjudge.readers.saved_runs import SavedReport
from adjudge.report import ESTIMATE_COLUMNS, number_columns, typed_table
from adjudge.spec import Evaluation
from adjudge.version import NAME

_MOST_NAMED = 5
"""The most runs, or values, that a sentence lists; if there are more, it lists one fewer and counts the others."""
_TEXT = 40
_INPUT_SETTINGS = frozenset({"inputs", "system", "checker", "absent"})
"""Parts of a signature that identify the judged data."""
_SETTING_TITLES = {NAME: VERSION_SETTING}
"""Parts of a signature -> names of settings."""

SavedReports = Sequence[SavedReport]
ReportRow = tuple[SavedReport, TableRow]
TableByReport = Mapping[SavedReport, pl.DataFrame]
RowsByReport = Mapping[SavedReport, Sequence[TableRow]]
"""The displayed metrics of each run."""


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The metrics of runs. table: see `adjudge.history`. runs: in its order, with the number of metrics of each.

    warnings: on excluded data, and on differences that make runs incomparable. settings: those in which runs differ.
    """

    table: pl.DataFrame
    runs: Sequence[tuple[SavedReport, int]]
    warnings: tuple[str, ...]
    settings: Mapping[str, pl.DataFrame]


def build_history(
    runs: SavedReports, about: Evaluation, *, metrics: Sequence[str], by: str | None, judges: Sequence[str]
) -> History:
    """The requested metrics of runs of one evaluation: by time if each has one, else in the order of `runs`.

    metrics, judges: by default all; a judge may be a pattern with *. by: the column that gives the
    order. Metrics are those that gates read: pooled ones if an evaluation pools, and none of baselines. Raises
    OptionError for a metric, a judge or a column that no run has, DataError without any metric.
    """
    runs = sorted(runs, key=lambda run: run.time) if all(run.dated for run in runs) else runs
    tables = _split_judge_names({run: run.report[about.main] for run in runs}, about)
    columns = sorted((key_columns(table.columns) for table in tables.values()), key=len, reverse=True)
    keys = list(dict.fromkeys(key for of_run in columns for key in of_run))
    if by is not None:
        check_known_name("no run has the key column", by, keys, "by")
    named = [table[name] for table in tables.values() for name in (about.judge, "name") if name in table.columns]
    known = {name for column in named for name in column.unique() if name is not None}
    for pattern in judges:
        if not any(_is_requested(pattern, name) for name in known):
            check_known_name(f"no run has the {about.judge}", pattern, sorted(known), "judge")
    shown = _metrics(tables.values(), about, metrics)
    rows = {run: _select_rows(table, shown, about, by, judges) for run, table in tables.items()}
    ordered = _sort_rows(rows, by)
    counts, differing = Counter(run for run, _ in ordered), list(_setting_differences(runs))
    return History(
        _table(ordered, tables, keys, by),
        [(run, counts[run]) for run in [*counts, *(run for run in runs if not counts[run])]],
        (
            *_missing_labels_warning(runs),
            *_missing_warnings(tables, rows, shown, by),
            *(_settings_sentence(*one) for one in differing),
        ),
        settings_table([run.name for run in runs], differing),
    )


def _split_judge_names(tables: TableByReport, about: Evaluation) -> TableByReport:
    """The tables with the parts of judges' names after the judge, if some name includes a version or a model."""
    judges = [judge for table in tables.values() for judge in table[about.judge].drop_nulls().unique()]
    parsed = {judge: split_version(judge) for judge in judges} if "version" in about.keys else {}
    parts, result = varying_parts(parsed.values()), {}
    for run, table in tables.items():
        columns = {
            part: pl.col(about.judge).replace_strict({judge: one[part] for judge, one in parsed.items()}, default=None)
            for part in parts
        }
        place = table.columns.index(about.judge) + 1
        order = [*table.columns[:place], *parts, *table.columns[place:]]
        result[run] = table.with_columns(**columns).select(order) if parts else table
    return result


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
    rows = [
        row
        for row in table.to_dicts()
        if not judges or any(_is_requested(one, row.get(name)) for one in judges for name in (about.judge, "name"))
    ]
    named = [name for name in (by, about.judge if judges else None) if name is not None]
    rows_by_metric = [[row for row in rows if row["metric"] == name] for name in metrics]
    selected = [row for of_metric in rows_by_metric for row in rows_for_gates(of_metric, named, about)]
    places = {key: place for place, key in reversed(list(enumerate(map(_key, rows))))}
    return sorted(selected, key=lambda row: places[_key(row)])


def _is_requested(pattern: str, name: object) -> bool:
    """Whether a judge is requested: by its name, or by a pattern in which * matches anything.

    >>> _is_requested("careful*", "careful@2|large"), _is_requested("careful", "careful@2")
    (True, False)
    """
    return isinstance(name, str) and (pattern == name or ("*" in pattern and fnmatchcase(name, pattern)))


def _key(row: TableRow) -> tuple[object, ...]:
    return tuple(row[name] for name in key_columns(row))


def _sort_rows(rows_by_run: RowsByReport, by: str | None) -> list[ReportRow]:
    """Runs with their rows, in the order of the runs or by the values of the column."""
    pairs = [(run, row) for run, rows in rows_by_run.items() for row in rows]
    if by is None:
        return pairs
    kind = axis_kind(row[by] for _, row in pairs)
    return sorted(pairs, key=lambda pair: sort_key(pair[1][by], kind))


def _table(
    ordered: Sequence[tuple[SavedReport, TableRow]], tables: TableByReport, keys: Sequence[str], by: str | None
) -> pl.DataFrame:
    """Run, then time or the ordering column, the other keys, and the metrics."""
    run_name, time = (f"report_{name}" if name in keys else name for name in ("run", "time"))
    others = [by, *(key for key in keys if key != by)] if by else keys
    run_columns = [run_name] if by else [run_name, time]
    rows = [
        {name: row.get(name) for name in (*others, *ESTIMATE_COLUMNS)} | {run_name: run.name, time: run.time}
        for run, row in ordered
    ]
    numbers = {name for table in tables.values() for name in number_columns(table)}.intersection(others)
    return typed_table(rows, [*run_columns, *others, *ESTIMATE_COLUMNS], numbers=sorted(numbers))


def _missing_warnings(
    tables: TableByReport, rows_by_run: RowsByReport, metrics: Sequence[str], by: str | None
) -> Iterator[str]:
    """Warnings on the runs that lack a metric, or the column of `by`."""
    without = [run for run, table in tables.items() if by is not None and by not in table.columns]
    if without:
        yield f"{count_with_names('run', [run.name for run in without])} without the column {by}: excluded"
    for metric in metrics:
        others = [run for run, rows in rows_by_run.items() if all(row["metric"] != metric for row in rows)]
        lacking = [run.name for run in others if run not in without]
        if lacking:
            yield f"{count_with_names('run', lacking)} without a metric of {metric}"


def _missing_labels_warning(runs: SavedReports) -> Iterator[str]:
    """Runs with missing labels, starting with the one with the largest share."""
    data = {run.name: CheckedData(ReportRows(run.report), {}, "") for run in runs}
    counts = {name: tuple(side.total() for side in count_missing(one)) for name, one in data.items()}
    shares = {name: missing / possible for name, (missing, possible) in counts.items() if missing}
    if shares:
        most = max(shares, key=lambda name: shares[name])
        first = "{:,} of {:,}".format(*counts[most])
        text = f"{most}: {first} labels missing, {fate_of_missing(data[most])}"
        yield text + (f"; {len(shares) - 1:,} more runs with missing labels" if len(shares) > 1 else "")


def count_with_names(what: str, names: Sequence[str]) -> str:
    """The number of names, and the first of them.

    >>> count_with_names("run", ["a", "b"]), count_with_names("run", list("abcdef"))
    ('2 runs (a and b)', '6 runs (a, b, c, d and 2 more)')
    """
    return f"{count_of(len(names), what)} ({listed_names(map(_name_ending, names), most=_MOST_NAMED)})"


def _name_ending(name: str) -> str:
    """A path or a name that fits: the end of a long one, which identifies it."""
    line = short_name(name, len(name) + 1)
    return line if len(line) <= _TEXT else f"…{line[1 - _TEXT :]}"


def _setting_differences(runs: SavedReports) -> Iterator[tuple[str, list[str]]]:
    """Each setting in which runs' signatures differ, except the judged data, with its value in every run."""
    # A piece of a signature without a name continues the previous value.
    pieces = [re.split(r"\|(?=[^\W\d]\w*=)", run.report.signature) for run in runs]
    signatures = [{name: value for name, _, value in (piece.partition("=") for piece in of_run)} for of_run in pieces]
    for name in dict.fromkeys(name for settings in signatures for name in settings if name not in _INPUT_SETTINGS):
        values = [settings.get(name, "none") for settings in signatures]
        if len(set(values)) > 1:
            yield _SETTING_TITLES.get(name, name), values


def _settings_sentence(name: str, values: Sequence[str]) -> str:
    """A sentence on a setting in which runs differ."""
    listed = listed_names(
        [f"{short_name(value, _TEXT)} in {count:,}" for value, count in Counter(values).most_common()], most=_MOST_NAMED
    )
    what = "intervals" if name in INTERVAL_SETTINGS else "metrics"
    return f"runs differ in {name} ({listed}), and their {what} may differ only because of that"
