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
from typing import Any

from adjudge.errors import DataError, named
from adjudge.readers.column_names import nearest_to
from adjudge.readers.column_synonyms import GOLD
from adjudge.readers.io.json_documents import objects_of, plain_text
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, lenient, only_question, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import ROW, collect

OUTPUT, GRADE = "output", "grade"
"""What may be judged: the outputs of providers, or the grades of assertions."""

_STATUS = "Status"
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, and what follows: the output, and why it was graded so."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)

Columns = Mapping[str, tuple[str, bool]]
"""A column of outputs -> its provider, and whether a column behind it holds their grades."""


def read_promptfoo_table(found: Opened[Options]) -> Parts:
    """A row per test and provider, whose outputs or grades are the labels.

    A variable that is called label, expected, gold ... is the reference of outputs; without one, grades are the labels.
    An output that is an error is skipped. Raises DataError where no output is what the reference says.
    """
    columns, place, asked = _columns(found), found.source.name, found.options.columns
    variables = [name for name in found.names if name not in columns]
    true = asked.get("reference") or nearest_to((*GOLD, "label", "answer"), variables)
    label = asked.get("label") or (OUTPUT if true else GRADE)
    label = label if label in (OUTPUT, GRADE) else only_question(place, (), [OUTPUT, GRADE])
    cells = (
        (row.get(true), _cell(row, name, status))
        for row in found.values.values
        for name, (_, status) in columns.items()
    )
    if true and "label" not in asked and not any(cell and cell[1] == plain_text(right) for right, cell in cells):
        raise DataError(
            f"{place}: no output is what {true} says, as where answers are in free words",
            fix=f"{named('columns')} label=grade, with a reference",
        )

    def rows(row: dict[str, Any]) -> Iterator[Row | Skipped]:
        beside = {name: value for name, value in row.items() if name not in columns}
        for name, (provider, status) in columns.items():
            cell = _cell(row, name, status)
            if cell is None:
                got = f'"{row.get(name)!s:.40}"'
                raise DataError(f", {name:.60}: expected [PASS], [FAIL] or [ERROR] and an output; got {got}")
            grade, output = cell
            if true and label == OUTPUT and grade == "pass" and output != plain_text(row.get(true)):
                yield lenient("test")
            yield Row(beside, provider, {label: output if label == OUTPUT else grade})

    reference = {"reference": true} if true and label == OUTPUT else {}
    return unfolded(found, Tool({"item": "item", "annotator": "annotator", **reference}, rows), found.values)


def _columns(found: Opened[Options]) -> Columns:
    """The columns of outputs; where a provider has several, each is called as its column."""
    first, columns = _first_row(found), dict[str, tuple[str, bool]]()
    for name, after in pairwise([*found.names, ""]):
        header = _HEADER.fullmatch(name)
        if header or _cell(first, name, after == _STATUS):
            columns[name] = header[1] if header else name, after == _STATUS
    counts = Counter(provider for provider, _ in columns.values())
    return {name: (one if counts[one] == 1 else name, status) for name, (one, status) in columns.items()}


def _cell(row: Mapping[str, Any], column: str, status: bool) -> tuple[str | None, str | None] | None:  # noqa: FBT001
    """A grade and an output, both None for an error; None for what promptfoo does not write."""
    text = (plain_text(row.get(column)) or "").strip()
    held = _CELL.fullmatch(f"[{row.get(_STATUS)}] {text}" if status else text)
    if not held:
        return None
    return (None, None) if held[1] == "ERROR" else (held[1].lower(), _REASON.sub("", held[2]).strip())


def is_promptfoo_table(found: Opened[Options]) -> bool:
    """Whether a table has columns of outputs, whose first cells hold a grade."""
    if found.is_json:
        return False
    first, columns = _first_row(found), _columns(found)
    return bool(columns) and all(_cell(first, name, status) for name, (_, status) in columns.items())


def _first_row(found: Opened[Options]) -> Mapping[str, Any]:
    """The first row of a table, of which no other is read for that."""
    table = collect(found.source, found.rows([]).head(1)).drop(ROW)
    return next(iter(objects_of(table, found.source.name).values), {})
