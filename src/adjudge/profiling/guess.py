"""What a guess is, and the options that say it; which columns are called like Adjudge's, or hold labels of one kind."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.errors import nearest
from adjudge.profiling.column_profile import Table
from adjudge.readers.column_names import joined, nearest_to, sided, stem, words
from adjudge.readers.column_synonyms import ANNOTATOR, MODEL_NAMES, MODELS, NAMES, TRUSTED, WRITERS
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
    hint = nearest(name, table.names)
    return f"no column {name}{hint}: which is it? --columns {name}=COLUMN of {listed(table.names)}"


def trusted_among(voters: Sequence[str]) -> str | None:
    """The one of several whose name says that they are trusted."""
    trusted = [name for name in voters if TRUSTED & {joined(name), *words(name)}]
    return trusted[0] if len(trusted) == 1 < len(voters) else None


_ANNOTATORS = {*ANNOTATOR, *MODELS}


def alike(table: Table, names: Sequence[str], trusted: str | None) -> list[str]:
    """Columns that hold labels of one kind: of the trusted column, else the most that share theirs.

    Where the names of annotators have a word in common (rater_1, rater_2; human_label, gpt4_label), others with these
    labels are something else.
    """
    groups = [[other for other in names if share(table, one, other)] for one in ([trusted] if trusted else names)]
    best = max(groups, key=len, default=[])
    if not trusted and len(best) == 1:
        return []
    judges = _called(best, _ANNOTATORS)
    named = judges if len(judges) > 1 else [*judges, *_called(best, TRUSTED)]
    common = set.intersection(*(set(words(name)) for name in named)) - {*MODEL_NAMES, *TRUSTED} if named else set()
    common = {word for word in common if len(word) > 1 and not word.isdigit()}  # as in gpt-4o and gpt-4o-mini
    fitting = [name for name in best if common <= set(words(name)) or name in _called(best, TRUSTED)]
    return fitting if len(fitting) > 1 else best


def _called(names: Sequence[str], meaning: Container[str]) -> list[str]:
    return [name for name in names if any(one in meaning for one in (*words(name), joined(name)))]


def share(table: Table, one: str, other: str) -> bool:
    """Whether two columns hold the same labels: most of the fewer, or of numbers, which mean little, most of both.

    Decimals need not be the same, but most of the same range.
    """
    ours, theirs = table[one].folded, table[other].folded
    kinds = {table[one].kind, table[other].kind}
    if "decimals" in kinds and kinds <= {"decimals", "whole numbers"}:
        ranges = [sorted(float(text.replace(",", ".")) for text in texts) for texts in (ours, theirs)]
        low, *_, high = sorted(end for values in ranges for end in (values[0], values[-1]))
        both = min(values[-1] for values in ranges) - max(values[0] for values in ranges)
        return both * 2 >= high - low
    sizes = len(ours), len(theirs)
    least = min(sizes) if table[one].kind == "text" else max(sizes)
    return len(ours & theirs) * 2 >= least
