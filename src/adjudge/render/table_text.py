"""The tables of a report as text for the terminal."""

import io
import re
from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from adjudge.render.numbers import NO_BREAK
from adjudge.render.tables import Marks, PrintedTable, TableCell, printed_table
from adjudge.report import Report, truncate

_PADDING, _SHORTEST_KEY, _LONGEST_KEY, _MOST_ROWS = 3, 6, 24, 60


def tables_text(report: Report, *, width: int = 120, colour: bool = False, table: str | None = None) -> str:
    """All tables of a report, what qualifies their values, notes and the signature.

    width: in characters. colour: whether to use the terminal's colours. table: the only table to print.
    """
    marks, shown = Marks(), list[Text | Table]()
    for name in [table] if table else [name for name, frame in report.tables.items() if frame.height]:
        printed = printed_table(report, name, _MOST_ROWS, marks)
        shown += [Text(), Text(printable(f"{printed.title.lower()}: {printed.about}"), "bold")]
        shown += _tables(printed, width) if printed.rows else [Text("  none")]
        shown += [Text(f"  {printed.rest}")] if printed.rest else []
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


def _tables(printed: PrintedTable, width: int) -> Iterator[Table]:
    """The table in the terminal; columns that do not fit beside the others follow in tables of their own."""
    heads = [printable(f"{truncate(head.title)}{head.mark and f' [{head.mark}]'}") for head in printed.heads]
    for join in (" ", "\n"):
        cells = [[_cell_text(cell, join) for cell in row] for row in printed.rows]
        columns = [[head, *cells] for head, *cells in zip(heads, *cells, strict=True)]
        widest = [max(len(line) for text in column for line in text.split("\n")) for column in columns]
        if sum(widest) + _PADDING * len(widest) <= width:
            break
    least = [max(map(len, "\n".join([*column[0].split(), *column[1:]]).split("\n"))) for column in columns]
    room = (width - max(least[printed.keys :], default=0)) // max(printed.keys, 1) - _PADDING
    for place in range(printed.keys):
        longest = max(len(word) for text in columns[place] for word in [*text.split(), ""])
        least[place] = min(longest, max(room, _SHORTEST_KEY), _LONGEST_KEY)
    names, place = [*range(printed.keys)], printed.keys
    while place < len(columns) or place == printed.keys:
        places = [*names]
        while place < len(columns) and (
            places == names or sum(least[one] + _PADDING for one in (*places, place)) <= width
        ):
            places.append(place)
            place += 1
        tight = sum(widest[one] + _PADDING for one in places) > width
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for one in places:
            side: JustifyMethod = "right" if printed.heads[one].number else "left"
            shown.add_column(
                Text(columns[one][0]),
                justify=side,
                overflow="fold",
                width=least[one] if tight and one >= printed.keys else None,
                min_width=least[one],
            )
        for row in zip(*(columns[one][1:] for one in places), strict=True):
            if any(row[len(names) :]) or len(places) == len(names):
                shown.add_row(*map(Text, row))
        yield shown
        if place >= len(columns):
            return


def _cell_text(cell: TableCell, join: str) -> str:
    """A name, a count, or an estimate with the mark of its remark. join: what stands before its interval."""
    text = printable(cell.whole or cell.text) + (f" [{cell.mark}]" if cell.mark else "")
    return f"{text}{join}{cell.interval}" if cell.interval else text


def printable(text: str) -> str:
    r"""Text from a file without what would steer the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb"), printable("5\xa0%") == "5\xa0%"
    ('a\\x1b[31mb', True)
    """
    return "".join(char if char.isprintable() or char == NO_BREAK else ascii(char)[1:-1] for char in text)
