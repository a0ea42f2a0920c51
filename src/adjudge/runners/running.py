"""Files counted by a runner: with what was counted before, what cannot be read, and how far it is.

What was counted is kept in a folder, if asked, so that a killed run goes on and no unchanged file is read again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import polars as pl
from polars.exceptions import PolarsError

from adjudge.errors import AdjudgeError, DataError, OptionError, merge_errors
from adjudge.metrics.partial_counts import (
    PartCollector,
    PartialCounts,
    Settings,
    T,
    U,
    Workers,
    read_part,
    write_part,
)
from adjudge.readers.io.source import Source
from adjudge.readers.problems import count_words
from adjudge.readers.tables import damage_named
from adjudge.render.files import write_whole
from adjudge.report import typed_table
from adjudge.runners.runner import Done, LostError, Runner, Threads
from adjudge.version import NAME, __version__

LEFT_OUT = "files_left_out"
"""The table of files that cannot be read."""


_FORMAT = 2
"""Of counts that are kept; a new one where their columns change, so that older ones are counted again."""
Count = Callable[[Source, Settings], PartialCounts]


@dataclass(frozen=True)
class Checkpoint:
    """Counts a file, unless the folder holds what was counted of it. settings: all that counts depend on, as text.

    A file of the folder holds what was counted of one input. Its name is a hash of all that it depends on: the version,
    the format, the evaluation, the settings, what other files say, and the input's name and bytes.
    """

    folder: Path
    settings: str

    def count_once(self, count: Count, said: str, source: Source, known: Settings) -> PartialCounts:
        """What `count` makes of a file. said: which of several counts of the same file this is."""
        depends = [__version__, _FORMAT, self.settings, said, known, source.name, source.sha256(), source.rows]
        key = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()
        path = self.folder / f"{key}.{NAME}"
        with suppress(FileNotFoundError, BadZipFile, NotImplementedError, PolarsError):
            return read_part(path)
        found = count(source, known)
        write_whole(path, lambda partial: write_part(found, partial))
        return found


@contextmanager
def running(
    name: str,
    address: str | None,
    folder: str | None,
    settings: str,
    *,
    drop: bool,
    step: Callable[[str], AbstractContextManager[Any]],
) -> "Iterator[Running]":
    """Who counts files, as long as the block runs.

    name, address: see `runner_of`. folder, settings: where counts are kept, and all that they depend on besides the
    files. drop, step: see Running. Raises OptionError where the folder cannot be made.
    """
    kept = None if folder is None else Checkpoint(Path(folder).absolute(), settings)
    if kept:
        try:
            kept.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OptionError(f"{folder} cannot be made a folder: {error.strerror}", option="resume") from None
    with closing(runner_of(name, address)) as runner:
        yield Running(runner, step, kept, drop)


def runner_of(name: str, address: str | None) -> Runner:
    """The runner of a name. address: of a Ray cluster; None for one that is started."""
    if name == "ray":
        from adjudge.runners.on_ray import OnRay

        return OnRay(address)
    from adjudge.runners.processes import Processes

    return Processes() if name == "processes" else Threads()


@dataclass(frozen=True)
class Running(Workers):
    """Workers of a run; see `adjudge.metrics.partial_counts.Workers`.

    kept: what was counted before; None where nothing is kept. drop: whether files that cannot be read are left out.
    step: called with the name of each step; its context may yield what is told how far the step is. lost: the files
    left out so far, and why.
    """

    runner: Runner
    step: Callable[[str], AbstractContextManager[Any]]
    kept: Checkpoint | None = None
    drop: bool = False
    lost: dict[str, str] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Whether parts are counted in other processes."""
        return not isinstance(self.runner, Threads)

    @property
    def separate(self) -> bool:
        """Whether parts come from other processes, or from what was kept."""
        return self.kept is not None or self.remote

    def files(
        self,
        said: str,
        count: Count,
        sources: Sequence[Source],
        known: Settings,
        *,
        ranges: Callable[[Source], Sequence[Source]] | None = None,
    ) -> list[PartialCounts]:
        """See `Workers`. What is wrong in Adjudge itself is raised as it is, at once.

        What is wrong with an option is raised for the first file that says so, whichever file is counted first.
        """
        if ranges and self.remote and not self.drop:
            sources = [one for source in sources for one in ranges(source)]
        work = partial(_count_source, said, count, self.kept, known)
        left = [_absolute(source) for source in sources if source.name not in self.lost]
        found, done = PartCollector(), set[int]()
        wrong: dict[int, DataError] = {}
        refused: dict[int, OptionError] = {}
        unit = "files" if len({source.name for source in left}) == len(left) else "parts of files"
        with self.step(said) as tell:
            for place, result in self.runner.map(work, left):
                done.add(place)
                if isinstance(result, PartialCounts):
                    found.add(place, result)
                elif isinstance(result, OptionError):
                    refused[place] = result
                else:
                    wrong[place] = _error(left[place], result)
                if refused and done.issuperset(range(min(refused))):
                    raise refused[min(refused)]
                if callable(tell):
                    tell(len(done), len(left), f"{len(done):,} of {len(left):,} {unit}")
        of_files = {left[place].name: wrong[place] for place in sorted(wrong, reverse=True)}
        self._settle([*reversed(of_files.items())], others=len(found) > 0)
        return found.parts()

    def pieces(self, said: str, work: Callable[[T], U], pieces: Sequence[T]) -> list[U]:
        """See `Workers`. Raises DataError where workers die of one."""
        return self._results_of_pieces(said, self.runner.map(work, pieces), len(pieces))

    def map_loaded(self, said: str, load: Callable[[], Callable[[T], U]], pieces: Sequence[T]) -> list[U]:
        """See `Workers`. Raises DataError where workers die of one."""
        return self._results_of_pieces(said, self.runner.map_loaded(load, pieces), len(pieces))

    def _results_of_pieces(self, said: str, results: Iterator[Done], total: int) -> list[Any]:
        """What became of all pieces, in their order."""
        found: dict[int, Any] = {}
        with self.step(said) as tell:
            for place, result in results:
                if isinstance(result, LostError):
                    raise DataError(f"{said}, part {place + 1} of {total:,}: {result}")
                if isinstance(result, BaseException):
                    raise result
                found[place] = result
                if callable(tell):
                    tell(len(found), total, f"{len(found):,} of {total:,} parts")
        return [found[place] for place in range(total)]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is said of files that were left out."""
        many = count_words(len(self.lost), "file cannot be read and is", "files cannot be read and are")
        return (f"{many} left out; the table {LEFT_OUT} says why",) if self.lost else ()

    @property
    def left_out(self) -> dict[str, pl.DataFrame]:
        """The table of files that were left out, if any were."""
        rows = [{"file": name, "reason": reason} for name, reason in self.lost.items()]
        return {LEFT_OUT: typed_table(rows, ["file", "reason"])} if rows else {}

    def _settle(self, wrong: Sequence[tuple[str, DataError]], *, others: bool) -> None:
        """Raises DataError with all that is wrong, or notes it where files may be left out and others are there."""
        if not wrong:
            return
        if not (self.drop and others):
            raise merge_errors([error for _, error in wrong])
        self.lost.update({name: error.messages[0] for name, error in wrong})


def _count_source(said: str, count: Count, kept: Checkpoint | None, known: Settings, source: Source) -> PartialCounts:
    source.check_sound()
    with damage_named([source]):
        return count(source, known) if kept is None else kept.count_once(count, said, source, known)


def _absolute(source: Source) -> Source:
    """A source with absolute paths, for processes in another folder."""
    path, given = (None if one is None else one.absolute() for one in (source.path, source.given))
    return replace(source, path=path, given=given)


def _error(source: Source, result: BaseException) -> DataError:
    """What a user reads of a file that was not counted. Raises what no user can do anything about."""
    if isinstance(result, DataError):
        return result
    if isinstance(result, LostError):
        return DataError(f"{source.name}: {result}")
    if isinstance(result, OSError) and not isinstance(result, AdjudgeError):
        return DataError(f"{source.name}: cannot be read where it is counted: {result.strerror or result}")
    raise result
