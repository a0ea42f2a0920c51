"""A report as Markdown, fit to be posted as a comment: what the terminal shows, as far as a comment can hold it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.render.explanations import note_meaning
from karat.render.numbers import OWN, count_text, metric_of, plain
from karat.render.views import Marks
from karat.render.wide import (
    MOST_ROWS,
    Part,
    cell_text,
    count_rows,
    is_figures,
    not_printed,
    parts,
    printed_tables,
    tested,
    wide,
    wide_counts,
)

if TYPE_CHECKING:
    from karat.about import Evaluation
    from karat.render.numbers import FigureText
    from karat.report import Report

LONGEST = 65_536
"""How many characters a comment on GitHub may have."""
_LONG = 10
"""More rows than these are folded up, but for those of the main table."""
_MOST_WARNINGS = 10
_SENTENCE = 2000
"""How many letters of a sentence are shown, at most."""

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_CONTROLS = dict.fromkeys([*range(32), 127], "\ufffd") | dict.fromkeys(map(ord, "\r\n\t"), " ")
_REPLACED = _CONTROLS | {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;", ord("@"): "@\u200b"}
_LINKED = re.compile(r"[#!](?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
"""How begins what GitHub or GitLab link even where it is escaped: #1, !1, GH-1, http://, www."""
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
        return escaped(_cut(text, self.letters))

    def line(self, text: str) -> str:
        """A sentence that may hold text from the data; its first character makes nothing else of it."""
        shown = escaped(_cut(text, min(_SENTENCE, 10 * self.letters))).strip()
        begins = _BLOCK.match(shown)
        return f"{begins[0]}\\{shown[begins.end() :]}" if begins else shown

    def mark(self, remark: str) -> str:
        """The letter of a remark, as it stands beside a figure; empty for none."""
        return f"({self.marks.of(remark)})" if remark else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


_ROOMS = ((MOST_ROWS, 2000), (MOST_ROWS, 200), (15, 100), (5, 50))
"""How many rows and letters are shown, from the most to the least: the most that a comment can hold are taken."""


def report_markdown(report: "Report") -> str:
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


def _written(report: "Report", room: _Room) -> tuple[list[str], dict[str, str], list[str]]:
    """What stands above the tables, a text for each table, and what stands below them."""
    about = report.about
    facts = ", ".join(f"{count_text(count)} {room.text(plain(name))}" for name, count in report.counts.items())
    head = [f"# {room.text(about.title)}", room.line(about.question), f"{facts}."]
    head += [f"> **Warning:** {room.line(line)}" for line in report.warnings[:_MOST_WARNINGS]]
    head += [_more("warnings", len(report.warnings) - _MOST_WARNINGS)]
    printed = printed_tables(report, about)
    sections = {name: _section(report, name, about, room) for name in printed}
    foot = [room.line(not_printed(report, printed)), _legend(room)]
    foot.append(f"Each figure with its interval and n, what it rests on.{_tests(report)}")
    foot += [room.line(note) for note in report.notes]
    foot.append(f"Signature: {_code(report.signature)}")
    if report.command:
        foot.append(f"Command: {_code(report.command)}")
    return head, sections, foot


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is: no markup, no HTML, no table cell ends in it, nobody is mentioned or linked.

    >>> print(escaped("a|b <i> *x* _y_ snake_case"))
    a\|b &lt;i&gt; \*x\* \_y\_ snake_case
    """
    return _LINKED.sub("\\g<0>\u200b", _MARKUP.sub(r"\\\g<0>", text).translate(_REPLACED))


def _code(text: str) -> str:
    """Text as code, between more backticks than it holds in a row."""
    shown = _cut(text, _SENTENCE).translate(_CONTROLS)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{shown}{space}{fence}"


def _more(what: str, count: int) -> str:
    return f"... and {count:,} more {what}" if count > 0 else ""


def _legend(room: _Room) -> str:
    """What the marks beside figures mean, as a list."""
    meanings = ((mark, room.line(remark), note_meaning(remark)) for mark, remark in room.marks.listed())
    return "\n".join(f"- ({mark}) {remark}{f': {meaning}' if meaning else ''}" for mark, remark, meaning in meanings)


def _tests(report: "Report") -> str:
    return " p is adjusted by Holm's method." if tested(report) else ""


def _section(report: "Report", name: str, about: "Evaluation", room: _Room) -> str:
    """A table with all its parts."""
    blocks: list[str] = []
    for part in parts(report, name, about):
        heading = [f"## {room.text(part.title)}", room.line(part.about)] if part.title else []
        blocks += [*heading, *_part(part, about, room)]
    return "\n\n".join(filter(None, blocks))


def _part(part: Part, about: "Evaluation", room: _Room) -> list[str]:
    """A table, or a part of one, and a sentence on the rows that are left out."""
    if part.frame.is_empty():
        return [room.line(part.said) or "None."]
    heading = f"### {' '.join(filter(None, (room.text(part.block), room.mark(part.note))))}" if part.block else ""
    most = min(part.most, room.rows)
    table, rows = (_figures if is_figures(part.frame) else _counts)(part, about, room, most)
    shown = min(rows, most)
    if part.name != about.main and shown > _LONG:
        table = f"<details><summary>{shown} rows</summary>\n\n{table}\n\n</details>"
    return [heading, table, escaped(part.more(rows + part.most - most)), room.line(part.said)]


def _figures(part: Part, about: "Evaluation", room: _Room, most: int) -> tuple[str, int]:
    """A table of figures, and how many rows it has in all."""
    table = wide(part, about.leading)
    first = "first \u2212 second: " if part.compared else ""
    titles = [_title(key, room) for key in table.keys]
    titles += [first + _heading(name, part, about) for name in table.metrics]
    rows = [
        [
            *(room.text(cell_text(value, part.names.get(key))) for key, value in zip(table.keys, keys, strict=True)),
            *(_figure(figure, room) for figure in figures),
        ]
        for keys, figures in table.rows[:most]
    ]
    return _lines(titles, rows, range(len(table.keys), len(titles))), len(table.rows)


def _heading(metric: str, part: Part, about: "Evaluation") -> str:
    """The title of a column, bold where it sums up the others."""
    words = [escaped(metric_of(part.metrics, metric).title), part.columns.get(metric, "")]
    title = " ".join(filter(None, words))
    return f"**{title}**" if part.block and metric == about.pooled else title


def _counts(part: Part, about: "Evaluation", room: _Room, most: int) -> tuple[str, int]:
    """A table of counts, and how many rows it has in all."""
    counts = wide_counts(part.frame, about.values)
    rows = [[room.text(text) for text in row] for row in count_rows(counts.head(most), part.names)]
    numbers = [place for place, dtype in enumerate(counts.dtypes) if dtype.is_numeric()]
    return _lines([_title(name, room) for name in counts.columns], rows, numbers), counts.height


def _figure(figure: "FigureText | None", room: _Room) -> str:
    """A figure, its interval, its p, its n and the mark of its note."""
    if figure is None:
        return ""
    interval = f"[{figure.interval}]" if figure.interval else ""
    n = f"n={figure.n}" if figure.n else ""
    return " ".join(filter(None, (escaped(figure.value), interval, escaped(figure.p), n, room.mark(figure.remark))))


def _title(name: str, room: _Room) -> str:
    return plain(name) if name in OWN else room.text(name)


def _lines(titles: list[str], rows: list[list[str]], numbers: Sequence[int]) -> str:
    """A table. numbers: the places of the columns that are set to the right."""
    rule = ["--:" if place in numbers else "---" for place in range(len(titles))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])
