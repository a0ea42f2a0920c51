"""Results of crowdsourcing platforms: flat tables with a row per worker and task, and a column per question.

Each platform is declared in crowd_tables.toml.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import polars as pl

from adjudge.readers.io.json_documents import json_value
from adjudge.readers.io.source import Format, Source
from adjudge.readers.labels.annotation_export import Sheet, answer_text, parts_of
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import ROW, as_text, collect, is_flat, schema_of
from adjudge.text.toml_files import packaged

_TRUTHS = ("true", "false")


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform's table.

    needed: columns by which it is known. names: Adjudge's column -> the table's. questions: patterns of names of
    columns that hold answers, of which the first that fits any counts; group 1, where there is one, is the answers'
    column.
    reference: the name of the column with the trusted answer, {} standing for that of the question's column less its
    prefix. inputs: how columns begin that are the item together, where there is no column for it. refused: a column,
    and the value that says that the platform's user refused what the worker did. aggregated: the annotator where
    workers' answers are one.
    """

    name: str
    said: str
    needed: Sequence[str]
    names: Mapping[str, str]
    questions: Sequence[str]
    ending: str = ".csv"
    prefix: str = ""
    reference: str = ""
    inputs: str = ""
    refused: Sequence[str] = ("", "")
    aggregated: str = ""

    def read(self, found: Opened[Options]) -> Parts:
        """The table as judgments. What was refused counts, with a warning."""
        rows = _as_texts(found)
        names = schema_of(found.source, rows).names()
        columns = self._questions(names)
        rows, columns = _forms(found.source, rows, columns)
        rows, columns = _ticked(found.source, rows, columns)
        own = dict(self.names)
        shown = [name for name in names if self.inputs and name.startswith(self.inputs)]
        if shown and own["item"] not in names:
            rows = rows.with_columns(pl.concat_str(shown, separator=" ", ignore_nulls=True).alias(own["item"]))
        if self.aggregated:
            rows = rows.with_columns(pl.lit(self.aggregated).alias("annotator"))
            own["annotator"] = "annotator"
        trusted = {name: self.reference.format(name.removeprefix(self.prefix)) for name in columns}
        trusted = {name: theirs for name, theirs in trusted.items() if theirs in names}
        rows = reduce(lambda some, pair: _with_one_answer(some, *pair), trusted.items(), rows)
        told = list(self._refused(found.source, rows, names))
        return parts_of(Sheet(found.source, rows, own, columns, trusted, told=told), found.options)

    def recognises(self, found: Opened[Options]) -> bool:
        """Whether a table has the columns by which it is known."""
        return set(self.needed) <= set(found.names)

    def _questions(self, names: Sequence[str]) -> list[str]:
        """The columns that hold answers."""
        for pattern in self.questions:
            fits = (re.fullmatch(pattern, name) for name in names)
            if found := [fit[1] if fit.re.groups else fit[0] for fit in fits if fit]:
                return [name for name in found if name in names]
        return []

    def _refused(self, source: Source, rows: pl.LazyFrame, names: Sequence[str]) -> Iterator[str]:
        column, value = self.refused
        if column in names:
            said = pl.col(column).str.to_lowercase() == value.lower()
            count = collect(source, rows.select(said.sum())).item() or 0
            if count:
                yield f"{source.name}: rows with {column} {value} count like the others: {count:,}"


def _as_texts(found: Opened[Options]) -> pl.LazyFrame:
    """The rows as text: of Parquet, or from Python, answers may be numbers or true and false."""
    rows = found.rows([])
    schema = schema_of(found.source, rows)
    texts = (as_text(pl.col(name), one).alias(name) for name, one in schema.items() if name != ROW and is_flat(one))
    return rows.select(ROW, *texts)


def _forms(source: Source, rows: pl.LazyFrame, columns: Sequence[str]) -> tuple[pl.LazyFrame, list[str]]:
    """The rows with a column for each question of forms whose answers stand in one cell, as JSON.

    [{"tone": {"kind": true, "rude": false}}] in Answer.taskAnswers is the answer kind in Answer.tone. Also the columns
    of answers as they are now.
    """
    cells = collect(source, rows.select(columns)) if columns else pl.DataFrame()
    made: dict[str, list[str | None]] = {}
    packed = [name for name in columns if (cells[name].str.starts_with("[{") | cells[name].is_null()).all()]
    packed = [name for name in packed if cells[name].count()]
    for name in packed:
        for place, cell in enumerate(cells[name]):
            answers = json_value(cell) if cell else None
            for one in answers if isinstance(answers, list) else ():
                for question, answer in one.items() if isinstance(one, dict) else ():
                    column = made.setdefault(f"{name.rpartition('.')[0]}.{question}", [None] * cells.height)
                    column[place] = _chosen(answer)
    kept = [name for name in columns if name not in packed]
    if not made or not made.keys().isdisjoint(kept):
        return rows, list(columns)
    both = collect(source, rows).with_columns(pl.Series(name, texts, pl.String) for name, texts in made.items())
    return both.lazy(), [*kept, *made]


def _chosen(answer: object) -> str | None:
    """The answer of a form to one question: what is ticked, the label of a classifier, or a text."""
    if isinstance(answer, dict) and set(map(type, answer.values())) == {bool}:
        return ", ".join(sorted(name for name, ticked in answer.items() if ticked)) or None
    return answer_text(answer["label"] if isinstance(answer, dict) and answer.keys() == {"label"} else answer)


def _ticked(source: Source, rows: pl.LazyFrame, columns: Sequence[str]) -> tuple[pl.LazyFrame, list[str]]:
    """The rows with one column for each question that has a column per choice, which is true where it was ticked.

    So are the buttons and boxes of a form: Answer.tone.kind and Answer.tone.rude become Answer.tone. Of several choices
    ticked all stand in the answer. Also the columns of answers as they are now.
    """
    boxes: dict[str, dict[str, str]] = {}
    for name in columns:
        question, _, choice = name.rpartition(".")
        boxes.setdefault(question, {})[name] = choice
    every = [name for own in boxes.values() if len(own) > 1 for name in own]
    if not every:
        return rows, list(columns)
    checks = (pl.col(name).str.to_lowercase().is_in(_TRUTHS).all() for name in every)
    sound = collect(source, rows.select(checks)).row(0, named=True)
    asked = {name: own for name, own in boxes.items() if len(own) > 1 and all(map(sound.__getitem__, own))}
    made = [_choices(own).alias(question) for question, own in asked.items()]
    taken = {name for own in asked.values() for name in own}
    return rows.with_columns(made), [*asked, *(name for name in columns if name not in taken)]


def _choices(boxes: Mapping[str, str]) -> pl.Expr:
    """The choices that are ticked. boxes: column -> its choice."""
    ticked = [
        pl.when(pl.col(name).str.to_lowercase() == "true").then(pl.lit(choice))
        for name, choice in sorted(boxes.items(), key=lambda one: one[1])
    ]
    return pl.concat_str(ticked, separator=", ", ignore_nulls=True)


def _with_one_answer(rows: pl.LazyFrame, column: str, trusted: str) -> pl.LazyFrame:
    """The rows, where a test question that accepts several answers, a line each, has the first of them.

    So have the judgments that give one of the others.
    """
    accepted = pl.col(trusted).str.split("\n")
    right = accepted.list.contains(pl.col(column)) | (pl.col(column) == pl.col(trusted))
    first = accepted.list.first()
    answer = pl.when(right & (accepted.list.len() > 1)).then(first).otherwise(column)
    return rows.with_columns(answer.alias(column), first.alias(trusted))


PLATFORMS = tuple(Platform(name, **said) for name, said in packaged(__package__, "crowd_tables.toml").items())

FORMAT = tuple(
    Format(one.name, "reliability", one.read, one.recognises, endings=(one.ending,), said=one.said) for one in PLATFORMS
)
