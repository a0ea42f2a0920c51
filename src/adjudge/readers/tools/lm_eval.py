"""Logs of samples of lm-evaluation-harness: what a model answers to each document, and the target.

{"doc_id": 0, "doc": {"question": "..."}, "target": "2", "arguments": {}, "resps": [[["-1.5", "False"]]],
 "filtered_resps": [["-1.5", "False"], ["-0.2", "True"]], "filter": "none", "acc": 1.0}
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, not_plain, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.labels.judgments import JudgmentReading, Parts
from adjudge.readers.parsed_input import Opened

_RESPONSES = "filtered_resps"
_NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT.*")
"""How the harness calls its files, in a folder that is called after the model."""


def read_lm_eval(found: Opened[JudgmentReading]) -> Parts:
    """A row per document. The answer is what the filter left of the response, or the likeliest choice.

    A choice is its number, from 0, unless the target is none: then its text.

    Where there are several filters, label names one. The model is the file's folder, where the harness named the file;
    a document's id then has the task before it.
    """
    filters = list(dict.fromkeys(_filter(one) for one in found.objects.values if not not_plain(one)))
    chosen = found.options.columns.get("label") or export.only_question(found.source.name, filters, filters)
    named = _NAME.fullmatch(found.source.stem)
    model = (named and Path(found.source.name).parent.name) or found.source.stem

    def rows(line: dict[str, Any]) -> Iterator[export.Row | export.Skipped]:
        if _filter(line) != chosen:
            return
        item, target, answer = plain_text(line.get("doc_id")), plain_text(line.get("target")), _answer(line)
        document = line["doc"] if isinstance(line.get("doc"), dict) else {}
        ids = {"doc_id": f"{named[1]}/{item}" if named and item else item, "target": target}
        if answer != target and any(plain_text(line.get(metric)) == "1" for metric in ("acc", "exact_match")):
            yield export.lenient("harness")
        yield export.Row(export.scalars(document, line, ids), model, {chosen: answer})

    names = {"item": "doc_id", "annotator": "model", "reference": "target"}
    return export.unfolded(found, export.Tool(names, rows), found.objects)


def _filter(line: dict[str, Any]) -> str:
    return plain_text(line.get("filter")) or "none"


def _answer(line: dict[str, Any]) -> str | None:
    """The response, or the choice that is the likeliest, as the target would name it: by its number or its text."""
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
    while isinstance(first, list) and len(first) == 1:  # of answers that were asked for once each
        first = first[0]
    return export.answer_text(first)


def _is_likelihood(response: object) -> bool:
    """Whether a response is a choice's log-likelihood, and whether it is what the model would say."""
    if not isinstance(response, list) or len(response) != 2:  # noqa: PLR2004 - both
        return False
    return plain_text(response[1]) in {"true", "false", "True", "False"}


def _choice(arguments: Any, number: int) -> str | None:  # noqa: ANN401 - JSON holds anything
    """The text of a choice: of old logs in a list of context and choice, in others by its number."""
    with suppress(LookupError, TypeError):
        return plain_text(
            arguments[number][1] if isinstance(arguments, list) else arguments[f"gen_args_{number}"]["arg_1"]
        )
    return None


FORMAT = Format(
    "lm-eval",
    "reliability",
    read_lm_eval,
    lambda found: any({"doc_id", "target", _RESPONSES} <= one.keys() for one in found.first),
    endings=(".jsonl",),
)
