"""A report on one screen: its verdict, a table, findings, cautions and next steps."""

import io
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from textwrap import TextWrapper, wrap

from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from adjudge.render.numbers import NO_BREAK
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn
from adjudge.render.tables import Marks, PrintedTable, printed_table
from adjudge.report import Report, truncate

SHORT, LONG = 24, 40
"""The most lines of a screen: of one with the strengths of traits, of which the first say most, and of any other."""
_NARROWEST, _NOT_A_TERMINAL = 60, 80
_SMALLEST_TABLE = 6
"""The fewest lines of a table, with those above and below it."""
_LEAST_FOR_DETAILS = 100
"""The least width of tables in columns."""
_STYLES = {"best": "green", "better": "green", "worse": "red", "pooled": "bold", "heading": "bold"}
_PADDING, _SHORTEST_KEY, _LONGEST_KEY, _MOST_ROWS = 3, 6, 24, 60
_LAST = ("pooled", "baseline")
_GAP, _NAME, _SHORTEST_NAME, _LONGEST_HEADING = 2, 20, 8, 8


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A column for printing. kind: as in SummaryColumn, or "name", "main" or "dim" for its style."""

    title: str
    cells: Sequence[str]
    kind: str
    left: bool = False
    drop: int = 0

    @property
    def width(self) -> int:
        """The width of the longest cell."""
        return max(map(len, [self.title, *self.cells]))


def report_text(
    report: Report, *, width: int | None = None, colour: bool = False, details: bool = False, table: str | None = None
) -> str:
    """The report for reading in a terminal: one screen.

    width: in characters; by default the terminal's, 80 without one. colour: whether to use the terminal's colours.
    details: whether all tables follow. table: the only table to print instead.
    Raises OptionError for a table that the report lacks.
    """
    columns = width or max(_NARROWEST, shutil.get_terminal_size((_NOT_A_TERMINAL, 0)).columns)
    wide = max(columns, _LEAST_FOR_DETAILS)
    if table:
        return tables_text(report, width=wide, colour=colour, table=table)
    screen = summary_screen(report.summary, columns)
    screen.no_wrap = True
    text = console_text([screen], width=columns, colour=colour).replace(NO_BREAK, " ")
    return text + tables_text(report, width=wide, colour=colour) if details else text


def summary_screen(summary: Summary, width: int) -> Text:
    """The summary as styled text of at most `width` columns."""
    title, context = printable(summary.title), printable(summary.context)
    gap = width - len(title) - len(context)
    lines = [Text(shortened_name(title, width), "bold")]
    if gap >= _GAP:
        lines = [Text.assemble((title, "bold"), " " * min(gap, max(4, 42 - len(title))), (context, "dim"))]
    lines += map(Text, wrap(printable(summary.verdict), width))
    lines += [Text(part, "dim") for part in wrap(context, width) if gap < _GAP]
    notes = _notes(summary, width, lines_each=2)
    if len(lines) + len(notes) + _SMALLEST_TABLE > LONG:
        notes = _notes(summary, width, lines_each=1)
    if summary.table.rows:
        most = SHORT if summary.chart == "strength" else LONG
        room = max(most - len(lines) - len(notes) - 2, _SMALLEST_TABLE)
        lines += [Text(), *_table(summary, width, room)]
    return Text("\n").join([*lines, Text(), *notes])


# --- the table ---


def _table(summary: Summary, width: int, room: int) -> list[Text]:
    table = summary.table
    rows, hidden, place = dict(table.rows), 0, 0
    if len(rows) > room - 2:  # all but some before pooled results and baselines
        tail = {name: tone for name, tone in rows.items() if tone in _LAST}
        ranked = [name for name in rows if name not in tail]
        place = max(room - 3 - len(tail), 1)
        hidden = sum(rows[name] != "heading" for name in ranked[place:])
        rows = {name: rows[name] for name in ranked[:place]} | tail
    indent = "  " * ("heading" in table.rows.values())
    away = {name: name for name, tone in rows.items() if hidden and indent and tone in _LAST}  # from their heading
    labels = {**table.labels, **away}
    names = [indent * (tone != "heading") + printable(labels.get(name, name)) for name, tone in rows.items()]
    printed = [one for column in table.columns for one in _printed(column, list(rows), table.interval)]
    columns = _fitted([PrintedColumn("", names, "name", left=True), *printed], width)
    lines, cells = list[Text](), zip(*([one.title, *one.cells] for one in columns), strict=True)
    for line, tone in zip(cells, ["faint", *rows.values()], strict=True):
        text, before = Text("  "), ""
        for one, cell in zip(columns, line, strict=True):
            text.append(" " * (_GAP - (one.kind == before == "heat")) if before else "")
            toned = one.kind in ("name", "main", "text") or one.title == "change"
            style = "dim" if one.kind == "dim" or tone in ("baseline", "faint") else _STYLES.get(tone, "") * toned
            text.append(f"{cell:{'<' if one.left else '>'}{one.width}}", style)
            before = one.kind
        text.rstrip()
        lines.append(text)
    more = [Text(f"  ... {hidden:,} more {table.noun}{'s' if hidden > 1 else ''}: --details", "dim")] if hidden else []
    return [*lines[: place + 1], *more, *lines[place + 1 :]]


def _printed(column: SummaryColumn, names: Sequence[str], interval: str) -> Iterator[PrintedColumn]:
    values = [column.cells.get(name) for name in names]
    known = [value if isinstance(value, Score) else None for value in values]
    marked = column.marked & {*names}
    marks = [f"{one}{' !' if name in marked else '  ' * bool(marked)}" for name, one in zip(names, known, strict=True)]
    marks = ["" if one is None else text for one, text in zip(known, marks, strict=True)]
    title = printable(column.title)
    if column.kind == "estimate":
        yield PrintedColumn(title + "  " * bool(marked), marks, "main")
        intervals = [one.interval if one else "" for one in known]
        yield PrintedColumn(interval, intervals, "dim", left=True, drop=1)
    elif column.kind == "compact":
        size = max(map(len, marks), default=0)
        cells = [
            f"{text:>{size}} {one.interval if one else ''}".rstrip() for text, one in zip(marks, known, strict=True)
        ]
        yield PrintedColumn(title, cells, "compact", left=True, drop=column.drop)
    else:
        cells = ["" if one is None else f"{one:,}" if isinstance(one, int) else str(one) for one in values]
        cells = ["-" if one == "undefined" else printable(one) for one in cells]
        kind = "dim" if column.kind == "count" else column.kind
        yield PrintedColumn(title, cells, kind, column.kind == "text", column.drop)


def _fitted(columns: list[PrintedColumn], width: int) -> list[PrintedColumn]:
    """The columns that fit: first headings and long names are cut, then columns with the highest `drop` are removed."""
    names, others = columns[0], columns[1:]
    for step in count():
        heat, most = sum(one.kind == "heat" for one in others), max((one.drop for one in others), default=0)
        room = width - _GAP - sum(one.width + _GAP for one in others) + max(heat - 1, 0)
        if step == 0 and room < names.width:
            for place, one in enumerate(others):
                if one.kind == "heat" and len(one.title) > _LONGEST_HEADING:
                    others[place] = replace(one, title=f"{one.title[: _LONGEST_HEADING - 1]}.")
        elif most and room < min(names.width, _NAME):
            others.remove(next(one for one in reversed(others) if one.drop == most))
        else:
            break
    room = max(min(names.width, room), _SHORTEST_NAME)
    return [replace(names, cells=[shortened_name(name, room) for name in names.cells]), *others]


# --- sentences ---


def _notes(summary: Summary, width: int, *, lines_each: int) -> list[Text]:
    """Findings, cautions, next steps and gates, each of at most so many lines, or thrice as many with an option."""
    none = summary.next and all(one.label for one in summary.cautions)  # a brief screen has neither
    cautions = [*[Sentence("None found")] * bool(none), *summary.cautions]
    groups = (("Findings", summary.findings, ""), ("Caution", cautions, "yellow"), ("Next", summary.next, ""))
    lines = [(one.label or title, one, style) for title, some, style in groups for one in some]
    lines += [(one.label, one, "") for one in summary.gates if one.tone]
    lines.append(("More", Sentence(summary.more), "dim"))
    indent = max(len(label) for label, *_ in lines) + 2
    wrapper = TextWrapper(width - indent, max_lines=lines_each, placeholder="\N{HORIZONTAL ELLIPSIS}")
    fixes = TextWrapper(width - indent, max_lines=lines_each * 3, placeholder="\N{HORIZONTAL ELLIPSIS}")
    gates = TextWrapper(width - indent)  # results of gates are never cut
    used = [gates if one in summary.gates else fixes if ": --" in one.text else wrapper for _, one, _ in lines]
    blocks = [each.wrap(printable(one.text)) for each, (_, one, _) in zip(used, lines, strict=True)]
    printed: list[Text] = []
    before = ""
    for (label, one, style), block in zip(lines, blocks, strict=True):
        tone = _STYLES.get(one.tone, style if style == "dim" else "")
        for number, part in enumerate(block):
            shown = "" if number or label == before else label
            printed.append(Text.assemble((f"{shown:<{indent}}", f"bold {style}".strip()), (part, tone)))
        before = label
    return printed


def shortened_name(name: str, width: int) -> str:
    """A name cut in the middle, since both ends distinguish names.

    >>> shortened_name("llama-3.1-70b-instruct-run14", 16)
    'llama-3.…t-run14'
    """
    if len(name) <= width:
        return name
    end = (width - 1) // 2
    return f"{name[: width - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[len(name) - end :]}"


# --- tables ---


def tables_text(report: Report, *, width: int = 120, colour: bool = False, table: str | None = None) -> str:
    """All tables of a report, caveats, notes and the signature.

    width: in characters. colour: whether to use the terminal's colours. table: the only table to print.
    """
    marks, shown = Marks(), list[Text | Table]()
    for name in [table] if table else [name for name, frame in report.tables.items() if frame.height]:
        printed = printed_table(report, name, _MOST_ROWS, marks)
        shown += [Text(), Text(printable(f"{printed.title.lower()}: {printed.about}"), "bold")]
        shown += _printed_tables(printed, width) if printed.rows else [Text("  none")]
        shown += [Text(f"  {printed.rest}")] if printed.rest else []
    remarks = [f"[{mark}] {remark}" for mark, remark in marks.explained()]
    remarks += [] if table else [*report.notes, *report.warnings]
    shown += [Text(), *(Text(printable(truncate(line))) for line in remarks)]
    shown += [] if table else [Text(f"Signature: {printable(report.signature)}", "dim", no_wrap=True)]
    return console_text(shown, width=width, colour=colour)


def console_text(shown: Iterable[Text | Table], *, width: int, colour: bool) -> str:
    """A terminal's output, without trailing spaces; unwrapped text has lines of any length."""
    stream = io.StringIO()
    # not for Jupyter, which would show each line at once, besides the report itself
    console = Console(
        file=stream, width=width, force_terminal=colour, force_jupyter=False, no_color=not colour, highlight=False
    )
    for one in shown:
        console.print(one, soft_wrap=isinstance(one, Text) and bool(one.no_wrap))
    return re.sub(r" +$", "", stream.getvalue(), flags=re.MULTILINE)


def _printed_tables(printed: PrintedTable, width: int) -> Iterator[Table]:
    """The table in the terminal; columns that do not fit follow in further tables."""
    heads = [printable(f"{truncate(head.title)}{head.mark and f' [{head.mark}]'}") for head in printed.heads]
    cells = [
        [f"{printable(one.whole or one.text)}{one.mark and f' [{one.mark}]'} {one.interval}".rstrip() for one in row]
        for row in printed.rows
    ]
    columns = [[head, *cells] for head, *cells in zip(heads, *cells, strict=True)]
    least = [max(map(len, [*column[0].split(), *column[1:]])) for column in columns]
    room = (width - max(least[printed.keys :], default=0)) // max(printed.keys, 1) - _PADDING
    for place in range(printed.keys):
        longest = max(len(word) for text in columns[place] for word in [*text.split(), ""])
        least[place] = min(longest, max(room, _SHORTEST_KEY), _LONGEST_KEY)
    tables = [[*range(printed.keys)]]
    for place in range(printed.keys, len(columns)):
        if len(tables[-1]) > printed.keys and sum(least[one] + _PADDING for one in (*tables[-1], place)) > width:
            tables.append([*range(printed.keys)])
        tables[-1].append(place)
    for places in tables:
        tight = sum(max(map(len, columns[one])) + _PADDING for one in places) > width
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for one in places:
            side: JustifyMethod = "right" if printed.heads[one].number else "left"
            fixed = least[one] if tight and one >= printed.keys else None
            shown.add_column(Text(columns[one][0]), justify=side, overflow="fold", width=fixed, min_width=least[one])
        for row in zip(*(columns[one][1:] for one in places), strict=True):
            if any(row[printed.keys :]) or len(places) == printed.keys:
                shown.add_row(*map(Text, row))
        yield shown


def printable(text: str) -> str:
    r"""Text from a file that cannot control the terminal: control characters become their escapes.

    >>> printable("a\x1b[31mb"), printable("5\xa0%") == "5\xa0%"
    ('a\\x1b[31mb', True)
    """
    return "".join(char if char.isprintable() or char == NO_BREAK else ascii(char)[1:-1] for char in text)
