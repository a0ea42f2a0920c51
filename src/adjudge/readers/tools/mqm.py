"""MQM's tables: a row per error, tabs between columns; an error stands between `<v>` and `</v>`.

system  doc  doc_id  seg_id  rater  source  target                  category                 severity
Bing    d1   1       7       r1     Tee.    <v>Cures</v> headache.  Accuracy/Mistranslation  major
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import objects_of
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import counted
from adjudge.readers.spans.span_records import MAPPED, Holder, Raw, raw_of_objects
from adjudge.readers.spans.violations import Options
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import ID, SEVERITY, TEXT

_MARK = re.compile(r"</?v>")
_OPENS = "<v>"
_IDS = ("system", "doc", "seg_id")
_NEEDED = ("rater", "target", "category", "severity")
_NO_ERROR = re.compile(r"no[-_ ]?error", re.IGNORECASE)


def read_mqm(found: Opened[Options]) -> Raw:
    """A line for each row. Of each error the category is the rule, the severity the category.

    An id is system, document and segment with + between them. Errors that are marked in the source or nowhere have no
    place in the translation, and are counted in a warning.
    """
    names, unplaced = found.options, 0
    names.check_mapped("MQM's tables", MAPPED)
    own = {} if ID in names.columns else {ID: "+".join(_IDS)}

    def marked(row: Holder) -> Iterator[tuple[Holder, list[object]]]:
        nonlocal unplaced
        target = str(row.get(names.theirs(TEXT) if TEXT in names.columns else "target") or "")
        marks = list(_marks(target))
        unplaced += not marks and not _NO_ERROR.match(str(row.get("category")))
        said = {"rule": row.get("category"), "category": row.get("severity"), SEVERITY: row.get("severity")}
        ids = {name: "+".join(str(row[part]) for part in _IDS) for name in own}
        rater = row.get(names.theirs("annotator") if "annotator" in names.columns else "rater")
        holder = {**row, **ids, names.theirs("annotator"): rater, names.theirs(TEXT): _MARK.sub("", target)}
        yield holder, [{**place, **said} for place in marks]

    objects = objects_of(_table(found, own), found.source.name)
    raw = replace(raw_of_objects(objects, names, marked), whole=False)
    are = counted(unplaced, "error is", "errors are")
    return raw.warned([f"{are} left out, since nothing in the translation is marked"] if unplaced else [])


def _table(found: Opened[Options], ids: Mapping[str, str]) -> pl.DataFrame:
    """The rows, in which quotes are characters like others. Raises DataError where columns are missing."""
    if found.source.format == "tsv":
        scanned = pl.scan_csv(found.source.file, separator="\t", quote_char=None, infer_schema=False, glob=False)
    else:
        scanned = scan(found.source)
    table = collect(found.source, scanned)
    needed = [*(_IDS if ids else ()), *_NEEDED]
    if lacking := [name for name in needed if name not in table.columns]:
        raise DataError(
            f"{found.source.name}: missing columns of MQM: {', '.join(lacking)}",
            found=f"{', '.join(table.columns):.300}",
        )
    return table


def _marks(target: str) -> Iterator[dict[str, str]]:
    """The places of the marked words, in the text without marks."""
    start, removed = None, 0
    for mark in _MARK.finditer(target):
        place = mark.start() - removed
        removed += len(mark[0])
        if mark[0] == _OPENS:
            start = place if start is None else start
        elif start is not None:
            yield {"start": str(start), "end": str(place)}
            start = None


def _looks_like(found: Opened[Options]) -> bool:
    return not found.is_json and set(found.names) >= {*_IDS, *_NEEDED}


FORMAT = Format("mqm", "violations", read_mqm, _looks_like, 1, (".tsv",))
