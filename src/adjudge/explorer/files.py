"""Files opened in the browser, kept in a folder for the session, and files saved from there."""

import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from weakref import finalize

import polars as pl
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from adjudge.errors import AdjudgeError
from adjudge.explorer import markup
from adjudge.explorer.inputs import SIMULATED, ExplorerInput, open_inputs
from adjudge.explorer.results import Result
from adjudge.render.charts.output import chart_file
from adjudge.render.files import table_csv
from adjudge.render.html import report_page
from adjudge.version import NAME

NEW, _FOLDER = "new files", "folder"
"""Keys of the state: whether opened files are still unused, and their folder."""
_SIMULATED_FOLDER = f"{re.escape(gettempdir())}/{SIMULATED}[^/]+"
"""Matches the folder of simulated data."""
_NAME = 120
"""The most characters of a file's name."""


class SessionFolder:
    """A folder that is removed with the session that holds it."""

    def __init__(self) -> None:
        self.name = mkdtemp(prefix=f"{NAME}-opened-")
        finalize(self, rmtree, self.name, ignore_errors=True)


def uploads() -> list[ExplorerInput]:
    """Inputs for the files that are opened in the browser, as if from the command line."""
    with st.expander("Open files"):
        given: list[UploadedFile] = st.file_uploader(
            "Files that belong together, such as true labels and predictions",
            accept_multiple_files=True,
            key="files",
            on_change=lambda: st.session_state.update({NEW: True}),
        )
        if not given:
            return []
        try:
            return open_inputs(tuple(map(str, _store_files(given))))
        except AdjudgeError as error:
            refuse(error)
            return []


def refuse(error: AdjudgeError) -> None:
    """Show what is wrong."""
    markup.refuse([without_place(line) for line in error.frame()])


def without_place(text: str) -> str:
    """A command or a message without the folders of simulated data and opened files."""
    opened_in = [st.session_state[_FOLDER].name] if _FOLDER in st.session_state else []
    folders = [f"{_SIMULATED_FOLDER}/", *(f"{re.escape(name)}/[0-9a-f]+-[0-9]+/" for name in opened_in)]
    return re.sub("|".join(folders), "", text)


def _store_files(given: list[UploadedFile]) -> list[Path]:
    """The files in a folder of their own inside the session's folder."""
    folder = st.session_state.setdefault(_FOLDER, SessionFolder())
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
    r"""The name of a file without folders and invisible characters.

    >>> safe_name("..\\../\x00a\u202eb.csv"), safe_name("..")
    ('ab.csv', 'file')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = "".join(letter for letter in last if letter.isprintable())[-_NAME:]
    return clean if clean.strip(".") else "file"


def downloads(result: Result) -> None:
    """A button for each file, made on request, and the command."""
    report = result.report
    with st.expander("Download"):
        _button("Report (HTML)", partial(report_page, [report]), "report.html")
        _button("Report (JSON)", report.to_json, "report.json")
        for ending in (".png", ".svg") if report.summary.table.rows else ():
            _button(f"Chart ({ending[1:].upper()})", partial(chart_file, report, ending), f"chart{ending}")
    if report.command:
        with st.expander("Command line"):
            shown = without_place(report.command)
            markup.command(shown)
            if re.search(_SIMULATED_FOLDER, report.command):
                markup.remark(f"Its files are simulated: run {NAME} demo, then this in the folder {NAME}-demo.")
            elif shown != report.command:
                markup.remark("Replace the names of the files by their paths.")


def save_frame(name: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
    """A table as CSV."""
    _button("Save as CSV", lambda: table_csv(frame.lazy().collect()), f"{name}.csv")


def _button(title: str, make: Callable[[], str | bytes], file: str) -> None:
    """A button for a file, which does not run the page again.

    A new run would discard the file, sometimes before the browser has fetched it.
    """
    st.download_button(title, make, file, on_click="ignore")
