"""Whether a Parquet file is what was written, as far as headers say; and the groups that it holds its rows in.

polars asks for as much memory as a damaged header says, and the process aborts where there is not as much. No exception
says so; so a file whose headers cannot be true is refused before polars reads it. Nor does polars look at the checksums
that a page's header may hold (pyarrow writes them with write_page_checksum), and reads a changed byte of a text as
another text. The headers are structs in Thrift's compact protocol; numbers of fields are those of parquet.thrift
(Apache Parquet's format).
"""

import zlib
from collections.abc import Iterator
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
_TYPE, _VALUES, _UNPACKED, _PACKED, _DATA, _DICTIONARY = 1, 5, 6, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _PAGE_CHECKSUM = 2, 3, 4
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 5, 7, 8
_LEVELS = (5, 6)
_BITS = 8
_CHECKSUMS = 1 << 32
"""How many checksums there are; headers hold them as numbers with a sign."""
_TEXTS = 6
"""The type of texts among those of columns."""
_CELL, _TEXT, _NUMBER = 16, 100, 16
"""Bytes that a cell takes in memory, however short; those of a text in a list, and of a number, with their places."""
_UNREADABLE = (ValueError, IndexError, KeyError, TypeError, AttributeError)
"""What is raised for headers that are none."""

Header = dict[int, Any]


def check_pages(path: Path, name: str) -> None:
    """Raises DataError for headers that cannot be true, and for pages that are not what their checksums say.

    Headers are true where all can be read, none says more than there is, and groups hold as many rows as the file.
    """
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        start = _start_of_footer(content)
        try:
            footer = _struct(content, start)[0]
            true = sum(one[_ROWS] for one in footer[_ROW_GROUPS]) == footer[_ROWS]
            chunks = [chunk[_CHUNK] for one in footer[_ROW_GROUPS] for chunk in one[_COLUMNS]]
            pages = [list(_pages(content, chunk, start)) for chunk in chunks] if true else []
            true = true and all(map(_is_true, chunks, pages))
        except _UNREADABLE:
            true = False
        if not true:
            raise DataError(f"{name}: cannot be read as parquet: its headers do not fit what it holds", fix=FETCH_AGAIN)
        for place, page in (one for each in pages for one in each):
            if _PAGE_CHECKSUM in page and zlib.crc32(content[place]) != page[_PAGE_CHECKSUM] % _CHECKSUMS:
                raise DataError(
                    f"{name}: cannot be read as parquet: bytes {place.start:,} to {place.stop:,} are not those of "
                    "which it holds the checksum",
                    fix=FETCH_AGAIN,
                )


def check_rows(path: Path, name: str, most: int) -> None:
    """Raises DataError for a table that would take more than `most` bytes in memory by its cells and lists alone.

    A few bytes of Parquet can stand for any number of rows, and of elements of a list.
    """
    with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        frame = pl.scan_parquet(path, glob=False)
        dtypes = frame.collect_schema().dtypes()
        rows = int(frame.select(pl.len()).collect().item())
        size = rows * sum(1 if dtype in (pl.UInt8, pl.Int8, pl.Boolean) else _CELL for dtype in dtypes)
        lists = any(dtype.is_nested() for dtype in dtypes)
        size += _bytes_in_lists(path) if lists else 0
        if size > most:
            held = f"{rows:,} rows of {len(dtypes):,} columns" + (" with the elements of their lists" if lists else "")
            raise DataError(
                f"{name}: expected at most {in_words(most)} of unpacked data; got {held}, which take {in_words(size)}",
                fix=f"{named('max_size')} {in_words(2 * size)}, if so much is right",
            )


def rows_of_groups(path: Path) -> list[int]:
    """The rows of each of the groups in which a file holds them. Of a file that `check_pages` lets pass."""
    return [one[_ROWS] for one in _groups(path)]


def _bytes_in_lists(path: Path) -> int:
    """The memory that the elements of lists take, of which a file of few rows can hold any number.

    They become objects of Python where lists are read. Of a file that `check_pages` lets pass.
    """
    return sum(
        max(0, chunk[_CHUNK][_VALUES] - one[_ROWS]) * (_TEXT if chunk[_CHUNK].get(_TYPE) == _TEXTS else _NUMBER)
        for one in _groups(path)
        for chunk in one[_COLUMNS]
    )


def _groups(path: Path) -> list[Header]:
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        groups: list[Header] = _struct(content, _start_of_footer(content))[0][_ROW_GROUPS]
        return groups


def _start_of_footer(content: mmap) -> int:
    return len(content) - _TAIL - int.from_bytes(content[-_TAIL:-4], "little")


def _pages(content: mmap, chunk: Header, end: int) -> Iterator[tuple[slice, Header]]:
    """Where the content of each page of a column stands, and the page's header."""
    at = min(filter(None, (chunk[_DATA], chunk.get(_DICTIONARY))), default=len(_MAGIC))  # 0 where there is no such page
    last = at + chunk[_PACKED]
    if not len(_MAGIC) <= at <= last <= end:
        raise ValueError
    while at < last:
        page, start = _struct(content, at)
        at = start + page[_PAGE_PACKED]
        if not start <= at <= last or not 0 <= page[_PAGE_UNPACKED] <= chunk[_UNPACKED]:
            raise ValueError
        yield slice(start, at), page


def _is_true(chunk: Header, pages: list[tuple[slice, Header]]) -> bool:
    """Whether pages can be what they say, and hold as many values as the column is said to."""
    headers = [page for _, page in pages]
    values = sum((page.get(_DATA_PAGE) or page.get(_DATA_PAGE_2) or {1: 0})[1] for page in headers)
    return all(map(_fits, headers)) and values == chunk[_VALUES]


def _fits(page: Header) -> bool:
    """Whether what a page says of its values can be so."""
    counts = [page[one][1] for one in (_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2) if one in page]
    levels = [page[_DATA_PAGE_2][one] for one in _LEVELS] if _DATA_PAGE_2 in page else []
    dictionary = page.get(_DICTIONARY_PAGE, {1: 0})[1]
    true = len(counts) == 1 and min(*counts, *levels, 0) == 0 and sum(levels) <= page[_PAGE_UNPACKED]
    return true and dictionary <= page[_PAGE_UNPACKED] * _BITS


# --- Thrift's compact protocol: each function gives a value, and where the next begins ---
# They raise IndexError, ValueError or KeyError for what is none.


def _struct(content: mmap, at: int, depth: int = 0) -> tuple[Header, int]:
    """The fields of a struct, by number."""
    if at < 0 or depth > _DEEPEST:
        raise ValueError
    fields, number = Header(), 0
    while head := content[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _number(content, at)
        fields[number], at = _value(content, at, head & 15, depth + 1)
    return fields, at + 1


def _value(content: mmap, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """A number, a list or a struct; anything else, which no check needs, is passed over."""
    match kind:
        case 4 | 5 | 6:
            return _number(content, at)
        case 9 | 10:
            return _list(content, at, depth)
        case 12:
            return _struct(content, at, depth)
    length, at = _unsigned(content, at) if kind == _BYTES else (_LENGTHS[kind], at)
    return None, at + length


_BYTES, _LENGTHS = 8, {1: 0, 2: 0, 3: 1, 7: 8}
"""The kind of bytes, which say their number; and how many bytes true, false, a byte and a decimal take."""


def _list(content: mmap, at: int, depth: int) -> tuple[list[Any], int]:
    head, at = content[at], at + 1
    count, kind = head >> 4, head & 15
    if count == 15:  # noqa: PLR2004 - all four bits: the count follows
        count, at = _unsigned(content, at)
    if count > len(content) or depth > _DEEPEST:
        raise ValueError
    values = []
    for _ in range(count):
        value, at = _value(content, at, max(kind, 3), depth + 1)
        values.append(value)
    return values, at


def _unsigned(content: mmap, at: int) -> tuple[int, int]:
    value = shift = 0
    while content[at] & 0x80:
        value |= (content[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
    return value | content[at] << shift, at + 1


def _number(content: mmap, at: int) -> tuple[int, int]:
    value, at = _unsigned(content, at)
    return (value >> 1) ^ -(value & 1), at
