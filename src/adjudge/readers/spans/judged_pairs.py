"""Pairs of violations that humans judge as the same or not, as JSON lines.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation has the usual parts: start and end, or context (its quote) and perhaps position; rule, category,
explanation, correction. An unjudged pair has null for same, or lacks it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.json_documents import kind, read_each
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import FURTHER, LINE, NUMBER, Line, SpanReading, SpanTool, check_spans, raw_of
from adjudge.readers.tables import objects_in_rows
from adjudge.schemas.violations import ID, PLACE, SPANS, TEXT

Pair = dict[str, Any]

GROUP, PAIR = "group", "pair"
SIDES = ("predicted", "ground_truth")
JUDGE, SAME = "judge", "same"

_WHERE = "where"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Judgments of pairs, one per row.

    name: of the files. frame: GROUP and PAIR (numbers from 0 of the text, and of the pair of violations, which may have
    several judges), JUDGE (null if not given), SAME. predicted, truth: tables of spans (see adjudge.schemas.violations)
    with a row per judgment, whose places are groups. rows: read from each file. warnings: caveats.
    """

    name: str
    frame: pl.DataFrame
    predicted: pl.DataFrame
    truth: pl.DataFrame
    rows: tuple[int, ...]
    warnings: tuple[str, ...] = ()


def read_judged_pairs(*files: Source) -> JudgedPairs:
    """The judgments of files, or of tables from Python with a column of structs for each side.

    Pairs belong to one text if they have the same id. With several files, a file without judges has one judge, named
    after the file. Unjudged pairs are excluded and counted in a warning. Raises DataError with all problems: values
    that are no answer, places that are not in the text, several answers of one judge on a pair, an id of two texts.
    """
    frames, rows, warnings = zip(*(_of_file(source, named=len(files) > 1) for source in files), strict=True)
    name, frame = ", ".join(source.name for source in files), pl.concat(frames)
    judged = frame.drop_nulls(SAME)
    if judged.is_empty():
        raise DataError(f"{name}: nothing is judged yet: expected true or false for {SAME} in some pair")
    groups = pl.col(ID).rank("dense").alias(GROUP), pl.struct(ID, *SIDES).rank("dense").alias(PAIR)
    judged = judged.with_columns(one - 1 for one in groups)
    _check_one(frame.filter(pl.col(TEXT).drop_nulls().n_unique().over(ID) > 1), "text: expected one text for an id")
    repeated = judged.drop_nulls(JUDGE).filter(pl.struct(PAIR, JUDGE).is_duplicated())
    _check_one(repeated, f"{SAME}: expected one answer of a judge on a pair")
    place = judged[GROUP].cast(pl.UInt32).alias(PLACE)
    predicted, truth = (judged[side].struct.unnest().with_columns(place).select(*SPANS) for side in SIDES)
    count = frame.height - judged.height
    notes = [f"pairs that are not judged yet are excluded: {count:,}"] if count else []
    warnings = (*notes, *(warning for of_file in warnings for warning in of_file))
    return JudgedPairs(name, judged.select(GROUP, PAIR, JUDGE, SAME), predicted, truth, rows, warnings)


def _check_one(several: pl.DataFrame, what: str) -> None:
    """Raises DataError with the places of the first pairs, if there are any."""
    if several.height:
        places = several[_WHERE].unique(maintain_order=True).head(2)
        raise DataError(f"{where}, {what}; got several" for where in places)


def _of_file(source: Source, *, named: bool) -> tuple[pl.DataFrame, int, Sequence[str]]:
    """The pairs of a file (_WHERE, ID, TEXT, JUDGE, SAME, and a struct for each side), rows read, and warnings.

    named: whether the file's name is the judge of pairs without one.
    """
    objects = objects_in_rows(source)
    findings, rows = Findings(objects.unit), len(objects.values)
    lines = [one._replace(number=number) for number, one in read_each(objects, _line, findings)]
    options, tool = SpanReading(further={JUDGE: JUDGE}), SpanTool(iter, marks=SIDES)
    raw = raw_of(objects.name, lines, tool, options, findings, rows)
    texts = raw.lines.select(ID, pl.when(pl.col(TEXT) != "").then(TEXT))
    spans, warnings = check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts, options)
    raw.settle()
    structs = spans.select(name for name in SPANS if name != PLACE).to_struct()
    sides = [structs.gather_every(len(SIDES), at).alias(side) for at, side in enumerate(SIDES)]
    judge, where = raw.lines[FURTHER + JUDGE], pl.format(f"{source.name}, {raw.unit} {{}}", raw.lines[NUMBER])
    judges = pl.lit(source.name) if named and not judge.count() else judge
    same = pl.Series(SAME, [line.holder.get(SAME) for line in lines], pl.Boolean)
    return texts.with_columns(where.alias(_WHERE), judges.alias(JUDGE), same, *sides), rows, warnings


def _line(pair: Pair) -> Line:
    """A pair and its two violations."""
    for side in SIDES:
        if side not in pair:
            raise DataError(f", {side}: expected an object; got nothing")
    if not isinstance(pair.get(SAME), bool | None):
        raise DataError(f", {SAME}: expected true or false; got {kind(pair[SAME])}")
    if pair.get(ID) in (None, ""):
        raise DataError(", id: expected the text's id; got nothing")
    return Line(pair, [pair[side] for side in SIDES])


def check_new(path: Path) -> None:
    """Raises OptionError for an existing file, which may hold judgments."""
    if path.exists():
        raise OptionError(f"{path}: there is a file of that name, which may hold judgments", fix="a new file")
