"""Pairs of violations that people judge as the same or not: JSON lines, or what `judging_forms` reads.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation is as everywhere: start and end, or context (what it quotes) and perhaps position; rule, category,
explanation, correction. What is not judged yet has null for same, or lacks it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.formats import container
from adjudge.readers.io.json_documents import kind, read_each
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, counted
from adjudge.readers.spans.judging_forms import JUDGE, SAME, SIDES, read_pairs
from adjudge.readers.spans.span_lines import agreeing
from adjudge.readers.spans.span_offsets import check_spans
from adjudge.readers.spans.span_records import FURTHER, LINE, NUMBER, Names, Raw, Record, raw_of
from adjudge.schemas.violations import ID, PLACE, SPANS, TEXT

GROUP, PAIR = "group", "pair"
_FILE, _WHERE = "file", "where"
_EMPTY = "\x00"
_WORDS = {True: "true", False: "false"}


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Judgments of pairs, one per row.

    name: of the files. frame: GROUP and PAIR (numbers from 0 of the text, and of the pair of violations, which several
    may judge), JUDGE (null where none is named), SAME. predicted, truth: tables of spans (see
    adjudge.schemas.violations) with a row per judgment, whose places are groups. rows: read from each file. warnings:
    what a reader must know.
    """

    name: str
    frame: pl.DataFrame
    predicted: pl.DataFrame
    truth: pl.DataFrame
    rows: tuple[int, ...]
    warnings: tuple[str, ...] = ()


def read_judged_pairs(*files: Source) -> JudgedPairs:
    """The judgments of files, or of tables from Python with a column of structs for each side.

    Pairs belong to one text where they have the same id or, without ids, the same text. Of several files, one that
    names no judge is that of one judge, called as the file. Pairs that are not judged are left out and counted in a
    warning; so is what a judge said of a pair twice. Raises DataError with all that is wrong: values that are no
    answer, places that are not in the text, two answers of one judge, an id of two texts.
    """
    read = [_of_file(source, named=len(files) > 1) for source in files]
    name = ", ".join(source.name for source in files)
    frame = _grouped(pl.concat(one.frame for one in read))
    sides = [pl.concat(one.sides[place] for one in read) for place in range(len(SIDES))]
    frame = frame.with_columns(_pair(frame, sides).alias(PAIR))
    chosen, told = _distinct(name, frame)
    rows = pl.Series(chosen, dtype=pl.UInt32)
    kept = frame[rows].select(pl.col(GROUP, PAIR).rank("dense") - 1, JUDGE, SAME)
    tables = [spans[rows].with_columns(kept[GROUP].cast(pl.UInt32).alias(PLACE)).select(*SPANS) for spans in sides]
    warnings = (*told, *(said for one in read for said in one.warnings))
    return JudgedPairs(name, kept, tables[0], tables[1], tuple(one.rows for one in read), warnings)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The pairs of a file, one per row. frame: _FILE, _WHERE, ID, TEXT, JUDGE, SAME. sides: spans of each side."""

    frame: pl.DataFrame
    sides: list[pl.DataFrame]
    rows: int
    warnings: Sequence[str]


def _of_file(source: Source, *, named: bool) -> _Judged:
    """named: whether who judged is called as the file, where it does not say it."""
    objects = read_pairs(source)
    findings = Findings(objects.unit)
    records = [Record(number, line, marks) for number, (line, marks) in read_each(objects, _judged, findings)]
    names = Names(further={JUDGE: JUDGE})
    raw = raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), marks=SIDES)
    frame = _whole(raw)
    texts = frame.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    spans, warnings = check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts)
    raw.settle()
    same = pl.Series(SAME, [record.holder.get(SAME) for record in records], pl.Boolean)
    frame = frame.with_columns(same, pl.lit(source.name).alias(_FILE))
    if named and not frame[JUDGE].count():
        frame = frame.with_columns(pl.lit(source.name).alias(JUDGE))
    sides = [spans.gather_every(len(SIDES), place) for place in range(len(SIDES))]
    return _Judged(frame.select(_FILE, _WHERE, ID, TEXT, JUDGE, SAME), sides, len(objects.values), warnings)


def _judged(line: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """A line, and its two violations."""
    for side in SIDES:
        if side not in line:
            raise DataError(f", {side}: expected an object; got nothing")
    if not isinstance(line.get(SAME), bool | None):
        raise DataError(f", {SAME}: expected true or false; got {kind(line[SAME])}")
    if line.get(ID) in (None, "") and line.get(TEXT) in (None, ""):
        raise DataError(": expected a text or an id, which says what pairs belong together; got neither")
    return line, [line[side] for side in SIDES]


def _whole(raw: Raw) -> pl.DataFrame:
    """The lines with the text of their id, where any line of it has one; where two differ, that is a problem."""
    frame = raw.lines.with_row_index(LINE).with_columns(
        pl.when(pl.col(TEXT) != "").then(TEXT),
        pl.col(FURTHER + JUDGE).alias(JUDGE),
        pl.format("{} {}", pl.lit(raw.unit), NUMBER).alias(_WHERE),
    )
    _, known = agreeing(raw, frame)
    texts = frame.select(ID).join(known, on=ID, how="left", maintain_order="left")[TEXT]
    return frame.with_columns(pl.coalesce(TEXT, texts))


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
    ids = known.unique(TEXT, keep="first").select(TEXT, pl.col(ID).alias("named"))
    whole = frame.join(ids, on=TEXT, how="left", maintain_order="left")
    group = pl.coalesce(ID, "named", pl.lit(_EMPTY) + pl.col(TEXT)).rank("dense") - 1
    return whole.with_columns(group.alias(GROUP))


# --- judgments ---


def _pair(frame: pl.DataFrame, sides: Sequence[pl.DataFrame]) -> pl.Series:
    """A number per line, the same for the same two violations of one text."""
    names = [name for name in SPANS if name != PLACE]
    columns = [side[name].alias(f"{place}{name}") for place, side in enumerate(sides) for name in names]
    return pl.DataFrame([frame[GROUP], *columns]).select(pl.struct(pl.all()).rank("dense") - 1).to_series()


def _distinct(name: str, frame: pl.DataFrame) -> tuple[list[int], list[str]]:
    """The rows that are judgments, each judge's of a pair once, and warnings. Raises DataError for two answers."""
    said = frame.with_row_index("row").filter(pl.col(SAME).is_not_null())
    judge = pl.coalesce(JUDGE, pl.lit(_EMPTY) + pl.col("row").cast(pl.String))
    said = said.with_columns(pl.col(SAME, "row", _FILE, _WHERE).first().over(PAIR, judge).name.prefix("first_"))
    problems = [
        f"{row[_FILE]}, {row[_WHERE]}, {SAME}: expected one answer of {row[JUDGE]:.60} on a pair; {_place(row)} says "
        f"{_WORDS[row['first_' + SAME]]}, this one {_WORDS[row[SAME]]}"
        for row in said.filter(pl.col(SAME) != pl.col("first_" + SAME)).iter_rows(named=True)
    ]
    if problems:
        raise DataError(problems)
    chosen = said.filter(pl.col("row") == pl.col("first_row"))["row"].to_list()
    if not chosen:
        unit = frame[_WHERE][0].partition(" ")[0]
        raise DataError(f"{name}: nothing is judged yet: expected true or false for {SAME} in some {unit}")
    warnings = []
    if empty := frame.height - said.height:
        are = "pair is" if empty == 1 else "pairs are"
        warnings.append(f"{empty:,} of {frame.height:,} {are} not judged yet, and left out")
    if twice := said.height - len(chosen):
        count = counted(twice, "judgment that a judge gave twice counts", "judgments given twice count")
        warnings.append(f"{count} once")
    return chosen, warnings


def _place(row: Mapping[str, str]) -> str:
    """Where a judge's first answer stands."""
    same_file = row[_FILE] == row["first_" + _FILE]
    return row["first_" + _WHERE] if same_file else f"{row['first_' + _FILE]}, {row['first_' + _WHERE]}"


# --- before writing ---


def check_unjudged(path: Path) -> None:
    """Raises OptionError for a file that is there and holds judgments, or anything but pairs yet to be judged."""
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
        raise OptionError(f"{path}: holds {judged:,} of people's judgments, which would be lost", fix="a new file")
