"""Runs of HELM (scenario_state.json): a model's completion for each instance, and the correct references.

{"adapter_spec": {"method": "multiple_choice_joint", "model": "openai/gpt-4"}, "request_states": [
  {"instance": {"id": "id1", "input": {"text": "Rude?"}, "references": [
     {"output": {"text": "Yes"}, "tags": ["correct"]}, {"output": {"text": "No"}, "tags": []}]},
   "train_trial_index": 0, "output_mapping": {"A": "Yes"}, "result": {"completions": [{"text": " A"}]}}]}

HELM writes it for each run: https://github.com/stanford-crfm/helm
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import list_in, object_in, objects_in, plain_text, text_in
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.parsed_input import with_columns

_STATES, _SPEC = "request_states", "adapter_spec"
_ITEM, _WHO, _CORRECT, _INSTANCE = "id", "model", "correct", "instance"


def read_helm(opened: export.LabelFile) -> export.Parts:
    """A row per instance. The answer is the first completion or, for choices, the choice of its letter.

    If several references are correct, the one that the model gave counts. A perturbed instance and a further trial are
    separate items, clustered with the instance. Runs with a separate question about each choice
    (multiple_choice_separate) have no answers, and raise DataError.
    """
    objects = export.listed_records(opened.source, opened.document, _STATES)
    instances = (one.get(_INSTANCE) for one in objects.checked_values())
    ids = [text_in(one, _ITEM) for one in instances if isinstance(one, dict)]
    clustered = {"cluster": _INSTANCE} if len(set(ids)) < len(ids) else {}
    names = {"item": _ITEM, "annotator": _WHO, "reference": _CORRECT, **clustered}
    rows = partial(_rows, text_in(opened.document.get(_SPEC), _WHO) or opened.source.stem)
    return export.unfolded(opened, export.Tool(names, rows, unit="request state"), objects)


def _rows(model: str, state: dict[str, Any]) -> Iterator[export.ToolRow]:
    """The answer to an instance."""
    if state.get("reference_index") is not None:
        raise DataError(": each choice has its own question; expected one question about all")
    instance = object_in(state, _INSTANCE)
    instance_id = text_in(instance, _ITEM)
    changed, trial = text_in(object_in(instance, "perturbation"), "name"), state.get("train_trial_index")
    item = "/".join(filter(None, (instance_id, changed, plain_text(trial or None))))
    completion = next(iter(objects_in(object_in(state, "result"), "completions")), None)
    text = (text_in(completion, "text") or "").strip()
    answer = plain_text(object_in(state, "output_mapping").get(text, text)) or None  # a letter becomes its choice
    right = (one for one in objects_in(instance, "references") if _CORRECT in list_in(one, "tags"))
    texts = (text_in(object_in(one, "output"), "text") for one in right)
    correct = [text.strip() for text in texts if text]
    fields = {"split": instance.get("split"), _ITEM: item or None, _INSTANCE: instance_id}
    reference = answer if answer in correct else next(iter(correct), None)
    input_fields = export.scalars(object_in(instance, "input"), fields, {_CORRECT: reference})
    yield export.ToolRow(input_fields, model, {"completion": answer})


FORMAT = export.Format("helm", "reliability", read_helm, with_columns(_STATES, _SPEC), endings=("scenario_state.json",))
