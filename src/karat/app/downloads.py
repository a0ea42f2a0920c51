"""What can be taken away: figures, items, pictures, and the line that gives them on the command line."""

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from karat.app import words
from karat.app.results import Result
from karat.render.charts import picture
from karat.render.files import table_csv


def downloads(result: Result) -> None:
    """A button for each file, made when it is asked for."""
    report = result.report
    with st.expander("Download"):
        st.download_button("Report (HTML)", lambda: _saved(result, ".html"), "report.html")
        st.download_button("Report (JSON)", report.to_json, "report.json")
        st.download_button("Main table (CSV)", lambda: table_csv(report[report.about.main]), "figures.csv")
        st.download_button("Outcomes (Parquet)", lambda: _parquet(result), "items.parquet")
        st.download_button("Picture (PNG)", lambda: picture(report, ".png"), "picture.png")
        st.download_button("Picture (SVG)", lambda: picture(report, ".svg"), "picture.svg")
    if report.command:
        words.remark("The same on the command line:")
        st.code(report.command, language=None, wrap_lines=True)


def _saved(result: Result, ending: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"report{ending}"
        result.report.save(path)
        return path.read_bytes()


def _parquet(result: Result) -> bytes:
    file = BytesIO()
    result.outcomes.collect().write_parquet(file)
    return file.getvalue()
