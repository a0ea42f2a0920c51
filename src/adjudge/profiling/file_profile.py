"""Profiles of the given files: format, number of rows, samples of columns; reference files first."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError, DataError
from adjudge.evaluations import NAMES, options_of
from adjudge.evaluations.scoring import scoring
from adjudge.readers.column_names import PREDICTED_FILES, TRUSTED_FILES, words
from adjudge.readers.formats import container, formats, names
from adjudge.readers.inputs import each_of, format_of_folder, sources
from adjudge.readers.io.decompress import check_width
from adjudge.readers.io.delimited import data_in_header
from adjudge.readers.io.json_documents import as_json, cell_text, read_objects
from adjudge.readers.io.source import Format, How, Source
from adjudge.readers.label_values import family
from adjudge.readers.parsed_input import format_of, opened
from adjudge.readers.problems import listed
from adjudge.readers.tables import collect, scan, schema_of

# --- samples of a table's columns, from its first rows ---

_WHOLE = re.compile(r"[-+]?\d+(\.0+|,00?|[eE]\+\d+)?")
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "true/false": re.compile("true|false", re.IGNORECASE),
    "whole numbers": _WHOLE,
    "decimals": re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?%?"),
    "dates": re.compile(r"(\d{4}([-/.])\d\d?\2\d\d?|\d\d?([-/.])\d\d?\3\d{4})([T ]\d\d?:\d\d.*)?"),
}
NUMBERS = {"whole numbers", "decimals"}
_MEASURED = re.compile(r".*[.,]\d{3,}|.*[eE].*|.*%")
"""Computed numbers, which are never labels."""
_GAPS = {"", "nan", "NaN", "NA", "N/A", "null", "None", "-", "--", "?"}
"""Cell contents that mean missing; dashes do not beside a plus sign."""
_ID, SHORT = 80, 40
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
        cells = [f"{value}" if type(value) in (str, int) else cell_text(value) for value in self.values]  # most are
        texts = [text.strip() for text in cells if text is not None]
        gaps = _GAPS - {"-", "--"} if "+" in texts else _GAPS
        known = [text for text in texts if text not in gaps]
        return [one if one.isdigit() or not _WHOLE.fullmatch(one) else re.sub(r"[.,]0+$", "", one) for one in known]

    @cached_property
    def distinct(self) -> tuple[str, ...]:
        """Its distinct values, in order of occurrence."""
        return tuple(dict.fromkeys(self.texts))

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its distinct values, ignoring case, and the words for yes and no."""
        return frozenset(family(text) or text.casefold() for text in self.distinct)

    @property
    def repeats(self) -> bool:
        """Whether several rows have a value, as of labels; short answers rarely repeat."""
        return len(self.distinct) < len(self.texts)

    @property
    def missing(self) -> int:
        """The number of missing values."""
        return len(self.values) - len(self.texts)

    @cached_property
    def kind(self) -> str:
        """The type of all of its values: that of a pattern, text, lists, objects or nothing."""
        nested = {type(value) for value in self.values} & {list, dict}
        if nested or not self.distinct:
            return "lists" if list in nested else "objects" if nested else "nothing"
        return next((kind for kind, form in _PATTERNS.items() if all(map(form.fullmatch, self.distinct))), "text")

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
        if not self.texts or self.length > SHORT or not self.is_flat:  # texts for reading are many to compare
            return False
        least = _GRADES if self.kind in NUMBERS else _FEW
        return len(self.folded) <= min(max(least, len(self.texts) // _OFTEN), _MOST) and self.is_answer

    def passes(self, tests: Collection[str]) -> bool:
        """Whether it is of a kind, or has a property, among those of `column_names.VALUES`."""
        return self.kind in tests or any(getattr(self, f"is_{test}", False) for test in tests)

    @property
    def is_answer(self) -> bool:
        """Whether its values may be texts or labels of texts, not ids or computed numbers such as similarities."""
        named = self.is_id and {*words(self.name)[-1:]} & {"id", "ids", "idx", "index"}
        measured = self.kind == "decimals" and 2 * sum(map(bool, map(_MEASURED.fullmatch, self.distinct)))
        return not named and self.kind != "objects" and measured <= len(self.distinct)

    @property
    def is_prose(self) -> bool:
        """Whether it holds texts for reading, or conversations."""
        spaced = 2 * sum(" " in text for text in self.distinct) > len(self.distinct)
        return self.kind == "lists" or (self.kind == "text" and spaced)


class TableSample(dict[str, ColumnSample]):
    """The columns of a table by name, in their order, from its first rows."""

    def only(self, names: Collection[str]) -> "TableSample":
        """Those of its columns that have some names."""
        return TableSample({name: one for name, one in self.items() if name in names})

    def rows(self, names: Sequence[str]) -> list[tuple[object, ...]]:
        """The values of some columns, row by row."""
        return list(zip(*(self[name].values for name in names), strict=True))

    @property
    def height(self) -> int:
        """The number of sampled rows."""
        return max((len(one.values) for one in self.values()), default=0)


def sample_of_records(records: Sequence[Mapping[str, object]]) -> TableSample:
    """Records, with a column for each value of nested objects, such as judge.verdict of {"judge": {"verdict": ...}}.

    Fields that a record lacks are missing.
    """
    wide = [{**record, **dict(_inner_fields(record))} for record in records]
    names = dict.fromkeys(name for record in wide for name in record)
    return TableSample({name: ColumnSample(name, [record.get(name) for record in wide]) for name in names})


def _inner_fields(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, dict) and above.count(".") < 6:  # noqa: PLR2004 - as deep as records are nested
            yield from _inner_fields(value, f"{above}{name}.")
        elif above:
            yield f"{above}{name}", value


# --- files ---

SAMPLED = 10_000
"""The number of sampled rows."""
TABLE = "table"
"""The format and the name of a table from Python."""


@dataclass(frozen=True)
class FileProfile:
    """A file's profile. format: the flat table, or the JSON, that it looks like. size: in bytes; None for a table.

    rows: the number of records, None if unknown. table: the first of them; part: a source of
    only these, if there are more. wrong: why it cannot be read in its format, if so.
    """

    source: Source
    format: str
    size: int | None = None
    rows: int | None = None
    table: TableSample = field(default_factory=TableSample)
    part: Source | None = None
    wrong: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.source.name

    @property
    def distrust(self) -> int:
        """The rank of its name; lower names are likelier references."""
        return bool(PREDICTED_FILES & {*words(self.source.stem)}) - bool(TRUSTED_FILES & {*words(self.source.stem)})

    def to_record(self) -> dict[str, Any]:
        """Its JSON form."""
        named = {name: getattr(self, name) for name in ("name", "format", "size", "rows", "wrong")}
        columns = [{"name": name, "kind": one.kind} for name, one in self.table.items()]
        return {**named, "columns": columns, "warnings": self.source.warnings}


def profiles_of(data: Any, how: How) -> list[FileProfile]:  # noqa: ANN401 - paths and tables
    """The given inputs, in any evaluation's format: reference files first, in the order of command arguments."""
    whose = next((name for name in NAMES if how.input_format in names(name)), None)
    folders = (name for given in each_of(data) for name in NAMES if format_of_folder(given, name))
    try:
        inputs = sources(data, how, whose or next(folders, None), spare=True)
    except DataError as error:
        given = [str(one) for one in each_of(data) if isinstance(one, str | PathLike)]
        inputs = [Source(", ".join(given) or TABLE, "", damage=error)]
    return sorted((profile_of(source, how) for source in inputs), key=lambda profile: profile.distrust)


def profile_of(source: Source, how: How | None = None) -> FileProfile:
    """A file's profile. No file is refused: faults in its content are part of the profile.

    how: options for reading; a first row of data is then read as such.
    """
    if source.damage:
        return FileProfile(source, "unknown content", wrong="\n".join(source.damage.frame()))
    if source.path and source.path.is_dir():
        return FileProfile(source, source.format)
    form = TABLE if source.path is None else container(source.start())
    size = None if source.path is None else source.path.stat().st_size
    if how and source.path and (cells := data_in_header(source)):
        (source,) = sources([source.name], replace(how, no_header=True))
        source = source.with_warnings(f"the first row is data, and no names of columns: {listed(cells)}")
    try:
        rows, table, part = (_of_json if form in ("json", "jsonl") else _of_frame)(source, form)
        check_width(source.name, len(table))
    except AdjudgeError as error:
        return FileProfile(source, form, size, wrong="\n".join(error.frame()))
    none = f"{source.name}: expected rows below the names of columns; got none" if rows == 0 else ""
    return FileProfile(source, form, size, rows, table, part, none)


def _of_frame(source: Source, form: str) -> tuple[int, TableSample, Source | None]:
    flat = replace(source, format=form)
    frame = scan(flat)
    schema_of(flat, frame)
    first = collect(flat, frame.head(SAMPLED))
    rows = first.height if first.height < SAMPLED else collect(flat, frame.select(pl.len())).item()
    part = replace(source, format=TABLE, path=None, table=first) if rows > SAMPLED else None
    columns = {one.name: ColumnSample(one.name, [*map(as_json, one.to_list())]) for one in first}
    return rows, TableSample(columns), part


def _of_json(source: Source, form: str) -> tuple[int, TableSample, Source | None]:
    objects = read_objects(replace(source, format=form))
    first = next(objects.batches(SAMPLED))
    table = sample_of_records([record for record in first.values if isinstance(record, dict)])
    if not table:
        first.checked_values()  # reports those that are no objects, as readers do
        raise DataError(f"{first.name}: expected objects with names and values; got an empty object")
    rows = len(objects.values)
    return rows, table, replace(source, records=first) if rows > SAMPLED else None


def own_format(evaluation: str, profile: FileProfile) -> Format | None:
    """The evaluation's own format of a file; None for general tables and unreadable files."""
    if profile.source.path and profile.source.path.is_dir():
        return next((form for form in formats(evaluation) if form.name == profile.source.format), None)
    with suppress(AdjudgeError):
        reading = scoring(evaluation).reader_options(options_of(evaluation).of({}))
        form = format_of(evaluation, opened(profile.source, reading))
        return form if form and form.name != "spans" else None  # which recognises any table
    return None
