"""A table of a report as LaTeX, to stand in a paper."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from adjudge.render.numbers import DASH, MINUS, NO_BREAK
from adjudge.render.part import leading_tables, printed_tables
from adjudge.render.signs import turns_named
from adjudge.render.views import Cell, Column, Marks, TableView, table_views
from adjudge.report import Report, truncate

_LONGEST = 200
"""How many letters of a name stand in a cell, at most."""
_SIGNS = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {chr(code): " " for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    | {"[": "{[}", NO_BREAK: "~", MINUS: "$-$", DASH: "--"}
)


def report_latex(report: Report, table: str | None = None) -> str:
    """A table as LaTeX that needs the package booktabs: by default the leaderboard, where there is none the main table.

    Blocks of it that name their rows by the same columns stand side by side. What these are, and what is remarked on
    figures, follows below. Raises OptionError for a table that there is not.
    """
    marks, name = Marks(), table or _first(report)
    every = report[name].height
    found = table_views(report, name, (every, every), marks)
    views = [view for view in found if view.rows]
    beside = len({_keys(view) for view in views}) == 1 and not any(view.part.title for view in views[1:])
    lines = [f"% {turns_named(' '.join(report.signature.split()))}", r"% \usepackage{booktabs}"]
    if beside:
        lines += _tabular(views)
    else:
        lines += [line for view in views for line in (_small(escaped(_heading(view))), *_tabular([view]))]
    below = [escaped(_block(view)) for view in views if _block(view)] if beside and not _spanned(views) else []
    below += [escaped(view.part.said) for view in found if view.part.said] or ([] if views else ["None."])
    below += [f"$^{{{mark}}}$~{escaped(said)}" for mark, said in marks.explained()]
    return "\n".join([*lines, *map(_small, below)]) + "\n"


def _first(report: Report) -> str:
    """The table that leads, such as a leaderboard, else the main one; the first that holds anything."""
    names = (*leading_tables(report), report.about.main, *printed_tables(report))
    return next((name for name in names if name in report.tables and report[name].height), next(iter(report)))


def _small(line: str) -> str:
    """A line on its own: else it would stand beside the table before it."""
    return rf"{{\par\footnotesize {line}\par}}"


def _heading(view: TableView) -> str:
    return ": ".join(filter(None, (view.part.title, view.part.block)))


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    >>> print(escaped("100 % of my_model & {x}"))
    100 \% of my\_model \& \{x\}
    """
    return turns_named(text).translate(_SIGNS)


def _keys(view: TableView) -> tuple[str, ...]:
    return tuple(column.title for column in view.columns[: view.keys])


def _tabular(views: Sequence[TableView]) -> Iterator[str]:
    """Views as one table: their rows by their names, and the columns of each."""
    keys = views[0].keys
    cells = [_figures(view) for view in views]
    columns = [*views[0].columns[:keys], *(column for view in views for column in view.columns[keys:])]
    titles = [*map(_title, columns[:keys]), *(title for view in views for title in _titles(view))]
    marks = [*([""] * keys), *(column.mark or view.mark for view in views for column in view.columns[keys:])]
    heads = (escaped(truncate(title, _LONGEST)) + _mark(mark) for title, mark in zip(titles, marks, strict=True))
    yield rf"\begin{{tabular}}{{{''.join('r' if column.number else 'l' for column in columns)}}}"
    yield r"\toprule"
    if _spanned(views):
        yield from _spanning(views)
    yield from (_line(heads), r"\midrule")
    for name in dict.fromkeys(name for rows in cells for name in rows):
        blank = [[""] * (len(view.columns) - keys) for view in views]
        figures = (rows.get(name, empty) for rows, empty in zip(cells, blank, strict=True))
        names = (escaped(truncate(one, _LONGEST)) for one in name[0])
        yield _line([*names, *(one for some in figures for one in some)])
    yield from (r"\bottomrule", r"\end{tabular}")


def _figures(view: TableView) -> dict[tuple[tuple[str, ...], int], list[str]]:
    """The name of each row, and how many rows of that name stand above it -> its other cells."""
    found, above = dict[tuple[tuple[str, ...], int], list[str]](), Counter[tuple[str, ...]]()
    for row in view.rows:
        name = tuple(cell.whole for cell in row[: view.keys])
        found[name, above[name]] = [_cell(cell) for cell in row[view.keys :]]
        above[name] += 1
    return found


def _block(view: TableView) -> str:
    """The heading of a block of several columns; empty where there is none."""
    return "" if view.part.block in _titles(view) else view.part.block


def _spanned(views: Sequence[TableView]) -> bool:
    """Whether blocks have headings of their own, without which their columns could not be told apart."""
    return len([view for view in views if _block(view)]) > 1


def _spanning(views: Sequence[TableView]) -> Iterator[str]:
    """The headings of blocks, and the rules below them."""
    reached, heads, rules = views[0].keys, [""] * views[0].keys, list[str]()
    for view in views:
        width = len(view.columns) - view.keys
        block = escaped(truncate(_block(view), _LONGEST))
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{block}}}")
        rules += [rf"\cmidrule(lr){{{reached + 1}-{reached + width}}}"] if block else []
        reached += width
    yield from (_line(heads), "".join(rules))


def _titles(view: TableView) -> list[str]:
    """The titles of a view's columns; the title of the view where it has a single one."""
    titles = [_title(column) for column in view.columns[view.keys :]]
    return [view.part.block or titles[0]] if len(titles) == 1 else titles


def _title(column: Column) -> str:
    title = column.title.capitalize() if column.own else column.title
    return " ".join(filter(None, (title, column.n)))


def _cell(cell: Cell) -> str:
    """A name, a count, or a figure with the mark of what is remarked on it and, smaller, its interval, p and n."""
    value, *others = cell.pieces("")
    small = escaped(" ".join(filter(None, others)))
    return escaped(truncate(value, _LONGEST)) + _mark(cell.mark) + (rf" {{\scriptsize {small}}}" if small else "")


def _mark(letter: str) -> str:
    return f"$^{{{letter}}}$" if letter else ""


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
