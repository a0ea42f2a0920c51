"""JSON split into records, each of which is decoded when it is looked at, and let go afterwards.

msgspec splits and decodes, four times as fast as Python's own parser. Of two values under one name it takes the last,
so names are counted in the text and in what became of it; where the counts differ, the strict parser decides. Together
that takes half the time of the strict parser.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from adjudge.errors import DataError, encodable
from adjudge.readers.io.json_documents import Objects, json_text, parse, repeated_names
from adjudge.readers.io.source import MARK, Source, decode
from adjudge.readers.problems import said_twice

_DECODER = msgspec.json.Decoder()
FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)
_SPACED = (b" :", b"\t:", b"\n:", b"\r:")
Text = bytes | msgspec.Raw


@dataclass(frozen=True, slots=True)
class RawValues(Sequence[Any]):
    """JSON values that are decoded whenever they are looked at: numbers as Python has them.

    name: of the file. unit: what numbers count; empty where the value is all that the file holds.
    """

    name: str
    unit: str
    numbers: Sequence[int]
    texts: Sequence[Text]

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Any]:
        return map(self._decoded, self.numbers, self.texts)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a number or a slice
        if isinstance(place, slice):
            return replace(self, numbers=self.numbers[place], texts=self.texts[place])
        return self._decoded(self.numbers[place], self.texts[place])

    def _decoded(self, number: int, text: Text) -> Any:  # noqa: ANN401 - JSON holds anything
        with suppress(*FAULTS):
            value = _DECODER.decode(text)
            if names_once(bytes(text), value):
                return value
        return self.strict(number, text)

    def strict(self, number: int, text: Text) -> Any:  # noqa: ANN401
        """A value as `parse` gives it. Raises DataError, with its place, where it is no JSON."""
        place, first = (self.name, number) if self.unit in ("", "line") else (f"{self.name}, {self.unit} {number}", 1)
        return parse(decode(bytes(text), place, first), place, first)


def names_once(text: bytes, value: object) -> bool:
    """Whether JSON holds as many names as what became of it; False, too, where a name may end in a backslash."""
    return _names(text) == _names(msgspec.json.encode(value))


def _names(text: bytes) -> float:
    """How many names stand in JSON; NaN where one may end in a backslash. A quote within a text has one before it."""
    if any(sign in text for sign in _SPACED):
        text = msgspec.json.format(text, indent=-1)
    if b"\\" not in text:
        return text.count(b'":')
    return math.nan if b'\\\\"' in text else text.count(b'":') - text.count(b'\\":')


def raw_objects(source: Source) -> Objects:
    """The values of JSON lines, or of a list in a document, or else the document as the only one.

    Raises DataError, with line and column, for a document that is no JSON; lines are checked when they are decoded.
    """
    if source.format == "jsonl":
        with source.file.open("rb") as file:
            lines = {number: line for number, line in enumerate(file, 1) if line.removeprefix(MARK).strip()}
        return Objects(source.name, "line", list(lines), RawValues(source.name, "line", list(lines), [*lines.values()]))
    data = source.file.read_bytes().removeprefix(MARK)
    values: Sequence[Any] = RawValues(source.name, "", (1,), (data,))
    if data.lstrip().startswith(b"["):
        try:
            texts = msgspec.json.decode(data, type=list[msgspec.Raw])
            values = RawValues(source.name, "record", range(1, len(texts) + 1), texts)
        except FAULTS:
            values = parse(decode(data, source.name), source.name)
    return Objects(source.name, "record", range(1, len(values) + 1), values)


def raw_texts(source: Source) -> Iterator[tuple[str, bytes]]:
    """The text of each record, with its place. Raises DataError for other files, and where a name stands twice."""
    if source.format not in ("json", "jsonl"):
        raise DataError(f"{source.name}: expected JSON or JSON lines; got {source.format}")
    objects = raw_objects(source)
    for (place, value), number in zip(objects.places(), range(len(objects.values)), strict=True):
        if twice := repeated_names(value):
            raise DataError(f"{place}: {said_twice(twice)}")
        values = objects.values
        if isinstance(values, RawValues):
            yield place, bytes(values.texts[number])
        else:
            text = json_text(value)
            if not encodable(text):
                raise DataError(f"{place}: expected characters; got one half of a surrogate pair")
            yield place, text.encode()
