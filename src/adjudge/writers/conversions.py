"""Conversion of each evaluation's files to Adjudge's own form, written in batches."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.answers import answers
from adjudge.readers.answers.answer_rows import response
from adjudge.readers.answers.answers import read_gold
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import How, Source
from adjudge.readers.labels import judgments as label_reader
from adjudge.readers.pairs import pairs as pair_reader
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.preferences import preferences as reader
from adjudge.readers.problems import count_words, listed
from adjudge.readers.spans import violations as mark_reader
from adjudge.readers.spans.span_records import FURTHER, LINE, check_spans
from adjudge.readers.spans.violations import every_line
from adjudge.readers.tables import height_of, is_flat
from adjudge.schemas import judgments
from adjudge.schemas.columns import mapped_columns
from adjudge.schemas.outcomes import OUTCOME, REPLY, UNANSWERED
from adjudge.schemas.preferences import TEXTS, make_task
from adjudge.schemas.violations import ID, INVENTED, SEVERITY, TEXT, TEXT_PARTS
from adjudge.writers.options import ConvertOptions
from adjudge.writers.pair_files import write_pairs

FLAT = (".csv", ".tsv", ".jsonl", ".parquet")
"""Endings of flat tables."""
NESTED = (".jsonl", ".parquet")
"""Endings of tables whose columns may hold lists."""


@dataclass(frozen=True)
class Writable:
    """The content of a file, ready to be written.

    rows: number of rows in the file. warnings: about the file. write: takes a path and the ending of its final name,
    and returns the number of rows written.
    """

    rows: int
    warnings: tuple[str, ...]
    write: Callable[[Path, str], int]


def _write(frame: pl.LazyFrame, path: Path, ending: str) -> int:
    """Write a table of text, or of lists. Texts are unescaped: the file is data, not a spreadsheet."""
    if ending == ".parquet":
        frame.sink_parquet(path)
    elif ending == ".jsonl":
        frame.sink_ndjson(path)
    else:
        frame.sink_csv(path, separator="\t" if ending == ".tsv" else ",")
    return height_of(frame)


def _further_columns(
    source: Source,
    how: How,
    evaluation: str,
    known: Iterable[str],
    tables: Collection[str] = (),
    reserved: Collection[str] | None = None,
) -> tuple[list[str], list[str]]:
    """The columns unknown to Adjudge: those to write too, and a warning that names the others.

    They are those of a flat table, or of one of the evaluation's formats in `tables`. known: Adjudge's columns, and
    others with a meaning. reserved: names that no such column can have; by default none is written.
    """
    file = opened(source, how)
    if (form := format_of(evaluation, file)) and form.name not in tables:
        return [], []
    theirs = {own: file.file_column(own) for own in known}
    used = {part for own, name in theirs.items() for part in (own, name, *name.replace("/", "+").split("+"))}
    others = [name for name in file.names if name not in used]
    if file.is_json:
        nested = {name for record in file.first for name, value in record.items() if isinstance(value, list | dict)}
    else:
        nested = {name for name in others if not is_flat(file.schema[name])}
    written = [] if reserved is None else [name for name in others if name not in {*nested, *reserved}]
    unwritten = [name for name in others if name not in written]
    return written, [f"{source.name}: columns that are not written: {listed(unwritten, 8)}"] if unwritten else []


def _columns(options: ConvertOptions, known: Sequence[str]) -> dict[str, str]:
    """Adjudge's column -> the file's, including constants."""
    return mapped_columns(options.columns, known, constants=options.constant)


# --- pairs ---


def _pairs(source: Source, options: ConvertOptions) -> Writable:
    pairs = pair_reader.read_pairs(source, pair_reader.PairReading.of(options))
    return Writable(height_of(pairs.frame), pairs.warnings, partial(write_pairs, pairs))


# --- preferences ---


def _preferences(source: Source, options: ConvertOptions) -> Writable:
    task = make_task(options.criteria or reader.criteria_in(source, options.columns), options.labels)
    known = [*reader.known_columns(task), *task.reply_columns]
    how = reader.PreferenceReading.of(options, task=task, columns=_columns(options, reader.known_columns(task)))
    further, unwritten = _further_columns(source, how, "preferences", known, reserved=())
    read = reader.read_all(source, replace(how, by=further))
    words = dict(enumerate((None, *task.labels)))
    frame = read.frame.with_columns(pl.col(task.label_columns).replace_strict(words, return_dtype=pl.String))
    order = ("id", *TEXTS, *task.label_columns, *task.why_columns, *task.reply_columns)
    written = [name for name in order if name in {"id", *task.label_columns} or frame[name].count()]
    texts = frame.lazy().select(*written, *further)
    return Writable(read.rows, (*read.warnings, *unwritten), partial(_write, texts))


# --- answers ---

_ANSWER_COLUMNS = {name: name for name in ("id", "ability", "model", "noise_ratio", "draw", "response")}
_ANSWER_COLUMNS |= {"answer": "slots", "counterfactual": "false", OUTCOME: REPLY}
"""Key of a row -> column of ANSWERS."""


def _answers(source: Source, options: ConvertOptions) -> Writable:
    """Answers. True ones are lists of slots, each a list of aliases, so that a list is unambiguous."""
    mapped = _columns(options, answers.KNOWN_COLUMNS)
    gold = None if options.gold is None else read_gold(source_beside(options.gold, options.reading, mapped))
    how = answers.AnswerReading.of(options, columns=mapped, gold=gold)
    read = answers.read_answers(source, how)
    _, unwritten = _further_columns(source, how, "rag", (*answers.KNOWN_COLUMNS, OUTCOME))
    # A response must read back unchanged: one with a tag gets empty reasoning, which reading removes.
    texts = [text if response(text) == text else f"<think></think>{text}" for text in read.frame["response"]]
    none = pl.when("closed").then(pl.lit([], pl.List(pl.String))).alias("documents")
    columns = [pl.col(theirs).alias(key) for key, theirs in _ANSWER_COLUMNS.items()]
    frame = read.frame.with_columns(pl.Series("response", texts, pl.String)).select(*columns, none)
    filled = [name for name in frame.columns if name == "response" or frame[name].count()]
    return Writable(read.rows, (*read.warnings, *unwritten), partial(_write, frame.lazy().select(filled)))


# --- judgments ---

_OWN = ("label", "flagged", "skipped")
_TRUSTED = ("reference_label", "reference_flagged", "reference_skipped")


def _judgments(source: Source, options: ConvertOptions) -> Writable:
    columns, flag_values = _columns(options, judgments.TEXT), options.flag_values or judgments.FLAGS
    how = label_reader.JudgmentReading.of(options, columns=columns, flag_values=flag_values, labels=(), untrusted=True)
    # the last three are win-tie-loss JSON's own keys of items
    known = [*judgments.TEXT, *how.annotator_columns, "id", "output_values", "QC"]
    further, unwritten = _further_columns(
        source, how, "reliability", known, {"wide", "win-tie-loss"}, {*_OWN, *_TRUSTED}
    )
    read = label_reader.read_judgments([source], replace(how, by=further))
    frame, warnings = _with_trusted(source.name, read)
    if frame.is_empty():
        raise DataError(f"{source.name}: no judgment is left after dropping")
    rows = read.frame.height + sum(read.dropped.values())
    table = _long_table(frame, flags=read.flags_known)
    return Writable(rows, (*read.warnings, *warnings, *unwritten), partial(_write, table))


def _with_trusted(name: str, read: label_reader.Judgments) -> tuple[pl.DataFrame, list[str]]:
    """All judgments, with references in columns; and warnings. Raises DataError if an item has several references."""
    frame, references = read.frame, read.references
    if references is None:
        return frame, []
    if references["item"].is_duplicated().any():
        raise DataError(
            f"{name}: several annotators are the reference of one item, of which a table holds one",
            fix="a file with one reference per item",
        )
    reference_columns = references.select(
        "item", *(pl.col(own).alias(one) for own, one in zip(_OWN, _TRUSTED, strict=True))
    )
    alone = reference_columns.join(frame, on="item", how="anti").height
    items = count_words(alone, "item has", "items have")
    warnings = [f"{name}: {items} a reference but no annotator's judgment, and are not written"] if alone else []
    return frame.join(reference_columns, on="item", how="left", maintain_order="left"), warnings


def _long_table(frame: pl.DataFrame, *, flags: bool) -> pl.LazyFrame:
    """The judgments as text, with the names of a long table and without empty columns."""
    columns = {name: pl.col(name) for name in judgments.NEEDED}
    for prefix, (label, flagged, skipped) in (("", _OWN), ("reference_", _TRUSTED)):
        if label not in frame.columns:
            continue
        yes_or_no = pl.when(flagged).then(pl.lit("yes")).otherwise(pl.lit("no"))
        if prefix:
            columns["reference"] = pl.col(label)
            yes_or_no = pl.when(~judgments.NO_REFERENCE).then(yes_or_no)
        if flags:
            columns[f"{prefix}flag"] = yes_or_no
        if frame[skipped].any():
            columns[f"{prefix}skipped"] = pl.when(skipped).then(pl.lit("true"))
    columns |= {name: pl.col(name) for name in frame.columns if name not in (*_OWN, *_TRUSTED, *columns)}
    return frame.lazy().select(column.cast(pl.String).alias(name) for name, column in columns.items())


# --- violations ---

_KEYS = (ID, "annotator", "checker")
_FIRST = "__first__"


def _violations(source: Source, options: ConvertOptions) -> Writable:
    """Violations. Offsets count from 0, and replace quotes."""
    how = mark_reader.SpanReading.of(options, columns=_columns(options, mark_reader.KNOWN_COLUMNS), predictions=True)
    raw = mark_reader.read_raw(source, how)
    frame, lines, texts = every_line(raw)
    predicted = raw.lines["checker"].count() + raw.spans[INVENTED].count() > 0
    spans, warnings = check_spans(raw, lines, texts, replace(how, predictions=predicted))
    dropped = raw.settle(drop=how.drop)
    written = _marked_lines(frame, spans, texts)
    if not written[ID].count():
        raise DataError(f"{source.name}: no text is left after dropping")
    filled = [name for name in written.columns if name == mark_reader.VIOLATIONS or written[name].count()]
    tables, known = (mark_reader.VIOLATIONS, "spans"), (*mark_reader.KNOWN_COLUMNS, OUTCOME)
    _, unwritten = _further_columns(source, how, "violations", known, tables)
    every_warning = (*raw.warnings, *dropped, *warnings, *unwritten)
    return Writable(written.height, every_warning, partial(_write, written.lazy().select(filled)))


def _marked_lines(frame: pl.DataFrame, spans: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """A line for each text and each of its annotators, even if the file has a row per violation."""
    status = pl.col(FURTHER + OUTCOME) if FURTHER + OUTCOME in frame.columns else pl.lit(None, pl.String)
    rows = frame.select(LINE, *_KEYS, status.alias(OUTCOME)).with_columns(
        pl.col(LINE).first().over(_KEYS).alias(_FIRST)
    )
    marks = spans.join(rows.select(LINE, _FIRST), on=LINE, how="left", maintain_order="left")
    parts = ["start", "end", *(name for name in (*TEXT_PARTS, INVENTED, SEVERITY) if spans[name].count())]
    marked = marks.group_by(_FIRST, maintain_order=True).agg(pl.struct(parts).alias(mark_reader.VIOLATIONS))
    lines = rows.filter(pl.col(LINE) == pl.col(_FIRST)).join(marked, on=_FIRST, how="left", maintain_order="left")
    lines = lines.join(texts.select(ID, TEXT), on=ID, how="left", maintain_order="left")
    violations = pl.col(mark_reader.VIOLATIONS).fill_null(pl.lit([], marked.schema[mark_reader.VIOLATIONS]))
    answered = pl.col(OUTCOME).is_in(UNANSWERED).fill_null(value=False).not_()
    return lines.select(ID, TEXT, "annotator", "checker", OUTCOME, pl.when(answered).then(violations))


# --- all ---


@dataclass(frozen=True, slots=True)
class Conversion:
    """The conversion of an evaluation's files.

    what: their content. unit: what a row is. endings: of the output. options: those of `adjudge.convert` for this
    evaluation but not for all. holds: whether a flat table with some of Adjudge's columns is one of this evaluation.
    read: reads a file; raises DataError with all its problems.
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
    long = {*reader.LONG[:2]} <= {*columns}
    return "id" in columns and (long or any(name.endswith("_preference") for name in columns))


CONVERSIONS: Mapping[str, Conversion] = {
    "annotations": Conversion(
        "pairs",
        "pair",
        (".json", ".parquet"),
        ("annotator_columns", "vote_values", "exact_labels"),
        lambda _: False,  # its formats recognise tables themselves
        _pairs,
    ),
    "rag": Conversion(
        "answers",
        "answer",
        NESTED,
        ("gold", "answer_lists", "answer_separator"),
        lambda columns: {"id", "ability", "response"} <= {*columns},
        _answers,
    ),
    "violations": Conversion("violations", "line", NESTED, ("offset_base",), _hold_violations, _violations),
    "reliability": Conversion(
        "judgments",
        "judgment",
        FLAT,
        ("annotator_columns", "exact_labels", "flag_values"),
        lambda columns: {"item", "label"} <= {*columns},
        _judgments,
    ),
    "preferences": Conversion(
        "preferences", "item", FLAT, ("criteria", "labels", "exact_labels"), _hold_preferences, _preferences
    ),
}
"""Evaluation -> its conversion, in the order of recognition."""
