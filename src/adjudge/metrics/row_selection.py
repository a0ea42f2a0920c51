"""Which rows of a table a name such as `accuracy[criterion=safety]` means: for gates, pilots and histories."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from adjudge.display_names import short_name
from adjudge.errors import OptionError, closest
from adjudge.report import NON_KEY_COLUMNS, Report, holds_estimates
from adjudge.spec import BASELINE_PREFIX, Evaluation

TableRow = Mapping[str, Any]

GroupKeys = Mapping[str, Any]
"""Keys that tell some rows from others, with their values."""

RUN_COLUMNS = ("first", "second")
"""Key columns that hold names of runs, where a report compares them."""
OVERALL_TABLE = "overall"
"""The table of all judgments together, which gates read where there is one."""
MOST_LISTED = 20
"""How many names a message lists."""


def metric_tables(report: Report) -> dict[str, list[TableRow]]:
    """The rows of each table of metrics."""
    return {name: [*frame.iter_rows(named=True)] for name, frame in report.tables.items() if holds_estimates(frame)}


def subject_text(metric: str, keys: Mapping[str, str]) -> str:
    """What a gate is about, as it is written.

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
    """The rows of a metric that hold the keys' values; of those that keys leave open, the ones that gates read."""
    return rows_for_gates([row for row in rows if row_matches(row, {"metric": metric, **keys})], keys, about)


def rows_for_gates(rows: Iterable[TableRow], named: Collection[str], about: Evaluation) -> list[TableRow]:
    """The rows of one metric that gates read: no baselines, and the pooled ones where metrics are pooled.

    named: keys asked for by name, none of whose values is skipped.
    """
    kept = [row for row in rows if not _is_baseline(row, named)]
    for key, pooled in about.gated_values.items():
        if key not in named:
            kept = [row for row in kept if row.get(key) == pooled] or kept
    return kept


def key_columns(row: Iterable[str]) -> list[str]:
    """The key columns of a table of metrics, or of one of its rows."""
    return [name for name in row if name not in NON_KEY_COLUMNS]


def distinguishing_keys(rows: Sequence[TableRow], about: Evaluation) -> list[str]:
    """The key columns, besides those that name who is judged and by whom, that differ between rows."""
    names = {about.judge, "judge", "second_judge", "name", "reference", *RUN_COLUMNS}
    keys = [key for key in key_columns(rows[0] if rows else ()) if key not in names]
    return [key for key in keys if len({row[key] for row in rows}) > 1]


def number_or_nan(text: str) -> float:
    """A number from text; NaN from any other."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def row_matches(row: TableRow, wanted: Mapping[str, str]) -> bool:
    """Whether a row holds these values; a number is the same however it is written."""
    return all(
        number_or_nan(text) == row[key] if isinstance(row.get(key), float) else text == row.get(key)
        for key, text in wanted.items()
    )


def _is_baseline(row: TableRow, named: Collection[str]) -> bool:
    """Whether a row is about a computed baseline that was not asked for by name."""
    names = (row[key] for key in key_columns(row) if key not in {*RUN_COLUMNS, *named})
    return any(isinstance(name, str) and name.startswith(BASELINE_PREFIX) for name in names)


def check_known_name(lacking: str, name: str, names: Collection[str], option: str = "", value: str = "") -> None:
    """Raises OptionError for a name that is not among those known.

    lacking: what is said before it. option, value: the option that holds the name, and its whole value.
    """
    if name not in names:
        listed = ", ".join(map(short_name, list(names)[:MOST_LISTED])) + (" ..." if len(names) > MOST_LISTED else "")
        near = closest(name, names)
        fix = near and (value or name).replace(name, near, 1)
        raise OptionError(f"{lacking} {short_name(name)}", option=option, found=listed, fix=fix)


def check_rows_exist(
    where: str, rows: Sequence[TableRow], metric: str, keys: Mapping[str, str], option: str, value: str
) -> None:
    """Raises OptionError, with what there is, where no row of a table has the metric or a key's value.

    where: what is said before what the table lacks. option, value: see `check_known_name`.
    """
    check_known_name(f"{where} no", metric, list(dict.fromkeys(row["metric"] for row in rows)), option, value)
    left = [row for row in rows if row["metric"] == metric]
    for key, wanted in keys.items():
        check_known_name(f"{where} no key", key, key_columns(left[0]), option, value)
        there = [str(row[key]) for row in left if row[key] is not None]
        left = [row for row in left if row_matches(row, {key: wanted})]
        if not left:
            check_known_name(f"{where} no {metric} of {key}", wanted, list(dict.fromkeys(there)), option, value)
