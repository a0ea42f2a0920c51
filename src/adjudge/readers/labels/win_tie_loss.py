"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the trusted one (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

`id` may be left out of all items: then an item's position counts, from 1. A verdict may hold `"skipped": true`.
Further text at the top of an item (a prompt, a language, a week) can be named with `by` and `cluster`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice

import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.readers.io.json_documents import kind, not_plain, plain_text, text_frame
from adjudge.readers.io.source import Format
from adjudge.readers.labels.judgments import Options, Part, Parts
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.tables import BESIDE, ROW
from adjudge.schemas.columns import check_column_exists

_VERDICT = {"flag": "item_flag", "label": "best", "skipped": "skipped"}
_SIDES = ("output_values", "QC")
_TAKEN = ("id", *_SIDES)
_AT_ONCE = 2_000
"""Items that are held as objects at a time."""

_NAMES = {"item": "id", "flag": "item_flag", "label": "best"}
Row = dict[str, str | None]


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
    findings, known = Findings(), dict[str, None]()
    items = enumerate(found.entries.values if found.start.content.startswith(b"[") else (), 1)
    judge = partial(_verdicts, further=further, findings=findings, qc=not (options.reference or options.untrusted))
    tables: dict[str, list[pl.DataFrame]] = {side: [] for side in _SIDES}
    while batch := list(islice(items, _AT_ONCE)):
        known |= {key: None for _, item in batch if isinstance(item, dict) for key in item}
        for side, rows in _rows_by_side(name, batch, judge, findings, {*_TAKEN, *further}).items():
            columns = dict.fromkeys(chain(("item", "annotator", *_VERDICT, *further, ROW), *rows))
            tables[side].append(text_frame({key: [row.get(key) or None for row in rows] for key in columns}, name))
    if not tables[_SIDES[0]]:
        raise DataError(f"{name}: expected a list of items; got {kind(found.document)}")
    check_column_exists(name, options.asked if known else (), known)
    findings.reasons["structure"] = findings.dropped
    sides = {side: pl.concat(tables[side], how="diagonal") for side in _SIDES}
    positions = not any(table["item"].count() for table in sides.values())
    named = [pl.col(ROW).cast(pl.UInt32), *([pl.col(ROW).alias("item")] if positions else [])]
    named += [pl.col(cluster).alias("cluster")] if cluster else []
    return [
        Part(found.source, "item", table.lazy().with_columns(named), _NAMES, trusted=side == "QC", positions=positions)
        for side, table in sides.items()
    ], findings


def _rows_by_side(
    name: str,
    batch: Sequence[tuple[int, object]],
    judge: Callable[[str, object], Iterator[tuple[str, Row]]],
    findings: Findings,
    taken: Collection[str],
) -> dict[str, list[Row]]:
    """The verdicts of each side on some items, but those in which anything is wrong. taken: names that are no texts.

    The texts of an item stand in its first row alone: in all they would take many times their size in the file.
    """
    sides: dict[str, list[Row]] = {side: [] for side in _SIDES}
    for number, item in batch:
        before = findings.total
        verdicts = list(judge(f"{name}, item {number}", item))
        if findings.total > before or not isinstance(item, dict):
            findings.dropped += 1
            continue
        texts = {BESIDE + key: one for key, one in item.items() if isinstance(one, str) and key not in taken}
        for side, row in verdicts:
            sides[side].append({**row, **texts, ROW: str(number)})
            texts = {}
    return sides


def _verdicts(
    place: str, item: object, further: Sequence[str], findings: Findings, *, qc: bool
) -> Iterator[tuple[str, Row]]:
    """The verdicts in an item, each with its side and what is said of the item. qc: whether some must be trusted."""
    if not isinstance(item, dict):
        findings.add(f"{place}: {not_plain(item)}")
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
        for annotator, verdict in verdicts.items():
            where = f"{place}, {side}, {annotator:.60}"
            if isinstance(verdict, dict):
                yield side, {"annotator": annotator, **_scalars(where, verdict, _VERDICT, findings), **shared}
            else:
                findings.add(f"{where}: expected an object with item_flag and best; got {kind(verdict)}")


def _scalars(place: str, holder: dict[str, object], names: Mapping[str, str], findings: Findings) -> Row:
    for theirs in names.values():
        if isinstance(value := holder.get(theirs), list | dict):
            findings.add(f"{place}, {theirs}: expected text, a number or true/false; got {kind(value)}")
    return {name: plain_text(holder.get(theirs)) for name, theirs in names.items()}


def _looks_like(found: Opened[Options]) -> bool:
    """Whether some of the first items have output_values or QC."""
    return found.source.format == "json" and any(not item.keys().isdisjoint(_SIDES) for item in found.first)


FORMAT = Format("win-tie-loss", "reliability", read_win_tie_loss, _looks_like, endings=(".json",))
