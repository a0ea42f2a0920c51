"""Karat's own JSON lines: a text per line, with its violations. A JSON array of the same objects reads alike.

    {"id": "t1", "text": "Cures headache.", "violations": [{"start": 0, "end": 5, "rule": "no medical claims"}]}

A violation has start and end, or context (what it quotes) and perhaps position (about where); it may have rule,
category, explanation and correction. A line may name its annotator, or its checker.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import isfinite

import polars as pl

from karat.errors import OptionError, nearest
from karat.formats.documents import kind, parse
from karat.formats.marked import (
    FURTHER,
    LINE_COLUMNS,
    SPAN_COLUMNS,
    Names,
    Objects,
    Problems,
    Raw,
    join_id,
    lines_frame,
    not_plain,
    spans_frame,
    texts_of,
)
from karat.formats.source import Source
from karat.formats.tables import collect, scan, schema_of
from karat.schemas.violations import ID

VIOLATIONS = "violations"
"""The key of a line that holds its violations."""

_NAMED = 5


def nested_lines(source: Source, names: Names) -> Objects | None:
    """The rows of a table that has a column with lists of violations, as a JSON file would hold them; else None.

    What such a column lacks is null in it, which is left out of what Karat has no name for.
    """
    frame, key = scan(source), names.theirs(VIOLATIONS)
    schema = schema_of(source, frame)
    if not isinstance(schema.get(key), pl.List | pl.Array):
        return None
    known = {names.theirs(part) for part in SPAN_COLUMNS}
    rows = collect(source, frame.select(name for name, dtype in schema.items() if dtype != pl.Object)).to_dicts()
    for row in rows:
        for one in row[key] or ():
            for name in [*one] if isinstance(one, dict) else ():
                if one[name] is None and name not in known:
                    del one[name]
    text = json.dumps(_whole(rows), default=str)
    return Objects(source.name, "row", range(1, len(rows) + 1), parse(text, source.name))


def _whole(value: object) -> object:
    """A value of a table without decimals that are whole or no numbers, which tables with gaps have."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, float):
        return (int(value) if value.is_integer() else value) if isfinite(value) else None
    return value


def read_violation_lines(objects: Objects, names: Names) -> Raw:
    """The lines and their violations. Keys of violations that Karat does not know are counted in a warning.

    Raises OptionError for a name that no line holds.
    """
    problems = Problems()
    key = names.theirs(VIOLATIONS)
    kept = [index for index, value in enumerate(objects.values) if _is_line(objects, index, value, key, problems)]
    numbers = [objects.numbers[index] for index in kept]
    holders = [value for index in kept if isinstance(value := objects.values[index], dict)]
    check_names(objects.name, holders, names, (*LINE_COLUMNS, VIOLATIONS))
    columns, wrong = line_columns(holders, names, LINE_COLUMNS)
    for index, said in sorted(wrong.items()):
        problems.line(f"{objects.name}, {objects.unit} {numbers[index]}, {said}")
    good = [index for index in range(len(holders)) if index not in wrong]
    lines = Objects(objects.name, objects.unit, [numbers[index] for index in good], [holders[i] for i in good])
    parts = {part: names.theirs(part) for part in SPAN_COLUMNS}
    spans, plain = spans_frame(lines, [_listed(holders[index][key]) for index in good], parts, problems)
    _check_parts(objects.name, plain, names)
    chosen = {name: [column[index] for index in good] for name, column in columns.items()}
    frame = lines_frame(objects.name, lines.numbers, chosen)
    unknown = _unknown(plain, list(parts.values()))
    return Raw(objects.name, objects.unit, frame, spans, len(objects.values), problems, unknown)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_line(objects: Objects, index: int, value: object, key: str, problems: Problems) -> bool:
    """Whether a value is an object with a list of violations; else it is a problem."""
    said = not_plain(value)
    if said is None and isinstance(value, dict):
        found = value.get(key)
        if isinstance(found, list):
            return True
        got = kind(found) if key in value else "nothing"
        said = f"{key}: expected a list (empty where there are none); got {got}"
        problems.line(f"{objects.name}, {objects.unit} {objects.numbers[index]}, {said}")
        return False
    problems.line(f"{objects.name}, {objects.unit} {objects.numbers[index]}: {said}")
    return False


def line_columns(
    holders: Sequence[Mapping[str, object]], names: Names, wanted: Sequence[str]
) -> tuple[dict[str, list[str | None]], dict[int, str]]:
    """Columns of a table of lines from JSON objects, and what is wrong with some of these: index -> words."""
    wrong: dict[int, str] = {}

    def read(key: str) -> list[str | None]:
        texts, bad = texts_of(holders, key)
        for index, got in bad.items():
            wrong.setdefault(index, f"{key}: expected text or a number; got {got}")
        return texts

    columns = {name: read(names.theirs(name)) for name in wanted if name != ID}
    parts = [read(part) for part in names.id_parts(dict.fromkeys(chain.from_iterable(holders)))]
    columns[ID] = parts[0] if len(parts) == 1 else [join_id(row) for row in zip(*parts, strict=True)]
    further = {FURTHER + name: read(theirs) for name, theirs in names.further.items()}
    return columns | further, wrong


def check_names(
    name: str, holders: Sequence[Mapping[str, object]], names: Names, allowed: Sequence[str] = LINE_COLUMNS
) -> None:
    """Raises OptionError for columns, named in options, that no object of the file `name` holds."""
    found = list(dict.fromkeys(chain.from_iterable(holders)))
    asked = [(own, names.theirs(own)) for own in allowed if own in names.columns]
    for own, theirs in asked if found else ():
        for part in names.id_parts(found) if own == ID else [theirs]:
            if part not in found:
                listed = ", ".join(found)
                raise OptionError(
                    f"{name}: columns say {own}={theirs}, but no {part} is there{nearest(part, found)}; "
                    f"it holds {listed:.300}"
                )
    if found:
        names.check_further(name, found)


def _check_parts(name: str, plain: Sequence[Mapping[str, object]], names: Names) -> None:
    """Raises OptionError for parts of violations, named in options, that no violation has."""
    asked = {own: theirs for own, theirs in names.columns.items() if own in SPAN_COLUMNS}
    if asked and plain:
        check_names(name, plain, Names(asked), tuple(asked))


def _unknown(plain: Sequence[Mapping[str, object]], known: Sequence[str]) -> tuple[str, ...]:
    """A warning that names the keys of violations that are none of those known."""
    counts = Counter(chain.from_iterable(plain))
    extra = [(key, count) for key, count in counts.most_common() if key not in known]
    if not extra:
        return ()
    listed = [f'"{key:.60}"{nearest(key, known)} in {count:,}' for key, count in extra[:_NAMED]]
    more = f" and {len(extra) - _NAMED:,} more keys" if len(extra) > _NAMED else ""
    return (f"keys of violations that mean nothing to Karat are left out: {', '.join(listed)}{more}",)
