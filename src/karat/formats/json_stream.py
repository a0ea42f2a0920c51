"""A JSON object with one long list in it, read piece by piece.

The list is cut into spans of a few megabytes at places that look like the border of two elements. A span
that begins at a border is a list of elements if, and only if, it parses as one: a cut within a string or an
element would leave it unbalanced. So cuts are guessed, and the strict parser that reads the spans proves
them; where one fails, the list is to be cut again without guessing, element by element.
"""

import json
import mmap
import re
from dataclasses import dataclass, field
from math import inf
from typing import Any

from karat.errors import DataError
from karat.formats.documents import Number, decode, kind, parse

SPAN = 4_000_000
"""About how many bytes of the list a span has."""

Span = tuple[int, int]

_AFTER = re.compile(r"[ \t\n\r]*([,\]}:]?)[ \t\n\r]*")
_BORDER = re.compile(rb'[ \t\n\r]*,[ \t\n\r]*\{[ \t\n\r]*"[^"\\]*"')
_MARK = b"\xef\xbb\xbf"
_FIRST_WINDOW = 1 << 16
_GROWTH = 8
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class LongDocument:
    """A JSON object in a file.

    key: of the list. members: the others, as values. spans: of the list, as byte offsets. guess: whether
    cuts may be guessed; guessed: whether some were.
    """

    name: str
    content: mmap.mmap
    key: str
    guess: bool = True
    members: dict[str, Any] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    guessed: bool = False

    def bytes(self, span: Span) -> bytes:
        """The bytes of a span. The file's pages are given back, or the whole file would stay in memory."""
        found = self.content[span[0] : span[1]]
        if hasattr(mmap, "MADV_DONTNEED"):
            first = span[0] // mmap.PAGESIZE * mmap.PAGESIZE
            self.content.madvise(mmap.MADV_DONTNEED, first, span[1] - first)
        return found

    def elements(self, span: Span, most: int | None = None) -> list[Any]:
        """The elements in a span, or the first of them, read strictly. Raises DataError where it is not JSON."""
        line = self.line(span[0])
        text = decode(self.bytes(span), self.name, line)
        if most is not None:
            text = text[: _elements(f"{text}]", most)[0]]
        found: list[Any] = parse(f"[{text}]", self.name, line)
        return found

    def line(self, position: int) -> int:
        """The number of the line at a position."""
        starts = range(0, position, SPAN)
        return 1 + sum(self.content[start : min(start + SPAN, position)].count(b"\n") for start in starts)


def open_document(name: str, content: mmap.mmap, key: str, *, guess: bool = True) -> LongDocument:
    """Find the parts of a document: its members, and spans of the list under `key`.

    guess: cut the list by guessing. Raises DataError where the document is no JSON object, or its member
    `key` no list.
    """
    document = LongDocument(name, content, key, guess)
    try:
        _read_members(document)
    except DataError:
        if not document.guessed:
            raise
        return open_document(name, content, key, guess=False)
    if key not in document.members:
        raise DataError(f"{name}, {key}: expected a list; got nothing")
    return document


def _read_members(document: LongDocument) -> None:
    name, content, key = document.name, document.content, document.key
    position = _skip(document, 3 if content[:3] == _MARK else 0)
    if content[position : position + 1] != b"{":
        value, _ = _value(document, position)
        raise DataError(f"{name}: expected an object with annotators and {key}; got {kind(value)}")
    position = _skip(document, position + 1)
    closed = content[position : position + 1] == b"}"
    position += closed
    while not closed:
        position, mark = _read_member(document, position)
        closed = mark == "}"
    rest = _skip(document, position)
    if rest < len(content):
        raise DataError(
            f"{name}, line {document.line(rest)}: expected the end of the file; got more after the document"
        )


def _read_member(document: LongDocument, position: int) -> tuple[int, str]:
    """Read `"name": value` and what follows it: where the next begins, and "," or "}"."""
    name, position = _value(document, position)
    if not isinstance(name, str) or isinstance(name, Number):
        raise _wrong(document, position, "the name of a member in quotes")
    position, mark = _mark(document, position)
    if mark != ":":
        raise _wrong(document, position, '":" after a name')
    if name in document.members:
        raise DataError(f"{document.name}: expected each name once; {name:.60} stands twice")
    if name == document.key and document.content[position : position + 1] == b"[":
        document.members[name] = []
        position = _cut(document, _skip(document, position + 1))
    else:
        document.members[name], position = _value(document, position)
        if name == document.key:
            raise DataError(f"{document.name}, {name}: expected a list; got {kind(document.members[name])}")
    position, mark = _mark(document, position)
    if mark not in {",", "}"}:
        raise _wrong(document, position, '"," or "}" after a member')
    return position, mark


def _wrong(document: LongDocument, position: int, expected: str) -> DataError:
    end = _skip(document, position) >= len(document.content)
    hint = ". The text ends too early: the file may be cut off" if end else ""
    return DataError(f"{document.name}, line {document.line(position)}: expected JSON; expected {expected}{hint}")


def _skip(document: LongDocument, position: int) -> int:
    while document.content[position : position + 1] in {b" ", b"\t", b"\n", b"\r"}:
        position += 1
    return position


def _mark(document: LongDocument, position: int) -> tuple[int, str]:
    """The punctuation at a position, and where what follows it begins."""
    position = _skip(document, position)
    mark = document.content[position : position + 1].decode("latin-1")
    return _skip(document, position + 1), mark


def _window(document: LongDocument, start: int, size: int) -> tuple[str, bool]:
    """The text that begins at a position, and whether it reaches the end of the file."""
    raw = document.content[start : start + size]
    whole = start + size >= len(document.content)
    try:
        return raw.decode(), whole
    except UnicodeDecodeError as error:
        if whole or error.start < len(raw) - 3:
            decode(raw, document.name, document.line(start))
        return raw[: error.start].decode(), False


def _value(document: LongDocument, start: int) -> tuple[Any, int]:
    """The JSON value at a position, and where it ends."""
    size = _FIRST_WINDOW
    while True:
        text, whole = _window(document, start, size)
        end = _end(text, 0)
        if whole or (end is not None and end < len(text)):
            line = document.line(start)
            value = parse(text if end is None else text[:end], document.name, line)
            return value, start + len(text[:end].encode())
        size *= _GROWTH


def _end(text: str, start: int) -> int | None:
    """Where the value that begins at `start` ends; None if the text ends first, or it is no JSON."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _cut(document: LongDocument, start: int) -> int:
    """Fill `spans` with guessed cuts of the list whose first element is at `start`; return where the list ends."""
    if document.content[start : start + 1] == b"]":
        return start + 1
    border = _usual_border(document, start) if document.guess else None
    while border is not None:
        found = document.content.find(border, start + SPAN)
        if found < 0:
            break
        document.spans.append((start, found + 1))
        document.guessed = True
        start = document.content.find(b"{", found + 1)
    return _walk(document, start)


def _usual_border(document: LongDocument, start: int) -> bytes | None:
    """The bytes between two elements, from the end of the first to the first name in the second."""
    if document.content[start : start + 1] != b"{":
        return None
    _, end = _value(document, start)
    found = _BORDER.match(document.content[end : end + _FIRST_WINDOW])
    return b"}" + found[0] if found else None


def _walk(document: LongDocument, start: int) -> int:
    """Add spans from `start` on, element by element, to the end of the list; return where that is."""
    size = 2 * SPAN
    while True:
        text, whole = _window(document, start, size)
        last, following, closed = _elements(text)
        if last:
            document.spans.append((start, start + len(text[:last].encode())))
        if closed:
            return start + len(text[:following].encode())
        if whole:
            start += len(text[:following].encode())
            raise _broken(document, start)
        size = 2 * SPAN if last else size * _GROWTH
        start += len(text[:following].encode())


def _elements(text: str, most: float = inf) -> tuple[int, int, bool]:
    """Where the last whole element of a text ends, where what follows it begins, and whether the list ends there.

    most: the number of elements after which to stop.
    """
    last = following = count = 0
    while count < most:
        count += 1
        end = _end(text, following)
        mark = _AFTER.match(text, end) if end is not None else None
        if end is None or mark is None or mark[1] not in {",", "]"} or (mark[1] == "," and mark.end() == len(text)):
            return last, following, False
        last, following = end, mark.end() if mark[1] == "," else mark.end(1)
        if mark[1] == "]":
            return last, following, True
    return last, following, False


def _broken(document: LongDocument, start: int) -> DataError:
    """What is wrong with the list at a position where an element should begin; raised where JSON's reader says it."""
    text, _ = _window(document, start, len(document.content))
    end = _end(text, 0)
    if end is None:
        parse(text, document.name, document.line(start))
        end = 0
    mark = _AFTER.match(text, end)
    if mark is not None and mark[1] == ",":
        return _wrong(document, start + len(text[: mark.end()].encode()), "another element of the list")
    return _wrong(document, start + len(text[:end].encode()), '"," or "]" after an element of the list')
