"""Names that one would take for each other: what programs add to ids or take from them."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce

import polars as pl

_SHOWN = 3
_WRITTEN = "it was read or written as a number somewhere; write it as text"
_UNDONE: Mapping[str, Callable[[str], str]] = {
    "spaces around it": str.strip,
    f'".0": {_WRITTEN}': partial(re.compile(r"\.0+$").sub, ""),
    f"leading zeros: {_WRITTEN}": partial(re.compile(r"^0+(?=\d)").sub, ""),
}
"""What programs add to ids or take from them, besides case: in words, and what undoes it."""
_BLANK = "".join(sign for sign in map(chr, range(128)) if sign.isspace())
"""What Python takes for spaces in ASCII, four signs more than polars."""


def plain_id(name: str) -> str:
    """An id without what programs change.

    >>> plain_id(" 007.0"), plain_id("Q1"), plain_id("0")
    ('7', 'q1', '0')
    """
    return reduce(lambda text, undo: undo(text), _UNDONE.values(), name.casefold())


def _plain_ids(names: pl.Series) -> pl.Series:
    """The same of many names; those in ASCII, which nearly all are, by polars."""
    found = names.str.to_lowercase().str.strip_chars(_BLANK)
    found = found.str.replace(r"\.0+$", "").str.replace(r"^0+(\d)", "${1}")
    further = (names.str.len_bytes() != names.str.len_chars()).arg_true()
    return found.scatter(further, [plain_id(name) for name in names.gather(further)])


def difference(got: str, other: str) -> str:
    """How two ids differ that `plain_id` makes equal; of several ways the last.

    >>> difference("7", "007").partition(":")[0]
    'leading zeros'
    """
    said, pairs = "upper and lower case", (got.casefold(), other.casefold())
    for words, undo in _UNDONE.items():
        if pairs[0] != pairs[1]:
            said, pairs = words, (undo(pairs[0]), undo(pairs[1]))
    return said


def near_miss(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """What to say of two sides of which no id is on the other: that one of them nearly is; empty where none is.

    >>> near_miss(["1", "2"], ["001"]).partition(":")[0]
    '. "1" and "001" differ only by leading zeros'
    """
    known = {plain_id(one): one for one in theirs}
    pairs = ((one, known.get(plain_id(one), one)) for one in ours)
    one, other = next(((one, other) for one, other in pairs if one != other), ("", ""))
    return f'. "{one:.60}" and "{other:.60}" differ only by {difference(one, other)}' if one else ""


def alike_warnings(what: str, names: pl.Series) -> list[str]:
    """A warning for the first few groups of distinct names that one would take for each other."""
    found: dict[str, list[str]] = {}
    for name in names.filter(_plain_ids(names).is_duplicated()).sort():
        found.setdefault(plain_id(name), []).append(name)
    groups = [*found.values()]
    shown = "; ".join(", ".join(f'"{name:.60}"' for name in alike) for alike in groups[:_SHOWN])
    more = f" and {len(groups) - _SHOWN:,} more" if len(groups) > _SHOWN else ""
    differ = "differ only in case, spaces, .0 or leading zeros, and count as different"
    return [f"the {what} {shown}{more} {differ}"] if groups else []
