"""Judgments as labelling tools export them: a row per annotator and item, with an answer to one question or several.

A module per tool says what its rows are: as a `Sheet`, of a flat table, or as `Row`s, of nested records. Which question
is read, and where the reference stands, is found here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.io.json_documents import Objects, Repeated, json_text, plain_text, read_each, text_frame
from adjudge.readers.io.source import Format, Source
from adjudge.readers.labels.judgments import Options, Part, Parts, untrusted, without_reference
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, counted, listed
from adjudge.readers.tables import ROW, collect, schema_of, select_text
from adjudge.schemas.columns import check_column_exists

_SKIPPED = "__skipped__"
_SHOWN = 8
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


@dataclass(frozen=True, slots=True)
class Row:
    """What one annotator says of one item.

    known: what the record says of the item and of the annotator, under the tool's names; lists and objects among it are
    left out. answers: question -> answer, a value or a list of values. trusted: whether it is the reference's. left: of
    what kind the parts of the record are that are no answers.
    """

    known: Mapping[str, Any]
    answers: Mapping[str, Any]
    trusted: bool = False
    left: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose records hold what several annotators say.

    names: Adjudge's column -> the name in `Row.known`. rows: of a record, which raises
    DataError with words that follow the record's place. references: question -> the name of its trusted answer.
    """

    names: Mapping[str, str]
    rows: Callable[[dict[str, Any]], Iterable[Row]]
    references: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


def unfolded(found: Opened[Options], tool: Tool, objects: Objects, told: Sequence[str] = ()) -> Parts:
    """The records of a tool as long tables of text. Those with a wrong structure are left out, and are findings."""
    findings = Findings(tool.unit or objects.unit)
    read = read_each(objects, lambda record: list(tool.rows(record)), findings, findings.unit)
    numbered = [(number, row) for number, rows in read for row in rows]
    findings.reasons["structure"] = findings.dropped
    findings.settle(drop=found.options.drop and bool(numbered))
    questions = list(dict.fromkeys(chain.from_iterable(row.answers for _, row in numbered)))
    every = [_texts(number, row, questions) for number, row in numbered]
    columns = list(dict.fromkeys(chain([ROW, *tool.names.values(), *questions], *every)))
    positions = _number(every, tool.names["item"])
    sides = {}
    for side in (False, True):
        own = [texts for texts, (_, row) in zip(every, numbered, strict=True) if row.trusted is side]
        table = text_frame({name: [texts.get(name) for texts in own] for name in columns}, found.source.name)
        sides[side] = table.with_columns(pl.col(ROW).cast(pl.UInt32))
    apart = sides[True].height > 0 and not found.options.reference
    sheet = Sheet(
        source=found.source,
        rows=(sides[False] if apart else pl.concat(sides.values())).lazy(),
        names=tool.names,
        questions=questions,
        references=tool.references,
        unit=findings.unit,
        trusted=sides[True].lazy() if apart else None,
        positions=positions,
        told=[*told, *_several(found.source.name, questions, numbered), *_left(found.source.name, numbered)],
    )
    parts, further = parts_of(sheet, found.options)
    findings.join(further)
    return parts, findings


def _texts(number: int, row: Row, questions: Sequence[str]) -> dict[str, str | None]:
    """A row's values as text."""
    known = {name: text for name, value in row.known.items() if (text := plain_text(value)) is not None}
    return known | {name: answer_text(row.answers.get(name)) for name in questions} | {ROW: str(number)}


def _number(texts: Sequence[dict[str, str | None]], item: str) -> bool:
    """Where no record has an id, its number becomes it. Whether that is so."""
    if any(one.get(item) for one in texts):
        return False
    for one in texts:
        one[item] = one[ROW]
    return True


def _several(place: str, questions: Sequence[str], rows: Sequence[tuple[int, Row]]) -> Iterator[str]:
    """A warning for each question that some answer with several values."""
    for name in questions:
        answers = (row.answers.get(name) for _, row in rows)
        several = sum(isinstance(answer, list) and len(answer) > 1 for answer in answers)
        if several:
            hold = counted(several, "answer holds", "answers hold")
            yield f"{place}: {hold} several values of {name}; such a set counts as one label"


def _left(place: str, rows: Sequence[tuple[int, Row]]) -> list[str]:
    """A warning that counts what is no answer."""
    counts = Counter(kind for _, row in rows for kind in row.left)
    told = ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common())
    return [f"{place}: what is no answer about a whole item is left out: {told:.200}"] if told else []


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


def lenient(place: str, count: int, who: str) -> list[str]:
    """A warning where a tool counts answers as right that are not the target. who: what counts them so."""
    differ = counted(count, "answer that differs", "answers that differ")
    told = f"{place}: the {who} counts {differ} from the target as right; here an answer is right if it is the target"
    return [told] if count else []


# --- lists side by side ---

_ID, _WHO, _SAID, _LABEL = "id", "annotators", "annotations", "label"


def read_parallel_votes(found: Opened[Options]) -> Parts:
    """Items with their annotators in one list and what these say in another, as shared tasks on disagreement write them.

    {"1": {"text": "A tweet.", "annotators": "Ann1,Ann2", "annotations": "1,0", "hard_label": "1"}}

    A row per item and annotator. What the file calls hard_label is their own majority, and so no reference.
    """  # noqa: E501 - docs/formats.md lists the first line
    values = _items(found.values.values)
    objects = replace(found.values, values=values, numbers=range(1, len(values) + 1))
    return unfolded(found, Tool({"item": _ID, "annotator": "annotator"}, _rows, unit="item"), objects)


def _items(values: Sequence[Any]) -> Sequence[Any]:
    """The items: those given, or those of the one object that holds them by their ids."""
    whole = values[0] if len(values) == 1 else None
    if type(whole) is not dict or not whole or not all(isinstance(one, dict) for one in whole.values()):
        return values
    return [one if isinstance(one, Repeated) else {_ID: key, **one} for key, one in whole.items()]


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    who, said = _parts(record.get(_WHO)), _parts(record.get(_SAID))
    if len(who) != len(said) or not who:
        raise DataError(f", {_SAID}: expected one for each of {len(who):,} {_WHO}; got {len(said):,}")
    for name, label in zip(who, said, strict=True):
        yield Row({**record, "annotator": name}, {_LABEL: label})


def _parts(value: object) -> list[Any]:
    """What stands in a list, or between commas."""
    if isinstance(value, str):
        return [one.strip() for one in value.split(",")]
    return value if isinstance(value, list) else []


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first items have as many annotations as annotators, some of them several."""
    items = _items(found.first)
    first = [(_parts(one.get(_WHO)), _parts(one.get(_SAID))) for one in items if isinstance(one, dict)]
    flat = all(isinstance(one, str) for who, said in first for one in (*who, *said))
    even = bool(first) and all(len(who) == len(said) > 0 for who, said in first)
    return flat and even and any(len(who) > 1 for who, _ in first)


FORMAT = (Format("parallel-votes", "reliability", read_parallel_votes, _looks_like, -1, (".json", ".jsonl")),)
