"""The first table of a report as LaTeX, to stand in a paper."""

from collections.abc import Iterable, Iterator, Sequence

from karat.render.numbers import DASH, MINUS, NO_BREAK
from karat.render.said import printed_tables
from karat.render.views import Cell, Marks, TableView, table_views
from karat.report import Report, cut

_LONGEST = 200
"""How many letters of a name stand in a cell, at most."""
_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {chr(code): " " for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    | {"[": "{[}", NO_BREAK: "~", MINUS: "$-$", DASH: "--"}
)


def report_latex(report: Report) -> str:
    """The first table that a terminal shows, as LaTeX that needs the package booktabs.

    Parts of it that name their rows by the same columns stand side by side. What these are, and what is remarked on
    figures, follows below.
    """
    marks = Marks()
    views = [view for view in table_views(report, printed_tables(report)[0], marks=marks) if view.rows]
    alike = len({_keys(view) for view in views}) == 1
    tables = [views] if alike else [[view] for view in views]
    lines = [f"% {' '.join(report.signature.split())}", r"% \usepackage{booktabs}"]
    lines += [line for table in tables for line in _tabular(table)]
    below = [escaped(view.part.block) for view in views if view.part.block not in {"", *_titles(view)}]
    below += [f"$^{{{mark}}}$~{escaped(said)}" for mark, said in marks.explained()]
    lines += [rf"{{\footnotesize {said}\par}}" for said in below]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    >>> print(escaped("100 % of my_model & {x}"))
    100 \% of my\_model \& \{x\}
    """
    return text.translate(_SIGNS)


def _keys(view: TableView) -> tuple[str, ...]:
    return tuple(column.title for column in view.columns[: view.keys])


def _tabular(views: Sequence[TableView]) -> Iterator[str]:
    """Views as one table: their rows by their names, and the columns of each."""
    keys = views[0].keys
    names = dict.fromkeys(tuple(cell.whole for cell in row[:keys]) for view in views for row in view.rows)
    cells = {
        (number, tuple(cell.whole for cell in row[:keys])): [_cell(cell) for cell in row[keys:]]
        for number, view in enumerate(views)
        for row in view.rows
    }
    named = (column.title.capitalize() if column.own else column.title for column in views[0].columns[:keys])
    titles = [*named, *(title for view in views for title in _titles(view))]
    yield rf"\begin{{tabular}}{{{'l' * keys}{'r' * (len(titles) - keys)}}}"
    marks = [*([""] * keys), *(column.mark for view in views for column in view.columns[keys:])]
    heads = (escaped(cut(title, _LONGEST)) + _mark(mark) for title, mark in zip(titles, marks, strict=True))
    yield from (r"\toprule", _line(heads), r"\midrule")
    for name in names:
        blank = [[""] * (len(view.columns) - keys) for view in views]
        figures = [cells.get((number, name), blank[number]) for number in range(len(views))]
        yield _line([*(escaped(cut(one, _LONGEST)) for one in name), *(one for some in figures for one in some)])
    yield from (r"\bottomrule", r"\end{tabular}")


def _titles(view: TableView) -> list[str]:
    """The titles of a view's columns; the title of the view where it has a single one."""
    titles = [column.title for column in view.columns[view.keys :]]
    return [view.part.block or titles[0]] if len(titles) == 1 else titles


def _cell(cell: Cell) -> str:
    """A name, a count, or a figure with the mark of what is remarked on it and, smaller, its interval, p and n."""
    value, *others = cell.pieces("")
    small = escaped(" ".join(filter(None, others)))
    return escaped(cut(value, _LONGEST)) + _mark(cell.mark) + (rf" {{\scriptsize {small}}}" if small else "")


def _mark(letter: str) -> str:
    return f"$^{{{letter}}}$" if letter else ""


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
