"""The names of a table's columns where they do not stand in its first row, as spreadsheets and surveys have it."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise
from mmap import mmap

from adjudge.readers.column_names import joined
from adjudge.readers.column_synonyms import ANNOTATOR, GOLD, ID, NAMES, QUESTION
from adjudge.readers.io.source import MARK
from adjudge.readers.problems import counted, listed
from adjudge.schemas.spelling import is_total

Cells = Sequence[str]

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may stand between columns; the likeliest first."""

_ROWS, _MANY = 20, 1000
_START, _TAIL = 1 << 16, 1 << 12
_SURVEY = '{"ImportId"'
"""How all cells of the third row of a survey of Qualtrics begin; the second holds the questions."""
_OPEN = {"response", "open-ended response"}
"""What SurveyMonkey writes in its second row, below questions whose answers have no columns of their own."""
_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+")
_FIGURE = re.compile(r"[-+]?[\d.,]+ ?%?")
_BLANK_LINE = re.compile(rb"\n[ \t,;|\r]*(?=\n)")
_NAMES = frozenset(chain(ID, ANNOTATOR, GOLD, QUESTION, *chain.from_iterable(one.values() for one in NAMES.values())))
"""What people call columns."""


def first_rows(text: str, sign: str, most: int = _ROWS) -> list[tuple[int, list[str]]]:
    """The first rows of a text that hold anything, each with the line at which it ends."""
    reader, rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign), list[tuple[int, list[str]]]()
    with suppress(csv.Error):
        rows.extend((reader.line_num, cells) for cells in islice(reader, most) if any(cells))
    return rows


def separator_in(text: str, known: str = "".join(SEPARATORS)) -> str:
    """The sign that gives most of the first rows as many cells, of several the one that gives more of them."""

    def fit(sign: str) -> tuple[int, int]:
        widths = Counter(len(cells) for _, cells in first_rows(text, sign))
        width, rows = max(widths.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        return (rows, width) if width > 1 and 2 * rows >= widths.total() else (0, 0)

    return max(known, key=fit)


def looks_like_data(first_row: Cells, rows: Sequence[Cells]) -> bool:
    """Whether the first row of a table holds data and no names of columns, as the rows below it show.

    A column speaks for data where the first cell stands below again, is a number above numbers, or has digits where all
    cells below have them, as w2 above w13. It speaks for names where a text stands above numbers, or a cell is what
    people call ids, annotators or labels; so does a row of numbers that count on, such as items 1, 2, 3. It is data
    where half of the columns speak for that, and none for names. `rows` are some of those below; two at least.

    >>> looks_like_data(["w2", "task00", "neutral"], [["w3", "task01", "positive"], ["w4", "task02", "neutral"]])
    True
    >>> looks_like_data(["coder", "unit", "colour"], [["w3", "task01", "red"], ["w4", "task02", "blue"]])
    False
    """
    below = [[row[place] for row in rows if len(row) > place and row[place]] for place in range(len(first_row))]
    cells = [(cell.strip(), held) for cell, held in zip(first_row, below, strict=True) if cell and held]
    numbers = [float(cell.replace(",", ".")) for cell, _ in cells if _NUMBER.fullmatch(cell)]
    counts_on = len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(numbers))
    if not rows[1:] or not cells or counts_on:
        return False
    if any(joined(cell) in _NAMES or (_all(_NUMBER, held) and not _NUMBER.fullmatch(cell)) for cell, held in cells):
        return False
    return sum(_is_like(cell, held) for cell, held in cells) * 2 >= len(first_row)


def _all(pattern: re.Pattern[str], cells: Cells) -> bool:
    return all(pattern.fullmatch(cell.strip()) for cell in cells)


def _is_like(cell: str, below: Cells) -> bool:
    """Whether a cell stands below it again, or is a number, or has digits, where all cells below it are and do."""
    digits = re.compile(re.sub(r"\\?\d+", r"\\d+", re.escape(cell)))
    return cell in below or (any(map(str.isdigit, cell)) and (_all(digits, below) or _all(_NUMBER, [cell, *below])))


def with_names_above(content: bytes | mmap, separator: str | None, *, titled: bool) -> tuple[bytes | None, list[str]]:
    """Delimited text whose first line alone holds the names of columns, and what was done; None where that is so.

    separator: what stands between its columns; by default what its first rows show. titled: whether titles may stand
    above the names, and totals below a blank row, as in spreadsheets. Lines that repeat several names, as in tables
    that were put together from several, become blank, so that lines keep their numbers; between tabs they may be text.
    """
    plain, told = content, list[str]()
    text = content[:_START].removeprefix(MARK).decode(errors="replace")
    sign = separator or separator_in(text)
    rows = first_rows(text, sign)
    if titled and rows and len(rows[-1][1]) > 1:
        plain, told = _without_totals(content, sign)
        above, below, said = _heading([cells for _, cells in rows])
        if said:
            line, skipped = io.StringIO(newline=""), rows[above + below - 1][0]
            csv.writer(line, delimiter=sign, lineterminator="\n").writerow(rows[above][1])
            plain = line.getvalue().encode() + b"".join(plain[:].split(b"\n", skipped)[skipped:])
            told += said
    names = plain[: plain.find(b"\n") + 1].removeprefix(MARK).rstrip()
    if sign != "\t" and sign.encode() in names and names.count(b'"') % 2 == 0:
        plain, repeated = _without_repeats(plain, names)
        says = "row repeats the names of columns and is skipped", "rows repeat the names of columns and are skipped"
        told += [counted(repeated, *says)] if repeated else []
    return (plain[:] if told else None), told


def _heading(rows: Sequence[Cells]) -> tuple[int, int, list[str]]:
    """How many rows hold titles, how many the names of columns and what is said of these, and what is told of both.

    Rows of one cell above others are titles.
    """
    above = next((place for place, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    above = above if len(rows) > above + 1 else 0
    titles = [f'"{cell:.60}"' for row in rows[:above] for cell in row if cell]
    told = [f"what stands above the names of columns is left out: {listed(titles)}"] if titles else []
    second, third = ([cell for cell in row if cell] for row in (*rows[above + 1 :], [], [])[:2])
    if third and all(cell.startswith(_SURVEY) for cell in third):
        return above, 3, [*told, "the rows of questions and of import ids are left out"]
    if second and {cell.lower() for cell in second} <= _OPEN:
        return above, 2, [*told, "the row that says what was answered freely is left out"]
    return above, 1, told


def _without_repeats(content: bytes | mmap, names: bytes) -> tuple[bytes | mmap, int]:
    """Text with blank lines for those that repeat the first, unless they stand within quotes, and how many did."""
    start = content.find(b"\n")
    if content.find(names, start) < 0:
        return content, 0
    below, count = content[start:], 0

    def blank(line: re.Match[bytes]) -> bytes:
        nonlocal count
        within = below.count(b'"', 0, line.start()) % 2
        count += not within
        return line[0] if within else b""

    blanked = re.sub(rb"(?m)^(?:" + MARK + rb")?" + re.escape(names) + rb"\s*?$", blank, below)
    return content[:start] + blanked, count


def _without_totals(content: bytes | mmap, sign: str) -> tuple[bytes | mmap, list[str]]:
    """Text without the rows below its last blank line, if these sum up the table, and what is told of it.

    So they do where each begins with a word for that, or has figures that stand nowhere above, in all of its cells in
    columns whose cells above come up again and again, as labels do.
    """
    tail = content[-_TAIL:].rstrip(b" \t,;|\r\n")
    start = max((match.start() for match in _BLANK_LINE.finditer(tail)), default=0)
    end = max(len(content) - _TAIL, 0) + start + 1
    below = [row for _, row in first_rows(tail[start:].decode(errors="replace"), sign, _MANY)]
    above = [row for _, row in first_rows(content[: min(_START, end)].decode(errors="replace"), sign, _MANY)]
    columns = [[row[place] for row in above if len(row) > place] for place in range(max(map(len, above), default=0))]
    known = [{*cells} if 2 * len({*cells[1:]}) < len(cells) else None for cells in columns]

    def sums_up(row: Cells) -> bool:
        cells = [(cell, held) for cell, held in zip(row, known, strict=False) if cell and held]
        figures = bool(cells) and all(_FIGURE.fullmatch(cell) and cell not in held for cell, held in cells)
        return figures or is_total(next(filter(None, row)))

    if not start or tail[start:].count(b'"') % 2 or not below or not all(map(sums_up, below)):
        return content, []
    names = listed(f'"{next(filter(None, row)):.60}"' for row in below)
    return content[:end], [f"below a blank row, totals are left out: {names}. If they are items, remove the blank row"]
