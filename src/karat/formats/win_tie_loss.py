"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the trusted one (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

`id` may be left out of all items: then an item's position counts, from 1. A verdict may hold `"skipped": true`.
Further text at the top of an item (a prompt, a language, a week) can be named with `by` and `cluster`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from karat.errors import DataError, OptionError
from karat.formats.documents import Repeated, kind, plain_text, text_frame
from karat.formats.findings import Findings, said_twice
from karat.formats.judgments import Options, Part, Parts
from karat.formats.opened import Opened
from karat.formats.registry import Format
from karat.formats.tables import BESIDE, ROW
from karat.schemas.columns import asked_of, check_there

_VERDICT = {"flag": "item_flag", "label": "best", "skipped": "skipped"}
_SIDES = ("output_values", "QC")
_NAMES = {"item": "id", "flag": "item_flag", "label": "best"}


@dataclass(slots=True)
class _Reading:
    """What has been read so far. columns: of each side. further: names at the top of items that become columns."""

    name: str
    further: Sequence[str]
    beside: Sequence[str]
    positions: bool
    reference_needed: bool
    columns: dict[str, dict[str, list[str | None]]] = field(init=False)
    findings: Findings = field(default_factory=Findings)
    bad_items: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        names = ("item", "annotator", *_VERDICT, *self.further, *(BESIDE + name for name in self.beside), ROW)
        self.columns = {side: {name: [] for name in names} for side in _SIDES}

    def problem(self, number: int, where: str, expected: str) -> None:
        self.findings.add(f"{self.name}, item {number}{where}: {expected}")
        self.bad_items.add(number)


def read_win_tie_loss(found: Opened[Options]) -> Parts:
    """Both sides as long tables of text. Items with a wrong structure are left out of both.

    Raises DataError where the document is no list of items, OptionError for names that no item has.
    """
    name, options, document = found.source.name, found.options, found.document
    if options.columns.keys() - {"cluster"}:
        raise OptionError(f"{name}: the names in win-tie-loss JSON are fixed; columns can only say cluster=...")
    cluster = options.columns.get("cluster")
    further = list(dict.fromkeys([*options.by, *([cluster] if cluster else [])]))
    items = [item for item in document if isinstance(item, dict)] if isinstance(document, list) else []
    known = dict.fromkeys(key for item in items for key in item)
    check_there(name, asked_of(options.by, cluster) if items else (), known)
    if not isinstance(document, list) or not document:
        raise DataError(f"{name}: expected a list of items; got {kind(document)}")
    texts = {key for item in items for key, value in item.items() if isinstance(value, str) and key != "id"}
    beside = sorted(texts.difference(further, _SIDES))
    positions = all(item.get("id") is None for item in items)
    reading = _Reading(name, further, beside, positions, reference_needed=not options.reference)
    for number, item in enumerate(document, 1):
        _read_item(reading, number, item)
    reading.findings.dropped = reading.findings.reasons["structure"] = len(reading.bad_items)
    sides = [_side(reading, side, cluster) for side in _SIDES]
    parts = [
        Part(found.source, "item", texts, _NAMES, trusted=trusted, positions=positions)
        for texts, trusted in zip(sides, (False, True), strict=True)
    ]
    return parts, reading.findings


def _side(reading: _Reading, side: str, cluster: str | None) -> pl.LazyFrame:
    kept = ~pl.col(ROW).cast(pl.Int64).is_in(sorted(reading.bad_items))
    frame = text_frame(reading.columns[side], reading.name).filter(kept).with_columns(pl.col(ROW).cast(pl.UInt32))
    return (frame.with_columns(pl.col(cluster).alias("cluster")) if cluster else frame).lazy()


def _read_item(reading: _Reading, number: int, item: object) -> None:
    if not isinstance(item, dict):
        reading.problem(number, "", f"expected an object; got {kind(item)}")
        return
    top = _scalars(reading, number, "", item, {"item": "id", **{name: name for name in reading.further}})
    if reading.positions:
        top["item"] = str(number)
    texts = {BESIDE + name: text for name in reading.beside if isinstance(text := item.get(name), str)}
    shared: dict[str, str | None] = {**top, **texts, ROW: str(number)}
    for side in _SIDES:
        verdicts = item.get(side)
        if side == "QC" and not verdicts and not reading.reference_needed:
            continue
        if not isinstance(verdicts, dict) or (side == "QC" and not verdicts):
            got = "nothing" if side not in item else kind(verdicts)
            reading.problem(number, f", {side}", f"expected an object of annotator -> verdict; got {got}")
            continue
        if isinstance(verdicts, Repeated):
            twice = ", ".join(verdicts.repeated)
            reading.problem(number, f", {side}", f"expected each annotator once; {twice} stands twice")
        for annotator, verdict in verdicts.items():
            _read_verdict(reading, number, side, annotator, verdict, shared)


def _read_verdict(
    reading: _Reading, number: int, side: str, annotator: str, verdict: object, shared: dict[str, str | None]
) -> None:
    where = f", {side}, {annotator:.60}"
    if not isinstance(verdict, dict):
        reading.problem(number, where, f"expected an object with item_flag and best; got {kind(verdict)}")
        return
    row = {"annotator": annotator, **_scalars(reading, number, where, verdict, _VERDICT), **shared}
    for name, column in reading.columns[side].items():
        column.append(row.get(name) or None)


def _scalars(
    reading: _Reading, number: int, where: str, holder: dict[str, object], names: Mapping[str, str]
) -> dict[str, str | None]:
    if isinstance(holder, Repeated):
        reading.problem(number, where, said_twice(holder.repeated))
    found = {}
    for name, theirs in names.items():
        value = holder.get(theirs)
        if isinstance(value, list | dict):
            reading.problem(number, f"{where}, {theirs}", f"expected text, a number or true/false; got {kind(value)}")
        found[name] = plain_text(value)
    return found


def _looks_like(found: Opened[Options]) -> bool:
    """Whether some item has output_values or QC."""
    return (
        found.source.format == "json"
        and isinstance(found.document, list)
        and any(isinstance(item, dict) and not item.keys().isdisjoint(_SIDES) for item in found.document)
    )


FORMAT = Format("win-tie-loss", "reliability", read_win_tie_loss, _looks_like, endings=(".json",))
