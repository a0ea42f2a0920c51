"""MQM's tables: a row per error, tabs between columns; an error stands between `<v>` and `</v>`.

system  doc  doc_id  seg_id  rater  source  target                  category                 severity
Bing    d1   1       7       r1     Tee.    <v>Cures</v> headache.  Accuracy/Mistranslation  major
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import objects_of
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import ID, SEVERITY, TEXT

_MARK = re.compile(r"</?v>")
_OPENS = "<v>"
_SEGMENTS = ("seg_id", "docSegId")
"""What the number of a segment within its document, or in the whole file, is called."""
_NEEDED = ("rater", "target", "category", "severity")
_NO_ERROR = re.compile(r"no[-_ ]?error", re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


_SCORES = Skipped("left out are rows without a rater, which rate nothing")
_ELSEWHERE = Skipped("left out are errors, since nothing in the translation is marked")


def read_mqm(found: spans.Found) -> spans.Raw:
    """A line for each row. Of each error the category is the rule, the severity the category.

    An id is system, document and segment with + between them. Errors that are marked in the source or nowhere have no
    place in the translation; rows without rater, category and severity hold scores alone. Warnings count both.
    """
    names, theirs = found.options, {TEXT: "target", "annotator": "rater", **found.options.columns}

    def lines(row: spans.Holder) -> Iterator[spans.Line | Skipped]:
        if not any(row.get(name) for name in ("rater", "category", "severity")):
            yield _SCORES
            return
        target = str(row.get(theirs[TEXT]) or "")
        said = {"rule": row.get("category"), "category": row.get("severity"), SEVERITY: row.get("severity")}
        marks = [{**place, **said} for place in _marks(target)]
        if not marks and not _NO_ERROR.match(str(row.get("category"))):
            yield _ELSEWHERE
        own = {names.column_of("annotator"): row.get(theirs["annotator"]), names.column_of(TEXT): _MARK.sub("", target)}
        yield spans.Line({**row, **own}, marks)

    table, warnings = _table(found)
    tool = spans.SpanTool(lines, whole=False, based=False)
    raw = spans.read_lines(found, tool, objects_of(table, found.source.name))
    return replace(raw, warnings=(*warnings, *raw.warnings))


def _table(found: spans.Found) -> tuple[pl.DataFrame, list[str]]:
    """The rows, with an id, and a warning where cells are in quotation marks, which are else characters like others.

    A file has its cells in them where each cell that holds one is wrapped in two, and within some they are doubled.
    Raises DataError where columns are missing.
    """
    name, scanned = found.source.name, scan(found.source)
    if found.source.format == "tsv":
        scanned = pl.scan_csv(found.source.file, separator="\t", quote_char=None, infer_schema=False, glob=False)
    table = collect(found.source, scanned)
    ids = [] if ID in found.options.columns else _ids(table.columns)
    if lacking := [column for column in (*ids, *_NEEDED) if column not in table.columns]:
        raise DataError(
            f"{name}: missing columns of MQM: {', '.join(lacking)}", found=f"{', '.join(table.columns):.300}"
        )
    cells = [cell for row in table.rows() for cell in row if isinstance(cell, str) and '"' in cell]
    warnings = []
    if all(map(_QUOTED.fullmatch, cells)) and any('""' in cell[1:-1] for cell in cells):
        plain = pl.col(pl.String).str.replace(r'(?s)^"(.*)"$', "$1").str.replace_all('""', '"', literal=True)
        table, warnings = table.with_columns(plain), [f"cells are read without the quotes around them: {len(cells):,}"]
    own = pl.concat_str(pl.col(ids), separator="+").alias(ID)
    return table.with_columns(own) if ids else table, warnings


def _ids(names: Sequence[str]) -> list[str]:
    return ["system", "doc", next((name for name in _SEGMENTS if name in names), _SEGMENTS[0])]


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


def _looks_like(found: spans.Found) -> bool:
    return not found.is_json and set(found.names) >= {*_ids(found.names), *_NEEDED}


FORMAT = Format("mqm", "violations", read_mqm, _looks_like, 1, (".tsv",))
