"""Files that are opened in the browser: kept in a folder of the session, which goes with it."""

import re
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from weakref import finalize

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from adjudge.errors import AdjudgeError
from adjudge.explorer import words
from adjudge.explorer.opened import SIMULATED, Opened, opened
from adjudge.version import NAME

KEY, FOLDER, _NEW = "files", "folder", "new files"
_OF_SIMULATED = re.compile(f"{re.escape(gettempdir())}/{SIMULATED}[^/]+/")
_OPTION = re.compile(r"(?<!\S)--[a-z]")
_ELSEWHERE = (
    "Files are opened here without options. Score them on the command line with what is named above and with "
    "--output report.json, and open that report."
)
_NAME = 120
"""Characters of a file's name."""


class _Folder:
    """A folder that is removed with the session that holds it."""

    def __init__(self) -> None:
        self.name = mkdtemp(prefix=f"{NAME}-")
        finalize(self, rmtree, self.name, ignore_errors=True)


def uploads() -> list[Opened]:
    """What the files are that are opened in the browser, as if they had been given on the command line."""
    with st.expander("Open files"):
        given: list[UploadedFile] = st.file_uploader(
            "Files that belong together, such as true labels and predictions",
            accept_multiple_files=True,
            key=KEY,
            on_change=_changed,
        )
        if not given:
            return []
        try:
            return opened(tuple(map(str, _kept(given))))
        except AdjudgeError as error:
            refuse(error)
            return []


def refuse(error: AdjudgeError) -> None:
    """Say why files cannot be opened, and where options belong that would help, which nothing offers here."""
    lines = [without_place(one) for one in error.lines]
    words.refuse([*lines, *([_ELSEWHERE] if any(map(_OPTION.search, lines)) else [])])


def are_new() -> bool:
    """Whether files were opened that nobody has asked for yet."""
    return bool(st.session_state.pop(_NEW, False))


def _changed() -> None:
    st.session_state[_NEW] = True


def without_place(text: str) -> str:
    """A command or a message without the folders in which simulated data and opened files lie."""
    shown = _OF_SIMULATED.sub("", text)
    if FOLDER not in st.session_state:
        return shown
    return re.sub(f"{re.escape(st.session_state[FOLDER].name)}/[0-9a-f]+-[0-9]+/", "", shown)


def are_simulated(text: str) -> bool:
    """Whether a command names simulated data."""
    return _OF_SIMULATED.search(text) is not None


def _kept(given: list[UploadedFile]) -> list[Path]:
    """The files in a folder of their own, which the session's folder holds and is removed with it."""
    folder = st.session_state.setdefault(FOLDER, _Folder())
    together = sha256("\n".join(one.file_id for one in given).encode()).hexdigest()[:12]
    found = []
    for number, one in enumerate(given):
        path = Path(folder.name, f"{together}-{number}", safe_name(one.name))
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(one.getbuffer())
        found.append(path)
    return found


def safe_name(name: str) -> str:
    r"""The name of a file without folders, and without what cannot be seen.

    >>> safe_name("..\\../\x00a\u202eb.csv"), safe_name("..")
    ('ab.csv', 'file')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = "".join(letter for letter in last if letter.isprintable())[-_NAME:]
    return clean if clean.strip(".") else "file"
