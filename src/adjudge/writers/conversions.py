"""How a file of each evaluation becomes one in Adjudge's own form."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

from adjudge.readers.answers import answers
from adjudge.readers.answers.answer_rows import response
from adjudge.readers.answers.gold_answers import read_gold
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import Source
from adjudge.readers.pairs import pairs as pair_reader
from adjudge.readers.pairs.annotated_pairs import annotated_pairs_json
from adjudge.readers.pairs.columnar import write_columnar
from adjudge.readers.preferences import preferences as reader
from adjudge.readers.preferences.preferences import LONG
from adjudge.readers.tables import height_of
from adjudge.schemas.columns import constant_columns, mapped_columns
from adjudge.schemas.outcomes import OUTCOME, REPLY
from adjudge.schemas.pairs import AnnotatedPairs
from adjudge.schemas.preferences import TEXTS, make_task
from adjudge.writers.judgments import judgments_to_write
from adjudge.writers.options import ConvertOptions
from adjudge.writers.tables import FLAT, NESTED, Writable, further_columns, writable
from adjudge.writers.violations import violations_to_write


def write_pairs(pairs: AnnotatedPairs, path: Path, ending: str) -> int:
    """Stream a data set into a file; returns how many pairs it holds. ending: what the file's name will end with."""
    if ending == ".parquet":
        write_columnar(pairs, path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(annotated_pairs_json(pairs))
    return height_of(pairs.frame)


def pairs_to_write(source: Source, options: ConvertOptions) -> Writable:
    """The pairs of a file. Raises DataError with all that is wrong with it."""
    names = (options.columns, options.annotator_columns, options.vote_values)
    drop = options.on_invalid == "drop"
    pairs = pair_reader.read_pairs(source, pair_reader.Options(*names, drop=drop, exact_labels=options.exact_labels))
    return Writable(height_of(pairs.frame), pairs.warnings, partial(write_pairs, pairs))


def preferences_to_write(source: Source, options: ConvertOptions) -> Writable:
    """The items of a file, with its further columns. Raises DataError with all that is wrong with it."""
    task = make_task(options.criteria or reader.criteria_in(source, options.columns), options.labels)
    known = [*reader.known_columns(task), *map(reader.file_column, task.reply_columns)]
    how = reader.Options(
        task,
        mapped_columns(options.columns, reader.known_columns(task), constants=constant_columns(options)),
        drop=options.on_invalid == "drop",
        exact_labels=options.exact_labels,
    )
    further, left = further_columns(source, how, "preferences", known, reserved=())
    read = reader.read_all(source, replace(how, by=further))
    words = dict(enumerate((None, *task.labels)))
    frame = read.frame.with_columns(pl.col(task.label_columns).replace_strict(words, return_dtype=pl.String))
    said = ["id", *TEXTS, *task.label_columns, *task.why_columns, *task.reply_columns]
    columns = [name for name in said if name in {"id", *task.label_columns} or frame[name].count()]
    written = frame.lazy().select(*(pl.col(name).alias(reader.file_column(name)) for name in columns), *further)
    return writable(read.rows, written, (*read.warnings, *left))


_ANSWER_COLUMNS = {name: name for name in ("id", "ability", "model", "noise_ratio", "draw", "response")}
_ANSWER_COLUMNS |= {"answer": "slots", "counterfactual": "false", OUTCOME: REPLY}
"""Key of a row -> column of ANSWERS."""


def answers_to_write(source: Source, options: ConvertOptions) -> Writable:
    """The answers of a file. Raises DataError with all that is wrong with it.

    True answers are lists of slots, each a list of aliases, so that nobody has to say which of both a list is.
    """
    how = answers.Options(
        mapped_columns(options.columns, answers.KNOWN_COLUMNS, constants=constant_columns(options)),
        drop=options.on_invalid == "drop",
        lists=options.answer_lists,
        separator=options.answer_separator,
        gold=None if options.gold is None else read_gold(source_beside(options.gold, options.reading)),
    )
    read = answers.read_answers(source, how)
    _, left = further_columns(source, how, "rag", (*answers.KNOWN_COLUMNS, OUTCOME))
    # A response must read as it is: one in which a tag is left gets empty reasoning, which alone is cut off again.
    texts = [text if response(text) == text else f"<think></think>{text}" for text in read.frame["response"]]
    none = pl.when("closed").then(pl.lit([], pl.List(pl.String))).alias("documents")
    columns = [pl.col(theirs).alias(key) for key, theirs in _ANSWER_COLUMNS.items()]
    frame = read.frame.with_columns(pl.Series("response", texts, pl.String)).lazy().select(*columns, none)
    return writable(read.rows, frame, (*read.warnings, *left), always=("response",))


@dataclass(frozen=True, slots=True)
class Conversion:
    """How files of an evaluation are converted.

    what: they hold. unit: what a row of it is. endings: of the files that can be written. options: those of
    `adjudge.convert` that concern this evaluation, among those that do not concern all. holds: whether a flat table
    with some of Adjudge's columns is one of this evaluation. read: what a file holds.
    """

    what: str
    unit: str
    endings: Collection[str]
    options: tuple[str, ...]
    holds: Callable[[Collection[str]], bool]
    read: Callable[[Source, ConvertOptions], Writable]


def _hold_violations(columns: Collection[str]) -> bool:
    return "id" in columns and ({"start", "end"} <= {*columns} or "context" in columns)


def _hold_preferences(columns: Collection[str]) -> bool:
    return "id" in columns and (any(name.endswith("_preference") for name in columns) or {*LONG[:2]} <= {*columns})


CONVERSIONS: Mapping[str, Conversion] = {
    "annotations": Conversion(
        "pairs",
        "pair",
        (".json", ".parquet"),
        ("annotator_columns", "vote_values", "exact_labels"),
        lambda _: False,  # its formats recognise tables themselves
        pairs_to_write,
    ),
    "rag": Conversion(
        "answers",
        "answer",
        NESTED,
        ("gold", "answer_lists", "answer_separator"),
        lambda columns: {"id", "ability", "response"} <= {*columns},
        answers_to_write,
    ),
    "violations": Conversion("violations", "line", NESTED, ("offset_base",), _hold_violations, violations_to_write),
    "reliability": Conversion(
        "judgments",
        "judgment",
        FLAT,
        ("annotator_columns", "exact_labels", "flag_values", "vote_separator"),
        lambda columns: {"item", "label"} <= {*columns},
        judgments_to_write,
    ),
    "preferences": Conversion(
        "preferences", "item", FLAT, ("criteria", "labels", "exact_labels"), _hold_preferences, preferences_to_write
    ),
}
"""By evaluation, in the order in which they are asked whether a file is theirs."""
