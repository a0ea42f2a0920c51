"""Results of promptfoo: outputs with the answers that tests expect, or assertions with human grades of outputs.

    {"evalId": "eval-1", "results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "provider": {"id": "m"},
      "vars": {"text": "Good."}, "response": {"output": "kind"}, "testCase": {"assert": [{"type": "equals", "value":
      "kind"}]}, "gradingResult": {"componentResults": [{"pass": true, "assertion": {"type": "equals"}}]}}]}}

or these results as JSON lines; or a table. Source: https://www.promptfoo.dev/docs/configuration/outputs
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from adjudge.readers.io.json_documents import Objects, json_text, object_in, objects_in, plain_text, text_in
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.tools.promptfoo_tables import GRADE, OUTPUT, is_table, read_table

_GRADE = re.compile(rb"PASS|FAIL|ERROR")
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(opened: export.LabelFile) -> export.Parts:
    """Outputs if a test expects one, else grades, unless label names one.

    For outputs, the annotator is the provider (with the column's number, if it has several), and the reference is the
    value of the test's `equals`. For grades, the annotator is the assertion, by its metric or type, and the reference
    is the human grade of the output.
    """
    if not opened.is_json:
        return read_table(opened)
    objects = _results(opened)
    results = [one for one in objects.values if isinstance(one, dict)]
    providers = {text_in(one, "promptIdx"): _provider(one) for one in results}
    counts = Counter(providers.values())
    names = {column: one if counts[one] == 1 else f"{one}#{column}" for column, one in providers.items()}
    expects = any('"equals"' in json_text(one.get("testCase")) for one in results)
    label = opened.options.columns.get("label") or (OUTPUT if expects else GRADE)

    def rows(result: dict[str, Any]) -> Iterator[export.ToolRow]:
        output = export.answer_text(object_in(result, "response").get(OUTPUT))
        test, column = text_in(result, "testIdx"), text_in(result, "promptIdx")
        own = {OUTPUT: output, "item": test, "expected": _expected(result)}
        fields = export.scalars(result, object_in(result, "vars"), own)
        if label != GRADE:
            yield export.ToolRow(fields, names[column], {OUTPUT: output})
            return
        for one in objects_in(object_in(result, "gradingResult"), "componentResults"):
            assertion = object_in(one, "assertion")
            name = text_in(assertion, "metric") or text_in(assertion, "type") or "assertion"
            grade = {"true": "pass", "false": "fail"}.get(text_in(one, "pass") or "")
            yield export.ToolRow({**fields, "item": f"{test}/{column}"}, name, {GRADE: grade}, name == "human")

    tool = export.Tool({"item": "item", "annotator": "annotator"}, rows, {OUTPUT: "expected"}, "result")
    return export.unfolded(opened, tool, objects)


def _results(opened: export.LabelFile) -> Objects:
    """The results: those in a document, or the values of JSON lines."""
    if opened.source.format != "json" or isinstance(opened.document, list):
        return opened.objects
    results = opened.document.get("results")
    return export.listed_records(opened.source, results if isinstance(results, dict) else opened.document, "results")


def _provider(result: dict[str, Any]) -> str:
    """The name of a provider, which may be an object."""
    provider = result.get("provider")
    return text_in(provider, "label") or text_in(provider, "id") or plain_text(provider) or "provider"


def _expected(result: dict[str, Any]) -> str | None:
    """The value of the test's `equals`, or that of the variable it names."""
    for one in objects_in(object_in(result, "testCase"), "assert"):
        if one.get("type") == "equals":
            value = text_in(one, "value")
            variable = value and _VARIABLE.fullmatch(value)
            return text_in(object_in(result, "vars"), variable[1]) if variable else value
    return None


def _looks_like(opened: export.LabelFile) -> bool:
    """Whether results have a test case with a grade or, as in a failed one, with testIdx and promptIdx."""
    if not opened.is_json:
        return (not opened.is_text or bool(_GRADE.search(opened.start.content))) and is_table(opened)
    nested: Any = opened.first[0].get("results") if opened.first else None
    results = nested.get("results") if isinstance(nested, dict) else nested
    values = [*opened.first, *(results[:5] if isinstance(results, list) else [])]
    result_keys = [value.keys() for value in values if isinstance(value, dict) and "testCase" in value]
    return any("gradingResult" in one or {"testIdx", "promptIdx"} <= one for one in result_keys)


FORMAT = export.Format("promptfoo", "reliability", read_promptfoo, _looks_like, endings=(".json", ".jsonl", ".csv"))
