"""Preferences, gold or predicted, as a table with a row per item, and a column per criterion."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import polars as pl

from karat.errors import DataError
from karat.formats.conversion import Conversion, Settings
from karat.formats.findings import Findings, counted, listed
from karat.formats.long_preferences import COLUMNS as LONG
from karat.formats.merged_tables import FILE, agreeing, stacked
from karat.formats.opened import opened
from karat.formats.preferences import Options, criteria_in, file_column, known_columns, read_all
from karat.formats.source import Source
from karat.formats.written_tables import FLAT, Table, flat_among, further_columns, unwritten
from karat.schemas.columns import constants_of, mapped_columns
from karat.schemas.preferences import TEXTS, Judged, Task, task_of

_LABELLED = "_preference"
_KEYS = ("id",)


def _read(sources: Sequence[Source], values: Settings) -> Table:
    """The items of all files. Raises DataError with all that is wrong with one of them, and for all clashes."""
    files = [_file(one, values) for one in sources]
    findings, names = Findings("item"), [one.name for one in files]
    own, frames = _own_columns([one.task for one in files]), [_in_words(one) for one in files]
    frame, told = (frames[0], []) if len(files) == 1 else _merged(frames, names, own, findings)
    settled = findings.settle(drop=values["on_invalid"] == "drop")
    if frame.is_empty():
        raise DataError(f"{listed(names, say=str)}: no item is left after dropping")
    warnings = (*(said for one in files for said in one.warnings), *settled, *told)
    said = [name for name in own if name.endswith(_LABELLED) or frame[name].count()]
    further = [name for name in frame.columns if name not in {*_KEYS, *own}]
    labels = tuple(name for name in said if name.endswith(_LABELLED))
    return Table({one.name: one.rows for one in files}, frame.lazy().select(*_KEYS, *said, *further), labels, warnings)


def _file(source: Source, values: Settings) -> Judged:
    """What one file says, with its further columns; a warning names those that no table can hold."""
    task = task_of(values["criteria"] or criteria_in(source, values["columns"]), values["labels"])
    known = [*known_columns(task), *map(file_column, task.reply_columns)]
    options = Options(
        task,
        mapped_columns(values["columns"], known_columns(task), constants=constants_of(values)),
        drop=values["on_invalid"] == "drop",
        exact_labels=values["exact_labels"],
    )
    found = opened(source, options)
    others = further_columns(found, "preferences", known, ())
    further = flat_among(others, found)
    read = read_all(source, replace(options, by=further))
    return replace(read, warnings=(*read.warnings, *unwritten(source, [one for one in others if one not in further])))


def _own_columns(tasks: Sequence[Task]) -> list[str]:
    """Karat's columns of all files, as they are written: texts, then labels, explanations and outcomes by criterion."""
    criteria = Task(tuple(dict.fromkeys(criterion for task in tasks for criterion in task.criteria)))
    return [*TEXTS, *map(file_column, (*criteria.label_columns, *criteria.why_columns, *criteria.reply_columns))]


def _in_words(judged: Judged) -> pl.DataFrame:
    """The items under the names of a file, with labels as words."""
    words = dict(enumerate((None, *judged.task.labels)))
    labels = [pl.col(name).replace_strict(words, return_dtype=pl.String) for name in judged.task.label_columns]
    named = {name: file_column(name) for name in judged.frame.columns}
    return judged.frame.with_columns(labels).rename(named)


def _merged(
    frames: Sequence[pl.DataFrame], names: Sequence[str], own: Sequence[str], findings: Findings
) -> tuple[pl.DataFrame, list[str]]:
    """A row per item, with what any file says of it; and a warning for each further column that differs."""
    every = agreeing(stacked(frames), _KEYS, own, names, findings)
    further = [name for name in every.columns if name not in {*_KEYS, FILE, *own}]
    given = {name: pl.col(name).drop_nulls() for name in (*own, *further)}
    differing = [(given[name].n_unique() > 1).alias(f"{FILE}{name}") for name in further]
    items = every.group_by(_KEYS, maintain_order=True).agg(*(one.first() for one in given.values()), *differing)
    counts = {name: int(items[f"{FILE}{name}"].sum()) for name in further}
    differ = {name: counted(count, "item", "items") for name, count in counts.items() if count}
    told = [f"{name:.60} differs in {many}; the first file's is kept" for name, many in differ.items()]
    return items.select(*_KEYS, *given), told


def _holds(columns: Collection[str]) -> bool:
    return "id" in columns and (any(name.endswith(_LABELLED) for name in columns) or {*LONG[:2]} <= {*columns})


CONVERSION = Conversion(
    "preferences",
    "item",
    FLAT,
    ("criteria", "labels", "exact_labels"),
    lambda values: known_columns(task_of(values["criteria"], values["labels"])),
    _holds,
    _read,
)
