"""Files of judgments read in parallel: each worker codes its file, and the parts are joined here."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import polars as pl
from polars.io.plugins import register_io_source

from adjudge.metrics.partial_counts import PartialCounts, Settings, Workers
from adjudge.readers.io.source import Source
from adjudge.readers.labels import judgments as reader
from adjudge.readers.problems import Findings

Read = Callable[[Source], reader.OneRead]
_ABOUT, _CODED, _COLUMNS = "about", "judgments", "columns"


def reader_for_workers(workers: Workers) -> reader.ReadEach:
    """A function that reads files of judgments on workers."""

    def read_each(read: Read, inputs: Sequence[Source]) -> Sequence[reader.OneRead]:
        if len(inputs) == 1 and not workers.separate:
            return reader.in_turn(read, inputs)
        sources_by_name = {source.name: source for source in inputs}
        parts = workers.files("reading files", partial(_as_part, read), inputs, {"alone": len(inputs) == 1})
        return [_from_part(part, sources_by_name[part.rows[_ABOUT]["source"].item()], read) for part in parts]

    return read_each


def _as_part(read: Read, source: Source, _: Settings) -> PartialCounts:
    """The contents of one file as frames: coded judgments, and what messages need to name them."""
    judgments = read(source)
    document = {
        "findings": judgments.findings.plain(),
        "parts": [
            {"unit": part.unit, "names": dict(part.names), "trusted": part.trusted, "positions": part.positions}
            for part, _ in judgments.coded
        ],
    }
    frames = {f"{_CODED} {number}": frame for number, (_, frame) in enumerate(judgments.coded)}
    columns = {
        f"{_COLUMNS} {number}": pl.DataFrame(schema=part.rows.collect_schema())
        for number, (part, _) in enumerate(judgments.coded)
    }
    about = pl.DataFrame({"source": [source.name], "told": [json.dumps(document)]})
    return PartialCounts(rows={_ABOUT: about, **frames, **columns})


def _from_part(part: PartialCounts, source: Source, read: Read) -> reader.OneRead:
    """The judgments that `_as_part` made frames of. Messages and examples read their rows again from the file."""
    document = json.loads(part.rows[_ABOUT]["told"].item())
    coded = []
    for number, description in enumerate(document["parts"]):
        frame, columns = part.rows[f"{_CODED} {number}"], part.rows[f"{_COLUMNS} {number}"].schema
        rows = register_io_source(partial(_rows, read, source, number), schema=columns)
        items = frame["item"].unique().cast(pl.String)
        coded.append((reader.Part(source, rows=rows, items=items, **description), frame))
    return reader.OneRead(source, coded, Findings.of(document["findings"]))


def _rows(
    read: Read,
    source: Source,
    number: int,
    names: list[str] | None,
    predicate: pl.Expr | None,
    most: int | None,
    _: int | None,
) -> Iterator[pl.DataFrame]:
    """The rows of a part, from its source."""
    part, _coded = read(source).coded[number]
    rows = part.rows if predicate is None else part.rows.filter(predicate)
    rows = rows if names is None else rows.select(names)
    yield (rows if most is None else rows.head(most)).collect(engine="streaming")
