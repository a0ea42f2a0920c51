"""Saved runs, which are outcomes that `--save-items` wrote or the report that names them; and reports of folders."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import DataError, OptionError, encodable, flag_name
from adjudge.json_records import from_json
from adjudge.options.declaration import arguments
from adjudge.options.shared import Scoring
from adjudge.readers.inputs import source_of
from adjudge.readers.io.paths import check_place
from adjudge.readers.io.source import Source
from adjudge.readers.tables import damage_of, is_flat
from adjudge.report import Input, Report, sha256_of
from adjudge.schemas.outcomes import MADE_BY, OUTCOMES
from adjudge.value_order import SortKey, sort_key
from adjudge.version import TITLE


@dataclass(frozen=True)
class _Origin:
    """Where outcomes come from: see `Report`.

    written: how many outcomes there were. collected: how many items, with those of which nothing is said.
    """

    evaluation: str
    inputs: tuple[Input, ...]
    signature: str
    adjudge: str
    written: int
    collected: int


@dataclass(frozen=True)
class Made(_Origin):
    """How outcomes were made, as their items file says it."""

    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Run(_Origin):
    """The outcomes of one run of an evaluation.

    options: the evaluation's. name: what to call it; no two runs that are compared have the same. path, sha256: of the
    file with the outcomes. outcomes: the frame of adjudge.schemas.outcomes, names as text. keys: its columns behind
    those. judges: whom it holds, sorted. rows: outcomes that are there.
    """

    options: Scoring
    name: str
    path: str
    sha256: str
    outcomes: pl.LazyFrame
    keys: tuple[str, ...]
    judges: tuple[str, ...]
    rows: int

    @contextmanager
    def damage_named(self) -> Iterator[None]:
        """For queries over `outcomes`: what they say of a damaged file becomes a DataError.

        So does the lack of a column.
        """
        with damage_of(Source(self.path, "parquet", Path(self.path))):
            try:
                yield
            except _LACKING as error:
                column = next(iter(re.findall('"(.+?)"', str(error))), "")
                said = f"expected the column {column}; the file lacks it. Rerun its command with --save-items"
                raise DataError(f"{self.path}: {said}") from None


_LACKING = (pl.exceptions.ColumnNotFoundError, pl.exceptions.SchemaFieldNotFoundError)


OptionsOf = Callable[[str], type[Scoring]]
"""The options of an evaluation by its name; raises DataError where there is none."""


def read_runs(paths: Sequence[str | Path], options_of: OptionsOf) -> list[Run]:
    """The runs in files, in their order. The same file may stand several times.

    Raises OptionError for a file that cannot be read, DataError for one that holds no outcomes or says of options what
    is not valid, an items file that is not the one its report speaks of, and for runs of different evaluations.
    """
    names = names_of([Path(path) for path in paths])
    runs = [_read(Path(path), name, options_of) for path, name in zip(paths, names, strict=True)]
    if len({run.evaluation for run in runs}) > 1:
        listed = ", ".join(f"{run.name} of {run.evaluation}" for run in runs)
        raise DataError(f"expected runs of one evaluation; got {listed}")
    return runs


def made_of(path: Path) -> Made | None:
    """How the outcomes in a file were made; None of any other file. Raises DataError where what it says is broken."""
    with suppress(pl.exceptions.PolarsError, OSError):
        said = pl.read_parquet_metadata(path).get(MADE_BY)
        return None if said is None else _read_origin(path, said)
    return None


def names_of(paths: Sequence[Path]) -> list[str]:
    """What to call files: their names without ending, with as many folders as tell them apart, or else a number.

    >>> names_of([Path("a/run.json"), Path("b/run.json"), Path("c.json"), Path("c.json"), Path("c.parquet")])
    ['a/run', 'b/run', 'c.json (1)', 'c.json (2)', 'c.parquet']
    """
    distinct = list(dict.fromkeys(path.resolve() for path in paths))
    shortest = {path: _shortest(path, distinct) for path in distinct}
    found = [shortest[path.resolve()] for path in paths]
    nth = [found[: place + 1].count(name) for place, name in enumerate(found)]
    return [f"{name} ({at})" if found.count(name) > 1 else name for at, name in zip(nth, found, strict=True)]


def _shortest(path: Path, others: Sequence[Path]) -> str:
    """The end of a path that no other has, without the ending of its name where that can be spared."""
    short = {other: other.with_name(other.stem) if other.name else other for other in others}
    for names in (short, {other: other for other in others}):
        own = names[path].parts
        for length in range(1, len(own)):
            if sum(other.parts[-length:] == own[-length:] for other in names.values()) == 1:
                return "/".join(own[-length:])
    return str(path)


_WITH_ITEMS = f"score its inputs again with {flag_name('save_items')} FILE.parquet"


def _read(path: Path, name: str, options_of: OptionsOf) -> Run:
    if path.is_dir():
        raise OptionError(f"{path}: expected a file; got a folder", fix="the files in it")
    form = source_of(path).format
    if form == "parquet":
        return _from_items(path, name, options_of)
    if form != "json":
        kinds = f"an items file written with {flag_name('save_items')}, or a report saved as JSON that names one"
        raise DataError(f"{path}: expected {kinds}; it is neither", fix=_WITH_ITEMS)
    saved = Report.load(path).outcomes
    if saved.path is None:
        raise DataError(f"{path}: expected a report that names its items; this one has none", fix=_WITH_ITEMS)
    items = Path(saved.path)
    beside = (items, path.parent / items, path.parent / items.name)
    found = next((one for one in beside if one.is_file()), None)
    if found is None:
        raise DataError(f"{path}: its items file {items} is not there", fix=_WITH_ITEMS)
    run = _from_items(found, name, options_of)
    if run.sha256 != saved.sha256:
        hashes = f"its hash is {run.sha256[:12]}, the report says {str(saved.sha256)[:12]}"
        fix = f"the command of the report again, or {found} in the place of {path}"
        raise DataError(f"{found}: was changed since {path} was written ({hashes})", fix=fix)
    return run


def _from_items(path: Path, name: str, options_of: OptionsOf) -> Run:
    source = Source(str(path), "parquet", path)
    with damage_of(source):
        said = pl.read_parquet_metadata(path).get(MADE_BY)
        frame = pl.scan_parquet(path, glob=False)
        schema = frame.collect_schema()
    if said is None:
        message = f"{path}: expected an items file written with {flag_name('save_items')}; got another table"
        raise DataError(message, found=f"columns {', '.join(schema):.300}", fix=_WITH_ITEMS)
    if wrong := [column for column in (*OUTCOMES, *schema) if not _has_its_type(column, schema.get(column))]:
        raise DataError(f"{path}, column {wrong[0]}: expected it as it was written; it was changed", fix=_WITH_ITEMS)
    with damage_of(source):
        counts = frame.group_by("judge").len().sort("judge").collect()
    judges = counts["judge"].drop_nulls().to_list()
    if not judges:
        raise DataError(f"{path}, column judge: expected names; there is none, so the items file holds no outcomes")
    made = _read_origin(path, said)
    return Run(
        **vars(made) | {"options": _options(path, made.options, options_of(made.evaluation))},
        name=name,
        path=str(path),
        sha256=sha256_of(path),
        outcomes=frame,
        keys=tuple(column for column in schema if column not in OUTCOMES),
        judges=tuple(judges),
        rows=int(counts["len"].sum()),
    )


def _has_its_type(column: str, dtype: pl.DataType | None) -> bool:
    """Whether a column of an items file is there, and has the type in which it was written; keys are flat."""
    if dtype is None or column not in OUTCOMES:
        return dtype is not None and is_flat(dtype)
    return dtype == (pl.Float64 if OUTCOMES[column] == pl.Float64 else pl.String)


def _read_origin(path: Path, text: str) -> Made:
    try:
        said = from_json(dict[str, Any], json.loads(text), "made")
        said["written"] = said.pop("rows")
        found: Made = from_json(Made, said, "made")
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: what it says of how it was made is broken", fix=_WITH_ITEMS) from None
    return found


def _options(path: Path, recorded: Mapping[str, Any], known: type[Scoring]) -> Scoring:
    broken, fix = f"{path}: what it says of how it was made is broken", f"score it again with {flag_name('save_items')}"
    if unknown := [name for name in recorded if name not in arguments(known)]:
        raise DataError(f"{broken}: no option is called {unknown[0]:.60}", fix=fix)
    try:
        return known.of(recorded)
    except OptionError as error:
        raise DataError(f"{broken}: {error.lines[0]}", fix=fix) from None


_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:[T_ -](?!\d{4}-\d\d-\d\d)(?P<hour>\d\d)[-:.]?(?P<minute>\d\d)(?:[-:.]?(?P<second>\d\d))?)?(?!\d)"
)


@dataclass(frozen=True, slots=True, eq=False)
class SavedReport:
    """A report and where it stands.

    name: what to call it; no two of one reading have the same. path: as given, or below the folder that was given.
    sha256: of the file's bytes. time: when it was made, such as 2026-11-20 or 2026-11-20 10:30, if its name says so,
    else its name. dated: whether it does.
    """

    name: str
    path: str
    report: Report
    sha256: str
    time: str
    dated: bool


def read_saved_reports(places: Sequence[Path]) -> tuple[list[SavedReport], list[str]]:
    """The reports in files and in folders (all that ends in .json there, however deep), and the files that are none.

    They are in the order of the places, those of a folder in the order of their names, in which digits count as numbers
    (run 2 before run 10). Three places or more in alphabetical order count as the files of a folder, since a shell puts
    run 10 before run 2 where it expands run*.json. A file that is named, or lies in a folder that is named, several
    times is read once. Raises OptionError for a place that is not there or cannot be read, DataError for a named file
    that is no report.
    """
    named = {place.resolve() for place in places}
    expanded = len(places) > 2 and [*places] == sorted(places)  # noqa: PLR2004 - of two the typed order is as likely
    paths: dict[Path, Path] = {}
    for path in chain.from_iterable(map(_files, sorted(places, key=_natural_order) if expanded else places)):
        paths.setdefault(path.resolve(), path)
    read, others, saved = dict[Path, Report](), list[str](), list[SavedReport]()
    for resolved, path in paths.items():
        try:
            read[path] = _load(path)
        except (DataError, OptionError):
            if resolved in named:
                raise
            others.append(str(path))
    for name, (path, report) in zip(names_of(list(read)), read.items(), strict=True):
        time = next(filter(None, map(date_in, (path.stem, *reversed(path.parent.parts)))), "")
        saved.append(SavedReport(name, str(path), report, sha256_of(path), time or name, dated=bool(time)))
    return saved, others


def _load(path: Path) -> Report:
    if not path.is_file():
        raise DataError(f"{path}: expected a report saved by {TITLE} as JSON; got a pipe, a device or a broken link")
    return Report.load(path)


def _natural_order(path: Path) -> SortKey:
    return sort_key(str(path), "name")


def _files(place: Path) -> list[Path]:
    """The file itself, or those of a folder that end in .json, in the order of their names; none that is hidden.

    What a killed command left half made is hidden.
    """
    check_place(place, "file or folder")
    found = [] if place.is_dir() else [place]
    for folder, below, names in os.walk(place, onerror=_refuse_folder) if place.is_dir() else ():
        below[:] = (name for name in below if not name.startswith("."))
        found += [Path(folder, name) for name in names if name.lower().endswith(".json") and not name.startswith(".")]
    if odd := next((path for path in found if not encodable(str(path))), None):
        raise OptionError(f"{odd}: expected a name in UTF-8", fix="another name")
    return sorted(found, key=_natural_order)


def _refuse_folder(error: OSError) -> None:
    raise OptionError(f"{error.filename}: cannot be read: {error.strerror}") from None


def date_in(name: str) -> str:
    """The date, and time of day, that the name of a file or folder says in ISO form; the latest of several.

    Empty where it says none.

    >>> date_in("run-2026-11-20"), date_in("20261120T1030_v2"), date_in("2026-11-20_10-30-05"), date_in("run 17")
    ('2026-11-20', '2026-11-20 10:30', '2026-11-20 10:30:05', '')
    >>> date_in("gpt-2025-08-06 2026-11-20"), date_in("2026-11-20_2026-11-27"), date_in("2026-11-20_9999")
    ('2026-11-20', '2026-11-27', '2026-11-20')
    """
    return max(map(_moment, _DATE.finditer(name)), default="")


def _moment(found: re.Match[str]) -> str:
    """The moment that a match names, or else the day; empty where there is no such day."""
    day = "-".join(found.group("year", "month", "day"))
    time = ":".join(filter(None, found.group("hour", "minute", "second")))
    for text in (f"{day} {time}".rstrip(), day):
        with suppress(ValueError):
            datetime.fromisoformat(text)
            return text
    return ""
