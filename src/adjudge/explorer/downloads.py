"""What can be taken away: figures, items, pictures, and the line that gives them on the command line."""

from collections.abc import Callable
from functools import partial
from io import BytesIO

import polars as pl
import streamlit as st

from adjudge.explorer import markup
from adjudge.explorer.results import Result
from adjudge.explorer.uploads import are_simulated, without_place
from adjudge.render.charts import as_file
from adjudge.render.files import table_csv
from adjudge.render.html import report_page
from adjudge.render.kit.style import RenderedChart
from adjudge.version import NAME


def downloads(result: Result) -> None:
    """A button for each file, made when it is asked for, and the command."""
    report = result.report
    with st.expander("Download"):
        _button("Report (HTML)", partial(report_page, [report]), "report.html")
        _button("Report (JSON)", report.to_json, "report.json")
        markup.remark("Tables, pictures and lists have buttons of their own, where they are shown.")
    if report.command:
        markup.remark("The figures on the command line (click to select):")
        shown = without_place(report.command)
        markup.command(shown)
        if are_simulated(report.command):
            demo = f"run {NAME} demo first, then this in the folder {NAME}-demo"
            markup.remark(f"The files named there are simulated: {demo}.")
        elif shown != report.command:
            markup.remark("The files named there are those that were opened here: say where yours lie.")


def of_frame(name: str, frame: pl.DataFrame | pl.LazyFrame) -> None:
    """A table as CSV and as Parquet."""
    rows = frame.lazy()
    with st.container(horizontal=True):
        _button("Save as CSV", lambda: table_csv(rows.collect()), f"{name}.csv")
        _button("Save as Parquet", lambda: _parquet(rows.collect()), f"{name}.parquet")


def of_picture(chart: RenderedChart) -> None:
    """A picture as PNG and as SVG."""
    with st.container(horizontal=True):
        for ending in ("png", "svg"):
            make, file = partial(as_file, chart, f".{ending}"), f"{chart.name}.{ending}"
            _button(f"Save as {ending.upper()}", make, file, f"download-{chart.name}-{ending}")


def _button(title: str, make: Callable[[], str | bytes], file: str, key: str | None = None) -> None:
    """A button for a file, which leaves the page as it is.

    Were the page made again, streamlit would throw the file away, now and then before the browser has fetched it.
    """
    st.download_button(title, make, file, key=key, on_click="ignore")


def _parquet(frame: pl.DataFrame) -> bytes:
    file = BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
