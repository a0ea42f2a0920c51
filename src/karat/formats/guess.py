"""What a guess is, and the names by which people call columns, annotators and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from karat.errors import nearest
from karat.formats.findings import listed
from karat.formats.naming import joined, nearest_to, sided, stem, words
from karat.formats.profiles import Table
from karat.text.packaged import packaged

Names = Mapping[str, Sequence[str]]
"""Karat's column -> what people call it, as `naming.joined` writes it, the commonest first."""

_WORDS = packaged("karat.formats", "guess_names.toml")


def _called(names: Sequence[str]) -> tuple[str, ...]:
    """A list of guess_names.toml, with those that it refers to."""
    each = (_called(_WORDS[one.removeprefix("@")]) if one.startswith("@") else (one,) for one in names)
    return tuple(chain.from_iterable(each))


ID, ANNOTATOR, GOLD, QUESTION = (_called(_WORDS[one]) for one in ("id", "annotator", "gold", "question"))
MODEL_NAMES, MODELS = (frozenset(_called(_WORDS[one])) for one in ("modelnames", "models"))
"""Words in the names of models; and those by which people call a model that judges."""
NAMES: Mapping[str, Names] = {
    evaluation: {name: _called(names) for name, names in columns.items()}
    for evaluation, columns in _WORDS["columns"].items()
}
"""What people call the columns of each evaluation."""

TRUSTED, FAILED, SURVEY, MEASURES, PEOPLE, SCORES = (
    frozenset(_WORDS[one]) for one in ("trusted", "failed", "survey", "measures", "people", "scores")
)
"""Names of annotators whose word is trusted; of two labels, the one that a judge is there to find; columns by
which one knows the export of a form; with what names of columns end that measure, and hold no labels; names of
annotators that those who were judged may have too; what figures of systems are called."""
RESPONDENT = _called(_WORDS["respondent"])
"""What forms call the column that says who answered."""
RESPONSES, WRITERS = (_called(_WORDS[one]) for one in ("responses", "writers"))
VOTES: Mapping[str, Sequence[str]] = _WORDS["votes"]
"""What the two texts of a pair are called, and what wrote them; what means votes for neither side."""


@dataclass(frozen=True, slots=True)
class Guess:
    """How an evaluation might read a table.

    columns: Karat's column -> the file's, for all that are known, also those of one name. options: what a user would
    give, with those columns whose names differ. lacking: what nothing in the table says, each with what to do. doubts:
    what may be otherwise and should be looked at. weight: how much speaks for the evaluation, from 0 to 1.
    """

    weight: float
    columns: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def found_names(evaluation: str, names: Sequence[str], table: Table, taken: Sequence[str] = ()) -> dict[str, str]:
    """Karat's columns among those of a table, each of which stands for one, in the order asked for."""
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
    """The options that say so; nothing is said of columns that have Karat's names."""
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
