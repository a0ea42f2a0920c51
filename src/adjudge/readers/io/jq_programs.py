"""JSON as a program of the user's in jq reads it: whatever it makes of each record is one."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import DataError, MissingError, OptionError, encodable
from adjudge.readers.io.json_documents import (
    Objects,
    OnDemand,
    Repeated,
    json_text,
    kind,
    not_plain,
    parse,
    read_objects,
)
from adjudge.readers.io.source import Source
from adjudge.readers.problems import counted
from adjudge.version import NAME

_AT_ONCE = 500
"""Records that jq is given at a time. It is asked for the rows of each in turn, so that Ctrl-C is heard between."""

_OFF = (
    *("env", "input", "inputs", "input_filename", "input_line_number", "halt", "halt_error", "halt_error($code)"),
    *("debug", "debug($message)", "stderr", "now", "localtime", "strflocaltime($format)", "get_search_list"),
    "modulemeta",
)
"""What a program might read besides its record, or do besides giving rows."""

_BEFORE = "".join(f'def {name}: error("{name.partition("(")[0]} is off");' for name in _OFF) + "{} as $ENV|def rows:(\n"
_AFTER = "\n);to_entries[]|.key as $at|.value|try[$at,[rows],null]catch[$at,null,.]|tojson"
"""What stands around a program. Within a function, import and include are no syntax."""
_PLACE = re.compile(r"at <top-level>, line (\d+)")
_ROWS = msgspec.json.Decoder(tuple[int, list[msgspec.Raw] | None, object])


def jq_rows(source: Source, program: str) -> Source:
    """The objects that a program gives as records of JSON, with a warning that counts records for which it gives none.

    program: of jq, or the file that holds it. Each element of a list, each JSON line, or else the whole document, is a
    record. Raises OptionError for what is no program, DataError, with the record, where it fails or gives no object.
    """
    run, every, empty, made = _compiled(program), 0, 0, list[msgspec.Raw]()
    for place, rows in _results(source, run):
        every += 1
        empty += not rows
        for row in rows:
            if not bytes(row).startswith(b"{"):
                got = kind(msgspec.json.decode(row))
                raise DataError(f"{place}: expected objects of the program of jq; got {got}")
        made += rows
    of = counted(every, "record", "records")
    if not made:
        raise DataError(f"{source.name}: the program of jq gives no object for any of {of}")
    told = [f"{source.name}: the program of jq gives nothing for {empty:,} of {of}"] if empty else []
    numbers = range(1, len(made) + 1)
    values = OnDemand(numbers, list(map(bytes, made)), lambda at, row: parse(row, f"{source.name}, row {at}"))
    records = Objects(source.name, "row", numbers, values)
    return replace(source, records=records, warnings=(*source.warnings, *told))


def _compiled(program: str) -> Any:  # noqa: ANN401 - jq has no types
    try:
        import jq
    except ImportError:
        raise MissingError("programs of jq need an extra", option="jq", fix=f"pip install '{NAME}[jq]'") from None
    text = program.rstrip()
    if "\n" not in program and Path(program).is_file():
        text = Path(program).read_text(encoding="utf-8").rstrip()
    try:
        return jq.compile(_BEFORE + text + _AFTER)
    except ValueError as error:
        message, last = str(error).removeprefix("jq: error: ").partition("\n")[0].rstrip(":"), text.count("\n") + 1
        shown = _PLACE.sub(lambda found: f"at line {min(int(found[1]) - 1, last)}", message)
        raise OptionError(f"expected a program of jq, or a file with one: {shown}", option="jq") from None


def _results(source: Source, run: Any) -> Iterator[tuple[str, list[msgspec.Raw]]]:  # noqa: ANN401
    """The place of each record, and the rows that the program gives for it."""
    if source.format not in ("json", "jsonl"):
        raise DataError(f"{source.name}: expected JSON or JSON lines; got {source.format}")
    places = read_objects(source).places()
    while batch := list(islice(places, _AT_ONCE)):
        for place, value in batch:
            if isinstance(value, Repeated):
                raise DataError(f"{place}: {not_plain(value)}")
            if not encodable(json_text(value)):
                raise DataError(f"{place}: expected characters; got one half of a surrogate pair")
        for line in run.input_text(json_text([value for _, value in batch])):
            at, rows, error = _ROWS.decode(line)
            place = batch[at][0]
            if rows is None:
                raise DataError(f"{place}: the program of jq fails: {error}")
            yield place, rows
