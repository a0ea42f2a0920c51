"""The tables that promptfoo writes (`eval --output results.csv`): the variables of tests, and a column per provider.

text,label,[openai:gpt-4o] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed"
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from karat.errors import DataError
from karat.formats.documents import not_plain, plain_text
from karat.formats.guess import GOLD
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, only_question, unfolded
from karat.formats.naming import nearest_to
from karat.formats.opened import Opened

OUTPUT, GRADE = "output", "grade"
"""What may be judged: the outputs of providers, or the grades of assertions."""

_ITEM, _WHO = "item", "annotator"
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, and what follows: the output, and why it was graded so."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)
_GRADES = {"PASS": "pass", "FAIL": "fail"}


def read_promptfoo_table(found: Opened[Options]) -> Parts:
    """A row per test and provider, whose outputs or grades are the labels: outputs where a variable is the reference.

    The reference is a variable that is called so (label, expected, gold ...). An output that is an error is skipped.
    """
    providers = _providers(found)
    variables = [name for name in found.names if name not in providers]
    true = found.options.columns.get("reference") or nearest_to((*GOLD, "label", "answer"), variables)
    label = found.options.columns.get("label") or (OUTPUT if true else GRADE)
    label = label if label in (OUTPUT, GRADE) else only_question(found.source.name, (), [OUTPUT, GRADE])
    names = {"item": _ITEM, "annotator": _WHO, **({"reference": true} if true and label == OUTPUT else {})}
    return unfolded(found, Tool(names, partial(_rows, providers=providers, label=label)), found.values)


def _providers(found: Opened[Options]) -> Mapping[str, str]:
    """Column -> its provider; with the prompt, where a provider has several columns."""
    headers = {name: header[1] for name in found.names if (header := _HEADER.fullmatch(name))}
    counts = Counter(headers.values())
    return {name: who if counts[who] == 1 else name for name, who in headers.items()}


def _rows(row: dict[str, Any], *, providers: Mapping[str, str], label: str) -> Iterator[Row]:
    known = {name: value for name, value in row.items() if name not in providers}
    for column, who in providers.items():
        cell = _CELL.fullmatch((plain_text(row.get(column)) or "").strip())
        if cell is None:
            raise DataError(
                f', {column:.60}: expected [PASS], [FAIL] or [ERROR] and an output; got "{row.get(column)!s:.40}"'
            )
        graded = _GRADES.get(cell[1])
        output = _REASON.sub("", cell[2]).strip() if graded else None
        yield Row({**known, _WHO: who}, {label: output if label == OUTPUT else graded})


def is_promptfoo_table(found: Opened[Options]) -> bool:
    """Whether a table has columns of providers, whose first cells hold a grade and an output."""
    if found.is_json or not any(_HEADER.fullmatch(name) for name in found.names):
        return False
    first: dict[str, Any] = next((one for one in found.values.values if not not_plain(one)), {})
    cells = (plain_text(first.get(name)) or "" for name in found.names if _HEADER.fullmatch(name))
    return all(_CELL.fullmatch(cell.strip()) for cell in cells)
