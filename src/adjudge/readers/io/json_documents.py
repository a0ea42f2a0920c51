"""JSON documents, read strictly: what JSON cannot say is an error, and so is what it says twice.

Their records, one after the other, and the rows of a table in the same form; and the text that conversations become.

What reads a record (`read_each`) raises DataError in words that follow the record's place, such as
", spans: expected a list; got 3". Only that record is left out.
"""

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from math import isfinite
from typing import Any, TypeGuard, TypeVar

import polars as pl

from adjudge.errors import DataError
from adjudge.json_records import json_fault
from adjudge.readers.io.decompress import FETCH_AGAIN
from adjudge.readers.io.source import Source, decode
from adjudge.readers.problems import Findings, said_twice


class Repeated(dict[str, Any]):
    """A JSON object in which a name stands more than once. repeated: those names."""

    repeated: tuple[str, ...] = ()


class Number(str):
    """A JSON number as its text, so that no id is rounded; 1.50 reads as 1.5, and 1.0 or 1e0 as 1."""

    __slots__ = ()


_MOST_DIGITS = 15
"""Of a number of characters: more than any text has, and fewer than Python makes no number of."""


def whole_number(value: object) -> int | None:
    """The whole number from 0 that text says; None for anything else, and for more digits than any offset has.

    >>> whole_number(Number("12")), whole_number("-1"), whole_number("9" * 5000)
    (12, None, None)
    """
    text = plain_text(value) or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def parse(text: str, name: str, first_line: int = 1) -> Any:  # noqa: ANN401 - JSON holds anything
    """JSON text as Python values: numbers as `Number`, an object that names a key twice as `Repeated`.

    first_line: where in the file the text begins. Raises DataError, with line and column, for anything that is not
    JSON, and for NaN and Infinity, which are not JSON.
    """
    try:
        return _decoded(text)
    except json.JSONDecodeError as error:
        end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        place = f"{name}, line {error.lineno + first_line - 1}, column {error.colno}"
        if end:
            raise DataError(f"{place}: expected JSON; the file ends too early", fix=FETCH_AGAIN) from None
        raise DataError(f"{place}: expected JSON; {json_fault(error)}") from None
    except RecursionError:
        raise DataError(f"{name}, line {first_line}: expected JSON; it is nested too deeply to be data") from None
    except ValueError as error:
        raise DataError(f"{name}: expected JSON; got {error}, which JSON does not have", fix="null") from None


def json_value(text: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """What JSON text says, such as that of a list in a cell; text that is no JSON, as it is."""
    with suppress(DataError):
        return parse(text, "")
    return text


def _decoded(text: str) -> Any:  # noqa: ANN401 - JSON holds anything
    with without_collection():
        return _DECODER.decode(text)


@contextmanager
def without_collection() -> Iterator[None]:
    """No search for cycles, of which JSON has none: it would visit all that is held again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _shortest(decimal: str) -> Number:
    """A number with a fraction or an exponent as its digits, without exponent; as JSON lines read through polars.

    Raises ValueError where it is too large.
    """
    value = float(decimal)
    if not isfinite(value):
        raise ValueError(decimal)
    return Number(f"{Decimal(repr(value)):f}".removesuffix(".0"))


def _integer(digits: str) -> Number:
    return Number("0" if digits == "-0" else digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    repeated = Repeated(found)
    repeated.repeated = tuple(name for name in found if names.count(name) > 1)
    return repeated


_remembered = lru_cache(1 << 14)
"""Numbers of a file are few and stand often; objects that Python's collector need not visit are fast to keep."""

_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_remembered(_integer),
    parse_float=_remembered(_shortest),
    parse_constant=_no_constant,
)


def not_plain(value: object) -> str | None:
    """What is wrong with a value that should be a JSON object, in words for a message; None for an object."""
    if type(value) is dict:
        return None
    return said_twice(value.repeated) if isinstance(value, Repeated) else f"expected an object; got {kind(value)}"


def repeated_names(value: object) -> tuple[str, ...]:
    """The names that stand twice in an object, or in one that it holds."""
    if isinstance(value, Repeated):
        return value.repeated
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(repeated_names, within)), ())


def plain_text(value: object) -> str | None:
    """A JSON scalar as text, as a table would hold it; None for null, lists and objects."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return _shortest(repr(value)) if isinstance(value, float) else None


def is_string(value: object) -> TypeGuard[str]:
    """Whether a value is a text, not a number, which readers keep as its text."""
    return isinstance(value, str) and not isinstance(value, Number)


def is_number(value: object) -> bool:
    """Whether a value is a number, however it was decoded."""
    return isinstance(value, Number) or (isinstance(value, int | float) and not isinstance(value, bool))


def text_frame(columns: Mapping[str, Sequence[str | None]], name: str) -> pl.DataFrame:
    """Columns of text as a table. Raises DataError where text holds half a character (a lone surrogate)."""
    try:
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise DataError(f"{name}: expected characters; got {half}, one half of a surrogate pair") from None


def kind(value: object) -> str:
    """What a JSON value is, in words for a message."""
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else f'"{value!s:.60}"'


@dataclass(frozen=True, slots=True)
class Objects:
    """Values, one per text, question or row. unit: "line", "record" or "row". numbers: where each stands, from 1."""

    name: str
    unit: str
    numbers: Sequence[int]
    values: Sequence[Any]

    def places(self) -> Iterator[tuple[str, Any]]:
        """Each value with its place, as messages name it."""
        for number, value in zip(self.numbers, self.values, strict=True):
            yield f"{self.name}, {self.unit} {number}", value

    def plain(self) -> list[dict[str, Any]]:
        """The values. Raises DataError with all that are no objects, or hold a name twice."""
        findings = Findings()
        for place, value in self.places():
            if wrong := not_plain(value):
                findings.add(f"{place}: {wrong}")
        findings.settle()
        return list(self.values)


def read_objects(source: Source, what: str = "records", most: int | None = None) -> Objects:
    """JSON lines, a JSON array, a single JSON object, or the rows of a table from Python.

    what: what messages call them. most: how many lines to read, by default all. Raises DataError where there is none,
    where a text is not JSON, and for other files.
    """
    if source.table is not None:
        if source.table.is_empty():
            raise DataError(f"{source.name}: expected at least one row; got none")
        return objects_of(source.table, source.name)
    if source.format == "json":
        return as_objects(source, read_document(source))
    if source.format != "jsonl":
        raise DataError(f"{source.name}: expected JSON lines or a JSON array of {what}; got {source.format}")
    for lines in line_batches(source, most):
        return lines
    raise DataError(f"{source.name}: expected at least one record; got none")


def line_batches(source: Source, size: int | None) -> Iterator[Objects]:
    """The values of JSON lines, so many at a time (None: all at once); blank lines are none."""
    with source.file.open("rb") as file:
        texts = ((number, decode(line, source.name, number).strip()) for number, line in enumerate(file, 1))
        numbered = ((number, parse(text, source.name, number)) for number, text in texts if text)
        while batch := dict(islice(numbered, size)):
            yield Objects(source.name, "line", list(batch), list(batch.values()))


def read_document(source: Source) -> Any:  # noqa: ANN401 - JSON holds anything
    """The document in a JSON file; see `documents.parse`."""
    return parse(source.text(), source.name)


def as_objects(source: Source, document: object) -> Objects:
    """The records of a JSON document: an array of them, or a single one."""
    values = document if isinstance(document, list) else [document]
    if not values:
        raise DataError(f"{source.name}: expected at least one record; got an empty list")
    return Objects(source.name, "record", range(1, len(values) + 1), values)


def objects_of(table: pl.DataFrame, name: str, numbers: Sequence[int] = ()) -> Objects:
    """The rows of a table as a JSON file would hold them. numbers: of the rows, by default from 1."""
    values = [{key: as_json(one) for key, one in row.items()} for row in table.iter_rows(named=True)]
    return Objects(name, "row", numbers or range(1, len(values) + 1), values)


What = TypeVar("What")


def read_each(
    objects: Objects, read: Callable[[dict[str, Any]], What], findings: Findings, unit: str = ""
) -> list[tuple[int, What]]:
    """What is made of each record, with its number. unit: what messages call a record, if not as the file does."""
    made = []
    with without_collection():
        for number, value in zip(objects.numbers, objects.values, strict=True):
            try:
                check(not_plain(value), "")
                made.append((number, read(value)))
            except DataError as wrong:
                findings.add(f"{objects.name}, {unit or objects.unit} {number}{wrong.lines[0]}", dropped=1)
                findings.fix = findings.fix or wrong.fix
    return made


def check(wrong: str | None, where: str) -> None:
    """Raises DataError where something is wrong with what stands at a place."""
    if wrong:
        raise DataError(f"{where}: {wrong}")


def list_in(holder: Mapping[str, Any], key: str, *, needed: bool = False) -> list[Any]:
    """A list, which may be missing unless it is needed. Raises DataError for anything else."""
    value = holder.get(key)
    if not isinstance(value, list) and (needed or value is not None):
        raise DataError(f", {key}: expected a list; got {kind(value)}")
    return value or []


def objects_in(holder: Mapping[str, Any], key: str, *, needed: bool = False) -> list[dict[str, Any]]:
    """The objects in a list, which may be missing unless it is needed. Raises DataError for anything else."""
    values = list_in(holder, key, needed=needed)
    for number, value in enumerate(values, 1):
        if type(value) is not dict:
            check(not_plain(value), f", {key} {number}")
    return values


def object_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object, which may be missing. Raises DataError for anything else."""
    value = holder.get(key)
    if value is None:
        return {}
    if type(value) is not dict:
        check(not_plain(value), f", {key}")
    return value


def as_json(value: object) -> object:
    """A value of a table as `parse` gives it; tables with gaps hold whole numbers, and none, as decimals."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return Number(value)
        case float():
            return Number(int(value) if value.is_integer() else repr(value)) if isfinite(value) else None
        case list():
            return [as_json(one) for one in value]
        case dict():
            return {name: as_json(one) for name, one in value.items()}
    return str(value)


def turns_text(turns: Sequence[object]) -> str:
    r"""A list of messages as one text.

    A single message {"role": ..., "content": text}, or {"from": ..., "value": text}, is its content; several are blocks
    `role: content` with a blank line between them, also where their list stands alone in another. Content may be a list
    of blocks {"type": "text", "text": ...}; other blocks become their type, [image]. Content that is neither, and lists
    that hold anything but messages, stay JSON.

    >>> turns_text([{"role": "user", "content": "Hi"}])
    'Hi'
    >>> turns_text([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    'Hi'
    >>> turns_text([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    'user: Hi\n\nassistant: Ho'
    """
    messages = [message for turn in _turns(turns) if (message := _message(turn))]
    if not messages or len(messages) < len(_turns(turns)):
        return json_text(turns)
    if len(messages) == 1:
        return _content(messages[0])
    return "\n\n".join(f"{turn.get('role') or 'unknown'}: {_content(turn)}" for turn in messages)


_SPEAKERS = {"human": "user", "gpt": "assistant"}


def _turns(turns: Sequence[object]) -> Sequence[object]:
    """The messages of a conversation, which may be the only element of a list."""
    inner = turns[0] if len(turns) == 1 else None
    return inner if isinstance(inner, list) and inner and all(map(_message, inner)) else turns


def _message(turn: object) -> dict[str, object] | None:
    """A message, also one that says who speaks as ShareGPT does: {"from": "human", "value": "Hi"}."""
    if not isinstance(turn, dict):
        return None
    if {"from", "value"} <= turn.keys():
        speaker = plain_text(turn["from"])
        return {"role": _SPEAKERS.get(speaker or "", speaker), "content": turn["value"]}
    return turn if "content" in turn else None


def _content(message: dict[str, object]) -> str:
    """The content of a message: text, or blocks, of which those without text become their type in brackets."""
    content = message["content"]
    if isinstance(content, str):
        return content
    blocks = [_block(block) for block in content] if isinstance(content, list) else [None]
    texts = [block for block in blocks if block is not None]
    if len(texts) == len(blocks):
        return "\n\n".join(texts)
    return "" if content is None else json_text(content)


def _block(block: object) -> str | None:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return None
    text = block.get("text")
    return text if isinstance(text, str) else f"[{block['type']}]"


def json_text(value: object) -> str:
    """A value as compact JSON; a `Number` as it stood in its file.

    >>> json_text({"a": [Number("1.50"), None]})
    '{"a":[1.50,null]}'
    """
    try:
        return _written(value)
    except RecursionError:
        raise DataError("expected text; got lists or objects that are nested too deeply to be data") from None


def _written(value: object) -> str:
    if is_number(value):
        return plain_text(value) or ""
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(key, ensure_ascii=False)}:{_written(one)}' for key, one in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


def split_conversation(turns: Sequence[object]) -> tuple[str | None, str | None]:
    """A conversation as prompt and response: what stands before the model's first message, and the rest.

    >>> split_conversation([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    ('Hi', 'Ho')
    """
    turns = _turns(turns)
    answers = [(_message(turn) or {}).get("role") == "assistant" for turn in turns]
    first = answers.index(True) if True in answers else len(turns)
    before, after = turns[:first], turns[first:]
    return turns_text(before) if before else None, turns_text(after) if after else None
