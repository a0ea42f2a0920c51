"""Logs of samples of lm-evaluation-harness: what a model answers to each document, and the target.

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
from adjudge.readers.io.json_documents import kind, not_plain, object_in, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import (
    Row,
    Skipped,
    Tool,
    answer_text,
    lenient,
    only_question,
    scalars,
    unfolded,
)
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened

_ITEM, _WHO, _TARGET = "doc_id", "model", "target"
_RESPONSES, _FILTER, _PLAIN = "filtered_resps", "filter", "none"
_RIGHT = ("acc", "exact_match")
_NAME = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT.*")
"""How the harness calls its files, in a folder that is called after the model."""


def read_lm_eval(found: Opened[Options]) -> Parts:
    """A row per document. The answer is what the filter left of the response, or the likeliest choice.

    A choice is its number, from 0, unless the target is none: then its text.

    Where there are several filters, label names one. The model is the file's folder, where the harness named the file;
    a document's id then has the task before it.
    """
    values = [value for value in found.entries.values if not not_plain(value)]
    filters = list(dict.fromkeys(map(_filter, values)))
    chosen = found.options.columns.get("label") or only_question(found.source.name, filters, filters)
    source = found.source
    rows = partial(_rows, chosen=chosen, name=source.stem, folder=Path(source.name).parent.name)
    tool = Tool({"item": _ITEM, "annotator": _WHO, "reference": _TARGET}, rows)
    return unfolded(found, tool, found.entries)


def _rows(line: dict[str, Any], *, chosen: str, name: str, folder: str) -> Iterator[Row | Skipped]:
    if _filter(line) != chosen:
        return
    named = _NAME.fullmatch(name)
    doc, item = line.get("doc"), plain_text(line.get(_ITEM))
    own = {_ITEM: f"{named[1]}/{item}" if named and item else item, _TARGET: plain_text(line.get(_TARGET))}
    beside = scalars(doc if isinstance(doc, dict) else {}, line, own)
    answer = _answer(line)
    if answer != own[_TARGET] and any(plain_text(line.get(metric)) == "1" for metric in _RIGHT):
        yield lenient("harness")
    yield Row(beside, (named and folder) or name, {chosen: answer})


def _filter(line: dict[str, Any]) -> str:
    return plain_text(line.get(_FILTER)) or _PLAIN


def _answer(line: dict[str, Any]) -> str | None:
    """The response, or the choice that is the likeliest."""
    responses = line.get(_RESPONSES)
    if not isinstance(responses, list):
        raise DataError(f", {_RESPONSES}: expected a list; got {kind(responses)}")
    if responses and all(map(_is_likelihood, responses)):
        with suppress(ValueError, TypeError):
            likely = [float(one[0]) for one in responses]
            return _choice(line, likely.index(max(likely)))
    first = responses[0] if responses else None
    while isinstance(first, list) and len(first) == 1:  # of answers that were asked for once each
        first = first[0]
    return answer_text(first) if responses else None


def _is_likelihood(response: object) -> bool:
    """Whether a response is a choice's log-likelihood, and whether it is what the model would say."""
    if not isinstance(response, list) or len(response) != 2:  # noqa: PLR2004 - both
        return False
    return plain_text(response[1]) in {"true", "false", "True", "False"}


def _choice(line: dict[str, Any], number: int) -> str:
    """A choice as the target would name it: by its number or, where the arguments hold it, by its text."""
    target = plain_text(line.get(_TARGET))
    if target is None or target.isdecimal():
        return str(number)
    return (_said(line.get("arguments"), number) or str(number)).strip()


def _said(arguments: object, number: int) -> str | None:
    """The text of a choice: of old logs in a list of context and choice, in others by its number."""
    if isinstance(arguments, dict):
        return plain_text(object_in(arguments, f"gen_args_{number}").get("arg_1"))
    if not isinstance(arguments, list):
        return None
    with suppress(LookupError, TypeError):
        return plain_text(arguments[number][1])
    return None


def _looks_like(found: Opened[Options]) -> bool:
    return any({_ITEM, _TARGET, _RESPONSES} <= value.keys() for value in found.first)


FORMAT = Format("lm-eval", "reliability", read_lm_eval, _looks_like, endings=(".jsonl",))
