"""Results of promptfoo: outputs with the answers that tests expect, or assertions with human grades of outputs.

    {"evalId": "eval-1", "results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "provider": {"id": "m"},
      "vars": {"text": "Good."}, "response": {"output": "kind"}, "testCase": {"assert": [{"type": "equals", "value":
      "kind"}]}, "gradingResult": {"componentResults": [{"pass": true, "assertion": {"type": "equals"}}]}}]}}

or these results as JSON lines; or a table (`eval --output results.csv`) of tests' variables, with a column per
provider:

text,label,[openai:gpt-4o] What tone has {{text}}?
Good.,kind,"[PASS] (1.00)

kind

Pass Reason: All assertions passed"

Later versions write the grade into a column Status after the output; the name of a column without a provider is its
prompt. Source: https://www.promptfoo.dev/docs/configuration/outputs
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.column_names import GOLD, nearest_to
from adjudge.readers.io.json_documents import Objects, json_text, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.labels.annotation_export import Skipped, ToolRow
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.tables import objects_in_rows

OUTPUT, GRADE = "output", "grade"
"""The possible labels: the outputs of providers, or the grades of assertions."""
_STATUS, _EQUALS = "Status", '"equals"'
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, then the output, then the reason for the grade."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(opened: LabelFile) -> Parts:
    """Outputs if a test expects one, else grades, unless label names one.

    For outputs, the annotator is the provider (with the column's number, if it has several), and the reference is the
    value of the test's `equals`. For grades, the annotator is the assertion, by its metric or type, and the reference
    is the human grade of the output.
    """
    if not opened.is_json:
        return _read_table(opened)
    objects = _results(opened)
    results = [one for one in objects.values if isinstance(one, dict)]
    providers = {plain_text(one.get("promptIdx")): _provider(one) for one in results}
    counts = Counter(providers.values())
    names = {column: one if counts[one] == 1 else f"{one}#{column}" for column, one in providers.items()}
    expects = any(_EQUALS in json_text(one.get("testCase")) for one in results)
    label = opened.options.columns.get("label") or (OUTPUT if expects else GRADE)

    def rows(result: dict[str, Any]) -> Iterator[ToolRow]:
        output = export.answer_text(object_in(result, "response").get(OUTPUT))
        test, column = plain_text(result.get("testIdx")), plain_text(result.get("promptIdx"))
        own = {OUTPUT: output, "item": test, "expected": _expected(result)}
        fields = export.scalars(result, object_in(result, "vars"), own)
        if label != GRADE:
            yield ToolRow(fields, names[column], {OUTPUT: output})
            return
        for one in objects_in(object_in(result, "gradingResult"), "componentResults"):
            assertion = object_in(one, "assertion")
            name = plain_text(assertion.get("metric")) or plain_text(assertion.get("type")) or "assertion"
            grade = {"true": "pass", "false": "fail"}.get(plain_text(one.get("pass")) or "")
            yield ToolRow({**fields, "item": f"{test}/{column}"}, name, {GRADE: grade}, name == "human")

    tool = export.Tool({"item": "item", "annotator": "annotator"}, rows, {OUTPUT: "expected"}, "result")
    return export.unfolded(opened, tool, objects)


def _results(opened: LabelFile) -> Objects:
    """The results: those in a document, or the values of JSON lines."""
    if opened.source.format != "json" or isinstance(opened.document, list):
        return opened.objects
    results = opened.document.get("results")
    return export.listed_records(opened.source, results if isinstance(results, dict) else opened.document, "results")


def _provider(result: dict[str, Any]) -> str:
    """The name of a provider, which may be an object."""
    provider = result.get("provider")
    named = provider if isinstance(provider, dict) else {"id": provider}
    return plain_text(named.get("label")) or plain_text(named.get("id")) or "provider"


def _expected(result: dict[str, Any]) -> str | None:
    """The value of the test's `equals`, or that of the variable it names."""
    for one in objects_in(object_in(result, "testCase"), "assert"):
        if one.get("type") == "equals":
            value = plain_text(one.get("value"))
            variable = value and _VARIABLE.fullmatch(value)
            return plain_text(object_in(result, "vars").get(variable[1])) if variable else value
    return None


# --- tables ---


def _read_table(opened: LabelFile) -> Parts:
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

    def rows(row: dict[str, Any]) -> Iterator[ToolRow | Skipped]:
        for name, provider in providers.items():
            cell = _cell(row, name)
            if cell is None:
                raise DataError(f", {name:.60}: expected [PASS], [FAIL] or [ERROR]; got {row.get(name)!s:.40}")
            grade, output = cell
            if true and label == OUTPUT and grade == "pass" and output != plain_text(row.get(true)):
                yield export.lenient("test")
            yield ToolRow({one: row.get(one) for one in variables}, provider, {OUTPUT: output, GRADE: grade})

    names = {"item": "item", "annotator": "annotator", "label": label}
    return export.unfolded(opened, export.Tool(names, rows, {OUTPUT: true} if true else {}), opened.objects)


def _providers(opened: LabelFile) -> dict[str, str]:
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
    text = (plain_text(row.get(name)) or "").strip()
    match = _CELL.fullmatch(text) or _CELL.fullmatch(f"[{row.get(_STATUS)}] {text}")
    if not match:
        return None
    return (None, None) if match[1] == "ERROR" else (match[1].lower(), _REASON.sub("", match[2]).strip())


def _first_row(opened: LabelFile) -> Mapping[str, Any]:
    """The first row of a table; reads no other."""
    return next(iter(objects_in_rows(opened.source, 1).values), {})


# --- recognition ---


def _looks_like(opened: LabelFile) -> bool:
    """Whether results have a test case with a grade or, as in a failed one, with testIdx and promptIdx.

    A table must have columns of outputs whose first cells hold a grade.
    """
    if opened.is_text and not re.search(rb"PASS|FAIL|ERROR", opened.start.content):
        return False
    if not opened.is_json:
        first, columns = _first_row(opened), _providers(opened)
        return bool(columns) and all(_cell(first, name) for name in columns)
    nested: Any = opened.first[0].get("results") if opened.first else None
    results = nested.get("results") if isinstance(nested, dict) else nested
    values = [*opened.first, *(results[:5] if isinstance(results, list) else [])]
    result_keys = [value.keys() for value in values if isinstance(value, dict) and "testCase" in value]
    return any("gradingResult" in one or {"testIdx", "promptIdx"} <= one for one in result_keys)


FORMAT = Format("promptfoo", "reliability", read_promptfoo, _looks_like, endings=(".json", ".jsonl", ".csv"))
