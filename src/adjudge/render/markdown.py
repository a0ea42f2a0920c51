"""A report as Markdown for a comment: the terminal's content, as far as it fits."""

import re

from adjudge.render.tables import PrintedTable, TableCell, printed_table, printed_tables, summary_table
from adjudge.render.visible_text import turns_named
from adjudge.report import Report, truncate

LONGEST = 65_536
"""The most characters of a comment on GitHub."""
_LONG = 10
"""Tables with more rows than these are folded, except the main table."""
_MOST_ROWS, _LETTERS = 60, 200
"""The most rows of a table, and letters of a text from the data."""
_NAMES = 2000
"""Room for the names of tables that do not fit."""
_MOST_LINES = 10
"""The most cautions or gates in a comment."""
_SENTENCE = 2000
"""The most letters of a sentence."""

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_CONTROLS = dict.fromkeys([*range(32), *range(0x7F, 0xA0)], "\ufffd") | dict.fromkeys(map(ord, "\r\n\t"), " ")
_REPLACED = _CONTROLS | {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;", ord("@"): "@\u200b"}
_LINKED = re.compile(r"[#!](?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""The start of texts that GitHub or GitLab link even if they are escaped: #1, !1, GH-1, http://, www."""
_BLOCK = re.compile(r"(?=[-+=#])|\d+(?=[.)])")
"""The text before the character that turns a line into a heading or a list."""


def report_markdown(report: Report) -> str:
    """The report as Markdown: the summary and the default tables, with their provenance.

    Long tables are folded. The report names those that do not fit into a comment.
    """
    summary = report.summary
    head = [f"# {_text(summary.title)}", _line(summary.context), f"**{_line(summary.verdict)}**"]
    head += _table(summary_table(report, _MOST_ROWS)) if summary.table.rows else []
    groups = {"Findings": summary.findings, "Caution": summary.cautions, "Next": summary.next, "Gate": summary.gates}
    for title, some in groups.items():
        lines = [f"- {_line(f'{one.label}: {one.text}' if one.label else one.text)}" for one in some[:_MOST_LINES]]
        head += [f"**{title}**\n\n" + "\n".join(lines)] if lines else []
    foot = [*map(_line, report.notes), f"Signature: {_code(report.signature)}"]
    foot += [f"Command: {_code(report.command)}"] if report.command else []
    room = LONGEST - sum(len(block) + 2 for block in (*head, *foot)) - _NAMES
    fitting, left = list[str](), list[str]()
    for name in printed_tables(report):
        section = _section(report, name)
        fits = len(section) + 2 <= room
        room -= fits * (len(section) + 2)
        (fitting if fits else left).append(section if fits else name)
    names = truncate(", ".join(left), _NAMES // 4)
    more = escaped(f"Too long for a comment: {names}; --format csv --table NAME prints one.") if left else ""
    return "\n\n".join(filter(None, [*head, *fitting, more, *foot]))[: LONGEST - 1] + "\n"


def _section(report: Report, name: str) -> str:
    """A table under its title, with the number of omitted rows, and remarks."""
    printed = printed_table(report, name, _MOST_ROWS)
    table, *rest = _table(printed)
    if name != report.about.main and len(printed.rows) > _LONG:
        table = f"<details><summary>{len(printed.rows)} rows</summary>\n\n{table}\n\n</details>"
    return "\n\n".join([f"## {_text(printed.title)}", *filter(None, [_line(printed.about)]), table, *rest])


def _table(printed: PrintedTable) -> list[str]:
    """A table, the number of omitted rows, and remarks."""
    heads = [f"{_text(head.title)}{head.mark and f' ({head.mark})'}" for head in printed.heads]
    rule = ["--:" if head.number else "---" for head in printed.heads]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *(map(_cell, row) for row in printed.rows)))
    remarks = "\n".join(f"- ({mark}) {_line(remark)}" for mark, remark in printed.remarks)
    return [*filter(None, [lines, escaped(printed.rest), remarks])]


def _cell(cell: TableCell) -> str:
    """A name, a count, or an estimate with the mark of its remark and its interval."""
    mark = f"({cell.mark})" if cell.mark else ""
    return " ".join(filter(None, (_text(cell.whole or cell.text), mark, cell.interval)))


def _text(text: str) -> str:
    """Text from the data, cut and escaped."""
    return escaped(truncate(text, _LETTERS))


def _line(text: str) -> str:
    """A sentence that may contain text from the data, escaped so that it starts no heading or list."""
    shown = escaped(truncate(text, _SENTENCE)).strip()
    begins = _BLOCK.match(shown)
    return f"{begins[0]}\\{shown[begins.end() :]}" if begins else shown


def escaped(text: str) -> str:
    r"""Text escaped for Markdown: no markup, HTML, end of a table cell, mention or link.

    >>> print(escaped("a|b <i> *x* _y_ snake_case"))
    a\|b &lt;i&gt; \*x\* \_y\_ snake_case
    """
    shown = _MARKUP.sub(r"\\\g<0>", turns_named(text)).translate(_REPLACED)
    return _LINKED.sub("\\g<0>\u200b", shown)


def _code(text: str) -> str:
    """Text as code, between more backticks than it holds in a row."""
    shown = turns_named(truncate(text, _SENTENCE)).translate(_CONTROLS)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{shown}{space}{fence}"
