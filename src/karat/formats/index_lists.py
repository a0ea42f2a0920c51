"""Tables with a list of marked characters per text, as in SemEval 2021, task 5: toxic spans.

spans,text
"[0, 1, 2, 3, 4]",Cures headache.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from karat.errors import DataError
from karat.formats.documents import Number, Objects
from karat.formats.findings import quoted
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.tables import collect, scan
from karat.formats.violations import Options
from karat.schemas.violations import TEXT

_SPANS = "spans"
_LIST = re.compile(r"\s*\[\s*(\d{1,15}(\s*,\s*\d{1,15})*)?\s*\]\s*")
_NUMBER = re.compile(r"\d+")


def read_index_lists(found: Opened[Options]) -> Raw:
    """A line for each text; characters that follow one another are a violation. Without ids, rows' numbers are."""
    names, records = found.options, found.records
    names.check_mapped("tables with lists of characters", MAPPED)
    texts = {column: records.text(column)[0].to_list() for column in records.columns}
    values = [{column: said[place] for column, said in texts.items()} for place in range(len(records.rows))]
    objects = Objects(records.name, records.unit, records.rows.to_list(), values)
    return raw_of_objects(objects, names, _marked)


def _marked(row: Holder) -> Iterator[tuple[Holder, list[Any]]]:
    said = row.get(_SPANS)
    if not said or not _LIST.fullmatch(said):
        raise DataError(f", {_SPANS}: expected a list of offsets; got {quoted(said)}")
    offsets = sorted({int(one) for one in _NUMBER.findall(said)})
    runs = [[at for _, at in run] for _, run in groupby(enumerate(offsets), key=_run)]
    yield row, [{"start": str(run[0]), "end": str(run[-1] + 1)} for run in runs]


def _run(numbered: tuple[int, int]) -> int:
    """The same for numbers that follow one another."""
    nth, offset = numbered
    return offset - nth


def _looks_like(found: Opened[Options]) -> bool:
    """Whether a table's first lists, of which not all JSON ones are empty, hold numbers alone."""
    if not {_SPANS, found.theirs(TEXT)} <= set(found.names):
        return False
    if found.is_json or found.is_nested:
        lists = [value.get(_SPANS) for value in found.first]
        return any(lists) and all(isinstance(one, list) and all(isinstance(at, Number) for at in one) for one in lists)
    first = collect(found.source, scan(found.source).select(_SPANS).head(20))[_SPANS]
    return all(isinstance(one, str) and _LIST.fullmatch(one) for one in first)


FORMAT = Format("index-lists", "violations", read_index_lists, _looks_like, 1, (".csv",))
