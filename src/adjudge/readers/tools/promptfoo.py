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
from contextlib import suppress
from itertools import pairwise
from typing import Any

from adjudge.errors import DataError, flag_name
from adjudge.readers.column_names import GOLD, nearest_to
from adjudge.readers.io.json_documents import Objects, kind, object_in, objects_in, objects_of, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.labels.annotation_export import Row, Skipped
from adjudge.readers.labels.judgments import JudgmentReading, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import ROW, collect

OUTPUT, GRADE = "output", "grade"
"""The possible labels: the outputs of providers, or the grades of assertions."""
_HUMAN = "human"
"""The type of an assertion made by hand in promptfoo's viewer."""
_GRADES = {"true": "pass", "false": "fail"}
_LOOKED_AT = 5
"""Number of results to check for recognition."""
_STATUS = "Status"
_HEADER = re.compile(r"\[([^\]]+)\] .+", re.DOTALL)
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\](?: \([^)\n]*\))?\s*(.*)", re.DOTALL)
"""A grade, perhaps with scores, then the output, then the reason for the grade."""
_REASON = re.compile(r"\s*(?:^|\n)(?:Pass|Fail) Reason: .*\Z", re.DOTALL)

Columns = Mapping[str, tuple[str, bool]]
"""A column of outputs -> its provider, and whether the next column holds their grades."""
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(opened: Opened[JudgmentReading]) -> Parts:
    """Outputs, or grades: the one with a reference, unless label names one.

    For outputs, the annotator is the provider (with the column's number, if it has several), and the reference is the
    value of the test's `equals`. For grades, the annotator is the assertion, by its metric or type, and the reference
    is the human grade of the output.
    """
    if not opened.is_json:
        return read_promptfoo_table(opened)
    objects, providers, judged = _results(opened), dict[str | None, str](), set[str]()
    for result in (one for one in objects.values if isinstance(one, dict)):
        provider = result.get("provider")
        provider_keys = provider if isinstance(provider, dict) else {"id": provider}
        name = plain_text(provider_keys.get("label")) or plain_text(provider_keys.get("id")) or "provider"
        providers[_place(result)[1]] = name
        with suppress(DataError):
            judged |= {OUTPUT} if _expected(result) is not None else set()
            judged |= {GRADE} if any(_name(one) == _HUMAN for one in _components(result)) else set()
    questions = [one for one in (OUTPUT, GRADE) if one in (judged or {GRADE})]
    label = opened.options.columns.get("label") or export.only_question(opened.source.name, questions, (OUTPUT, GRADE))
    columns = Counter(providers.values())

    def rows(result: dict[str, Any]) -> Iterator[Row]:
        output, (test, column) = object_in(result, "response").get(OUTPUT), _place(result)
        fields = export.scalars(result, object_in(result, "vars"), {OUTPUT: output})
        if label != GRADE:
            provider = providers[column]
            annotator = provider if columns[provider] == 1 else f"{provider}#{column}"
            fields = {**fields, "item": test, "expected": _expected(result)}
            yield Row(fields, annotator, {OUTPUT: export.answer_text(output)})
            return
        fields |= {"item": "/".join(filter(None, (test, column)))}
        for one in _components(result):
            name, grade = _name(one), _GRADES.get(plain_text(one.get("pass")) or "")
            yield Row(fields, name, {GRADE: grade}, name == _HUMAN)

    tool = export.Tool({"item": "item", "annotator": "annotator"}, rows, {OUTPUT: "expected"}, "result")
    return export.unfolded(opened, tool, objects)


def _results(opened: Opened[JudgmentReading]) -> Objects:
    """The results: those in a document, or the values of JSON lines."""
    if opened.source.format != "json" or isinstance(opened.document, list):
        return opened.objects
    results = opened.document
    for _ in range(2):
        results = results.get("results") if isinstance(results, dict) else results
    if not isinstance(results, list) or not results:
        raise DataError(f"{opened.source.name}, results: expected a list of results; got {kind(results)}")
    return Objects(opened.source.name, "result", range(1, len(results) + 1), results)


def _place(result: dict[str, Any]) -> tuple[str | None, str | None]:
    """The test, and the column of results: a provider with a prompt."""
    return plain_text(result.get("testIdx")), plain_text(result.get("promptIdx"))


def _components(result: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(object_in(result, "gradingResult"), "componentResults")


def _name(component: dict[str, Any]) -> str:
    """The name of an assertion."""
    assertion = object_in(component, "assertion")
    return plain_text(assertion.get("metric")) or plain_text(assertion.get("type")) or "assertion"


def _expected(result: dict[str, Any]) -> str | None:
    """The value of the test's `equals`, or that of the variable it names."""
    for one in objects_in(object_in(result, "testCase"), "assert"):
        if one.get("type") == "equals":
            value = plain_text(one.get("value"))
            variable = value and _VARIABLE.fullmatch(value)
            return plain_text(object_in(result, "vars").get(variable[1])) if variable else value
    return None


# --- tables ---


def read_promptfoo_table(opened: Opened[JudgmentReading]) -> Parts:
    """A row per test and provider, whose outputs or grades are the labels.

    A variable named label, expected, gold ... is the reference of outputs; without one, grades are the labels. An
    output with an error is skipped. Raises DataError if no output equals its reference.
    """
    columns, place, mapped = _columns(opened), opened.source.name, opened.options.columns
    variables = [name for name in opened.names if name not in columns]
    true = mapped.get("reference") or nearest_to((*GOLD, "label", "answer"), variables)
    label = mapped.get("label") or (OUTPUT if true else GRADE)

    def is_right(row: dict[str, Any]) -> bool:
        cells = (_cell(row, name, status) for name, (_, status) in columns.items())
        return any(cell is not None and cell[1] == plain_text(row.get(true or "")) for cell in cells)

    if true and "label" not in mapped and not any(map(is_right, opened.objects.values)):
        raise DataError(
            f"{place}: no output equals {true}, as with free-text answers",
            fix=f"{flag_name('columns')} label=grade, with a reference",
        )

    def rows(row: dict[str, Any]) -> Iterator[Row | Skipped]:
        variables_of = {name: value for name, value in row.items() if name not in columns}
        for name, (provider, status) in columns.items():
            cell = _cell(row, name, status)
            if cell is None:
                got = f'"{row.get(name)!s:.40}"'
                raise DataError(f", {name:.60}: expected [PASS], [FAIL] or [ERROR] and an output; got {got}")
            grade, output = cell
            if true and label == OUTPUT and grade == "pass" and output != plain_text(row.get(true)):
                yield export.lenient("test")
            yield Row(variables_of, provider, {OUTPUT: output, GRADE: grade})

    names = {"item": "item", "annotator": "annotator", "label": label}
    return export.unfolded(opened, export.Tool(names, rows, {OUTPUT: true} if true else {}), opened.objects)


def _columns(opened: Opened[JudgmentReading]) -> Columns:
    """The columns of outputs; if a provider has several, their names replace its name."""
    first, columns = _first_row(opened), dict[str, tuple[str, bool]]()
    for name, after in pairwise([*opened.names, ""]):
        header = _HEADER.fullmatch(name)
        if header or _cell(first, name, after == _STATUS):
            columns[name] = header[1] if header else name, after == _STATUS
    counts = Counter(provider for provider, _ in columns.values())
    return {name: (one if counts[one] == 1 else name, status) for name, (one, status) in columns.items()}


def _cell(row: Mapping[str, Any], column: str, status: bool) -> tuple[str | None, str | None] | None:  # noqa: FBT001
    """A grade and an output, both None for an error; None for a cell of another form."""
    text = (plain_text(row.get(column)) or "").strip()
    match = _CELL.fullmatch(f"[{row.get(_STATUS)}] {text}" if status else text)
    if not match:
        return None
    return (None, None) if match[1] == "ERROR" else (match[1].lower(), _REASON.sub("", match[2]).strip())


def _first_row(opened: Opened[JudgmentReading]) -> Mapping[str, Any]:
    """The first row of a table; reads no other."""
    table = collect(opened.source, opened.rows([]).head(1)).drop(ROW)
    return next(iter(objects_of(table, opened.source.name).values), {})


# --- recognition ---


def _looks_like(opened: Opened[JudgmentReading]) -> bool:
    """Whether results have a test case with a grade or, as in a failed one, with testIdx and promptIdx.

    A table must have columns of outputs whose first cells hold a grade.
    """
    if not opened.is_json:
        first, columns = _first_row(opened), _columns(opened)
        return bool(columns) and all(_cell(first, name, status) for name, (_, status) in columns.items())
    values = [*opened.first[:_LOOKED_AT]]
    for value in opened.first[:1]:
        nested = value.get("results")
        results = nested.get("results") if isinstance(nested, dict) else nested
        values += results[:_LOOKED_AT] if isinstance(results, list) else []
    result_keys = [value.keys() for value in values if isinstance(value, dict) and "testCase" in value]
    return any("gradingResult" in one or {"testIdx", "promptIdx"} <= one for one in result_keys)


FORMAT = Format("promptfoo", "reliability", read_promptfoo, _looks_like, endings=(".json", ".jsonl", ".csv"))
