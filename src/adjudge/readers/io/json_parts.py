"""Lists within JSON, and the results of jq programs, as records."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.json_documents import read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.problems import count_words
from adjudge.text.local_models import extra


def part_of(source: Source, part: str) -> Source:
    """A list within a JSON document as a list of records. part: its name, after those of the objects that hold it.

    Raises OptionError if there is no list of that name.
    """
    found = read_objects(replace(source, format="json")).document
    for step in part.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise OptionError(f"{source.name}: no list {part} in it", fix=documents.BY_PROGRAM)
    return replace(source, records=documents.as_objects(source, found))


# --- programs of jq ---

_AT_ONCE = 500
"""Number of records per call of jq. It returns the rows of each in turn, so that Ctrl-C works between them."""

_OFF = (
    *("env", "input", "inputs", "input_filename", "input_line_number", "halt", "halt_error", "halt_error($code)"),
    *("debug", "debug($message)", "stderr", "now", "localtime", "strflocaltime($format)", "get_search_list"),
    "modulemeta",
)
"""Disables functions of jq that read anything but the record, or do anything but return rows."""

_BEFORE = "".join(f'def {name}: error("{name.partition("(")[0]} is off");' for name in _OFF) + "{} as $ENV|def rows:("
_AFTER = "\n);to_entries[]|.key as $at|.value|try[$at,[rows],null]catch[$at,null,.]|tojson"
"""Code around a program. Within a function, import and include are invalid."""
_ROWS = msgspec.json.Decoder(tuple[int, list[msgspec.Raw] | None, object])


def jq_rows(source: Source, program: str) -> Source:
    """The objects that a program returns, as records of JSON, with a warning that counts records without any.

    program: of jq, or a file with it. Each element of a list, each JSON line, or else the whole document, is a record.
    Raises OptionError for an invalid program, DataError, with the record, if it fails or returns no object.
    """
    with extra("jq", f"{flag_name('jq')}: a program"):
        import jq
    is_file = "\n" not in program and Path(program).is_file()
    text = (Path(program).read_text(encoding="utf-8") if is_file else program).rstrip()
    try:
        run = jq.compile(_BEFORE + text + _AFTER)
    except ValueError as error:
        message = str(error).removeprefix("jq: error: ").partition(", column")[0]
        raise OptionError(f"expected a program of jq, or a file with one: {message}", option="jq") from None
    if source.format not in ("json", "jsonl"):
        raise DataError(f"{source.name}: expected JSON or JSON lines; got {source.format}")
    objects, empty, made = read_objects(source), 0, list[bytes]()
    places = objects.places()
    while batch := list(islice(places, _AT_ONCE)):
        for line in run.input_text(documents.json_text([value for _, value in batch])):
            at, rows, wrong = _ROWS.decode(line)
            if rows is None:
                raise DataError(f"{batch[at][0]}: the program of jq fails: {wrong}")
            empty += not rows
            for row in map(bytes, rows):
                if not row.startswith(b"{"):
                    got = documents.kind(msgspec.json.decode(row))
                    raise DataError(f"{batch[at][0]}: expected objects of the program of jq; got {got}")
                made.append(row)
    of = count_words(len(objects.values), "record", "records")
    if not made:
        raise DataError(f"{source.name}: the program of jq gives no object for any of {of}")
    warnings = [f"{source.name}: the program of jq gives nothing for {empty:,} of {of}"] if empty else []
    return source.with_warnings(*warnings, records=documents.records_in(source.name, "row", made))
