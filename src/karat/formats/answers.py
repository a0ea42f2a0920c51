"""What models answered: JSON lines, or any table, with a row per answer.

id, ability, model, noise_ratio, response, answer, counterfactual, draw, documents; others are kept where asked for.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import polars as pl

from karat.errors import DataError, encodable, nearest
from karat.formats.documents import Number, kind, scalar_text
from karat.formats.findings import Findings
from karat.formats.records import Records, record_batches
from karat.formats.source import Source
from karat.formats.tables import check_columns, check_known
from karat.schemas.answers import ABILITIES, ANSWERS, SLOTS, Answers

KNOWN_COLUMNS = ("id", "ability", "model", "noise_ratio", "response", "answer", "counterfactual", "draw", "documents")

_ROW = "__place__"
_REACHED = "reached_noise"
_BATCH = 50_000
"""JSON lines that are held as Python objects at a time."""
_NEEDED = ("id", "ability", "response")
_KEYS = ("id", "ability", "model", "noise_ratio", "draw", "closed")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """How to read answers; the arguments of `karat.rag` that concern the reading.

    columns: Karat's name -> the file's. by: further columns to keep, as text, none of ANSWERS. cluster: the file's
    column of clusters. model: of files that name none. drop: leave invalid answers out instead of raising.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    model: str | None = None
    drop: bool = False


class _Invalid(Exception):  # noqa: N818 - a signal between functions of this module
    """What is wrong with a value: its column, and what was expected and came."""


def read_answers(source: Source, options: Options) -> Answers:
    """The answers in a file. Raises DataError with all that is wrong; OptionError for a column that is not there.

    A response that is null is a failed answer. Reasoning between <think> tags is cut off, also where the first or
    the last tag is missing. A noise_ratio that is missing is that of negative_rejection 1 (with documents), else null.
    """
    findings = Findings("answer")
    names = {name: options.columns.get(name, name) for name in KNOWN_COLUMNS}
    model = options.model or (source.path.stem if source.path else source.name)
    columns: dict[str, None] = {}
    frames, rows, short = [], 0, 0
    for records in record_batches(source, _BATCH):
        columns |= dict.fromkeys(records.columns)
        rows += len(records.rows)
        kept = _kept(source, records, names, options, model, findings)
        short += kept.pop(_REACHED).count(False)
        frames.append(_frame(kept, options.by))
    _check_columns(source, list(columns), names, options)
    frame = _once(source, pl.concat(frames), findings)
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


def _kept(
    source: Source, records: Records, names: Mapping[str, str], options: Options, model: str, findings: Findings
) -> dict[str, list[Any]]:
    """The valid answers, column by column, and whether their noise was reached; findings: what is wrong with others."""
    kept: dict[str, list[Any]] = {name: [] for name in (*ANSWERS, *options.by, _REACHED)}
    for number, record in zip(records.rows.to_list(), _dicts(records), strict=True):
        try:
            row = _row(record, names, options, model)
        except _Invalid as error:
            findings.add(f"{source.name}, {records.unit} {number}, {error}", dropped=1)
            continue
        for name, value in row.items():
            kept[name].append(value)
        kept[_REACHED].append(record.get(_REACHED) in (None, record.get(names["noise_ratio"])))
    return kept


def _frame(kept: Mapping[str, list[Any]], by: Sequence[str]) -> pl.DataFrame:
    """The answers as a table. Lists of lists are put together from flat columns, which is many times faster."""
    flat = {name: values for name, values in kept.items() if name != "slots"}
    types = {name: ANSWERS.get(name, pl.String()) for name in flat}
    frame = pl.DataFrame(flat, schema=types).with_row_index(_ROW)
    aliases = (
        (row, place, alias)
        for row, slots in enumerate(kept["slots"])
        for place, slot in enumerate(slots or ())
        for alias in slot
    )
    listed = pl.DataFrame(aliases, {_ROW: frame.schema[_ROW], "slot": pl.Int64, "slots": pl.String}, orient="row")
    slots = listed.group_by(_ROW, "slot", maintain_order=True).agg("slots").group_by(_ROW, maintain_order=True)
    joined = frame.join(slots.agg("slots"), on=_ROW, how="left", maintain_order="left")
    return joined.select(*ANSWERS, *by).cast({"slots": SLOTS})


def together(files: Sequence[Answers]) -> pl.DataFrame:
    """The answers of several files as one table. Raises DataError where two files hold an answer to the same."""
    frame = pl.concat([one.frame for one in files])
    twice = frame.filter(pl.struct(_KEYS).is_duplicated())
    if twice.height:
        said = _said(twice.row(0, named=True))
        names = ", ".join(one.name for one in files)
        raise DataError(f"{names}: expected one answer each; two files hold one of {said:.200}")
    return frame


def _check_columns(source: Source, columns: Sequence[str], names: Mapping[str, str], options: Options) -> None:
    """Raises DataError where a column that is needed, or was named, is missing; OptionError for one to group by."""
    if not columns:
        raise DataError(f"{source.name}: expected at least one record; got none")
    optional = [name for name in names if name not in {*_NEEDED, *options.columns}]
    check_columns(source.name, names, columns, optional=optional)
    check_known(source.name, (*options.by, *([options.cluster] if options.cluster else [])), columns)


def _dicts(records: Records) -> Iterator[Record]:
    if isinstance(records.holder, pl.DataFrame):
        return records.holder.iter_rows(named=True)
    return iter(records.holder)


def _row(record: Record, names: Mapping[str, str], options: Options, model: str) -> dict[str, Any]:
    """An answer as a row of the table. Raises _Invalid."""
    own = {name: record.get(theirs) for name, theirs in names.items()}
    ability = _text(own, "ability")
    if ability not in ABILITIES:
        raise _Invalid(
            f'ability: expected one of {", ".join(ABILITIES)}; got "{ability}"{nearest(str(ability), ABILITIES)}'
        )
    identity = _text(own, "id")
    if identity is None:
        raise _Invalid("id: expected an id; got nothing")
    noise = _noise(own.get("noise_ratio"))
    closed = own.get("documents") in ([], "[]")
    return {
        "id": identity,
        "ability": ability,
        "model": _text(own, "model") or model,
        "noise_ratio": 1.0 if noise is None and ability == "negative_rejection" and not closed else noise,
        "draw": _text(own, "draw"),
        "response": _response(own.get("response")),
        "slots": _slots(own.get("answer")),
        "false": _false(own.get("counterfactual")),
        "closed": closed,
        "cluster": _text(record, options.cluster) if options.cluster else None,
        **{name: _text(record, name) for name in options.by},
    }


def _text(record: Record, name: str) -> str | None:
    value = record.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None if isnan(value) else str(value).removesuffix(".0")
    try:
        text = scalar_text(value)
    except TypeError:
        raise _Invalid(f"{name}: expected text or a number; got {kind(value)}") from None
    return _whole(name, text) if text else None


def _whole(name: str, text: str) -> str:
    if not encodable(text):
        raise _Invalid(f"{name}: expected characters; got half a character (a lone surrogate)")
    return text


def _noise(value: object) -> float | None:
    if value is None or value == "" or (isinstance(value, float) and isnan(value)):
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise _Invalid(f'noise_ratio: expected a number from 0 to 1; got "{value!s:.60}"')
    return number + 0.0  # so that -0 is 0


def _response(value: object) -> str | None:
    """A response without its reasoning."""
    if value is None:
        return None
    if not isinstance(value, str) or isinstance(value, Number):
        raise _Invalid(f"response: expected text, or null for an answer that failed; got {_kind(value)}")
    _whole("response", value)
    return _THOUGHT.sub("", value).strip() if "think" in value.lower() else value


def _slots(value: object) -> list[list[str]] | None:
    """A true answer: a text, or a list of slots, each a text or a list of aliases."""
    value = _listed(value)
    if value is None or value == "":
        return None
    slots = value if isinstance(value, list) else [value]
    found = [_aliases("answer", slot) for slot in slots]
    if not found:
        raise _Invalid("answer: expected a text or a list of slots; got an empty list")
    return found


def _listed(value: object) -> object:
    """The list that a cell of a flat table holds as JSON; any other value stays as it is."""
    if not isinstance(value, str) or isinstance(value, Number) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _aliases(name: str, value: object) -> list[str]:
    many = value if isinstance(value, list) else [value]
    texts = [
        str(one)
        for one in many
        if isinstance(one, str | int | float) and not isinstance(one, bool) and str(one).strip()
    ]
    if len(texts) < len(many) or not texts:
        raise _Invalid(f"{name}: expected texts, none of them empty; got {_kind(value)}")
    return [_whole(name, text) for text in texts]


def _false(value: object) -> list[str] | None:
    value = _listed(value)
    return None if value is None or value in ("", []) else _aliases("counterfactual", value)


def _kind(value: object) -> str:
    return str(value) if isinstance(value, int | float | Number) else kind(value)


def _said(row: Record) -> str:
    """The keys of an answer, in words."""
    without = " without documents" if row["closed"] else ""
    return ", ".join(f"{name} {row[name]}" for name in _KEYS[:-1] if row[name] is not None) + without


def _once(source: Source, frame: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The answers that are the only one of their question, ability, model, noise ratio and draw."""
    twice = frame.select(pl.struct(_KEYS).is_duplicated()).to_series()
    if not twice.any():
        return frame
    findings.add_each(
        frame.filter(twice).group_by(_KEYS, maintain_order=True).len(),
        lambda row: (
            f"{source.name}: expected one answer each; there are {row['len']} of {_said(row):.200}. "
            "Number them with draw"
        ),
        dropped=int(twice.sum()),
    )
    return frame.filter(~twice)
