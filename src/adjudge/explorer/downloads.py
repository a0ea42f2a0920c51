"""What can be taken away: figures, items, charts, and the line that gives them on the command line."""

from collections.abc import Callable
from functools import partial
from io import BytesIO

import polars as pl
import streamlit as st

from adjudge.explorer import markup
from adjudge.explorer.results import Result
from adjudge.explorer.uploads import are_simulated, without_place
from adjudge.render.files import table_csv
from adjudge.render.html import report_page
from adjudge.version import NAME


def downloads(result: Result) -> None:
    """A button for each file, made when it is asked for, and the command."""
    report = result.report
    with st.expander("Download"):
        _button("Report (HTML)", partial(report_page, [report]), "report.html")
        _button("Report (JSON)", report.to_json, "report.json")
    if report.command:
        with st.expander("Command line"):
            shown = without_place(report.command)
            markup.command(shown)
            if are_simulated(report.command):
                markup.remark(f"Its files are simulated: run {NAME} demo, then this in the folder {NAME}-demo.")
            elif shown != report.command:
                markup.remark("Replace the names of the files by their paths.")


def of_frame(name: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
    """A table as CSV and as Parquet."""
    rows = frame.lazy()
    with st.container(horizontal=True):
        _button("Save as CSV", lambda: table_csv(rows.collect()), f"{name}.csv")
        _button("Save as Parquet", lambda: _parquet(rows.collect()), f"{name}.parquet")


def of_chart(name: str, make: Callable[[str], bytes]) -> None:
    """A chart as PNG and as SVG. make: the file with an ending."""
    with st.container(horizontal=True):
        for ending in ("png", "svg"):
            _button(
                f"Save as {ending.upper()}",
                partial(make, f".{ending}"),
                f"{name}.{ending}",
                f"download-{name}-{ending}",
            )


def _button(title: str, make: Callable[[], str | bytes], file: str, key: str | None = None) -> None:
    """A button for a file, which leaves the page as it is.

    Were the page made again, streamlit would throw the file away, now and then before the browser has fetched it.
    """
    st.download_button(title, make, file, key=key, on_click="ignore")


def _parquet(frame: pl.DataFrame) -> bytes:
    file = BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
