"""What is kept of files that were counted, so that a killed run goes on and no unchanged file is read again.

A file of a folder holds what was counted of one input. Its name is a hash of all that it depends on: the version, the
evaluation, the settings, what other files say, and the input's name and bytes. Whatever changes has another name.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

from polars.exceptions import PolarsError

from adjudge.errors import OptionError
from adjudge.metrics.partial_counts import PartialCounts, Settings, read_part, write_part
from adjudge.readers.io.source import Source
from adjudge.render.files import write_whole
from adjudge.version import NAME, __version__

Count = Callable[[Source, Settings], PartialCounts]


@dataclass(frozen=True)
class Checkpoint:
    """Counts a file, unless the folder holds what was counted of it. settings: all that counts depend on, as text."""

    folder: Path
    settings: str

    def count_once(self, count: Count, said: str, source: Source, known: Settings) -> PartialCounts:
        """What `count` makes of a file. said: which of several counts of the same file this is."""
        depends = [__version__, self.settings, said, known, source.name, source.sha256(), source.rows]
        key = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()
        path = self.folder / f"{key}.{NAME}"
        with suppress(FileNotFoundError, BadZipFile, NotImplementedError, PolarsError):
            return read_part(path)
        found = count(source, known)
        write_whole(path, lambda partial: write_part(found, partial))
        return found


def make_folder(name: str) -> Path:
    """The folder that keeps counts, made where there is none. Raises OptionError where that cannot be."""
    folder = Path(name).absolute()
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OptionError(f"{name} cannot be made a folder: {error.strerror}", option="resume") from None
    return folder
