"""Whether a Parquet file is what was written, as far as headers say; and the groups that it holds its rows in.

polars asks for as much memory as a damaged header says, and the process aborts where there is not as much. No exception
says so; so a file whose headers cannot be true is refused before polars reads it. Nor does polars look at the checksums
that a page's header may hold (pyarrow writes them with write_page_checksum), and reads a changed byte of a text as
another text. The headers are structs in Thrift's compact protocol; numbers of fields are those of parquet.thrift
(Apache Parquet's format).
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.io.decompress import FETCH_AGAIN, in_words

_MAGIC = b"PAR1"
_TAIL = 8
"""The length of the footer, and the magic number, at the end of a file."""

_DEEPEST = 20

_ROW_GROUPS, _COLUMNS, _ROWS, _CHUNK = 4, 1, 3, 3
_VALUES, _UNPACKED, _PACKED, _DATA, _DICTIONARY = 5, 6, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _PAGE_CHECKSUM = 2, 3, 4
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 5, 7, 8
_LEVELS = (5, 6)
_BITS = 8


def check_pages(path: Path, name: str) -> None:
    """Raises DataError for headers that cannot be true, and for pages that are not what their checksums say."""
    if not _is_sound(path, name):
        raise DataError(f"{name}: cannot be read as parquet: its headers do not fit what it holds", fix=FETCH_AGAIN)


_CELL = 16
"""Bytes that a cell of text takes in memory, however short; other cells count the same, since they become text."""


def check_rows(path: Path, name: str, most: int) -> None:
    """Raises DataError for a table that would take more than `most` bytes in memory by its cells and lists alone.

    A few bytes of Parquet can stand for any number of rows, and of elements of a list.
    """
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        frame = pl.scan_parquet(path, glob=False)
        dtypes = frame.collect_schema().dtypes()
        rows = int(frame.select(pl.len()).collect().item())
        cells = rows * sum(1 if dtype in (pl.UInt8, pl.Int8, pl.Boolean) else _CELL for dtype in dtypes)
        lists = bytes_in_lists(path) if any(dtype.is_nested() for dtype in dtypes) else 0
        if cells + lists > most:
            held = f"{rows:,} rows of {len(dtypes):,} columns" + (" with the elements of their lists" if lists else "")
            raise DataError(
                f"{name}: expected at most {in_words(most)} of unpacked data; got {held}, which take "
                f"{in_words(cells + lists)}",
                fix=f"{named('max_size')} {in_words(2 * (cells + lists))}, if so much is right",
            )


def rows_of_groups(path: Path) -> list[int]:
    """The rows of each of the groups in which a file holds them. Of a file that `check_pages` lets pass."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return [one[_ROWS] for one in _Compact(content, _footer(content)).struct()[_ROW_GROUPS]]


def bytes_in_lists(path: Path) -> int:
    """The memory that the elements of lists take, of which a file of few rows can hold any number.

    They become objects of Python where lists are read. Of a file that `check_pages` lets pass.
    """
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return sum(
            max(0, chunk[_CHUNK][_VALUES] - one[_ROWS]) * (_TEXT if chunk[_CHUNK].get(_TYPE) == _TEXTS else _NUMBER)
            for one in _Compact(content, _footer(content)).struct()[_ROW_GROUPS]
            for chunk in one[_COLUMNS]
        )


_TYPE, _TEXTS = 1, 6
"""The type of a column's values, and that of texts."""
_TEXT, _NUMBER = 100, 16
"""Bytes that an element of a list takes, with the list's place for it."""


def _footer(content: mmap) -> int:
    return len(content) - _TAIL - int.from_bytes(content[-_TAIL:-4], "little")


def _is_sound(path: Path, name: str) -> bool:
    """Whether all headers can be read, none says more than there is, and the groups hold as many rows as the file."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        start = _footer(content)
        try:
            footer = _Compact(content, start).struct()
            groups = footer[_ROW_GROUPS]
            if sum(one[_ROWS] for one in groups) != footer[_ROWS]:
                return False
            chunks = [chunk[_CHUNK] for one in groups for chunk in one[_COLUMNS]]
        except _UNREADABLE:
            return False
        true = [_is_true(content, chunk, start, name) for chunk in chunks]
        return all(true)


_UNREADABLE = (ValueError, IndexError, KeyError, TypeError, AttributeError)
"""What is raised for headers that are none."""


def _is_true(content: mmap, chunk: dict[int, Any], end: int, name: str) -> bool:
    """Whether the pages of a column fit into the file, and hold as many values as the column is said to.

    Raises DataError for a page that is not what its checksum says.
    """
    try:
        pages = list(_pages(content, chunk, end))
        true = all(_fits(page) for _, page in pages) and sum(_values(page) for _, page in pages) == chunk[_VALUES]
    except _UNREADABLE:
        return False
    for place, page in pages:
        if _PAGE_CHECKSUM in page and zlib.crc32(content[place]) != page[_PAGE_CHECKSUM] % _CHECKSUMS:
            raise DataError(
                f"{name}: cannot be read as parquet: bytes {place.start:,} to {place.stop:,} are not those of which it "
                "holds the checksum",
                fix=FETCH_AGAIN,
            )
    return true


def _pages(content: mmap, chunk: dict[int, Any], end: int) -> Iterator[tuple[slice, dict[int, Any]]]:
    """Where the content of each page stands, and the page's header."""
    at = min(filter(None, (chunk[_DATA], chunk.get(_DICTIONARY))), default=len(_MAGIC))  # 0 where there is no such page
    last = at + chunk[_PACKED]
    if not len(_MAGIC) <= at <= last <= end:
        raise ValueError
    while at < last:
        reader = _Compact(content, at)
        page = reader.struct()
        at = reader.at + page[_PAGE_PACKED]
        if not reader.at <= at <= last or not 0 <= page[_PAGE_UNPACKED] <= chunk[_UNPACKED]:
            raise ValueError
        yield slice(reader.at, at), page


_CHECKSUMS = 1 << 32
"""How many checksums there are; headers hold them as numbers with a sign."""


def _values(page: dict[int, Any]) -> int:
    return int((page.get(_DATA_PAGE) or page.get(_DATA_PAGE_2) or {1: 0})[1])


def _fits(page: dict[int, Any]) -> bool:
    """Whether what a page says of its values can be so."""
    counts = [page[one][1] for one in (_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2) if one in page]
    levels = [page[_DATA_PAGE_2][one] for one in _LEVELS] if _DATA_PAGE_2 in page else []
    dictionary = page.get(_DICTIONARY_PAGE, {1: 0})[1]
    true = len(counts) == 1 and min(*counts, *levels, 0) == 0 and sum(levels) <= page[_PAGE_UNPACKED]
    return true and dictionary <= page[_PAGE_UNPACKED] * _BITS


class _Compact:
    """Reads values of Thrift's compact protocol. Raises IndexError, ValueError or KeyError for what is none."""

    def __init__(self, content: mmap, at: int) -> None:
        if at < 0:
            raise ValueError
        self.content, self.at = content, at
        self.readers: dict[int, Callable[[], Any]] = {
            **dict.fromkeys((1, 2), self._true),
            **dict.fromkeys((4, 5, 6), self._number),
            **dict.fromkeys((9, 10), self._list),
        }
        self.readers |= {3: self._byte, 7: self._double, 8: self._skipped, 12: self.struct}
        self.depth = 0

    def struct(self) -> dict[int, Any]:
        """The fields of a struct, by number."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            found[number] = self._value(head & 15)
        return found

    def _value(self, kind: int) -> Any:  # noqa: ANN401 - whatever stands there
        if self.depth > _DEEPEST:
            raise ValueError
        self.depth += 1
        found = self.readers[kind]()
        self.depth -= 1
        return found

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _true(self) -> bool:
        return True

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _number(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _double(self) -> None:
        self.at += 8

    def _skipped(self) -> None:
        length = self._unsigned()
        self.at += length

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._unsigned()  # noqa: PLR2004 - all four bits: the count follows
        if count > len(self.content):
            raise ValueError
        return [self._byte() if head & 15 < 3 else self._value(head & 15) for _ in range(count)]  # noqa: PLR2004
