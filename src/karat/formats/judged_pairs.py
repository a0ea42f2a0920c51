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
from karat.formats.documents import kind, not_plain, plain_text, text_frame
from karat.formats.findings import Findings, counted
from karat.formats.marked import LINE, NTH, NUMBER, SPAN_COLUMNS, Raw
from karat.formats.marked_spans import Rules, check_spans
from karat.formats.objects import Objects, read_objects
from karat.formats.registry import container
from karat.formats.source import Source
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
    lines, spans = Findings(objects.unit), Findings("violation")
    frame = _lines(objects, lines)
    sides = [_side(objects, side, frame, lines, spans) for side in SIDES]
    warnings = [warning for _, said in sides for warning in said]
    lines.join(spans)
    lines.settle()
    frame = frame.with_columns(_pair(frame, [spans for spans, _ in sides]).alias(PAIR))
    chosen, told = _distinct(objects, frame)
    rows = pl.Series(chosen, dtype=pl.UInt32)
    kept = frame[rows].select(pl.col(GROUP, PAIR).rank("dense") - 1, JUDGE, SAME)
    tables = [spans[rows].with_columns(kept[GROUP].cast(pl.UInt32).alias(PLACE)).select(*SPANS) for spans, _ in sides]
    return JudgedPairs(objects.name, kept, tables[0], tables[1], len(objects.values), (*told, *warnings))


# --- lines ---


def _lines(objects: Objects, findings: Findings) -> pl.DataFrame:
    """NUMBER, ID, TEXT, JUDGE, SAME and GROUP of each line; what is wrong with it goes to the findings."""
    rows: list[dict[str, str | None]] = []
    answers: list[bool | None] = []
    for where, value in objects.places():
        wrong = not_plain(value)
        holder = value if wrong is None else {}
        if wrong:
            findings.add(f"{where}: {wrong}")
        row = {name: _text(holder, name, where, findings) for name in (ID, TEXT, JUDGE)}
        if wrong is None and not row[ID] and not row[TEXT]:
            findings.add(f"{where}: expected a text or an id, which says what pairs belong together; got neither")
        rows.append(row)
        answers.append(_answer(holder, where, findings))
    texts = text_frame({name: [row[name] for row in rows] for name in (ID, TEXT, JUDGE)}, objects.name)
    said = pl.Series(SAME, answers, pl.Boolean)
    numbers = pl.Series(NUMBER, objects.numbers, pl.UInt32)
    return _grouped(objects, texts.with_columns(numbers, said), findings)


def _text(holder: Mapping[str, object], name: str, where: str, findings: Findings) -> str | None:
    """A text or a number as text; empty text is missing."""
    value = holder.get(name)
    if isinstance(value, list | dict):
        findings.add(f"{where}, {name}: expected text or a number; got {kind(value)}")
    return plain_text(value) or None


def _answer(holder: Mapping[str, object], where: str, findings: Findings) -> bool | None:
    value = holder.get(SAME)
    if value is None or isinstance(value, bool):
        return value
    findings.add(f"{where}, {SAME}: expected true or false; got {kind(value)}")
    return None


def _grouped(objects: Objects, frame: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """With the text of each id where a line lacks it, and GROUP: the id or, where no line has one, the text."""
    first = frame.filter(pl.all_horizontal(pl.col(ID, TEXT).is_not_null())).unique(
        ID, keep="first", maintain_order=True
    )
    known = first.select(ID, pl.col(TEXT).alias("known"), pl.col(NUMBER).alias("by"))
    joined = frame.join(known, on=ID, how="left", maintain_order="left")
    findings.add_each(
        joined.filter(pl.col(TEXT) != pl.col("known")),
        lambda row: (
            f"{objects.name}, {objects.unit} {row[NUMBER]}, {TEXT}: expected the text of {row[ID]:.60} in "
            f"{objects.unit} {row['by']}; got another"
        ),
    )
    ids = first.unique(TEXT, keep="first").select(TEXT, pl.col(ID).alias("named"))
    whole = joined.with_columns(pl.coalesce(TEXT, "known").alias(TEXT))
    whole = whole.join(ids, on=TEXT, how="left", maintain_order="left")
    group = pl.coalesce(ID, "named", pl.lit(_EMPTY) + pl.col(TEXT)).rank("dense") - 1
    return whole.select(NUMBER, ID, TEXT, JUDGE, SAME, group.alias(GROUP))


# --- violations ---


def _side(
    objects: Objects, side: str, lines: pl.DataFrame, bad_lines: Findings, bad_spans: Findings
) -> tuple[pl.DataFrame, list[str]]:
    """The violations of one side, a row per line where nothing is wrong, and warnings."""
    holders: dict[int, Mapping[str, object]] = {}
    for row, (where, value) in enumerate(objects.places()):
        if not_plain(value) is None:
            wrong = not_plain(value[side]) if side in value else "expected an object; got nothing"
            if wrong is None:
                holders[row] = value[side]
            else:
                bad_spans.add(f"{where}, {side}: {wrong}")
    spans = _span_columns(objects, side, holders, bad_spans)
    raw = Raw(objects.name, objects.unit, pl.DataFrame(), spans, lines.height, bad_lines, bad_spans)
    texts = lines.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    places = pl.int_range(lines.height, dtype=pl.UInt32, eager=True)
    return check_spans(raw, places, texts, Rules(0, warn=False))


def _span_columns(
    objects: Objects, side: str, holders: Mapping[int, Mapping[str, object]], findings: Findings
) -> pl.DataFrame:
    """Violations, by the row of their line, as a table that `check_spans` takes; its numbers say the side as well."""
    numbers = [f"{objects.numbers[row]}, {side}" for row in holders]
    columns = {
        part: [
            _text(holder, part, f"{objects.name}, {objects.unit} {number}", findings)
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
    findings.settle()
    if not chosen:
        raise DataError(
            f"{objects.name}: nothing is judged yet: expected true or false for {SAME} in some {objects.unit}"
        )
    warnings = []
    if empty:
        are = "pair is" if empty == 1 else "pairs are"
        warnings.append(f"{empty:,} of {frame.height:,} {are} not judged yet, and left out")
    if twice:
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
