"""Logs of Inspect: a row per sample, with its target and the answer that each scorer extracted.

    {"version": 2, "eval": {"task": "tone", "model": "openai/m"}, "samples": [{"id": 1, "epoch": 1, "input": "Good.",
     "target": "kind", "scores": {"match": {"value": "C", "answer": "kind"}}}]}

Logs of Adjudge's own tasks (`.eval`) hold the resulting rows with their samples.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, MissingError
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.decompress import checked_archive
from adjudge.readers.io.json_documents import object_in, plain_text
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.labels import annotation_export as export
from adjudge.readers.labels.judgments import LabelFile, Parts
from adjudge.version import NAME

_ANSWER, _VALUE = ".answer", ".value"
_PARTS: Any = {**dict.fromkeys(("id", "epoch", "input", "target"), True), "scores": {"__all__": {"value", "answer"}}}
"""The parts of Inspect's samples that are read."""


def read_log(opened: LabelFile) -> Parts:
    """A row per sample, with the model as the annotator and the target as the reference.

    The first of several targets represents all. A sample in several epochs is several items in one cluster. The last
    run of a repeated sample counts.
    """
    records = export.listed_records(opened.source, opened.document, "samples").checked_values()
    run = opened.document.get("eval")
    model = plain_text(run.get("model")) if isinstance(run, dict) else None
    samples = {(plain_text(one.get("id")), plain_text(one.get("epoch"))): one for one in records}
    epochs = len({epoch for _, epoch in samples}) > 1
    names = {"item": "item", "annotator": "model", "reference": "target", **({"cluster": "id"} if epochs else {})}

    def rows(sample: dict[str, Any]) -> Iterator[export.ToolRow | export.Skipped]:
        target, scores = sample.get("target"), object_in(sample, "scores")
        targets = [plain_text(one) for one in (target if isinstance(target, list) else [target])] or [None]
        about = {one: plain_text(sample.get(one)) for one in ("id", "epoch", "input")}
        about |= {"item": f"{about['id']}#{about['epoch']}" if epochs else about["id"], "target": targets[0]}
        answers = dict[str, str | None]()
        for scorer in scores:
            score = object_in(scores, scorer)
            answer, value = map(export.answer_text, (score.get("answer"), score.get("value")))
            answers[scorer + _ANSWER], about[scorer + _VALUE] = targets[0] if answer in targets else answer, value
            if value in ("C", "1") and answer not in (None, *targets):
                yield export.lenient(f"scorer {scorer}")
        yield export.ToolRow(about, model, answers)

    tool = export.Tool(names, rows, unit="sample")
    return export.unfolded(opened, tool, documents.as_objects(opened.source, [*samples.values()]))


def _looks_like(opened: LabelFile) -> bool:
    return any(isinstance(one.get("eval"), dict) and "samples" in one for one in opened.first[:1])


FORMAT = Format("inspect", "reliability", read_log, _looks_like, endings=(".eval", ".json"), nested=True)


# --- .eval ---


def eval_source(path: Path, how: How) -> Source:
    """A log of Inspect: labels, predictions, answers or verdicts of Adjudge's tasks, else the log as JSON.

    Raises DataError for a log that is damaged, too large or without rows, MissingError if Inspect is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_samples
    except ImportError:
        fix = f'pip install "{NAME}[models]"'
        raise MissingError(f"{path}: reading logs of Inspect needs inspect-ai", fix=fix) from None
    with checked_archive(path, str(path), how.most):
        pass
    stores, samples = dict[Any, Any](), list[Any]()
    try:
        model = read_eval_log(str(path), header_only=True).eval.model
        for sample in read_eval_log_samples(str(path), all_samples_required=False):
            stores[sample.id, sample.epoch] = sample.store.get(NAME)
            samples.append(documents.as_json(sample.model_dump(mode="json", include=_PARTS)))
    except (ValueError, KeyError, OSError, RuntimeError):
        wrong = "its parts are damaged, or not what the installed version of Inspect writes"
        raise DataError(f"{path}: expected a log of Inspect; {wrong}") from None
    stores = {place: one for place, one in stores.items() if isinstance(one, dict)}
    if not stores and any(one["scores"] for one in samples):
        log = scratch_file(".json")
        log.write_text(documents.json_text({"eval": {"model": model}, "samples": samples}), encoding="utf-8")
        return Source(str(path), "json", log, how=how, given=path, held=path.name)
    return Source(path.stem, "table", table=_own_rows(path, stores), how=how)


def _own_rows(path: Path, stores: dict[Any, dict[str, Any]]) -> pl.DataFrame:
    """The rows that a task of Adjudge's saved with its samples. Raises DataError if there are none."""
    rows = [row for one in stores.values() for row in one.get("rows", ())]
    if not any(row.get("violations", row) is not None for row in rows):  # null for a text without an answer
        reasons = [reason for one in stores.values() for reason in one.get("reasons", ())]
        why = f"its samples hold no answers ({next(iter(reasons), 'none was found by a scorer or saved by a task')})"
        raise DataError(f"{path}: expected a log of a task such as {NAME}/preferences_judge; {why}")
    if len({epoch for _, epoch in stores}) > 1:
        fix = "the task without --epochs; -T draws=N asks several times, where a task has it"
        raise DataError(f"{path}: expected one answer to each sample; got several epochs", fix=fix)
    return pl.DataFrame(rows, infer_schema_length=None)
