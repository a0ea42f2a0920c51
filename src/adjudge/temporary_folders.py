"""Temporary folders, removed at exit; later processes remove those of killed ones."""

import atexit
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from adjudge.version import NAME


def temporary_folder(prefix: str, parent: Path | None = None) -> Path:
    """A new folder whose name begins with `prefix` and identifies its process and machine.

    On other systems than Windows, it first removes folders of the same user and machine whose process has ended: all of
    Adjudge's in TMPDIR, elsewhere those of the same prefix. parent: its parent folder; by default
    TMPDIR, from which it is removed when Python ends.
    """
    from platform import node

    place, machine = parent or Path(tempfile.gettempdir()), f"{crc32(node().encode()):08x}-"
    if sys.platform != "win32":  # where a signal would end the queried process
        begins = re.escape(prefix) if parent else rf"{NAME}-(?:[a-z]+-)?"
        _remove_stale(place, re.compile(rf"{begins}{machine}(\d{{1,9}})-\w{{8}}"))
    made = Path(tempfile.mkdtemp(prefix=f"{prefix}{machine}{os.getpid()}-", dir=place))
    if parent is None:
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _remove_stale(place: Path, name: re.Pattern[str]) -> None:
    """Remove the user's own folders whose process has ended. name: the pattern of their names, with the process."""
    with suppress(OSError), os.scandir(place) as held:
        for one in held:
            made = name.fullmatch(one.name)
            if not made or not one.is_dir(follow_symlinks=False) or _is_running(int(made[1])):
                continue
            if one.stat(follow_symlinks=False).st_uid == os.getuid():
                shutil.rmtree(one.path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
