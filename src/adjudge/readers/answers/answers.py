"""What models answered: JSON lines, or any table, with a row per answer, or what tools that evaluate answers write.

id, ability, model, noise_ratio, response, answer, counterfactual, draw, documents; others are kept where asked for.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import polars as pl

from adjudge.errors import DataError, named
from adjudge.readers.answers.answer_rows import Reading
from adjudge.readers.answers.answer_tables import Layout, resembled
from adjudge.readers.answers.gold_answers import Gold
from adjudge.readers.answers.prompts import questions_of
from adjudge.readers.io.json_documents import Objects, cell_text
from adjudge.readers.io.source import Source
from adjudge.readers.parsed_input import Opened, format_of, opened
from adjudge.readers.problems import Findings, counted, keys_said
from adjudge.readers.tables import ROW, missing_columns, plain_batches
from adjudge.schemas.answers import QUESTION_ANSWERING, AnswerLists, Answers
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
        self.source, self.options, self.layout, self.gold = found.source, found.options, layout, found.options.gold
        self.findings = Findings("answer")
        self.columns: dict[str, None] = {}
        self.reading: Reading | None = None
        self.rows = self.short = self.flat = self.empty = self.strays = 0
        self.stray, self.unit = "", "row"
        self.asked: set[int] = set()

    def answers(self) -> Answers:
        """The answers, all checked."""
        batches = self.layout.batches() if self.layout.batches else plain_batches(self.source)
        frames = list(map(self._frame, batches))
        name = self.source.name
        if not self.rows or self.reading is None:
            raise DataError(f"{name}: expected at least one answer; got none")
        names = self.reading.names
        self._check_columns(names)
        if self.gold and self.strays == self.rows:
            raise DataError(
                f"{name}: expected answers to questions of {self.gold.name}; none of its ids "
                f"is one of them{self.layout.hint}{near_miss([self.stray], self.gold.by_id)}"
            )
        frame, told = self._numbered(pl.concat(frames), names["id"])
        frame = self.findings.once(frame, _KEYS, ROW, f"{name}, {self.unit}s", _ONE).drop(ROW)
        dropped = self.findings.settle(drop=self.options.drop)
        if frame.is_empty():
            raise DataError(f"{name}: no answer is left{' after dropping' if self.findings.dropped else ''}")
        questions = len(self.gold.rows) if self.gold else 0
        warnings = (*dropped, *told, *self._warnings(frame, {*names.values(), *self.options.by, self.options.cluster}))
        return Answers(name, frame, self.rows, warnings, questions, partial(questions_of, self.source, names), names)

    def _frame(self, objects: Objects) -> pl.DataFrame:
        """The rows of records that are sound."""
        records = objects.plain()
        self.columns |= dict.fromkeys(chain.from_iterable(records))
        self.rows += len(records)
        self.unit = objects.unit
        reading = self.reading = self.reading or self._reading()
        if self.gold:
            objects = self._with_true_answers(objects, self.gold, reading.names)
        frame, flat = reading.frame(objects, self.findings)
        self.flat += flat
        if REACHED in self.columns:
            sound, noise = set(frame[ROW]), reading.names["noise_ratio"]
            reached = zip(objects.numbers, objects.values, strict=True)
            self.short += sum(
                one.get(REACHED) not in (None, one.get(noise)) for number, one in reached if number in sound
            )
        return frame

    def _reading(self) -> Reading:
        options, layout = self.options, self.layout
        names = {**layout.names(KNOWN_COLUMNS, self.columns), **options.columns}
        model = options.model or self.source.stem
        lists = layout.lists or options.lists
        return Reading(names, layout.fixed, options.by, options.cluster, model, lists, options.separator or "")

    def _with_true_answers(self, objects: Objects, gold: Gold, names: Mapping[str, str]) -> Objects:
        """Records with the true answers to their questions; those whose question is none are problems, and left out."""
        joined: dict[int, Mapping[str, Any]] = {}
        for number, record in zip(objects.numbers, objects.values, strict=True):
            at = gold.place(record.get(names["id"]))
            if at is None:
                self.strays, self.stray = self.strays + 1, cell_text(record.get(names["id"])) or "nothing"
                place = f"{objects.name}, {objects.unit} {number}, {names['id']}"
                self.findings.add(f"{place}: {gold.unknown(self.stray)}", dropped=1)
                continue
            self.asked.add(at)
            true = {names.get(name, name): value for name, value in gold.rows[at].items() if name != "id"}
            is_empty = gold.refusals and record.get(names["response"]) == ""
            self.empty += is_empty
            joined[number] = {**record, **true, **({names["response"]: _NO_ANSWER} if is_empty else {})}
        return replace(objects, numbers=[*joined], values=[*joined.values()])

    # --- what is wrong, and what was done ---

    def _check_columns(self, names: Mapping[str, str]) -> None:
        """Raises DataError for all columns that are lacking, OptionError for one that an option names."""
        options = self.options
        there = {**self.columns, **dict.fromkeys(self.gold.columns if self.gold else ())}
        check_column_exists(self.source.name, requested_columns(options.by, options.cluster, options.columns), there)
        needed = [one for one in (*_NEEDED, *options.columns) if one not in self.layout.fixed]
        if lacking := {one: names[one] for one in needed if names[one] not in there and one not in there}:
            raise _lacking(self.source.name, lacking, self.columns)

    def _numbered(self, frame: pl.DataFrame, id_column: str) -> tuple[pl.DataFrame, list[str]]:
        """Answers to one question as draws, where ids are those of questions; and what is said of it."""
        twice = frame.select(_KEYS).is_duplicated()
        if id_column not in self.layout.questions or "id" in self.options.columns or not twice.any():
            return frame, []
        asked = counted(frame.filter(twice)["id"].n_unique(), "question is", "questions are")
        draw = pl.int_range(1, pl.len() + 1).over(_KEYS).cast(pl.String)
        told = f"{self.source.name}: {asked} answered more than once; each further answer counts as another draw"
        return frame.with_columns(draw=draw), [told]

    def _warnings(self, frame: pl.DataFrame, used: set[str | None]) -> Iterator[str]:
        """What was done to the answers, and what is not used of them."""
        name, gold, barred = self.source.name, self.gold, _barred(frame) if self.options.separator is None else 0
        scores = [column for column in self.columns if column not in used and _SCORE.search(column)]
        tested = frame.filter(ability=QUESTION_ANSWERING)
        kept = " or ".join(self.layout.columns.get("answer", ()))
        where = f", which such files hold in {kept}" if kept else ""
        questions = len(gold.rows) if gold else 0
        unasked = questions - len(self.asked)
        told = {
            f"{self.short:,} of {self.rows:,} answers are to prompts whose documents did not reach the noise that was "
            "asked for (reached_noise), and count under what was asked for; --columns noise_ratio=reached_noise counts "
            "them under what was reached": self.short,
            f"{counted(self.flat, 'true answer is', 'true answers are')} a list of several texts, each of which the "
            "response must hold (--answer-lists slots). If they are spellings of one answer, say --answer-lists "
            "aliases": self.flat,
            f'{counted(barred, "true answer holds", "true answers hold")} " | ", each of which counts as one text. If '
            "it stands between several, say --answer-separator '|'": barred,
            f"{counted(self.empty, 'empty answer reads', 'empty answers read')} as a refusal, since some questions of "
            f"{gold.name if gold else ''} have no answer": self.empty,
            f"{counted(len(scores), 'column of scores is', 'columns of scores are')} not used: {', '.join(scores)}; "
            "answers are compared with the true answers alone": scores,
            f"{unasked:,} of {questions:,} questions of {gold.name if gold else ''} have no answer": unasked,
            f"no answer has a true one to compare with{where}; name a file of them with --gold FILE": tested.height
            and not tested["slots"].count(),
        }
        yield from (f"{name}: {message}" for message, count in told.items() if count)


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
