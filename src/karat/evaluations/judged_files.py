"""Files of judgments read side by side: coded where they are read, and put together here."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import polars as pl
from polars.io.plugins import register_io_source

from karat.figures.parts import Known, Part, Workers
from karat.formats import judgments as reader
from karat.formats.findings import Findings
from karat.formats.source import Source

Read = Callable[[Source], reader.OneRead]
_ABOUT, _CODED, _COLUMNS = "about", "judgments", "columns"


def on(workers: Workers) -> reader.ReadEach:
    """How files of judgments are read by workers."""

    def read_each(read: Read, inputs: Sequence[Source]) -> Sequence[reader.OneRead]:
        if len(inputs) == 1 and not workers.apart:
            return reader.in_turn(read, inputs)
        known = {source.name: source for source in inputs}
        parts = workers.files("reading files", partial(_as_part, read), inputs, {"alone": len(inputs) == 1})
        return [_from_part(part, known[part.rows[_ABOUT]["source"].item()], read) for part in parts]

    return read_each


def _as_part(read: Read, source: Source, _: Known) -> Part:
    """What one file holds, as frames: coded judgments, and what messages say of them."""
    found = read(source)
    told = {
        "findings": found.findings.plain(),
        "parts": [
            {"unit": part.unit, "names": dict(part.names), "trusted": part.trusted, "positions": part.positions}
            for part, _ in found.coded
        ],
    }
    frames = {f"{_CODED} {number}": frame for number, (_, frame) in enumerate(found.coded)}
    columns = {
        f"{_COLUMNS} {number}": pl.DataFrame(schema=part.rows.collect_schema())
        for number, (part, _) in enumerate(found.coded)
    }
    about = pl.DataFrame({"source": [source.name], "told": [json.dumps(told)]})
    return Part(rows={_ABOUT: about, **frames, **columns})


def _from_part(held: Part, source: Source, read: Read) -> reader.OneRead:
    """The same as it was read. Its rows, which messages and examples look into, are read again if need be."""
    told = json.loads(held.rows[_ABOUT]["told"].item())
    coded = []
    for number, one in enumerate(told["parts"]):
        frame, columns = held.rows[f"{_CODED} {number}"], held.rows[f"{_COLUMNS} {number}"].schema
        rows = register_io_source(partial(_rows, read, source, number), schema=columns)
        items = frame["item"].unique().cast(pl.String)
        coded.append((reader.Part(source, rows=rows, items=items, **one), frame))
    return reader.OneRead(source, coded, Findings.of(told["findings"]))


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
    found = part.rows if predicate is None else part.rows.filter(predicate)
    found = found if names is None else found.select(names)
    yield (found if most is None else found.head(most)).collect(engine="streaming")
