"""Judgments as labelling tools export them: a generator per tool makes a `Row` of each annotator's answers on an item.

This module chooses the question and finds the reference. It also reads the results of crowdsourcing platforms.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.readers.io import json_documents as documents
from adjudge.readers.io.source import Format, Source
from adjudge.readers.label_values import label_of_list
from adjudge.readers.labels.judgments import LabelFile, Part, Parts, part_of
from adjudge.readers.parsed_input import with_columns
from adjudge.readers.problems import Findings, count_words, listed
from adjudge.readers.tables import BESIDE, ROW
from adjudge.schemas.columns import check_column_exists

__all__ = ["Format", "LabelFile", "Parts"]
"""Names of other modules that the module of a tool needs too."""

_SKIPPED, _TRUSTED, _MODEL = "__skipped__", "__trusted__", "__model__"


class ToolRow(NamedTuple):
    """One annotator's answers about one item.

    beside: the record's fields of the item, under the tool's names, the same for all rows of a record. answers:
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
    rows: Callable[[dict[str, Any]], Iterable[ToolRow | Skipped]]
    references: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""


def scalars(*holders: Mapping[str, Any]) -> dict[str, Any]:
    """Objects merged into one, without lists and objects; the last has precedence."""
    nested = {dict, list}
    return {name: value for holder in holders for name, value in holder.items() if type(value) not in nested}


def listed_records(source: Source, holder: object, key: str) -> documents.Objects:
    """The records in a list of a JSON document. Raises DataError if there are none."""
    records = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(records, list) or not records:
        raise DataError(f"{source.name}, {key}: expected a list of records; got {documents.kind(records)}")
    return documents.as_objects(source, records)


@documents.collection_paused()
def unfolded(opened: LabelFile, tool: Tool, objects: documents.Objects) -> Parts:
    """The records of a tool as long tables of text: of annotators and, if separate, of the reference.

    Records with a wrong structure are excluded, and are findings. Reads records in batches, since as objects they need
    many times their size in the file. An annotator without an answer skipped the item. Raises DataError if there are
    several questions and none is named as label, or if there is no reference.
    """
    findings, place = Findings(tool.unit or objects.unit), opened.source.name
    skipped, frames, questions = Counter[Skipped](), list[pl.DataFrame](), dict[str, None]()
    reading = documents.read_each(objects, lambda record: list(tool.rows(record)), findings, findings.unit)
    for batch in documents.in_batches(reading, 300):
        skipped.update(one for _, found in batch for one in found if type(one) is Skipped)
        records = [(number, [one for one in found if type(one) is ToolRow]) for number, found in batch]
        questions |= documents.keys_of([row.answers for _, rows in records for row in rows])
        frames.append(_frame(place, records, tool.names["annotator"]))
    findings.reasons["structure"] = findings.dropped
    frame = pl.concat(frames, how="diagonal").select(pl.exclude(f"^{BESIDE}.*$"), pl.col(f"^{BESIDE}.*$"))
    fields = {name: name.removeprefix(BESIDE) for name in frame.columns if name.startswith(BESIDE)}
    hidden = [name for name, plain in fields.items() if plain in frame.columns]
    frame = frame.drop(hidden).rename(fields, strict=False)
    lacking = dict.fromkeys(name for name in (*tool.names.values(), *questions) if name not in frame.columns)
    frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in lacking)
    findings.settle(drop=opened.options.drop and frame.height > 0)
    findings.told += [f"{place}: {one}" for one in left_out(skipped)]
    return _parts(opened, tool, frame, list(questions), findings), findings


def _frame(place: str, records: Sequence[tuple[int, Sequence[ToolRow]]], annotator: str) -> pl.DataFrame:
    """Rows as a table of text; a record's fields are in all of its rows, with a prefix until all questions are known.

    records: each with its number.
    """
    every = [row for _, rows in records for row in rows]
    _, annotators, answers, trusted, own, models = zip(*every, strict=True) if every else [()] * len(ToolRow._fields)
    columns: dict[str, Sequence[Any]] = {annotator: annotators}
    columns |= {name: [one.get(name) for one in own] for name in documents.keys_of(own)}
    columns |= {name: [answer_text(one.get(name)) for one in answers] for name in documents.keys_of(answers)}
    fields = [rows[0].beside if rows else {} for _, rows in records]
    beside = {BESIDE + name: [one.get(name) for one in fields] for name in documents.keys_of(fields)}
    shared = [pl.Series(ROW, [number for number, _ in records], pl.UInt32), *documents.text_frame(beside, place)]
    record_of = pl.Series([at for at, (_, rows) in enumerate(records) for _ in rows], dtype=pl.UInt32)
    marked = [pl.Series(_TRUSTED, trusted, pl.Boolean), pl.Series(_MODEL, models, pl.Boolean)]
    return pl.DataFrame([*marked, *documents.text_frame(columns, place), *pl.DataFrame(shared)[record_of]])


def _parts(opened: LabelFile, tool: Tool, frame: pl.DataFrame, asked: Sequence[str], findings: Findings) -> list[Part]:
    """The answers to one question: those of annotators and, unless options name the reference, its separate rows."""
    source, options, item, unit = opened.source, opened.options, tool.names["item"], findings.unit
    others = [name for name in frame.columns if name not in (ROW, _TRUSTED, _MODEL, *tool.names.values())]
    check_column_exists(source.name, options.requested, [*tool.names.values(), *others])
    given = {**tool.names, **options.columns, **{name: name for name in options.by}}
    label = given.get("label") or only_question(source.name, asked, others)
    trusted = {"reference": tool.references[label]} if label in tool.references else {}
    names = {**trusted, **given, "label": label}
    if positions := not frame[item].count():
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
    fix = f"{flag_name('columns')} {option}={questions[0] if questions else 'COLUMN'}"
    raise DataError(f"{place}: {problem}", found=listed(questions or known), fix=fix)


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


# --- tables of crowdsourcing platforms: a row per worker and task, a column per question ---


def _read_table(item: str, worker: str, question: str, reference: str, field: str, opened: LabelFile) -> Parts:
    """The answers in a platform's table, in which rejected work counts.

    item, worker: columns. question, reference, field: prefixes of columns with answers, reference answers, and inputs,
    which are the item if there is no column for it.
    """
    columns = [name for name in opened.names if name.startswith(question)]
    gold = {name: reference + name.removeprefix(question) for name in columns if reference}
    trusted = {name: theirs for name, theirs in gold.items() if theirs in opened.names}

    def rows(record: dict[str, Any]) -> Iterator[ToolRow]:
        cells = {name: documents.plain_text(value) for name, value in record.items()}
        if item not in cells:
            cells[item] = " ".join(text for name, text in cells.items() if name.startswith(field) and text)
        answers = dict[str, Any]()
        for name in columns:
            cell = cells.get(name) or ""
            forms = documents.json_value(cell) if cell.startswith("[{") else None
            if isinstance(forms, list):
                pairs = (pair for form in forms if isinstance(form, dict) for pair in form.items())
                answers |= {f"{name.rpartition('.')[0]}.{key}": _chosen(answer) for key, answer in pairs}
            elif cell:
                answers[name] = cell
        yield ToolRow(cells, cells.get(worker), answers)

    return unfolded(opened, Tool({"item": item, "annotator": worker}, rows, trusted), opened.objects)


def _chosen(answer: object) -> object:
    """The answer of a form to one question: the ticked boxes, the label of a classifier, or a text."""
    if isinstance(answer, dict) and {bool} == set(map(type, answer.values())):
        return [name for name, ticked in answer.items() if ticked]
    return answer["label"] if isinstance(answer, dict) and answer.keys() == {"label"} else answer


_WORKER = "ASSIGNMENT:worker_id"
_MTURK = partial(_read_table, "HITId", "WorkerId", "Answer.", "", "Input.")
_TOLOKA = partial(_read_table, "ASSIGNMENT:task_id", _WORKER, "OUTPUT:", "GOLDEN:", "INPUT:")
_BATCH = "The results of a batch of Amazon Mechanical Turk: HITId, WorkerId, Input.* and Answer.*."
_POOL = "The results of a Toloka pool, in columns called INPUT:, OUTPUT:, GOLDEN: and ASSIGNMENT: and a name."
FORMAT = (
    Format("mturk", "reliability", _MTURK, with_columns("HITId", "WorkerId"), endings=(".csv",), said=_BATCH),
    Format("toloka", "reliability", _TOLOKA, with_columns(_WORKER), endings=(".tsv",), said=_POOL),
)
