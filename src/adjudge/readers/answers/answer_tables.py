"""Tables of answers that tools write: they differ in the names of columns alone, and stand in answer_tables.toml.

Also how any format says which fields of its records are what (`Layout`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Objects, as_objects, json_value
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.tables import plain_batches
from adjudge.schemas.answers import QUESTION_ANSWERING, AnswerLists
from adjudge.text.toml_files import as_names, packaged

Record = dict[str, Any]
Reshape = Callable[[Mapping[str, Any]], Record]

_FEWEST = 2
"""So many columns of a tool's a file has at least that is said to look like its tables."""
_COMMON = {"question", "query", "answer", "response"}
"""Columns that any table of answers may have."""
_PLAIN = {"ability": QUESTION_ANSWERING}


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


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's table of answers.

    said: what it is. needed: names of which there must be one each. columns: see `Layout`. under: the name under which
    a JSON document holds the records. absent: names that such a table does not have. lists: what several true
    answers are. questions: see `Layout`. reshape: makes of a record one with flat fields.
    """

    name: str
    said: str
    needed: Sequence[Sequence[str]]
    columns: Mapping[str, Sequence[str]]
    under: str = ""
    absent: Sequence[str] = ()
    lists: AnswerLists = "aliases"
    questions: Sequence[str] = ()
    reshape: Reshape | None = None
    endings: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """The format that it is."""
        return Format(self.name, "rag", self.read, self.recognises, 0, self.endings, self.said)

    @property
    def names(self) -> set[str]:
        """The columns that such a table may have."""
        return {one for many in (*self.needed, *self.columns.values()) for one in many}

    def recognises(self, found: Opened[Any]) -> bool:
        """Whether a file is such a table."""
        names = self._names(found)
        there = all(any(_holds(names, one) for one in many) for many in self.needed)
        return there and not any(one in names for one in self.absent)

    def _names(self, found: Opened[Any]) -> set[str]:
        """The names in a file's records; none where they do not stand under the name that they should."""
        if not self.under:
            return set(found.names)
        return {name for one in _under(found, self.under) or () if isinstance(one, dict) for name in one}

    def read(self, found: Opened[Any]) -> Layout:
        """How to read such a table."""
        layout = Layout(self.columns, _PLAIN, self.lists, self.questions)
        return replace(layout, batches=lambda: self._batches(found)) if self.under or self.reshape else layout

    def _batches(self, found: Opened[Any]) -> Iterator[Objects]:
        batches = plain_batches(found.source)
        if self.under:
            held = _under(found, self.under)
            if held is None:
                raise DataError(f"{found.source.name}: expected a JSON object with a list {self.under}; got none")
            batches = iter([as_objects(found.source, held)])
        constants = found.source.how.constant if self.under else {}  # they stand beside the list of records
        for objects in batches:
            records = [{**one, **constants} for one in objects.plain()] if constants else objects.plain()
            yield replace(objects, values=list(map(self.reshape, records)) if self.reshape else records)


def _holds(names: set[str], wanted: str) -> bool:
    """Whether a name is there, or one that begins with what stands before a *."""
    return wanted in names or (wanted.endswith("*") and any(one.startswith(wanted[:-1]) for one in names))


def _under(found: Opened[Any], name: str) -> list[Any] | None:
    """The records that a JSON document holds under a name; None where it holds none."""
    document = found.document if found.source.format == "json" else None
    records = document.get(name) if isinstance(document, dict) else None
    return records if isinstance(records, list) else None


# --- records that are not flat ---

_NESTED = ("inputs", "outputs", "reference_outputs", "reference")


def _langsmith(record: Mapping[str, Any]) -> Record:
    """A run, with each field of its inputs and outputs, which an export may keep as JSON text, on its own."""
    flat: Record = {}
    for name, value in record.items():
        fields = _fields(value) if name in _NESTED else None
        flat |= {name: value} if fields is None else {f"{name}.{key}": one for key, one in fields.items()}
    return flat


def _fields(value: object) -> Mapping[str, Any] | None:
    """An object, or one that a cell holds as JSON text."""
    value = json_value(value) if isinstance(value, str) and value.startswith("{") else value
    return value if isinstance(value, dict) else None


def _trulens(record: Mapping[str, Any]) -> Record:
    """A record, with its app's name and version as one, and its texts without the quotes of older exports."""
    app = " ".join(str(record[name]) for name in ("app_name", "app_version") if record.get(name))
    flat = {**record, "app": app or record.get("app_id")}
    return flat | {name: _unquoted(flat.get(name)) for name in ("input", "output")}


def _unquoted(value: object) -> object:
    """A text that was written as JSON."""
    quoted = isinstance(value, str) and len(value) > 1 and value.startswith('"') and value.endswith('"')
    return json_value(str(value)) if quoted else value


def _crag(record: Mapping[str, Any]) -> Record:
    """A prediction, with its true answer and the others that count as one list."""
    true = next((record[name] for name in ("ground_truth", "answer") if record.get(name) is not None), None)
    others = record.get("alt_ans")
    known = [true, *others] if isinstance(others, list) and true is not None else true
    return {**record, "ground_truth": known}


# --- the tools ---

_RESHAPES: Mapping[str, Reshape] = {"langsmith": _langsmith, "trulens": _trulens, "crag": _crag}


def _declared() -> Iterator[Tool]:
    """The tools in answer_tables.toml."""
    for name, said in packaged(__package__, "answer_tables.toml").items():
        needed, reshape = [as_names(one) for one in said["needed"]], _RESHAPES.get(said.get("reshape", ""))
        endings = tuple(said.get("endings", ()))
        yield Tool(**{**said, "name": name, "needed": needed, "reshape": reshape, "endings": endings})


_TOOLS = tuple(_declared())
FORMAT = tuple(tool.format for tool in _TOOLS)


def resembled(found: Iterable[str]) -> str | None:
    """Which tool's table a file with some columns might be that lacks what such tables have, and what it lacks.

    It has more of that tool's names than of any other's, and one at least that is nobody else's.
    """
    there = set(found)
    near = max(_TOOLS, key=lambda tool: len(there & tool.names))
    others = _COMMON.union(*(tool.names for tool in _TOOLS if tool is not near))
    if len(there & near.names) < _FEWEST or not there & near.names - others:
        return None
    lacking = [" or ".join(many) for many in near.needed if not any(_holds(there, one) for one in many)]
    return f"it looks like {near.name} ({near.said.rstrip('.')}), but lacks {', '.join(lacking)}" if lacking else None
