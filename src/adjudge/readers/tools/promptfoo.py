"""Results of promptfoo: outputs beside the answers that tests expect, or assertions beside what people say of outputs.

    {"evalId": "eval-1", "results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "provider": {"id": "m"},
      "vars": {"text": "Good."}, "response": {"output": "kind"}, "testCase": {"assert": [{"type": "equals", "value":
      "kind"}]}, "gradingResult": {"componentResults": [{"pass": true, "assertion": {"type": "equals"}}]}}]}}

or these results as JSON lines; or the table that stands in promptfoo_table.py.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, kind, not_plain, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, answer_text, only_question, scalars, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tools.promptfoo_table import GRADE, OUTPUT, is_promptfoo_table, read_promptfoo_table

_HUMAN = "human"
"""The type of an assertion that a person made in promptfoo's viewer."""

_EQUALS = "equals"
_GRADES = {"true": "pass", "false": "fail"}
_PLACE = ("testIdx", "promptIdx")
_LOOKED_AT = 5
"""Results that are looked at to recognise them."""
_ITEM, _WHO, _EXPECTED = "item", "annotator", "expected"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read_promptfoo(found: Opened[Options]) -> Parts:
    """Outputs, or grades: whichever has a reference, if it is not named as label.

    Of outputs the annotator is the provider, and the reference what the test's `equals` expects. Of grades the
    annotator is the assertion, by its metric or type, and the reference what a person said of the output.
    """
    if not found.is_json:
        return read_promptfoo_table(found)
    objects = _results(found)
    records = [value for value in objects.values if not not_plain(value)]
    label = found.options.columns.get("label") or only_question(found.source.name, _judged(records), (OUTPUT, GRADE))
    rows = _grades if label == GRADE else partial(_outputs, names=_providers(records))
    return unfolded(found, Tool({"item": _ITEM, "annotator": _WHO}, rows, {OUTPUT: _EXPECTED}, "result"), objects)


def _results(found: Opened[Options]) -> Objects:
    """The results: those in a document, or the values of JSON lines."""
    if found.source.format != "json" or found.source.start().content.startswith(b"["):
        return found.entries
    (results,) = found.entries.values
    for _ in range(2):
        results = results.get("results") if isinstance(results, dict) else results
    if not isinstance(results, list) or not results:
        raise DataError(f"{found.source.name}, results: expected a list of results; got {kind(results)}")
    return Objects(found.source.name, "result", range(1, len(results) + 1), results)


def _judged(results: Sequence[dict[str, Any]]) -> list[str]:
    """What has a reference; where nothing has one, grades."""
    expected = rated = False
    for result in results:
        with suppress(DataError):
            expected = expected or _expected(result) is not None
            rated = rated or any(_type(one) == _HUMAN for one in _components(result))
    return [*([OUTPUT] if expected else []), *([GRADE] if rated or not expected else [])]


def _outputs(result: dict[str, Any], *, names: dict[str | None, str]) -> Iterator[Row]:
    output, who = object_in(result, "response").get(OUTPUT), names.get(plain_text(result.get("promptIdx")))
    known = {_ITEM: result.get("testIdx"), _EXPECTED: _expected(result)}
    yield Row(_beside(result, known), who, {OUTPUT: answer_text(output)})


def _grades(result: dict[str, Any]) -> Iterator[Row]:
    item = "/".join(filter(None, (plain_text(result.get(one)) for one in _PLACE)))
    beside, names = _beside(result, {_ITEM: item}), Counter[str]()
    for one in _components(result):
        name = _type(one)
        names[name] += 1
        who = name if names[name] == 1 else f"{name}#{names[name]}"
        yield Row(beside, who, {GRADE: _GRADES.get(plain_text(one.get("pass")) or "")}, name == _HUMAN)


def _beside(result: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    output = {OUTPUT: object_in(result, "response").get(OUTPUT)}
    return scalars(result, object_in(result, "vars"), output, known)


def _providers(results: Sequence[dict[str, Any]]) -> dict[str | None, str]:
    """The column of results -> its provider; with the column's number, where a provider has several."""
    found = {plain_text(one.get("promptIdx")): _provider(one.get("provider")) for one in results}
    counts = Counter(found.values())
    return {place: name if counts[name] == 1 else f"{name}#{place}" for place, name in found.items()}


def _provider(provider: object) -> str:
    if isinstance(provider, dict):
        return plain_text(provider.get("label")) or plain_text(provider.get("id")) or "provider"
    return plain_text(provider) or "provider"


def _components(result: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(object_in(result, "gradingResult"), "componentResults")


def _type(component: dict[str, Any]) -> str:
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
        if one.get("type") == _EQUALS:
            value = plain_text(one.get("value"))
            variable = value and _VARIABLE.fullmatch(value)
            return plain_text(object_in(result, "vars").get(variable[1])) if variable else value
    return None


def _looks_like(found: Opened[Options]) -> bool:
    """Whether it is a table, or results have a test case and a grade, which one that failed lacks, or both's places."""
    if is_promptfoo_table(found):
        return True
    values = [*found.first[:_LOOKED_AT]]
    for value in found.first[:1]:
        held = value.get("results")
        results = held.get("results") if isinstance(held, dict) else held
        values += results[:_LOOKED_AT] if isinstance(results, list) else []
    known = [value.keys() for value in values if isinstance(value, dict)]
    return any({"gradingResult", "testCase"} <= names or {"testCase", *_PLACE} <= names for names in known)


FORMAT = Format("promptfoo", "reliability", read_promptfoo, _looks_like, endings=(".json", ".jsonl", ".csv"))
