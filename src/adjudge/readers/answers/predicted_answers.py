"""Answers by the ids of their questions, whose true answers stand in a file of their own.

HotpotQA: an object with the answers, id -> text, and the supporting facts. SQuAD: an object id -> text, where an empty
text says that the question has no answer. Results of a batch of OpenAI: JSON lines with custom_id and the response.
Predictions of RGB, which hold the true answers too.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.answers.answer_tables import Layout
from adjudge.readers.io.json_documents import Objects, is_scalar, kind
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import plain_batches
from adjudge.schemas.answers import QUESTION_ANSWERING
from adjudge.version import NAME

_OK = 200
_PLAIN = {"ability": QUESTION_ANSWERING}
_HINT = (
    f". Of a batch file that {NAME} rag prepare wrote (--batch-file) they are made into answers first: {NAME} rag "
    "answer PROMPTS --model MODEL --from-batch FILE --output answers.jsonl"
)
_RECORD = {"id", "_id", "ability", "response", "answer", "question", "query", "prediction", "output", "actual_output"}
"""Names of which a single record would have some, and that are no ids of questions."""


def _by_id(found: Opened[Any], answers: object) -> Objects:
    """Answers by id as records. Raises DataError where they are none, and for an id that stands twice."""
    name = found.source.name
    if not isinstance(answers, dict) or not answers:
        raise DataError(f"{name}: expected an object of answers by the ids of their questions; got {kind(answers)}")
    constants = found.source.how.constant
    values = [{"id": one, "response": said, **constants} for one, said in answers.items() if one not in constants]
    return Objects(name, "answer", range(1, len(values) + 1), values)


# --- HotpotQA ---


def _hotpotqa(found: Opened[Any]) -> Layout:
    """Predictions on HotpotQA: {"answer": {ID: TEXT}, "sp": ...}, for `--gold`."""
    answers = found.document.get("answer") if isinstance(found.document, dict) else None
    return Layout(fixed=_PLAIN, lists="aliases", joined=True, batches=lambda: iter([_by_id(found, answers)]))


def _is_hotpotqa(found: Opened[Any]) -> bool:
    document = found.document if found.source.format == "json" else None
    return isinstance(document, dict) and "sp" in document and isinstance(document.get("answer"), dict)


# --- SQuAD ---


def _squad(found: Opened[Any]) -> Layout:
    """Predictions on SQuAD: {ID: TEXT}, for `--gold`."""
    return Layout(fixed=_PLAIN, lists="aliases", joined=True, batches=lambda: iter([_by_id(found, found.document)]))


def _is_squad(found: Opened[Any]) -> bool:
    document = found.document if found.source.format == "json" else None
    texts = isinstance(document, dict) and document and all(map(is_scalar, document.values()))
    return bool(texts) and not _RECORD & (set(document or ()) - set(found.source.how.constant))


# --- results of a batch ---


def _batch(found: Opened[Any]) -> Layout:
    """Results of a batch of OpenAI: custom_id and response, for `--gold`."""
    columns = {"id": ["custom_id"], "response": ["content"]}
    return Layout(columns, _PLAIN, joined=True, batches=lambda: _results(found), hint=_HINT)


def _results(found: Opened[Any]) -> Iterator[Objects]:
    for objects in plain_batches(found.source):
        yield replace(objects, values=[{**_result(one), **found.source.how.constant} for one in objects.plain()])


def _result(line: Mapping[str, Any]) -> dict[str, Any]:
    """A result, with the text that came and the model that gave it; null where the call failed."""
    response = _object(line.get("response"))
    body = _object(response.get("body"))
    failed = line.get("error") or response.get("status_code", _OK) != _OK
    return {"custom_id": line.get("custom_id"), "model": body.get("model"), "content": None if failed else _said(body)}


def _said(body: Mapping[str, Any]) -> object:
    """What a model said, as the protocols of chats and of responses have it."""
    if isinstance(output := body.get("output"), list):
        return [one for one in output if isinstance(one, dict) and one.get("type") == "message"] or None
    choices = body.get("choices")
    message = _object(_object(choices[0] if isinstance(choices, list) and choices else None).get("message"))
    return message.get("refusal") or message.get("content")


def _object(value: object) -> Mapping[str, Any]:
    """An object of JSON; an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def _is_batch(found: Opened[Any]) -> bool:
    return found.source.format == "jsonl" and {"custom_id", "response"} <= set(found.names)


# --- RGB ---

_NAME = re.compile(r"prediction_(?:en|zh)(?P<end>_int|_fact|_refine)?_(?P<model>.+?)_temp[\d.]+_noise[\d.]+_passage\d")
_ABILITIES = {"_int": "information_integration", "_fact": "counterfactual_robustness"}
_RGB_COLUMNS = ("query", "ans", "prediction", "noise_rate", "label")
_ALL = "1"
"""A ratio of noise, as a JSON number, where no document holds the answer."""


def _rgb(found: Opened[Any]) -> Layout:
    """Predictions of the RGB benchmark's own code: JSON lines with id, query, ans, label, prediction, docs, noise_rate.

        {"id": 0, "query": "Where was it?", "ans": ["Tampa"], "label": [1], "prediction": "In Tampa.", "docs": ["..."],
         "noise_rate": 0.2, "factlabel": 0}

    The file's name says the rest: prediction_DATASET_MODEL_tempT_noiseN_passageK_correctC.json. Of the data sets those
    that end in _int test information_integration, those in _fact counterfactual_robustness; of the others, answers at
    noise 1 test negative_rejection and all else noise_robustness. label and factlabel are the benchmark's own verdicts,
    which the scorer benchmark gives again.

    Source: evalue.py of RGB, Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
    """
    columns = {"response": ["prediction"], "answer": ["ans"], "noise_ratio": ["noise_rate"], "documents": ["docs"]}
    return Layout(columns, lists="slots", batches=lambda: _rgb_batches(found))


def _rgb_batches(found: Opened[Any]) -> Iterator[Objects]:
    """The records, with what the file's name says."""
    named = _NAME.search(found.source.stem)
    model = {"model": named["model"]} if named else {}
    ending = (named and named["end"]) or ""
    for objects in plain_batches(found.source):
        records = [{**model, "ability": _ability(one, ending), **one} for one in objects.plain()]
        yield replace(objects, values=records)


def _ability(record: dict[str, Any], ending: str) -> str:
    silent = record.get("noise_rate") == _ALL
    return _ABILITIES.get(ending, "negative_rejection" if silent else "noise_robustness")


def _is_rgb(found: Opened[Any]) -> bool:
    return all(name in found.names for name in _RGB_COLUMNS)


FORMAT = (
    Format("hotpotqa", "rag", _hotpotqa, _is_hotpotqa, 1, (".json",)),
    Format("squad", "rag", _squad, _is_squad, 0, (".json",)),
    Format("openai-batch", "rag", _batch, _is_batch, 1, (".jsonl",)),
    Format("rgb-predictions", "rag", _rgb, _is_rgb, 1, (".json",)),
)
