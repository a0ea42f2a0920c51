"""What can be taken away: figures, items, pictures, and the line that gives them on the command line.

A button leaves the page as it is (`on_click="ignore"`): were it made again, streamlit would throw the file away, now
and then before the browser has fetched it.
"""

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import streamlit as st

from karat.app import words
from karat.app.results import Result
from karat.app.uploads import without_place
from karat.render.charts import picture
from karat.render.files import table_csv
from karat.report import Report


def downloads(result: Result) -> None:
    """A button for each file, made when it is asked for, and the command."""
    report = result.report
    with st.expander("Download"):
        st.download_button(
            "Report (HTML)", lambda: _saved(report, ".html"), "report.html", width="stretch", on_click="ignore"
        )
        st.download_button("Report (JSON)", report.to_json, "report.json", width="stretch", on_click="ignore")
        words.remark("Tables, pictures and items have buttons of their own, where they are shown.")
    if report.command:
        words.remark("The same on the command line:")
        shown = without_place(report.command)
        st.code(shown, language=None, wrap_lines=True)
        if shown != report.command:
            words.remark("The files named there are those that were opened here: say where yours lie.")


def of_table(report: Report, name: str) -> None:
    """A table as CSV and as Parquet."""
    first, second, _ = st.columns([1, 1, 4])
    first.download_button("CSV", lambda: table_csv(report[name]), f"{name}.csv", width="stretch", on_click="ignore")
    second.download_button(
        "Parquet", lambda: _parquet(report[name]), f"{name}.parquet", width="stretch", on_click="ignore"
    )


def of_picture(report: Report, name: str) -> None:
    """A picture as PNG and as SVG."""
    first, second, _ = st.columns([1, 1, 4])
    for place, ending in ((first, "png"), (second, "svg")):
        place.download_button(
            ending.upper(),
            lambda ending=ending: picture(report, f".{ending}", name),  # type: ignore[misc]
            f"{name}.{ending}",
            key=f"download-{name}-{ending}",
            width="stretch",
            on_click="ignore",
        )


def of_items(found: pl.LazyFrame) -> None:
    """The outcomes that are chosen as CSV and as Parquet."""
    first, second, _ = st.columns([1, 1, 4])
    first.download_button("CSV", lambda: table_csv(found.collect()), "items.csv", width="stretch", on_click="ignore")
    second.download_button(
        "Parquet", lambda: _parquet(found.collect()), "items.parquet", width="stretch", on_click="ignore"
    )


def _saved(report: Report, ending: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"report{ending}"
        report.save(path)
        return path.read_bytes()


def _parquet(frame: pl.DataFrame) -> bytes:
    file = BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
