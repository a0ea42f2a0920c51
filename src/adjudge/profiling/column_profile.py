"""What the columns of a table hold, from its first rows: the kind of values, how many differ, some of them."""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeVar

import polars as pl

from adjudge.readers.io.json_documents import Number, as_json, json_text, plain_text

_T = TypeVar("_T")
Kind = Literal["whole numbers", "decimals", "true/false", "text", "lists", "objects", "nothing"]

_WHOLE = re.compile(r"[-+]?\d+(\.0+|,00?)?")
_DECIMAL = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_TRUTHS = {"true", "false"}
_GAPS = {"", "nan", "NaN", "NA", "N/A", "null", "None"}
"""What stands in a cell for nothing."""


@dataclass(frozen=True)
class Column:
    """The values of a column in the rows looked at, as JSON has them (`documents.parse`); None where there is none."""

    name: str
    values: Sequence[object]

    @cached_property
    def texts(self) -> list[str]:
        """Its values as text, without gaps, spaces around them and `.0` or `,0` behind whole numbers."""
        return [text for text in _each(_said, self.values) if text is not None]

    @cached_property
    def distinct(self) -> tuple[str, ...]:
        """Its different values, in the order in which they come up."""
        return tuple(dict.fromkeys(self.texts))

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its different values, whatever their case."""
        return frozenset(one.casefold() for one in self.distinct)

    @property
    def missing(self) -> int:
        """How many rows hold nothing."""
        return len(self.values) - len(self.texts)

    @cached_property
    def kind(self) -> Kind:
        """What all of its values are."""
        if not self.distinct:
            return "nothing"
        for of, kind in ((list, "lists"), (dict, "objects")):
            if any(isinstance(value, of) for value in self.values):
                return kind  # type: ignore[return-value]
        if all(one.lower() in _TRUTHS for one in self.distinct):
            return "true/false"
        if all(_WHOLE.fullmatch(one) for one in self.distinct):
            return "whole numbers"
        return "decimals" if all(_DECIMAL.fullmatch(one) for one in self.distinct) else "text"

    @property
    def is_flat(self) -> bool:
        """Whether it holds neither lists nor objects."""
        return self.kind not in {"lists", "objects"}

    @cached_property
    def length(self) -> float:
        """How many characters its different values have on average."""
        return sum(map(len, self.distinct)) / max(len(self.distinct), 1)

    @property
    def is_id(self) -> bool:
        """Whether each row has a value of its own, and a short one."""
        return self.is_flat and not self.missing and len(self.distinct) == len(self.values) and self.length <= _ID

    @property
    def is_label(self) -> bool:
        """Whether it holds some short values that stand often, or might."""
        few = len(self.distinct) <= max(_FEW, len(self.texts) // _OFTEN)
        return self.is_flat and bool(self.texts) and few and self.length <= _SHORT and len(self.distinct) <= _MOST

    @property
    def is_prose(self) -> bool:
        """Whether it holds texts for reading, or conversations."""
        words = sum(" " in one.strip() for one in self.distinct)
        return (self.kind == "text" and words * 2 > len(self.distinct)) or self.kind == "lists"


_ID = 80
_FEW, _OFTEN, _SHORT, _MOST = 7, 5, 40, 60


def _said(value: object) -> str | None:
    """A value as text; None for a gap."""
    text = json_text(value) if isinstance(value, list | dict) else plain_text(value)
    if text is None or (text := text.strip()) in _GAPS:
        return None
    return re.sub(r"[.,]0+$", "", text) if _WHOLE.fullmatch(text) else text


_PLAIN = {str, Number, int, float}
"""Types of which equal values of one type are one value; 1 and true are equal too, and two values."""


def _each(make: Callable[[object], _T], values: Sequence[object]) -> list[_T]:
    """What is made of each value: of one that repeats, as those of most columns do, made once."""
    make_once = lru_cache(maxsize=None, typed=True)(make)
    return [make_once(value) if type(value) in _PLAIN else make(value) for value in values]


@dataclass(frozen=True)
class Table:
    """The columns of a table by name, in their order."""

    columns: Mapping[str, Column]

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.columns)

    def of(self, names: Container[str]) -> "Table":
        """Those of its columns that have some names."""
        return Table({name: column for name, column in self.columns.items() if name in names})

    @property
    def height(self) -> int:
        """How many rows were looked at."""
        return max((len(one.values) for one in self.columns.values()), default=0)


def table_of_nested(records: Sequence[Mapping[str, object]]) -> Table:
    """Records with a column for each value of nested objects, such as judge.verdict of {"judge": {"verdict": ...}}.

    Objects with many names hold ids, such as those of annotators, and no fields.
    """
    inner = [dict(_inner(record, "")) for record in records]
    if len({name for one in inner for name in one}) > _MOST_FIELDS:
        return table_of(records)
    return table_of([{**record, **own} for record, own in zip(records, inner, strict=True)])


_DEEPEST, _MOST_FIELDS = 6, 100


def _inner(record: Mapping[str, object], above: str, depth: int = 1) -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict) and depth <= _DEEPEST:
            yield from _inner(value, f"{above}{name}.", depth + 1)
        elif above:
            yield f"{above}{name}", value


def table_of(records: Sequence[Mapping[str, object]]) -> Table:
    """The table of some records; what one lacks is missing there."""
    names = dict.fromkeys(name for record in records for name in record)
    return Table({name: Column(name, [record.get(name) for record in records]) for name in names})


def table_of_frame(frame: pl.DataFrame) -> Table:
    """The table of some rows."""
    return Table({name: Column(name, _each(as_json, frame[name].to_list())) for name in frame.columns})
