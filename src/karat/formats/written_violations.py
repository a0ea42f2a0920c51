"""Violations as Karat's own lines: one for each text and each who looked at it, with what they marked."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, KaratError
from karat.formats.conversion import Conversion, Settings
from karat.formats.findings import Findings, keys_said, listed
from karat.formats.json_lines import blocks
from karat.formats.marked import FURTHER, LINE
from karat.formats.marked_lines import every_line
from karat.formats.marked_spans import check_spans
from karat.formats.merged_tables import FILE, agreeing
from karat.formats.opened import format_of, opened
from karat.formats.scratch import scratch_file
from karat.formats.source import Source
from karat.formats.tables import height_of
from karat.formats.violations import KNOWN_COLUMNS, VIOLATIONS, Options, read_raw
from karat.formats.written_tables import NESTED, Table, further_columns, unwritten
from karat.schemas.columns import constants_of, mapped_columns
from karat.schemas.replies import OUTCOME, UNANSWERED
from karat.schemas.violations import ID, INVENTED, SEVERITY, TEXT, TEXT_PARTS

_WHO = ("annotator", "checker")
_KEYS = (ID, *_WHO)
_PARTS = ("start", "end", *TEXT_PARTS, INVENTED, SEVERITY)
_FIRST, _HASH = "__first__", "__hash__"
_TABLES = (VIOLATIONS, "spans")
"""Formats that may hold further columns."""

IN_MEMORY = 1 << 26
"""Size of a file, in bytes, from which on its lines are read piece by piece."""


def _read(sources: Sequence[Source], values: Settings) -> Table:
    """The violations of all files. Raises DataError with all that is wrong with one of them, and for all clashes."""
    drop = values["on_invalid"] == "drop"
    columns = mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constants_of(values))
    options = Options(columns, offset_base=values["offset_base"], drop=drop, predictions=True)
    read = [_file(one, options) for one in sources]
    names, findings = [one.name for one in sources], Findings("line")
    frame = read[0][0] if len(read) == 1 else _merged([one for one, _ in read], names, findings)
    settled = findings.settle(drop=drop)
    counts = frame.select(pl.all().count()).collect(engine="streaming")
    if not counts[ID].item():
        raise DataError(f"{listed(names, say=str)}: no text is left after dropping")
    known = (*KNOWN_COLUMNS, OUTCOME)
    left = [unwritten(one, further_columns(opened(one, options), "violations", known, _TABLES)) for one in sources]
    told = tuple(chain(*(warnings for _, warnings in read), settled, *left))
    lines = {name: height_of(one) for name, (one, _) in zip(names, read, strict=True)}
    said = [name for name in counts.columns if name == VIOLATIONS or counts[name].item()]
    who = tuple(name for name in said if name == "annotator")
    always = frozenset((VIOLATIONS,))
    return Table(lines, frame.select(said), (VIOLATIONS,), told, who, always, spread=VIOLATIONS)


# --- one file ---


def _file(source: Source, options: Options) -> tuple[pl.LazyFrame, list[str]]:
    """The lines that say what a file says, and warnings. Raises DataError with all that is wrong."""
    if (frame := _in_pieces(source, options)) is not None:
        return frame, []
    whole, warnings = _whole(source, options)
    return whole.lazy(), warnings


def _in_pieces(source: Source, options: Options) -> pl.LazyFrame | None:
    """The lines of a large file of Karat's own, read piece by piece into temporary files, in bounded memory.

    None for other files, and where there is anything to say that must be seen as a whole: what is wrong, what to warn
    of, and texts that some lines leave to others.
    """
    if source.path is None or source.format != "jsonl" or source.path.stat().st_size <= IN_MEMORY:
        return None
    form, parts = format_of("violations", opened(source, options)), list[Path]()
    for block in blocks(source) if form is not None and form.name == VIOLATIONS else ():
        piece = scratch_file(".jsonl")
        piece.write_bytes(block.content)
        try:
            lines, warnings = _whole(replace(source, path=piece), options)
        except KaratError:  # or a name that only other pieces have: reading the whole says what is the case
            return None
        finally:
            piece.unlink()
        if warnings or lines[TEXT].null_count():
            return None
        parts.append(scratch_file(".parquet"))
        lines.write_parquet(parts[-1])
    frame = pl.scan_parquet(parts) if parts else None
    return None if frame is None or _clash(frame) else frame


def _clash(frame: pl.LazyFrame) -> bool:
    """Whether lines of several pieces say different things of one text, or name their annotators in different ways."""
    keys = frame.select(*_KEYS, pl.col(TEXT).hash().alias(_HASH)).collect(engine="streaming")
    if keys.select(pl.struct(_KEYS).is_duplicated().any()).item():
        return True
    several = keys.select(ID, _HASH).unique().height > keys[ID].n_unique()
    return several or any(keys[name].null_count() not in (0, keys.height) for name in _WHO)


def _whole(source: Source, options: Options) -> tuple[pl.DataFrame, list[str]]:
    """The lines that say what a file says, and warnings. Offsets count from 0, and stand in the place of quotes.

    Raises DataError with all that is wrong.
    """
    raw = read_raw(source, options)
    frame, lines, texts = every_line(raw)
    predicted = raw.lines["checker"].count() + raw.spans[INVENTED].count() > 0
    base = options.offset_base if raw.based else 0
    spans, warnings = check_spans(raw, lines, texts, base=base, predictions=predicted)
    dropped = raw.settle(drop=options.drop)
    if frame.is_empty():
        raise DataError(f"{source.name}: expected at least one text; none is left")
    return _lines(frame, spans, texts), [*raw.warnings, *dropped, *warnings]


def _lines(frame: pl.DataFrame, spans: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """A line for each text and each who looked at it, also where the file has a row per violation."""
    told = pl.col(FURTHER + OUTCOME) if FURTHER + OUTCOME in frame.columns else pl.lit(None, pl.String)
    rows = frame.select(LINE, *_KEYS, told.alias(OUTCOME)).with_columns(pl.col(LINE).first().over(_KEYS).alias(_FIRST))
    marks = spans.join(rows.select(LINE, _FIRST), on=LINE, how="left", maintain_order="left")
    marked = marks.group_by(_FIRST, maintain_order=True).agg(pl.struct(_PARTS).alias(VIOLATIONS))
    lines = rows.filter(pl.col(LINE) == pl.col(_FIRST)).join(marked, on=_FIRST, how="left", maintain_order="left")
    lines = lines.join(texts.select(ID, TEXT), on=ID, how="left", maintain_order="left")
    found = pl.col(VIOLATIONS).fill_null(pl.lit([], marked.schema[VIOLATIONS]))
    answered = pl.col(OUTCOME).is_in(UNANSWERED).fill_null(value=False).not_()
    return lines.select(ID, TEXT, *_WHO, OUTCOME, pl.when(answered).then(found))


# --- several files ---


def _merged(files: Sequence[pl.LazyFrame], names: Sequence[str], findings: Findings) -> pl.LazyFrame:
    """The lines of several files as those of one; texts at which anything clashes are findings, and left out.

    Raises DataError where some files say whose lines theirs are, and others do not.
    """
    _check_named(files, names)
    every = pl.concat([one.with_columns(pl.lit(nth).alias(FILE)) for nth, one in enumerate(files)])
    keys = every.select(*_KEYS, FILE, pl.col(TEXT).hash().alias(_HASH)).collect(engine="streaming")
    hashes = keys.group_by(ID, maintain_order=True).agg(pl.col(_HASH).drop_nulls().n_unique())
    differing = hashes.filter(pl.col(_HASH) > 1)[ID].implode()
    texts = every.filter(pl.col(ID).is_in(differing)).select(ID, TEXT, FILE).collect(engine="streaming")
    agreeing(texts, [ID], [TEXT], names, findings)
    others = keys.filter(~pl.col(ID).is_in(differing))
    twice = others.filter(pl.struct(_KEYS).is_duplicated()).group_by(_KEYS, maintain_order=True).agg(FILE)

    def say(row: dict[str, Any]) -> str:
        first, second = (names[place] for place in row[FILE][:2])
        return f"{keys_said(row, _KEYS)}: expected one line; there is one in {first} and one in {second}"

    findings.add_each(twice, say, dropped=others.join(twice, on=ID, how="semi").height)
    wrong = [*differing.explode().drop_nulls(), *twice[ID]]
    return every.filter(~pl.col(ID).is_in(wrong)).drop(FILE) if wrong else every.drop(FILE)


def _check_named(files: Sequence[pl.LazyFrame], names: Sequence[str]) -> None:
    """Raises DataError where the files do not all say, in the same way, whose lines theirs are."""
    counts = [one.select(pl.col(_WHO).count()).collect(engine="streaming") for one in files]
    said = [next((one for one in _WHO if lines[one].item()), None) for lines in counts]
    if len(set(said)) > 1:
        found = listed(f"{one or 'neither'} in {name}" for one, name in zip(said, names, strict=True))
        raise DataError(
            f"expected files that all name annotators, or all name checkers, or none; got {found}. "
            "Convert each alone, with --set annotator=NAME where one person's file lacks it"
        )


def _holds(columns: Collection[str]) -> bool:
    return "id" in columns and ({"start", "end"} <= {*columns} or "context" in columns)


CONVERSION = Conversion(
    "violations",
    "line",
    {**NESTED, ".csv": "csv", ".tsv": "tsv"},
    ("pseudonyms", "offset_base"),
    lambda _: KNOWN_COLUMNS,
    _holds,
    _read,
)
