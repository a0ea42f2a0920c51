"""Pseudonyms of annotators, kept in a key file: CSV with the columns annotator and pseudonym."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from karat.errors import DataError
from karat.formats.findings import counted, listed
from karat.formats.source import decode
from karat.schemas.pairs import TRAIT, Annotator, Pairs

_COLUMNS = ["annotator", "pseudonym"]
_KEPT = frozenset((TRAIT, "rule", "model"))
"""Types of annotators that are no people, and keep their names."""


def read_key(path: Path) -> dict[str, str]:
    """Annotator -> pseudonym, as a key file says; empty where there is none yet. Raises DataError for another file."""
    if not path.exists():
        return {}
    rows = list(csv.reader(io.StringIO(decode(path.read_bytes(), str(path)), newline="")))
    if not rows or rows[0] != _COLUMNS or any(len(row) != len(_COLUMNS) for row in rows):
        raise DataError(f"{path}: expected a key file, CSV with the columns {' and '.join(_COLUMNS)}; got another file")
    for place, name in enumerate(_COLUMNS):
        said = [row[place] for row in rows[1:]]
        if twice := sorted({one for one in said if said.count(one) > 1}):
            raise DataError(f'{path}, column {name}: expected each once; "{twice[0]:.60}" stands several times')
    return dict(rows[1:])


def key_text(key: Mapping[str, str]) -> str:
    """A key as the text of its file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *key.items()])
    return text.getvalue()


def extended(key: Mapping[str, str], ids: Iterable[str]) -> dict[str, str]:
    """The key with pseudonyms for ids that have none yet.

    >>> extended({"ana": "annotator-1"}, ["ben", "ana", "annotator-2"])
    {'ana': 'annotator-1', 'ben': 'annotator-3', 'annotator-2': 'annotator-4'}
    """
    wanted, found, number = list(ids), dict(key), 0
    taken = {*wanted, *key.values()}
    for one in wanted:
        if one not in found:
            while (name := f"annotator-{(number := number + 1)}") in taken:
                pass
            found[one] = name
            taken.add(name)
    return found


def people(pairs: Pairs) -> list[Annotator]:
    """The annotators that get pseudonyms."""
    return [one for one in pairs.annotators if one.type not in _KEPT]


def anonymised(pairs: Pairs, key: Mapping[str, str]) -> Pairs:
    """The pairs with pseudonyms in the place of people's ids, without their names and descriptions."""
    renamed = {one.id: Annotator(key[one.id], type=one.type) for one in people(pairs)}
    annotators = tuple(renamed.get(one.id, one) for one in pairs.annotators)
    columns = {old.column: new.column for old, new in zip(pairs.annotators, annotators, strict=True)}
    default = renamed[pairs.default].id if pairs.default in renamed else pairs.default
    frame = pairs.frame.rename(columns)
    warnings = (*pairs.warnings, *_told(pairs, renamed))
    return replace(pairs, frame=frame, annotators=annotators, default=default, warnings=warnings)


def _told(pairs: Pairs, renamed: Mapping[str, Annotator]) -> list[str]:
    """What keeps its name though a reader may not expect it."""
    told = []
    if kept := len(pairs.annotators) - len(renamed):
        of_type = f"of type {listed(sorted(_KEPT))}"
        told.append(counted(kept, f"annotator {of_type} keeps its name", f"annotators {of_type} keep their names"))
    known = {said for one in people(pairs) for said in (one.id, one.name) if said}
    held = pairs.frame.select(pl.col(name).is_in(known).any() for name in pairs.metadata).collect()
    if names := [name for name in pairs.metadata if held[name].item()]:
        told.append(f"metadata are left as they are, and hold names of annotators: {listed(names)}")
    return told
