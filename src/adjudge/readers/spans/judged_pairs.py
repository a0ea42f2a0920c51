"""Pairs of violations that people judge as the same or not: JSON lines, tables, or tasks of Label Studio.

    {"id": "t1", "text": "Cures headache.", "predicted": {"start": 0, "end": 5, "rule": "no cures"},
     "ground_truth": {"start": 0, "end": 14, "rule": "no medical claims"}, "same": true, "judge": "ann"}

A violation is as everywhere: start and end, or context (what it quotes) and perhaps position; rule, category,
explanation, correction. What is not judged yet has null for same, or lacks it. A table has a column for each part of
each violation (predicted_start, ground_truth_rule ...). A task of Label Studio shows both violations in its text, and
asks for the choice `same`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.formats import container
from adjudge.readers.io.json_documents import Objects, kind, plain_text, read_each, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, counted
from adjudge.readers.spans.span_lines import agreeing
from adjudge.readers.spans.span_offsets import check_spans
from adjudge.readers.spans.span_records import FURTHER, LINE, NUMBER, SPAN_COLUMNS, Line, Options, Raw, raw_of
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import ID, PLACE, SPANS, TEXT
from adjudge.version import NAME

Pair = dict[str, Any]

GROUP, PAIR = "group", "pair"
SIDES = ("predicted", "ground_truth")
JUDGE, SAME = "judge", "same"
CHOICES = {"same": True, "not the same": False}
"""What people choose between in Label Studio."""

_FILE, _WHERE, _ROW = "file", "where", "row"
_EMPTY = "\x00"
_PARTS = ("start", "end", "context", *(part for part in SPAN_COLUMNS if part not in ("start", "end", "context")))
_WRITTEN = ("start", "end", "context", "rule", "category", "explanation", "correction")
_ANSWERS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, **CHOICES}
_WORDS = {True: "true", False: "false"}
_GUARDED = ("'=", "'+", "'-", "'@")
"""How text begins that a table of Adjudge's keeps spreadsheets from running as a formula."""


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
    frames, rows, warnings = zip(*(_of_file(source, named=len(files) > 1) for source in files), strict=True)
    name = ", ".join(source.name for source in files)
    frame = _grouped(pl.concat(frames)).with_columns(pl.struct(GROUP, *SIDES).rank("dense").alias(PAIR))
    judged, told = _distinct(name, frame)
    judged = judged.with_columns(pl.col(GROUP, PAIR).rank("dense") - 1)
    place = judged[GROUP].cast(pl.UInt32).alias(PLACE)
    predicted, truth = (judged[side].struct.unnest().with_columns(place).select(*SPANS) for side in SIDES)
    warnings = (*told, *(warning for of_file in warnings for warning in of_file))
    return JudgedPairs(name, judged.select(GROUP, PAIR, JUDGE, SAME), predicted, truth, rows, warnings)


def _of_file(source: Source, *, named: bool) -> tuple[pl.DataFrame, int, Sequence[str]]:
    """The pairs of a file (_FILE, _WHERE, ID, TEXT, JUDGE, SAME, and a struct for each side), rows read, and warnings.

    named: whether who judged is called as the file, where it does not say it.
    """
    objects = read_pairs(source)
    findings = Findings(objects.unit)
    records = [Line(line, marks, number=number) for number, (line, marks) in read_each(objects, _judged, findings)]
    names = Options(further={JUDGE: JUDGE})
    raw = raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), marks=SIDES)
    frame = _whole(raw)
    texts = frame.select(pl.coalesce(ID, pl.lit("the pair")).alias(ID), TEXT)
    spans, warnings = check_spans(raw, texts.with_row_index(LINE).with_row_index(PLACE), texts)
    raw.settle()
    same = pl.Series(SAME, [record.holder.get(SAME) for record in records], pl.Boolean)
    structs = spans.select(name for name in SPANS if name != PLACE).to_struct()
    sides = [structs.gather_every(len(SIDES), at).alias(side) for at, side in enumerate(SIDES)]
    frame = frame.with_columns(same, pl.lit(source.name).alias(_FILE), *sides)
    if named and not frame[JUDGE].count():
        frame = frame.with_columns(pl.lit(source.name).alias(JUDGE))
    return frame.select(_FILE, _WHERE, ID, TEXT, JUDGE, SAME, *SIDES), len(objects.values), warnings


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


def _distinct(name: str, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The rows that are judgments, each judge's of a pair once, and warnings. Raises DataError for two answers."""
    judged = frame.with_row_index(_ROW).filter(pl.col(SAME).is_not_null())
    judge = pl.coalesce(JUDGE, pl.lit(_EMPTY) + pl.col(_ROW).cast(pl.String))
    judged = judged.with_columns(pl.col(SAME, _ROW, _FILE, _WHERE).first().over(PAIR, judge).name.prefix("first_"))
    problems = [
        f"{row[_FILE]}, {row[_WHERE]}, {SAME}: expected one answer of {row[JUDGE]:.60} on a pair; {_place(row)} says "
        f"{_WORDS[row['first_' + SAME]]}, this one {_WORDS[row[SAME]]}"
        for row in judged.filter(pl.col(SAME) != pl.col("first_" + SAME)).iter_rows(named=True)
    ]
    if problems:
        raise DataError(problems)
    chosen = judged.filter(pl.col(_ROW) == pl.col("first_" + _ROW))
    if chosen.is_empty():
        unit = frame[_WHERE][0].partition(" ")[0]
        raise DataError(f"{name}: nothing is judged yet: expected true or false for {SAME} in some {unit}")
    warnings = []
    if empty := frame.height - judged.height:
        are = "pair is" if empty == 1 else "pairs are"
        warnings.append(f"{empty:,} of {frame.height:,} {are} not judged yet, and left out")
    if twice := judged.height - chosen.height:
        count = counted(twice, "judgment that a judge gave twice counts", "judgments given twice count")
        warnings.append(f"{count} once")
    return chosen, warnings


def _place(row: Mapping[str, str]) -> str:
    """Where a judge's first answer stands."""
    same_file = row[_FILE] == row["first_" + _FILE]
    return row["first_" + _WHERE] if same_file else f"{row['first_' + _FILE]}, {row['first_' + _WHERE]}"


# --- forms ---


def read_pairs(source: Source) -> Objects:
    """The pairs of a file in any of these forms, one for each judgment."""
    if source.table is None and source.format not in ("json", "jsonl"):
        table = collect(source, scan(source))
        if not _is_row(dict.fromkeys(table.columns)):
            raise DataError(
                f"{source.name}: expected pairs to judge, with columns such as predicted_start and ground_truth_start, "
                f"as {NAME} violations pairs writes them; got {', '.join(table.columns):.300}"
            )
        return Objects(source.name, "row", range(1, table.height + 1), [_nested(row) for row in table.to_dicts()])
    objects = read_objects(source, "judged pairs")
    if any(_is_row(value) for value in objects.values[:1]):
        return Objects(objects.name, objects.unit, objects.numbers, [_nested(value) for value in objects.values])
    if any(_is_task(value) for value in objects.values[:1]):
        numbered = zip(objects.numbers, objects.values, strict=True)
        found = [(number, pair) for number, task in numbered for pair in _answers(task)]
        return Objects(objects.name, "task", [number for number, _ in found], [pair for _, pair in found])
    return objects


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and any(f"{side}_{part}" in value for side in SIDES for part in _PARTS)


def _nested(row: Pair) -> Pair:
    """A row as a pair; empty cells say nothing."""
    said = {name: _cell(value) for name, value in row.items() if value is not None and value != ""}
    pair = {name: value for name, value in said.items() if not name.startswith(tuple(f"{side}_" for side in SIDES))}
    for side in SIDES:
        pair[side] = {part: said[f"{side}_{part}"] for part in _PARTS if f"{side}_{part}" in said}
    return pair | {SAME: _answer(pair.get(SAME))}


def _cell(value: object) -> object:
    return value[1:] if isinstance(value, str) and value.startswith(_GUARDED) else value


def _answer(said: object) -> object:
    """True or false where an answer says it in words."""
    return _ANSWERS.get(str(said).strip().lower(), said) if said is not None else None


def _is_task(value: object) -> bool:
    return isinstance(value, dict) and (PAIR in value or isinstance(value.get("data"), dict))


def _answers(task: object) -> Iterator[object]:
    """The pair of a task with each annotator's answer; once without any where nobody gave one."""
    holder = task if isinstance(task, dict) else {}
    data, annotations = holder.get("data", holder), holder.get("annotations") or []
    pair = data.get(PAIR) if isinstance(data, dict) else None
    if not isinstance(pair, dict) or not isinstance(annotations, list):
        yield task
    elif "data" not in holder:  # JSON-MIN
        yield pair | {SAME: _answer(holder.get(SAME)), JUDGE: plain_text(holder.get("annotator"))}
    else:
        given = [one for one in annotations if isinstance(one, dict) and not one.get("was_cancelled")]
        for one in given:
            who = one.get("completed_by")
            named = plain_text(who.get("email")) or who.get("id") if isinstance(who, dict) else who
            yield pair | {SAME: _chosen(one.get("result")), JUDGE: plain_text(named)}
        yield from () if given else (pair,)


def _chosen(results: object) -> object:
    """The answer among the results of an annotation; what is none is left to be refused."""
    if not isinstance(results, list | None):
        return [results]
    for result in results or ():
        if isinstance(result, dict) and result.get("from_name") == SAME and isinstance(result.get("value"), dict):
            choices = result["value"].get("choices") or [None]
            return _answer(choices[0] if isinstance(choices, list) else choices)
    return None


# --- written ---


def pair_row(pair: Mapping[str, Any]) -> Pair:
    """A pair as a row of a table."""
    sides = {f"{side}_{part}": pair[side].get(part) for side in SIDES for part in _WRITTEN}
    around = {name: value for name, value in pair.items() if name not in (*SIDES, SAME, JUDGE)}
    return around | sides | {SAME: None, JUDGE: None}


def task_of(pair: Mapping[str, Any]) -> Pair:
    """A pair as a task of Label Studio: both violations in words, and marked in the text."""
    text = pair["text"] or ""
    regions = [_region(text, side, pair[side]) for side in SIDES if text and pair[side]["start"] < pair[side]["end"]]
    shown = {side: _in_words(pair[side]) for side in SIDES}
    return {"data": {"text": text, **shown, PAIR: dict(pair)}, "predictions": [{"result": regions}]}


def _region(text: str, side: str, one: Mapping[str, Any]) -> Pair:
    """A violation as Label Studio marks it, in units of UTF-16."""
    start, end = (len(text[: one[name]].encode("utf-16-le")) // 2 for name in ("start", "end"))
    value = {"start": start, "end": end, "text": text[one["start"] : one["end"]], "labels": [side]}
    return {"from_name": "side", "to_name": "text", "type": "labels", "value": value}


def _in_words(one: Mapping[str, Any]) -> str:
    quote = f'"{one["context"]}"' if "context" in one else f"{one['start']} to {one['end']}"
    return "\n".join([quote, *(f"{part}: {one[part]}" for part in _WRITTEN[3:] if part in one)])


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
