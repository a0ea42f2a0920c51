"""A report as Markdown, fit to be posted as a comment: what the terminal shows."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.evaluations import evaluation
from karat.render.explanations import note_meaning
from karat.render.numbers import OWN, count_text, metric_of, plain
from karat.render.views import Marks
from karat.render.wide import (
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
from karat.report import cut

if TYPE_CHECKING:
    from karat.evaluations import Evaluation
    from karat.render.numbers import FigureText
    from karat.report import Report

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_REPLACED = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\u200b"} | dict.fromkeys("\r\n\t", " "))


def report_markdown(report: "Report") -> str:
    """The report as Markdown: the tables that a terminal shows, with what they rest on."""
    about, marks = evaluation(report.evaluation, report.tables), Marks()
    facts = ", ".join(f"{count_text(count)} {escaped(plain(name))}" for name, count in report.counts.items())
    blocks = [f"# {about.title}", about.question, f"{facts}."]
    blocks += [f"> **Warning:** {escaped(cut(line))}" for line in report.warnings]
    printed = printed_tables(report, about)
    for part in (part for name in printed for part in parts(report, name, about)):
        heading = [f"## {escaped(part.title)}", escaped(part.about)] if part.title else []
        blocks += [*heading, *_part(part, about, marks)]
    blocks += [escaped(not_printed(report, printed)), _legend(marks)]
    blocks.append(f"Each figure with its interval and n, what it rests on.{_tests(report)}")
    blocks += [escaped(cut(note)) for note in report.notes]
    blocks.append(f"Signature: {_code(report.signature)}")
    if report.command:
        blocks.append(f"Command: {_code(report.command)}")
    return "\n\n".join(block for block in blocks if block) + "\n"


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is: no markup, no HTML, no table cell ends in it, nobody is mentioned.

    >>> print(escaped("a|b <i> *x* _y_ snake_case"))
    a\|b &lt;i&gt; \*x\* \_y\_ snake_case
    """
    return _MARKUP.sub(r"\\\g<0>", text).translate(_REPLACED)


def _code(text: str) -> str:
    """Text as code, between more backticks than it holds in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{text}{space}{fence}"


def _legend(marks: Marks) -> str:
    """What the marks beside figures mean, as a list."""
    meanings = ((mark, remark, note_meaning(remark)) for mark, remark in marks.listed())
    return "\n".join(
        f"- ({mark}) {escaped(remark)}{f': {meaning}' if meaning else ''}" for mark, remark, meaning in meanings
    )


def _tests(report: "Report") -> str:
    return " p is adjusted by Holm's method." if tested(report) else ""


def _part(part: Part, about: "Evaluation", marks: Marks) -> list[str]:
    """A table, or a part of one, and a sentence on the rows that are left out."""
    if part.frame.is_empty():
        return [escaped(part.said) or "None."]
    heading = [f"### {' '.join(filter(None, (escaped(part.block), _mark(part.note, marks))))}"] if part.block else []
    shown, rows = (_figures if is_figures(part.frame) else _counts)(part, about, marks)
    return [*heading, shown, escaped(part.more(rows)), escaped(part.said)]


def _figures(part: Part, about: "Evaluation", marks: Marks) -> tuple[str, int]:
    """A table of figures, and how many rows it has in all."""
    table = wide(part, about.leading)
    first = "first \u2212 second: " if part.compared else ""
    titles = [_title(key) for key in table.keys]
    titles += [first + _heading(name, part, about) for name in table.metrics]
    rows = [
        [
            *(escaped(cell_text(value, part.names.get(key))) for key, value in zip(table.keys, keys, strict=True)),
            *(_figure(figure, marks) for figure in figures),
        ]
        for keys, figures in table.rows[: part.most]
    ]
    return _lines(titles, rows, range(len(table.keys), len(titles))), len(table.rows)


def _heading(metric: str, part: Part, about: "Evaluation") -> str:
    """The title of a column, bold where it sums up the others."""
    words = [escaped(metric_of(part.metrics, metric).title), part.columns.get(metric, "")]
    title = " ".join(filter(None, words))
    return f"**{title}**" if part.block and metric == about.pooled else title


def _counts(part: Part, about: "Evaluation", _: Marks) -> tuple[str, int]:
    """A table of counts, and how many rows it has in all."""
    counts = wide_counts(part.frame, about.values)
    rows = [[escaped(text) for text in row] for row in count_rows(counts.head(part.most), part.names)]
    numbers = [place for place, dtype in enumerate(counts.dtypes) if dtype.is_numeric()]
    return _lines([_title(name) for name in counts.columns], rows, numbers), counts.height


def _figure(figure: "FigureText | None", marks: Marks) -> str:
    """A figure, its interval, its p, its n and the mark of its note."""
    if figure is None:
        return ""
    interval = f"[{figure.interval}]" if figure.interval else ""
    n = f"n={figure.n}" if figure.n else ""
    return " ".join(filter(None, (escaped(figure.value), interval, escaped(figure.p), n, _mark(figure.remark, marks))))


def _mark(remark: str, marks: Marks) -> str:
    return f"({marks.of(remark)})" if remark else ""


def _title(name: str) -> str:
    return plain(name) if name in OWN else escaped(cut(name))


def _lines(titles: list[str], rows: list[list[str]], numbers: Sequence[int]) -> str:
    """A table. numbers: the places of the columns that are set to the right."""
    rule = ["--:" if place in numbers else "---" for place in range(len(titles))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])
