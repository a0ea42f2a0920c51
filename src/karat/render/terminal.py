"""A report as text for the terminal."""

import io
import shutil
from typing import TYPE_CHECKING

from karat.evaluations import Evaluation, evaluation
from karat.render.explanations import note_meaning
from karat.render.numbers import NO_BREAK, count_text, metric_of, plain
from karat.render.wide import Wide, is_figures, wide, wide_counts

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from karat.render.numbers import FigureText
    from karat.report import Report

_ROWS = 60
"""How many rows of a table are printed; the rest is counted."""

_PADDING = 3
_PADDING = 3
_NARROWEST, _NOT_A_TERMINAL = 60, 120


def report_text(
    report: "Report", *, width: int | None = None, colour: bool = False, tables: "Collection[str]" = ()
) -> str:
    """The report for reading in a terminal.

    width: in characters; by default the terminal's. colour: whether to use the terminal's colours.
    tables: the only ones to show; by default all of them.
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
    about = evaluation(report.evaluation)
    console.print(Text(about.title, style="bold"), Text(about.question), Text(_facts(report)), sep="\n")
    notes: dict[str, str] = {}
    for name, frame in report.tables.items():
        if not tables or name in tables:
            console.print()
            console.print(Text(f"{name}: {about.tables.get(name, '')}", style="bold"))
            _print_table(console, name, frame, about, notes)
    console.print()
    lines = [f"{sign} {remark}: {note_meaning(remark)}".rstrip(": ") for remark, sign in notes.items()]
    lines += ["Each figure with its interval and n, what it rests on.", *report.notes]
    console.print(*map(Text, lines), sep="\n")
    for line in report.warnings:
        console.print(Text(f"Warning: {printable(line)}", style="yellow"))
    console.print(Text(f"Signature: {printable(report.signature)}", style="dim"), soft_wrap=True)
    return stream.getvalue()


def _print_table(
    console: "Console", name: str, frame: "pl.DataFrame", about: Evaluation, notes: dict[str, str]
) -> None:
    if frame.is_empty():
        console.print("  none")
        return
    if is_figures(frame):
        table = wide(frame, about.metrics)
        rows = len(table.rows)
        console.print(_figures(table, about, notes, console.width))
    else:
        counts = wide_counts(frame)
        rows = counts.height
        console.print(_counts(counts))
    if rows > _ROWS:
        console.print(f"  ... and {rows - _ROWS:,} more rows; --format csv --table {name} prints them all")


def _facts(report: "Report") -> str:
    return ", ".join(f"{count_text(count)} {plain(name)}" for name, count in report.counts.items())


def _figures(table: Wide, about: Evaluation, notes: dict[str, str], width: int) -> "Table":
    """A row per combination of keys. Where the width does not suffice, n and notes stand below their figures."""
    titles = [*map(plain, table.keys), *(metric_of(about.metrics, name).title for name in table.metrics)]
    rows = [
        [*((_key(value).plain, "") for value in keys), *(_figure(figure, notes) for figure in figures)]
        for keys, figures in table.rows[:_ROWS]
    ]
    columns = zip(titles, *([" ".join(cell) for cell in row] for row in rows), strict=True)
    broad = sum(max(map(len, column)) + _PADDING for column in columns) > width
    shown = _table()
    for number, title in enumerate(titles):
        shown.add_column(title, justify="right" if number >= len(table.keys) else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(_text(("\n" if broad else " ").join(filter(None, cell))) for cell in row))
    return shown


def _counts(frame: "pl.DataFrame") -> "Table":
    import polars as pl

    shown = _table()
    for name in frame.columns:
        shown.add_column(plain(name), justify="left" if frame[name].dtype == pl.String else "right", overflow="fold")
    for row in frame.head(_ROWS).iter_rows():
        shown.add_row(*map(_plain, row))
    return shown


def _plain(value: str | float | None) -> "Text":
    if isinstance(value, float):
        return _key(f"{value:.3f}")
    return _key(count_text(value) if isinstance(value, int) else value)


def _table() -> "Table":
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)


def _key(value: str | None) -> "Text":
    return _text("(missing)" if value is None else printable(value))


def _text(text: str) -> "Text":
    from rich.text import Text

    return Text(text)


def _figure(figure: "FigureText | None", notes: dict[str, str]) -> tuple[str, str]:
    """A figure with its interval; and its n with the sign of its note."""
    if figure is None:
        return "", ""
    sign = notes.setdefault(figure.remark, f"[{_letter(len(notes))}]") if figure.remark else ""
    interval = f"[{figure.interval.replace(NO_BREAK, '')}]" if figure.interval else ""
    n = f"n={figure.n}" if figure.n and figure.method else ""
    return " ".join(filter(None, (figure.value, interval))), " ".join(filter(None, (n, sign)))


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else str(number)  # noqa: PLR2004 - letters there are


def printable(text: str) -> str:
    r"""Text from a file without what would steer the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
