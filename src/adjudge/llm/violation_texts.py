"""Texts and rules that models are asked about, and the files of violations that they find or plant."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.llm.checking import Rule, TextMarks, checked_lines
from adjudge.options.shared import Reading
from adjudge.readers.inputs import source_beside, source_of
from adjudge.readers.io.source import How, Source
from adjudge.readers.problems import count_words
from adjudge.readers.spans.violations import KNOWN_COLUMNS, SpanReading, read_truth
from adjudge.readers.tables import read_texts, scan, schema_of
from adjudge.render.files import write_lines
from adjudge.schemas.columns import mapped_columns
from adjudge.schemas.violations import PLACE


def texts_of(
    texts: object, columns: Mapping[str, str] | None = None, how: How | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Texts by id, and what was done to read them.

    Raises DataError where one has no text, and for an id that appears twice.
    """
    source = source_of(texts, how, "violations")
    mapped = mapped_columns(columns or {}, KNOWN_COLUMNS)
    found, told = _texts_alone(source, mapped), source.warnings
    if found is None:
        read = read_truth(source, SpanReading(columns=mapped))
        found, told = read.texts, (*told, *read.warnings)
    empty = found.filter(found["text"].is_null())["id"]
    if len(empty):
        raise DataError(f"{source.name}: expected a text of each id; {empty[0] or 'a row without id':.60} has none")
    twice = found.filter(found["id"].is_duplicated() | found["id"].is_null())["id"]
    if len(twice):
        got = f"{twice[0]:.60} twice" if twice[0] else "a text without id"
        raise DataError(f"{source.name}: expected an id of each text, each once; got {got}")
    return dict(found.select("id", "text").iter_rows()), told


def _texts_alone(source: Source, mapped: Mapping[str, str]) -> pl.DataFrame | None:
    """A table of id and text that says nothing of violations; None for anything else."""
    theirs = {name: mapped.get(name, name) for name in ("id", "text")}
    marks = {mapped.get(name, name) for name in ("violations", "start", "end", "context", "spans")}
    try:
        names = set(schema_of(source, scan(source)).names())
    except DataError:
        return None
    return read_texts(source, theirs) if names >= set(theirs.values()) and not names & marks else None


def rules_of(table: object, reading: Reading) -> tuple[list[Rule], tuple[str, ...]]:
    """The rules in a table of rule, description and category (the last two may be missing), and how it was read.

    Raises DataError for a table without rules, and for a rule that appears twice.
    """
    source = source_beside(table, reading)
    columns = ("rule", "description", "category")
    rows = read_texts(source, {name: name for name in columns}, columns).to_dicts()
    names = [row["rule"] for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if None in names or twice is not None:
        got = "a row without one" if None in names else f'"{twice}" twice'
        raise DataError(f"{source.name}: expected a row per rule, with its name in the column rule; got {got}")
    return [Rule(row["rule"], row["description"] or row["rule"], row["category"]) for row in rows], source.warnings


def truth_of(texts: object, name: str) -> pl.DataFrame:
    """A text with its true violations, as a table."""
    source = source_of(texts, evaluation="violations")
    found = read_truth(source, SpanReading())
    row = found.texts.with_row_index(PLACE).filter(pl.col("id") == name)
    spans = found.spans.join(row.select(pl.col(PLACE).cast(pl.UInt32)), on=PLACE, how="semi").drop(PLACE)
    return row.select("id", "text").with_columns(violations=pl.lit(pl.Series([spans.to_dicts()])))


def write_checked(texts: Mapping[str, str], name: str, found: TextMarks, output: Path) -> list[str]:
    """Write what a checker found in texts, and say what of it has no place or no answer. name: the checker's."""
    lines = checked_lines(found, texts, name)
    write_lines(lines, output)
    nowhere = sum("invented" in one for line in lines for one in line["violations"] or ())
    left = sum(line["violations"] is None for line in lines)
    inexact = sum(one.is_inexact for many in found.values() if isinstance(many, list) for one in many)
    differs = count_words(inexact, "quote differs", "quotes differ")
    invented = count_words(nowhere, "quote is", "quotes are")
    silent = count_words(left, "text was not answered: its line says", "texts were not answered: their lines say")
    return [
        *([f"{differs} from the text in signs or spelling and stand where the text is nearest"] if inexact else []),
        *([f"{invented} not in the text and counted as invented, without a place"] if nowhere else []),
        *([f"{silent} why"] if left else []),
    ]


def write_planted(planted: tuple[list[dict[str, Any]], int], output: Path) -> list[str]:
    """Write planted violations, and say how many there are."""
    lines, removed = planted
    write_lines(lines, output)
    violations = count_words(sum(len(line["violations"]) for line in lines), "violation", "violations")
    return [f"{violations} in {count_words(len(lines), 'text', 'texts')}, {removed:,} removed by review"]
