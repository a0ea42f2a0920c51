"""Logs of OpenAI's evals: an event per line, of which matches hold what a model picked and what was expected.

{"spec": {"completion_fns": ["gpt-4"], "eval_name": "tone.test.v0"}}
{"run_id": "r", "event_id": 0, "sample_id": "tone.test.0", "type": "match",
 "data": {"correct": true, "expected": "polite", "picked": "polite", "sampled": "polite."}}
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from karat.errors import DataError
from karat.formats.documents import not_plain, plain_text
from karat.formats.findings import listed
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, answer_text, lenient, unfolded
from karat.formats.opened import Opened
from karat.formats.reading import object_in
from karat.formats.source import Format

_ITEM, _WHO, _EXPECTED = "sample_id", "completion_fns", "expected"
_MATCH = "match"
_EVENT = {"run_id", "event_id", _ITEM, "type", "data"}


def read_openai_evals(found: Opened[Options]) -> Parts:
    """A row per match. The answer is the option that was picked or, where none was, what the model said.

    Of several answers that are expected the one that was picked counts. The model is the one that the log's first line
    names, else the log is called after its file.
    """
    values = [value for value in found.objects.values if not not_plain(value)]
    kinds = dict.fromkeys(plain_text(value["type"]) or "" for value in values if value.keys() >= _EVENT)
    if _MATCH not in kinds:
        raise DataError(
            f"{found.source.name}: expected events of the type {_MATCH}, which hold what was expected; got "
            f"{listed(kinds)}"
        )
    specs = [value["spec"] for value in values if isinstance(value.get("spec"), dict)]
    model = answer_text(specs[0].get(_WHO)) if specs else None
    rows = partial(_rows, model=model or found.source.stem)
    spared = sum(_is_spared(value) for value in values)
    tool = Tool({"item": _ITEM, "annotator": _WHO, "reference": _EXPECTED}, rows)
    return unfolded(found, tool, found.objects, lenient(found.source.name, spared, "log"))


def _rows(event: dict[str, Any], *, model: str) -> Iterator[Row]:
    if event.get("type") == _MATCH:
        data = object_in(event, "data")
        own = {_ITEM: event.get(_ITEM), _WHO: model, _EXPECTED: _expected(data)}
        yield Row({**data, **own}, {"answer": _answer(data)})


def _answer(data: dict[str, Any]) -> str | None:
    return answer_text(data.get("sampled") if data.get("picked") is None else data["picked"])


def _expected(data: dict[str, Any]) -> str | None:
    every = data.get(_EXPECTED)
    return _answer(data) if isinstance(every, list) and _answer(data) in every else answer_text(every)


def _is_spared(event: dict[str, Any]) -> bool:
    """Whether the log counts an answer as right that is not the one expected."""
    data = event.get("data")
    if event.get("type") != _MATCH or not isinstance(data, dict):
        return False
    return data.get("correct") is True and _answer(data) != _expected(data)


def _looks_like(found: Opened[Options]) -> bool:
    return any(value.keys() >= _EVENT for value in found.first)


FORMAT = Format("openai-evals", "reliability", read_openai_evals, _looks_like, endings=(".jsonl",))
