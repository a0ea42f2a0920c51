"""Which columns of a table say what was judged and by whom: told by how their values repeat.

Where a row is a judgment, no annotator judges an item twice, items come up again with other annotators, and what is
trusted is the same in all rows of an item. Names are asked first; of columns that nobody would call so, values decide.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from adjudge.look.column_profile import Table

_COVERED = 0.5
"""The share of items x annotators that must be there for values alone to say which columns these are."""
_TRIED = 12
"""The columns that are tried for each."""


def items_of(table: Table, called: Sequence[str], annotator: str | None, but: Iterable[str] = ()) -> list[str]:
    """The column of items, or the two that are one together: those with which each row stands for itself.

    called: columns whose names say that they are items, the likeliest first. annotator: who judged; None where a row
    is an item. but: columns that are something else. Empty where no columns do.

    >>> from adjudge.look.column_profile import table_of
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
    return [name for name in table.names if table[name].is_flat and not table[name].missing and _differs(table, name)]


def _differs(table: Table, name: str) -> bool:
    return len(table[name].distinct) > 1


def _repeats(table: Table, name: str) -> bool:
    return len(table[name].distinct) < table.height


def _are_keys(table: Table, names: Sequence[str]) -> bool:
    """Whether no two rows agree in these columns."""
    return len(_keys(table, names)) == table.height


def _keys(table: Table, names: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(map(str, table[name].values) for name in names), strict=True))
