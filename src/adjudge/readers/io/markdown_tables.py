r"""The one table in a Markdown file, as CSV.

| system | accuracy |
|--------|---------:|
| one    |     45.9 |
"""

import csv
import re
from pathlib import Path

from adjudge.errors import DataError
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import SNIFFED, decode

_DASHES = r":?-+:?[ \t]*"
_RULE = re.compile(rf"[ \t]*\|?[ \t]*{_DASHES}(?:\|[ \t]*{_DASHES})*\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_ENDINGS = (".md", ".markdown")


def is_markdown_table(path: Path, held: str) -> bool:
    """Whether a file is called as those of Markdown are, and holds a table. held: the file's name."""
    if Path(held).suffix.lower() not in _ENDINGS:
        return False
    with path.open("rb") as file:
        return any(map(_is_rule, file.read(SNIFFED).decode("utf-8-sig", errors="replace").splitlines()))


def markdown_table_as_csv(path: Path, name: str) -> Path:
    """The one table in a text. Raises DataError for several tables, and for rows of another length."""
    lines = decode(path.read_bytes(), name).splitlines()
    rules = [place for place, line in enumerate(lines) if _is_rule(line)]
    if len(rules) != 1:
        raise DataError(f"{name}: expected one table; got {len(rules)}", fix="a file with the one to read")
    below = rules[0] + 1
    if below == 1 or "|" not in lines[below - 2]:
        raise DataError(f"{name}, line {below}: expected the names of columns above the line of dashes; got nothing")
    names, target = _cells(lines[below - 2]), scratch_file(".csv")
    if twice := sorted({one for one in names if names.count(one) > 1}):
        raise DataError(
            f'{name}, line {below - 1}: the column "{twice[0]:.60}" stands twice', fix="another name for one of them"
        )
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for number, line in enumerate(lines[below:], below + 1):
            if "|" not in line:
                break
            cells = _cells(line)
            if len(cells) != len(names):
                expected = f"expected {len(names)} cells, as in the header"
                raise DataError(f"{name}, line {number}: {expected}; got {len(cells)}")
            writer.writerow(cells)
    return target


def _is_rule(line: str) -> bool:
    """Whether a line holds dashes alone, with bars between columns.

    >>> _is_rule("|---|--:|"), _is_rule("----"), _is_rule("| a | - |")
    (True, False, False)
    """
    return "|" in line and _RULE.fullmatch(line.rstrip()) is not None


def _cells(line: str) -> list[str]:
    r"""The cells of a row.

    >>> _cells("| a | b \\| c |"), _cells(" a | b")
    (['a', 'b | c'], ['a', 'b'])
    """
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]
