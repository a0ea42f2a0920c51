"""What models answered: JSON lines, or any table, with a row per answer, or what tools that evaluate answers write.

id, ability, model, noise_ratio, response, answer, counterfactual, draw, documents; others are kept where asked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.answers.answer_fields import Fields
from adjudge.readers.answers.answer_rows import Reading, is_flat_list
from adjudge.readers.answers.answer_tables import Layout, resembled
from adjudge.readers.answers.gold_answers import Gold
from adjudge.readers.answers.prompts import asked
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.io.json_lines import blocks
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, counted, keys_said
from adjudge.readers.tables import ROW, missing_columns, plain_batches
from adjudge.schemas.answers import ANSWERS, QUESTION_ANSWERING, SLOTS, AnswerLists, Answers
from adjudge.schemas.columns import check_column_exists, requested_columns
from adjudge.schemas.spelling import near_miss

REACHED = "reached_noise"
"""The share of noise that a prompt's documents have, where it is another than was asked for."""
KNOWN_COLUMNS = ("id", "ability", "model", "noise_ratio", "response", "answer", "counterfactual", "draw", "documents")

_NEEDED = ("id", "ability", "response")
_KEYS = ("id", "ability", "model", "noise_ratio", "draw", "closed")
_ONE = "one answer each (number several in the column draw)"
_NO_ANSWER = "No answer: insufficient information."
"""What an empty prediction says where questions may have no answer, in words that every scorer takes for a refusal."""

_SCORE = re.compile(
    "faithful|relevanc|correctness|precision|recall|similarity|grounded|hallucinat|utiliz|bleu|rouge|bert|score|f1$",
    re.IGNORECASE,
)
"""Found in the names of columns in which tools write scores of answers."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to read answers; the arguments of `adjudge.rag` that concern the reading.

    columns: Adjudge's name -> the file's. by: further columns to keep, as text, none of ANSWERS. cluster: the file's
    column of clusters. model: the name where a file gives none. drop: leave invalid answers out instead of raising.
    lists: what flat lists of true answers are, where the format does not say so. separator: what stands between several
    in one text. gold: true answers from elsewhere.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ()
    cluster: str | None = None
    model: str | None = None
    drop: bool = False
    lists: AnswerLists | None = None
    separator: str | None = None
    gold: Gold | None = None


def read_answers(source: Source, options: Options) -> Answers:
    """The answers in a file. Raises DataError with all that is wrong; OptionError for a column that is not there.

    A response that is null is a failed answer. Reasoning between <think> tags is cut off, also where the first or
    the last tag is missing. A noise_ratio that is missing is that of negative_rejection 1 (with documents), else null.
    """
    found = opened(source, options)
    form = format_of("rag", found)
    layout = form.read(found) if form else Layout()
    if form and layout.joined and options.gold is None:
        raise DataError(
            f"{source.name}: expected the true answers too, which files of this format ({form.name}) do not hold",
            fix=f"{named('gold')} FILE with the data set",
        )
    return _Reader(found, layout).answers()


class _Reader:
    """One pass over the records of a file, and what was found in them."""

    def __init__(self, found: Opened[Options], layout: Layout) -> None:
        self.found, self.source, self.options = found, found.source, found.options
        self.layout, self.gold = layout, found.options.gold
        self.findings = Findings("answer")
        self.columns: dict[str, None] = {}
        self.reading: Reading | None = None
        self.rows = self.short = self.flat = self.empty = self.strays = 0
        self.stray = ""
        self.unit = "row"
        self.asked: set[int] = set()

    def answers(self) -> Answers:
        """The answers, all checked."""
        frames = list(map(self._frame, self._batches()))
        name = self.source.name
        if not self.rows:
            raise DataError(f"{name}: expected at least one answer; got none")
        self._check_columns()
        self._check_gold()
        frame = pl.concat(frames)
        frame, told = self._numbered(frame)
        frame = self.findings.once(frame, _KEYS, ROW, f"{name}, {self.unit}s", _ONE).drop(ROW)
        warnings = self.findings.settle(drop=self.options.drop)
        if frame.is_empty():
            raise DataError(f"{name}: no answer is left{' after dropping' if self.findings.dropped else ''}")
        named = self.reading.names if self.reading else {}
        again = partial(asked, self.source, named) if named else None
        return Answers(name, frame, self.rows, (*warnings, *told, *self._told(frame)), self._questions, again, named)

    def _batches(self) -> Iterator[Objects]:
        """The records, so many at a time that memory stays bounded."""
        if self.layout.batches:
            return self.layout.batches()
        if self.source.format == "jsonl":
            return (block.objects() for block in blocks(self.source))
        return plain_batches(self.source)

    def _frame(self, objects: Objects) -> pl.DataFrame:
        # true answers go into the table as JSON, which is many times faster than lists of lists
        schema = {ROW: pl.UInt32(), **ANSWERS, **dict.fromkeys(self.options.by, pl.String()), "slots": pl.String()}
        frame = pl.DataFrame(list(self._kept(objects)), schema=schema, orient="row")
        return frame.with_columns(pl.col("slots").str.json_decode(SLOTS))

    @property
    def _questions(self) -> int:
        return len(self.gold.rows) if self.gold else 0

    def _kept(self, objects: Objects) -> Iterator[dict[str, Any]]:
        """The rows of records that are sound."""
        records = objects.plain()
        self.columns |= dict.fromkeys(chain.from_iterable(records))
        self.rows += len(records)
        self.unit = objects.unit
        reading = self.reading = self.reading or self._reading()
        names = reading.names
        for number, (place, record) in zip(objects.numbers, objects.places(), strict=True):
            whole = record if self.gold is None else self._joined(place, record, self.gold)
            fields = Fields(place, whole or {}, self.findings)
            row = reading.row(fields) if whole is not None else {}
            if whole is None or not fields.sound:
                self.findings.dropped += 1
                continue
            if reading.lists is None and row["ability"] != "information_integration":
                self.flat += is_flat_list(reading.told(whole.get(names["answer"])))
            self.short += record.get(REACHED) not in (None, record.get(names["noise_ratio"]))
            yield {ROW: number, **row}

    def _reading(self) -> Reading:
        options, layout = self.options, self.layout
        names = {**layout.names(KNOWN_COLUMNS, self.columns), **options.columns}
        model = options.model or self.source.stem
        lists = layout.lists or options.lists
        return Reading(names, layout.fixed, options.by, options.cluster, model, lists, options.separator or "")

    # --- true answers of another file ---

    def _joined(self, place: str, record: Mapping[str, Any], gold: Gold) -> Mapping[str, Any] | None:
        """A record with the true answer to its question; None where there is no such question."""
        names = self.reading.names if self.reading else {}
        asked = record.get(names["id"])
        at = gold.place(asked)
        if at is None:
            self.strays += 1
            self.stray = str(asked)
            self.findings.add(f"{place}, {names['id']}: {gold.unknown(asked)}")
            return None
        self.asked.add(at)
        true = {names.get(name, name): value for name, value in gold.rows[at].items() if name != "id"}
        joined = {**record, **true}
        if gold.refusals and record.get(names["response"]) == "":
            self.empty += 1
            joined[names["response"]] = _NO_ANSWER
        return joined

    def _check_gold(self) -> None:
        if self.gold and self.strays == self.rows:
            raise DataError(
                f"{self.source.name}: expected answers to questions of {self.gold.name}; none of its ids "
                f"is one of them{self.layout.hint}{near_miss([self.stray], self.gold.by_id)}"
            )

    # --- what is wrong, and what was done ---

    def _check_columns(self) -> None:
        """Raises DataError for all columns that are lacking, OptionError for one that an option names."""
        options, name, names = self.options, self.source.name, self.reading.names if self.reading else {}
        there = {**self.columns, **dict.fromkeys(self.gold.columns if self.gold else ())}
        check_column_exists(name, requested_columns(options.by, options.cluster, options.columns), there)
        needed = [one for one in (*_NEEDED, *options.columns) if one not in self.layout.fixed]
        lacking = [one for one in needed if names[one] not in there and one not in there]
        if lacking:
            raise _lacking(name, {one: names[one] for one in lacking}, self.columns)

    def _numbered(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
        """Answers to one question as draws, where ids are those of questions; and what is said of it."""
        names = self.reading.names if self.reading else {}
        if names.get("id") not in self.layout.questions or "id" in self.options.columns:
            return frame, []
        twice = frame.select(_KEYS).is_duplicated()
        if not twice.any():
            return frame, []
        asked = counted(frame.filter(twice)["id"].n_unique(), "question is", "questions are")
        draw = pl.int_range(1, pl.len() + 1).over(_KEYS).cast(pl.String)
        told = f"{self.source.name}: {asked} answered more than once; each further answer counts as another draw"
        return frame.with_columns(draw=draw), [told]

    def _told(self, frame: pl.DataFrame) -> Iterator[str]:
        name = self.source.name
        if self.short:
            yield (
                f"{name}: {self.short:,} of {self.rows:,} answers are to prompts whose documents did not reach the "
                "noise that was asked for (reached_noise), and count under what was asked for; --columns "
                "noise_ratio=reached_noise counts them under what was reached"
            )
        if self.flat:
            yield (
                f"{name}: {counted(self.flat, 'true answer is', 'true answers are')} a list of several texts, each of "
                "which the response must hold (--answer-lists slots). If they are spellings of one answer, say "
                "--answer-lists aliases"
            )
        if self.options.separator is None and (barred := _barred(frame)):
            held = counted(barred, "true answer holds", "true answers hold")
            yield (
                f'{name}: {held} " | ", each of which counts as one text. If it stands between several, say '
                "--answer-separator '|'"
            )
        if self.empty:
            yield (
                f"{name}: {counted(self.empty, 'empty answer reads', 'empty answers read')} as a refusal, since some "
                f"questions of {self.gold.name if self.gold else ''} have no answer"
            )
        used = {*(self.reading.names.values() if self.reading else ()), *self.options.by, self.options.cluster}
        if scores := [column for column in self.columns if column not in used and _SCORE.search(column)]:
            yield (
                f"{name}: {counted(len(scores), 'column of scores is', 'columns of scores are')} not used: "
                f"{', '.join(scores)}; answers are compared with the true answers alone"
            )
        if self.gold and len(self.asked) < self._questions:
            lacking = self._questions - len(self.asked)
            yield f"{name}: {lacking:,} of {self._questions:,} questions of {self.gold.name} have no answer"
        if (
            not frame.filter(pl.col("ability") == QUESTION_ANSWERING, pl.col("slots").is_not_null()).height
            and (frame["ability"] == QUESTION_ANSWERING).any()
        ):
            kept = " or ".join(self.layout.columns.get("answer", ()))
            where = f", which such files hold in {kept}" if kept else ""
            yield f"{name}: no answer has a true one to compare with{where}; name a file of them with --gold FILE"


def _barred(frame: pl.DataFrame) -> int:
    """How many true answers hold a bar between words."""
    aliases = pl.col("slots").list.explode(empty_as_null=False).list.explode(empty_as_null=False)
    return int(frame.select(aliases.str.contains(" | ", literal=True).sum()).item())


def _lacking(place: str, lacking: Mapping[str, str], found: Mapping[str, None]) -> DataError:
    """The error of a file that lacks columns; that of abilities has one value in most evaluations."""
    others = {name: theirs for name, theirs in lacking.items() if name != "ability"}
    error = missing_columns(place, others or lacking, found)
    if len(others) < len(lacking):
        plain = f"{named('constant')} ability={QUESTION_ANSWERING}"
        error.fix = f"{error.fix} {plain}" if others else plain
    if "response" in others and "answer" in found:
        error.fix = f"a file of answers, with {named('gold')} {place} beside it"
    if looks := resembled(found):
        error.found = f"{error.found}; {looks}"
    return error


def together(files: Sequence[Answers]) -> pl.DataFrame:
    """The answers of several files as one table. Raises DataError where two files hold an answer to the same."""
    frame = pl.concat([one.frame for one in files])
    twice = frame.filter(pl.struct(_KEYS).is_duplicated())
    if twice.height:
        names = ", ".join(one.name for one in files)
        raise DataError(f"{names}: expected {_ONE}; two files hold one of {keys_said(twice.row(0, named=True), _KEYS)}")
    return frame
