"""Temporary folders, removed at exit."""

import atexit
import shutil
import tempfile
from pathlib import Path


def temporary_folder(prefix: str, parent: Path | None = None) -> Path:
    """A new folder whose name begins with `prefix`.

    parent: its parent folder; by default TMPDIR, from which it is removed when Python ends.
    """
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    if parent is None:
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
