"""Karat's own JSON lines: a text per line, with its violations. A JSON array of the same objects reads alike.

    {"id": "t1", "text": "Cures headache.", "violations": [{"start": 0, "end": 5, "rule": "no medical claims"}]}

A violation has start and end, or context (what it quotes) and perhaps position (about where); it may have rule,
category, explanation and correction. One that is predicted may instead have invented: words that it quotes and the text
does not hold. A line may name its annotator, or its checker.
"""

from collections.abc import Mapping
from itertools import chain

import polars as pl

from karat.formats.documents import Objects, kind, objects_of
from karat.formats.findings import Findings, left_out
from karat.formats.marked import LINE_COLUMNS, SPAN_COLUMNS, Names, Raw, raw_of, sound
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.tables import collect, scan, schema_of
from karat.formats.violations import VIOLATIONS, Options


def read_violation_lines(found: Opened[Options]) -> Raw:
    """The lines and their violations. Keys of violations that Karat does not know are counted in a warning.

    Raises OptionError for a name that no line holds.
    """
    names = found.options
    objects = _nested(found) if _has_lists(found) else found.objects
    key, findings = names.theirs(VIOLATIONS), Findings(objects.unit)
    lines = sound(objects, lambda value: _wrong(value, key), findings)
    holders = lines.values
    names.check(objects.name, holders, (*LINE_COLUMNS, VIOLATIONS))
    parts = {part: names.theirs(part) for part in SPAN_COLUMNS}
    lists = [holder[key] for holder in holders]
    raw = raw_of(lines, lists, names, parts, findings, len(objects.values))
    plain = [one for one in chain.from_iterable(lists) if type(one) is dict]
    Names(names.columns).check(objects.name, plain, SPAN_COLUMNS)
    return raw.warned(left_out(chain.from_iterable(plain), list(parts.values()), "keys of violations"))


def _wrong(holder: Mapping[str, object], key: str) -> str | None:
    """What is wrong with an object that should hold a list of violations."""
    if isinstance(holder.get(key), list):
        return None
    got = kind(holder[key]) if key in holder else "nothing"
    return f", {key}: expected a list (empty where there are none); got {got}"


def _has_lists(found: Opened[Options]) -> bool:
    """Whether a table has a column with lists of violations."""
    if found.is_json or found.source.format in {"csv", "tsv"}:
        return False
    schema = schema_of(found.source, scan(found.source))
    return isinstance(schema.get(found.theirs(VIOLATIONS)), pl.List | pl.Array)


def _nested(found: Opened[Options]) -> Objects:
    """The rows of a table that has a column with lists of violations, as a JSON file would hold them.

    What such a column lacks is null in it, which is left out of what Karat has no name for.
    """
    frame, key = scan(found.source), found.theirs(VIOLATIONS)
    known = {found.theirs(part) for part in SPAN_COLUMNS}
    table = collect(found.source, frame.select(pl.exclude(pl.Object)))
    objects = objects_of(table, found.source.name)
    for one in chain.from_iterable(row[key] or () for row in objects.values):
        for name in [*one] if isinstance(one, dict) else ():
            if one[name] is None and name not in known:
                del one[name]
    return objects


def _looks_like(found: Opened[Options]) -> bool:
    """Whether any of the first objects, or the table, holds lists of violations."""
    if found.is_json:
        return any(found.theirs(VIOLATIONS) in value for value in found.first)
    return _has_lists(found)


FORMAT = Format("violations", "violations", read_violation_lines, _looks_like, 1, (".jsonl", ".json"))
