r"""Tables drawn in text, with bars between columns and a line of dashes below their names, as CSV.

So Markdown writes them, and psql and mysql print them:

    | item | gold |          item | gold          +------+------+
    |------|-----:|         ------+------         | item | gold |
    | q1   | a    |          q1   | a             +------+------+
                            (1 row)               | q1   | a    |
"""

import csv
import re
from pathlib import Path

from karat.errors import DataError
from karat.formats.scratch import scratch_file
from karat.formats.source import SNIFFED, decode

_DASHES = r":?(?:-+|=+):?[ \t]*"
_RULE = re.compile(rf"[ \t]*[|+]?[ \t]*{_DASHES}(?:[|+][ \t]*{_DASHES})*[|+]?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_CONTINUED = "+"
"""What psql writes at the end of a cell that goes on in the next line."""
_TEXTS = (".md", ".markdown")
"""How the names of files end in which a table may stand below other text."""
_FIRST = 2


def is_ruled(path: Path, held: str) -> bool:
    """Whether a text is such a table, as one of its first two lines says, or in Markdown any. held: the file's name."""
    with path.open("rb") as file:
        text = file.read(SNIFFED).decode("utf-8-sig", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    first = lines if Path(held).suffix.lower() in _TEXTS else lines[:_FIRST]
    return any(map(_is_rule, first)) and any("|" in line for line in lines)


def ruled_as_csv(path: Path, name: str) -> Path:
    """The one table in a text. Raises DataError where there are several, or rows of another length."""
    lines = decode(path.read_bytes(), name).splitlines()
    tables, at = list[tuple[int, list[int]]](), 0
    while at < len(lines):
        if not _is_rule(lines[at]):
            at += 1
            continue
        header = at - 1 if at and "|" in lines[at - 1] else at + 1
        at, rows = max(at, header) + 1, list[int]()
        while at < len(lines) and ("|" in lines[at] or _is_rule(lines[at])):
            rows += [] if _is_rule(lines[at]) else [at]
            at += 1
        tables.append((header, rows))
    if len(tables) != 1:
        raise DataError(f"{name}: expected one table; got {len(tables)}. Save the one to read alone")
    return _written(lines, *tables[0], name)


def _written(lines: list[str], header: int, rows: list[int], name: str) -> Path:
    """The table as a file. header: the line of its names. rows: those of its cells."""
    above = header < len(lines) and "|" in lines[header] and (header == 0 or not rows or header < rows[0])
    beside = header + 1 < len(lines) and _is_rule(lines[header + 1])
    if not (above and beside):
        raise DataError(f"{name}, line 1: expected the names of columns above the line of dashes; got nothing")
    names, target = _cells(lines[header]), scratch_file(".csv")
    if twice := sorted({one for one in names if names.count(one) > 1}):
        raise DataError(f'{name}, line {header + 1}: the column "{twice[0]:.60}" stands twice. Rename one of them')
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for number in rows:
            cells = _cells(lines[number])
            place = f"{name}, line {number + 1}"
            if len(cells) != len(names):
                raise DataError(f"{place}: expected {len(names)} cells, as in the header; got {len(cells)}")
            if _CONTINUED in lines[header + 1] and any(cell.endswith(" " + _CONTINUED) for cell in cells):
                raise DataError(f"{place}: a cell goes on in the next line; export the table as CSV")
            writer.writerow(cells)
    return target


def _is_rule(line: str) -> bool:
    """Whether a line holds dashes alone, with bars or crosses between columns.

    >>> _is_rule("|---|--:|"), _is_rule("------+----"), _is_rule("----"), _is_rule("| a | - |")
    (True, True, False, False)
    """
    return ("|" in line or "+" in line) and _RULE.fullmatch(line.rstrip()) is not None


def _cells(line: str) -> list[str]:
    r"""The cells of a row.

    >>> _cells("| a | b \\| c |"), _cells(" a | b")
    (['a', 'b | c'], ['a', 'b'])
    """
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]
