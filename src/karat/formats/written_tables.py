"""Tables as files: CSV, TSV, JSON, JSON lines and Parquet, written some rows at a time."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import polars as pl

from karat.errors import OptionError
from karat.formats.findings import counted, listed
from karat.formats.opened import Opened, format_of
from karat.formats.source import Source
from karat.formats.tables import batches, height_of, is_flat

FLAT = {f".{form}": form for form in ("csv", "tsv", "json", "jsonl", "parquet")}
"""Ending of a file -> the format of a flat table."""
NESTED = {f".{form}": form for form in ("jsonl", "json", "parquet")}
"""The same of tables whose columns may hold lists."""

_BATCH = 20_000
_TOLD = 8


@dataclass(frozen=True)
class Table:
    """A table that is ready to be written.

    rows: file -> how many rows it holds. frame: with columns of text, or in lists. main: the columns that hold
    what judges say. warnings: what to know of the files. who: columns that name people. always: columns that each
    object of JSON has, also where there is no value. spread: the column of lists whose objects are rows of a flat
    table, a row where a list is empty.
    """

    rows: Mapping[str, int]
    frame: pl.LazyFrame
    main: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    who: tuple[str, ...] = ()
    always: frozenset[str] = field(default_factory=frozenset)
    spread: str = ""

    def says_anything(self) -> bool:
        """Whether any judge says anything."""
        schema = self.frame.collect_schema()
        lists = [pl.col(name).list.len() > 0 for name in self.main if schema[name] == pl.List]
        texts = [pl.col(name).is_not_null() for name in self.main if schema[name] != pl.List]
        return bool(self.frame.select(pl.any_horizontal(*lists, *texts).any()).collect().item())

    def people(self) -> list[str]:
        """Those who are named, in the order in which they come up first."""
        named = [self.frame.select(pl.col(name).unique(maintain_order=True)).collect() for name in self.who]
        return list(dict.fromkeys(name for one in named for name in one.to_series().drop_nulls().to_list()))

    def anonymised(self, key: Mapping[str, str]) -> Self:
        """With pseudonyms for those who are named; a warning tells of other columns that hold their names."""
        known, others = self.people(), [name for name in self._texts() if name not in self.who]
        hold = self.frame.select(pl.col(name).is_in(known).any() for name in others).collect(engine="streaming")
        found = [name for name in others if hold[name].item()]
        told = [f"columns are left as they are, and hold names of annotators: {listed(found, _TOLD)}"] if found else []
        renamed = self.frame.with_columns(pl.col(self.who).replace(key))
        return replace(self, frame=renamed, warnings=(*self.warnings, *told))

    def _texts(self) -> list[str]:
        return [name for name, dtype in self.frame.collect_schema().items() if dtype == pl.String]

    def write(self, path: Path, form: str, ending: str) -> int:  # noqa: ARG002 - the form says it all
        """Write a file in a format of NESTED or FLAT; returns its rows."""
        if form == "parquet":
            self.frame.sink_parquet(path)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(self._text(form))
        return height_of(self.frame)

    def _text(self, form: str) -> Iterator[str]:
        """The text of the file, in pieces. Texts are written as they are: the file is data, not a sheet to open."""
        if form in {"csv", "tsv"}:
            for place, batch in enumerate(batches(self._flat(), _BATCH)):
                yield batch.write_csv(include_header=place == 0, separator="\t" if form == "tsv" else ",")
        elif form == "jsonl":
            yield from (f"{line}\n" for line in self._lines())
        else:
            for place, line in enumerate(self._lines()):
                yield f"{',' if place else '['}\n{line}"
            yield "\n]\n"

    def _flat(self) -> pl.LazyFrame:
        """The table without lists. Raises OptionError where that would say something else."""
        if not self.spread:
            return self.frame
        missing = self.frame.select(pl.col(self.spread).null_count()).collect().item()
        if missing:
            rows = counted(missing, "row has", "rows have")
            raise OptionError(f"output: {rows} no {self.spread}, not even none, which no flat table says; write .jsonl")
        return self.frame.explode(self.spread, empty_as_null=True).unnest(self.spread)

    def _lines(self) -> Iterator[str]:
        """Each row as an object of JSON."""
        for batch in batches(self.frame, _BATCH):
            for row in batch.iter_rows(named=True):
                held = {name: _without_nulls(value) for name, value in row.items() if self._is_said(name, value)}
                yield json.dumps(held, ensure_ascii=False)

    def _is_said(self, name: str, value: object) -> bool:
        return value is not None or name in self.always


def further_columns(found: Opened[Any], evaluation: str, known: Iterable[str], tables: Collection[str]) -> list[str]:
    """The columns that mean nothing to Karat, of a flat table or of one of the evaluation's formats in `tables`.

    known: Karat's columns, and others that mean something.
    """
    form = format_of(evaluation, found)
    if form is not None and form.name not in tables:
        return []
    used = {part for name in known for part in (name, found.theirs(name), *found.theirs(name).split("+"))}
    return [name for name in found.names if name not in used]


def flat_among(names: Iterable[str], found: Opened[Any]) -> list[str]:
    """Those of a file's columns that a flat table can hold."""
    if found.is_json:
        return [name for name in names if not any(isinstance(one.get(name), list | dict) for one in found.first)]
    return [name for name in names if is_flat(found.schema[name])]


def unwritten(source: Source, names: Sequence[str]) -> list[str]:
    """A warning that names the columns of a file that are not written; none where there are none."""
    return [f"{source.name}: columns that are not written: {listed(names, _TOLD)}"] if names else []


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - what a cell holds
    """A cell whose objects hold only what they say."""
    if not isinstance(value, list):
        return value
    return [{k: v for k, v in one.items() if v is not None} if isinstance(one, dict) else one for one in value]
