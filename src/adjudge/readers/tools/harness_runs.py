"""Models' answers in runs of evaluation harnesses, and the targets: HELM and lm-evaluation-harness.

HELM writes scenario_state.json:

    {"adapter_spec": {"method": "multiple_choice_joint", "model": "openai/gpt-4"}, "request_states": [
      {"instance": {"id": "id1", "input": {"text": "Rude?"}, "references": [
         {"output": {"text": "Yes"}, "tags": ["correct"]}, {"output": {"text": "No"}, "tags": []}]},
       "train_trial_index": 0, "output_mapping": {"A": "Yes"}, "result": {"completions": [{"text": " A"}]}}]}

lm-evaluation-harness writes JSON lines:

    {"doc_id": 0, "doc": {"question": "..."}, "target": "2", "arguments": {}, "resps": [[["-1.5", "False"]]],
     "filtered_resps": [["-1.5", "False"], ["-0.2", "True"]], "filter": "none", "acc": 1.0}
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, list_in, not_plain, object_in, objects_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.readers.parsed_input import with_columns

# --- HELM ---

_STATES, _SPEC = "request_states", "adapter_spec"
_ITEM, _WHO, _CORRECT, _INSTANCE = "id", "model", "correct", "instance"


def read_helm(opened: LabelFile) -> Parts:
    """Runs of HELM (scenario_state.json): a model's completion for each instance, and the correct references.

    A row per instance. The answer is the first completion or, for choices, the choice of its letter.

    If several references are correct, the one that the model gave counts. A perturbed instance and a further trial are
    separate items, clustered with the instance. Runs with a separate question about each choice
    (multiple_choice_separate) have no answers, and raise DataError.
    """
    objects = export.listed_records(opened.source, opened.document, _STATES)
    spec, instances = opened.document.get(_SPEC), (one.get(_INSTANCE) for one in objects.checked_values())
    ids = [plain_text(one.get(_ITEM)) for one in instances if isinstance(one, dict)]
    clustered = {"cluster": _INSTANCE} if len(set(ids)) < len(ids) else {}
    names = {"item": _ITEM, "annotator": _WHO, "reference": _CORRECT, **clustered}
    model = plain_text(spec.get(_WHO)) if isinstance(spec, dict) else None
    rows = partial(_instance_rows, model or opened.source.stem)
    return export.unfolded(opened, export.Tool(names, rows, unit="request state"), objects)


def _instance_rows(model: str, state: dict[str, Any]) -> Iterator[export.ToolRow]:
    if state.get("reference_index") is not None:
        raise DataError(": each choice has its own question; expected one question about all")
    instance = object_in(state, _INSTANCE)
    instance_id = plain_text(instance.get(_ITEM))
    changed, trial = object_in(instance, "perturbation").get("name"), state.get("train_trial_index")
    item = "/".join(filter(None, (instance_id, plain_text(changed), plain_text(trial or None))))
    completions = objects_in(object_in(state, "result"), "completions")
    text = (plain_text(completions[0].get("text")) or "").strip() if completions else ""
    answer = plain_text(object_in(state, "output_mapping").get(text, text)) or None  # a letter becomes its choice
    right = (one for one in objects_in(instance, "references") if _CORRECT in list_in(one, "tags"))
    texts = (plain_text(object_in(one, "output").get("text")) for one in right)
    correct = [text.strip() for text in texts if text]
    fields = {"split": instance.get("split"), _ITEM: item or None, _INSTANCE: instance_id}
    reference = answer if answer in correct else next(iter(correct), None)
    input_fields = export.scalars(object_in(instance, "input"), fields, {_CORRECT: reference})
    yield export.ToolRow(input_fields, model, {"completion": answer})


# --- lm-evaluation-harness ---

_RESPONSES = "filtered_resps"


def read_lm_eval(opened: LabelFile) -> Parts:
    """Logs of samples of lm-evaluation-harness: a model's answer to each document, and the target.

    A row per document. The answer is the filtered response, or the likeliest choice.

    A choice is its number, from 0, or its text if the target is no number.

    If there are several filters, label names one. If the harness named the file, the model is the file's folder and
    document ids begin with the task.
    """
    filters = list(dict.fromkeys(_filter(one) for one in opened.objects.values if not not_plain(one)))
    chosen = opened.options.columns.get("label") or export.only_question(opened.source.name, filters, filters)
    match = re.fullmatch(r"samples_(.+)_\d{4}-\d\d-\d\dT.*", opened.source.stem)  # in a folder named after the model
    model = (match and Path(opened.source.name).parent.name) or opened.source.stem

    def rows(line: dict[str, Any]) -> Iterator[export.ToolRow | export.Skipped]:
        if _filter(line) != chosen:
            return
        item, target, answer = plain_text(line.get("doc_id")), plain_text(line.get("target")), _answer(line)
        document = line["doc"] if isinstance(line.get("doc"), dict) else {}
        ids = {"doc_id": f"{match[1]}/{item}" if match and item else item, "target": target}
        if answer != target and any(plain_text(line.get(metric)) == "1" for metric in ("acc", "exact_match")):
            yield export.lenient("harness")
        yield export.ToolRow(export.scalars(document, line, ids), model, {chosen: answer})

    names = {"item": "doc_id", "annotator": "model", "reference": "target"}
    return export.unfolded(opened, export.Tool(names, rows), opened.objects)


def _filter(line: dict[str, Any]) -> str:
    return plain_text(line.get("filter")) or "none"


def _answer(line: dict[str, Any]) -> str | None:
    """The response, or the likeliest choice in the form of the target: its number or its text."""
    responses = line.get(_RESPONSES)
    if not isinstance(responses, list):
        raise DataError(f", {_RESPONSES}: expected a list; got {kind(responses)}")
    if responses and all(map(_is_likelihood, responses)):
        with suppress(ValueError, TypeError):
            likely = [float(one[0]) for one in responses]
            number, target = likely.index(max(likely)), plain_text(line.get("target"))
            by_number = target is None or target.isdecimal()
            return str(number) if by_number else (_choice(line.get("arguments"), number) or str(number)).strip()
    first = responses[0] if responses else None
    while isinstance(first, list) and len(first) == 1:  # a list of single answers
        first = first[0]
    return export.answer_text(first)


def _is_likelihood(response: object) -> bool:
    """Whether a response is a choice's log-likelihood with a flag whether it is the greedy one."""
    flags = response[1:] if isinstance(response, list) else []
    return len(flags) == 1 and plain_text(flags[0]) in {"true", "false", "True", "False"}


def _choice(arguments: Any, number: int) -> str | None:  # noqa: ANN401 - JSON holds anything
    """The text of a choice: old logs have a list of context and choice, others a key with its number."""
    with suppress(LookupError, TypeError):
        choice = arguments[number][1] if isinstance(arguments, list) else arguments[f"gen_args_{number}"]["arg_1"]
        return plain_text(choice)
    return None


FORMAT = (
    Format("helm", "reliability", read_helm, with_columns(_STATES, _SPEC), endings=("scenario_state.json",)),
    Format("lm-eval", "reliability", read_lm_eval, with_columns("doc_id", "target", _RESPONSES), endings=(".jsonl",)),
)
