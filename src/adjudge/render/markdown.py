"""A report as Markdown that can be posted as a comment: what the terminal shows, as far as a comment can hold it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adjudge.render.part import printed_tables
from adjudge.render.signs import turns_named
from adjudge.render.summary.contents import Sentence
from adjudge.render.views import IN_A_TERMINAL, Cell, Column, Marks, TableView, table_views
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
    found = ""
    for rows, letters in _ROOMS:
        head, sections, foot = _written(report, _Room(rows, letters))
        found = _joined([*head, *sections.values(), *foot])
        if len(found) <= LONGEST:
            return found
    return _fitting(head, sections, foot)


def _joined(blocks: Sequence[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _fitting(head: list[str], sections: dict[str, str], foot: list[str]) -> str:
    """As many sections as a comment can hold, and the names of the others."""
    kept: dict[str, str] = {}
    for name, section in sections.items():
        if len(_joined([*head, *kept.values(), section, _left_out(sections), *foot])) <= LONGEST:
            kept[name] = section
    left = _left_out(name for name in sections if name not in kept)
    return _joined([*head, *kept.values(), left, *foot])[:LONGEST]


def _left_out(names: Iterable[str]) -> str:
    return escaped(f"Too long for a comment: {', '.join(names)}; --format csv --table NAME prints one.")


def _written(report: Report, room: _Room) -> tuple[list[str], dict[str, str], list[str]]:
    """What stands above the tables, a text for each table, and what stands below them."""
    summary = report.summary
    head = [f"# {room.text(summary.title)}", room.line(summary.context), f"**{room.line(summary.verdict)}**"]
    if summary.table.rows:
        headings, *rows = summary.table.texts()
        lines = [[room.text(one) for one in headings], ["---", *["--:"] * (len(headings) - 1)]]
        lines += [[room.text(cell) for cell in row] for row in rows[: room.rows]]
        more = f"\n\n... {len(rows) - room.rows:,} more" if len(rows) > room.rows else ""
        head.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + more)
    groups = {"Findings": summary.findings, "Caution": summary.cautions, "Next": summary.next, "Gate": summary.gates}
    head += [f"**{title}**\n\n{_listed(some[:_MOST_LINES], room)}" for title, some in groups.items() if some]
    sections = {name: _section(report, name, room) for name in printed_tables(report)}
    remarks = "\n".join(f"- ({mark}) {room.line(remark)}" for mark, remark in room.marks.explained())
    foot = [remarks, *map(room.line, report.notes), f"Signature: {_code(report.signature)}"]
    if report.command:
        foot.append(f"Command: {_code(report.command)}")
    return head, sections, foot


def _listed(sentences: Sequence[Sentence], room: _Room) -> str:
    return "\n".join(f"- {room.line(f'{one.label}: {one.text}' if one.label else one.text)}" for one in sentences)


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
    """A table with all its parts."""
    rows, comparisons = IN_A_TERMINAL
    blocks: list[str] = []
    for view in table_views(report, name, (min(rows, room.rows), min(comparisons, room.rows)), room.marks):
        heading = [f"## {room.text(view.part.title)}", room.line(view.part.about)] if view.part.title else []
        blocks += [*heading, *_part(view, room, folded=name != report.about.main and len(view.rows) > _LONG)]
    return "\n\n".join(filter(None, blocks))


def _part(view: TableView, room: _Room, *, folded: bool) -> list[str]:
    """A table, or a part of one, and a sentence on the rows that are left out."""
    if not view.rows:
        return [room.line(view.part.said) or "None."]
    heading = f"### {' '.join(filter(None, (room.text(view.part.block), _mark(view.mark))))}" if view.part.block else ""
    table = _lines(view, room)
    if folded:
        table = f"<details><summary>{len(view.rows)} rows</summary>\n\n{table}\n\n</details>"
    return [heading, table, escaped(view.rest), room.line(view.part.said)]


def _mark(letter: str) -> str:
    return f"({letter})" if letter else ""


def _lines(view: TableView, room: _Room) -> str:
    """The lines of a table."""
    titles = [_title(column, room) for column in view.columns]
    rule = ["--:" if column.number else "---" for column in view.columns]
    rows = ([_cell(cell, room) for cell in row] for row in view.rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])


def _title(column: Column, room: _Room) -> str:
    """The title of a column, bold where it sums up the others."""
    title = " ".join(filter(None, (room.text(column.title), column.n, _mark(column.mark))))
    return f"**{title}**" if column.pooled else title


def _cell(cell: Cell, room: _Room) -> str:
    """A name, a count, or a figure with its interval, its p, its n and the mark of its note."""
    value, *others = cell.pieces(_mark(cell.mark))
    return " ".join(filter(None, (escaped(value), others[0], escaped(others[1])))) if cell.figure else room.text(value)
