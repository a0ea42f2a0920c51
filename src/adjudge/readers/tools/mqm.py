"""MQM's tables: a row per error, tabs between columns; `<v>` and `</v>` enclose an error.

system  doc  doc_id  seg_id  rater  source  target                  category                 severity
Bing    d1   1       7       r1     Tee.    <v>Cures</v> headache.  Accuracy/Mistranslation  major
"""

import re
from collections.abc import Iterator, Sequence

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import objects_of
from adjudge.readers.spans import span_records as spans
from adjudge.readers.tables import collect, scan
from adjudge.schemas.violations import SEVERITY

_MARK = re.compile(r"</?v>")
_SEGMENTS = ("seg_id", "docSegId")
"""Names of the segment's number within its document, or in the whole file."""
_NEEDED = ("rater", "target", "category", "severity")
_NO_ERROR = re.compile(r"no[-_ ]?error", re.IGNORECASE)
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def read_mqm(opened: spans.Found) -> spans.Raw:
    """A line for each row. An error's category is the rule, its severity the category.

    An id is system, document and segment joined by +. Errors marked in the source or nowhere have no place in the
    translation; rows without rater, category and severity hold only scores. Warnings count both.
    """
    names, columns = opened.options, {spans.TEXT: "target", "annotator": "rater", **opened.options.columns}

    def lines(row: spans.Holder) -> Iterator[spans.Line | spans.Skipped]:
        if not any(row.get(name) for name in ("rater", "category", "severity")):
            yield spans.Skipped("rows without a rater are excluded, since they rate nothing")
            return
        target = str(row.get(columns[spans.TEXT]) or "")
        error = {"rule": row.get("category"), "category": row.get("severity"), SEVERITY: row.get("severity")}
        marks = [{**place, **error} for place in _marks(target)]
        if not marks and not _NO_ERROR.match(str(row.get("category"))):
            yield spans.Skipped("errors without marks in the translation are excluded")
        text = {names.column_of(spans.TEXT): _MARK.sub("", target)}
        yield spans.Line({**row, **text, names.column_of("annotator"): row.get(columns["annotator"])}, marks)

    table, warnings = _table(opened)
    tool = spans.SpanTool(lines, whole=False, based=False)
    return spans.read_lines(opened, tool, objects_of(table, opened.source.name)).warned(warnings)


def _table(opened: spans.Found) -> tuple[pl.DataFrame, list[str]]:
    """The rows with an id, and a warning if cells are quoted; otherwise quotation marks are ordinary characters.

    Cells count as quoted if quotation marks enclose each cell that has any, and are doubled within some cells. Raises
    DataError for missing columns.
    """
    name, scanned = opened.source.name, scan(opened.source)
    if opened.source.format == "tsv":
        scanned = pl.scan_csv(opened.source.file, separator="\t", quote_char=None, infer_schema=False, glob=False)
    table = collect(opened.source, scanned)
    ids = [] if spans.ID in opened.options.columns else _ids(table.columns)
    if lacking := [column for column in (*ids, *_NEEDED) if column not in table.columns]:
        found = f"{', '.join(table.columns):.300}"
        raise DataError(f"{name}: missing columns of MQM: {', '.join(lacking)}", found=found)
    cells = [cell for row in table.rows() for cell in row if isinstance(cell, str) and '"' in cell]
    warnings = []
    if all(map(_QUOTED.fullmatch, cells)) and any('""' in cell[1:-1] for cell in cells):
        plain = pl.col(pl.String).str.replace(r'(?s)^"(.*)"$', "$1").str.replace_all('""', '"', literal=True)
        table, warnings = table.with_columns(plain), [f"cells are read without the quotes around them: {len(cells):,}"]
    return table.with_columns(pl.concat_str(pl.col(ids), separator="+").alias(spans.ID)) if ids else table, warnings


def _ids(names: Sequence[str]) -> list[str]:
    return ["system", "doc", next((name for name in _SEGMENTS if name in names), _SEGMENTS[0])]


def _marks(target: str) -> Iterator[dict[str, str]]:
    """The places of the marked words in the text without marks."""
    start, removed = None, 0
    for mark in _MARK.finditer(target):
        place = mark.start() - removed
        removed += len(mark[0])
        if mark[0] == "<v>":
            start = place if start is None else start
        elif start is not None:
            yield {"start": str(start), "end": str(place)}
            start = None


def _looks_like(opened: spans.Found) -> bool:
    return not opened.is_json and set(opened.names) >= {*_ids(opened.names), *_NEEDED}


FORMAT = spans.Format("mqm", "violations", read_mqm, _looks_like, 1, (".tsv",))
