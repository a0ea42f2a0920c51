"""Pairs of violations that humans judge as the same or not: JSON lines, or a table.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation has the usual parts: start and end, or context (its quote) and perhaps position; rule, category,
explanation, correction. An unjudged pair has null for same, or lacks it. A table has a column for each part of each
violation (predicted_start, ground_truth_rule ...).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.formats import container
from adjudge.readers.io.json_documents import Objects, kind, objects_of, read_each, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import (
    FURTHER,
    LINE,
    NUMBER,
    SPAN_COLUMNS,
    Line,
    SpanReading,
    SpanTool,
    check_spans,
    raw_of,
)
from adjudge.readers.spans.violations import agreeing
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import ID, PLACE, SPANS, TEXT
from adjudge.version import NAME

Pair = dict[str, Any]

GROUP, PAIR = "group", "pair"
SIDES = ("predicted", "ground_truth")
JUDGE, SAME = "judge", "same"

_FILE, _WHERE, _ROW = "file", "where", "row"
_EMPTY = "\x00"
_WRITTEN = ("start", "end", "context", "rule", "category", "explanation", "correction")
_CELLS = {f"{side}_{part}": (side, part) for side in SIDES for part in SPAN_COLUMNS}
"""Column of a table -> the side and part of a violation."""
_ANSWERS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_GUARDED = ("'=", "'+", "'-", "'@")
"""Beginnings of text that Adjudge's tables escape, so that spreadsheets do not run it as a formula."""


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

    Pairs belong to one text if they have the same id or, without ids, the same text. With several files, a file without
    judges has one judge, named after the file. Unjudged pairs, and a judge's repeated judgments, are excluded and
    counted in a warning. Raises DataError with all problems: values that are no answer, places that are not in the
    text, different answers of one judge, an id of two texts.
    """
    frames, rows, warnings = zip(*(_of_file(source, named=len(files) > 1) for source in files), strict=True)
    name = ", ".join(source.name for source in files)
    frame = _grouped(pl.concat(frames)).with_columns(pl.struct(GROUP, *SIDES).rank("dense").alias(PAIR))
    judged, notes = _distinct(name, frame)
    judged = judged.with_columns(pl.col(GROUP, PAIR).rank("dense") - 1)
    place = judged[GROUP].cast(pl.UInt32).alias(PLACE)
    predicted, truth = (judged[side].struct.unnest().with_columns(place).select(*SPANS) for side in SIDES)
    warnings = (*notes, *(warning for of_file in warnings for warning in of_file))
    return JudgedPairs(name, judged.select(GROUP, PAIR, JUDGE, SAME), predicted, truth, rows, warnings)


def _of_file(source: Source, *, named: bool) -> tuple[pl.DataFrame, int, Sequence[str]]:
    """The pairs of a file (_FILE, _WHERE, ID, TEXT, JUDGE, SAME, and a struct for each side), rows read, and warnings.

    named: whether the file's name is the judge of pairs without one.
    """
    objects = read_pairs(source)
    findings = Findings(objects.unit)
    lines = [one._replace(number=number) for number, one in read_each(objects, _line, findings)]
    options, tool, rows = SpanReading(further={JUDGE: JUDGE}), SpanTool(iter, marks=SIDES), len(objects.values)
    raw = raw_of(objects.name, lines, tool, options, findings, rows)
    frame = raw.lines.with_columns(
        pl.when(pl.col(TEXT) != "").then(TEXT),
        pl.col(FURTHER + JUDGE).alias(JUDGE),
        pl.format("{} {}", pl.lit(raw.unit), NUMBER).alias(_WHERE),
        pl.lit(source.name).alias(_FILE),
    )
    _, known = agreeing(raw, frame)
    frame = frame.join(known, on=ID, how="left", maintain_order="left").with_columns(pl.coalesce(TEXT, f"{TEXT}_right"))
    texts = frame.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    spans, warnings = check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts, options)
    raw.settle()
    same = pl.Series(SAME, [line.holder.get(SAME) for line in lines], pl.Boolean)
    structs = spans.select(name for name in SPANS if name != PLACE).to_struct()
    sides = [structs.gather_every(len(SIDES), at).alias(side) for at, side in enumerate(SIDES)]
    frame = frame.with_columns(same, *sides)
    if named and not frame[JUDGE].count():
        frame = frame.with_columns(pl.col(_FILE).alias(JUDGE))
    return frame.select(_FILE, _WHERE, ID, TEXT, JUDGE, SAME, *SIDES), rows, warnings


def _line(pair: Pair) -> Line:
    """A pair and its two violations."""
    for side in SIDES:
        if side not in pair:
            raise DataError(f", {side}: expected an object; got nothing")
    if not isinstance(pair.get(SAME), bool | None):
        raise DataError(f", {SAME}: expected true or false; got {kind(pair[SAME])}")
    if pair.get(ID) in (None, "") and pair.get(TEXT) in (None, ""):
        raise DataError(": expected a text or an id, which identifies the pairs that belong together; got neither")
    return Line(pair, [pair[side] for side in SIDES])


def _grouped(frame: pl.DataFrame) -> pl.DataFrame:
    """With GROUP: the id, else that of the same text, or else the text. Raises DataError for an id of two texts."""
    known = frame.drop_nulls([ID, TEXT]).unique([ID, TEXT], keep="first", maintain_order=True)
    several = known.filter(pl.len().over(ID) > 1)
    if several.height:
        one, other = several.filter(pl.col(ID) == several[ID][0]).head(2).to_dicts()
        raise DataError(
            f"{other[_FILE]}, {other[_WHERE]}, text: expected the text that {one[ID]:.60} has in {one[_FILE]}, "
            f"{one[_WHERE]}; got another",
            fix="an id of its own for each text",
        )
    same_text = pl.col(ID).drop_nulls().first().over(TEXT)
    group = pl.coalesce(ID, same_text, pl.lit(_EMPTY) + pl.col(TEXT)).rank("dense") - 1
    return frame.with_columns(group.alias(GROUP))


def _distinct(name: str, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The judgments, one per judge and pair, and warnings. Raises DataError for different answers."""
    judged = frame.with_row_index(_ROW).filter(pl.col(SAME).is_not_null())
    if judged.is_empty():
        raise DataError(f"{name}: nothing is judged yet: expected true or false for {SAME} in some pair")
    judge = pl.coalesce(JUDGE, pl.lit(_EMPTY) + pl.col(_ROW).cast(pl.String))
    judged = judged.with_columns(pl.col(SAME, _ROW, _FILE, _WHERE).first().over(PAIR, judge).name.prefix("first_"))
    problems = [
        f"{row[_FILE]}, {row[_WHERE]}, {SAME}: expected one answer of {row[JUDGE]:.60} on a pair; "
        f"{row['first_' + _FILE]}, {row['first_' + _WHERE]} says {str(row['first_' + SAME]).lower()}, this one "
        f"{str(row[SAME]).lower()}"
        for row in judged.filter(pl.col(SAME) != pl.col("first_" + SAME)).iter_rows(named=True)
    ]
    if problems:
        raise DataError(problems)
    chosen = judged.filter(pl.col(_ROW) == pl.col("first_" + _ROW))
    counts = {
        "pairs that are not judged yet are excluded": frame.height - judged.height,
        "judgments that a judge gave twice count once": judged.height - chosen.height,
    }
    return chosen, [f"{what}: {count:,}" for what, count in counts.items() if count]


def read_pairs(source: Source) -> Objects:
    """The pairs of a file, one for each judgment."""
    if source.table is None and source.format not in ("json", "jsonl"):
        table = collect(source, scan(source))
        if _CELLS.keys().isdisjoint(table.columns):
            raise DataError(
                f"{source.name}: expected pairs to judge, with columns such as predicted_start and ground_truth_start, "
                f"as {NAME} violations pairs writes them; got {', '.join(table.columns):.300}"
            )
        objects = objects_of(table, source.name)
    else:
        objects = read_objects(source, "judged pairs")
    return replace(objects, values=[_nested(value) for value in objects.values])


def _nested(row: Any) -> Any:  # noqa: ANN401 - JSON holds anything
    """A row of a table as a pair without empty cells; anything else unchanged."""
    if not isinstance(row, dict) or _CELLS.keys().isdisjoint(row):
        return row
    unguarded = {name: value[1:] for name, value in row.items() if str(value).startswith(_GUARDED)}
    filled = {name: value for name, value in (row | unguarded).items() if value is not None and value != ""}
    pair: Pair = {name: value for name, value in filled.items() if name not in _CELLS} | {side: {} for side in SIDES}
    for name in filled.keys() & _CELLS:
        side, part = _CELLS[name]
        pair[side][part] = filled[name]
    answer = filled.get(SAME)
    return pair | {SAME: _ANSWERS.get(str(answer).strip().lower(), answer)}


# --- writing ---


def pair_row(pair: Mapping[str, Any]) -> Pair:
    """A pair as a row of a table."""
    sides = {f"{side}_{part}": pair[side].get(part) for side in SIDES for part in _WRITTEN}
    around = {name: value for name, value in pair.items() if name not in (*SIDES, SAME, JUDGE)}
    return around | sides | {SAME: None, JUDGE: None}


def check_unjudged(path: Path) -> None:
    """Raises OptionError for an existing file with judgments, or with anything but unjudged pairs."""
    if not path.exists():
        return
    source = Source(str(path), "jsonl", path)
    try:
        values = read_pairs(replace(source, format=container(source.start()))).values
    except (DataError, OSError):
        values = [None] if path.is_dir() or path.stat().st_size else []
    if not all(isinstance(value, dict) and set(SIDES) <= value.keys() for value in values):
        raise OptionError(f"{path}: there is something else of that name", fix="a new file")
    judged = sum(isinstance(value, dict) and value.get(SAME) is not None for value in values)
    if judged:
        raise OptionError(f"{path}: holds {judged:,} human judgments, which would be lost", fix="a new file")
