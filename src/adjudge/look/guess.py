"""What a guess is, and the options that say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.errors import nearest
from adjudge.look.column_profile import Table
from adjudge.readers.column_names import joined, nearest_to, sided, stem, words
from adjudge.readers.column_synonyms import NAMES, TRUSTED, WRITERS
from adjudge.readers.problems import listed


@dataclass(frozen=True, slots=True)
class Guess:
    """How an evaluation might read a table.

    columns: Adjudge's column -> the file's, for all that are known, also those of one name. options: what a user would
    give, with those columns whose names differ. lacking: what nothing in the table says, each with what to do. doubts:
    what may be otherwise and should be looked at. weight: how much speaks for the evaluation, from 0 to 1.
    """

    weight: float
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def found_names(evaluation: str, names: Sequence[str], table: Table, taken: Sequence[str] = ()) -> dict[str, str]:
    """Adjudge's columns among those of a table, each of which stands for one, in the order asked for."""
    found: dict[str, str] = {}
    held = [name for name in table.names if table[name].kind != "objects"]
    for name in names:
        called = NAMES[evaluation][name]
        called = called if joined(name) in called else (joined(name), *called)
        theirs = nearest_to(called, held, (*taken, *found.values()))
        if theirs is not None:
            found[name] = theirs
    return found


def mapped(columns: Mapping[str, str], **others: object) -> dict[str, Any]:
    """The options that say so; nothing is said of columns that have Adjudge's names."""
    renamed = {name: theirs for name, theirs in columns.items() if name != theirs}
    return {name: one for name, one in {"columns": renamed, **others}.items() if one}


def writers_of_pairs(table: Table, responses: Sequence[str]) -> list[str]:
    """The two columns that say what wrote both responses of a pair; none in other tables."""
    pairs = [two for *two, side in sided(table.names) if stem(two[0], side[0]) in WRITERS and two[0] not in responses]
    return pairs[0] if pairs and responses else []


def no_column(name: str, table: Table) -> str:
    """What to do about a column that no name or value tells."""
    return (
        f"no column {name}{nearest(name, table.names)}: which is it? --columns {name}=COLUMN of {listed(table.names)}"
    )


def trusted_among(voters: Sequence[str]) -> str | None:
    """The one of several whose name says that they are trusted."""
    trusted = [name for name in voters if TRUSTED & {joined(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None
