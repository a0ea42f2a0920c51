"""Checks of Parquet files by their headers.

Polars allocates the memory that a damaged header declares, and the process aborts without an exception if it is too
much; so this module rejects a file with impossible headers before polars reads it. The headers are structs in Thrift's
compact protocol; numbers of fields are those of parquet.thrift (Apache Parquet's format).
"""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.decompress import FETCH_AGAIN
from adjudge.readers.io.paths import check_size

_MAGIC = b"PAR1"
_TAIL = 8
"""The length of the footer, and the magic number, at the end of a file."""
_DEEPEST = 20

_ROW_GROUPS, _COLUMNS, _ROWS, _CHUNK = 4, 1, 3, 3
_TYPE, _VALUES, _UNPACKED, _PACKED, _DATA, _DICTIONARY = 1, 5, 6, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 5, 7, 8
_SMALL, _CELL = (0, 1), 16
"""Types of columns whose values need a few bytes in memory (truth values and small numbers); and bytes of any other."""
_UNREADABLE = (ValueError, IndexError, KeyError, TypeError, AttributeError)
"""Exceptions for invalid headers."""

Header = dict[int, Any]


def check_parquet(path: Path, name: str, most: int) -> None:
    """Raises DataError for a file that is damaged, or whose cells and lists would need more than `most` bytes.

    Headers are valid if all are readable, none exceeds the file, and groups add up to the file's rows. A few bytes of
    Parquet can represent any number of rows, and of elements of a list.
    """
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        try:
            groups = _checked_groups(content)
        except _UNREADABLE:
            raise DataError(f"{name}: cannot be read as Parquet: damaged file", fix=FETCH_AGAIN) from None
    chunks = [column[_CHUNK] for group in groups for column in group[_COLUMNS]]
    size = sum(chunk[_VALUES] * (1 if chunk.get(_TYPE) in _SMALL else _CELL) for chunk in chunks)
    check_size(f"{name}, {sum(group[_ROWS] for group in groups):,} rows", size, most)


def _checked_groups(content: mmap) -> list[Header]:
    """The row groups. Raises one of _UNREADABLE for impossible headers."""
    _require(content[: len(_MAGIC)] == _MAGIC)
    end = len(content) - _TAIL - int.from_bytes(content[-_TAIL:-4], "little")
    footer = _Headers(content, end).struct()
    groups: list[Header] = footer[_ROW_GROUPS]
    _require(sum(group[_ROWS] for group in groups) == footer[_ROWS])
    for chunk in (column[_CHUNK] for group in groups for column in group[_COLUMNS]):
        values = 0
        for page in _pages(content, chunk, end):
            counts = [page[one][1] for one in (_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2) if one in page]
            levels = [page[_DATA_PAGE_2][one] for one in (5, 6)] if _DATA_PAGE_2 in page else []
            _require(len(counts) == 1 and min(*counts, *levels, 0) == 0 and sum(levels) <= page[_PAGE_UNPACKED])
            values += 0 if _DICTIONARY_PAGE in page else counts[0]
            _require(_DICTIONARY_PAGE not in page or counts[0] <= page[_PAGE_UNPACKED] * 8)
        _require(values == chunk[_VALUES])
    return groups


def _require(true: bool) -> None:  # noqa: FBT001
    if not true:
        raise ValueError


def _pages(content: mmap, chunk: Header, end: int) -> Iterator[Header]:
    """The header of each page in a column."""
    at = min(filter(None, (chunk[_DATA], chunk.get(_DICTIONARY))), default=len(_MAGIC))  # 0 without such a page
    last = at + chunk[_PACKED]
    _require(len(_MAGIC) <= at <= last <= end)
    while at < last:
        headers = _Headers(content, at)
        page, start = headers.struct(), headers.at
        at = start + page[_PAGE_PACKED]
        _require(start <= at <= last and 0 <= page[_PAGE_UNPACKED] <= chunk[_UNPACKED])
        yield page


_BYTES, _LENGTHS = 8, {1: 0, 2: 0, 3: 1, 7: 8}
"""The type of byte strings, which begin with their length; and the bytes of true, false, a byte and a decimal."""


class _Headers:
    """Consecutive values in Thrift's compact protocol. Methods raise one of _UNREADABLE for invalid ones.

    at: offset of the next.
    """

    def __init__(self, content: mmap, at: int) -> None:
        _require(at >= 0)
        self.content, self.at = content, at

    def struct(self, depth: int = 0) -> Header:
        """The fields of a struct, by number."""
        fields, number = Header(), 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            fields[number] = self._value(head & 15, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401
        """A number, a list or a struct; skips anything else, which no check needs."""
        _require(depth <= _DEEPEST)
        match kind:
            case 4 | 5 | 6:
                return self._number()
            case 9 | 10:
                head = self._byte()
                count = head >> 4 if head >> 4 < 15 else self._unsigned()  # noqa: PLR2004 - all four bits: it follows
                _require(count <= len(self.content))
                return [self._value(max(head & 15, 3), depth + 1) for _ in range(count)]
            case 12:
                return self.struct(depth)
        length = self._unsigned() if kind == _BYTES else _LENGTHS[kind]
        self.at += length
        return None

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _number(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
