"""The tables that promptfoo writes (`eval --output results.csv`): the variables of tests, and a column per provider.

text,label,[openai:gpt-4o] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed"

Later versions write the grade into a column Status behind the output; a column without a provider is called as its
prompt. Source: https://www.promptfoo.dev/docs/configuration/outputs
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from adjudge.errors import DataError, named
from adjudge.readers.column_names import nearest_to
from adjudge.readers.column_synonyms import GOLD
from adjudge.readers.io.json_documents import not_plain, objects_of, plain_text
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, lenient, only_question, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import ROW, collect

OUTPUT, GRADE = "output", "grade"
"""What may be judged: the outputs of providers, or the grades of assertions."""

_ITEM, _WHO, _STATUS = "item", "annotator", "Status"
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, and what follows: the output, and why it was graded so."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)
_GRADES = {"PASS": "pass", "FAIL": "fail"}


def read_promptfoo_table(found: Opened[Options]) -> Parts:
    """A row per test and provider, whose outputs or grades are the labels.

    A variable that is called label, expected, gold ... is the reference of outputs; without one, grades are the labels.
    An output that is an error is skipped. Raises DataError where no output is what the reference says.
    """
    columns, place, asked = _columns(found), found.source.name, found.options.columns
    variables = [name for name in found.names if name not in columns]
    true = asked.get("reference") or nearest_to((*GOLD, "label", "answer"), variables)
    values = [value for value in found.values.values if not not_plain(value)]
    cells = ((row, _cell(row, column)) for row in values for column in columns.values())
    right = any(cell and cell.output == plain_text(row.get(true)) for row, cell in cells) if true else False
    label = asked.get("label") or (OUTPUT if true else GRADE)
    label = label if label in (OUTPUT, GRADE) else only_question(place, (), [OUTPUT, GRADE])
    if true and not (right or "label" in asked):
        raise DataError(
            f"{place}: no output is what {true} says, as where answers are in free words",
            fix=f"{named('columns')} label=grade, with a reference",
        )

    def rows(row: dict[str, Any]) -> Iterator[Row | Skipped]:
        beside = {name: value for name, value in row.items() if name not in columns}
        for name, column in columns.items():
            cell = _cell(row, column)
            if cell is None:
                got = f'"{row.get(name)!s:.40}"'
                raise DataError(f", {name:.60}: expected [PASS], [FAIL] or [ERROR] and an output; got {got}")
            if true and label == OUTPUT and cell.grade == "pass" and cell.output != plain_text(row.get(true)):
                yield lenient("test")
            yield Row(beside, column.provider, {label: cell.output if label == OUTPUT else cell.grade})

    names = {"item": _ITEM, "annotator": _WHO, **({"reference": true} if true and label == OUTPUT else {})}
    return unfolded(found, Tool(names, rows), found.values)


class _Column(NamedTuple):
    """A column of outputs, its provider, and the column behind it with their grades, where there is one."""

    name: str
    provider: str
    status: str | None


class _Cell(NamedTuple):
    """What a provider's output is, and how it was graded: None for an error."""

    grade: str | None
    output: str | None


def _columns(found: Opened[Options]) -> Mapping[str, _Column]:
    """The columns of outputs; where a provider has several, each is called as its column."""
    first = _first_row(found)
    behind = pairwise([*found.names, ""])
    columns = [_Column(name, _provider(name), after if after == _STATUS else None) for name, after in behind]
    held = [one for one in columns if _HEADER.fullmatch(one.name) or _cell(first, one)]
    counts = Counter(one.provider for one in held)
    return {one.name: one if counts[one.provider] == 1 else one._replace(provider=one.name) for one in held}


def _provider(column: str) -> str:
    header = _HEADER.fullmatch(column)
    return header[1] if header else column


def _cell(row: Mapping[str, Any], column: _Column) -> _Cell | None:
    """A cell of outputs; None for what promptfoo does not write."""
    text = (plain_text(row.get(column.name)) or "").strip()
    found = _CELL.fullmatch(f"[{row.get(column.status)}] {text}" if column.status else text)
    if not found:
        return None
    grade = _GRADES.get(found[1])
    return _Cell(grade, _REASON.sub("", found[2]).strip() if grade else None)


def is_promptfoo_table(found: Opened[Options]) -> bool:
    """Whether a table has columns of outputs, whose first cells hold a grade."""
    if found.is_json:
        return False
    first = _first_row(found)
    columns = _columns(found)
    return bool(columns) and all(_cell(first, column) for column in columns.values())


def _first_row(found: Opened[Options]) -> Mapping[str, Any]:
    """The first row of a table, of which no other is read for that."""
    table = collect(found.source, found.rows([]).head(1)).drop(ROW)
    return next(iter(objects_of(table, found.source.name).values), {})
