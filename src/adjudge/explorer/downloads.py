"""What can be taken away: figures, items, charts, and the line that gives them on the command line."""

import re
from collections.abc import Callable
from functools import partial

import polars as pl
import streamlit as st

from adjudge.explorer import markup
from adjudge.explorer.results import Result
from adjudge.explorer.uploads import SIMULATED_FOLDER, without_place
from adjudge.render.charts.output import chart_file
from adjudge.render.files import table_csv
from adjudge.render.html import report_page
from adjudge.version import NAME


def downloads(result: Result) -> None:
    """A button for each file, made when it is asked for, and the command."""
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
            if re.search(SIMULATED_FOLDER, report.command):
                markup.remark(f"Its files are simulated: run {NAME} demo, then this in the folder {NAME}-demo.")
            elif shown != report.command:
                markup.remark("Replace the names of the files by their paths.")


def of_frame(name: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
    """A table as CSV."""
    _button("Save as CSV", lambda: table_csv(frame.lazy().collect()), f"{name}.csv")


def _button(title: str, make: Callable[[], str | bytes], file: str) -> None:
    """A button for a file, which leaves the page as it is.

    Were the page made again, streamlit would throw the file away, now and then before the browser has fetched it.
    """
    st.download_button(title, make, file, on_click="ignore")
