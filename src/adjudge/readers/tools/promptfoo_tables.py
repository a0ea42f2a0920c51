"""Tables of promptfoo's results (`eval --output results.csv`): tests' variables, and a column per provider.

text,label,[openai:gpt-4o] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed"

Later versions write the grade into a column Status after the output; the name of a column without a provider is its
prompt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.column_names import GOLD, nearest_to
from adjudge.readers.io.json_documents import plain_text, text_in
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.tables import objects_in_rows

OUTPUT, GRADE = "output", "grade"
"""The possible labels: the outputs of providers, or the grades of assertions."""
_STATUS = "Status"
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, then the output, then the reason for the grade."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)


def read_table(opened: export.LabelFile) -> export.Parts:
    """A row per test and provider, whose outputs or grades are the labels.

    A variable named label, expected, gold ... is the reference of outputs; without one, and if no output equals its
    reference, grades are the labels. An output with an error is skipped.
    """
    providers, mapped = _providers(opened), opened.options.columns
    variables = [name for name in opened.names if name not in providers]
    true = mapped.get("reference") or nearest_to((*GOLD, "label", "answer"), variables) or ""
    cells = ((row.get(true), _cell(row, name)) for row in opened.objects.values for name in providers)
    is_right = any(cell and cell[1] and cell[1] == plain_text(expected) for expected, cell in cells)
    label = mapped.get("label") or (OUTPUT if is_right else GRADE)

    def rows(row: dict[str, Any]) -> Iterator[export.ToolRow | export.Skipped]:
        for name, provider in providers.items():
            cell = _cell(row, name)
            if cell is None:
                raise DataError(f", {name:.60}: expected [PASS], [FAIL] or [ERROR]; got {row.get(name)!s:.40}")
            grade, output = cell
            if true and label == OUTPUT and grade == "pass" and output != text_in(row, true):
                yield export.lenient("test")
            yield export.ToolRow({one: row.get(one) for one in variables}, provider, {OUTPUT: output, GRADE: grade})

    names = {"item": "item", "annotator": "annotator", "label": label}
    return export.unfolded(opened, export.Tool(names, rows, {OUTPUT: true} if true else {}), opened.objects)


def _providers(opened: export.LabelFile) -> dict[str, str]:
    """The columns of outputs -> their providers; if a provider has several, their own names."""
    first, columns = _first_row(opened), dict[str, str]()
    for name, after in pairwise([*opened.names, ""]):
        header = _HEADER.fullmatch(name)
        if header or after == _STATUS or _CELL.fullmatch(str(first.get(name))):
            columns[name] = header[1] if header else name
    counts = Counter(columns.values())
    return {name: one if counts[one] == 1 else name for name, one in columns.items()}


def _cell(row: Mapping[str, Any], name: str) -> tuple[str | None, str | None] | None:
    """A grade and an output, both None for an error; None for a cell of another form."""
    text = (text_in(row, name) or "").strip()
    match = _CELL.fullmatch(text) or _CELL.fullmatch(f"[{row.get(_STATUS)}] {text}")
    if not match:
        return None
    return (None, None) if match[1] == "ERROR" else (match[1].lower(), _REASON.sub("", match[2]).strip())


def _first_row(opened: export.LabelFile) -> Mapping[str, Any]:
    """The first row of a table; reads no other."""
    return next(iter(objects_in_rows(opened.source, 1).values), {})


def is_table(opened: export.LabelFile) -> bool:
    """Whether a table has columns of outputs, whose first cells hold a grade."""
    first, columns = _first_row(opened), _providers(opened)
    return bool(columns) and all(_cell(first, name) for name in columns)
