"""Published scores that stand in no plain table: in Markdown, and in what ELOQUENT's evaluation script writes."""

import re
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.documents import Number, not_plain, text_frame
from karat.formats.opened import Opened
from karat.formats.score_tables import figure_in
from karat.formats.source import Format
from karat.formats.tables import ROW
from karat.schemas.preferences import CRITERIA

_RULE = re.compile(r"^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?\r?$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_RESULTS = "_results"


def _results(found: Opened[Any]) -> pl.DataFrame:
    """What the evaluation script of ELOQUENT's preference prediction writes: an object of CRITERION_METRIC.

    What the shared task's script says of one system, which the file is called after.
    """
    if wrong := not_plain(found.document):
        raise DataError(f"{found.source.name}: {wrong}")
    system = found.source.stem.removesuffix(_RESULTS)
    figures = {key: figure_in(key) for key in found.document}
    columns = {
        "system": [system for _ in figures],
        "criterion": [criterion for criterion, _ in figures.values()],
        "metric": [metric for _, metric in figures.values()],
        "value": [str(value) for value in found.document.values()],
    }
    return text_frame(columns, found.source.name).with_row_index(ROW, offset=1)


def _is_results(found: Opened[Any]) -> bool:
    """Whether JSON is an object of numbers, each called after one of the task's criteria."""
    document = found.document if found.source.format == "json" else None
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(value, Number) and key.startswith(CRITERIA) for key, value in document.items())
    )


def _markdown(found: Opened[Any]) -> pl.DataFrame:
    """A table of published scores in Markdown, a row per system (for `rank`).

    The table in a text of Markdown. Raises DataError where there are several, or rows of another length.
    """
    name, text = found.source.name, found.source.text()
    lines, rules = text.splitlines(), list(_RULE.finditer(text))
    if len(rules) != 1:
        raise DataError(f"{name}: expected one table; got {len(rules)}. Save the one to read alone")
    at = text.count("\n", 0, rules[0].start())
    if at == 0:
        raise DataError(f"{name}, line 1: expected the names of columns above the line of dashes; got nothing")
    header, rows = _cells(lines[at - 1]), list[list[str]]()
    for number, line in enumerate(lines[at + 1 :], at + 2):
        if "|" not in line:
            break
        cells = _cells(line)
        if len(cells) != len(header):
            raise DataError(f"{name}, line {number}: expected {len(header)} cells, as in the header; got {len(cells)}")
        rows.append(cells)
    twice = sorted({one for one in header if header.count(one) > 1})
    if twice:
        raise DataError(f'{name}, line {at}: the column "{twice[0]:.60}" stands twice. Rename one of them')
    table = text_frame({one: [row[place] for row in rows] for place, one in enumerate(header)}, name)
    return table.with_row_index(ROW, offset=1)


def _cells(line: str) -> list[str]:
    r"""The cells of a row of Markdown.

    >>> _cells("| a | b \\| c |"), _cells("a | b")
    (['a', 'b | c'], ['a', 'b'])
    """
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def _is_markdown(found: Opened[Any]) -> bool:
    """Whether a text has a line of dashes and bars under a line with bars."""
    if found.source.path is None or found.is_json:
        return False
    text = found.start.content.decode(errors="ignore")
    rule = _RULE.search(text)
    return rule is not None and "|" in rule[0]


FORMAT = (
    Format("eloquent-results", "preferences", _results, _is_results, endings=("_results.json",)),
    Format("markdown", "preferences", _markdown, _is_markdown, endings=(".md",)),
)
