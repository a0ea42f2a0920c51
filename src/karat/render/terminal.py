"""A report as text for the terminal."""

import io
import shutil
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from karat.about import Evaluation
from karat.render.explanations import note_meaning
from karat.render.numbers import NO_BREAK, OWN, count_text, metric_of, plain
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
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import polars as pl
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from karat.render.numbers import FigureText
    from karat.report import Report

_PADDING = 3
_NARROWEST, _NOT_A_TERMINAL = 60, 120


def report_text(
    report: "Report", *, width: int | None = None, colour: bool = False, tables: "Collection[str]" = ()
) -> str:
    """The report for reading in a terminal.

    width: in characters; by default the terminal's. colour: whether to use the terminal's colours.
    tables: the only ones to show; by default those that the evaluation names, and a line on the others.
    """
    from rich.console import Console
    from rich.text import Text

    columns = width or max(_NARROWEST, shutil.get_terminal_size((_NOT_A_TERMINAL, 0)).columns)
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=columns,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        legacy_windows=False,
    )
    about = report.about
    console.print(
        Text(printable(about.title), style="bold"), Text(printable(about.question)), Text(_facts(report)), sep="\n"
    )
    notes: dict[str, str] = {}
    printed = printed_tables(report, about, tables)
    for part in (part for name in printed for part in parts(report, name, about)):
        console.print()
        if part.title:
            console.print(Text(printable(f"{part.title.lower()}: {part.about}"), style="bold"))
        _print_part(console, part, about, notes)
    if not tables and (others := not_printed(report, printed)):
        console.print(f"\n{others}")
    console.print()
    lines = [f"{sign} {remark}: {note_meaning(remark)}".rstrip(": ") for remark, sign in notes.items()]
    adjusted = " p is adjusted by Holm's method." if tested(report) else ""
    lines += [f"Each figure with its interval and n, what it rests on.{adjusted}", *report.notes]
    console.print(*(Text(printable(cut(line))) for line in lines), sep="\n")
    for line in report.warnings:
        console.print(Text(f"Warning: {printable(cut(line))}", style="yellow"))
    console.print(Text(f"Signature: {printable(report.signature)}", style="dim"), soft_wrap=True)
    return stream.getvalue()


def _print_part(console: "Console", part: Part, about: Evaluation, notes: dict[str, str]) -> None:
    from rich.text import Text

    if part.frame.is_empty():
        console.print(Text(printable(part.said) or "  none"))
        return
    if part.block:
        heading = f"{part.block} {_sign(part.note, notes)}".rstrip()
        console.print(*([""] if part.title else []), Text(printable(heading), style="bold"), sep="\n")
    if is_figures(part.frame):
        rows = _print_figures(console, part, about, notes)
    else:
        counts = wide_counts(part.frame, about.values)
        rows = counts.height
        console.print(_counts(counts.head(part.most), part.names))
    if more := part.more(rows):
        console.print(f"  {more}")
    if part.said:
        console.print(Text(printable(part.said)))


def _facts(report: "Report") -> str:
    return ", ".join(f"{count_text(count)} {plain(name)}" for name, count in report.counts.items())


def _print_figures(console: "Console", part: Part, about: Evaluation, notes: dict[str, str]) -> int:
    """Prints a row per combination of keys, and returns how many there are.

    Where the width does not suffice, n, p and notes stand below their figures, then intervals too; and where
    even that is too wide, figures that do not fit beside the others follow in a table of their own.
    """
    table = wide(part, about.leading)
    first = "first \u2212 second: " if part.compared else ""
    keys = _columns(
        [_title(key) for key in table.keys],
        [
            [printable(cell_text(value, part.names.get(key))) for key, value in zip(table.keys, row, strict=True)]
            for row, _ in table.rows[: part.most]
        ],
    )
    titles = [_heading(first + metric_of(part.metrics, name).title, part.columns.get(name)) for name in table.metrics]
    texts = [[_figure(figure, notes) for figure in figures] for _, figures in table.rows[: part.most]]
    for place, columns in enumerate(_fitting(keys, titles, texts, console.width)):
        if place:
            console.print()
        console.print(_figures(columns, len(keys), console.width))
    return len(table.rows)


def _heading(title: str, below: str | None) -> str:
    return "\n".join(filter(None, (printable(cut(title)), below)))


_JOINS = ((" ", " "), (" ", "\n"), ("\n", "\n"))
"""What stands between a figure, its interval, and the rest of it: ever narrower."""
_KEY = 24
"""How wide a key is where the width does not suffice."""


def _fitting(
    keys: list[list[str]], titles: "Sequence[str]", texts: "Sequence[Sequence[tuple[str, ...]]]", width: int
) -> "Iterator[list[list[str]]]":
    """The columns of one table, or of several where the width asks for it; a column is its title and its cells."""
    for narrow in (False, True):
        left = width - sum(min(_width(key), _KEY if narrow else width) for key in keys)
        for joins in _JOINS:
            columns = _columns(titles, [[_joined(cell, joins) for cell in row] for row in texts])
            if sum(map(_width, columns)) <= left:
                yield keys + columns
                return
    while columns:
        fitting = max(1, sum(1 for total in accumulate(map(_width, columns)) if total <= left))
        yield keys + columns[:fitting]
        columns = columns[fitting:]


def _figures(columns: "Sequence[Sequence[str]]", keys: int, width: int) -> "Table":
    """Columns as a table, the first `keys` of them names. Where it is too wide, titles are broken, but no figure."""
    shown = _table()
    tight = sum(_width([column[0].replace(" ", "_"), *column[1:]]) for column in columns) > width
    for column in columns[:keys]:
        shown.add_column(_text(column[0]), overflow="fold")
    for column in columns[keys:]:
        shown.add_column(_text(column[0]), justify="right", width=_width(column) - _PADDING if tight else None)
    for row in zip(*(cells for _, *cells in columns), strict=True):
        shown.add_row(*map(_text, row))
    return shown


def _columns(titles: "Sequence[str]", rows: "Sequence[Sequence[str]]") -> list[list[str]]:
    return [[title, *(row[place] for row in rows)] for place, title in enumerate(titles)]


def _joined(pieces: tuple[str, ...], joins: tuple[str, str]) -> str:
    """The pieces of a figure that are not empty, each with what joins it to the one before."""
    return pieces[0] + "".join(join + piece for join, piece in zip(joins, pieces[1:], strict=False) if piece)


def _width(column: "Sequence[str]") -> int:
    """How wide a column is at least: its longest line, and the longest word of its title."""
    title, *cells = column
    lines = (line for cell in cells for line in cell.split("\n"))
    return max(map(len, (*title.split(), *lines)), default=0) + _PADDING


def _counts(frame: "pl.DataFrame", names: "Mapping[str, Mapping[str, str]]") -> "Table":
    import polars as pl

    shown = _table()
    for name in frame.columns:
        justify: Literal["left", "right"] = "left" if frame[name].dtype == pl.String else "right"
        shown.add_column(_text(_title(name)), justify=justify, overflow="fold")
    for row in count_rows(frame, names):
        shown.add_row(*(_text(printable(text)) for text in row))
    return shown


def _table() -> "Table":
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def _title(name: str) -> str:
    return plain(name) if name in OWN else printable(cut(name))


def _text(text: str) -> "Text":
    from rich.text import Text

    return Text(text)


def _figure(figure: "FigureText | None", notes: dict[str, str]) -> tuple[str, ...]:
    """A figure; its interval; and its p, its n and the sign of its note, which alone stands with the figure."""
    if figure is None:
        return ("",)
    sign = _sign(figure.remark, notes)
    interval = f"[{figure.interval.replace(NO_BREAK, '')}]" if figure.interval else ""
    n = f"n={figure.n}" if figure.n else ""
    if not (n or figure.p):
        return f"{figure.value} {sign}".rstrip(), interval
    return figure.value, interval, " ".join(filter(None, (figure.p.replace(NO_BREAK, ""), n, sign)))


def _sign(remark: str, notes: dict[str, str]) -> str:
    return notes.setdefault(remark, f"[{_letter(len(notes))}]") if remark else ""


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else str(number)  # noqa: PLR2004 - letters there are


def printable(text: str) -> str:
    r"""Text from a file without what would steer the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
