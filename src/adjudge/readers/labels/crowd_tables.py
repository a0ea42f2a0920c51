"""Results of crowdsourcing platforms: flat tables with a row per worker and task, and a column per question.

Each platform is declared in crowd_tables.toml.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl

from adjudge.readers.io.json_documents import json_value
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Sheet, answer_text, parts_of
from adjudge.readers.labels.judgments import Options, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import ROW, as_text, collect, is_flat, schema_of
from adjudge.text.toml_files import packaged


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
        table = _as_texts(found)
        table, columns = _ticked(*_forms(table, self._questions(table.columns)))
        names = dict(self.names)
        shown = [name for name in table.columns if self.inputs and name.startswith(self.inputs)]
        if shown and names["item"] not in table.columns:
            table = table.with_columns(pl.concat_str(shown, separator=" ", ignore_nulls=True).alias(names["item"]))
        if self.aggregated:
            names["annotator"] = "annotator"
            table = table.with_columns(annotator=pl.lit(self.aggregated))
        trusted = {name: self.reference.format(name.removeprefix(self.prefix)) for name in columns}
        trusted = {name: theirs for name, theirs in trusted.items() if theirs in table.columns}
        for name, theirs in trusted.items():
            table = _with_one_answer(table, name, theirs)
        told, (column, value) = [], self.refused
        if column in table.columns and (count := int((table[column].str.to_lowercase() == value.lower()).sum())):
            told.append(f"{found.source.name}: rows with {column} {value} count like the others: {count:,}")
        return parts_of(Sheet(found.source, table.lazy(), names, columns, trusted, told=told), found.options)

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


def _as_texts(found: Opened[Options]) -> pl.DataFrame:
    """The rows as text: of Parquet, or from Python, answers may be numbers or true and false."""
    rows = found.rows([])
    types = schema_of(found.source, rows)
    texts = (
        as_text(pl.col(name), dtype).alias(name) for name, dtype in types.items() if name != ROW and is_flat(dtype)
    )
    return collect(found.source, rows.select(ROW, *texts))


def _forms(table: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The table with a column for each question of forms whose answers stand in one cell, as JSON.

    [{"tone": {"kind": true, "rude": false}}] in Answer.taskAnswers is the answer kind in Answer.tone. Also the columns
    of answers as they are now.
    """
    answers: dict[str, list[str | None]] = {}
    packed = [name for name in columns if table[name].count() and table[name].drop_nulls().str.starts_with("[{").all()]
    for name in packed:
        for row, cell in enumerate(table[name]):
            value = json_value(cell) if cell else None
            forms = [form for form in value if isinstance(form, dict)] if isinstance(value, list) else []
            for question, answer in chain.from_iterable(form.items() for form in forms):
                column = answers.setdefault(f"{name.rpartition('.')[0]}.{question}", [None] * table.height)
                column[row] = _chosen(answer)
    others = [name for name in columns if name not in packed]
    if not answers or not answers.keys().isdisjoint(others):
        return table, list(columns)
    return table.with_columns(pl.Series(name, texts, pl.String) for name, texts in answers.items()), [*others, *answers]


def _chosen(answer: object) -> str | None:
    """The answer of a form to one question: what is ticked, the label of a classifier, or a text."""
    if isinstance(answer, dict) and set(map(type, answer.values())) == {bool}:
        return ", ".join(sorted(name for name, ticked in answer.items() if ticked)) or None
    return answer_text(answer["label"] if isinstance(answer, dict) and answer.keys() == {"label"} else answer)


def _ticked(table: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The table with one column for each question that has a column per choice, which is true where it was ticked.

    So are the buttons and boxes of a form: Answer.tone.kind and Answer.tone.rude become Answer.tone. Of several choices
    ticked all stand in the answer. Also the columns of answers as they are now.
    """
    boxes: dict[str, dict[str, str]] = {}
    for name in columns:
        question, _, choice = name.rpartition(".")
        if table[name].str.to_lowercase().is_in(["true", "false"]).all():
            boxes.setdefault(question, {})[name] = choice
    siblings = Counter(name.rpartition(".")[0] for name in columns)
    asked = {question: own for question, own in boxes.items() if len(own) == siblings[question] > 1}
    ticked = [
        pl.concat_str(
            [
                pl.when(pl.col(name).str.to_lowercase() == "true").then(pl.lit(own[name]))
                for name in sorted(own, key=lambda name: own[name])
            ],
            separator=", ",
            ignore_nulls=True,
        ).alias(question)
        for question, own in asked.items()
    ]
    taken = {name for own in asked.values() for name in own}
    return table.with_columns(ticked), [*asked, *(name for name in columns if name not in taken)]


def _with_one_answer(table: pl.DataFrame, column: str, trusted: str) -> pl.DataFrame:
    """The table, where a test question that accepts several answers, a line each, has the first of them.

    So have the judgments that give one of the others.
    """
    accepted = pl.col(trusted).str.split("\n")
    right = accepted.list.contains(pl.col(column)) | (pl.col(column) == pl.col(trusted))
    first = accepted.list.first()
    answer = pl.when(right & (accepted.list.len() > 1)).then(first).otherwise(column)
    return table.with_columns(answer.alias(column), first.alias(trusted))


PLATFORMS = tuple(Platform(name, **said) for name, said in packaged(__package__, "crowd_tables.toml").items())

FORMAT = tuple(
    Format(one.name, "reliability", one.read, one.recognises, endings=(one.ending,), said=one.said) for one in PLATFORMS
)
