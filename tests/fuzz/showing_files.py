"""What may be wrong with a report as LaTeX, of which names could run commands, or as a workbook, in which they could be formulas."""

import io
import re
import zipfile
from xml.etree import ElementTree as ET

COMMANDS = {
    *("begin", "end", "toprule", "midrule", "bottomrule", "cmidrule", "multicolumn"),
    *("footnotesize", "scriptsize", "par"),
    *("textbackslash", "textasciitilde", "textasciicircum", *"\\&%$#_{}"),
}
"""The commands, and the signs behind a backslash, that tables are made of: none reads, writes or defines anything."""
_TOKEN = re.compile(r"\\([A-Za-z@]+|.)|([{}$%#^~&_])|.", re.DOTALL)
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def latex_wrong(text: str) -> str:
    """What is wrong with a table of LaTeX; nothing where all is well."""
    if found := _STEERING.search(text):
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
