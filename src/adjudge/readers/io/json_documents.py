"""JSON, read strictly: invalid JSON is an error, and so are repeated keys.

`read_objects` splits a file into records (lines, the elements of a list, or the whole document), which are decoded on
each access and not kept. Rows of a table take the same form. Also the conversion of conversations to text.

A function that reads a record (`read_each`) raises DataError with a message that follows the record's place, such as
", spans: expected a list; got 3". Only that record is excluded.
"""

import gc
import json
import mmap
import os.path
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import msgspec
import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.json_records import GREATEST_INTEGER
from adjudge.readers.io.decompress import FETCH_AGAIN
from adjudge.readers.io.source import MARK, SNIFFED, Source, Start, decode
from adjudge.readers.problems import Findings, count_words
from adjudge.text.local_models import extra

# --- values ---


def whole_number(value: object) -> int | None:
    """The whole number from 0 in a value; None for anything else, and for more digits (15) than any offset has.

    >>> whole_number("12"), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None)
    """
    text = plain_text(value) or ""
    return int(text) if re.fullmatch("[0-9]{1,15}", text) else None


def plain_text(value: object) -> str | None:
    """A JSON scalar as text, as in a table: 1.50 as 1.5, 1.0 as 1; None for null, lists and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, float):
        return None
    text = repr(value + 0.0)
    return (f"{Decimal(text):f}" if "e" in text else text).removesuffix(".0")


def cell_text(value: object, nested: Callable[[Sequence[object]], str] | None = None) -> str | None:
    """A JSON value as text; lists and objects as JSON. nested: converts lists instead."""
    if isinstance(value, list):
        return (nested or json_text)(value)
    return json_text(value) if isinstance(value, dict) else plain_text(value)


def is_number(value: object) -> bool:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_scalar(value: object) -> bool:
    """Whether a value is a text or a number."""
    return isinstance(value, str) or is_number(value)


def kind(value: object) -> str:
    """The description of a JSON value for a message."""
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else f'"{plain_text(value)!s:.60}"'


def not_plain(value: object) -> str | None:
    """The problem, for a message, of a value that should be a JSON object; None for an object."""
    return None if isinstance(value, dict) else f"expected an object; got {kind(value)}"


def json_text(value: object) -> str:
    """A value as compact JSON.

    >>> json_text({"a": [1.5, None]})
    '{"a":[1.5,null]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise DataError("expected text; got lists or objects that are nested too deeply to be data") from None


def as_json(value: object) -> object:
    """A value of a table as from `parse`; tables with gaps hold whole numbers as decimals and missing ones as NaN."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return (int(value) if value.is_integer() else value) if isfinite(value) else None
        case list():
            return [as_json(one) for one in value]
        case dict():
            return {name: as_json(one) for name, one in value.items()}
    return str(value)


def text_frame(columns: Mapping[str, Any], name: str, text: Callable[[Any], str | None] = plain_text) -> pl.DataFrame:
    """Columns of JSON values as a table of text. text: converts values that are no texts.

    Raises DataError for text with half a character (a lone surrogate).
    """

    def series(column: str, cells: Any) -> pl.Series:  # noqa: ANN401 - a sequence
        kinds = set(map(type, cells))
        if kinds == {int} and -GREATEST_INTEGER <= min(cells) <= max(cells) <= GREATEST_INTEGER:
            return pl.Series(column, cells).cast(pl.String)  # polars converts many numbers faster
        return pl.Series(column, cells if kinds <= {str, NoneType} else list(map(text, cells)), pl.String)

    try:
        return pl.DataFrame([series(column, cells) for column, cells in columns.items()])
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise DataError(f"{name}: expected characters; got {half}, one half of a surrogate pair") from None


# --- decoding ---


def parse(text: str | bytes | msgspec.Raw, name: str, first_line: int = 1) -> Any:  # noqa: ANN401 - JSON holds anything
    """JSON text as Python values.

    first_line: the text's first line in the file. Raises DataError, with line and column, for anything that is not
    JSON, including NaN and Infinity, and for an object that repeats a key.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else bytes(text)
    try:
        value = _DECODER.decode(data)
    except _FAULTS as error:
        raise _fault(data, error, name, first_line) from None
    if not names_once(data, value):
        objects = list[Counter[str]]()
        json.loads(data, object_pairs_hook=lambda pairs: objects.append(Counter(key for key, _ in pairs)))
        if twice := [key for one in objects for key, times in one.items() if times > 1]:
            raise DataError(f"{name}, line {first_line}: expected each name once; {twice[0]:.60} appears twice")
    return value


def _fault(data: bytes, error: Exception, name: str, first_line: int) -> DataError:
    """The error about text that is not JSON, at the byte that msgspec names."""
    decode(data, name, first_line)
    text = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    message = text.removeprefix("JSON is malformed: ").partition(" - at")[0].replace("Input data was ", "")
    found = _BYTE.search(message)
    at = int(found[1]) if found else len(data.rstrip())
    no_number = data[at : at + 1] in (b"N", b"I")
    fix = "null for NaN and Infinity" if no_number else "correct the file, or export it again" if found else FETCH_AGAIN
    line, column = data.count(b"\n", 0, at) + first_line, at - data.rfind(b"\n", 0, at)
    return DataError(f"{name}, line {line}, column {column}: invalid JSON: {_BYTE.sub('', message)}", fix=fix)


def names_once(data: bytes, value: Any, colons: int | None = None) -> bool:  # noqa: ANN401 - JSON holds anything
    """Whether JSON text has no more keys than its decoded value, by their colons.

    Never true if a key is repeated; rarely false otherwise, such as for an escaped colon in a text.
    colons: in the text, without those of what the value lacks; by default all.
    """
    colons = data.count(b":") if colons is None else colons
    if isinstance(value, dict) and colons == len(value):
        return True
    return colons == msgspec.json.encode(value).count(b":") and not (b"\\" in data and re.search(rb"\\u003[Aa]", data))


def json_value(text: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """The value of JSON text, such as that of a list in a cell; any other text unchanged."""
    with suppress(DataError):
        return parse(text, "")
    return text


_DECODER = msgspec.json.Decoder()
_FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)


@contextmanager
def collection_paused() -> Iterator[None]:
    """The block runs without searches for cycles of objects: records are many objects, and none refers to itself."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_BYTE = re.compile(r" \(byte (\d+)\)")


# --- records ---


@dataclass(frozen=True, slots=True)
class OnDemand(Sequence[Any]):
    """The results of parts, computed on access.

    make: takes a part's number, and the part.
    """

    numbers: Sequence[int]
    parts: Sequence[Any]
    make: Callable[[int, Any], Any]

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Any]:
        return map(self.make, self.numbers, self.parts)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a number
        return self.make(self.numbers[place], self.parts[place])


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """Values, one per text, question or row. unit: "line", "record" or "row". numbers: their positions, from 1.

    alone: whether the only value is the whole document.
    """

    name: str
    unit: str
    numbers: Sequence[int]
    values: Sequence[Any]
    alone: bool = False

    def places(self) -> Iterator[tuple[str, Any]]:
        """Each value with its place, as messages name it."""
        for number, value in zip(self.numbers, self.values, strict=True):
            yield f"{self.name}, {self.unit} {number}", value

    def checked_values(self) -> list[dict[str, Any]]:
        """The values. Raises DataError with all that are no objects, or repeat a key."""
        findings = Findings()
        values = [value for _, value in read_each(self, lambda value: value, findings)]
        findings.settle()
        return values

    def batches(self, size: int = 10_000) -> Iterator["Objects"]:
        """Batches of values, decoded once. size: of the first, which shows the columns; later ones hold at most 500.

        Checks stop at the first batch with problems, so an error counts those of one batch.
        """
        numbers, values = iter(self.numbers), iter(self.values)
        while some := list(islice(values, size)):
            yield replace(self, numbers=list(islice(numbers, size)), values=some)
            size = min(size, 500)

    @property
    def document(self) -> Any:  # noqa: ANN401 - JSON holds anything
        """The whole document."""
        return self.values[0] if self.alone else list(self.values)

    def text(self, most: int | None = None) -> str:
        """The values as JSON, or the first of them."""
        texts = list(map(json_text, islice(self.values, most)))
        return texts[0] if self.alone else "\n".join(texts) if self.unit == "line" else f"[{','.join(texts)}]"


def read_objects(source: Source) -> Objects:
    """JSON lines, the elements of a JSON list, a document as the only value, or the rows of a table from Python.

    Raises DataError if there is none, for text that is not JSON (in lines and elements, when they are decoded), and for
    other files.
    """
    if source.records is not None:
        objects: Objects = source.records
    elif source.table is not None:
        objects = objects_of(source.table, source.name)
    elif source.format in ("json", "jsonl"):
        state = source.file.stat()
        objects = _split(source.name, source.file, source.format, (state.st_size, state.st_mtime_ns))
    else:
        raise DataError(f"{source.name}: expected JSON lines or a JSON array; got {source.format}")
    if not objects.values:
        raise DataError(f"{source.name}: no {objects.unit}s found")
    return objects


@lru_cache(1)
def _split(name: str, path: Path, form: str, _state: tuple[int, int]) -> Objects:
    """The records of a file, split once until the file changes."""
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = len(MARK) if content[: len(MARK)] == MARK else 0
    if form == "jsonl":
        return _lines(name, content, start)
    data = memoryview(content)[start:]
    if not content[start : start + SNIFFED].lstrip().startswith(b"["):
        return Objects(name, "record", (1,), (parse(bytes(data), name),), alone=True)
    try:
        return records_in(name, "record", msgspec.json.decode(data, type=list[msgspec.Raw]), content=content)
    except _FAULTS as error:
        raise _fault(bytes(data), error, name, 1) from None


def _lines(name: str, content: mmap.mmap, start: int) -> Objects:
    """The non-empty lines of a file as records. start: offset of the first."""

    def lines() -> Iterator[tuple[int, bytes]]:
        content.seek(start)
        return ((number, line) for number, line in enumerate(iter(content.readline, b""), 1) if line.strip())

    numbers = array("Q", (number for number, _ in lines()))
    with suppress(*_FAULTS):
        parts = msgspec.json.Decoder(msgspec.Raw).decode_lines(memoryview(content)[start:])
        if len(parts) == len(numbers):
            return records_in(name, "line", parts, numbers, content)
    for number, line in lines():
        parse(line, name, number)
    raise DataError(f"{name}: expected a value of JSON on each line")


def records_in(
    name: str, unit: str, parts: Sequence[Any], numbers: Sequence[int] = (), content: mmap.mmap | None = None
) -> Objects:
    """Parts of JSON as records, decoded on access. numbers: their positions, by default from 1.

    content: the mapped file that holds the parts; what was decoded of it leaves the memory.
    """
    every = numbers or range(1, len(parts) + 1)

    def decode_part(at: int, text: Any) -> Any:  # noqa: ANN401 - JSON holds anything
        if content is not None and at % 10_000 == 0 and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            content.madvise(mmap.MADV_DONTNEED)
        return parse(text, name, at) if unit == "line" else parse(text, f"{name}, {unit} {at}")

    return Objects(name, unit, every, OnDemand(every, parts, decode_part))


def is_lines(start: Start) -> bool:
    """Whether a file begins with an object on its own line. If it is the only one, the file's ending decides."""
    line, _, rest = start.content.partition(b"\n")
    several = False
    with suppress(ValueError, RecursionError):
        several = bool(rest.strip()) and isinstance(json.loads(line), dict)
    return line.startswith(b"{") and (several or start.ending in {".jsonl", ".ndjson"})


def as_objects(source: Source, document: object) -> Objects:
    """The records of a JSON document: a list of them, or a single one."""
    values = document if isinstance(document, list) else [document]
    return Objects(source.name, "record", range(1, len(values) + 1), values)


def objects_of(table: pl.DataFrame, name: str, numbers: Sequence[int] = ()) -> Objects:
    """The rows of a table as in a JSON file. numbers: of the rows, by default from 1."""
    values = [{key: as_json(one) for key, one in row.items()} for row in table.iter_rows(named=True)]
    return Objects(name, "row", numbers or range(1, len(values) + 1), values)


# --- reading of records ---

BY_PROGRAM = f"{flag_name('jq')} PROGRAM, which makes records of any JSON, such as .items[] of those in a list"

What = TypeVar("What")


def read_each(
    objects: Objects, read: Callable[[dict[str, Any]], What], findings: Findings, unit: str = ""
) -> Iterator[tuple[int, What]]:
    """The result of each record, with its number. unit: name of a record in messages, by default the file's.

    A record is read when its result is requested, so findings are complete only after the last result.
    """
    for number, value in zip(objects.numbers, objects.values, strict=True):
        try:
            check(not_plain(value), "")
            yield number, read(value)
        except DataError as wrong:
            findings.add(f"{objects.name}, {unit or objects.unit} {number}{wrong.lines[0]}", dropped=1)
            findings.fix = findings.fix or wrong.fix or list_program(value)


def in_batches(values: Iterator[What], size: int) -> Iterator[list[What]]:
    """Values in batches, after an empty batch, so that a table of no values has columns.

    size: of a batch; it is fastest if the values of a batch fit into the processor's cache.
    """
    yield []
    while batch := list(islice(values, size)):
        yield batch


def check(wrong: str | None, where: str) -> None:
    """Raises DataError if a place has a problem."""
    if wrong:
        raise DataError(f"{where}: {wrong}")


_KINDS = {"object": "an object", "array": "a list", "bool": "true or false", "str": "text", "int": "a whole number"}
"""Kind of a value in messages of msgspec -> its description in ours."""


def as_struct(value: Any, form: type[What]) -> What:  # noqa: ANN401 - JSON holds anything
    """A JSON object as a struct of msgspec, whose fields may be missing and are of `_KINDS`.

    Raises DataError, with the place, for the first part of another kind.
    """
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        kinds, _, path = str(error).partition(" - at `$")
        place, part = "", value
        for key, position in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            place += f", {key}" if key else f" {int(position) + 1}"
            part = part[key or int(position)]
        expected = next(name for theirs, name in _KINDS.items() if theirs in kinds.partition(", got")[0])
        raise DataError(f"{place}: expected {expected}; got {kind(part)}") from None


def keys_of(objects: Sequence[Mapping[str, Any]]) -> dict[str, None]:
    """The keys of objects, in order of appearance."""
    # often the first object has all keys, and a union is faster than a walk through the keys of all
    count = len(set[str]().union(*objects))
    return dict.fromkeys(objects[0] if objects and len(objects[0]) == count else chain.from_iterable(objects))


def list_in(holder: Mapping[str, Any], key: str, *, needed: bool = False) -> list[Any]:
    """A list, which may be missing unless needed. Raises DataError for anything else."""
    value = holder.get(key)
    if not isinstance(value, list) and (needed or value is not None):
        raise DataError(f", {key}: expected a list; got {kind(value)}")
    return value or []


def objects_in(holder: Mapping[str, Any], key: str, *, needed: bool = False) -> list[dict[str, Any]]:
    """The objects in a list, which may be missing unless needed. Raises DataError for anything else."""
    values = list_in(holder, key, needed=needed)
    for number, value in enumerate(values, 1):
        check(not_plain(value), f", {key} {number}")
    return values


def text_in(holder: object, key: str) -> str | None:
    """A text or a number in an object, as text; None for anything else."""
    return plain_text(holder.get(key)) if isinstance(holder, dict) else None


def object_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object, which may be missing. Raises DataError for anything else."""
    value: Any = {} if (found := holder.get(key)) is None else found
    check(not_plain(value), f", {key}")
    return value  # type: ignore[no-any-return]


def list_program(value: object) -> str:
    """The option with a program that makes objects of lists like a value; empty for other values.

    >>> list_program(["Rude?", {"by": "ana"}]).partition(" ")[2], list_program([{"by": "ana"}]).partition(" ")[2]
    ("'{id: $record, text: .[0]} + .[1]'", "'.[] + {id: $record}'")
    """
    first, second = [*value, None, None][:2] if isinstance(value, list) else (None, None)
    made = (".[] + {id: $record}", "{id: $record, text: .[0]} + .[1]", "{id: $record, text: .[0], label: .[1]}")
    kind_at = 0 if isinstance(first, dict) else 1 if isinstance(second, dict) else 2
    return f"{flag_name('jq')} '{made[kind_at]}'" if first is not None else ""


# --- conversations ---


def turns_text(turns: Sequence[object]) -> str:
    r"""A list of messages as one text.

    A single message {"role": ..., "content": text}, or {"from": ..., "value": text}, is its content; several are blocks
    `role: content` with a blank line between them, even if their list is the only element of another. Content may be a
    list of blocks {"type": "text", "text": ...}; other blocks become their type, [image]. Other content, and lists of
    anything but messages, stay JSON.

    >>> turns_text([{"role": "user", "content": "Hi"}])
    'Hi'
    >>> turns_text([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    'Hi'
    >>> turns_text([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    'user: Hi\n\nassistant: Ho'
    """
    messages = list(map(_message, _turns(turns)))
    if not messages or None in messages:
        return json_text(turns)
    spoken = [message for message in messages if message]
    return spoken[0][1] if len(spoken) == 1 else "\n\n".join(f"{role}: {content}" for role, content in spoken)


def conversation_texts(texts: pl.Series) -> pl.Series:
    """A column of text, with lists of messages in JSON as one text each; see `turns_text`."""

    def text(cell: str) -> str:
        value = json_value(cell) if cell.startswith("[") else cell
        return turns_text(value) if isinstance(value, list) and all(map(_message, _turns(value))) else cell

    return texts.map_elements(text, pl.String) if texts.str.contains(r"^\[\s*[\[{]").any() else texts


def split_conversation(turns: Sequence[object]) -> tuple[str | None, str | None]:
    """A conversation as prompt and response: the part before the model's first message, and the rest.

    >>> split_conversation([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    ('Hi', 'Ho')
    """
    turns = _turns(turns)
    answers = [message is not None and message[0] == "assistant" for message in map(_message, turns)]
    first = answers.index(True) if True in answers else len(turns)
    before, after = turns[:first], turns[first:]
    return turns_text(before) if before else None, turns_text(after) if after else None


def _turns(turns: Sequence[object]) -> Sequence[object]:
    """The messages of a conversation, which may be the only element of a list."""
    inner = turns[0] if len(turns) == 1 else None
    return inner if isinstance(inner, list) and inner and all(map(_message, inner)) else turns


def _message(turn: object) -> tuple[str, str] | None:
    """The role and content of a message, also in ShareGPT's form {"from": "human", "value": "Hi"}; else None."""
    if not isinstance(turn, dict):
        return None
    if {"from", "value"} <= turn.keys():
        speaker = plain_text(turn["from"]) or ""
        return {"human": "user", "gpt": "assistant"}.get(speaker, speaker) or "unknown", _content(turn["value"])
    return (text_in(turn, "role") or "unknown", _content(turn["content"])) if "content" in turn else None


def _content(content: object) -> str:
    """The content of a message: text, or blocks; blocks without text become their type in brackets."""
    if content is None or isinstance(content, str):
        return content or ""
    blocks: list[Any] = content if isinstance(content, list) else [None]
    if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks):
        return json_text(content)
    texts = ((block.get("text"), block["type"]) for block in blocks)
    return "\n\n".join(text if isinstance(text, str) else f"[{kind}]" for text, kind in texts)


# --- programs of jq ---

_OFF = (
    "env input inputs input_filename input_line_number halt halt_error halt_error($code) debug debug($message) stderr "
    "now localtime strflocaltime($format) get_search_list modulemeta"
)
"""Disables functions of jq that read anything but the record, or do anything but return rows."""

_BEFORE = "".join(f'def {name}: error("{name.partition("(")[0]} is off");' for name in _OFF.split())
_BEFORE += "{} as $ENV|def rows($record):("
_AFTER = "\n);.[0]as$from|.[1]|to_entries[]|.key as $at|.value|try[$at,[rows($from+$at)],null]catch[$at,null,.]|tojson"
"""Code around a program, in which $record is the position. Within a function, import and include are invalid."""
_JQ_ROWS = msgspec.json.Decoder(tuple[int, list[msgspec.Raw] | None, object])


def jq_rows(source: Source, objects: Objects, program: str) -> Source:
    """The objects that a program returns, as records of JSON, with a warning that counts records without any.

    program: of jq, or a file with it; $record in it is a record's position, from 1. Each element of a list, each JSON
    line, or else the whole document, is a record. Raises OptionError for an invalid program, DataError, with the
    record, if it fails or returns no object.
    """
    with extra("jq", f"{flag_name('jq')}: a program"):
        import jq
    text = Path(program).read_text(encoding="utf-8") if os.path.isfile(program) else program  # noqa: PTH113 - or long
    try:
        run = jq.compile(_BEFORE + text.rstrip() + _AFTER)
    except ValueError as error:
        message = str(error).removeprefix("jq: error: ").partition(", column")[0]
        raise OptionError(f"expected a program of jq, or a file with one: {message}", option="jq") from None
    empty, made, position = 0, list[bytes](), 1
    places = objects.places()
    while batch := list(islice(places, 500)):  # in turn, so that Ctrl-C works between calls of jq
        input_text, position = json_text([position, [value for _, value in batch]]), position + len(batch)
        for line in run.input_text(input_text):
            at, rows, wrong = _JQ_ROWS.decode(line)
            if rows is None:
                raise DataError(f"{batch[at][0]}: the program of jq fails: {wrong}")
            empty += not rows
            for row in map(bytes, rows):
                if not row.startswith(b"{"):
                    got = kind(msgspec.json.decode(row))
                    raise DataError(f"{batch[at][0]}: expected objects of the program of jq; got {got}")
                made.append(row)
    of = count_words(len(objects.values), "record", "records")
    if not made:
        raise DataError(f"{source.name}: the program of jq gives no object for any of {of}")
    warnings = [f"{source.name}: the program of jq gives nothing for {empty:,} of {of}"] if empty else []
    return source.with_warnings(*warnings, records=records_in(source.name, "row", made))
