"""JSON lines in blocks, and which of their lines polars would read as something else.

A line's signature is what stands before the colons of its objects, each with the first character of its value. Lines of
a file have few signatures, so that what they say of names is found out once for all lines alike: names that stand
twice, of which polars would take the last. The pattern sees no names that hold a backslash; a line with one, as any
that is not surely understood, is left to `documents.parse`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path

import polars as pl

from adjudge.errors import DataError, encodable
from adjudge.readers.io.json_documents import Objects, json_text, parse
from adjudge.readers.io.source import MARK, Source, decode

SIGNATURE = "__signature__"
LINE = "__line__"
NUMBERED = "__number__"

_BLOCK = 1 << 24
_NAMES = r'"[^"\\]*"[ \t\r]*:[ \t\r]*(?:\[[ \t\r]*\]|[^ \t\r])'
_ENDS = r'(?:^|[^\\])"[ \t\r]*:'
"""Where names end. A quote after a backslash stands within a text, or ends a name that ends in a backslash."""
_ODD = r'\\\\"[ \t\r]*:|\\u[dD][89a-fA-F]|\\u00[01]'
"""Such a name; halves of characters, which polars takes for NUL; signs that are white space to one library alone."""
_NAME = re.compile(r'"([\w .@$/+-]+)"[ \t\r]*:.*', re.DOTALL)
BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file. first: the number of the first, from 1. content: their bytes."""

    name: str
    first: int
    content: bytes

    def lines(self) -> pl.DataFrame | None:
        """LINE, NUMBERED and SIGNATURE of the lines that hold anything; None where they are not UTF-8.

        The signature is null where the line is not understood.
        """
        try:
            content = BytesIO(self.content)
            lines = pl.read_lines(content, name=LINE, row_index_name=NUMBERED, row_index_offset=self.first)
        except BROKEN:
            return None
        if not lines[LINE].str.starts_with("{").all():
            lines = lines.filter(pl.col(LINE).str.strip_chars() != "")
        names = lines[LINE].str.extract_all(_NAMES)
        found = lines.with_columns(names.list.join("\n").alias(SIGNATURE))
        escaped = found[LINE].str.contains("\\", literal=True).arg_true()
        texts = found[LINE].gather(escaped)
        odd = texts.str.contains(_ODD) | (texts.str.count_matches(_ENDS) != names.list.len().gather(escaped))
        return found.with_columns(found[SIGNATURE].scatter(escaped.filter(odd), None)) if odd.any() else found

    def objects(self, lines: pl.DataFrame | None = None) -> Objects:
        """Lines one by one, by default all. Raises DataError for what is not JSON."""
        if lines is None:
            every = enumerate(self.content.split(b"\n"), self.first)
            numbered = [(number, decode(line, self.name, number).strip()) for number, line in every]
        else:
            numbered = [(number, line.strip()) for number, line in lines.select(NUMBERED, LINE).rows()]
        found = {number: parse(text, self.name, number) for number, text in numbered if text}
        return Objects(self.name, "line", list(found), list(found.values()))


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


def _holds_each_name_once(signature: str) -> bool:
    """Whether all names of a signature are plain, and none stands twice."""
    names = [_NAME.fullmatch(part) for part in signature.split("\n")] if signature else []
    return len({match[1] for match in names if match}) == len(names)


def check_lines(source: Source) -> None:
    """Raises DataError for objects that hold a name twice, or half a character: polars reads both as something else.

    Lines that are no JSON at all, which polars refuses itself, may go unnoticed.
    """
    state = source.file.stat()
    _check(source.name, source.file, state.st_size, state.st_mtime_ns)


@lru_cache(16)
def _check(name: str, path: Path, _size: int, _changed: int) -> None:
    """See `check_lines`; a file is looked at once until it changes."""
    sound: set[str] = set()
    for block in blocks(Source(name, "jsonl", path)):
        lines = block.lines()
        if lines is None:
            continue
        new = {one for one in lines[SIGNATURE].drop_nulls().unique().to_list() if one not in sound}
        odd = [one for one in new if not _holds_each_name_once(one)]
        sound |= new.difference(odd)
        suspect = lines[SIGNATURE].is_null() | lines[SIGNATURE].is_in(pl.Series(odd, dtype=pl.String).implode())
        if suspect.any():
            objects = block.objects(lines.filter(suspect))
            both = zip(objects.places(), objects.plain(), strict=True)
            if halves := [place for (place, _), one in both if not encodable(json_text(one))]:
                raise DataError(f"{place}: expected characters; got one half of a surrogate pair" for place in halves)
