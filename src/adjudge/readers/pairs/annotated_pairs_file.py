"""AnnotatedPairs JSON, versions 2.0 and 1.0: an object with metadata, annotators and comparisons.

Files of any size are read, span by span, in bounded memory.
"""

import os
import re
import shutil
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from mmap import ACCESS_READ, mmap
from pathlib import Path

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import CutOff
from adjudge.readers.io.json_stream import LongDocument, Span, open_document
from adjudge.readers.io.source import Format, Source
from adjudge.readers.pairs.annotated_pairs import NUMBER, Columns
from adjudge.readers.pairs.annotated_pairs_fast import Coded, Coder, coded_comparisons
from adjudge.readers.pairs.annotated_pairs_head import read_head
from adjudge.readers.pairs.pairs import Options, check_fixed, numbered_ids, other_warnings, repeated_warning
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, listed
from adjudge.schemas.pairs import AnnotatedPairs, add_lengths
from adjudge.temporary_folders import temporary_folder
from adjudge.version import NAME

IN_MEMORY = 1 << 28
"""Size of a file, in bytes, up to which its pairs are held in memory; those of larger ones go to a temporary file."""

_PART = 1 << 26
_THREADS = min(8, os.cpu_count() or 1)
_SAMPLE = 300
"""Comparisons whose fields become columns."""


def read_annotated_pairs(found: Opened[Options]) -> AnnotatedPairs:
    """The pairs in an AnnotatedPairs file.

    A large file is read once, into a temporary columnar file that is removed when Python ends. Raises
    DataError with all that is wrong, or leaves out the comparisons concerned, as the options say.
    """
    check_fixed(found, "AnnotatedPairs JSON")
    source = found.source
    with source.file.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        document = open_document(source.name, content, "comparisons")
        if not document.spans:
            raise DataError(f"{source.name}, comparisons: expected at least one; got an empty list")
        keeper = _Keeper(spill=len(content) > IN_MEMORY)
        try:
            return _checked(source.name, _read(source, document, keeper), keeper, drop=found.options.drop)
        except BaseException:
            keeper.discard()
            raise


@dataclass(slots=True)
class _Keeper:
    """Holds the frames of a file's pieces, in memory or in temporary Parquet files."""

    spill: bool
    frames: list[pl.DataFrame] = field(default_factory=list)
    parts: list[Path] = field(default_factory=list)
    folder: Path | None = None

    def add(self, frame: pl.DataFrame) -> None:
        self.frames.append(frame)
        if self.spill and sum(one.estimated_size() for one in self.frames) > _PART:
            self._write()

    def _write(self) -> None:
        if self.folder is None:
            self.folder = temporary_folder(f"{NAME}-pairs-")
        path = self.folder / f"{len(self.parts):06}.parquet"
        self._held().write_parquet(path, compression="lz4", statistics=False)
        self.parts.append(path)
        self.frames.clear()

    def _held(self) -> pl.DataFrame:
        return add_lengths(pl.concat(self.frames).lazy()).collect()

    def discard(self) -> None:
        """Remove the temporary files."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def frame(self) -> pl.LazyFrame:
        """All that was added, with the lengths of texts."""
        if not self.parts:
            return self._held().lazy()
        if self.frames:
            self._write()
        return pl.scan_parquet(self.parts)


def _read(source: Source, document: LongDocument, keeper: _Keeper) -> Columns:
    """Read all spans in their order; of those to come, some are coded in other threads."""
    sample = document.first(_SAMPLE)
    columns = Columns(source.name, *read_head(source.name, source.stem, document.members, sample), Findings("pair"))
    coder = Coder({one.id: place for place, one in enumerate(columns.head.annotators)})
    begun = None
    for span, coded in _ahead(document, coder):
        start, begun = span[0] if begun is None else begun, None
        if coded and coded.values is not None and start == span[0]:
            keeper.add(columns.take(coded.values, coded.votes))
            continue
        found = coded_comparisons(coded, source.name) if coded and start == span[0] else None
        try:
            comparisons = document.elements((start, span[1])) if found is None else found
        except CutOff:
            if span == document.spans[-1]:
                raise
            begun = start
        else:
            keeper.add(columns.read(comparisons))
    return columns


def _ahead(document: LongDocument, coder: Coder) -> Iterator[tuple[Span, Coded | None]]:
    """Each span, coded where that is possible."""

    def coded(span: Span) -> Coded | None:
        return coder.code(document.bytes(span))

    spans = document.spans
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting = deque(pool.submit(coded, span) for span in spans[:_THREADS])
        for place, span in enumerate(spans):
            waiting.extend(pool.submit(coded, later) for later in spans[place + _THREADS : place + _THREADS + 1])
            yield span, waiting.popleft().result()


def _checked(name: str, columns: Columns, keeper: _Keeper, *, drop: bool) -> AnnotatedPairs:
    head = columns.head
    settled = columns.findings.settle(drop=drop)
    if columns.rows == columns.findings.dropped:
        raise DataError(f"{name}: no pair is left after dropping")
    frame, repeated = _distinct(keeper.frame())
    warnings = (*other_warnings(columns.others), *_unread_warnings(columns.unread), *settled, *repeated)
    return replace(head, frame=frame.select(head.columns), warnings=warnings)


def _unread_warnings(unread: Mapping[str, int]) -> list[str]:
    """One that names what stands in comparisons and is not read."""
    if not unread:
        return []
    shown = [f"{name:.60} (first in comparison {number})" for name, number in unread.items()]
    hint = "; declare it in available_metadata_keys_per_comparison" if "metadata" in "".join(unread) else ""
    return [f"comparisons hold names that are not read: {listed(shown)}{hint}"]


def _distinct(frame: pl.LazyFrame) -> tuple[pl.LazyFrame, list[str]]:
    """The frame with each id once, and a warning where ids stood several times: tools make them of what a pair says."""
    ids = frame.select("pair", NUMBER).collect()
    again = ids.with_columns(numbered_ids(ids["pair"]).alias("new")).filter(pl.col("pair") != pl.col("new"))
    if again.is_empty():
        return frame, []
    renamed = pl.col(NUMBER).replace_strict(again[NUMBER], again["new"], default=pl.col("pair"))
    return frame.with_columns(renamed.alias("pair")), [repeated_warning(again["pair"], again["new"])]


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*\\?(?:"(\s*:)?|\Z)|[{[]|[]}]', re.DOTALL)
"""A string, perhaps cut off, or one that is a name; a bracket that opens; one that closes."""


def _looks_like(found: Opened[Options]) -> bool:
    """Whether a file of JSON holds one object with a part of such a file, or with metadata alone as far as one sees."""
    content = found.start.content
    if found.source.format != "json" or not content.startswith(b"{"):
        return False
    names = set(_names(content))
    return bool(names & set(_OWN)) or names == {b'"metadata"'}


def _names(content: bytes) -> Iterator[bytes]:
    """The names in the object that a document begins with, and in none within it, each in its quotes."""
    depth = 0
    for token in _TOKEN.finditer(content):
        if token[1] and depth == 1:
            yield token[0].removesuffix(token[1])
        depth += (token[0] in b"{[") - (token[0] in b"]}")


_OWN = (b'"comparisons"', b'"annotators"')
"""Names that stand near the beginning of such files alone."""
FORMAT = Format("annotated-pairs", "annotations", read_annotated_pairs, _looks_like, 2, (".json",), own=_OWN)
