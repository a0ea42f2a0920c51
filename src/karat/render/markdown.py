"""A report as Markdown, fit to be posted as a comment."""

import re
from typing import TYPE_CHECKING

from karat.evaluations import evaluation
from karat.render.numbers import OWN, count_text, metric_of, plain
from karat.render.wide import is_figures, wide

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations import Evaluation
    from karat.render.numbers import FigureText
    from karat.report import Report

_MARKUP = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_REPLACED = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@\u200b"} | dict.fromkeys("\r\n\t", " "))


def report_markdown(report: "Report") -> str:
    """The whole report as Markdown: every table, with what it rests on."""
    about = evaluation(report.evaluation)
    facts = ", ".join(f"{count_text(count)} {plain(name)}" for name, count in report.counts.items())
    blocks = [f"# {about.title}", about.question, f"{facts}."]
    blocks += [f"> **Warning:** {escaped(line)}" for line in report.warnings]
    for name, frame in report.tables.items():
        blocks += [f"## {plain(name).capitalize()}", about.tables.get(name, "")]
        blocks.append(_table(frame, about) if frame.height else "None.")
    blocks += [*report.notes, f"Signature: {_code(report.signature)}"]
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


def _table(frame: "pl.DataFrame", about: "Evaluation") -> str:
    if not is_figures(frame):
        rows = [[_cell(value) for value in row] for row in frame.iter_rows()]
        return _lines([_title(name) for name in frame.columns], rows, frame.columns.index("count"))
    table = wide(frame, about.metrics)
    titles = [_title(key) for key in table.keys] + [metric_of(about.metrics, name).title for name in table.metrics]
    rows = [[*map(_cell, keys), *map(_figure, figures)] for keys, figures in table.rows]
    return _lines(titles, rows, len(table.keys))


def _figure(figure: "FigureText | None") -> str:
    if figure is None:
        return ""
    n = f", n={figure.n}" if figure.method else ""
    interval = f" [{figure.interval}]" if figure.interval else ""
    remark = f" ({escaped(figure.remark)})" if figure.remark else ""
    return f"{figure.value}{interval}{n}{remark}"


def _title(name: str) -> str:
    return plain(name) if name in OWN else escaped(name)


def _cell(value: str | int | None) -> str:
    return "(missing)" if value is None else count_text(value) if isinstance(value, int) else escaped(value)


def _lines(titles: list[str], rows: list[list[str]], first_number: int) -> str:
    """A table whose columns from first_number on are numbers."""
    rule = ["---" if number < first_number else "--:" for number in range(len(titles))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])
