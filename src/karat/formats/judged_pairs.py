"""Pairs of violations that people judge as the same or not, in JSON lines or a JSON array.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation is as everywhere: start and end, or context (what it quotes) and perhaps position; rule, category,
explanation, correction. What is not judged yet has null for same, or lacks it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from karat.errors import DataError, OptionError
from karat.formats.documents import Objects, kind, read_objects
from karat.formats.findings import Findings, counted
from karat.formats.marked import FURTHER, LINE, NUMBER, Names, Raw, Record, raw_of, sound
from karat.formats.marked_lines import agreeing
from karat.formats.marked_spans import check_spans
from karat.formats.source import Source, container
from karat.schemas.violations import ID, PLACE, SPANS, TEXT

SIDES = ("predicted", "ground_truth")

GROUP, PAIR, JUDGE, SAME = "group", "pair", "judge", "same"
_EMPTY = "\x00"
_WORDS = {True: "true", False: "false"}


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Judgments of pairs, one per row.

    name: of the file. frame: GROUP and PAIR (numbers from 0 of the text, and of the pair of violations, which several
    may judge), JUDGE (null where none is named), SAME. predicted, truth: tables of spans (see karat.schemas.violations)
    with a row per judgment, whose places are groups. rows: read from the file. warnings: what a reader must know.
    """

    name: str
    frame: pl.DataFrame
    predicted: pl.DataFrame
    truth: pl.DataFrame
    rows: int
    warnings: tuple[str, ...] = ()


def read_judged_pairs(source: Source) -> JudgedPairs:
    """The judgments of a file, or of a table from Python with a column of structs for each side.

    Pairs belong to one text where they have the same id or, without ids, the same text. Pairs that are not judged are
    left out and counted in a warning; so is what a judge said of a pair twice. Raises DataError with all that is
    wrong: values that are no answer, places that are not in the text, two answers of one judge.
    """
    objects = read_objects(source, "judged pairs")
    findings = Findings(objects.unit)
    lines = sound(objects, _wrong, findings)
    records = [
        Record(number, value, [value[side] for side in SIDES])
        for number, value in zip(lines.numbers, lines.values, strict=True)
    ]
    names = Names(further={JUDGE: JUDGE})
    raw = raw_of(lines.name, lines.unit, records, names, findings, len(objects.values), marks=SIDES)
    frame = _grouped(raw)
    texts = frame.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    spans, warnings = check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts)
    raw.settle(drop=False)
    sides = [spans.gather_every(len(SIDES), place) for place in range(len(SIDES))]
    same = pl.Series(SAME, [value.get(SAME) for value in lines.values], pl.Boolean)
    frame = frame.with_columns(same, _pair(frame, sides).alias(PAIR))
    chosen, told = _distinct(objects, frame)
    rows = pl.Series(chosen, dtype=pl.UInt32)
    kept = frame[rows].select(pl.col(GROUP, PAIR).rank("dense") - 1, JUDGE, SAME)
    tables = [spans[rows].with_columns(kept[GROUP].cast(pl.UInt32).alias(PLACE)).select(*SPANS) for spans in sides]
    return JudgedPairs(objects.name, kept, tables[0], tables[1], len(objects.values), (*told, *warnings))


def _wrong(value: Mapping[str, object]) -> str | None:
    """What is wrong with a line, in words that follow its place."""
    for side in SIDES:
        if side not in value:
            return f", {side}: expected an object; got nothing"
    if not isinstance(value.get(SAME), bool | None):
        return f", {SAME}: expected true or false; got {kind(value[SAME])}"
    if value.get(ID) in (None, "") and value.get(TEXT) in (None, ""):
        return ": expected a text or an id, which says what pairs belong together; got neither"
    return None


def _grouped(raw: Raw) -> pl.DataFrame:
    """NUMBER, ID, TEXT, JUDGE and GROUP of each line: the id or, where no line has one, the text.

    A text stands where any line of the same id has it; where two differ, that is a problem.
    """
    frame = raw.lines.with_row_index(LINE).with_columns(
        pl.when(pl.col(TEXT) != "").then(TEXT), pl.col(FURTHER + JUDGE).alias(JUDGE)
    )
    _, known = agreeing(raw, frame)
    ids = known.unique(TEXT, keep="first").select(TEXT, pl.col(ID).alias("named"))
    texts = frame.select(ID).join(known, on=ID, how="left", maintain_order="left")[TEXT]
    whole = frame.with_columns(pl.coalesce(TEXT, texts)).join(ids, on=TEXT, how="left", maintain_order="left")
    group = pl.coalesce(ID, "named", pl.lit(_EMPTY) + pl.col(TEXT)).rank("dense") - 1
    return whole.select(NUMBER, ID, TEXT, JUDGE, group.alias(GROUP))


# --- judgments ---


def _pair(frame: pl.DataFrame, sides: Sequence[pl.DataFrame]) -> pl.Series:
    """A number per line, the same for the same two violations of one text."""
    names = [name for name in SPANS if name != PLACE]
    columns = [side[name].alias(f"{place}{name}") for place, side in enumerate(sides) for name in names]
    return pl.DataFrame([frame[GROUP], *columns]).select(pl.struct(pl.all()).rank("dense") - 1).to_series()


def _distinct(objects: Objects, frame: pl.DataFrame) -> tuple[list[int], list[str]]:
    """The rows that are judgments, each judge's of a pair once, and warnings. Raises DataError for two answers."""
    said = frame.with_row_index("row").filter(pl.col(SAME).is_not_null())
    judge = pl.coalesce(JUDGE, pl.lit(_EMPTY) + pl.col(NUMBER).cast(pl.String))
    said = said.with_columns(pl.col(SAME, NUMBER).first().over(PAIR, judge).name.prefix("first_"))
    findings = Findings()
    findings.add_each(
        said.filter(pl.col(SAME) != pl.col("first_" + SAME)),
        lambda row: (
            f"{objects.name}, {objects.unit} {row[NUMBER]}, {SAME}: expected one answer of {row[JUDGE]:.60} on a pair; "
            f"{objects.unit} {row['first_' + NUMBER]} says {_WORDS[row['first_' + SAME]]}, this one {_WORDS[row[SAME]]}"
        ),
    )
    findings.settle()
    chosen = said.filter(pl.col(NUMBER) == pl.col("first_" + NUMBER))["row"].to_list()
    if not chosen:
        raise DataError(
            f"{objects.name}: nothing is judged yet: expected true or false for {SAME} in some {objects.unit}"
        )
    warnings = []
    if empty := frame.height - said.height:
        are = "pair is" if empty == 1 else "pairs are"
        warnings.append(f"{empty:,} of {frame.height:,} {are} not judged yet, and left out")
    if twice := said.height - len(chosen):
        count = counted(twice, "judgment that a judge gave twice counts", "judgments given twice count")
        warnings.append(f"{count} once")
    return chosen, warnings


# --- before writing ---


def check_unjudged(path: Path) -> None:
    """Raises OptionError for a file that is there and holds judgments, or anything but pairs yet to be judged."""
    if not path.exists():
        return
    source = Source(str(path), "jsonl", path)
    try:
        values = read_objects(replace(source, format=container(source.start()))).values
    except (DataError, OSError):
        values = [None] if path.is_dir() or path.stat().st_size else []
    if not all(isinstance(value, dict) and set(SIDES) <= value.keys() for value in values):
        raise OptionError(f"{path}: there is something else of that name; name a new file")
    judged = sum(isinstance(value, dict) and value.get(SAME) is not None for value in values)
    if judged:
        raise OptionError(f"{path}: holds {judged:,} of people's judgments, which would be lost; name a new file")
