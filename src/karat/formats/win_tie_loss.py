"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the trusted one (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

`id` may be left out of all items: then an item's position counts, from 1. A verdict may hold `"skipped": true`.
Further text at the top of an item (a prompt, a language, a week) can be named with `by` and `cluster`.
"""

from dataclasses import dataclass, field

import polars as pl

from karat.errors import DataError
from karat.formats.documents import Repeated, kind, scalar_text, text_frame
from karat.formats.tables import BESIDE, ROW

_VERDICT = {"flag": "item_flag", "label": "best", "skipped": "skipped"}
_SIDES = ("output_values", "QC")


def is_win_tie_loss(document: object) -> bool:
    """Whether a JSON document looks like win-tie-loss items: some item has output_values or QC."""
    return isinstance(document, list) and any(
        isinstance(item, dict) and not item.keys().isdisjoint(_SIDES) for item in document
    )


@dataclass(slots=True)
class _Reading:
    """What has been read so far: columns of both sides, and what is wrong."""

    name: str
    further: list[str]
    beside: list[str]
    prefix: str | None
    columns: dict[str, dict[str, list[str | None]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    bad_items: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        names = ("item", "annotator", *_VERDICT, *self.further, *(BESIDE + name for name in self.beside), ROW)
        self.columns = {side: {name: [] for name in names} for side in _SIDES}

    def problem(self, number: int, where: str, expected: str) -> None:
        self.problems.append(f"{self.name}, item {number}{where}: {expected}")
        self.bad_items.add(number)


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """Both sides as long tables of text: item, annotator, flag, label, skipped, the columns of the items, ROW.

    Other texts at the top of the items stand in columns with BESIDE before their names.

    problems: what is wrong with the structure. bad_items: the positions of the items it concerns,
    which are left out of both tables.
    """

    judgments: pl.DataFrame
    references: pl.DataFrame
    problems: tuple[str, ...]
    bad_items: frozenset[int]


def read_win_tie_loss(
    document: object, name: str, *, further: list[str], prefix: str, reference_needed: bool
) -> WinTieLoss:
    """A win-tie-loss document as two long tables.

    name: of the file, for messages. further: names at the top of the items to read as columns.
    prefix: stands before a position that serves as id. reference_needed: whether an item without QC
    is a problem. Raises DataError where the document is no list of items.
    """
    if not isinstance(document, list) or not document:
        raise DataError(f"{name}: expected a list of items; got {kind(document)}")
    items = [item for item in document if isinstance(item, dict)]
    with_id = any(item.get("id") is not None for item in items)
    texts = {key for item in items for key, value in item.items() if isinstance(value, str) and key != "id"}
    beside = sorted(texts.difference(further, _SIDES))
    reading = _Reading(name, further, beside, None if with_id else prefix)
    for number, item in enumerate(document, 1):
        _read_item(reading, number, item, reference_needed=reference_needed)
    kept = ~pl.col(ROW).cast(pl.Int64).is_in(sorted(reading.bad_items))
    frames = [
        text_frame(reading.columns[side], name).filter(kept).with_columns(pl.col(ROW).cast(pl.UInt32))
        for side in _SIDES
    ]
    return WinTieLoss(frames[0], frames[1], tuple(reading.problems), frozenset(reading.bad_items))


def _read_item(reading: _Reading, number: int, item: object, *, reference_needed: bool) -> None:
    if not isinstance(item, dict):
        reading.problem(number, "", f"expected an object; got {kind(item)}")
        return
    _no_repeats(reading, number, "", item)
    top = _scalars(reading, number, "", item, {"item": "id", **{name: name for name in reading.further}})
    if reading.prefix is not None:
        top["item"] = f"{reading.prefix}{number}"
    texts = {BESIDE + name: text for name in reading.beside if isinstance(text := item.get(name), str)}
    shared: dict[str, str | None] = {**top, **texts, ROW: str(number)}
    for side in _SIDES:
        verdicts = item.get(side)
        if side == "QC" and not verdicts and not reference_needed:
            continue
        if not isinstance(verdicts, dict) or (side == "QC" and not verdicts):
            got = "nothing" if side not in item else "an empty object" if verdicts == {} else kind(verdicts)
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
    _no_repeats(reading, number, where, verdict)
    row = {"annotator": annotator, **_scalars(reading, number, where, verdict, _VERDICT), **shared}
    for name, column in reading.columns[side].items():
        column.append(row.get(name) or None)


def _no_repeats(reading: _Reading, number: int, where: str, holder: dict[str, object]) -> None:
    if isinstance(holder, Repeated):
        reading.problem(number, where, f"expected each name once; {', '.join(holder.repeated)} stands twice")


def _scalars(
    reading: _Reading, number: int, where: str, holder: dict[str, object], names: dict[str, str]
) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name, theirs in names.items():
        try:
            found[name] = scalar_text(holder.get(theirs))
        except TypeError as got:
            found[name] = None
            reading.problem(number, f"{where}, {theirs}", f"expected text, a number or true/false; got {got}")
    return found
