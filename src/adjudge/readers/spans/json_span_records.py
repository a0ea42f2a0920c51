"""Records of a file, one or several for each of its JSON objects: what formats of JSON and nested tables share."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.answers.answer_fields import is_string
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.json_objects import read_each
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import LINE_COLUMNS, OWN_PARTS, Names, Raw, Record, raw_of
from adjudge.schemas.violations import ID, TEXT

Holder = dict[str, Any]
"""A JSON object, under the file's own names."""

MAPPED = (ID, TEXT, "annotator")
"""The columns that may be mapped where a format says itself where its violations stand."""

Marked = Iterable[tuple[Holder, list[Any]]]
"""What says whose text it is, under the file's names, and the violations in it."""


def only_text(holder: Mapping[str, Any], where: str) -> str:
    """The name of the one text among some fields. Raises DataError where there are several, or none."""
    texts = [name for name, one in holder.items() if is_string(one)]
    if len(texts) == 1:
        return texts[0]
    got = f"several, {', '.join(texts):.100}" if texts else "none"
    raise DataError(f"{where}: expected one text; got {got}. Say which it is with --columns text=...")


def raw_of_objects(
    objects: Objects, names: Names, read: Callable[[Holder], Marked], parts: Mapping[str, str] = OWN_PARTS
) -> Raw:
    """A file's objects as lines and spans.

    read: what an object says; see `read_each`. Where no object has an id, its number is its id. Raises OptionError for
    a name that no object has.
    """
    findings = Findings(objects.unit)
    records = [
        Record(number, holder, marks)
        for number, marked in read_each(objects, lambda value: list(read(value)), findings)
        for holder, marks in marked
    ]
    if names.theirs(ID) == ID and not any(ID in record.holder for record in records):
        records = [record._replace(holder={**record.holder, ID: str(record.number)}) for record in records]
    names.check(objects.name, (record.holder for record in records), LINE_COLUMNS)
    return raw_of(objects.name, objects.unit, records, names, findings, len(objects.values), parts)
