"""The tables of a report as text for the terminal."""

import io
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from rich import box
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from adjudge.render.numbers import NO_BREAK
from adjudge.render.views import IN_A_TERMINAL, Cell, Column, Marks, TableView, table_views
from adjudge.report import Report, truncate

_PADDING = 3
_LIGHT, _ABOVE, _BELOW = 247, (94, 150, 210), (221, 129, 49)
"""The colours of figures about 0, far above it and far below it."""


def tables_text(report: Report, *, width: int = 120, colour: bool = False, table: str | None = None) -> str:
    """All tables of a report, what qualifies their values, notes and the signature.

    width: in characters. colour: whether to use the terminal's colours. table: the only table to print.
    """
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        force_jupyter=False,  # in a notebook each line would be shown at once, beside the report itself
        no_color=not colour,
        highlight=False,
        legacy_windows=False,
    )
    marks = Marks()
    names = [table] if table else [name for name, frame in report.tables.items() if frame.height]
    for view in (view for name in names for view in table_views(report, name, IN_A_TERMINAL, marks)):
        console.print()
        if view.part.title:
            console.print(Text(printable(f"{view.part.title.lower()}: {view.part.about}"), style="bold"))
        _print(console, view)
    console.print()
    remarks = [f"[{mark}] {remark}" for mark, remark in marks.explained()]
    for line in remarks if table else (*remarks, *report.notes, *report.warnings):
        console.print(Text(printable(truncate(line))))
    if not table:
        console.print(Text(f"Signature: {printable(report.signature)}", style="dim"), soft_wrap=True)
    return re.sub(r" +$", "", stream.getvalue(), flags=re.MULTILINE)


def _print(console: Console, view: TableView) -> None:
    """A table under its heading among others, with what is said in the place of rows, and of those left out."""
    if not view.rows:
        console.print(Text(printable(view.part.said) or "  none"))
        return
    if view.part.block:
        heading = f"{view.part.block} {f'[{view.mark}]' if view.mark else ''}".rstrip()
        console.print(*([""] if view.part.title else []), Text(printable(heading), style="bold"), sep="\n")
    tables = _fitting(view, console.width) if view.part.figures else [_columns(view, _JOINS[0])]
    for place, columns in enumerate(tables):
        if place:
            console.print()
        console.print(_table(view, columns, console.width))
    if view.rest:
        console.print(f"  {view.rest}")
    if view.part.said:
        console.print(Text(printable(view.part.said)))


_JOINS = ((" ", " "), (" ", "\n"), ("\n", "\n"))
"""What stands between a figure, its interval, and the rest of it: ever narrower."""
_KEY = 24
"""How wide a key is where the width does not suffice."""


def _fitting(view: TableView, width: int) -> Iterator[list[list[Text]]]:
    """The columns of one table, or of several where the width asks for it; a column is its title and its cells.

    Where the width does not suffice, n, p and notes stand below their figures, then intervals too; and where even that
    is too wide, figures that do not fit beside the others follow in a table of their own.
    """
    for narrow in (False, True):
        for joins in _JOINS:
            columns = _columns(view, joins)
            keys, figures = columns[: view.keys], columns[view.keys :]
            left = width - sum(min(_width(key), _KEY if narrow else width) for key in keys)
            if sum(map(_width, figures)) <= left:
                yield columns
                return
    while figures:
        fitting = max(1, sum(1 for total in accumulate(map(_width, figures)) if total <= left))
        yield keys + figures[:fitting]
        figures = figures[fitting:]


def _columns(view: TableView, joins: tuple[str, str]) -> list[list[Text]]:
    """The titles of columns, each with its cells. joins: what stands between the pieces of a figure."""
    titles = [Text("\n".join(filter(None, (_title(column), column.n)))) for column in view.columns]
    return [[title, *(_cell(row[place], joins) for row in view.rows)] for place, title in enumerate(titles)]


def _title(column: Column) -> str:
    return f"{printable(truncate(column.title))} {f'[{column.mark}]' if column.mark else ''}".rstrip()


def _cell(cell: Cell, joins: tuple[str, str]) -> Text:
    """A name, a count, or a figure with its pieces, each with what joins it to the one before."""
    value, interval, rest = cell.pieces(f"[{cell.mark}]" if cell.mark else "")
    if not cell.figure:
        return Text(printable(value))
    others = zip(joins, (interval, rest.replace(NO_BREAK, "")), strict=True)
    text = value + "".join(join + piece for join, piece in others if piece)
    return Text(text, style=_style(cell.figure.tone) if cell.figure.tone else "")


def _style(tone: float) -> Style:
    """Black on blue above 0 and on orange below it, the darker the farther from 0."""
    end = _ABOVE if tone > 0 else _BELOW
    mixed = [round(_LIGHT + (one - _LIGHT) * abs(tone)) for one in end]
    return Style(color="black", bgcolor=Color.from_rgb(*mixed))


def _table(view: TableView, columns: Sequence[Sequence[Text]], width: int) -> Table:
    """Columns as a table. Where figures are too wide, their titles are broken, but no figure."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    unbroken = ([Text(column[0].plain.replace(" ", "_")), *column[1:]] for column in columns)
    tight = view.part.figures and sum(map(_width, unbroken)) > width
    for place, column in enumerate(columns):
        figures = view.part.figures and place >= view.keys
        number = figures or view.columns[place].number
        shown.add_column(
            column[0],
            justify="right" if number else "left",
            overflow="ellipsis" if figures else "fold",
            width=_width(column) - _PADDING if figures and tight else None,
        )
    for row in zip(*(cells for _, *cells in columns), strict=True):
        shown.add_row(*row)
    return shown


def _width(column: Sequence[Text]) -> int:
    """How wide a column is at least: its longest line, and the longest word of its title."""
    title, *cells = (text.plain for text in column)
    lines = (line for cell in cells for line in cell.split("\n"))
    return max(map(len, (*title.split(), *lines)), default=0) + _PADDING


def printable(text: str) -> str:
    r"""Text from a file without what would steer the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb"), printable("5\xa0%") == "5\xa0%"
    ('a\\x1b[31mb', True)
    """
    return "".join(char if char.isprintable() or char == NO_BREAK else ascii(char)[1:-1] for char in text)
