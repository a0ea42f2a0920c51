"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the trusted one (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

`id` may be left out of all items: then an item's position counts, from 1. A verdict may hold `"skipped": true`.
Further text at the top of an item (a prompt, a language, a week) can be named with `by` and `cluster`.
"""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from karat.errors import DataError, OptionError
from karat.formats.documents import Repeated, kind, plain_text, text_frame
from karat.formats.findings import Findings, said_twice
from karat.formats.judgments import Options, Part, Parts
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.tables import BESIDE, ROW
from karat.schemas.columns import asked_of, check_there

_VERDICT = {"flag": "item_flag", "label": "best", "skipped": "skipped"}
_SIDES = ("output_values", "QC")
_NAMES = {"item": "id", "flag": "item_flag", "label": "best"}
Row = dict[str, str | None]


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
    sides, findings = _sides(name, document, further, beside, qc_needed=not options.reference)
    columns = ("annotator", *_VERDICT, *further, *(BESIDE + one for one in beside), ROW)
    named = [pl.col(ROW).cast(pl.UInt32), *([pl.col(ROW).alias("item")] if positions else [])]
    named += [pl.col(cluster).alias("cluster")] if cluster else []
    parts = []
    for side, rows in sides.items():
        verdicts = text_frame({one: [row.get(one) or None for row in rows] for one in ("item", *columns)}, name)
        frame = verdicts.lazy().with_columns(named)
        parts.append(Part(found.source, "item", frame, _NAMES, trusted=side == "QC", positions=positions))
    return parts, findings


def _sides(
    name: str, items: Sequence[object], further: Sequence[str], beside: Sequence[str], *, qc_needed: bool
) -> tuple[dict[str, list[Row]], Findings]:
    """The verdicts of each side; those of items in which anything is wrong are left out."""
    findings, sides = Findings(), {side: list[Row]() for side in _SIDES}
    for number, item in enumerate(items, 1):
        before = findings.total
        read = list(_verdicts(f"{name}, item {number}", item, further, findings, qc_needed=qc_needed))
        if isinstance(item, dict) and findings.total == before:
            texts = {BESIDE + one: text for one in beside if isinstance(text := item.get(one), str)}
            for side, row in read:
                sides[side].append({**row, **texts, ROW: str(number)})
        else:
            findings.dropped += 1
    findings.reasons["structure"] = findings.dropped
    return sides, findings


def _verdicts(
    place: str, item: object, further: Sequence[str], findings: Findings, *, qc_needed: bool
) -> Iterator[tuple[str, Row]]:
    """The verdicts in an item, each with its side and what is said of the item."""
    if not isinstance(item, dict):
        findings.add(f"{place}: expected an object; got {kind(item)}")
        return
    shared = _scalars(place, item, {"item": "id", **{name: name for name in further}}, findings)
    for side in _SIDES:
        verdicts = item.get(side)
        if side == "QC" and not verdicts and not qc_needed:
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
    """Whether some item has output_values or QC."""
    return (
        found.source.format == "json"
        and isinstance(found.document, list)
        and any(isinstance(item, dict) and not item.keys().isdisjoint(_SIDES) for item in found.document)
    )


FORMAT = Format("win-tie-loss", "reliability", read_win_tie_loss, _looks_like, endings=(".json",))
