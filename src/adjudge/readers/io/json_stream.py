"""A JSON object with one long list in it, read piece by piece.

The list is cut into spans of a few megabytes at the bytes that stand between its first two elements, from the end of
one to the first name in the next. No text holds these bytes, since a backslash stands before each quote in it; a list
within an element may. A span cut there ends too early for the strict parser, and is read together with the next.
"""

import json
import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import elements, kind, not_plain, parse
from adjudge.readers.io.source import decode

SPAN = 4_000_000
"""About how many bytes of the list a span has."""

Span = tuple[int, int]

_BORDER = re.compile(r'[ \t\n\r]*,[ \t\n\r]*\{[ \t\n\r]*"[^"\\]*"')
_GAP = "\x00"
"""What stands in the list once its elements are cut out."""

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class LongDocument:
    """A JSON object in a file. members: its values but for the list, of which spans are the pieces, in bytes."""

    name: str
    content: mmap.mmap
    members: Mapping[str, Any]
    spans: Sequence[Span]

    def bytes(self, span: Span) -> bytes:
        """The bytes of a span. The file's pages are given back, or the whole file would stay in memory."""
        found = self.content[span[0] : span[1]]
        if hasattr(mmap, "MADV_DONTNEED"):
            first = span[0] // mmap.PAGESIZE * mmap.PAGESIZE
            self.content.madvise(mmap.MADV_DONTNEED, first, span[1] - first)
        return found

    def elements(self, span: Span) -> list[Any]:
        """The elements in a span, read strictly. Raises DataError where it is no JSON, CutOff where it ends in one."""
        text = f"[{_text(self.bytes(span), self.name, self.content, span[0])}]"
        found: list[Any]
        try:
            found = parse(text, self.name)
        except DataError:
            found = parse(text, self.name, _line(self.content, span[0]))
        return found

    def first(self, most: int) -> list[Any]:
        """The first elements, of those in the first span."""
        return list(islice(elements(self.bytes(self.spans[0]).decode(errors="ignore")), most))


def open_document(name: str, content: mmap.mmap, key: str) -> LongDocument:
    """Find the members of a document and cut the list under `key`.

    Raises DataError where the document is no JSON object, its member `key` no list, or a name stands twice.
    """
    for found in re.finditer(rb'"%b"\s*:\s*\[\s*' % key.encode(), content):
        for cuts in _ways_to_cut(content, found.end()):
            document = _without_list(name, content, key, cuts)
            if document is not None:
                return document
    whole = parse(decode(content[:], name), name)
    if not isinstance(whole, dict):
        raise DataError(f"{name}: expected an object with annotators and {key}; got {kind(whole)}")
    raise DataError(f"{name}, {key}: expected a list; got {kind(whole[key]) if key in whole else 'nothing'}")


def _ways_to_cut(content: mmap.mmap, start: int) -> Iterator[list[int]]:
    """Where spans of the list that begins at `start` begin: at borders; else, as it ends within an element, uncut."""
    border, cuts = _border(content, start), [start]
    while border and (found := content.find(border, cuts[-1] + SPAN)) >= 0:
        cuts.append(content.find(b"{", found))
    yield cuts
    if len(cuts) > 1:
        yield [start]


def _border(content: mmap.mmap, start: int) -> bytes | None:
    """The bytes between the first two elements, from the brace that closes one to the first name in the other."""
    text = content[start : start + SPAN].decode(errors="ignore")
    try:
        first, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    found = _BORDER.match(text, end)
    return f"}}{found[0]}".encode() if found and isinstance(first, dict) else None


def _without_list(name: str, content: mmap.mmap, key: str, cuts: Sequence[int]) -> LongDocument | None:
    """The document, if what is left of it without the list's elements proves that they are those under `key`."""
    start, last = cuts[0], cuts[-1]
    rest = _text(content[last:], name, content, last)
    try:
        end = _DECODER.raw_decode(f"[{rest}")[1] - len("[]")
    except (ValueError, RecursionError):
        if last > start:
            parse(f"[{rest}", name, _line(content, last))
        return None
    try:
        members = parse(f"{decode(content[:start], name)}{json.dumps(_GAP)}{rest[end:]}", name)
    except DataError:
        return None
    if not isinstance(members, dict) or members.get(key) != [_GAP]:
        return None
    if said := not_plain(members):
        raise DataError(f"{name}: {said}")
    ends = [content.rfind(b"}", 0, one) + 1 for one in cuts[1:]]
    spans = zip(cuts, [*ends, last + len(rest[:end].encode())], strict=True)
    return LongDocument(name, content, members, [span for span in spans if span[0] < span[1]])


def _text(data: bytes, name: str, content: mmap.mmap, start: int) -> str:
    """What begins at a position, as text. Lines are counted only where one is told: it takes reading all before it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return decode(data, name, _line(content, start))


def _line(content: mmap.mmap, position: int) -> int:
    """The number of the line at a position."""
    starts = range(0, position, SPAN)
    return 1 + sum(content[start : min(start + SPAN, position)].count(b"\n") for start in starts)
