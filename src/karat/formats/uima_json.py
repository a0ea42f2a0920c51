"""UIMA CAS JSON, which INCEpTION exports: a document's text, and what is marked in it, as feature structures.

{"%TYPES": {}, "%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Cures headache."},
 {"%ID": 7, "%TYPE": "webanno.custom.Claim", "@sofa": 1, "begin": 0, "end": 5, "value": "claim"}], "%VIEWS": {}}
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from karat.errors import DataError
from karat.formats.documents import Number, kind, not_plain, plain_text
from karat.formats.findings import Findings
from karat.formats.marked import Names, Raw, Record, raw_of
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import ID, TEXT, TEXT_PARTS
from karat.text.units import code_points

_ALL, _TYPE, _TEXT = "%FEATURE_STRUCTURES", "%TYPE", "sofaString"
_STRUCTURE = re.compile(r"(uima|de\.tudarmstadt\.ukp\.dkpro\.core\.api\.(lexmorph|segmentation|syntax|metadata))\.")
"""Types that say what a document and its tokens are, and mark nothing."""
_OWN = re.compile(r"[%@^].*|begin|end|order|uiOrder")
"""Features that are no values of an annotation; those with a sign before them are references to others."""


def read_uima_json(found: Opened[Options]) -> Raw:
    """The one document of a file, called as its title, else the file. The first feature with a value is the rule.

    Without any, the name of the type is. A feature that is called like a part of a violation is that part. Types of
    grammar are left out; further features and structures without a place are counted in a warning.
    """
    source, findings = found.source, Findings("document")
    found.options.check_unused(source.name, "UIMA CAS JSON")
    every = _structures(source.name, found.document)
    text = next((one[_TEXT] for one in every if isinstance(one.get(_TEXT), str)), None)
    if text is None:
        raise DataError(f"{source.name}: expected the text of a document ({_TEXT}); got none")
    title = next((one["documentTitle"] for one in every if plain_text(one.get("documentTitle"))), source.stem)
    points, left = {str(unit): str(point) for unit, point in code_points(text).items()}, Counter[str]()
    marks = [mark for one in every if (mark := _mark(one, points, left))]
    holder = {ID: str(title), TEXT: text}
    raw = raw_of(source.name, "document", [Record(1, holder, marks)], Names(), findings, 1)
    told = ", ".join(f"{what} {count:,}" for what, count in (+left).items())
    return raw.warned([f"what is no rule is left out: {told}"] if told else [])


def _structures(name: str, document: object) -> list[dict[str, Any]]:
    """All structures of a document. Raises DataError where they are no list, or no object of objects."""
    held = document.get(_ALL) if isinstance(document, dict) else None
    every = list(held.values()) if isinstance(held, dict) else held
    if not isinstance(every, list):
        raise DataError(f"{name}, {_ALL}: expected a list; got {kind(every)}")
    for number, one in enumerate(every, 1):
        if wrong := not_plain(one):
            raise DataError(f"{name}, {_ALL} {number}: {wrong}")
    return every


def _mark(one: Mapping[str, Any], points: Mapping[str, str], left: Counter[str]) -> dict[str, str | None] | None:
    """An annotation as a violation; None for what is none. Offsets are of UTF-16, as Java counts."""
    name = plain_text(one.get(_TYPE)) or ""
    if _STRUCTURE.match(name):
        return None
    if not isinstance(one.get("begin"), Number) or not isinstance(one.get("end"), Number):
        left["structures without a place"] += 1
        return None
    said = {key: text for key, value in one.items() if not _OWN.fullmatch(key) and (text := _value(value))}
    parts = {part: text for part, text in said.items() if part in TEXT_PARTS}
    rules = [text for key, text in said.items() if key not in parts]
    left["further features"] += len(rules[1:])
    first, last = (points.get(one[end], str(one[end])) for end in ("begin", "end"))
    rule = rules[0] if rules else name.rpartition(".")[2]
    return {"start": first, "end": last, "rule": rule, **parts}


def _value(value: object) -> str | None:
    return None if isinstance(value, list | dict) else plain_text(value)


def _looks_like(found: Opened[Options]) -> bool:
    return found.is_json and any(_ALL in value for value in found.first)


FORMAT = Format("uima-json", "violations", read_uima_json, _looks_like, 2, (".json",))
