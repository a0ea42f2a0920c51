"""Temporary files: what becomes of inputs that are no plain files. They are removed when Python ends."""

import atexit
import shutil
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

from adjudge.version import NAME

_NUMBERS = count(1)


def scratch_file(ending: str) -> Path:
    """The path of a new temporary file, in the folder that TMPDIR names."""
    return _folder() / f"{next(_NUMBERS)}{ending}"


def named_file(name: str) -> Path:
    """The path of a new temporary file with a name."""
    folder = scratch_file("")
    folder.mkdir()
    return folder / name


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"{NAME}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
