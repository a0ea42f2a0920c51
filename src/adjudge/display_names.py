"""Names of judges and groups for display: short, distinct, listed in a sentence; and the order of values on an axis."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl


def short_name(name: str | None, length: int = 40) -> str:
    r"""A short name: one line, without invisible characters that reorder text, cut with an ellipsis.

    >>> short_name("a\n\u202eb"), short_name("x" * 50, 5), short_name(None)
    ('a b', 'xxxx…', '(missing)')
    """
    if name is None:
        return "(missing)"
    if not name.isprintable():
        name = "".join(letter for letter in name if letter.isspace() or _is_visible(letter))
    line = " ".join(name.split()) or "(blank)"
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _is_visible(letter: str) -> bool:
    """Whether it is neither a control character, nor invisible, nor a surrogate; emoji may be joined."""
    return unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn"} or letter in "\u200c\u200d"


def split_version(called: str) -> dict[str, str | None]:
    """The parts of a name: name@version|model; the version and the model may be missing. An address is a name.

    >>> list(split_version("careful@2|large").values()), list(split_version("careful|large").values())
    (['careful', '2', 'large'], ['careful', None, 'large'])
    >>> list(split_version("ann@example.org").values())
    ['ann@example.org', None, None]
    """
    rest, _, model = called.partition("|")
    name, _, version = rest.rpartition("@")
    address = "." in version and not version.lstrip("v")[:1].isdigit()
    whole = not name or not version or address
    return {"name": rest if whole else name, "version": None if whole else version, "model": model or None}


def varying_parts(names: Iterable[Mapping[str, str | None]]) -> list[str]:
    """The parts (name, version, model) that some of the names have; empty if none has a version or a model.

    >>> varying_parts([split_version("careful@2"), split_version("shy")]), varying_parts([split_version("shy")])
    (['name', 'version'], [])
    """
    parsed = list(names)
    parts = [part for part in ("name", "version", "model") if any(name[part] for name in parsed)]
    return parts if len(parts) > 1 else []


def number_repeats(names: Iterable[str]) -> list[str]:
    """Names made unique by a number after repeated ones.

    >>> number_repeats(["a", "b", "a", "a", "a (2)"])
    ['a', 'b', 'a (2)', 'a (3)', 'a (2) (2)']
    """
    seen: Counter[str] = Counter()
    labels: dict[str, None] = {}
    for name in names:
        label = name
        while label in labels:
            seen[name] += 1
            label = f"{name} ({seen[name] + 1})"
        labels[label] = None
    return list(labels)


def annotator_names(tables: "Iterable[pl.DataFrame]") -> dict[str, str]:
    """The name to show for each annotator, by id, from the tables with the columns annotator and name."""
    pairs = [frame.select("annotator", "name") for frame in tables if {"annotator", "name"} <= set(frame.columns)]
    return display_names(pair for frame in pairs for pair in frame.unique().iter_rows())


def display_names(pairs: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """The name to show for each id: its name, if it is unique and no other's id; else the id.

    pairs: ids and their names, in any number.

    >>> display_names([("a1", "ann"), ("a2", "bob"), ("a3", "bob"), ("a4", None)])
    {'a1': 'ann', 'a2': 'a2', 'a3': 'a3', 'a4': 'a4'}
    """
    by_id: dict[str, set[str]] = {}
    for one, name in pairs:
        if one is not None:
            by_id.setdefault(one, set()).update([name] if name else [])
    wanted = {one: next(iter(names)) if len(names) == 1 else one for one, names in by_id.items()}
    shared = Counter(wanted.values())
    clear = {one: shared[name] == 1 and (name == one or name not in by_id) for one, name in wanted.items()}
    return {one: name if clear[one] else one for one, name in wanted.items()}


_PLURALS = {"criterion": "criteria", "query": "queries"}


def listed_names(names: Iterable[str], last: str = "and", most: int = 3) -> str:
    """Names in a sentence; if there are many, the first few and a count.

    >>> listed_names(["a", "b", "c"]), listed_names(["a", "b", "c", "d", "e"], "or")
    ('a, b and c', 'a, b or 3 more')
    """
    names = list(names)
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1:,} more"]
    return f" {last} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "item"), count_of(1234, "label"), count_of(2, "criterion")
    ('1 item', '1,234 labels', '2 criteria')
    """
    return f"{number:,} {noun if number == 1 else _PLURALS.get(noun, f'{noun}s')}"


# --- values along an axis: their type (numbers, moments or names) and order ---

AxisKind = Literal["number", "moment", "name"]
AxisValue = str | float | None
"""A value of a key column."""

SortKey = tuple[bool, float, tuple[tuple[str, int, str], ...], str]

_YEARS = range(1900, 2100)


def axis_kind(values: Iterable[AxisValue]) -> AxisKind:
    """Moments if all values are dates in ISO form, numbers if all are numbers, else names.

    Dates may lack their dashes: 20261120 is a day if all values can be days. Every value counts.

    >>> axis_kind(["2026-11-20", "2026-11-27T10:30"]), axis_kind(["20", "3.5", None]), axis_kind(["v2", "3"])
    ('moment', 'number', 'name')
    """
    present = [value for value in values if value is not None]
    if present and all(parse_moment(value) for value in present):
        return "moment"
    return "number" if present and all(parse_number(value) is not None for value in present) else "name"


def parse_number(value: AxisValue) -> float | None:
    """The value as a number; None for any other text."""
    try:
        number = float(value) if value is not None and "_" not in str(value) else None
    except ValueError:
        return None
    return number if number is not None and isfinite(number) else None


def parse_moment(value: AxisValue) -> datetime | None:
    """The moment in UTC of a text in ISO form, of the years 1900 to 2099; None for any other."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None or moment.year not in _YEARS:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def sort_key(value: AxisValue, kind: AxisKind) -> SortKey:
    """The sort key of a value: numbers and moments by size, names in natural order (week 2 before week 10).

    Missing values come last.

    >>> sorted(["week 10", "week 2", None, "first"], key=lambda value: sort_key(value, "name"))
    ['first', 'week 2', 'week 10', None]
    """
    if value is None:
        return True, 0.0, (), ""
    moment = parse_moment(value) if kind == "moment" else None
    size = moment.timestamp() if moment else parse_number(value) if kind == "number" else None
    return False, size or 0.0, _name_pieces(str(value)), str(value)


def _name_pieces(name: str) -> tuple[tuple[str, int, str], ...]:
    """A name in alternating text and digits, to compare digits by value."""
    sizes = [piece.lstrip("0") for piece in re.split(r"(\d+)", name)]
    return tuple(("", len(one), one) if place % 2 else (one, 0, "") for place, one in enumerate(sizes))
