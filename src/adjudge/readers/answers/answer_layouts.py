"""How a file says what models answered: its records, and which of their fields are what."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.readers.io.json_documents import Objects, line_batches, objects_of, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import ROW, collect, scan
from adjudge.schemas.answers import AnswerLists

_BATCH = 50_000
"""JSON lines that are held as Python objects at a time."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a format knows of a file of answers.

    columns: Adjudge's column -> names that the file may have for it, of which the first that is there counts; one that
    ends in * stands for the only name that begins so. fixed: Adjudge's column -> the value where a record has
    none. lists: what a
    flat list of true answers is, where the format says so. questions: those of the columns for the id that say which
    question it was, so that further answers to it are draws; there is no such thing where ids are of answers. batches:
    the records, where they are no plain rows. joined: whether true answers stand in a file of their own. hint:
    what to say where none of the ids is known there.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    lists: AnswerLists | None = None
    questions: Sequence[str] = ()
    batches: Callable[[], Iterator[Objects]] | None = None
    joined: bool = False
    hint: str = ""

    def names(self, known: Iterable[str], found: Iterable[str]) -> dict[str, str]:
        """Adjudge's column -> the file's. known: Adjudge's columns; found: the file's."""
        there = list(found)
        return {name: _first_of(self.columns.get(name, ()), there) or name for name in known}


def _first_of(names: Sequence[str], found: Sequence[str]) -> str | None:
    """The first of some names that is among those found; the first name where none is."""
    for name in names:
        begins = [one for one in found if name.endswith("*") and one.startswith(name[:-1])]
        if name in found or len(begins) == 1:
            return name if name in found else begins[0]
    return next(iter(names), None)


def plain_batches(source: Source) -> Iterator[Objects]:
    """The records of a flat table; of JSON lines so many at a time that memory stays bounded."""
    if source.format == "jsonl":
        yield from line_batches(source, _BATCH)
    elif source.format == "json":
        yield read_objects(source)
    else:
        table = collect(source, scan(source, rows=True))
        yield objects_of(table, source.name, table.drop_in_place(ROW).to_list())
