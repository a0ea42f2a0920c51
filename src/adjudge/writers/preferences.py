"""Preferences, gold or predicted, as a table with a row per item, and a column per criterion."""

from dataclasses import replace

import polars as pl

from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import opened
from adjudge.readers.preferences.preferences import Options, criteria_in, file_column, known_columns, read_all
from adjudge.schemas.columns import constant_columns, mapped_columns
from adjudge.schemas.preferences import TEXTS, make_task
from adjudge.writers.tables import Settings, Writable, flat_among, further_columns, unwritten, writable


def preferences_to_write(source: Source, values: Settings) -> Writable:
    """The items of a file, with its further columns. Raises DataError with all that is wrong with it."""
    task = make_task(values["criteria"] or criteria_in(source, values["columns"]), values["labels"])
    known = [*known_columns(task), *map(file_column, task.reply_columns)]
    options = Options(
        task,
        mapped_columns(values["columns"], known_columns(task), constants=constant_columns(values)),
        drop=values["on_invalid"] == "drop",
        exact_labels=values["exact_labels"],
    )
    found = opened(source, options)
    others = further_columns(found, "preferences", known, ())
    further = flat_among(others, found)
    read = read_all(source, replace(options, by=further))
    words = dict(enumerate((None, *task.labels)))
    frame = read.frame.with_columns(pl.col(task.label_columns).replace_strict(words, return_dtype=pl.String))
    optional = [*TEXTS, *task.why_columns, *task.reply_columns]
    said = ["id", *TEXTS, *task.label_columns, *task.why_columns, *task.reply_columns]
    columns = [name for name in said if name not in optional or frame[name].count()]
    written = frame.lazy().select(*(pl.col(name).alias(file_column(name)) for name in columns), *further)
    left = unwritten(source, [one for one in others if one not in further])
    return writable(read.rows, written, (*read.warnings, *left))
