"""JSON with nested rows, as a list of records.

The rows are in a list within objects, in columns, in objects of objects; or the user's jq program makes them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import DataError, OptionError, closest, encodable, flag_name
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.json_documents import is_lines, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.problems import count_words, listed
from adjudge.text.local_models import extra

WITHIN = "."
"""Separator between the name of an object and that of a list in it."""

_TEXT = rb'"(?:[^"\\]|\\.)*"'
_RESHAPED = re.compile(
    rb"\{\s*(?!\"(?:metadata|annotators)\")" + _TEXT + rb"\s*:\s*"
    rb'(?:\[\s*(?:["\d\-\[tfn]|\])|\{\s*' + _TEXT + rb'\s*:\s*["\d\-tfn])'
)
"""Beginnings of JSON to reshape: columns, {"a": [1, or, as pandas writes them, {"a": {"0": 1; and other objects of flat
objects."""

Records = list[dict[str, Any]]


def as_records(source: Source) -> Source:
    """JSON of columns, or an object of objects, as a list of records.

    Any other file stays unchanged. Raises DataError for columns of different lengths.
    """
    start = source.start()
    if not _RESHAPED.match(start.content) or is_lines(start):
        return source
    document = read_objects(replace(source, format="json")).document
    if not isinstance(document, dict) or len(document) < 2:  # noqa: PLR2004 - one alone is a list with a name, or a record
        return source
    made = _of_columns(source.name, document) or _of_objects(document)
    return _holding(source, *made) if made else source


def _holding(source: Source, records: Records, message: str = "") -> Source:
    """The source with its new records in memory."""
    warnings = [f"{source.name}: {message}"] if message else []
    return source.with_warnings(*warnings, records=documents.as_objects(source, records))


def _of_columns(name: str, document: dict[str, Any]) -> tuple[Records, str] | None:
    """The rows of a JSON object whose values are all lists, or objects with the same row numbers.

    Also pandas's form with names of columns and rows: {"columns": ["a"], "data": [[1]]}.
    """
    names, rows, values = document.get("columns"), document.get("data"), list(document.values())
    if isinstance(names, list) and isinstance(rows, list) and document.keys() <= {"columns", "index", "data"}:
        whole = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        if whole and all(isinstance(one, str) for one in names):
            return [dict(zip(names, row, strict=True)) for row in rows], ""
    if all(isinstance(one, dict) and one and list(one) == list(values[0]) for one in values):
        columns = {key: list(one.values()) for key, one in document.items() if all(map(str.isdigit, one))}
    else:
        columns = {key: one for key, one in document.items() if isinstance(one, list)}
    if len(columns) < len(document):
        return None
    if len(set(map(len, columns.values()))) > 1:
        lengths = ", ".join(f"{column:.60} {len(one)}" for column, one in columns.items())
        raise DataError(f"{name}: expected columns of one length; got {lengths:.300}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], ""


def _of_objects(document: dict[str, Any]) -> tuple[Records, str] | None:
    """The rows of an object of flat objects, {"q1": {"ana": "yes"}} or {"ana": {"q1": "yes"}}, and a message.

    The larger set of names are the rows, which become the column id unless they number the rows. None for anything
    else, and for sets of the same size.
    """
    if not _is_keyed(document):
        return None
    if any(isinstance(one, list | dict) for row in document.values() for one in row.values()):
        return None
    outer, inner = list(document), list(dict.fromkeys(chain.from_iterable(document.values())))
    if outer == [str(number) for number in range(len(outer))]:
        return list(document.values()), ""
    if len(outer) == len(inner):
        return None
    if len(outer) > len(inner):
        return _keyed(document)
    return _keyed({row: {name: one.get(row) for name, one in document.items()} for row in inner})


def _is_keyed(value: object) -> bool:
    """Whether a value is an object of several objects."""
    return isinstance(value, dict) and len(value) > 1 and all(isinstance(one, dict) and one for one in value.values())


def _keyed(rows: Mapping[str, Mapping[str, Any]]) -> tuple[Records, str]:
    """The rows of an object of objects, with their names in a column, and a message."""
    key = next(name for name in ("id", "key", "__key__") if not any(name in row for row in rows.values()))
    told = f"an object of objects: {listed(rows, 3)} are rows, and their names are in the column {key}"
    return [{key: name, **row} for name, row in rows.items()], told


# --- named parts ---


def part_of(source: Source, part: str) -> Source:
    """A list within JSON as a separate list of records, with a warning if records are empty there.

    part: its name after those of its objects; an object of objects is a list, too. In an object, the list's elements
    are the records. In a list of records, or in JSON lines, each element of a record's list makes a record, in which it
    replaces the list; so do lists within these elements. Raises OptionError if there is no list of that name.
    """
    start = source.start()
    if not start.content.startswith((b"{", b"[")):
        raise OptionError(f"{source.name}: no part {part}: only workbooks, archives and JSON have parts")
    document = read_objects(replace(source, format="jsonl" if is_lines(start) else "json")).document
    holder, rest, message = document, part, ""
    while isinstance(holder, dict) and rest and (step := _first_step(holder, rest)):
        holder, rest = holder[step], rest.removeprefix(step).removeprefix(WITHIN)
    if _is_keyed(holder):
        holder, message = (None if rest else _of_objects(holder)) or _keyed(holder)
    records = holder if isinstance(holder, list) else []
    rows = list(chain.from_iterable(_unfolded(one, rest) for one in records))
    if not rows:
        lists = list(dict.fromkeys(parts_in(document)))
        near = closest(part, lists)
        raise OptionError(
            f"{source.name}: no list {part} in it",
            found=f"lists {listed(lists, say=str)}" if lists else "no lists",
            fix=near and f"{source.name.removesuffix(f'#{part}')}#{near}",
        )
    if empty := sum(next(_unfolded(one, rest), None) is None for one in records):
        left = f"{count_words(empty, 'record holds', 'records hold')} nothing in {rest}, excluded"
        message = f"{message}; {left}" if message else left
    return _holding(source, rows, message)


def _first_step(value: Mapping[str, Any], part: str) -> str:
    """The key of an object, perhaps with dots, with which a path begins; empty if there is none."""
    return max((key for key in value if part == key or part.startswith(key + WITHIN)), key=len, default="")


def _unfolded(value: Any, part: str) -> Iterator[Any]:  # noqa: ANN401 - JSON holds anything
    """The value once for each element of the list, with the element in place of the list."""
    if isinstance(value, list):
        yield from chain.from_iterable(_unfolded(one, part) for one in value)
    elif not part:
        yield value
    elif isinstance(value, dict) and (key := _first_step(value, part)):
        rest = part.removeprefix(key).removeprefix(WITHIN)
        yield from ({**value, key: one} for one in _unfolded(value[key], rest) if one is not None)


def parts_in(value: object, above: str = "") -> Iterator[str]:
    """The names of lists, and of objects of objects, in an object, or in those of a list."""
    if isinstance(value, list) and not above:
        yield from chain.from_iterable(map(parts_in, value))
    elif isinstance(value, dict):
        for key, one in value.items():
            named = isinstance(one, list) or _is_keyed(one)
            yield from [above + key] if named else parts_in(one, f"{above}{key}{WITHIN}")


# --- programs of jq ---

_AT_ONCE = 500
"""Number of records per call of jq. It returns the rows of each in turn, so that Ctrl-C works between them."""

_OFF = (
    *("env", "input", "inputs", "input_filename", "input_line_number", "halt", "halt_error", "halt_error($code)"),
    *("debug", "debug($message)", "stderr", "now", "localtime", "strflocaltime($format)", "get_search_list"),
    "modulemeta",
)
"""Disables functions of jq that read anything but the record, or do anything but return rows."""

_BEFORE = "".join(f'def {name}: error("{name.partition("(")[0]} is off");' for name in _OFF) + "{} as $ENV|def rows:(\n"
_AFTER = "\n);to_entries[]|.key as $at|.value|try[$at,[rows],null]catch[$at,null,.]|tojson"
"""Code around a program. Within a function, import and include are invalid."""
_PLACE = re.compile(r"at <top-level>, line (\d+)")
_ROWS = msgspec.json.Decoder(tuple[int, list[msgspec.Raw] | None, object])


def jq_rows(source: Source, program: str) -> Source:
    """The objects that a program returns, as records of JSON, with a warning that counts records without any.

    program: of jq, or a file with it. Each element of a list, each JSON line, or else the whole document, is a record.
    Raises OptionError for an invalid program, DataError, with the record, if it fails or returns no object.
    """
    every, empty, made = 0, 0, list[bytes]()
    for place, rows in _results(source, _compiled(program)):
        every += 1
        empty += not rows
        for row in map(bytes, rows):
            if not row.startswith(b"{"):
                got = documents.kind(msgspec.json.decode(row))
                raise DataError(f"{place}: expected objects of the program of jq; got {got}")
            made.append(row)
    of = count_words(every, "record", "records")
    if not made:
        raise DataError(f"{source.name}: the program of jq gives no object for any of {of}")
    warnings = [f"{source.name}: the program of jq gives nothing for {empty:,} of {of}"] if empty else []
    numbers = range(1, len(made) + 1)
    values = documents.OnDemand(numbers, made, lambda at, row: documents.parse(row, f"{source.name}, row {at}"))
    records = documents.Objects(source.name, "row", numbers, values)
    return source.with_warnings(*warnings, records=records)


def _compiled(program: str) -> Any:  # noqa: ANN401 - jq has no types
    with extra("jq", f"{flag_name('jq')}: a program"):
        import jq
    text = program.rstrip()
    if "\n" not in program and Path(program).is_file():
        text = Path(program).read_text(encoding="utf-8").rstrip()
    try:
        return jq.compile(_BEFORE + text + _AFTER)
    except ValueError as error:
        message, last = str(error).removeprefix("jq: error: ").partition("\n")[0].rstrip(":"), text.count("\n") + 1
        shown = _PLACE.sub(lambda match: f"at line {min(int(match[1]) - 1, last)}", message)
        raise OptionError(f"expected a program of jq, or a file with one: {shown}", option="jq") from None


def _results(source: Source, run: Any) -> Iterator[tuple[str, list[msgspec.Raw]]]:  # noqa: ANN401
    """The place of each record, and the program's rows for it."""
    if source.format not in ("json", "jsonl"):
        raise DataError(f"{source.name}: expected JSON or JSON lines; got {source.format}")
    places = read_objects(source).places()
    while batch := list(islice(places, _AT_ONCE)):
        for place, value in batch:
            if isinstance(value, documents.Repeated):
                raise DataError(f"{place}: {documents.not_plain(value)}")
            if not encodable(documents.json_text(value)):
                raise DataError(f"{place}: expected characters; got one half of a surrogate pair")
        for line in run.input_text(documents.json_text([value for _, value in batch])):
            at, rows, error = _ROWS.decode(line)
            place = batch[at][0]
            if rows is None:
                raise DataError(f"{place}: the program of jq fails: {error}")
            yield place, rows
