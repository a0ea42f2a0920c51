"""Files of Inspect's logs (.eval): archives, of any task or of Adjudge's own, which hold rows with their samples."""

from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, MissingError
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.decompress import checked_archive
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import How, Source
from adjudge.version import NAME

_PARTS: Any = {**dict.fromkeys(("id", "epoch", "input", "target"), True), "scores": {"__all__": {"value", "answer"}}}
"""The parts of Inspect's samples that are read."""


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
