"""Logs of Inspect: a row per sample, with its target and the answer that each scorer found.

    {"version": 2, "eval": {"task": "tone", "model": "openai/m"}, "samples": [{"id": 1, "epoch": 1, "input": "Good.",
     "target": "kind", "scores": {"match": {"value": "C", "answer": "kind"}}}]}

Logs that Adjudge's own tasks wrote (`.eval`) hold the rows that came of their samples.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from json import JSONDecodeError
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, MissingError
from adjudge.readers.io.decompress import checked_archive
from adjudge.readers.io.json_documents import (
    Objects,
    as_json,
    check,
    kind,
    not_plain,
    object_in,
    objects_in,
    plain_text,
    text_frame,
)
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Row, Skipped, Tool, answer_text, lenient, unfolded
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import listed
from adjudge.version import NAME, TITLE

ENDING = ".eval"

_ID, _EPOCH, _MODEL, _TARGET = "id", "epoch", "model", "target"
_ITEM = "item"
_ANSWER, _VALUE = ".answer", ".value"
_RIGHT = ("C", "1")
"""What a scorer says of an answer that is right."""

_SAMPLES = "samples"
Record = Mapping[str, Any]


def eval_rows(path: Path, most: int) -> pl.DataFrame:
    """The rows in a log: labels, predictions, answers or verdicts of Adjudge's tasks, else what scorers found.

    A sample that was run again counts once, the last time. Raises DataError for a log without rows, that is damaged or
    holds more than `most` bytes, MissingError where Inspect is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_samples
    except ImportError:
        raise MissingError(
            f"{path}: reading logs of Inspect needs an extra", fix=f'pip install "{NAME}[models]"'
        ) from None
    found, scored = {}, {}
    with checked_archive(path, str(path), most):
        pass
    try:
        model = read_eval_log(str(path), header_only=True).eval.model
        for sample in read_eval_log_samples(str(path), all_samples_required=False):
            found[sample.id, sample.epoch] = sample.store.get(NAME)
            scored[sample.id, sample.epoch] = _as_record(sample)
    except (ValueError, KeyError, OSError, RuntimeError) as error:
        raise DataError(f"{path}: expected a log of Inspect; {_wrong(error)}") from None
    told = [one for one in found.values() if isinstance(one, dict)]
    rows = [row for one in told for row in one.get("rows", ())]
    if not told and any(one["scores"] for one in scored.values()):
        return _table(model, scored.values(), str(path))
    if not any(row.get("violations", row) is not None for row in rows):  # null where a text was not answered
        raise DataError(f"{path}: expected a log of a task such as {NAME}/preferences_judge; {_why(told)}")
    epochs = len({epoch for _, epoch in found})
    if epochs > 1:
        raise DataError(
            f"{path}: expected one answer to each sample; got {epochs} epochs",
            fix="the task without --epochs; -T samples=N or -T draws=N asks several times, where a task has it",
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _wrong(error: Exception) -> str:
    """What Inspect says is wrong with a log, in words."""
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        places = dict.fromkeys(".".join(map(str, one["loc"])) for one in error.errors())
        return f"missing, or not what Inspect writes there: {listed(places)}"
    if isinstance(error, KeyError):
        return f"it holds no {error.args[0]}"
    if isinstance(error, JSONDecodeError):
        return "what it holds is no JSON"
    return f"{str(error).splitlines()[0]:.200}"


def _why(told: list[dict[str, Any]]) -> str:
    """Why a log holds no rows. told: what Adjudge kept of its samples."""
    if not told:
        return f"none of its samples is of a task of {TITLE}'s, or has an answer that a scorer found"
    if any("rows" not in one for one in told):
        return "its samples are single calls: give the file that the command wrote"
    reasons = dict.fromkeys(reason for one in told for reason in one.get("reasons", ()))
    return f"no sample was answered ({next(iter(reasons), 'nothing was asked')})"


def _as_record(sample: Any) -> dict[str, Any]:  # noqa: ANN401 - a sample of Inspect, which is an extra
    """What a log in JSON says of a sample, as far as it matters here."""
    scores = {name: {"value": one.value, "answer": one.answer} for name, one in (sample.scores or {}).items()}
    held = {_ID: sample.id, _EPOCH: sample.epoch, "input": sample.input, _TARGET: sample.target, "scores": scores}
    return {name: as_json(value) for name, value in held.items()}


# --- targets and answers ---


def read_log(found: Opened[Options]) -> Parts:
    """A row per sample, with the model as the annotator and the target as the reference.

    Of several targets the first stands for all. A sample of several epochs is several items, which belong together.
    """
    model, samples = _samples(found)
    epochs = len({plain_text(one.get(_EPOCH)) for one in samples if isinstance(one, dict)}) > 1
    names = {"item": _ITEM, "annotator": _MODEL, "reference": _TARGET, **({"cluster": _ID} if epochs else {})}

    def rows(sample: dict[str, Any]) -> Iterator[Row | Skipped]:
        row = _flat(model, sample) if found.is_json else sample
        answers = {name: answer for name, answer in row.items() if name.endswith(_ANSWER)}
        for name, answer in answers.items():
            scorer = name.removesuffix(_ANSWER)
            if row.get(scorer + _VALUE) in _RIGHT and answer is not None and answer != row[_TARGET]:
                yield lenient(f"scorer {scorer}")
        item = f"{row[_ID]}#{row[_EPOCH]}" if epochs else row[_ID]
        yield Row({**row, _ITEM: item}, row[_MODEL], answers)

    objects = Objects(found.source.name, "sample", range(1, len(samples) + 1), samples)
    return unfolded(found, Tool(names, rows), objects)


def _samples(found: Opened[Options]) -> tuple[str | None, Sequence[Any]]:
    """The model and the samples: of a log in JSON, or the rows that `eval_rows` made of another."""
    name = found.source.name
    if not found.is_json:
        if not _has_samples(found):
            raise DataError(f"{name}: expected a log of Inspect, .eval or JSON; got another table")
        return None, found.values.values
    document = found.entries.values[0]
    try:
        check(not_plain(document), "")
        model = plain_text(object_in(document, "eval").get(_MODEL))
        last = {(plain_text(one.get(_ID)), plain_text(one.get(_EPOCH))): one for one in objects_in(document, _SAMPLES)}
    except DataError as wrong:
        raise DataError(f"{name}{wrong}") from None
    if not last:
        raise DataError(f"{name}, {_SAMPLES}: expected at least one sample; got {kind(document.get(_SAMPLES))}")
    return model, list(last.values())


def _table(model: str | None, samples: Iterable[Record], name: str) -> pl.DataFrame:
    """Samples as text."""
    rows = [_flat(model, sample) for sample in samples]
    columns = dict.fromkeys(column for row in rows for column in row)
    return text_frame({column: [row.get(column) for row in rows] for column in columns}, name)


def _flat(model: str | None, sample: Record) -> dict[str, str | None]:
    """A sample as text: id, epoch, model, input, target, and of each scorer its answer and its value."""
    target, scores = sample.get(_TARGET), object_in(sample, "scores")
    targets = [plain_text(one) for one in (target if isinstance(target, list) else [target])] or [None]
    row = {name: plain_text(sample.get(name)) for name in (_ID, _EPOCH, "input")}
    row |= {_MODEL: model, _TARGET: targets[0]}
    for name in scores:
        score = object_in(scores, name)
        answer = answer_text(score.get("answer"))
        row[name + _ANSWER] = targets[0] if answer in targets else answer
        row[name + _VALUE] = answer_text(score.get("value"))
    return row


def _looks_like(found: Opened[Options]) -> bool:
    """Whether JSON is a log, or a table what is made of one."""
    if found.source.format == "json":
        return any(isinstance(value.get("eval"), dict) and _SAMPLES in value for value in found.first[:1])
    return _has_samples(found)


def _has_samples(found: Opened[Options]) -> bool:
    """Whether a table is what was made of a log."""
    names = found.names
    return {_ID, _EPOCH, _MODEL, _TARGET} <= set(names) and any(name.endswith(_ANSWER) for name in names)


FORMAT = Format("inspect", "reliability", read_log, _looks_like, endings=(ENDING, ".json"))
