"""Logs of samples of lm-evaluation-harness: a model's answer to each document, and the target.

{"doc_id": 0, "doc": {"question": "..."}, "target": "2", "arguments": {}, "resps": [[["-1.5", "False"]]],
 "filtered_resps": [["-1.5", "False"], ["-0.2", "True"]], "filter": "none", "acc": 1.0}

With --log_samples: https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/interface.md
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, not_plain, plain_text, text_in
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.parsed_input import with_columns

_ITEM, _TARGET, _RESPONSES = "doc_id", "target", "filtered_resps"


def read_lm_eval(opened: export.LabelFile) -> export.Parts:
    """A row per document. The answer is the filtered response, or the likeliest choice.

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
        item, target, answer = text_in(line, _ITEM), text_in(line, _TARGET), _answer(line)
        document = line["doc"] if isinstance(line.get("doc"), dict) else {}
        ids = {_ITEM: f"{match[1]}/{item}" if match and item else item, _TARGET: target}
        if answer != target and any(text_in(line, metric) == "1" for metric in ("acc", "exact_match")):
            yield export.lenient("harness")
        yield export.ToolRow(export.scalars(document, line, ids), model, {chosen: answer})

    names = {"item": _ITEM, "annotator": "model", "reference": _TARGET}
    return export.unfolded(opened, export.Tool(names, rows), opened.objects)


def _filter(line: dict[str, Any]) -> str:
    return text_in(line, "filter") or "none"


def _answer(line: dict[str, Any]) -> str | None:
    """The response, or the likeliest choice in the form of the target: its number or its text."""
    responses = line.get(_RESPONSES)
    if not isinstance(responses, list):
        raise DataError(f", {_RESPONSES}: expected a list; got {kind(responses)}")
    if responses and all(map(_is_likelihood, responses)):
        with suppress(ValueError, TypeError):
            likely = [float(one[0]) for one in responses]
            number, target = likely.index(max(likely)), text_in(line, _TARGET)
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


_looks_like = with_columns(_ITEM, _TARGET, _RESPONSES)
FORMAT = export.Format("lm-eval", "reliability", read_lm_eval, _looks_like, endings=(".jsonl",))
