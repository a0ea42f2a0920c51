"""The tables that promptfoo writes (`eval --output results.csv`): the variables of tests, and a column per provider.

text,label,[openai:gpt-4o] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed"
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from adjudge.errors import DataError, named
from adjudge.readers.column_names import nearest_to
from adjudge.readers.column_synonyms import GOLD
from adjudge.readers.io.json_documents import not_plain, plain_text
from adjudge.readers.labels.annotation_export import Row, Tool, lenient, only_question, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened

OUTPUT, GRADE = "output", "grade"
"""What may be judged: the outputs of providers, or the grades of assertions."""

_ITEM, _WHO = "item", "annotator"
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
    providers, place = _providers(found), found.source.name
    variables = [name for name in found.names if name not in providers]
    true = found.options.columns.get("reference") or nearest_to((*GOLD, "label", "answer"), variables)
    cells = [cell for value in found.values.values if not not_plain(value) for cell in _cells(value, providers)]
    right = [cell for cell in cells if true and cell.output == plain_text(cell.row.get(true))]
    label = found.options.columns.get("label") or (OUTPUT if true else GRADE)
    label = label if label in (OUTPUT, GRADE) else only_question(place, (), [OUTPUT, GRADE])
    if true and not (right or found.options.columns.get("label")):
        raise DataError(
            f"{place}: no output is what {true} says, as where answers are in free words",
            fix=f"{named('columns')} label=grade, with a reference",
        )
    names = {"item": _ITEM, "annotator": _WHO, **({"reference": true} if true and label == OUTPUT else {})}
    spared = sum(cell.grade == _GRADES["PASS"] for cell in cells) - sum(cell.grade == _GRADES["PASS"] for cell in right)
    told = lenient(place, spared, "test") if label == OUTPUT and true else []
    return unfolded(found, Tool(names, partial(_rows, providers=providers, label=label)), found.values, told)


@dataclass(frozen=True, slots=True)
class _Cell:
    """What one provider said in a test. row: of the table. grade, output: None for an error."""

    row: Mapping[str, Any]
    who: str
    grade: str | None
    output: str | None


def _providers(found: Opened[Options]) -> Mapping[str, str]:
    """Column -> its provider; with the prompt, where a provider has several columns."""
    headers = {name: header[1] for name in found.names if (header := _HEADER.fullmatch(name))}
    counts = Counter(headers.values())
    return {name: who if counts[who] == 1 else name for name, who in headers.items()}


def _cells(row: Mapping[str, Any], providers: Mapping[str, str]) -> Iterator[_Cell]:
    """The cells of a row's providers; what is no cell of promptfoo has neither grade nor output."""
    for column, who in providers.items():
        found = _CELL.fullmatch((plain_text(row.get(column)) or "").strip())
        grade = _GRADES.get(found[1]) if found else None
        yield _Cell(row, who, grade, _REASON.sub("", found[2]).strip() if found and grade else None)


def _rows(row: dict[str, Any], *, providers: Mapping[str, str], label: str) -> Iterator[Row]:
    beside = {name: value for name, value in row.items() if name not in providers}
    for column in providers:
        if not _CELL.fullmatch((plain_text(row.get(column)) or "").strip()):
            got = f'"{row.get(column)!s:.40}"'
            raise DataError(f", {column:.60}: expected [PASS], [FAIL] or [ERROR] and an output; got {got}")
    for cell in _cells(row, providers):
        yield Row(beside, cell.who, {label: cell.output if label == OUTPUT else cell.grade})


def is_promptfoo_table(found: Opened[Options]) -> bool:
    """Whether a table has columns of providers, whose first cells hold a grade and an output."""
    if found.is_json or not any(_HEADER.fullmatch(name) for name in found.names):
        return False
    first: dict[str, Any] = next((one for one in found.values.values if not not_plain(one)), {})
    cells = (plain_text(first.get(name)) or "" for name in found.names if _HEADER.fullmatch(name))
    return all(_CELL.fullmatch(cell.strip()) for cell in cells)
