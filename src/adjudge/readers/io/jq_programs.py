"""JSON as a program of the user's in jq reads it: whatever it makes of each record becomes JSON lines."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import DataError, MissingError, OptionError
from adjudge.readers.io.json_documents import kind
from adjudge.readers.io.json_raw import raw_texts
from adjudge.readers.io.paths import scratch_file
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


def jq_lines(source: Source, program: str) -> tuple[Path, tuple[str, ...]]:
    """JSON lines with the objects that a program gives, and a warning that counts records for which it gives none.

    program: of jq, or the file that holds it. Each element of a list, each JSON line, or else the whole document, is a
    record. Raises OptionError for what is no program, DataError, with the record, where it fails or gives no object.
    """
    run = _compiled(program)
    target, every, empty = scratch_file(".jsonl"), 0, 0
    with target.open("wb") as file:
        for place, rows in _results(source, run):
            every += 1
            empty += not rows
            for row in rows:
                if not bytes(row).startswith(b"{"):
                    got = kind(msgspec.json.decode(row))
                    raise DataError(f"{place}: expected objects of the program of jq; got {got}")
                file.write(bytes(row) + b"\n")
    of = counted(every, "record", "records")
    if empty == every:
        raise DataError(f"{source.name}: the program of jq gives no object for any of {of}")
    return target, (f"{source.name}: the program of jq gives nothing for {empty:,} of {of}",) if empty else ()


def _compiled(program: str) -> Any:  # noqa: ANN401 - jq has no types
    try:
        import jq
    except ImportError:
        raise MissingError("programs of jq need an extra", option="jq", fix=f"pip install '{NAME}[jq]'") from None
    text = program
    if "\n" not in program and Path(program).is_file():
        text = Path(program).read_text(encoding="utf-8")
    try:
        return jq.compile(_BEFORE + text + _AFTER)
    except ValueError as error:
        message = str(error).removeprefix("jq: error: ").partition("\n")[0].rstrip(":")
        shown = _PLACE.sub(lambda found: f"at line {int(found[1]) - 1}", message)
        raise OptionError(f"expected a program of jq, or a file with one: {shown}", option="jq") from None


def _results(source: Source, run: Any) -> Iterator[tuple[str, list[msgspec.Raw]]]:  # noqa: ANN401
    """The place of each record, and the rows that the program gives for it."""
    records = raw_texts(source)
    while batch := list(islice(records, _AT_ONCE)):
        texts = b"[" + b",".join(text for _, text in batch) + b"]"
        for line in run.input_text(texts.decode()):
            at, rows, error = _ROWS.decode(line)
            place = batch[at][0]
            if rows is None:
                raise DataError(f"{place}: the program of jq fails: {error}")
            yield place, rows
