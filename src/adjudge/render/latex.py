"""A table of a report as LaTeX, to stand in a paper."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from adjudge.render.numbers import DASH, MINUS, NO_BREAK
from adjudge.render.parts import leading_tables, printed_tables
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
    leading = (*leading_tables(report), report.about.main, *printed_tables(report))
    first = next((name for name in leading if name in report.tables and report[name].height), next(iter(report)))
    marks, name = Marks(), table or first
    every = report[name].height
    found = table_views(report, name, (every, every), marks)
    views = [view for view in found if view.rows]
    keys = {tuple(column.title for column in view.columns[: view.keys]) for view in views}
    beside = len(keys) == 1 and not any(view.part.title for view in views[1:])
    spanned = beside and sum(map(bool, map(_block, views))) > 1  # else columns could not be told apart
    lines = [f"% {turns_named(' '.join(report.signature.split()))}", r"% \usepackage{booktabs}"]
    for some in [views] if beside else [[view] for view in views]:
        heading = ": ".join(filter(None, (some[0].part.title, some[0].part.block)))
        lines += [*([] if beside else [_small(escaped(heading))]), *_tabular(some, spanned=spanned)]
    below = [escaped(block) for block in map(_block, views) if block and beside and not spanned]
    below += [escaped(view.part.said) for view in found if view.part.said] or ([] if views else ["None."])
    below += [f"{_mark(mark)}~{escaped(text)}" for mark, text in marks.explained()]
    return "\n".join([*lines, *map(_small, below)]) + "\n"


def _small(line: str) -> str:
    """A line on its own: else it would stand beside the table before it."""
    return rf"{{\par\footnotesize {line}\par}}"


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    >>> print(escaped("100 % of my_model & {x}"))
    100 \% of my\_model \& \{x\}
    """
    return turns_named(text).translate(_SIGNS)


def _tabular(views: Sequence[TableView], *, spanned: bool) -> Iterator[str]:
    """Views as one table: their rows by their names, and the columns of each. spanned: below the headings of blocks."""
    width = keys = views[0].keys
    columns, heads = [*views[0].columns[:keys]], [_cut(_title(column)) for column in views[0].columns[:keys]]
    over, rules, rows = [""] * keys, list[str](), dict[tuple[tuple[str, ...], int], list[str]]()
    for view in views:
        more, above = view.columns[keys:], Counter[tuple[str, ...]]()
        titles = [view.part.block or _title(more[0])] if len(more) == 1 else [_title(column) for column in more]
        heads += [_cut(title) + _mark(one.mark) for title, one in zip(titles, more, strict=True)]
        over.append(rf"\multicolumn{{{len(more)}}}{{c}}{{{_cut(_block(view))}}}")
        rules += [rf"\cmidrule(lr){{{width + 1}-{width + len(more)}}}"] if _block(view) else []
        for row in view.rows:
            name = tuple(cell.whole for cell in row[:keys])
            cells = rows.setdefault((name, above[name]), [*map(_cut, name)])
            above[name] += 1
            cells += [""] * (width - len(cells)) + [_cell(cell) for cell in row[keys:]]
        columns += more
        width += len(more)
    yield rf"\begin{{tabular}}{{{''.join('r' if column.number else 'l' for column in columns)}}}"
    yield r"\toprule"
    if spanned:
        yield from (_line(over), "".join(rules))
    yield from (_line(heads), r"\midrule")
    yield from (_line([*cells, *[""] * (width - len(cells))]) for cells in rows.values())
    yield from (r"\bottomrule", r"\end{tabular}")


def _block(view: TableView) -> str:
    """The heading of a block of several columns; empty where there is none."""
    return view.part.block if len(view.columns) > view.keys + 1 else ""


def _title(column: Column) -> str:
    title = column.title.capitalize() if column.own else column.title
    return " ".join(filter(None, (title, column.n)))


def _cell(cell: Cell) -> str:
    """A name, a count, or a figure with the mark of what is remarked on it and, smaller, its interval, p and n."""
    value, *others = cell.pieces("")
    small = escaped(" ".join(filter(None, others)))
    return _cut(value) + _mark(cell.mark) + (rf" {{\scriptsize {small}}}" if small else "")


def _cut(text: str) -> str:
    return escaped(truncate(text, _LONGEST))


def _mark(letter: str) -> str:
    return f"$^{{{letter}}}$" if letter else ""


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
