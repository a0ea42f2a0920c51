"""Files of predictions read in parallel: the marks of checkers as frames that any worker can hand over or keep."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError
from adjudge.metrics.partial_counts import PartialCounts, Settings, Workers
from adjudge.readers.io.source import Source
from adjudge.readers.spans import violations as reader
from adjudge.schemas.violations import MarkedTexts

_ABOUT, _SPANS = "about", "spans"
_FACTS, _COLUMNS = ("name", "rows", "warnings", "file_warnings", "file"), ("replies", "counted_texts")
"""What is handed over of a checker besides its spans: facts, and columns that it may lack."""


def read_checkers(
    how: reader.Options,
    truth: MarkedTexts,
    trusted: Source,
    given: Sequence[tuple[str | None, Source]],
    workers: Workers,
) -> list[list[MarkedTexts]]:
    """The checkers of each file; none of a file that is left out. given: what to call a checker without a name."""
    names = {source.name: name for name, source in given}
    if (len(given) == 1 and not workers.separate) or len(names) < len(given):
        return [_read_marks(source, how, truth, name) for name, source in given]
    read = partial(_as_part, how, truth, names)
    parts = workers.files("reading predictions", read, [source for _, source in given], {"truth": trusted.sha256()})
    marks_by_file = {part.rows[_ABOUT]["source"].item(): [*_from_part(part, truth)] for part in parts}
    return [marks_by_file.get(source.name, []) for _, source in given]


def _read_marks(source: Source, how: reader.Options, truth: MarkedTexts, name: str | None) -> list[MarkedTexts]:
    """The marks of a file's checkers. Its columns are named as those of the truth, or with Adjudge's own names."""
    try:
        return reader.read_predictions(source, how, truth, name)
    except AdjudgeError:
        if not how.columns:
            raise
        with suppress(AdjudgeError):
            return reader.read_predictions(source, replace(how, columns={}), truth, name)
        raise


def _as_part(
    how: reader.Options, truth: MarkedTexts, names: Mapping[str, str | None], source: Source, _: Settings
) -> PartialCounts:
    """The contents of a file of predictions as frames."""
    marked = _read_marks(source, how, truth, names[source.name])
    facts = [{name: getattr(checker, name) for name in _FACTS} for checker in marked]
    rows = {_ABOUT: pl.DataFrame({"source": [source.name], "told": [json.dumps(facts)]})}
    for number, checker in enumerate(marked):
        rows[f"{_SPANS} {number}"] = checker.spans
        for name in _COLUMNS:
            if (column := getattr(checker, name)) is not None:
                rows[f"{name} {number}"] = column.to_frame()
    return PartialCounts(rows=rows)


def _from_part(part: PartialCounts, truth: MarkedTexts) -> Iterator[MarkedTexts]:
    """The checkers that `_as_part` made frames of."""
    for number, facts in enumerate(json.loads(part.rows[_ABOUT]["told"].item())):
        facts |= {name: tuple(facts[name]) for name in ("warnings", "file_warnings")}
        frames = {name: part.rows.get(f"{name} {number}") for name in _COLUMNS}
        columns: dict[str, Any] = {name: frame.to_series() for name, frame in frames.items() if frame is not None}
        yield MarkedTexts(texts=truth.texts, spans=part.rows[f"{_SPANS} {number}"], **facts, **columns)
