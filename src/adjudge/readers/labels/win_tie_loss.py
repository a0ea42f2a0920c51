"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the trusted one (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

`id` may be left out of all items: then an item's position counts, from 1. A verdict may hold `"skipped": true`.
Further text at the top of an item (a prompt, a language, a week) can be named with `by` and `cluster`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.json_documents import Repeated, is_list, kind, list_elements, plain_text, text_frame
from adjudge.readers.io.source import Format
from adjudge.readers.labels.judgments import Options, Part, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, said_twice
from adjudge.readers.tables import BESIDE, ROW
from adjudge.schemas.columns import check_column_exists

_VERDICT = {"flag": "item_flag", "label": "best", "skipped": "skipped"}
_SIDES = ("output_values", "QC")
_TAKEN = ("id", *_SIDES)
_AT_ONCE = 2_000
"""Items that are held as objects at a time."""

_NAMES = {"item": "id", "flag": "item_flag", "label": "best"}
Row = dict[str, str | None]
_Verdict = tuple[str, Row]
"""What an annotator says, behind the side that it stands on."""


@dataclass(slots=True)
class _Read:
    """What was read so far: tables of each side, the names at the top of items, and whether no item has an id."""

    tables: dict[str, list[pl.DataFrame]] = field(default_factory=lambda: {side: [] for side in _SIDES})
    known: dict[str, None] = field(default_factory=dict)
    positions: bool = True


def read_win_tie_loss(found: Opened[Options]) -> Parts:
    """Both sides as long tables of text. Items with a wrong structure are left out of both.

    Items are read some at a time, since as objects they take many times their size in the file. Raises DataError where
    the document is no list of items, OptionError for names that no item has.
    """
    name, options = found.source.name, found.options
    if options.columns.keys() - {"cluster"}:
        raise OptionError(f"the names in win-tie-loss JSON ({name}) are fixed, except cluster=...", option="columns")
    cluster = options.columns.get("cluster")
    further = list(dict.fromkeys([*options.by, *([cluster] if cluster else [])]))
    read, findings = _Read(), Findings()
    for first, items in _some(found):
        _add(read, name, first, items, further, findings, qc=not (options.reference or options.untrusted))
    check_column_exists(name, options.asked if read.known else (), read.known)
    findings.reasons["structure"] = findings.dropped
    named = [pl.col(ROW).cast(pl.UInt32), *([pl.col(ROW).alias("item")] if read.positions else [])]
    named += [pl.col(cluster).alias("cluster")] if cluster else []
    parts = []
    for side in _SIDES:
        verdicts = pl.concat(read.tables[side], how="diagonal")
        beside = sorted(one for one in verdicts.columns if one.startswith(BESIDE))
        frame = verdicts.select("item", "annotator", *_VERDICT, *further, *beside, ROW).lazy().with_columns(named)
        parts.append(Part(found.source, "item", frame, _NAMES, trusted=side == "QC", positions=read.positions))
    return parts, findings


def _some(found: Opened[Options]) -> Iterator[tuple[int, list[object]]]:
    """The items, some at a time, with the number of the first. Raises DataError where there are none."""
    text, name = found.source.text(), found.source.name
    if not is_list(text):
        raise DataError(f"{name}: expected a list of items; got {kind(found.document)}")
    items, number = list_elements(text, name), 1
    while some := list(islice(items, _AT_ONCE)):
        yield number, some
        number += len(some)
    if number == 1:
        raise DataError(f"{name}: expected a list of items; got {kind([])}")


def _add(
    read: _Read, name: str, first: int, items: Sequence[object], further: Sequence[str], findings: Findings, *, qc: bool
) -> None:
    """Add the verdicts of each side; those of items in which anything is wrong are left out.

    The texts of an item stand in its first row alone: in all they would take many times their size in the file. first:
    the first item's number. qc: whether there must be trusted verdicts.
    """
    sides = {side: list[Row]() for side in _SIDES}
    for number, item in enumerate(items, first):
        before = findings.total
        rows = list(_verdicts(f"{name}, item {number}", item, further, findings, qc=qc))
        if isinstance(item, dict):
            read.known |= dict.fromkeys(item)
            read.positions = read.positions and item.get("id") is None
        if isinstance(item, dict) and findings.total == before:
            texts = {BESIDE + key: one for key, one in item.items() if isinstance(one, str) and key not in _TAKEN}
            own = {key: one for key, one in texts.items() if key.removeprefix(BESIDE) not in further}
            for side, row in rows:
                sides[side].append({**row, **own, ROW: str(number)})
                own = {}
        else:
            findings.dropped += 1
    for side, rows_of in sides.items():
        columns = dict.fromkeys(chain(("item", "annotator", *_VERDICT, *further, ROW), *rows_of))
        table = text_frame({one: [row.get(one) or None for row in rows_of] for one in columns}, name)
        read.tables[side].append(table)


def _verdicts(place: str, item: object, further: Sequence[str], findings: Findings, *, qc: bool) -> Iterator[_Verdict]:
    """The verdicts in an item, each with its side and what is said of the item. qc: whether some must be trusted."""
    if not isinstance(item, dict):
        findings.add(f"{place}: expected an object; got {kind(item)}")
        return
    shared = _scalars(place, item, {"item": "id", **{name: name for name in further}}, findings)
    for side in _SIDES:
        verdicts = item.get(side)
        if side == "QC" and not verdicts and not qc:
            continue
        if not isinstance(verdicts, dict) or (side == "QC" and not verdicts):
            got = "nothing" if side not in item else kind(verdicts)
            findings.add(f"{place}, {side}: expected an object of annotator -> verdict; got {got}")
            continue
        if isinstance(verdicts, Repeated):
            twice = ", ".join(verdicts.repeated)
            findings.add(f"{place}, {side}: expected each annotator once; {twice} stands twice")
        for annotator, verdict in verdicts.items():
            where = f"{place}, {side}, {annotator:.60}"
            if isinstance(verdict, dict):
                yield side, {"annotator": annotator, **_scalars(where, verdict, _VERDICT, findings), **shared}
            else:
                findings.add(f"{where}: expected an object with item_flag and best; got {kind(verdict)}")


def _scalars(place: str, holder: dict[str, object], names: Mapping[str, str], findings: Findings) -> Row:
    if isinstance(holder, Repeated):
        findings.add(f"{place}: {said_twice(holder.repeated)}")
    for theirs in names.values():
        if isinstance(value := holder.get(theirs), list | dict):
            findings.add(f"{place}, {theirs}: expected text, a number or true/false; got {kind(value)}")
    return {name: plain_text(holder.get(theirs)) for name, theirs in names.items()}


def _looks_like(found: Opened[Options]) -> bool:
    """Whether some of the first items have output_values or QC."""
    return found.source.format == "json" and any(not item.keys().isdisjoint(_SIDES) for item in found.first)


FORMAT = Format("win-tie-loss", "reliability", read_win_tie_loss, _looks_like, endings=(".json",))
