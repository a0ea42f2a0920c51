"""Files counted by a runner, with earlier counts, unreadable files, and progress.

A folder can keep counts, so that a killed run resumes without reading unchanged files again.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from polars.exceptions import PolarsError

from adjudge.errors import AdjudgeError, DataError, OptionError, merge_errors
from adjudge.metrics.partial_counts import FileCount, PartialCounts, Settings, U, Workers, read_part, write_part
from adjudge.readers.io.source import Source
from adjudge.readers.tables import damage_named
from adjudge.render.files import write_whole
from adjudge.runners.runner import LostError, Processes, Runner, Threads
from adjudge.version import NAME, __version__

_FORMAT = 3
"""The format of stored counts. A new number makes older ones invalid."""


@dataclass(frozen=True)
class Checkpoint:
    """Counts a file, unless the folder has its counts. settings: all that counts depend on, as text.

    A file of the folder holds the counts of one input. Its name is a hash of all that they depend on: the version, the
    format, the evaluation, the settings, other files, and the input's name and bytes.
    """

    folder: Path
    settings: str

    def count_once(self, count: FileCount[PartialCounts], said: str, source: Source, known: Settings) -> PartialCounts:
        """The result of `count` for a file. said: the name of this count among several of the same file."""
        depends = [__version__, _FORMAT, self.settings, said, known, source.name, source.sha256()]
        key = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()
        path = self.folder / f"{key}.{NAME}"
        with suppress(FileNotFoundError, BadZipFile, NotImplementedError, PolarsError):
            return read_part(path)
        counts = count(source, known)
        write_whole(path, lambda partial: write_part(counts, partial))
        return counts


def checkpoint_in(folder: str, settings: str) -> Checkpoint:
    """The counts in a folder, which is made if need be. Raises OptionError if it cannot be."""
    kept = Checkpoint(Path(folder).absolute(), settings)
    try:
        kept.folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OptionError(f"{folder} cannot be made a folder: {error.strerror}", option="resume") from None
    return kept


def runner_of(name: str, address: str | None) -> Runner:
    """The runner of a name. address: of a Ray cluster; None starts one."""
    if name == "ray":
        from adjudge.runners.on_ray import OnRay

        return OnRay(address)
    return Processes() if name == "processes" else Threads()


@dataclass(eq=False)
class RunnerWorkers(Workers):
    """Workers of a run; see `adjudge.metrics.partial_counts.Workers`.

    kept: earlier counts; None if none are kept. drop: whether to exclude unreadable files. step: called with the name
    of each step; its context may yield a callback for progress. lost: file excluded so far -> the reason.
    """

    runner: Runner
    step: Callable[[str], AbstractContextManager[Any]]
    kept: Checkpoint | None = None
    drop: bool = False
    lost: dict[str, str] = field(default_factory=dict)

    def files(self, said: str, count: FileCount[U], sources: Sequence[Source], known: Settings) -> list[U]:
        """See `Workers`. Raises any error but a DataError unchanged, at once."""
        work = partial(_count_source, said, count, self.kept, known)
        # Processes may be in another folder.
        counted = [
            replace(source, path=source.path and source.path.absolute(), given=source.given and source.given.absolute())
            for source in sources
            if source.name not in self.lost
        ]
        parts, wrong = dict[int, U](), dict[int, DataError]()
        for place, result in self.progress(said, self.runner.map(work, counted), len(counted)):
            if isinstance(result, DataError):
                wrong[place] = result
            elif isinstance(result, LostError | OSError) and not isinstance(result, AdjudgeError):
                reason = getattr(result, "strerror", None) or result
                wrong[place] = DataError(f"{counted[place].name}: cannot be read where it is counted: {reason}")
            elif isinstance(result, Exception):
                raise result
            else:
                parts[place] = result
        errors = {counted[place].name: error for place, error in sorted(wrong.items())}
        if errors and not (self.drop and parts):
            raise merge_errors([*errors.values()])
        self.lost.update({name: error.lines[0] for name, error in errors.items()})
        return [part for _, part in sorted(parts.items())]

    def progress(self, step: str, results: Iterable[U], total: int) -> Iterator[U]:
        """See `Workers`."""
        with self.step(step) as tell:
            for number, result in enumerate(results, 1):
                yield result
                if callable(tell):
                    tell(number, total, f"{number:,} of {total:,} parts")


def _count_source(said: str, count: FileCount[Any], kept: Checkpoint | None, known: Settings, source: Source) -> Any:  # noqa: ANN401
    source.check_sound()
    with damage_named([source]):
        return count(source, known) if kept is None else kept.count_once(count, said, source, known)
