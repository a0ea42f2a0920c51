"""Runs of HELM (scenario_state.json): what a model completed for each instance, and the references that are correct.

{"adapter_spec": {"method": "multiple_choice_joint", "model": "openai/gpt-4"}, "request_states": [
  {"instance": {"id": "id1", "input": {"text": "Rude?"}, "references": [
     {"output": {"text": "Yes"}, "tags": ["correct"]}, {"output": {"text": "No"}, "tags": []}]},
   "train_trial_index": 0, "output_mapping": {"A": "Yes"}, "result": {"completions": [{"text": " A"}]}}]}
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, kind, list_in, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Tool, scalars, unfolded
from adjudge.readers.labels.judgments import LabelFile, Parts

_STATES, _SPEC = "request_states", "adapter_spec"
_ITEM, _WHO, _CORRECT, _INSTANCE = "id", "model", "correct", "instance"
_ANSWER = "completion"


def read_helm(found: LabelFile) -> Parts:
    """A row per instance. The answer is the first completion or, of choices, what its letter stands for.

    Of several references that are correct the one that was answered counts. An instance that was changed, or asked in a
    further trial, is an item of its own, clustered with it. Runs in which each choice was asked about alone
    (multiple_choice_separate) hold no answers, and are refused.
    """
    document: Any = next(iter(found.objects.values), None)
    name = found.source.name
    states = document.get(_STATES) if isinstance(document, dict) else None
    if not isinstance(states, list) or not states:
        raise DataError(f"{name}: expected an object with a list of {_STATES}; got {kind(document)}")
    spec = document.get(_SPEC)
    model = plain_text(spec.get(_WHO)) if isinstance(spec, dict) else None
    instances = [one[_INSTANCE] for one in states if isinstance(one, dict) and isinstance(one.get(_INSTANCE), dict)]
    ids = [plain_text(one.get(_ITEM)) for one in instances]
    clustered = {"cluster": _INSTANCE} if len(set(ids)) < len(ids) else {}
    names = {"item": _ITEM, "annotator": _WHO, "reference": _CORRECT, **clustered}
    objects = Objects(name, "request state", range(1, len(states) + 1), states)
    return unfolded(found, Tool(names, partial(_rows, model=model or found.source.stem)), objects)


def _rows(state: dict[str, Any], *, model: str) -> Iterator[Row]:
    if state.get("reference_index") is not None:
        raise DataError(": each choice was asked about alone; expected the answer to all of them")
    instance = object_in(state, _INSTANCE)
    own = plain_text(instance.get(_ITEM))
    changed = plain_text(object_in(instance, "perturbation").get("name"))
    trial = plain_text(state.get("train_trial_index")) or "0"
    item = "/".join(filter(None, (own, changed, trial if trial != "0" else None)))
    completions = objects_in(object_in(state, "result"), "completions")
    text = (plain_text(completions[0].get("text")) or "").strip() if completions else ""
    answer = plain_text(object_in(state, "output_mapping").get(text, text)) or None  # of choices, what a letter means
    right = (one for one in objects_in(instance, "references") if _CORRECT in list_in(one, "tags"))
    texts = (plain_text(object_in(one, "output").get("text")) for one in right)
    correct = [text.strip() for text in texts if text]
    known = {"split": instance.get("split"), _ITEM: item or None, _INSTANCE: own}
    reference = answer if answer in correct else next(iter(correct), None)
    yield Row(scalars(object_in(instance, "input"), known, {_CORRECT: reference}), model, {_ANSWER: answer})


def _looks_like(found: LabelFile) -> bool:
    return any({_STATES, _SPEC} <= value.keys() for value in found.first)


FORMAT = Format("helm", "reliability", read_helm, _looks_like, endings=("scenario_state.json",))
