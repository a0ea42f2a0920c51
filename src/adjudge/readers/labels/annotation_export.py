"""Judgments as labelling tools export them: a row per annotator and item, with an answer to one question or several.

A module per tool says what its rows are: as a `Sheet`, of a flat table, or as `Row`s, of nested records. Which question
is read, and where the reference stands, is found here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.io.json_documents import Objects, Repeated, json_text, plain_text, read_each, text_frame
from adjudge.readers.io.source import Source
from adjudge.readers.labels.judgments import Options, Part, Parts, untrusted, without_reference
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, counted, listed
from adjudge.readers.tables import ROW, collect, schema_of, select_text
from adjudge.schemas.columns import check_column_exists

_SKIPPED = "__skipped__"
_SHOWN = 8
_AT_ONCE = 5_000
"""Records that are held as objects at a time."""
_TRUSTED, _BESIDE = "__trusted__", "__record__"
_NOTHING = pl.lit(None, pl.String)
_NESTED = (dict, list, Repeated)
_PATH = " / "
_AND = ", "


@dataclass(frozen=True, slots=True)
class Sheet:
    """An export as a table of text under the tool's own names.

    rows: a row per annotator and item, with ROW. names: Adjudge's column -> the tool's, but for labels. questions: the
    columns that hold answers, as far as the tool tells. references: such a column -> the one with its trusted label.
    unit: what ROW counts. trusted: the reference's own rows, where it has any. positions: whether ids are the records'
    positions. told: warnings.
    """

    source: Source
    rows: pl.LazyFrame
    names: Mapping[str, str]
    questions: Sequence[str]
    references: Mapping[str, str] = field(default_factory=dict)
    unit: str = "row"
    trusted: pl.LazyFrame | None = None
    positions: bool = False
    told: Sequence[str] = ()


def parts_of(sheet: Sheet, options: Options) -> Parts:
    """The judgments of an export: those of annotators and, where they stand apart, those of the reference.

    An annotator without an answer skipped the item. Raises DataError where there are several questions and none is
    named as label, or nothing says what is trusted; OptionError for columns that are not there.
    """
    place = sheet.source.name
    found = [name for name in schema_of(sheet.source, sheet.rows).names() if name != ROW]
    check_column_exists(place, options.asked, found)
    others = [name for name in found if name not in sheet.names.values()]
    label = options.columns.get("label") or only_question(place, sheet.questions, others)
    trusted = {"reference": sheet.references[label]} if label in sheet.references else {}
    names = without_reference({**sheet.names, "label": label, **trusted, **options.columns}, options)
    names |= {name: name for name in options.by}
    findings = Findings(sheet.unit, told=list(sheet.told))
    judged = _part(sheet, sheet.rows, names, findings)
    if sheet.trusted is None:
        _check_trusted(sheet, names, options)
        return [judged], findings
    apart = {name: theirs for name, theirs in names.items() if name != "reference"}
    return [judged, replace(_part(sheet, sheet.trusted, apart, findings), trusted=True)], findings


def _check_trusted(sheet: Sheet, names: Mapping[str, str], options: Options) -> None:
    """Raises DataError where nothing says what is trusted, with the annotators that might be."""
    if "reference" in names or options.reference or options.untrusted:
        return
    who = collect(sheet.source, sheet.rows.select(pl.col(names["annotator"]).unique(maintain_order=True)))
    voters = who.to_series().drop_nulls().to_list()
    columns = [name for name in schema_of(sheet.source, sheet.rows).names() if name != ROW]
    raise untrusted(sheet.source.name, columns, voters)


def only_question(place: str, questions: Sequence[str], found: Sequence[str], option: str = "label") -> str:
    """The one column of answers, Adjudge's `option`. Raises DataError if there are several, or none that is known."""
    if len(questions) == 1:
        return questions[0]
    if not questions:
        raise DataError(
            f"{place}: no column is known to hold the answers",
            found=listed(found, _SHOWN),
            fix=f"{named('columns')} {option}=COLUMN",
        )
    raise DataError(
        f"{place}: several questions were asked",
        found=listed(questions, _SHOWN),
        fix=f"{named('columns')} {option}={questions[0]}",
    )


def _part(sheet: Sheet, rows: pl.LazyFrame, names: Mapping[str, str], findings: Findings) -> Part:
    """Rows under Adjudge's names; those without a label are skipped, unless the file says more of them."""
    label = names["label"]
    if not {"flag", "skipped"} & names.keys():
        empty = pl.col(label).is_null() | (pl.col(label).str.strip_chars() == "")
        rows = rows.with_columns(pl.when(empty).then(pl.lit("true")).alias(_SKIPPED))
        silent = collect(sheet.source, rows.select(pl.col(_SKIPPED).count())).item()
        if silent:
            rows_said = counted(silent, sheet.unit, f"{sheet.unit}s")
            findings.told.append(f"{sheet.source.name}: skipped, since without an answer to {label}: {rows_said}")
        names = {**names, "skipped": _SKIPPED}
    texts = select_text(sheet.source, rows, names, beside=True)
    positions = sheet.positions and names["item"] == sheet.names["item"]
    return Part(sheet.source, sheet.unit, texts, names, positions=positions)


# --- nested records ---


class Row(NamedTuple):
    """What one annotator says of one item.

    beside: what the record says of the item, under the tool's names; one object for all rows of a record. answers:
    question -> answer, a value or a list of values. trusted: whether it is the reference's. own: what is known of this
    row alone.
    """

    beside: Mapping[str, Any]
    annotator: object
    answers: Mapping[str, Any]
    trusted: bool = False
    own: Mapping[str, Any] = MappingProxyType({})


class Skipped(NamedTuple):
    """A part of a record that is no judgment. A warning gives the reason, and counts such parts by their kind."""

    reason: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose records hold what several annotators say.

    names: Adjudge's column -> the tool's. rows: of a record; raises DataError in words that follow the record's place.
    references: question -> the name of its trusted answer. unit: what a record is called, if not as the file does.
    """

    names: Mapping[str, str]
    rows: Callable[[dict[str, Any]], Iterable[Row | Skipped]]
    references: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


def scalars(*holders: Mapping[str, Any]) -> dict[str, Any]:
    """Objects as one, in which the last has precedence, without lists and objects."""
    held = dict(holders[0])
    for holder in holders[1:]:
        held.update(holder)
    return {name: value for name, value in held.items() if type(value) not in _NESTED}


def unfolded(found: Opened[Options], tool: Tool, objects: Objects) -> Parts:
    """The records of a tool as long tables of text. Those with a wrong structure are left out, and are findings.

    Records are read some at a time, since as objects they take many times their size in the file.
    """
    findings, place = Findings(tool.unit or objects.unit), found.source.name
    skipped, several, frames, questions = Counter[Skipped](), Counter[str](), list[pl.DataFrame](), dict[str, None]()
    for start in range(0, max(len(objects.values), 1), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        batch = replace(objects, numbers=objects.numbers[some], values=objects.values[some])
        read = read_each(batch, lambda record: list(tool.rows(record)), findings, findings.unit)
        numbered = [(number, row) for number, rows in read for row in rows if isinstance(row, Row)]
        skipped.update(row for _, rows in read for row in rows if isinstance(row, Skipped))
        several.update(name for _, row in numbered for name, answer in row.answers.items() if _is_several(answer))
        questions |= dict.fromkeys(chain.from_iterable(row.answers for _, row in numbered))
        frames.append(_frame(place, numbered, tool.names["annotator"]))
    frame = _joined(frames, questions, tool.names)
    findings.reasons["structure"] = findings.dropped
    findings.settle(drop=found.options.drop and frame.height > 0)
    item, trusted = tool.names["item"], frame.drop_in_place(_TRUSTED)
    positions = not frame[item].count()
    if positions:
        frame = frame.with_columns(pl.col(ROW).cast(pl.String).alias(item))
    apart = trusted.any() and not found.options.reference
    sheet = Sheet(
        source=found.source,
        rows=(frame.filter(~trusted) if apart else frame).lazy(),
        names=tool.names,
        questions=list(questions),
        references=tool.references,
        unit=findings.unit,
        trusted=frame.filter(trusted).lazy() if apart else None,
        positions=positions,
        told=[f"{place}: {one}" for one in (*_sets(several, questions), *left_out(skipped))],
    )
    parts, further = parts_of(sheet, found.options)
    findings.join(further)
    return parts, findings


def _frame(place: str, numbered: Sequence[tuple[int, Row]], annotator: str) -> pl.DataFrame:
    """Rows as a table of text, with ROW and _TRUSTED; what a record says stands in all of its rows, behind _BESIDE."""
    rows, records, at = [row for _, row in numbered], list[Mapping[str, Any]](), list[int]()
    for row in rows:
        if not records or row.beside is not records[-1]:
            records.append(row.beside)
        at.append(len(records) - 1)
    own = {annotator: _column([row.annotator for row in rows])}
    for name in dict.fromkeys(chain.from_iterable(row.own for row in rows)):
        own[name] = _column([row.own.get(name) for row in rows])
    for name in dict.fromkeys(chain.from_iterable(row.answers for row in rows)):
        own[name] = [answer_text(row.answers.get(name)) for row in rows]
    shared = dict.fromkeys(chain.from_iterable(records))
    beside = text_frame({_BESIDE + name: _column([one.get(name) for one in records]) for name in shared}, place)
    number = pl.Series(ROW, [number for number, _ in numbered], pl.UInt32)
    trusted = pl.Series(_TRUSTED, [row.trusted for row in rows], pl.Boolean)
    return pl.DataFrame([number, trusted, *text_frame(own, place), *beside[pl.Series(at, dtype=pl.UInt32)]])


def _joined(frames: Sequence[pl.DataFrame], questions: Iterable[str], names: Mapping[str, str]) -> pl.DataFrame:
    """Frames as one; what rows say themselves has precedence over what records say."""
    table = pl.concat(frames, how="diagonal")
    beside = {name.removeprefix(_BESIDE): name for name in table.columns if name.startswith(_BESIDE)}
    own = {name: name for name in table.columns if not name.startswith(_BESIDE)}
    columns = {**beside, **own}
    order = dict.fromkeys([ROW, _TRUSTED, *names.values(), *questions, *columns])
    return table.select(
        pl.col(columns[name]).alias(name) if name in columns else _NOTHING.alias(name) for name in order
    )


def _is_several(answer: object) -> bool:
    return isinstance(answer, list) and len(answer) > 1


def _column(values: list[Any]) -> list[str | None]:
    return values if {str, type(None)}.issuperset(map(type, values)) else list(map(plain_text, values))


def _sets(several: Mapping[str, int], questions: Iterable[str]) -> Iterator[str]:
    """A warning for each question that some answer with several values."""
    for name in filter(several.get, questions):
        hold = counted(several[name], "answer holds", "answers hold")
        yield f"{hold} several values of {name}; such a set counts as one label"


def left_out(skipped: Counter[Skipped]) -> Iterator[str]:
    """A warning for each reason, which counts what was skipped for it."""
    for reason in dict.fromkeys(one.reason for one in skipped):
        counts = (f"{one.kind} {count:,}".strip() for one, count in skipped.most_common() if one.reason == reason)
        yield f"{reason}: {', '.join(counts):.200}"


def answer_text(answer: object) -> str | None:
    """An answer as a label: of several values the sorted set, of a path its steps; None for none.

    >>> answer_text(["b", "a"]), answer_text([["animal", "bird"]]), answer_text([])
    ('a, b', 'animal / bird', None)
    """
    if isinstance(answer, list):
        parts = [_PATH.join(map(_value_text, one)) if isinstance(one, list) else _value_text(one) for one in answer]
        return _AND.join(sorted(parts)) or None
    return None if answer is None else _value_text(answer)


def _value_text(value: object) -> str:
    return json_text(value) if isinstance(value, list | dict) else plain_text(value) or ""


def lenient(who: str) -> Skipped:
    """What a warning counts where a tool takes an answer for right that is not the target. who: what takes it so."""
    return Skipped(f"the {who} counts answers that differ from the target as right, which are wrong here")
