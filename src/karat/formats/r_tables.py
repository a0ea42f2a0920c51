"""Tables as R's write.table leaves them: names of rows without a name of their own, spaces between cells."""

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from shutil import copyfileobj
from typing import TextIO

from karat.formats.scratch import scratch_file

ROWS = "row.names"
"""What the column of rows' names is called here; R writes no name for it."""

_NAMES = re.compile(r'"[^"]*"(?P<sign>[,;\t ])"[^"]*"(?:(?P=sign)"[^"]*")*')
"""How the first line looks: all names are in quotes."""
_LOOKED_AT, _LONGEST = 20, 1 << 16


def with_named_rows(path: Path, name: str) -> tuple[Path, tuple[str, ...]]:
    """The table with commas where spaces stood and a name for the names of rows, and what was done; else the file.

    Rows have names where each has a cell more than there are names of columns, and begins with one in quotes that no
    other has.
    """
    with _opened(path) as file:
        first, second = file.readline(_LONGEST).rstrip("\r\n"), file.readline(_LONGEST)
    found = _NAMES.fullmatch(first)
    sign = found["sign"] if found else ","
    with suppress(csv.Error), _opened(path) as file:
        names, *rows = list(islice(csv.reader(file, delimiter=sign, strict=True), _LOOKED_AT)) if found else [[]]
        widths = {len(row) for row in rows}
        named = widths == {len(names) + 1} and second.startswith('"') and _are_names(rows)
        if named or (sign == " " and widths == {len(names)}):
            told = (f"{name}: the names of rows, which have none of their own, are the column {ROWS}",) if named else ()
            return _written(path, sign, f'"{ROWS}"{sign}' if named else ""), told
    return path, ()


def _opened(path: Path) -> TextIO:
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")


def _are_names(rows: Sequence[Sequence[str]]) -> bool:
    return len({row[0] for row in rows}) == len(rows) and any(row[-1] for row in rows)


def _written(path: Path, sign: str, start: str) -> Path:
    target = scratch_file(path.suffix)
    with _opened(path) as file, target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as made:
        if sign == " ":
            rows = csv.reader(chain([start + file.readline()], file), delimiter=sign, strict=True)
            csv.writer(made, lineterminator="\n").writerows(rows)
        else:
            made.write(start)
            copyfileobj(file, made)
    return target
