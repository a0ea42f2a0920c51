"""The names of a table's columns where they do not stand in its first row, as spreadsheets and surveys have it."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from mmap import mmap

from adjudge.readers.column_names import joined
from adjudge.readers.column_synonyms import ANNOTATOR, GOLD, ID, NAMES, QUESTION
from adjudge.readers.io.source import MARK
from adjudge.readers.problems import counted, listed
from adjudge.schemas.spelling import is_total


def numbered_names(width: int) -> list[str]:
    """The names of columns where a table says none."""
    return [f"column_{number}" for number in range(1, width + 1)]


Cells = Sequence[str | None]

_ROWS = 20
_START = 1 << 16
_SURVEY = '{"ImportId"'
"""How all cells of the third row of a survey of Qualtrics begin; the second holds the questions."""


_OPEN = {"response", "open-ended response"}
"""What SurveyMonkey writes in its second row, below questions whose answers have no columns of their own."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Where names of columns stand.

    above: how many rows before them hold titles. rows: how many hold names, and what is said of these. names: by
    column; None where a column has none. told: what was done, in words.
    """

    above: int
    rows: int
    names: tuple[str | None, ...]
    told: tuple[str, ...] = ()


def heading_of(rows: Sequence[Cells]) -> Heading:
    """The heading of a table, from its first rows.

    Rows above of one cell are titles. Two rows are names where the first has a name for several columns, whose names
    in the second come up again elsewhere: "Ana" above "Label" and "Note" makes Ana Label and Ana Note. So they are
    where the second has names below such columns, and nothing below others.
    """
    filled = [[cell or None for cell in row] for row in rows]
    above = next((place for place, row in enumerate(filled) if sum(map(bool, row)) > 1), 0)
    above = above if len(filled) > above + 1 else 0
    told = [listed([f'"{cell:.60}"' for row in filled[:above] for cell in row if cell])] if above else []
    told = [f"what stands above the names of columns is left out: {one}" for one in told]
    first, *rest = filled[above:]
    if len(rest) > 1 and any(rest[1]) and all((cell or _SURVEY).startswith(_SURVEY) for cell in rest[1]):
        return Heading(above, 3, tuple(first), (*told, "the rows of questions and of import ids are left out"))
    if rest and {cell.lower() for cell in rest[0] if cell} and {cell.lower() for cell in rest[0] if cell} <= _OPEN:
        return Heading(above, 2, tuple(first), (*told, "the row that says what was answered freely is left out"))
    if rest and (both := _of_two(first, rest[0])):
        shown = listed([name for name in both if name], 3)
        return Heading(above, 2, both, (*told, f"two rows hold the names of columns, which are joined: {shown}"))
    return Heading(above, 1, tuple(first), tuple(told))


def _of_two(first: Cells, second: Cells) -> tuple[str | None, ...] | None:
    """The names in two rows, joined; None where the second is no row of names below groups of columns."""
    if len(first) != len(second):
        return None
    spread, groups, merged = list[str | None](), 0, set[int]()
    for place, (group, below) in enumerate(zip(first, second, strict=True)):
        continued = place > 0 and not group and below and spread[-1]
        groups += bool(continued or (group and place and group == first[place - 1]))
        merged |= {place - 1, place} if continued else set()
        spread.append(spread[-1] if continued else group)
    names = tuple(" ".join(filter(None, both)) or None for both in zip(spread, second, strict=True))
    low, made = [one for one in second if one], [one for one in names if one]
    again = len(set(low)) < len(low) or _are_below(first, second, merged)
    again = again and not any(one.replace(".", "").isdigit() for one in low)
    return names if groups and again and len(set(made)) == len(made) else None


def _are_below(first: Cells, second: Cells, merged: Collection[int]) -> bool:
    """Whether the second row has names below merged cells alone, and below a name that stands alone nothing."""
    places = range(len(first))
    apart = [place for place in places if place not in merged]
    return bool(apart) and all((second[place] is None) == (place in apart) for place in places)


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
    cells = [(cell.strip(), held) for cell, held in zip(first_row, below, strict=True) if cell and any(held)]
    numbers = [float(cell.replace(",", ".")) for cell, _ in cells if _NUMBER.fullmatch(cell)]
    counts_on = len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(numbers))
    if len(rows) < _SEVERAL or not cells or counts_on:
        return False
    if any(joined(cell) in _NAMES or (_all(_NUMBER, held) and not _NUMBER.fullmatch(cell)) for cell, held in cells):
        return False
    return sum(_is_like(cell, held) for cell, held in cells) * 2 >= len(first_row)


_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+")
_NAMES = frozenset(chain(ID, ANNOTATOR, GOLD, QUESTION, *chain.from_iterable(one.values() for one in NAMES.values())))
"""What people call columns."""


def _all(pattern: re.Pattern[str], cells: Sequence[str | None]) -> bool:
    return all(pattern.fullmatch((cell or "").strip()) for cell in cells)


def _is_like(cell: str, below: Sequence[str | None]) -> bool:
    """Whether a cell stands below it again, or is a number, or has digits, where all cells below it are and do."""
    digits = re.compile(re.sub(r"\\?\d+", r"\\d+", re.escape(cell)))
    return cell in below or (any(map(str.isdigit, cell)) and (_all(digits, below) or _all(_NUMBER, [cell, *below])))


def with_names_above(content: bytes | mmap, separator: str | None, *, titled: bool) -> tuple[bytes | None, list[str]]:
    """Delimited text whose first line alone holds the names of columns, and what was done; None where that is so.

    separator: what stands between its columns; by default what gives the most rows the same number of cells. titled:
    whether rows may stand above the names, as in spreadsheets. Lines that repeat several names, as in tables that were
    put together from several, become blank, so that lines keep their numbers; between tabs they may be text.
    """
    made, told = None, list[str]()
    text = content[:_START].removeprefix(MARK).decode(errors="replace")
    signs = [{"tab": "\t"}.get(separator, separator)] if separator else ",;\t|"
    rows_by_sign = {sign: first_rows(text, sign) for sign in signs}
    sign = max(rows_by_sign, key=lambda one: _regular(rows_by_sign[one]))
    rows = rows_by_sign[sign]
    _, width = _regular(rows)
    if titled and width > 1 and (end := _totals_begin(content, sign)):
        below = first_rows(content[end:].decode(errors="replace"), sign, _SEEN)
        told, content = [left_out(cells for _, cells in below)], content[:end]
        made = content
    heading = heading_of([cells for _, cells in rows]) if titled and width > 1 else Heading(0, 1, ())
    if (heading.above, heading.rows) != (0, 1):
        line, skipped = io.StringIO(newline=""), rows[heading.above + heading.rows - 1][0]
        csv.writer(line, delimiter=sign, lineterminator="\n").writerow(heading.names)
        content = made = line.getvalue().encode() + b"".join(content[:].split(b"\n", skipped)[skipped:])
        told += heading.told
    names = content[: content.find(b"\n") + 1].removeprefix(MARK).rstrip()
    if sign == "\t" or width < _SEVERAL or names.count(b'"') % 2 or content.find(names, content.find(names) + 1) < 0:
        return made, told
    first, *lines = content[:].split(b"\n")
    quotes = accumulate((line.count(b'"') for line in lines), initial=0)
    plain = [
        b"" if before % 2 == 0 and line.removeprefix(MARK).rstrip() == names else line
        for before, line in zip(quotes, lines, strict=False)
    ]
    repeated = sum(bool(line) and not blank for line, blank in zip(lines, plain, strict=True))
    if not repeated:
        return made, told
    says = "row repeats the names of columns and is skipped", "rows repeat the names of columns and are skipped"
    return b"\n".join((first, *plain)), [*told, counted(repeated, *says)]


_SEVERAL = 2
_SEEN, _TAIL = 1000, 1 << 12
_BLANK_LINE = re.compile(rb"\n[ \t,;|\r]*(?=\n)")
_FIGURE = re.compile(r"[-+]?[\d.,]+ ?%?")


def _totals_begin(content: bytes | mmap, sign: str) -> int:
    """Where the last blank line of a text stands, if nothing but totals stand below it; else 0."""
    tail = content[-_TAIL:].rstrip(b" \t,;|\r\n")
    start = max((match.start() for match in _BLANK_LINE.finditer(tail)), default=0)
    below = first_rows(tail[start:].decode(errors="replace"), sign, _SEEN)
    end = max(len(content) - _TAIL, 0) + start + 1
    above = first_rows(content[: min(_START, end)].decode(errors="replace"), sign, _SEEN)
    quoted = tail[start:].count(b'"') % 2 or not start
    return 0 if quoted or not are_totals([cells for _, cells in above], [cells for _, cells in below]) else end


def are_totals(above: Sequence[Cells], below: Sequence[Cells]) -> bool:
    """Whether rows below a blank one at the end of a table sum it up.

    So they do where each begins with a word for that, or has figures that stand nowhere above, in all of its cells in
    columns whose cells above come up again and again, as labels do.
    """
    columns = [[row[place] for row in above if len(row) > place] for place in range(max(map(len, above), default=0))]
    known = [{*cells} if 2 * len({*cells[1:]}) < len(cells) else None for cells in columns]
    for row in below:
        cells = [(cell, held) for cell, held in zip(row, known, strict=False) if cell and held]
        figures = bool(cells) and all(_FIGURE.fullmatch(cell) and cell not in held for cell, held in cells)
        if not (figures or is_total(next(filter(None, row)) or "")):
            return False
    return bool(below)


def left_out(totals: Iterable[Cells]) -> str:
    """What a warning says of rows of totals, by their first cells."""
    names = [f'"{next(filter(None, row)):.60}"' for row in totals]
    return f"below a blank row, totals are left out: {listed(names)}. If they are items, remove the blank row"


def first_rows(text: str, sign: str, most: int = _ROWS) -> list[tuple[int, list[str]]]:
    """The first rows of a text that hold anything, each with the line at which it ends."""
    reader, rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign), list[tuple[int, list[str]]]()
    with suppress(csv.Error):
        rows.extend((reader.line_num, cells) for cells in islice(reader, most) if any(cells))
    return rows


def _regular(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, int]:
    """How many of some rows have as many cells as the last, if it has several, and how many these are."""
    width = len(rows[-1][1]) if rows else 0
    return (sum(len(cells) == width for _, cells in rows) if width > 1 else 0), width
