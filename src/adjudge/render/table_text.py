"""The tables of a report as text for the terminal."""

import io
import re
from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adjudge.render.numbers import NO_BREAK
from adjudge.render.views import IN_A_TERMINAL, Cell, Marks, TableView, table_views
from adjudge.report import Report, truncate

_PADDING, _LONGEST_KEY = 3, 24
_JOINS = ((" ", " "), (" ", "\n"), ("\n", "\n"))
"""What stands between a figure, its interval, and the rest of it: ever narrower."""


def tables_text(report: Report, *, width: int = 120, colour: bool = False, table: str | None = None) -> str:
    """All tables of a report, what qualifies their values, notes and the signature.

    width: in characters. colour: whether to use the terminal's colours. table: the only table to print.
    """
    marks, shown = Marks(), list[Text | Table]()
    names = [table] if table else [name for name, frame in report.tables.items() if frame.height]
    for view in (view for name in names for view in table_views(report, name, IN_A_TERMINAL, marks)):
        part = view.part
        above = [f"{part.title.lower()}: {part.about}"] if part.title else []
        if part.block and view.rows:
            above += [*([""] if above else []), part.block]
        tables = [one for table in _tables(view, width) for one in (Text(), table)][1:] if view.rows else []
        below = [f"  {view.rest}" if view.rows and view.rest else "", part.said or ("" if view.rows else "  none")]
        shown += [Text(), *(Text(printable(line), "bold") for line in above), *tables]
        shown += [Text(printable(line)) for line in below if line]
    shown.append(Text())
    remarks = [f"[{mark}] {remark}" for mark, remark in marks.explained()]
    lines = remarks if table else (*remarks, *report.notes, *report.warnings)
    shown += [Text(printable(truncate(line))) for line in lines]
    shown += [] if table else [Text(f"Signature: {printable(report.signature)}", "dim", no_wrap=True)]
    return console_text(shown, width=width, colour=colour)


def console_text(shown: Iterable[Text | Table], *, width: int, colour: bool) -> str:
    """What a terminal shows, without spaces at the ends of lines; text that wants no wrap has lines of any length."""
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
    for one in shown:
        console.print(one, soft_wrap=isinstance(one, Text) and bool(one.no_wrap))
    return re.sub(r" +$", "", stream.getvalue(), flags=re.MULTILINE)


def _tables(view: TableView, width: int) -> Iterator[Table]:
    """The view as a table; figures that do not fit beside the others follow in tables of their own."""
    keys = view.keys if view.part.figures else len(view.columns)
    heads = [f"{printable(truncate(one.title))}{f' [{one.mark}]' if one.mark else ''}" for one in view.columns]
    for joins in _JOINS:
        cells = [[_cell(cell, joins) for cell in column] for column in zip(*view.rows, strict=True)]
        words = [
            [*head.split(), *"\n".join(map(str, some)).split("\n")] for head, some in zip(heads, cells, strict=True)
        ]
        widest = [max(map(len, some)) for some in words]
        least = [min(size, _LONGEST_KEY) if place < keys else size for place, size in enumerate(widest)]
        if sum(least) + _PADDING * len(least) <= width:
            break
    first = keys
    while first < len(heads) or first == keys:
        room = width - sum(size + _PADDING for size in least[:keys])
        places = list(range(keys))
        while first < len(heads) and (len(places) == keys or least[first] + _PADDING <= room):
            room -= least[first] + _PADDING
            places.append(first)
            first += 1
        tight = sum(max(widest[place], len(heads[place])) + _PADDING for place in places) > width  # breaks headings
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for place in places:
            column = view.columns[place]
            shown.add_column(
                Text("\n".join(filter(None, (heads[place], column.n)))),
                justify="right" if column.number else "left",
                overflow="fold",
                width=least[place] if tight and place >= keys else None,
            )
        for row in zip(*(cells[place] for place in places), strict=True):
            shown.add_row(*row)
        yield shown
        if not keys < first < len(heads):
            return


def _cell(cell: Cell, joins: tuple[str, str]) -> Text:
    """A name, a count, or a figure with its pieces, each with what joins it to the one before."""
    value, interval, rest = cell.pieces(f"[{cell.mark}]" if cell.mark else "")
    if not cell.figure:
        return Text(printable(value))
    others = zip(joins, (interval, rest.replace(NO_BREAK, "")), strict=True)
    return Text(value + "".join(join + piece for join, piece in others if piece))


def printable(text: str) -> str:
    r"""Text from a file without what would steer the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb"), printable("5\xa0%") == "5\xa0%"
    ('a\\x1b[31mb', True)
    """
    return "".join(char if char.isprintable() or char == NO_BREAK else ascii(char)[1:-1] for char in text)
