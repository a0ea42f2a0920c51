"""Guesses for several files that name the same columns differently."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from adjudge.profiling.file_profile import NUMBERS, ColumnSample, FileProfile, TableSample
from adjudge.profiling.guess import answers_in, item_of, label_columns, share
from adjudge.profiling.result import Proposal
from adjudge.profiling.table_guesses import guess
from adjudge.readers.column_names import ANNOTATOR, GOLD, NAMES, TRUE, is_id_name, nearest_to, words
from adjudge.readers.io.source import OR

_IDS = NAMES["violations"]["id"]
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
    each = [_labels(table) if labels else guess(found.evaluation, table).columns for table in tables]
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
    trusts = bool({*words(name)} & TRUE) or first.distrust < files[-1].distrust
    if not name or first.table[name].is_id or (apart.evaluation == "reliability") != trusts:
        return None
    if all(one and _share(first.table[name], file.table[one]) for one, file in zip(judged, others, strict=True)):
        return replace(apart, weight=0.8, settings={"reference": [first.source.stem]} if trusts else {})
    judges = guess("reliability", others[-1].table).settings.get("annotator_columns", [])
    if not (
        trusts
        and judges
        and len(others) == 1
        and all(_share(first.table[name], others[0].table[one]) for one in judges)
    ):
        return None
    columns = {"item": apart.columns["item"], "reference": name}
    return replace(apart, weight=0.8, columns=columns, settings={"annotator_columns": judges})


def _share(column: ColumnSample, other: ColumnSample) -> bool:
    """Whether columns of two tables share their labels."""
    return share(TableSample({"first": column, "second": other}), "first", "second")


def _labels(table: TableSample) -> dict[str, str]:
    """The columns of a table with a label in each row, of annotators or of models."""
    repeated = [name for name in table if table[name].kind == "text" and not table[name].is_id]
    who = nearest_to((*ANNOTATOR, *NAMES["rag"]["model"]), repeated)
    rest = table.only([name for name in table if name != who])
    labels = label_columns(rest)
    label = nearest_to(NAMES["reliability"]["label"], labels) or nearest_to(GOLD, labels) or answers_in(rest)
    found = {"item": item_of(table, [label], who), "annotator": who, "label": label}
    return {ours: theirs for ours, theirs in found.items() if theirs}


def _with_values(column: ColumnSample, table: TableSample) -> str | None:
    """The column of a table with the values of another's: the one of its name, else the one that shares most."""
    values = {*column.distinct}
    shared = {name: len(values & {*one.distinct}) for name, one in table.items() if one.is_flat}
    least = {name: max(_FEWEST, min(len(values), len(table[name].distinct)) / 2) for name in shared}
    numbers = [name for name in shared if table[name].kind in NUMBERS and not table[name].is_id]
    others = [name for name in numbers if not (is_id_name(name) or nearest_to((*_IDS, column.name), [name]))]
    likely = [name for name in shared if name not in others and shared[name] >= least[name]]
    return column.name if column.name in likely else max(likely, key=lambda name: shared[name], default=None)
