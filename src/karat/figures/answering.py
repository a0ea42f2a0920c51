"""Which rows of a table a name such as `accuracy[criterion=safety]` means: for gates, pilots and histories."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from karat.about import Evaluation
from karat.errors import OptionError, nearest
from karat.report import NO_KEYS, Report, is_figures

Row = Mapping[str, Any]

Group = Mapping[str, Any]
"""Keys that tell some rows from others, with their values."""

RUNS = ("first", "second")
"""Key columns that hold names of runs, where a report compares them."""
TOGETHER = "overall"
"""The table of all judgments together, which gates read where there is one."""
LISTED = 20
"""How many names a message lists."""


def tables_of_figures(report: Report) -> dict[str, list[Row]]:
    """The rows of each table of metrics."""
    return {name: [*frame.iter_rows(named=True)] for name, frame in report.tables.items() if is_figures(frame)}


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


def rows_of(report: Report, table: str, metric: str) -> list[Row]:
    """A table's rows of a metric; none where the report has no such table of metrics."""
    frame = report.tables.get(table)
    if frame is None or not is_figures(frame):
        return []
    return [*frame.filter(metric=metric).iter_rows(named=True)]


def answering(rows: Iterable[Row], metric: str, keys: Mapping[str, str], about: Evaluation) -> list[Row]:
    """The rows of a metric that hold the keys' values; of those that keys leave open, the ones that gates read."""
    return read_by_gates([row for row in rows if holds(row, {"metric": metric, **keys})], keys, about)


def read_by_gates(rows: Iterable[Row], named: Collection[str], about: Evaluation) -> list[Row]:
    """The rows of one metric that gates read: no baselines, and the pooled ones where metrics are pooled.

    named: keys asked for by name, none of whose values is skipped.
    """
    kept = [row for row in rows if not _is_baseline(row, named, about.baselines)]
    for key, pooled in about.gated.items():
        if key not in named:
            kept = [row for row in kept if row.get(key) == pooled] or kept
    return kept


def keys_of(row: Iterable[str]) -> list[str]:
    """The key columns of a table of metrics, or of one of its rows."""
    return [name for name in row if name not in NO_KEYS]


def telling(rows: Sequence[Row], about: Evaluation) -> list[str]:
    """The key columns, besides those that name who is judged and by whom, that differ between rows."""
    own = {about.judge, "judge", "second_judge", "name", "reference", *RUNS}
    return [key for key in keys_of(rows[0] if rows else ()) if key not in own and len({row[key] for row in rows}) > 1]


def number(text: str) -> float:
    """A number from text; NaN from any other."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def holds(row: Row, wanted: Mapping[str, str]) -> bool:
    """Whether a row holds these values; a number is the same however it is written."""
    return all(
        number(text) == row[key] if isinstance(row.get(key), float) else text == row.get(key)
        for key, text in wanted.items()
    )


def _is_baseline(row: Row, named: Collection[str], prefix: str) -> bool:
    """Whether a row is about a computed baseline that was not asked for by name."""
    names = (row[key] for key in keys_of(row) if key not in {*RUNS, *named})
    return bool(prefix) and any(isinstance(name, str) and name.startswith(prefix) for name in names)


def check_named(lacking: str, name: str, names: Collection[str]) -> None:
    """Raises OptionError for a name that is not among those known. lacking: what is said before it."""
    if name not in names:
        listed = ", ".join(list(names)[:LISTED]) + (" ..." if len(names) > LISTED else "")
        raise OptionError(f"{lacking} {name}{nearest(name, names)}; there are {listed}")


def check_answering(where: str, rows: Sequence[Row], metric: str, keys: Mapping[str, str]) -> None:
    """Raises OptionError, with what there is, where no row of a table has the metric or a key's value.

    where: what is said before what the table lacks.
    """
    check_named(f"{where} no", metric, list(dict.fromkeys(row["metric"] for row in rows)))
    left = [row for row in rows if row["metric"] == metric]
    for key, value in keys.items():
        check_named(f"{where} no key", key, keys_of(left[0]))
        there = [str(row[key]) for row in left if row[key] is not None]
        left = [row for row in left if holds(row, {key: value})]
        if not left:
            check_named(f"{where} no {metric} of {key}", value, list(dict.fromkeys(there)))
