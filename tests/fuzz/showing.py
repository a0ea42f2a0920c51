"""What may be wrong with a report however it is shown: signs that steer a terminal, markup that runs, formulas, bad XML."""

import csv
import io
import json
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

from adjudge.render.files import report_workbook, table_csv
from adjudge.render.html import report_page
from adjudge.render.junit import junit_xml
from adjudge.render.latex import report_latex
from adjudge.render.markdown import report_markdown
from adjudge.render.terminal import report_text
from adjudge.report import Report
from fuzz.showing_files import latex_wrong, workbook_wrong

LEADING = {"href", "xlink:href", "src", "srcset", "action", "formaction", "style", "data", "ping"}
"""Attributes whose values are fetched, or followed."""
STEERING = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]


def shown_wrong(report: Report) -> str:
    """What is wrong with a report in any of its forms; nothing where all is well."""
    for name, text in (
        ("terminal", report_text(report, width=100, details=True)),
        ("markdown", report_markdown(report)),
    ):
        if found := [sign for sign in STEERING if sign != "\n" and sign in text]:
            return f"{name}: holds {found!r}"
    ET.fromstring(junit_xml(report))  # noqa: S314 - our own
    for name, table in report.tables.items():
        for row in csv.reader(io.StringIO(table_csv(table))):
            if found := [cell for cell in row if _is_formula(cell)]:
                return f"csv: {name} holds the formula {found[0]!r}"
    if said := latex_wrong(report_latex(report)):
        return f"LaTeX: {said}"
    if said := workbook_wrong(report_workbook(report)):
        return f"workbook: {said}"
    page = _Page()
    page.feed(report_page([report]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        report.save(path)
        saved = path.read_text(encoding="utf-8")
        json.loads(saved)
        if Report.load(path).to_json() != saved:
            return "a saved report is read as another"
    return f"page: {page.wrong[0]}" if page.wrong else ""


def _is_formula(cell: str) -> bool:
    if cell[:1] not in ("=", "+", "-", "@"):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


class _Page(HTMLParser):
    """Looks for what runs, or fetches, in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            leads = name in LEADING and (value or "").strip().lower().startswith(("javascript:", "http://127"))
            if name.startswith("on") or leads:
                self.wrong.append(f"<{tag} {name}={value!r}>")
        if tag in {"iframe", "object", "embed", "base"} or (
            tag == "img" and not dict(attrs).get("src", "data:").startswith("data:")
        ):
            self.wrong.append(f"<{tag}>")
