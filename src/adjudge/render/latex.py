"""A table of a report as LaTeX, for a paper."""

from adjudge.render.numbers import DASH, MINUS, NO_BREAK
from adjudge.render.tables import TableCell, printed_table
from adjudge.render.visible_text import turns_named
from adjudge.report import Report, truncate

_LONGEST = 200
"""The most letters of a name in a cell."""
_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {chr(code): " " for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    | {"[": "{[}", NO_BREAK: "~", MINUS: "$-$", DASH: "--"}
)


def report_latex(report: Report, table: str | None = None) -> str:
    """A table as LaTeX that needs the package booktabs: by default the leaderboard, or else the main table.

    Its meaning and remarks on values follow it. Raises OptionError for an unknown table.
    """
    held = (name for name in ("leaderboard", report.about.main, *report) if name in report.tables)
    name = table or next((name for name in held if report[name].height), report.main_table)
    printed = printed_table(report, name, max(report[name].height, 1))
    lines = [
        f"% {turns_named(' '.join(report.signature.split()))}",
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{''.join('r' if head.number else 'l' for head in printed.heads)}}}",
        r"\toprule",
        " & ".join(_cut(head.title) + _mark(head.mark) for head in printed.heads) + r" \\",
        r"\midrule",
        *(" & ".join(map(_cell, row)) + r" \\" for row in printed.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    below = [escaped(printed.about), *(f"{_mark(mark)}~{escaped(text)}" for mark, text in printed.remarks)]
    return "\n".join([*lines, *(rf"{{\par\footnotesize {line}\par}}" for line in filter(None, below))]) + "\n"


def escaped(text: str) -> str:
    r"""Text escaped for LaTeX.

    >>> print(escaped("100 % of my_model & {x}"))
    100 \% of my\_model \& \{x\}
    """
    return turns_named(text).translate(_SIGNS)


def _cell(cell: TableCell) -> str:
    """A name, a count, or an estimate with the mark of its remark and, smaller, its interval."""
    small = rf" {{\scriptsize {escaped(cell.interval)}}}" if cell.interval else ""
    return _cut(cell.whole or cell.text) + _mark(cell.mark) + small


def _cut(text: str) -> str:
    return escaped(truncate(text, _LONGEST))


def _mark(letter: str) -> str:
    return f"$^{{{letter}}}$" if letter else ""
