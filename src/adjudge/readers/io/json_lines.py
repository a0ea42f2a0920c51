"""JSON lines in blocks, and which of them polars would read as something else.

Of two values under one name it takes the last, and half a character it reads as NUL.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec
import polars as pl

from adjudge.errors import DataError, encodable
from adjudge.readers.io.json_documents import Objects, json_text, parse
from adjudge.readers.io.json_raw import FAULTS, names_once
from adjudge.readers.io.source import MARK, Source, decode

_BLOCK = 1 << 20
BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file. first: the number of the first, from 1. content: their bytes."""

    name: str
    first: int
    content: bytes

    def objects(self) -> Objects:
        """Lines one by one; blank ones are none. Raises DataError for what is not JSON."""
        every = enumerate(self.content.split(b"\n"), self.first)
        numbered = [(number, decode(line, self.name, number).strip()) for number, line in every]
        values = {number: parse(text, self.name, number) for number, text in numbered if text}
        return Objects(self.name, "line", list(values), list(values.values()))

    def is_plain(self) -> bool:
        """Whether all lines are surely JSON in which no name stands twice, and no half a character."""
        with suppress(*FAULTS):
            text = b"[" + self.content.strip().replace(b"\n", b",") + b"]"
            return names_once(text, msgspec.json.decode(text))
        return False


def blocks(source: Source) -> Iterator[Block]:
    """The lines of a file, so many at a time that memory stays bounded."""
    first = 1
    for content in _contents(source.file):
        yield Block(source.name, first, content)
        first += content.count(b"\n")


def _contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file, cut at ends of lines; without the byte-order mark."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
        begin, length = len(MARK) if whole[: len(MARK)] == MARK else 0, len(whole)
        while begin < length:
            end = whole.find(b"\n", min(begin + _BLOCK, length))
            end = length if end < 0 else end + 1
            yield whole[begin:end]
            begin = end


def check_lines(source: Source) -> None:
    """Raises DataError for objects that hold a name twice, or half a character: polars reads both as something else."""
    state = source.file.stat()
    _check(source.name, source.file, state.st_size, state.st_mtime_ns)


@lru_cache(16)
def _check(name: str, path: Path, _size: int, _changed: int) -> None:
    """See `check_lines`; a file is looked at once until it changes."""
    for block in blocks(Source(name, "jsonl", path)):
        if not block.is_plain():
            objects = block.objects()
            both = zip(objects.places(), objects.plain(), strict=True)
            if halves := [place for (place, _), value in both if not encodable(json_text(value))]:
                raise DataError(f"{place}: expected characters; got one half of a surrogate pair" for place in halves)
