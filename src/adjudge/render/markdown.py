"""A report as Markdown that can be posted as a comment: what the terminal shows, as far as a comment can hold it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.render.parts import printed_tables
from adjudge.render.signs import turns_named
from adjudge.render.views import IN_A_TERMINAL, Cell, Marks, TableView, table_views
from adjudge.report import Report, truncate

LONGEST = 65_536
"""How many characters a comment on GitHub may have."""
_LONG = 10
"""More rows than these are folded up, but for those of the main table."""
_MOST_LINES = 10
"""Of more cautions or gates than these only the first stand in a comment."""
_SENTENCE = 2000
"""How many letters of a sentence are shown, at most."""

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_CONTROLS = dict.fromkeys([*range(32), *range(0x7F, 0xA0)], "\ufffd") | dict.fromkeys(map(ord, "\r\n\t"), " ")
_REPLACED = _CONTROLS | {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;", ord("@"): "@\u200b"}
_LINKED = re.compile(r"[#!](?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""The start of texts that GitHub or GitLab link even if they are escaped: #1, !1, GH-1, http://, www."""
_BLOCK = re.compile(r"(?=[-+=#])|\d+(?=[.)])")
"""What stands before the character that makes a heading or a list of a line."""


@dataclass(frozen=True, slots=True)
class _Room:
    """How much of a report is shown.

    rows: of a table, at most. letters: of a text from the data, at most. marks: letters for what is remarked.
    """

    rows: int
    letters: int
    marks: Marks = field(default_factory=Marks)

    def text(self, text: str) -> str:
        """Text from the data, cut and escaped."""
        return escaped(truncate(text, self.letters))

    def line(self, text: str) -> str:
        """A sentence that may hold text from the data; its first character makes nothing else of it."""
        shown = escaped(truncate(text, min(_SENTENCE, 10 * self.letters))).strip()
        begins = _BLOCK.match(shown)
        return f"{begins[0]}\\{shown[begins.end() :]}" if begins else shown


_ROOMS = ((60, 2000), (60, 200), (15, 100), (5, 50))
"""How many rows and letters are shown, from the most to the least: the most that a comment can hold are taken."""


def report_markdown(report: Report) -> str:
    """The report as Markdown: the tables that a terminal shows, with what they rest on.

    Tables of many rows are folded up. Where the whole is longer than a comment may be, tables have fewer rows and
    names fewer letters; tables that do not fit in even so are named.
    """

    def text(names: Sequence[str]) -> str:
        left = ", ".join(name for name in sections if name not in names)
        more = escaped(f"Too long for a comment: {left}; --format csv --table NAME prints one.") if left else ""
        blocks = [*head, *(sections[name] for name in names), more, *foot]
        return "\n\n".join(block for block in blocks if block) + "\n"

    for rows, letters in _ROOMS:
        head, sections, foot = _contents(report, _Room(rows, letters))
        if len(whole := text([*sections])) <= LONGEST:
            return whole
    fitting: list[str] = []
    for name in sections:
        fitting += [name] if len(text([*fitting, name])) <= LONGEST else []
    return text(fitting)[:LONGEST]


def _contents(report: Report, room: _Room) -> tuple[list[str], dict[str, str], list[str]]:
    """What stands above the tables, a text for each table, and what stands below them."""
    summary = report.summary
    head = [f"# {room.text(summary.title)}", room.line(summary.context), f"**{room.line(summary.verdict)}**"]
    if summary.table.rows:
        headings, *rows = summary.table.texts()
        rule = ["---", *["--:"] * (len(headings) - 1)]
        table = [[room.text(cell) for cell in row] for row in (headings, *rows[: room.rows])]
        table.insert(1, rule)
        more = f"\n\n... {len(rows) - room.rows:,} more" if len(rows) > room.rows else ""
        head.append("\n".join(f"| {' | '.join(line)} |" for line in table) + more)
    groups = {"Findings": summary.findings, "Caution": summary.cautions, "Next": summary.next, "Gate": summary.gates}
    for title, some in groups.items():
        lines = [f"- {room.line(f'{one.label}: {one.text}' if one.label else one.text)}" for one in some[:_MOST_LINES]]
        head += [f"**{title}**\n\n" + "\n".join(lines)] if lines else []
    sections = {name: _section(report, name, room) for name in printed_tables(report)}
    remarks = "\n".join(f"- ({mark}) {room.line(remark)}" for mark, remark in room.marks.explained())
    foot = [remarks, *map(room.line, report.notes), f"Signature: {_code(report.signature)}"]
    if report.command:
        foot.append(f"Command: {_code(report.command)}")
    return head, sections, foot


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is: no markup, no HTML, no table cell ends in it, nobody is mentioned or linked.

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


def _section(report: Report, name: str, room: _Room) -> str:
    """A table with all its parts, and sentences on the rows that are left out."""
    rows, comparisons = IN_A_TERMINAL
    blocks: list[str] = []
    for view in table_views(report, name, (min(rows, room.rows), min(comparisons, room.rows)), room.marks):
        part = view.part
        blocks += [f"## {room.text(part.title)}", room.line(part.about)] if part.title else []
        if not view.rows:
            blocks.append(room.line(part.said) or "None.")
            continue
        blocks.append(f"### {room.text(part.block)}" if part.block else "")
        table = _lines(view, room)
        folded = name != report.about.main and len(view.rows) > _LONG
        blocks.append(
            f"<details><summary>{len(view.rows)} rows</summary>\n\n{table}\n\n</details>" if folded else table
        )
        blocks += [escaped(view.rest), room.line(part.said)]
    return "\n\n".join(filter(None, blocks))


def _mark(letter: str) -> str:
    return f"({letter})" if letter else ""


def _lines(view: TableView, room: _Room) -> str:
    """The lines of a table. The title of a column that sums up the others is bold."""
    titles = [" ".join(filter(None, (room.text(one.title), one.n, _mark(one.mark)))) for one in view.columns]
    titles = [f"**{title}**" if one.pooled else title for title, one in zip(titles, view.columns, strict=True)]
    rule = ["--:" if column.number else "---" for column in view.columns]
    rows = ([_cell(cell, room) for cell in row] for row in view.rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])


def _cell(cell: Cell, room: _Room) -> str:
    """A name, a count, or a figure with its interval, its p, its n and the mark of its note."""
    value, interval, rest = cell.pieces(_mark(cell.mark))
    return " ".join(filter(None, (escaped(value), interval, escaped(rest)))) if cell.figure else room.text(value)
