"""What may be wrong with a report however it is shown: signs that steer a terminal, markup that runs, formulas, bad XML."""

import csv
import io
import json
import re
import tempfile
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

from adjudge.render.files import junit_xml, report_workbook, table_csv
from adjudge.render.html import report_page
from adjudge.render.latex import report_latex
from adjudge.render.markdown import report_markdown
from adjudge.render.terminal import report_text
from adjudge.report import Report

LEADING = {"href", "xlink:href", "src", "srcset", "action", "formaction", "style", "data", "ping"}
"""Attributes whose values are fetched, or followed."""
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
COMMANDS = {
    *("begin", "end", "toprule", "midrule", "bottomrule", "cmidrule", "multicolumn"),
    *("footnotesize", "scriptsize", "par"),
    *("textbackslash", "textasciitilde", "textasciicircum", *"\\&%$#_{}"),
}
"""The commands, and the signs behind a backslash, that tables are made of: none reads, writes or defines anything."""
_TOKEN = re.compile(r"\\([A-Za-z@]+|.)|([{}$%#^~&_])|.", re.DOTALL)


def shown_wrong(report: Report) -> str:
    """What is wrong with a report in any of its forms; nothing where all is well."""
    for name, text in (
        ("terminal", report_text(report, width=100, details=True)),
        ("markdown", report_markdown(report)),
    ):
        if found := STEERING.search(text):
            return f"{name}: holds {found[0]!r}"
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


def latex_wrong(text: str) -> str:
    """What is wrong with a table of LaTeX; nothing where all is well."""
    if found := STEERING.search(text):
        return f"holds {found[0]!r}"
    for line in text.splitlines():
        if not line.startswith("%") and (said := _line_wrong(line)):
            return f"{said} in {line:.200}"
    return ""


def _line_wrong(line: str) -> str:
    """What is wrong with a line, as TeX reads it: commands that do more than set text, groups that do not end in it."""
    depth, in_math = 0, False
    for token in _TOKEN.finditer(line):
        command, sign = token[1], token[2]
        if command and command not in COMMANDS:
            return f"runs \\{command}"
        depth += {"{": 1, "}": -1}.get(sign or "", 0)
        in_math ^= sign == "$"
        if depth < 0 or sign in {"%", "#", "_"} or (sign == "^" and not in_math):
            return f"holds a bare {sign}"
    return "a group does not end" if depth or in_math else ""


def workbook_wrong(content: bytes) -> str:
    """What is wrong with a workbook: cells that compute, links, parts that are no tables, bad XML."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        for name in book.namelist():
            root = ET.fromstring(book.read(name))  # noqa: S314 - our own
            kinds = {one.tag.rpartition("}")[2] for one in root.iter()}
            modes = {one.get("TargetMode") for one in root.iter()}
            if "f" in kinds or "hyperlink" in kinds or "External" in modes or re.search("external|vba|drawing", name):
                return f"{name} holds a formula or a link"
    return ""
