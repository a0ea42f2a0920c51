"""What columns of a table mean to each evaluation: by the names people use, and by what their values are."""

import shlex
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from adjudge.errors import nearest
from adjudge.profiling.column_sample import TableSample
from adjudge.readers.column_names import is_id_name, joined, nearest_to, words
from adjudge.readers.column_synonyms import ID, MEASURES, NAMES, QUESTION, TRUSTED
from adjudge.readers.label_values import family
from adjudge.readers.problems import listed


@dataclass(frozen=True, slots=True)
class Guess:
    """How an evaluation might read a table.

    columns: Adjudge's column -> the file's, for all that are known, also those of one name. settings: what else a user
    would give. lacking: what nothing in the table says, each with what to do. doubts: what may be otherwise and should
    be looked at. weight: how much speaks for the evaluation, from 0 to 1.
    """

    weight: float
    columns: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """What a user would give, with those columns whose names differ from Adjudge's."""
        renamed = {name: theirs for name, theirs in self.columns.items() if name != theirs}
        return {name: value for name, value in {"columns": renamed, **self.settings}.items() if value}


MEANINGS: Mapping[str, Mapping[str, str]] = {
    "reliability": {"item annotator": "is_flat", "label reference flag skipped": "is_label"},
    "annotations": {"prompt": "holds_values", "annotator pair": "is_flat", "vote": "is_label"},
    "preferences": {"id": "is_flat", "instruction": "holds_values"},
    "rag": {
        "answer response": "is_answer",
        "documents counterfactual": "holds_values",
        "id model ability noise_ratio draw": "is_flat",
    },
    "violations": {
        "start end": "is_offset",
        "rule correction explanation category": "holds_values",
        "id annotator checker": "is_flat",
        "text context": "is_answer",
    },
}
"""The property of `ColumnSample` that columns of a meaning have. What they are called: column_synonyms.toml."""


def assigned(
    evaluation: str, table: TableSample, columns: Sequence[str] = (), taken: Sequence[str] = ()
) -> dict[str, str]:
    """Adjudge's columns among those of a table, by name and values; each column stands for one, in the order asked for.

    columns: those that are asked for, by default all. taken: columns that stand for something else.
    """
    tests = {name: test for names, test in MEANINGS[evaluation].items() for name in names.split()}
    meant: dict[str, str] = {}
    for name in columns or tests:
        fitting = [theirs for theirs in table.names if getattr(table[theirs], tests[name])]
        theirs = nearest_to((*NAMES[evaluation][name], joined(name)), fitting, (*taken, *meant.values()))
        meant |= {name: theirs} if theirs is not None else {}
    return meant


UNTRUSTED = "nothing says what is trusted"
"""How a guess begins to say that it lacks a reference, without which annotators may still be compared."""


def flag(option: str, value: str) -> str:
    """An option with a value, as a shell takes it."""
    return f"--{option} {shlex.quote(value)}"


def no_column(name: str, table: TableSample) -> str:
    """What to do about a column that no name or value tells."""
    hint = nearest(name, table.names)
    return f"no column {name}{hint}: which is it? --columns {name}=COLUMN of {listed(table.names)}"


def trusted_among(voters: Sequence[str]) -> str | None:
    """The one of several whose name says that they are trusted."""
    trusted = [name for name in voters if TRUSTED & {joined(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


def share(table: TableSample, column: str, other: str) -> bool:
    """Whether two columns hold the same labels: most of the fewer, or of numbers, which mean little, most of both.

    Numbers need not be the same, but most of the same range.
    """
    first, second = table[column], table[other]
    if {first.kind, second.kind} == {"dates"}:
        return True
    families = [{family(text) for text in each.folded} for each in (first, second)]
    if None not in families[0] | families[1]:  # yes and no, in any words
        return families[0] <= families[1] or families[1] <= families[0]
    if first.is_number and second.is_number:
        ranges = [sorted(float(text.replace(",", ".")) for text in each.folded) for each in (first, second)]
        low, *_, high = sorted(end for values in ranges for end in (values[0], values[-1]))
        if (min(values[-1] for values in ranges) - max(values[0] for values in ranges)) * 2 >= high - low:
            return True
    sizes = len(first.folded), len(second.folded)
    return len(first.folded & second.folded) * 2 >= (min(sizes) if first.kind == "text" else max(sizes))


# --- keys: columns that tell rows apart ---

_TRIED = 12
"""The columns that are tried for each."""


def whole_columns(table: TableSample) -> list[str]:
    """Flat columns with a value in each row, and more than one; none that measure."""
    columns = table.columns.items()
    whole = ((name, each) for name, each in columns if each.is_flat and not each.missing and len(each.distinct) > 1)
    return [name for name, each in whole if each.kind != "decimals"]


def are_keys(table: TableSample, names: Sequence[str]) -> bool:
    """Whether no two rows agree in these columns."""
    return len({tuple(map(str, row)) for row in table.rows(names)}) == table.height


def item_columns(
    table: TableSample, called: Sequence[str], annotator: str | None, but: Container[str] = ()
) -> list[str]:
    """The column of items, or the two that are one together: those with which each row stands for itself.

    called: columns whose names say that they are items, the likeliest first. annotator: who judged; None where a row
    is an item. but: columns that are something else. Empty where no columns do.
    """
    who = [annotator] if annotator else []
    whole = [name for name in whole_columns(table) if name not in (*who, *called) and name not in but]
    whole.sort(key=lambda name: table[name].is_prose)
    tried = [name for name in called if name not in who and name not in but] + whole
    again = [name for name in tried[:_TRIED] if len(table[name].distinct) < table.height]
    two = [[*both] for both in combinations(again, 2) if not called or {*called} & {*both}]
    once = [[name] for name in tried if name not in again]
    ways = [*([name] for name in again), *two, *once] if annotator else [*once, *two]
    return next((names for names in ways if are_keys(table, [*names, *who])), [])


def item_of(table: TableSample, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two with + between them, that tell rows apart; else the one that is called so."""
    named = nearest_to(ID, table.names, [*but, annotator or ""])
    called = [named] if named else [name for name in table.names if is_id_name(name) or joined(name) in QUESTION]
    if annotator and not named:
        again = [name for name in called if name not in (*but, annotator) and not table[name].is_id]
        named = again[0] if len(again) == 1 else None
    measured = [name for name in table.names if not MEASURES.isdisjoint(words(name))]
    measured += [name for name in table.names if called and table[name].is_time]
    keys = item_columns(table, called, annotator, [*but, *measured])
    if annotator and named and len(keys) == 1 and table[keys[0]].is_id and not table[named].is_id:
        return named  # whose items come up again, perhaps with two labels of an annotator
    return "+".join(keys) or (named if annotator else None)
