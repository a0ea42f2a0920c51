"""Pairs of violations that people judge as the same or not, in JSON lines or a JSON array.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation is as everywhere: start and end, or context (what it quotes) and perhaps position; rule, category,
explanation, correction. What is not judged yet has null for same, or lacks it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from karat.errors import DataError, OptionError
from karat.formats.documents import kind, parse, scalar_text, text_frame
from karat.formats.findings import Findings
from karat.formats.marked import LINE, NTH, NUMBER, SPAN_COLUMNS, Objects, Problems, Raw, not_plain, read_objects
from karat.formats.marked_spans import Rules, check_spans
from karat.formats.source import Source
from karat.schemas.violations import ID, PLACE, SPANS, TEXT

FORMATS = ("jsonl", "json")
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
    objects = _objects(source)
    problems = Problems()
    frame = _lines(objects, problems)
    sides = [_side(objects, side, frame, problems) for side in SIDES]
    warnings = [warning for _, said in sides for warning in said]
    problems.settle(drop=False, unit=objects.unit)
    frame = frame.with_columns(_pair(frame, [spans for spans, _ in sides]).alias(PAIR))
    chosen, told = _distinct(objects, frame)
    rows = pl.Series(chosen, dtype=pl.UInt32)
    kept = frame[rows].select(pl.col(GROUP, PAIR).rank("dense") - 1, JUDGE, SAME)
    tables = [spans[rows].with_columns(kept[GROUP].cast(pl.UInt32).alias(PLACE)).select(*SPANS) for spans, _ in sides]
    return JudgedPairs(objects.name, kept, tables[0], tables[1], len(objects.values), (*told, *warnings))


def _objects(source: Source) -> Objects:
    if source.table is not None:
        rows = json.dumps(source.table.to_dicts(), default=str)
        values = parse(rows, source.name)
        return Objects(source.name, "row", range(1, len(values) + 1), values)
    if source.format not in FORMATS:
        raise DataError(f"{source.name}: expected JSON lines or a JSON array of judged pairs; got {source.format}")
    return read_objects(source)


# --- lines ---


def _lines(objects: Objects, problems: Problems) -> pl.DataFrame:
    """NUMBER, ID, TEXT, JUDGE, SAME and GROUP of each line; what is wrong with it goes to the problems."""
    rows: list[dict[str, object]] = []
    for number, value in zip(objects.numbers, objects.values, strict=True):
        where = f"{objects.name}, {objects.unit} {number}"
        wrong = not_plain(value)
        holder = value if isinstance(value, dict) and wrong is None else {}
        if wrong:
            problems.line(f"{where}: {wrong}")
        row = {name: _text(holder, name, where, problems.lines) for name in (ID, TEXT, JUDGE)}
        if wrong is None and not row[ID] and not row[TEXT]:
            problems.line(f"{where}: expected a text or an id, which says what pairs belong together; got neither")
        rows.append({NUMBER: number, **row, SAME: _answer(holder, where, problems.lines)})
    texts = text_frame({name: [_as_text(row[name]) for row in rows] for name in (ID, TEXT, JUDGE)}, objects.name)
    answers = pl.Series(SAME, [row[SAME] for row in rows], pl.Boolean)
    numbers = pl.Series(NUMBER, [row[NUMBER] for row in rows], pl.UInt32)
    return _grouped(objects, texts.with_columns(numbers, answers), problems.lines)


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _text(holder: Mapping[str, object], name: str, where: str, findings: Findings) -> str | None:
    """A text or a number as text; empty text is missing."""
    value = holder.get(name)
    if isinstance(value, list | dict):
        findings.add(f"{where}, {name}: expected text or a number; got {kind(value)}")
        return None
    return scalar_text(value) or None


def _answer(holder: Mapping[str, object], where: str, findings: Findings) -> bool | None:
    value = holder.get(SAME)
    if value is not None and not isinstance(value, bool):
        findings.add(f"{where}, {SAME}: expected true or false; got {kind(value)}")
        return None
    return value


def _grouped(objects: Objects, frame: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """With the text of each id where a line lacks it, and GROUP: the id or, where no line has one, the text."""
    first = frame.filter(pl.all_horizontal(pl.col(ID, TEXT).is_not_null())).unique(
        ID, keep="first", maintain_order=True
    )
    known = first.select(ID, pl.col(TEXT).alias("known"), pl.col(NUMBER).alias("by"))
    joined = frame.join(known, on=ID, how="left", maintain_order="left")
    for row in joined.filter(pl.col(TEXT) != pl.col("known")).iter_rows(named=True):
        findings.add(
            f"{objects.name}, {objects.unit} {row[NUMBER]}, {TEXT}: expected the text of {row[ID]:.60} in "
            f"{objects.unit} {row['by']}; got another"
        )
    ids = first.unique(TEXT, keep="first").select(TEXT, pl.col(ID).alias("named"))
    whole = joined.with_columns(pl.coalesce(TEXT, "known").alias(TEXT))
    whole = whole.join(ids, on=TEXT, how="left", maintain_order="left")
    group = pl.coalesce(ID, "named", pl.lit(_EMPTY) + pl.col(TEXT)).rank("dense") - 1
    return whole.select(NUMBER, ID, TEXT, JUDGE, SAME, group.alias(GROUP))


# --- violations ---


def _side(objects: Objects, side: str, lines: pl.DataFrame, problems: Problems) -> tuple[pl.DataFrame, list[str]]:
    """The violations of one side, a row per line where nothing is wrong, and warnings."""
    holders: dict[int, Mapping[str, object]] = {}
    for row, (number, value) in enumerate(zip(objects.numbers, objects.values, strict=True)):
        if not_plain(value) is not None or not isinstance(value, dict):
            continue
        found = value.get(side)
        wrong = not_plain(found) if side in value else "expected an object; got nothing"
        if wrong is None and isinstance(found, dict):
            holders[row] = found
        else:
            problems.span(f"{objects.name}, {objects.unit} {number}, {side}: {wrong}")
    spans = _span_columns(objects, side, holders, problems)
    raw = Raw(objects.name, objects.unit, pl.DataFrame(), spans, lines.height, problems)
    texts = lines.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    places = pl.int_range(lines.height, dtype=pl.UInt32, eager=True)
    return check_spans(raw, places, texts, Rules(0, warn=False), problems)


def _span_columns(
    objects: Objects, side: str, holders: Mapping[int, Mapping[str, object]], problems: Problems
) -> pl.DataFrame:
    """Violations, by the row of their line, as a table that `check_spans` takes; its numbers say the side as well."""
    numbers = [f"{objects.numbers[row]}, {side}" for row in holders]
    columns = {
        part: [
            _text(holder, part, f"{objects.name}, {objects.unit} {number}", problems.spans)
            for number, holder in zip(numbers, holders.values(), strict=True)
        ]
        for part in SPAN_COLUMNS
    }
    return text_frame(columns, objects.name).select(
        pl.Series(LINE, list(holders), pl.UInt32),
        pl.Series(NUMBER, numbers, pl.String),
        pl.lit(None, pl.UInt32).alias(NTH),
        *SPAN_COLUMNS,
    )


# --- judgments ---


def _pair(frame: pl.DataFrame, sides: Sequence[pl.DataFrame]) -> pl.Series:
    """A number per line, the same for the same two violations of one text."""
    names = [name for name in SPANS if name != PLACE]
    columns = [side[name].alias(f"{place}{name}") for place, side in enumerate(sides) for name in names]
    return pl.DataFrame([frame[GROUP], *columns]).select(pl.struct(pl.all()).rank("dense") - 1).to_series()


def _distinct(objects: Objects, frame: pl.DataFrame) -> tuple[list[int], list[str]]:
    """The rows that are judgments, each judge's of a pair once, and warnings. Raises DataError for two answers."""
    seen: dict[tuple[int, str], tuple[bool, int]] = {}
    findings, chosen, twice, empty = Findings(), [], 0, 0
    for row, (number, judge, same, pair) in enumerate(frame.select(NUMBER, JUDGE, SAME, PAIR).iter_rows()):
        if same is None:
            empty += 1
            continue
        first, by = seen.setdefault((pair, judge), (same, number)) if judge is not None else (same, number)
        if first != same:
            findings.add(
                f"{objects.name}, {objects.unit} {number}, {SAME}: expected one answer of {judge:.60} on a pair; "
                f"{objects.unit} {by} says {_WORDS[first]}, this one {_WORDS[same]}"
            )
        elif by != number:
            twice += 1
        else:
            chosen.append(row)
    findings.settle(drop=False)
    if not chosen:
        raise DataError(
            f"{objects.name}: nothing is judged yet: expected true or false for {SAME} in some {objects.unit}"
        )
    warnings = []
    if empty:
        are = "pair is" if empty == 1 else "pairs are"
        warnings.append(f"{empty:,} of {frame.height:,} {are} not judged yet, and left out")
    if twice:
        count = "judgment that a judge gave twice counts" if twice == 1 else "judgments given twice count"
        warnings.append(f"{twice:,} {count} once")
    return chosen, warnings


# --- writing ---


def write_pairs(pairs: Iterable[Mapping[str, object]], path: Path) -> None:
    """Write pairs as JSON lines, a pair per line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(pair, ensure_ascii=False, allow_nan=False) + "\n" for pair in pairs)


def check_unjudged(path: Path) -> None:
    """Raises OptionError for a file that is there and holds judgments, or anything but pairs yet to be judged."""
    if not path.exists():
        return
    try:
        values = read_objects(Source(str(path), "jsonl", path=path)).values
    except (DataError, OSError):
        values = [None] if path.is_dir() or path.stat().st_size else []
    if not all(isinstance(value, dict) and set(SIDES) <= value.keys() for value in values):
        raise OptionError(f"{path}: there is something else of that name; name a new file")
    judged = sum(isinstance(value, dict) and value.get(SAME) is not None for value in values)
    if judged:
        raise OptionError(f"{path}: holds {judged:,} of people's judgments, which would be lost; name a new file")
