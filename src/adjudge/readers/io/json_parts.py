"""JSON whose rows stand within something else, as a list of records: a list in objects, columns, objects of objects."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from adjudge.errors import DataError, OptionError, closest
from adjudge.readers.io.json_documents import Repeated, json_text, parse
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import MARK, decode
from adjudge.readers.problems import counted, listed, said_twice

WITHIN = "."
"""What stands between the name of an object and that of a list in it."""

_START = 4096
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_OF_COLUMNS = re.compile(
    rb"\s*\{\s*(?!\"(?:metadata|annotators)\")" + _TEXT + rb"\s*:\s*"
    rb'(?:\[\s*(?:["\d\-\[tfn]|\])|\{\s*' + _TEXT + rb'\s*:\s*["\d\-tfn])'
)
"""How JSON of columns begins, {"a": [1, or, as pandas writes it, {"a": {"0": 1; and other objects of flat objects."""

_OF_PAIRS = re.compile(rb"\s*\[\s*\[\s*" + _TEXT + rb"\s*,\s*\{")
"""How a list of texts, each with an object beside it, begins, as spaCy is trained with."""

Told = tuple[str, ...]


# --- a list that is named ---


def part_of(path: Path, name: str, part: str) -> tuple[Path, Told]:
    """A list within JSON as a list of records of its own; and a warning where records hold nothing there.

    part: its name, behind those of the objects that it stands in. In an object, the list's own elements are the
    records. In a list of records, or in JSON lines, a record is read for each element of its list, which takes the
    list's place; so it is with lists within these elements. Raises OptionError where there is no list of that name.
    """
    with path.open("rb") as file:
        start = file.read(_START).removeprefix(MARK).lstrip()
        lines = start.startswith(b"{") and _are_lines(file)
    if not start.startswith((b"{", b"[")):
        raise OptionError(f"{name}: no part {part}: only workbooks, archives and JSON have parts")
    text = decode(path.read_bytes(), name)
    numbered = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    document = [parse(line, name, number) for number, line in numbered] if lines else parse(text, name)
    found, rest = _element_lists(document, part)
    rows = list(chain.from_iterable(_unfolded(one, rest) for one in found))
    if not rows:
        lists = list(dict.fromkeys(lists_in(document)))
        near = closest(part, lists)
        raise OptionError(
            f"{name}: no list {part} in it",
            found=f"lists {listed(lists, say=str)}" if lists else "no lists",
            fix=near and f"{path}#{near}",
        )
    empty = sum(next(_unfolded(one, rest), None) is None for one in found)
    hold = counted(empty, "record holds", "records hold")
    left = f"{name}: {hold} nothing in {rest}, and {'is' if empty == 1 else 'are'} left out"
    return _json_file(json_text(rows)), (left,) if empty else ()


def _json_file(text: str) -> Path:
    target = scratch_file(".json")
    target.write_text(text, encoding="utf-8", errors="backslashreplace")
    return target


def _element_lists(document: Any, part: str) -> tuple[list[Any], str]:  # noqa: ANN401 - JSON holds anything
    """The records of a document, and where in these the list is: behind objects, those of the first list there."""
    while isinstance(document, dict):
        _check_once(document)
        key, part = _first_step(document, part)
        document = document.get(key)
    return (_with_texts(document) if isinstance(document, list) else []), part


def _first_step(value: Mapping[str, Any], part: str) -> tuple[str, str]:
    """The name in an object with which a path begins, and the rest; names may hold dots."""
    begins = [key for key in value if part == key or part.startswith(key + WITHIN)]
    key = max(begins, key=len, default=part)
    return key, part.removeprefix(key).removeprefix(WITHIN)


def _unfolded(value: Any, part: str) -> Iterator[Any]:  # noqa: ANN401 - JSON holds anything
    """The value with each element of the list in the place of the list."""
    if isinstance(value, list):
        yield from chain.from_iterable(_unfolded(one, part) for one in value)
    elif not part:
        yield value
    elif isinstance(value, dict):
        _check_once(value)
        key, rest = _first_step(value, part)
        yield from ({**value, key: one} for one in _unfolded(value.get(key, []), rest) if one is not None)


def _check_once(value: Mapping[str, Any]) -> None:
    if isinstance(value, Repeated):
        raise DataError(said_twice(value.repeated))


def lists_in(value: object, above: str = "") -> Iterator[str]:
    """The names of lists in an object, or in those of a list."""
    if isinstance(value, list) and not above:
        yield from chain.from_iterable(map(lists_in, value))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from [above + key] if isinstance(one, list) else lists_in(one, f"{above}{key}{WITHIN}")


# --- columns, and objects of objects ---


def as_records(path: Path, name: str) -> tuple[Path, Told]:
    """JSON of columns, or an object of objects, as a list of records, and what is told of it; any other file stays.

    So is a list of texts with an object beside each: the text is what the record says as `text`.
    """
    with path.open("rb") as file:
        start = file.read(_START).removeprefix(MARK)
        pairs = _OF_PAIRS.match(start)
        if not pairs and (not _OF_COLUMNS.match(start) or _are_lines(file)):
            return path, ()
    document = parse(decode(path.read_bytes(), name), name)
    if pairs:
        return _json_file(json_text(_with_texts(document))), ()
    columns, told = _columns(document), ""
    if columns is None:
        columns, told = _of_objects(document)
    if columns is None:
        return path, ()
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{column:.60} {len(values)}" for column, values in columns.items())
        raise DataError(f"{name}: expected columns of one length; got {lengths:.300}")
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return _json_file(f"[{','.join(map(json_text, rows))}]"), (f"{name}: {told}",) if told else ()


def _with_texts(values: Any) -> Any:  # noqa: ANN401 - JSON holds anything
    """A list in which each text that stands with an object, ["It cures all.", {"entities": []}], is one with it."""
    return [{"text": one[0], **one[1]} if _is_pair(one) else one for one in values]


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and [type(one) for one in value] == [str, dict]


def _are_lines(file: BinaryIO) -> bool:
    """Whether a file holds JSON lines: its first line is an object, and others follow."""
    file.seek(0)
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(file.readline()), dict) and bool(file.readline().strip())
    return False


Columns = dict[str, Sequence[Any]]


def _columns(document: Any) -> Columns | None:  # noqa: ANN401 - JSON holds anything
    """The columns of a JSON object all of whose values are lists, or objects that number the rows alike."""
    if type(document) is not dict or len(document) < 2:  # noqa: PLR2004 - one list alone is a list with a name
        return None
    if (names := _split(document)) is not None:
        return {name: [row[place] for row in document["data"]] for place, name in enumerate(names)}
    values = list(document.values())
    if all(isinstance(one, list) for one in values):
        return document
    same = all(type(one) is dict and list(one) == list(values[0]) for one in values)
    numbered = same and bool(values[0]) and all(key.isdigit() for key in values[0])
    return {name: list(one.values()) for name, one in document.items()} if numbered else None


def _split(document: dict[str, Any]) -> list[str] | None:
    """The names of columns where rows stand beside them, as pandas writes it: {"columns": ["a"], "data": [[1]]}."""
    names, rows = document.get("columns"), document.get("data")
    if not (document.keys() <= {"columns", "index", "data"} and isinstance(names, list) and isinstance(rows, list)):
        return None
    whole = all(isinstance(row, list) and len(row) == len(names) for row in rows)
    return names if whole and all(isinstance(name, str) for name in names) else None


def _of_objects(document: Any) -> tuple[Columns | None, str]:  # noqa: ANN401 - JSON holds anything
    """The columns of an object of flat objects, {"q1": {"ana": "yes"}} or {"ana": {"q1": "yes"}}, and what is told.

    The names of which there are more are those of rows, and stand in the column id, unless they number the rows. None
    for anything else, and where there are as many of both.
    """
    if type(document) is not dict or not all(type(one) is dict and one for one in document.values()):
        return None, ""
    if any(isinstance(value, list | dict) for one in document.values() for value in one.values()):
        return None, ""
    outer, inner = list(document), list(dict.fromkeys(chain.from_iterable(document.values())))
    numbered = outer == [str(number) for number in range(len(outer))]
    if len(outer) < 2 or (len(outer) == len(inner) and not numbered):  # noqa: PLR2004 - one object is a record
        return None, ""
    rows, columns = inner, Columns({name: [one.get(row) for row in inner] for name, one in document.items()})
    if numbered or len(outer) > len(inner):
        rows, columns = outer, Columns({name: [one.get(name) for one in document.values()] for name in inner})
    if numbered:
        return columns, ""
    key = next(name for name in ("id", "key", "__key__") if name not in columns)
    shown = listed(rows, 3)
    return {key: rows, **columns}, f"an object of objects: {shown} are rows, and their names stand in the column {key}"
