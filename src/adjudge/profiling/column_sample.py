"""Samples of a table's columns, from its first rows: the kind of values, their number, examples."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import polars as pl

from adjudge.readers.io.json_documents import as_json, cell_text

Kind = Literal["whole numbers", "decimals", "true/false", "dates", "text", "lists", "objects", "nothing"]

_WHOLE = re.compile(r"[-+]?\d+(\.0+|,00?)?")
_PATTERNS: Mapping[Kind, re.Pattern[str]] = {
    "true/false": re.compile("true|false", re.IGNORECASE),
    "whole numbers": _WHOLE,
    "decimals": re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?"),
    "dates": re.compile(r"(\d{4}([-/.])\d\d?\2\d\d?|\d\d?([-/.])\d\d?\3\d{4})([T ]\d\d?:\d\d.*)?"),
}
_MEASURED = re.compile(r".*[.,]\d{3,}|.*[eE].*")
"""Computed numbers, which are never labels."""
_GAPS = {"", "nan", "NaN", "NA", "N/A", "null", "None"}
"""Cell contents that mean missing."""
_ID, _SHORT = 80, 40
"""The greatest lengths of ids and of labels."""
_FEW, _GRADES, _OFTEN, _MOST = 7, 11, 5, 60
"""The most distinct labels, and numbers, in a short table; the mean repeats in a long one; the overall most."""


@dataclass(frozen=True)
class ColumnSample:
    """The values of a column in the sampled rows, as in JSON (`documents.parse`); None for missing ones."""

    name: str
    values: Sequence[object]

    @cached_property
    def texts(self) -> list[str]:
        """Its values as text, without missing ones, surrounding spaces and `.0` or `,0` after whole numbers."""
        texts = [text.strip() for value in self.values if (text := cell_text(value)) is not None]
        return [re.sub(r"[.,]0+$", "", text) if _WHOLE.fullmatch(text) else text for text in texts if text not in _GAPS]

    @cached_property
    def distinct(self) -> tuple[str, ...]:
        """Its distinct values, in order of occurrence."""
        return tuple(dict.fromkeys(self.texts))

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its distinct values, ignoring case."""
        return frozenset(map(str.casefold, self.distinct))

    @property
    def missing(self) -> int:
        """The number of missing values."""
        return len(self.values) - len(self.texts)

    @cached_property
    def kind(self) -> Kind:
        """The type of all of its values."""
        nested = {type(value) for value in self.values} & {list, dict}
        if nested or not self.distinct:
            return "lists" if list in nested else "objects" if nested else "nothing"
        kinds = (kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, self.distinct)))
        return next(kinds, "text")

    @property
    def is_flat(self) -> bool:
        """Whether it has neither lists nor objects."""
        return self.kind not in {"lists", "objects"}

    @cached_property
    def length(self) -> float:
        """The mean number of characters of its distinct values."""
        return sum(map(len, self.distinct)) / max(len(self.distinct), 1)

    @property
    def is_id(self) -> bool:
        """Whether each row has a unique and short value."""
        return self.is_flat and not self.missing and len(self.distinct) == len(self.values) and self.length <= _ID

    @property
    def is_label(self) -> bool:
        """Whether it has a few short values that repeat, or might."""
        least = _GRADES if self.is_number else _FEW
        few = len(self.folded) <= min(max(least, len(self.texts) // _OFTEN), _MOST)
        return self.is_flat and bool(self.texts) and few and self.length <= _SHORT and self.is_answer

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in {"whole numbers", "decimals"}

    @property
    def is_answer(self) -> bool:
        """Whether its values may be texts or labels of texts, not computed numbers such as similarities."""
        measured = self.kind == "decimals" and 2 * sum(map(bool, map(_MEASURED.fullmatch, self.distinct)))
        return self.kind != "objects" and measured <= len(self.distinct)

    @property
    def is_prose(self) -> bool:
        """Whether it holds texts for reading, or conversations."""
        spaced = 2 * sum(" " in text for text in self.distinct) > len(self.distinct)
        return self.kind == "lists" or (self.kind == "text" and spaced)


@dataclass(frozen=True)
class TableSample:
    """The columns of a table by name, in their order, from its first rows."""

    columns: Mapping[str, ColumnSample]

    def __getitem__(self, name: str) -> ColumnSample:
        return self.columns[name]

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return list(self.columns)

    def only(self, names: Collection[str]) -> "TableSample":
        """Those of its columns that have some names."""
        return TableSample({name: column for name, column in self.columns.items() if name in names})

    def rows(self, names: Sequence[str]) -> list[tuple[object, ...]]:
        """The values of some columns, row by row."""
        return list(zip(*(self[name].values for name in names), strict=True))

    @property
    def height(self) -> int:
        """The number of sampled rows."""
        return max((len(column.values) for column in self.columns.values()), default=0)


_MOST_FIELDS = 100


def sample_of_records(records: Sequence[Mapping[str, object]]) -> TableSample:
    """Records, with a column for each value of nested objects, such as judge.verdict of {"judge": {"verdict": ...}}.

    Fields that a record lacks are missing. Objects with many names are keyed by ids, such as annotators', and skipped.
    """
    wide = [{**record, **dict(_inner_fields(record))} for record in records]
    names = dict.fromkeys(name for record in wide for name in record)
    if len(names) > _MOST_FIELDS:
        names = dict.fromkeys(name for record in records for name in record)
    return TableSample({name: ColumnSample(name, [record.get(name) for record in wide]) for name in names})


def _inner_fields(record: Mapping[str, object], above: str = "", depth: int = 1) -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict) and depth <= 6:  # noqa: PLR2004 - as deep as records are nested
            yield from _inner_fields(value, f"{above}{name}.", depth + 1)
        elif above:
            yield f"{above}{name}", value


def sample_of_frame(frame: pl.DataFrame) -> TableSample:
    """The first rows of a table."""
    return TableSample({name: ColumnSample(name, [*map(as_json, frame[name].to_list())]) for name in frame.columns})
