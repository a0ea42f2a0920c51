"""Partial counts of one file: plain frames that are added over files, in any process.

Counts are whole numbers, and real scores are values with the number of rows that have each, so that sums do not depend
on the split of the data or the order of the parts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TypeVar
from zipfile import ZipFile

import polars as pl

from adjudge.metrics.cells import COUNT
from adjudge.readers.io.source import Source

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, eq=False)
class SmallestRows:
    """The `most` rows with the smallest values in the first column, of each file and after merging."""

    most: int
    frame: pl.DataFrame


@dataclass(frozen=True, eq=False)
class PartialCounts:
    """Partial counts of one file, or of several files merged.

    counts: name -> a frame with the number of occurrences of each row in COUNT. rows: name -> other rows, all of which
    are kept. least: name -> rows of which a fixed number is kept, such as a few to show.
    """

    counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    rows: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    least: Mapping[str, SmallestRows] = field(default_factory=dict)


def merge_parts(parts: Sequence[PartialCounts]) -> PartialCounts:
    """Merge parts: counts are added, other rows are concatenated in the order of the parts."""
    counts = {}
    for name, frames in _group_by_name(part.counts for part in parts).items():
        keys = [column for column in frames[0].columns if column != COUNT]
        counts[name] = pl.concat(frames).group_by(keys).agg(pl.col(COUNT).sum())
    frames_by_name = _group_by_name(part.rows for part in parts)
    rows = {name: pl.concat(frames, how="diagonal") for name, frames in frames_by_name.items()}
    least = {}
    for name, some in _group_by_name(part.least for part in parts).items():
        frame, most = pl.concat(part.frame for part in some), some[0].most
        kept = frame.bottom_k(most, by=frame.columns[0]) if frame.height > most else frame
        least[name] = SmallestRows(most, kept)
    return PartialCounts(counts, rows, least)


def _group_by_name(parts: Iterable[Mapping[str, T]]) -> dict[str, list[T]]:
    frames: dict[str, list[T]] = {}
    for part in parts:
        for name, frame in part.items():
            frames.setdefault(name, []).append(frame)
    return frames


def write_part(part: PartialCounts, path: Path) -> None:
    """Write a part as an archive of Arrow files."""
    with ZipFile(path, "w") as archive:
        frames = {f"counts/{name}": frame for name, frame in part.counts.items()}
        frames |= {f"rows/{name}": frame for name, frame in part.rows.items()}
        frames |= {f"{rows.most}/{name}": rows.frame for name, rows in part.least.items()}
        for place, frame in frames.items():
            made = BytesIO()
            frame.write_ipc(made, compression="zstd")
            archive.writestr(place, made.getvalue())


def read_part(path: Path) -> PartialCounts:
    """Read what `write_part` wrote. Raises BadZipFile, NotImplementedError or PolarsError for a damaged file."""
    frames: dict[str, dict[str, pl.DataFrame]] = {"counts": {}, "rows": {}}
    with ZipFile(path) as archive:
        for member in archive.namelist():
            kind, _, name = member.partition("/")
            frames.setdefault(kind, {})[name] = pl.read_ipc(archive.read(member))
    counts, rows = frames.pop("counts"), frames.pop("rows")
    least = {name: SmallestRows(int(most), frame) for most, some in frames.items() for name, frame in some.items()}
    return PartialCounts(counts, rows, least)


Settings = Mapping[str, object]
"""Facts from an earlier pass that all parts need about the others; plain data that JSON can hold."""


class Workers:
    """Counts parts, in this process or elsewhere; the evaluations do not depend on where.

    By default files are counted one after the other in this process, and pieces of a table in threads.
    """

    def files(
        self,
        step: str,  # noqa: ARG002 - shown by other workers
        /,
        count: Callable[[Source, Settings], U],
        sources: Sequence[Source],
        known: Settings,
    ) -> list[U]:
        """The result of `count` for each readable file, in the order of the files.

        step: its name, for display. count: a function; of a module, perhaps with arguments bound by `partial`, if other
        processes may count. Unreadable files raise a DataError with all their messages,
        or are skipped, depending on the options.
        """
        return [count(source, known) for source in sources]

    def pieces(self, step: str, /, work: Callable[[T], U], pieces: Sequence[T]) -> list[U]:
        """The result of `work` for each piece of data, in their order, such as verdicts on texts.

        step, work: see `files`. No result is cached.
        """
        with ThreadPoolExecutor() as pool:
            return list(self.progress(step, pool.map(work, pieces), len(pieces)))

    def map_loaded(self, step: str, /, load: Callable[[], Callable[[T], U]], pieces: Sequence[T]) -> list[U]:
        """The results of a model on each piece, in order. load: called once, returns the model's work."""
        return list(self.progress(step, map(load(), pieces), len(pieces)))

    def progress(self, step: str, results: Iterable[U], total: int) -> Iterable[U]:  # noqa: ARG002
        """The results of a step, one after the other; others display how many of the total there are."""
        return results


LOCAL_WORKERS = Workers()
