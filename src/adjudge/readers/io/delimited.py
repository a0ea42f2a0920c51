"""Delimited text: a row a line, with commas, semicolons, bars or tabs between columns.

The names of columns are in the first row, or in those that the user names. Other headings are refused.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice, pairwise, zip_longest
from mmap import ACCESS_READ, mmap

import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.readers.column_names import ANNOTATOR, GOLD, ID, NAMES, QUESTION, joined_key
from adjudge.readers.io.decompress import begins, check_width, is_binary
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import EXPORT, MARK, SNIFFED, Format, Source, Start, decode
from adjudge.readers.problems import listed

csv.field_size_limit(2**31 - 1)  # texts may be long

DELIMITED = ("csv", "tsv")
"""The formats of delimited text."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""Possible separators of columns; the likeliest first."""

_ROW_NAMES = "row.names"
"""The name of an unnamed first column, as pandas and R write it for rows."""

_ROWS, _ROWS_COMPARED = 20, 100
_TWO_QUOTES = 'two quotes ("") for a quote within quotes'
_QUOTED_CELL = re.compile(rb'(?m)(?:^(?:\xef\xbb\xbf)?|\t) *("(?:[^"\t\n]|"")*") *(?=\t|\r?$)')
"""A quoted cell in text with tabs between columns."""


def first_rows(text: str, sign: str, most: int = _ROWS) -> list[tuple[int, list[str]]]:
    """The first non-empty rows of a text, each with the line of its end."""
    reader, rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign), list[tuple[int, list[str]]]()
    with suppress(csv.Error):
        rows.extend(islice(((reader.line_num, cells) for cells in reader if any(cells)), most))
    return rows


def separator_in(text: str, known: str = "".join(SEPARATORS)) -> str:
    """The separator that gives most of the first rows the same number of cells; on ties, the larger number."""

    def fit(sign: str) -> tuple[int, int]:
        widths = Counter(len(cells) for _, cells in first_rows(text, sign))
        width, rows = max(widths.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
        return (rows, width) if width > 1 and 2 * rows >= widths.total() else (0, 0)

    return max(known, key=fit)


@contextmanager
def map_file(source: Source) -> Iterator[mmap]:
    """The bytes of a file, read on access."""
    with source.file.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        yield content


def separator_of(source: Source) -> str:
    """The separator of delimited text: the user's, else that of its first rows."""
    given = "\t" if source.format == "tsv" or source.how.separator == "tab" else source.how.separator
    return given or separator_in(_first_lines(source), ",;|")


def _first_lines(source: Source) -> str:
    start = begins(source.file, SNIFFED)
    text = start.decode("utf-8-sig", errors="replace")
    return text if len(start) < SNIFFED else text[: text.rfind("\n") + 1]


def separator_word(separator: str) -> str:
    """The description of a separator."""
    return SEPARATORS.get(separator, f'"{separator}"')


def _delimited(source: Source) -> pl.LazyFrame:
    names, lines = _header(source)
    return pl.scan_csv(
        source.file,
        separator=separator_of(source),
        quote_char=None if source.format == "tsv" and quotes_are_letters(source) else '"',
        infer_schema=False,
        glob=False,
        has_header=False,
        skip_lines=lines,
        schema=dict.fromkeys(names, pl.String()),
        missing_columns="insert",
    )


def quotes_are_letters(source: Source) -> bool:
    """Whether quotes in a file with tabs between columns are literal, as written by tools without escaping.

    They are if no reading with quoted cells is possible, and each line then has as many cells as the header. Raises
    DataError if other cells of such a file are quoted: their quotes would become part of the labels.
    """
    with map_file(source) as content:
        if content.find(b'"') < 0:
            return False
        tabs = {line.count(b"\t") for line in iter(content.readline, b"") if line.strip()}
        quoted = _QUOTED_CELL.search(content)
    if len(tabs) > 1:
        return False
    fault = first_fault(source)
    if fault and quoted:
        raise DataError(fault.lines, fix="a file of JSON lines or Parquet, which put no cell in quotes")
    return fault is not None


def _header(source: Source) -> tuple[list[str], int]:
    """The names of columns, and their number of lines. Raises DataError if the first line has none, or repeats one."""
    if source.file.is_dir():
        raise DataError(f"{source.name}: expected a file; got a folder", fix="the files in it")
    place, sign = f"{source.name}, line 1", separator_of(source)
    begin = begins(source.file, 1 << 20)
    start, end, _ = begin.partition(b"\n")
    if is_binary(start) or b"\r" in start.rstrip(b"\r"):
        raise DataError(f"{place}: expected column names; got control characters", fix=EXPORT)
    text = decode(start, source.name) if end else start.decode("utf-8-sig", errors="replace")
    try:
        whole = io.StringIO(begin.decode("utf-8-sig", errors="replace"), newline="")
        rows = csv.reader(whole, delimiter=sign, strict=True)
        names, lines = next(filter(None, rows), []), rows.line_num
    except csv.Error:
        raise DataError(f"{place}: expected column names; a quote is not closed", fix=_TWO_QUOTES) from None
    check_width(source.name, len(names))
    if source.how.no_header:
        return [f"column_{number}" for number in range(1, len(names) + 1)], 0
    if sum(map(bool, names)) < 2 and len(names) != 2:  # noqa: PLR2004 - two of which one has no name are names of rows
        got = f'expected column names separated by {separator_word(sign)}; got "{text.strip():.60}"'
        fix = flag_name("separator") + next((f' "{one}"' for one in ";,|" if one in text), " SIGN")
        raise DataError(f"{place}: {got}", fix=_heading(source) or f"{fix}, a header row, or (spans) JSON, CoNLL, brat")
    _check_rows_are_data(source, sign, start)
    if not names[0].strip() and _ROW_NAMES not in names:
        names[0] = _ROW_NAMES
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise DataError(f'{place}: the column "{twice[0]:.60}" appears twice', fix=_heading(source) or "other names")
    return names, lines


def _heading(source: Source) -> str:
    """The option that names the heading: the first row, or two, with text in each column; empty if there is none."""
    rows = first_rows(_first_lines(source), separator_of(source))
    used = {at for _, cells in rows for at, cell in enumerate(cells) if at and cell.strip()}
    words = [one for one in rows if not any(map(_NUMBER.fullmatch, one[1]))]
    for (line, cells), (after, below) in pairwise([*words, (0, [])]):
        top, low = ({at for at, cell in enumerate(one) if cell.strip()} for one in (cells, below))
        if top >= used and len({*cells}) == len(cells):
            return f"{flag_name('header_rows')} {line}" if line > 1 else ""
        if after and len(top) > 1 and top | low >= used and not (low >= {0, *used} and len({*below}) == len(below)):
            return f"{flag_name('header_rows')} {line},{after}"
    return ""


def with_heading(source: Source) -> Source:
    """A file whose column names are in the rows that the user names, as one with a row of names in the last of these.

    Names in several rows are joined; one above several columns belongs to all of them. The rows above are empty, so
    that lines keep their numbers. Raises OptionError for a row that does not exist.
    """
    asked = source.how.header_rows if source.format in DELIMITED else ()
    if not asked:
        return source
    sign = separator_of(source)
    rows = {str(line): cells for line, cells in first_rows(_first_lines(source), sign)}
    if odd := next((one for one in asked if one not in rows), None):
        raise OptionError(f"{source.name}: no row {odd:.20} of names", option="header_rows", found=listed(rows))
    *above, last = (rows[one] for one in asked)
    spread = [pl.Series(cells).replace("", None).forward_fill().fill_null("").to_list() for cells in above]
    parts = zip_longest(*spread, last, fillvalue="")
    names, path, end = io.StringIO(), scratch_file(source.file.suffix), max(map(int, asked))
    csv.writer(names, delimiter=sign, lineterminator="").writerow(" ".join(filter(None, one)).strip() for one in parts)
    data = source.file.read_bytes().split(b"\n", end)[end:]
    path.write_bytes(b"\n" * (end - 1) + names.getvalue().encode() + b"\n" + b"".join(data))
    return replace(source, path=path)


_ROW_BELOW_NAMES = re.compile(r'\{"ImportId".*|(open-ended )?response| ?:?-{2,}:? ?', re.IGNORECASE)
"""Cells of rows below the names that are no data: of Qualtrics, of SurveyMonkey, and of tables in Markdown."""


def _check_rows_are_data(source: Source, sign: str, names: bytes) -> None:
    """Raises DataError for headings below the names of columns, and for names that are repeated."""
    (_, columns), *rows = first_rows(_first_lines(source), sign, 3) or [(0, [])]
    for line, cells in reversed(rows):
        repeats = sum(" " in cell and cell.replace(" ", "") == name for cell, name in zip(cells, columns, strict=False))
        if repeats > 1 or all(map(_ROW_BELOW_NAMES.fullmatch, filter(None, cells))):
            message = f"{source.name}, line {line}: expected a row of data; got {listed(filter(None, cells))}"
            raise DataError(message, fix=f"a file without {' and '.join(f'line {n}' for n in range(2, line + 1))}")
    with map_file(source) as content:
        again = content.find(b"\n" + names.removeprefix(MARK).rstrip())
        # a line of names with two tabs is no text
        if again >= 0 and names.count(sign.encode()) > (sign == "\t") and not content[:again].count(b'"') % 2:
            line = content[:again].count(b"\n") + 2
            message = f"{source.name}, line {line}: expected a row of data; got the names of columns again"
            raise DataError(message, fix="a file without it")


def data_in_header(source: Source) -> list[str]:
    """The cells of a first row that looks like data but is read as names of columns; empty for any other table."""
    if source.how.no_header or source.format not in DELIMITED:
        return []
    rows = [cells for _, cells in first_rows(_first_lines(source), separator_of(source), _ROWS_COMPARED)]
    return rows[0] if rows and looks_like_data(rows[0], rows[1:]) else []


def first_fault(source: Source) -> DataError | None:
    """The error about the first row with more cells than the header, or with an unpaired quote."""
    lines = io.StringIO(source.file.read_bytes().decode("utf-8-sig", errors="replace"), newline="").readlines()
    separator = separator_of(source)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    width = end = 0
    with suppress(csv.Error):
        for row in rows:
            width = width or len(row)
            if len(row) > width:
                place, fix = f"{source.name}, line {end + 1}", f"quote cells that contain {separator_word(separator)}"
                fix = _heading(source) or fix
                return DataError(f"{place}: expected {width} cells, as in line 1; got {len(row)}", fix=fix)
            if "".join(lines[end : rows.line_num]).count('"') % 2:
                break
            end = rows.line_num
        else:
            return None
    got = f"expected pairs of quotes around cells; got {lines[end].strip():.60}"
    return DataError(f"{source.name}, line {end + 1}: {got}", fix=_TWO_QUOTES)


_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+")
_NAMES = frozenset(chain(ID, ANNOTATOR, GOLD, QUESTION, *chain.from_iterable(one.values() for one in NAMES.values())))
"""Common names of columns."""


def looks_like_data(first_row: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table holds data instead of names of columns.

    A column indicates data if its first cell repeats below, or is a number above numbers. It indicates names if a text
    is above numbers, or a cell is a common name of ids, annotators or labels; so does a row of consecutive numbers,
    such as items 1, 2, 3. The row is data if half of the columns indicate it, and none indicates names. `rows`: some of
    those below, at least two.

    >>> looks_like_data(["w2", "task00", "neutral"], [["w3", "task00", "positive"], ["w2", "task01", "neutral"]])
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
    if any(joined_key(cell) in _NAMES or (_all(_NUMBER, held) and not _NUMBER.fullmatch(cell)) for cell, held in cells):
        return False
    return sum(cell in held or _all(_NUMBER, [cell, *held]) for cell, held in cells) * 2 >= len(first_row)


def _all(pattern: re.Pattern[str], cells: Sequence[str]) -> bool:
    return all(pattern.fullmatch(cell.strip()) for cell in cells)


def _has_tabs(start: Start) -> bool:
    return separator_in(start.content.decode(errors="replace")) == "\t"


_TABS, _SIGNS = "Text with tabs between columns.", "Text with commas, semicolons or bars between columns."
FORMAT = (
    Format("tsv", None, _delimited, _has_tabs, -1, (".tsv",), _TABS),
    Format("csv", None, _delimited, lambda _: True, -2, (".csv",), _SIGNS),
)
