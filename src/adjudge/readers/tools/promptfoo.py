"""Results of promptfoo: outputs beside the answers that tests expect, or assertions beside what people say of outputs.

    {"evalId": "eval-1", "results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "provider": {"id": "m"},
      "vars": {"text": "Good."}, "response": {"output": "kind"}, "testCase": {"assert": [{"type": "equals", "value":
      "kind"}]}, "gradingResult": {"componentResults": [{"pass": true, "assertion": {"type": "equals"}}]}}]}}

or these results as JSON lines; or the table that stands in promptfoo_table.py.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, kind, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, answer_text, only_question, scalars, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tools.promptfoo_table import GRADE, OUTPUT, is_promptfoo_table, read_promptfoo_table

_HUMAN = "human"
"""The type of an assertion that a person made in promptfoo's viewer."""
_GRADES = {"true": "pass", "false": "fail"}
_LOOKED_AT = 5
"""Results that are looked at to recognise them."""
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(found: Opened[Options]) -> Parts:
    """Outputs, or grades: whichever has a reference, if it is not named as label.

    Of outputs the annotator is the provider (with the column's number, where it has several), and the reference what
    the test's `equals` expects. Of grades the annotator is the assertion, by its metric or type, and the reference what
    a person said of the output.
    """
    if not found.is_json:
        return read_promptfoo_table(found)
    objects, providers, judged = _results(found), dict[str | None, str](), set[str]()
    for result in (one for one in objects.values if isinstance(one, dict)):
        provider = result.get("provider")
        named = provider if isinstance(provider, dict) else {"id": provider}
        name = plain_text(named.get("label")) or plain_text(named.get("id")) or "provider"
        providers[_place(result)[1]] = name
        with suppress(DataError):
            judged |= {OUTPUT} if _expected(result) is not None else set()
            judged |= {GRADE} if any(_name(one) == _HUMAN for one in _components(result)) else set()
    questions = [one for one in (OUTPUT, GRADE) if one in (judged or {GRADE})]
    label = found.options.columns.get("label") or only_question(found.source.name, questions, (OUTPUT, GRADE))
    columns = Counter(providers.values())

    def rows(result: dict[str, Any]) -> Iterator[Row]:
        output, (test, column) = object_in(result, "response").get(OUTPUT), _place(result)
        beside = scalars(result, object_in(result, "vars"), {OUTPUT: output})
        if label != GRADE:
            provider = providers[column]
            who = provider if columns[provider] == 1 else f"{provider}#{column}"
            yield Row({**beside, "item": test, "expected": _expected(result)}, who, {OUTPUT: answer_text(output)})
            return
        beside, names = {**beside, "item": "/".join(filter(None, (test, column)))}, Counter[str]()
        for one in _components(result):
            name = _name(one)
            names[name] += 1
            who = name if names[name] == 1 else f"{name}#{names[name]}"
            yield Row(beside, who, {GRADE: _GRADES.get(plain_text(one.get("pass")) or "")}, name == _HUMAN)

    tool = Tool({"item": "item", "annotator": "annotator"}, rows, {OUTPUT: "expected"}, "result")
    return unfolded(found, tool, objects)


def _results(found: Opened[Options]) -> Objects:
    """The results: those in a document, or the values of JSON lines."""
    if found.source.format != "json" or isinstance(found.document, list):
        return found.entries
    results = found.document
    for _ in range(2):
        results = results.get("results") if isinstance(results, dict) else results
    if not isinstance(results, list) or not results:
        raise DataError(f"{found.source.name}, results: expected a list of results; got {kind(results)}")
    return Objects(found.source.name, "result", range(1, len(results) + 1), results)


def _place(result: dict[str, Any]) -> tuple[str | None, str | None]:
    """The test, and the column of results: a provider with a prompt."""
    return plain_text(result.get("testIdx")), plain_text(result.get("promptIdx"))


def _components(result: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(object_in(result, "gradingResult"), "componentResults")


def _name(component: dict[str, Any]) -> str:
    """What an assertion is called."""
    assertion = object_in(component, "assertion")
    return plain_text(assertion.get("metric")) or plain_text(assertion.get("type")) or "assertion"


def _assertions(holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The assertions of a test, and those in its sets of assertions."""
    for one in objects_in(holder, "assert"):
        yield one
        yield from _assertions(one)


def _expected(result: dict[str, Any]) -> str | None:
    """What the test's `equals` expects; a variable's value where it names one."""
    for one in _assertions(object_in(result, "testCase")):
        if one.get("type") == "equals":
            value = plain_text(one.get("value"))
            variable = value and _VARIABLE.fullmatch(value)
            return plain_text(object_in(result, "vars").get(variable[1])) if variable else value
    return None


def _looks_like(found: Opened[Options]) -> bool:
    """Whether it is a table, or results have a test case and a grade, which one that failed lacks, or both's places."""
    values = [*found.first[:_LOOKED_AT]]
    for value in found.first[:1]:
        held = value.get("results")
        results = held.get("results") if isinstance(held, dict) else held
        values += results[:_LOOKED_AT] if isinstance(results, list) else []
    known = [value.keys() for value in values if isinstance(value, dict) and "testCase" in value]
    return is_promptfoo_table(found) or any("gradingResult" in one or {"testIdx", "promptIdx"} <= one for one in known)


FORMAT = Format("promptfoo", "reliability", read_promptfoo, _looks_like, endings=(".json", ".jsonl", ".csv"))
