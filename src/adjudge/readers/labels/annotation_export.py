"""Judgments as labelling tools export them: a generator per tool makes a `Row` of each annotator's answers on an item.

This module chooses the question and finds the reference.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.io.json_documents import Objects, plain_text, read_each, text_frame
from adjudge.readers.label_values import label_of_list
from adjudge.readers.labels.judgments import LabelFile, Part, Parts, part_of
from adjudge.readers.problems import Findings, count_words, listed
from adjudge.readers.tables import ROW
from adjudge.schemas.columns import check_column_exists

_SKIPPED, _TRUSTED, _MODEL = "__skipped__", "__trusted__", "__model__"
_SHOWN = 8
_AT_ONCE = 5_000
"""Number of records in memory as objects at a time."""
_NESTED = (dict, list)


class Row(NamedTuple):
    """One annotator's answers about one item.

    beside: the record's fields of the item, under the tool's names; one object for all rows of a record. answers:
    question -> answer, a value or a list of values. trusted: whether it is the reference's. own: fields of this row
    only. model: whether a model gave it.
    """

    beside: Mapping[str, Any]
    annotator: object
    answers: Mapping[str, Any]
    trusted: bool = False
    own: Mapping[str, Any] = MappingProxyType({})
    model: bool = False


class Skipped(NamedTuple):
    """A part of a record that is no judgment. A warning gives the reason, and counts such parts by their kind."""

    reason: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose records hold the answers of several annotators.

    names: Adjudge's column -> the tool's, except labels. rows: of a record; raises DataError with a message that
    follows the record's place. references: question -> the name of its reference answer. unit: name of a record, by
    default the file's.
    """

    names: Mapping[str, str]
    rows: Callable[[dict[str, Any]], Iterable[Row | Skipped]]
    references: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


def scalars(*holders: Mapping[str, Any]) -> dict[str, Any]:
    """Objects merged into one, without lists and objects; the last has precedence."""
    held = dict(holders[0])
    for holder in holders[1:]:
        held.update(holder)
    return {name: value for name, value in held.items() if type(value) not in _NESTED}


def unfolded(opened: LabelFile, tool: Tool, objects: Objects) -> Parts:
    """The records of a tool as long tables of text: of annotators and, if separate, of the reference.

    Records with a wrong structure are excluded, and are findings. Reads records in batches, since as objects they need
    many times their size in the file. An annotator without an answer skipped the item. Raises DataError if there are
    several questions and none is named as label, or if there is no reference.
    """
    findings, place = Findings(tool.unit or objects.unit), opened.source.name
    skipped, several, frames, questions = Counter[Skipped](), Counter[str](), list[pl.DataFrame](), dict[str, None]()
    for batch in objects.batches(_AT_ONCE):
        read = read_each(batch, lambda record: list(tool.rows(record)), findings, findings.unit)
        numbered = [(number, row) for number, rows in read for row in rows if isinstance(row, Row)]
        skipped.update(row for _, rows in read for row in rows if isinstance(row, Skipped))
        answers = [answer for _, row in numbered for answer in row.answers.items()]
        several.update(name for name, answer in answers if isinstance(answer, list) and len(answer) > 1)
        questions |= dict.fromkeys(name for name, _ in answers)
        frames.append(_frame(place, numbered, tool.names["annotator"]))
    findings.reasons["structure"] = findings.dropped
    frame = pl.concat(frames or [_frame(place, [], tool.names["annotator"])], how="diagonal")
    lacking = dict.fromkeys(name for name in (*tool.names.values(), *questions) if name not in frame.columns)
    frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in lacking)
    findings.settle(drop=opened.options.drop and frame.height > 0)
    for name in filter(several.get, questions):
        hold = count_words(several[name], "answer holds", "answers hold")
        findings.told.append(f"{place}: {hold} several values of {name}; such a set counts as one label")
    findings.told += [f"{place}: {one}" for one in left_out(skipped)]
    return _parts(opened, tool, frame, list(questions), findings), findings


def _frame(place: str, numbered: Sequence[tuple[int, Row]], annotator: str) -> pl.DataFrame:
    """Rows as a table of text; a record's fields are in all of its rows, unless rows have a field of that name."""
    rows, held = [row for _, row in numbered], dict[str, list[Any]]()
    held[annotator] = [row.annotator for row in rows]
    held |= {name: [row.own.get(name) for row in rows] for name in chain.from_iterable(row.own for row in rows)}
    for name in dict.fromkeys(chain.from_iterable(row.answers for row in rows)):
        held[name] = [answer_text(row.answers.get(name)) for row in rows]
    for name in dict.fromkeys(chain.from_iterable(row.beside for row in rows)):
        held.setdefault(name, [row.beside.get(name) for row in rows])
    marks = {ROW: [number for number, _ in numbered], _TRUSTED: [row.trusted for row in rows]}
    marks[_MODEL] = [row.model for row in rows]
    marked = pl.DataFrame(marks, {ROW: pl.UInt32, _TRUSTED: bool, _MODEL: bool})
    return pl.DataFrame([*marked, *text_frame({name: _column(values) for name, values in held.items()}, place)])


def _column(values: list[Any]) -> list[str | None]:
    return values if {str, type(None)}.issuperset(map(type, values)) else list(map(plain_text, values))


def _parts(
    opened: LabelFile, tool: Tool, frame: pl.DataFrame, questions: Sequence[str], findings: Findings
) -> list[Part]:
    """The answers to one question: those of annotators and, unless options name the reference, its separate rows."""
    source, options, item, unit = opened.source, opened.options, tool.names["item"], findings.unit
    others = [name for name in frame.columns if name not in (ROW, _TRUSTED, _MODEL, *tool.names.values())]
    check_column_exists(source.name, options.requested, [*tool.names.values(), *others])
    given = {**tool.names, **options.columns, **{name: name for name in options.by}}
    label = given.get("label") or only_question(source.name, questions, others)
    trusted = {"reference": tool.references[label]} if label in tool.references else {}
    names = {**trusted, **given, "label": label}
    positions = not frame[item].count()
    if positions:
        frame = frame.with_columns(pl.col(ROW).cast(pl.String).alias(item))
    if not {"flag", "skipped"} & names.keys():
        empty = frame[label].is_null() | (frame[label].str.strip_chars() == "")
        frame = frame.with_columns(pl.when(empty).then(pl.lit("true")).alias(_SKIPPED))
        names["skipped"] = _SKIPPED
        if count := int(empty.sum()):
            rows = count_words(count, unit, f"{unit}s")
            findings.told.append(f"{source.name}: skipped, since without an answer to {label}: {rows}")
    model = frame.drop_in_place(_MODEL)
    models = frame.filter(model)[names["annotator"]].drop_nulls().unique(maintain_order=True).to_list()
    about: dict[str, Any] = {"unit": unit, "positions": positions and names["item"] == item, "models": models}
    sides = frame.partition_by(_TRUSTED, as_dict=True, include_key=False)
    if options.reference or (True,) not in sides:
        return [part_of(source, frame.drop(_TRUSTED).lazy(), names, options, **about)]
    known = replace(options, untrusted=True)
    people = part_of(source, sides.get((False,), frame.clear()).lazy(), names, known, **about)
    names.pop("reference", None)
    return [people, replace(part_of(source, sides[True,].lazy(), names, known, **about), trusted=True)]


def only_question(place: str, questions: Sequence[str], known: Sequence[str], option: str = "label") -> str:
    """The only column of answers, Adjudge's `option`. Raises DataError if there are several, or no known one."""
    if len(questions) == 1:
        return questions[0]
    problem = "several questions were asked" if questions else "no column is known to hold the answers"
    raise DataError(
        f"{place}: {problem}",
        found=listed(questions or known, _SHOWN),
        fix=f"{flag_name('columns')} {option}={questions[0] if questions else 'COLUMN'}",
    )


def left_out(skipped: Counter[Skipped]) -> Iterator[str]:
    """A warning for each reason, with the number of skipped parts."""
    for reason in dict.fromkeys(one.reason for one in skipped):
        counts = (f"{one.kind} {count:,}".strip() for one, count in skipped.most_common() if one.reason == reason)
        yield f"{reason}: {', '.join(counts):.200}"


def answer_text(answer: object) -> str | None:
    """An answer as a label: several values as a sorted set, a path as its steps; None for none.

    >>> answer_text(["b", "a"]), answer_text([["animal", "bird"]]), answer_text([])
    ('a, b', 'animal / bird', None)
    """
    if answer is None or isinstance(answer, str):
        return answer
    return label_of_list(answer if isinstance(answer, list) else [answer])


def lenient(who: str) -> Skipped:
    """A skipped part for an answer that a tool accepts though it differs from the target. who: the tool's part."""
    return Skipped(f"the {who} counts answers that differ from the target as right, which are wrong here")
