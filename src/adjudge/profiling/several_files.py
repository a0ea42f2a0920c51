"""Guesses for several files that name the same columns differently."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from adjudge.profiling.file_profile import NUMBERS, ColumnSample, FileProfile, TableSample
from adjudge.profiling.guess import labels_in_rows, share
from adjudge.profiling.result import Proposal
from adjudge.profiling.table_guesses import guess
from adjudge.readers.column_names import NAMES, TRUE, is_id_name, nearest_to, words
from adjudge.readers.io.source import OR

MOST_COLUMNS = 500
"""The most columns to match, which takes time for every pair."""
_FEWEST = 3
"""The fewest items that files share."""


def named_apart(found: Proposal, files: Sequence[FileProfile]) -> Proposal | None:
    """A guess with the names of a column in all files; None if no column of each holds the same items.

    found: the guess from the first file. files: those to evaluate, and a file of true answers if there is one.
    """
    tables = [file.table.only([*file.table][:MOST_COLUMNS]) for file in files]
    labels = found.evaluation in ("reliability", "agreement")
    each = [labels_in_rows(table) if labels else guess(found.evaluation, table).columns for table in tables]
    key = "item" if labels else "id"
    item = each[0].get(key, key)
    names = [item, *(_with_values(tables[0][item], table) for table in tables[1:])] if item in tables[0] else [""]
    columns = {ours: dict.fromkeys(one[ours] for one in each if ours in one) for ours in dict.fromkeys(chain(*each))}
    columns[key] = dict.fromkeys(names)
    if not all(names) or any(sum(one in table for one in many) > 1 for many in columns.values() for table in tables):
        return None
    apart = replace(found, columns={ours: OR.join(many) for ours, many in columns.items()})
    if labels:
        return _of_labels(apart, [one.get("label", "") for one in each], files)
    return apart if any(len(many) > 1 for many in columns.values()) else None


def _of_labels(apart: Proposal, names: Sequence[str], files: Sequence[FileProfile]) -> Proposal | None:
    """The guess for files of labels, of which the first may be the reference. names: those of their columns."""
    (name, *judged), (first, *others) = names, files
    trusts, last = bool({*words(name)} & TRUE) or first.distrust < files[-1].distrust, others[-1].table
    if not name or first.table[name].is_id or (apart.evaluation == "reliability") != trusts:
        return None
    true = first.table[name]
    if all(one and share(true, file.table[one]) for one, file in zip(judged, others, strict=True)):
        return replace(apart, weight=0.8, settings={"reference": [first.source.stem]} if trusts else {})
    judges = guess("reliability", last).settings.get("annotator_columns", [])
    if trusts and judges and len(others) == 1 and all(share(true, last[one]) for one in judges):
        columns = {"item": apart.columns["item"], "reference": name}
        return replace(apart, weight=0.8, columns=columns, settings={"annotator_columns": judges})
    return None


def _with_values(column: ColumnSample, table: TableSample) -> str | None:
    """The column of a table with the values of another's: the one of its name, else the one that shares most."""
    values = {*column.distinct}
    shared = {name: len(values & {*one.distinct}) for name, one in table.items() if one.is_flat}
    least = {name: max(_FEWEST, min(len(values), len(table[name].distinct)) / 2) for name in shared}
    measured = [name for name in shared if table[name].kind in NUMBERS and not (table[name].is_id or is_id_name(name))]
    others = [name for name in measured if not nearest_to((*NAMES["violations"]["id"], column.name), [name])]
    likely = [name for name in shared if name not in others and shared[name] >= least[name]]
    return column.name if column.name in likely else max(likely, key=lambda name: shared[name], default=None)
