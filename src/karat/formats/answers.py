"""What models answered: JSON lines, or any table, with a row per answer.

id, ability, model, noise_ratio, response, answer, counterfactual, draw, documents; others are kept where asked for.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from math import nan
from typing import Any

import polars as pl

from karat.errors import DataError, encodable, nearest
from karat.formats.documents import Number, Objects, line_batches, objects_of, parse, plain_text, read_objects
from karat.formats.fields import Fields, Wrong, false_answers, is_text, slots
from karat.formats.findings import Findings, keys_said
from karat.formats.source import Source
from karat.formats.tables import ROW, check_columns, collect, scan
from karat.schemas.answers import ABILITIES, ANSWERS, SLOTS, Answers
from karat.schemas.columns import asked_of, check_there

KNOWN_COLUMNS = ("id", "ability", "model", "noise_ratio", "response", "answer", "counterfactual", "draw", "documents")

_REACHED = "reached_noise"
_BATCH = 50_000
"""JSON lines that are held as Python objects at a time."""
_NEEDED = ("id", "ability", "response")
_KEYS = ("id", "ability", "model", "noise_ratio", "draw", "closed")
_ONE = "one answer each (number several in the column draw)"
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """How to read answers; the arguments of `karat.rag` that concern the reading.

    columns: Karat's name -> the file's. by: further columns to keep, as text, none of ANSWERS. cluster: the file's
    column of clusters. model: the name where a file gives none. drop: leave invalid answers out instead of raising.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    model: str | None = None
    drop: bool = False


def read_answers(source: Source, options: Options) -> Answers:
    """The answers in a file. Raises DataError with all that is wrong; OptionError for a column that is not there.

    A response that is null is a failed answer. Reasoning between <think> tags is cut off, also where the first or
    the last tag is missing. A noise_ratio that is missing is that of negative_rejection 1 (with documents), else null.
    """
    findings = Findings("answer")
    names = {name: options.columns.get(name, name) for name in KNOWN_COLUMNS}
    model = options.model or source.stem
    columns: dict[str, None] = {}
    frames, rows, short = [], 0, 0
    # true answers go into the table as JSON, which is many times faster than lists of lists
    schema = {ROW: pl.UInt32(), **ANSWERS, **dict.fromkeys(options.by, pl.String()), "slots": pl.String()}
    for objects in _batches(source):
        columns |= dict.fromkeys(chain.from_iterable(objects.plain()))
        rows += len(objects.values)
        kept = []
        for number, (place, record) in zip(objects.numbers, objects.places(), strict=True):
            fields = Fields(place, record, findings)
            row = _row(fields, names, options, model)
            if fields.sound:
                kept.append({ROW: number, **row})
                short += record.get(_REACHED) not in (None, record.get(names["noise_ratio"]))
            else:
                findings.dropped += 1
        frames.append(pl.DataFrame(kept, schema=schema, orient="row"))
    if not rows:
        raise DataError(f"{source.name}: expected at least one answer; got none")
    optional = [name for name in names if name not in {*_NEEDED, *options.columns}]
    check_there(source.name, asked_of(options.by, options.cluster, options.columns), columns)
    check_columns(source.name, names, columns, optional=optional)
    frame = pl.concat(frames).with_columns(pl.col("slots").str.json_decode(SLOTS))
    frame = findings.once(frame, _KEYS, ROW, f"{source.name}, {objects.unit}s", _ONE).drop(ROW)
    warnings = findings.settle(drop=options.drop)
    if frame.is_empty():
        raise DataError(f"{source.name}: no answer is left{' after dropping' if findings.dropped else ''}")
    if short:
        warnings.append(
            f"{source.name}: {short:,} of {rows:,} answers are to prompts whose documents did not reach the noise that "
            "was asked for (reached_noise), and count under what was asked for; --columns noise_ratio=reached_noise "
            "counts them under what was reached"
        )
    return Answers(source.name, frame, rows, tuple(warnings))


def _batches(source: Source) -> Iterator[Objects]:
    """The records of a file; of JSON lines so many at a time that memory stays bounded."""
    if source.format == "jsonl":
        yield from line_batches(source, _BATCH)
    elif source.format == "json":
        yield read_objects(source)
    else:
        table = collect(source, scan(source, rows=True))
        yield objects_of(table, source.name, table.drop_in_place(ROW).to_list())


def together(files: Sequence[Answers]) -> pl.DataFrame:
    """The answers of several files as one table. Raises DataError where two files hold an answer to the same."""
    frame = pl.concat([one.frame for one in files])
    twice = frame.filter(pl.struct(_KEYS).is_duplicated())
    if twice.height:
        names = ", ".join(one.name for one in files)
        raise DataError(f"{names}: expected {_ONE}; two files hold one of {keys_said(twice.row(0, named=True), _KEYS)}")
    return frame


def _row(fields: Fields, names: Mapping[str, str], options: Options, model: str) -> dict[str, Any]:
    """An answer as a row of the table."""
    ability = fields.read(names["ability"], _ability)
    noise = fields.read(names["noise_ratio"], _noise)
    closed = fields.holder.get(names["documents"]) in ([], "[]")
    return {
        "id": fields.read(names["id"], _id),
        "ability": ability,
        "model": fields.read(names["model"], _text) or model,
        "noise_ratio": 1.0 if noise is None and ability == "negative_rejection" and not closed else noise,
        "draw": fields.read(names["draw"], _text),
        "response": fields.read(names["response"], _response),
        "slots": fields.read(names["answer"], _slots),
        "false": fields.read(names["counterfactual"], _false),
        "closed": closed,
        "cluster": fields.read(options.cluster, _text) if options.cluster else None,
        **{name: fields.read(name, _text) for name in options.by},
    }


def _text(value: object) -> str | None:
    if isinstance(value, list | dict) or (isinstance(value, str) and not encodable(value)):
        raise Wrong("text or a number", value)
    return plain_text(value) or None


def _id(value: object) -> str:
    found = _text(value)
    if found is None:
        raise Wrong("an id", value)
    return found


def _ability(value: object) -> str:
    if value not in ABILITIES:
        raise Wrong(f"one of {', '.join(ABILITIES)}", value, hint=nearest(str(value), ABILITIES))
    return str(value)


def _noise(value: object) -> float | None:
    if value is None or value == "":
        return None
    number = nan
    with suppress(ValueError):
        number = float(value) if isinstance(value, str) else nan
    if not 0 <= number <= 1:
        raise Wrong("a number from 0 to 1", value)
    return number + 0.0  # so that -0 is 0


def _response(value: object) -> str | None:
    """A response without its reasoning."""
    if value is None:
        return None
    if not is_text(value):
        raise Wrong("text, or null for an answer that failed", value)
    response = str(value)
    return _THOUGHT.sub("", response).strip() if "think" in response.lower() else response


def _slots(value: object) -> str | None:
    """A true answer as JSON; null where no answer is right."""
    value = _texts(value)
    return None if value is None or value == "" else json.dumps(slots(value), ensure_ascii=False)


def _false(value: object) -> list[str] | None:
    value = _texts(value)
    return None if value is None or value in ("", []) else false_answers(value)


def _texts(value: object) -> object:
    """A cell in which numbers are texts, and JSON text of a list, which flat tables hold, is that list."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str) and value.startswith("["):
        with suppress(DataError):
            value = parse(value, "")
    return [_texts(one) for one in value] if isinstance(value, list) else value
