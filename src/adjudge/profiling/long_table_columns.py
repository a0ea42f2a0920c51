"""Which columns of a long table say what was judged, by whom and how: by name, else by how values repeat.

Where a row is a judgment, no annotator judges an item twice, items come up again with other annotators, and what is
trusted is the same in all rows of an item. Names are asked first; of columns that nobody would call so, values decide.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from adjudge.profiling.column_profile import Table
from adjudge.profiling.guess import share
from adjudge.readers.column_names import is_id_name, mentioning, nearest_to, words
from adjudge.readers.column_synonyms import ANNOTATOR, ID, MEASURES, NAMES

LABELS = NAMES["reliability"]["label"]
"""What people call a column of labels."""


def long_columns(table: Table, labels: Sequence[str], trusted: str | None) -> dict[str, str]:
    """The columns of a row per judgment, by name, else by how values repeat; none where rows are something else."""
    taken = [trusted] if trusted else []
    flat = [name for name in table.names if table[name].is_flat and name not in taken]
    people = [name for name in flat if table[name].kind != "true/false"]
    people = [name for name in people if judges_items(table, name, labels) or not _is_voted(table, name, labels)]
    who = nearest_to(ANNOTATOR, people) or mentioning(ANNOTATOR, people)
    said = _label(table, [name for name in labels if name not in {who, trusted}], trusted)
    if who is None or said is None:
        rest = [name for name in labels if trusted is None or share(table, trusted, name)]
        both = annotator_of(table, rest, trusted)
        said = said or _label(table, [name for name in rest if name not in {*(both or ()), trusted}], trusted)
        return dict(zip(("item", "annotator", "label"), (*both, said), strict=True)) if both and said else {}
    item = item_of(table, [*taken, said], who)
    return {"item": item, "annotator": who, "label": said} if item else {"annotator": who, "label": said}


def judges_items(table: Table, name: str, labels: Sequence[str]) -> bool:
    """Whether items come up again, each time with another value of a column that is called as annotators are."""
    if nearest_to(ANNOTATOR, [name]) is None:
        return False
    called = nearest_to(ID, table.names, [name])
    found = items_of(table, [called], name) if called else items_of(table, [], name, labels)
    return len(found) == 1 and len(table[found[0]].distinct) < table.height


def _is_voted(table: Table, name: str, labels: Sequence[str]) -> bool:
    """Whether a column holds the labels of another: then it is what an annotator said, not who said it."""
    return name in labels and any(share(table, name, other) for other in labels if other != name)


def _label(table: Table, labels: Sequence[str], trusted: str | None) -> str | None:
    """The column of labels: called so, or a question, or the only one with the labels of the trusted column."""
    differing = [name for name in labels if len(table[name].distinct) > 1]
    named = nearest_to(LABELS, differing) or nearest_to(LABELS, labels)
    asked = [name for name in differing if {*words(name.rpartition(".")[2])[:1]} & _ASKING]
    alike = [name for name in differing if trusted is None or share(table, trusted, name)]
    return named or next((found[0] for found in (asked, alike) if len(found) == 1), None)


_ASKING = {"is", "has", "contains", "does"}
"""With what a name begins that is a question."""


def item_of(table: Table, but: Sequence[str], annotator: str | None = None) -> str | None:
    """The column of items, or two with + between them, that tell rows apart; else the one that is called so."""
    named = nearest_to(ID, table.names, [*but, annotator or ""])
    called = [named] if named else [name for name in table.names if is_id_name(name)]
    measured = [name for name in table.names if not MEASURES.isdisjoint(words(name))]
    found = items_of(table, called, annotator, [*but, *measured])
    if annotator and named and len(found) == 1 and table[found[0]].is_id and not table[named].is_id:
        return named  # whose items come up again, perhaps with two labels of an annotator
    return "+".join(found) or (named if annotator else None)


_COVERED = 0.5
"""The share of items x annotators that must be there for values alone to say which columns these are."""
_TRIED = 12
"""The columns that are tried for each."""


def items_of(table: Table, called: Sequence[str], annotator: str | None, but: Iterable[str] = ()) -> list[str]:
    """The column of items, or the two that are one together: those with which each row stands for itself.

    called: columns whose names say that they are items, the likeliest first. annotator: who judged; None where a row
    is an item. but: columns that are something else. Empty where no columns do.

    >>> from adjudge.profiling.column_profile import table_of
    >>> lines = table_of([{"page": page, "line": line, "who": "x"} for page in "12" for line in "12"])
    >>> items_of(lines, ["page"], "who")
    ['page', 'line']
    """
    who = [annotator] if annotator else []
    taken = {*but, *who}
    free = [name for name in _whole(table) if table[name].kind != "decimals"]  # which measure, and name nothing
    others = [name for name in free if name not in taken and name not in called]
    others.sort(key=lambda name: table[name].is_prose)
    tried = [name for name in called if name not in taken] + others
    again = [name for name in tried[:_TRIED] if _repeats(table, name)]
    named = set(called)
    two = [list(both) for both in combinations(again, 2) if not named or named & set(both)]
    once = [[name] for name in tried if name not in again]
    ways = [*([name] for name in again), *two, *once] if annotator else [*once, *two]
    return next((one for one in ways if _are_keys(table, [*one, *who])), [])


def annotator_of(table: Table, labels: Sequence[str], trusted: str | None) -> tuple[str, str] | None:
    """The columns of items and of annotators where values alone say so: all annotators judged most items, each once.

    labels: columns that hold what was said. trusted: the column of the reference, the same in all rows of an item.
    """
    free = [name for name in _whole(table) if name not in labels and _repeats(table, name)][:_TRIED]
    found = [(item, who) for one, other in combinations(free, 2) for item, who in ((one, other), (other, one))]
    fitting = [two for two in found if _is_long(table, *two, trusted)]
    return max(fitting, key=lambda two: _covered(table, *two), default=None)


def _is_long(table: Table, item: str, who: str, trusted: str | None) -> bool:
    more = len(table[item].distinct) > len(table[who].distinct) > 1
    same = trusted is None or len(_keys(table, [item, trusted])) == len(table[item].distinct)
    written = table[who].kind == "text" and not table[who].is_prose
    return more and same and written and _covered(table, item, who) >= _COVERED and _are_keys(table, [item, who])


def _covered(table: Table, item: str, who: str) -> float:
    return table.height / (len(table[item].distinct) * len(table[who].distinct))


def _whole(table: Table) -> list[str]:
    """Flat columns with a value in each row, and more than one."""
    columns = table.columns.items()
    return [name for name, one in columns if one.is_flat and not one.missing and len(one.distinct) > 1]


def _repeats(table: Table, name: str) -> bool:
    return len(table[name].distinct) < table.height


def _are_keys(table: Table, names: Sequence[str]) -> bool:
    """Whether no two rows agree in these columns."""
    return len(_keys(table, names)) == table.height


def _keys(table: Table, names: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(map(str, table[name].values) for name in names), strict=True))
