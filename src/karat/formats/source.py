"""Where data comes from: a file whose format is known by its content, or a table from Python.

And the formats that Karat reads. Each is declared, as FORMAT, by the module of this folder that reads it. Nothing lists
them: a module with a FORMAT is found because it stands here.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from os import PathLike
from pathlib import Path
from pkgutil import get_data, iter_modules
from sys import modules
from typing import Any

import polars as pl

from karat.errors import DataError, OptionError, nearest, together
from karat.formats.addresses import STANDARD_INPUT, fetched, from_standard_input, is_address, shown
from karat.formats.archives import files_in_archive, folder_of_archive
from karat.formats.given_tables import is_records, records_file, taken_over
from karat.formats.places import check_readable, expanded
from karat.formats.plain import as_plain, check_called, is_parquet, without_signs
from karat.formats.unpacking import UNITS, kind_in_words
from karat.report import sha256_of, size_of

MARK = b"\xef\xbb\xbf"
"""The byte-order mark with which a text file may begin."""

SNIFFED = 1 << 16
"""How many bytes of a file are looked at to see what it is."""

_MOST = "8GB"
_ROWS_HASHED = 1 << 16


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    name: as `--input-format` takes it. evaluation: whose input it holds; None for flat tables, which any evaluation may
    read. read: of a flat table, takes the Source and the columns to look for in every record, and gives a lazy frame;
    of others, takes what was `Opened`, and gives what the evaluation's reader works on. recognise: whether a file is of
    this format, from its `Start` (flat tables) or from what was `Opened`. precedence: where several recognise a file,
    the one with the highest has it. endings: how names of such files usually end. said: what it is, unless the first
    line of the module's docstring says so, or, of several formats in a module, that of what reads each. folder: what
    the files are called in a folder that is one such input. own: what stands near the beginning of such files alone.
    """

    name: str
    evaluation: str | None
    read: Callable[..., Any]
    recognise: Callable[[Any], bool]
    precedence: int = 0
    endings: tuple[str, ...] = ()
    said: str = ""
    folder: str = ""
    own: tuple[bytes, ...] = ()

    @property
    def about(self) -> str:
        """What it is, as docs/formats.md lists it."""
        if self.said:
            return self.said
        module = modules[self.read.__module__]
        holder = self.read if isinstance(vars(module)["FORMAT"], tuple) else module
        return (holder.__doc__ or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Start:
    """How a file begins: its first bytes without byte-order mark and white space, and the ending of its name."""

    content: bytes
    ending: str


READ_ALIKE = {"agreement": "reliability", "card": "reliability"}
"""Evaluations that read the formats of another."""


@cache
def formats(evaluation: str | None = None) -> tuple[Format, ...]:
    """The formats of an evaluation, or the flat tables, in the order in which they are asked to recognise a file."""
    whose = evaluation and READ_ALIKE.get(evaluation, evaluation)
    holding = [name for name, held in _declared().items() if held is None or str(whose) in held]
    modules = [import_module(f"{__package__}.{name}") for name in holding]
    declared = [vars(module).get("FORMAT", ()) for module in modules]
    found = [form for one in declared for form in ((one,) if isinstance(one, Format) else one)]
    own = [form for form in found if form.evaluation == whose]
    return tuple(sorted(own, key=lambda form: (-form.precedence, form.name)))


_DECLARED = re.compile(r"""Format\(\s*[\w."-]+,\s*"?(\w+)""")
"""How a module declares whose format it holds; see `_declared`."""


@cache
def _declared() -> Mapping[str, set[str] | None]:
    """The modules here -> the evaluations whose formats they hold, as their text says; None where there is no text.

    Most commands need the formats of one evaluation, and to import those of all others takes a tenth of a second.
    """
    found: dict[str, set[str] | None] = {}
    for one in iter_modules([str(Path(__file__).parent)]):
        found[one.name] = None
        with suppress(OSError):
            text = (get_data(__package__, f"{one.name}.py") or b"").decode()
            found[one.name] = set(_DECLARED.findall(text)) if "\nFORMAT = " in text else set()
    return found


def names(evaluation: str | None) -> list[str]:
    """What `--input-format` may say for an evaluation: its own formats, and flat tables."""
    own = formats(evaluation) if evaluation else ()
    return [form.name for form in (*own, *formats())]


def named(evaluation: str | None, name: str) -> Format:
    """The format of a name. Raises KeyError where there is none."""
    return {form.name: form for form in formats(evaluation)}[name]


def container(start: Start) -> str:
    """The flat table, or the JSON, that a file looks like."""
    return next(form.name for form in formats() if form.recognise(start))


@dataclass(frozen=True, slots=True)
class How:
    """How inputs are read: the options of `api.options.Reading`, which all evaluations have.

    input_format: the files' format. encoding, separator: of text. All three are found out by default. max_size: the
    most that an input may hold once it is unpacked, such as 500MB; 8GB by default. set: a column -> the value that all
    rows have in it. values: Karat's column, or the input's -> value -> what it means. columns: Karat's column -> the
    input's. annotator_columns: of a wide table. item_columns: of one with a row per annotator. by, cluster, draw:
    further columns. exact_labels: whether values that differ by spaces or case differ in meaning.
    """

    input_format: str | None = None
    encoding: str | None = None
    separator: str | None = None
    max_size: str | None = None
    set: Mapping[str, str] = field(default_factory=dict, hash=False)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)
    annotator_columns: Sequence[str] = field(default=(), hash=False)
    item_columns: Sequence[str] = field(default=(), hash=False)
    by: Sequence[str] = field(default=(), hash=False)
    cluster: str | None = None
    draw: str | None = None
    exact_labels: bool = False

    @property
    def most(self) -> int:
        """The bytes that an input may hold."""
        text = self.max_size or _MOST
        unit = next(unit for unit in UNITS if text.endswith(unit))
        return int(float(text.removesuffix(unit)) * UNITS[unit])


AS_FOUND = How()
"""All is found out."""


def how_of(options: Mapping[str, Any]) -> How:
    """How inputs are read, of the options of a call or of a saved run, which may lack some."""
    return How(**{one.name: options[one.name] for one in fields(How) if one.name in options})


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a plain file in UTF-8 (path) or a table (table).

    name: as messages call it. format: the name of a Format, as the user gives it, or else of the flat table that the
    file looks like; or "table". how: how it is read. given: the file as the user gave it, where `path` is what became
    of it. held: the file's name, without what says how it was packed. warnings: what was done to read it. hashed: the
    hash of a table as the user gave it, where `table` is what became of it. seen: a column whose values mean others, as
    the user says -> the values that it holds. rows: the first row, from 0, and how many of them this is, where it is a
    range of a file of Karat's columnar form; `hashed` is then the hash of that file.
    """

    name: str
    format: str
    path: Path | None = None
    table: pl.DataFrame | None = None
    how: How = AS_FOUND
    given: Path | None = None
    held: str = ""
    warnings: tuple[str, ...] = ()
    hashed: str = ""
    seen: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    damage: str = ""
    rows: tuple[int, int] | None = None

    @property
    def file(self) -> Path:
        """The file. Raises DataError for a table, which has none, and for a file that cannot be opened."""
        self.check_sound()
        if self.path is None:
            raise DataError(f"{self.name}: expected a file; got a table")
        return self.path

    def check_sound(self) -> None:
        """Raises DataError where it cannot be opened."""
        if self.damage:
            raise DataError(self.damage)

    @property
    def stem(self) -> str:
        """The name of a file or of an address, without folder and ending; a table's name."""
        return Path(self.held or self.name).stem if self.path else self.name

    def text(self) -> str:
        """All that the file says; see `decode`."""
        return decode(self.file.read_bytes(), self.name)

    def start(self) -> Start:
        """How the file begins; of a table or a folder, nothing."""
        if self.path is None or self.path.is_dir():
            return Start(b"", "")
        with self.path.open("rb") as file:
            return Start(file.read(SNIFFED).removeprefix(MARK).lstrip(), self.path.suffix)

    @property
    def size(self) -> int | None:
        """The bytes of the file that was given; None of a table."""
        file = self.given or self.path
        return None if file is None else size_of(file)

    def sha256(self) -> str:
        """Hash of the bytes of the file that was given; of the table's CSV text where the data came from Python.

        What CSV cannot say (lists, structs, bytes, durations) goes into that text as Python writes it. Columns of
        Python objects, which no figure depends on, are left out.
        """
        if self.hashed:
            return self.hashed
        if (file := self.given or self.path) is not None:
            return sha256_of(file)
        table = pl.DataFrame() if self.table is None else _flat(self.table)
        digest = hashlib.sha256(table.clear().write_csv().encode())
        for part in table.iter_slices(_ROWS_HASHED):
            digest.update(part.write_csv(include_header=False).encode())
        return digest.hexdigest()


def decode(data: bytes, name: str, first_line: int = 1) -> str:
    """Bytes as UTF-8 text, without the byte-order mark. Raises DataError that names the first wrong byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if found := kind_in_words(data):
            raise DataError(f"{name}: expected text; got {found}. Export it as text, Parquet or .xlsx") from None
        line = data.count(b"\n", 0, error.start) + first_line
        raise DataError(
            f"{name}, line {line}: expected UTF-8 text; got the byte 0x{data[error.start]:02X}. "
            "Name its encoding with --encoding, or save it as UTF-8"
        ) from None


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    plain = table.select(pl.exclude(pl.Object))
    odd = [name for name, dtype in plain.schema.items() if dtype.is_nested() or dtype in (pl.Binary, pl.Duration)]
    return plain.with_columns(pl.Series(name, map(repr, plain[name].to_list()), pl.String) for name in odd)


def sources(
    data: Any,  # noqa: ANN401 - whatever holds a table
    how: How | None = None,
    evaluation: str | None = None,
    *,
    spare: bool = False,
) -> list[Source]:
    """The inputs behind what a user passes: a path, an address, a table, or a list of these.

    A folder stands for the files in it, a pattern such as runs/*.jsonl for the files of such names, and - for standard
    input.
    Tables come in as polars, or as anything with the Arrow interface (pandas, pyarrow, DuckDB ...).
    how: how they are read; by default all is found out. evaluation: whose input they are; None for flat tables.
    spare: whether one of several that cannot be opened is a Source that says so (damage), and no error.
    Raises OptionError for anything else and for a path that cannot be read (or only once, as a pipe), DataError
    for empty files and for tables that cannot be taken over, MissingError where that needs a package that is
    not installed.
    """
    known, how = names(evaluation), how or AS_FOUND
    if how.input_format not in (None, *known):
        hint = nearest(str(how.input_format), known)
        raise OptionError(f'input_format: expected one of {", ".join(known)}; got "{how.input_format}"{hint}')
    many = list(data) if isinstance(data, list | tuple) and not is_records(data) else [data]
    if not many:
        raise OptionError("no input was given; name at least one file")
    name = "table {}" if len(many) > 1 else "table"
    from karat.formats.shaping import shaped

    found: list[Source] = []
    wrong: list[DataError] = []
    for given in many:
        whole = _whole_folder(given, how, evaluation)
        each = [] if whole else expanded(given)
        found += [whole] if whole else []
        for one in each:
            called = name.format(len(found) + 1)
            try:
                found.append(shaped(_source(one, called, how)))
            except DataError as error:
                wrong.append(error)
                found.append(_damaged(one, called, error))
    if wrong and not (spare and len(wrong) < len(found)):
        raise together(wrong)
    return found


def parted(sources: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Those that can be opened, and those that cannot."""
    return [one for one in sources if not one.damage], [one for one in sources if one.damage]


def _damaged(given: Any, called: str, error: DataError) -> Source:  # noqa: ANN401
    """What cannot be opened, as an input that says why."""
    path = Path(given) if isinstance(given, str | PathLike) and not is_address(given) else None
    name = called if path is None and not isinstance(given, str) else shown(str(given))
    return Source(name, "", given=path if path and path.is_file() else None, damage=str(error))


def format_of_folder(data: Any, evaluation: str | None) -> Format | None:  # noqa: ANN401
    """The format of an evaluation in which a folder, or an archive, is one input as a whole; None for anything else."""
    inside = files_in_archive(data)
    if not (inside or _is_folder(data)):
        return None

    def holds(pattern: str) -> bool:
        return any(Path(one).match(pattern) for one in inside) if inside else any(Path(data).rglob(pattern))

    return next((form for form in formats(evaluation) if form.folder and holds(form.folder)), None)


def _whole_folder(data: Any, how: How, evaluation: str | None) -> Source | None:  # noqa: ANN401
    """A folder, or an archive, that is one input as a whole, in a format of an evaluation; None for anything else."""
    from karat.formats.icai import icai_source, results_in

    if _is_folder(data) and (results := results_in(Path(data))):
        return icai_source(Path(data), results, Source(str(data), "json", how=how))
    form = format_of_folder(data, evaluation)
    if form is None:
        return None
    given = Path(data)
    place = given if given.is_dir() else folder_of_archive(given, how.most)
    return Source(str(data), form.name, place, how=how, given=given, held=given.name)


def _is_folder(data: object) -> bool:
    return isinstance(data, str | PathLike) and Path(data).is_dir()


def source_of(data: Any, how: How | None = None, evaluation: str | None = None) -> Source:  # noqa: ANN401
    """The one input behind what a user passes; see `sources`. Raises OptionError where there are several."""
    found = sources([data], how, evaluation)
    if len(found) > 1:
        raise OptionError(f"{data}: expected one file; got {len(found)}: {', '.join(one.name for one in found):.300}")
    return found[0]


def source_beside(data: Any, options: Mapping[str, Any]) -> Source:  # noqa: ANN401
    """The one input that stands beside those of a call, such as rules, verdicts or true answers.

    Of the options of reading it takes those about text and size: its format and columns are its own. A separator that
    its first line does not hold is that of the others.
    """
    encoding, separator, most = (options.get(name) for name in ("encoding", "separator", "max_size"))
    source = source_of(data, How(encoding=encoding, separator=separator, max_size=most))
    named = {"tab": "\t"}.get(source.how.separator or "", source.how.separator or "")
    if named.encode() in source.start().content.partition(b"\n")[0]:
        return source
    return replace(source, how=replace(source.how, separator=None))


def _source(data: Any, name: str, how: How) -> Source:  # noqa: ANN401
    if isinstance(data, str | PathLike):
        return _of_place(data, how)
    if isinstance(data, Mapping) and any(hasattr(one, "to_polars") for one in data.values()):
        splits = ", ".join(map(str, data))
        raise OptionError(f"{name}: expected one data set; got the splits {splits}. Name one of them, as in data[...]")
    try:
        table = data if isinstance(data, pl.DataFrame) else taken_over(data, name)
    except DataError:
        if (path := records_file(data) if is_records(data) else None) is None:
            raise
        return _of_file(path, name, how)
    return Source(name, "table", table=table, how=how)


def _of_place(place: str | PathLike[str], how: How) -> Source:
    """An input by its path or address."""
    name, path = str(place), Path(place)
    if is_address(place):
        return _of_file(fetched(name, how.most), shown(name), how)
    if place == STANDARD_INPUT:
        return _of_file(from_standard_input(how.most), "standard input", how)
    if path.suffix == ".eval" and path.is_file():
        from karat.formats.inspect_logs import eval_rows

        check_called(path, path.name, name)
        return Source(path.stem, "table", table=eval_rows(path), how=how)
    return _of_file(path, name, how)


def _of_file(given: Path, name: str, how: How) -> Source:
    """A file, as a plain one. Behind its name may stand a part of it, as in book.xlsx#Sheet."""
    file, _, part = name.rpartition("#")
    if file and not given.exists():
        given = Path(file)
    check_readable(given)
    plain = as_plain(given, name, part if str(given) == file else None, how.most, how.encoding, how.separator)
    start = Source(name, "", plain.path).start()
    if not start.content:
        raise DataError(f"{name}: the file is empty")
    form = how.input_format or container(start)
    if form == "parquet" and not is_parquet(plain.path):
        raise DataError(f"{name}: cannot be read as parquet: its first bytes are not PAR1. Fetch or make it again")
    how = replace(how, separator=plain.separator or how.separator)
    path = without_signs(plain.path)
    return Source(name, form, path, how=how, given=given, held=plain.held, warnings=plain.warnings)
