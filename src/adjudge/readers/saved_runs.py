"""Saved runs: outcomes written by `--save-items`, or the report that names them; and reports in folders."""

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from adjudge.display_names import SortKey, sort_key
from adjudge.errors import DataError, OptionError, encodable, flag_name
from adjudge.options.declaration import arguments
from adjudge.options.shared import Scoring
from adjudge.readers.inputs import source_of
from adjudge.readers.io.paths import check_place, check_readable
from adjudge.readers.io.source import Source
from adjudge.readers.tables import damage_of
from adjudge.report import Input, Report, sha256_of
from adjudge.schemas.outcomes import MADE_BY, OUTCOMES


@dataclass(frozen=True)
class Made:
    """The origin and options of outcomes, as recorded in their items file; see `Report`.

    written: number of outcomes. collected: number of items, including those without outcomes.
    """

    evaluation: str
    inputs: tuple[Input, ...]
    signature: str
    adjudge: str
    written: int
    collected: int
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Run(Made):
    """The outcomes of one run of an evaluation.

    options: the evaluation's. name: unique among compared runs. path, sha256: of the file with the outcomes. outcomes:
    the frame of adjudge.schemas.outcomes, names as text. keys: its columns after those. judges: its judges, sorted.
    rows: number of outcomes in the file.
    """

    options: Scoring  # type: ignore[assignment]
    name: str
    path: str
    sha256: str
    outcomes: pl.LazyFrame
    keys: tuple[str, ...]
    judges: tuple[str, ...]
    rows: int

    def damage_named(self) -> AbstractContextManager[None]:
        """For queries over `outcomes`: errors about a damaged file, or a missing column, become a DataError."""
        return damage_of(Source(self.path, "parquet", Path(self.path)))


OptionsOf = Callable[[str], type[Scoring]]
"""The options of an evaluation by its name; raises DataError if there is none."""


def read_runs(paths: Sequence[str | Path], options_of: OptionsOf) -> list[Run]:
    """The runs in files, in their order. A file may repeat.

    Raises OptionError for an unreadable file, DataError for a file without outcomes or with invalid options, an items
    file that does not match its report, and runs of different evaluations.
    """
    names = names_of([Path(path) for path in paths])
    runs = [_read(Path(path), name, options_of) for path, name in zip(paths, names, strict=True)]
    if len({run.evaluation for run in runs}) > 1:
        raise DataError(f"expected one evaluation; got {', '.join(f'{one.name} of {one.evaluation}' for one in runs)}")
    return runs


def made_of(path: Path) -> Made | None:
    """The origin of the outcomes in a file; None for any other file. Raises DataError if its record is broken."""
    with suppress(pl.exceptions.PolarsError, OSError):
        record = pl.read_parquet_metadata(path).get(MADE_BY)
        return None if record is None else _read_origin(path, record)
    return None


def names_of(paths: Sequence[Path]) -> list[str]:
    """Unique names of files: without ending and folder, else with one of them or both, or with a number.

    >>> names_of([Path("a/run.json"), Path("b/run.json"), Path("c.json"), Path("c.json"), Path("c.parquet")])
    ['a/run', 'b/run', 'c.json (1)', 'c.json (2)', 'c.parquet']
    """
    resolved = [path.resolve() for path in paths]
    forms = {path: (path.stem, f"{path.parent.name}/{path.stem}", path.name, str(path)) for path in resolved}
    counts = Counter(chain.from_iterable(map(set, forms.values())))
    names = [next((name for name in forms[path] if counts[name] == 1), str(path)) for path in resolved]
    nth = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [f"{name} ({at})" if names.count(name) > 1 else name for at, name in zip(nth, names, strict=True)]


_WITH_ITEMS = f"rerun the evaluation with {flag_name('save_items')} FILE.parquet"


def _read(path: Path, name: str, options_of: OptionsOf) -> Run:
    if path.is_dir():
        raise OptionError(f"{path}: expected a file; got a folder", fix="the files in it")
    form = source_of(path).format
    if form == "parquet":
        return _from_items(path, name, options_of)
    if form != "json":
        raise DataError(f"{path}: expected a saved run (items file or JSON report)", fix=_WITH_ITEMS)
    saved = Report.load(path).outcomes
    items = Path(saved.path or "")
    items_path = next((one for one in (items, path.parent / items, path.parent / items.name) if one.is_file()), None)
    if items_path is None:
        raise DataError(f"{path}: expected a report with its items file; got {saved.path or 'none'}", fix=_WITH_ITEMS)
    run = _from_items(items_path, name, options_of)
    if run.sha256 != saved.sha256:
        fix = f"the command of the report again, or {items_path} in the place of {path}"
        raise DataError(f"{items_path}: was changed since {path} was written", fix=fix)
    return run


def _from_items(path: Path, name: str, options_of: OptionsOf) -> Run:
    source = Source(str(path), "parquet", path)
    with damage_of(source):
        record = pl.read_parquet_metadata(path).get(MADE_BY)
        frame = pl.scan_parquet(path, glob=False)
        schema = frame.collect_schema()
    if record is None:
        raise DataError(f"{path}: expected an items file; got another table", fix=_WITH_ITEMS)
    types = {column: pl.Float64 if dtype == pl.Float64 else pl.String for column, dtype in OUTCOMES.items()}
    if wrong := [column for column, dtype in types.items() if schema.get(column) != dtype]:
        raise DataError(f"{path}, column {wrong[0]}: expected it as it was written; it was changed", fix=_WITH_ITEMS)
    with damage_of(source):
        counts = frame.group_by("judge").len().sort("judge").collect()
    judges = counts["judge"].drop_nulls().to_list()
    if not judges:
        raise DataError(f"{path}, column judge: expected names; got none")
    made, rows = _read_origin(path, record), int(counts["len"].sum())
    if rows != made.written:
        text = f"{path}: expected the {made.written:,} outcomes that were written; got {rows:,}"
        raise DataError(text, fix=_WITH_ITEMS)
    return Run(
        **vars(made) | {"options": _options(path, made.options, options_of(made.evaluation))},
        name=name,
        path=str(path),
        sha256=sha256_of(path),
        outcomes=frame,
        keys=tuple(column for column in schema if column not in OUTCOMES),
        judges=tuple(judges),
        rows=rows,
    )


def _read_origin(path: Path, text: str) -> Made:
    try:
        record = msgspec.json.decode(text, type=dict[str, Any])
        record["written"] = record.pop("rows")
        return msgspec.convert(record, Made)
    except (msgspec.MsgspecError, KeyError):
        raise DataError(f"{path}: its record of how it was made is broken", fix=_WITH_ITEMS) from None


def _options(path: Path, recorded: Mapping[str, Any], known: type[Scoring]) -> Scoring:
    broken = f"{path}: its record of how it was made is broken"
    if unknown := [name for name in recorded if name not in arguments(known)]:
        raise DataError(f"{broken}: no option is called {unknown[0]:.60}", fix=_WITH_ITEMS)
    try:
        return known.of(recorded)
    except OptionError as error:
        raise DataError(f"{broken}: {error.lines[0]}", fix=_WITH_ITEMS) from None


_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:[T_ -](?!\d{4}-\d\d-\d\d)(?P<hour>[01]\d|2[0-3])[-:.]?(?P<minute>[0-5]\d)"
    r"(?:[-:.]?(?P<second>[0-5]\d))?)?(?!\d)"
)


@dataclass(frozen=True, slots=True, eq=False)
class SavedReport:
    """A report and its place.

    name: unique in one reading. path: as given, or below the given folder. sha256: of the file's bytes. time: its date
    and time, such as 2026-11-20 or 2026-11-20 10:30, if in its name, else its name. dated: whether the name has one.
    """

    name: str
    path: str
    report: Report
    sha256: str
    time: str
    dated: bool


def read_saved_reports(places: Sequence[Path]) -> tuple[list[SavedReport], list[str]]:
    """The reports in files and in folders (all .json files there, at any depth), and the files that are no reports.

    Reports are in the order of the places, those of a folder in natural order of their names (run 2 before run 10).
    Three or more places in alphabetical order count as the files of a folder, since a shell puts run 10 before run 2
    when it expands run*.json. Reads a file that is given several times, directly or by its folder, once. Raises
    OptionError for a missing or unreadable place, DataError for a given file that is no report.
    """
    named = {place.resolve() for place in places}
    expanded = len(places) > 2 and [*places] == sorted(places)  # noqa: PLR2004 - two may be in typed order
    paths: dict[Path, Path] = {}
    for path in chain.from_iterable(map(_files, sorted(places, key=_natural_order) if expanded else places)):
        paths.setdefault(path.resolve(), path)
    read, no_reports, saved = dict[Path, Report](), list[str](), list[SavedReport]()
    for resolved, path in paths.items():
        try:
            check_readable(path)
            read[path] = Report.load(path)
        except (DataError, OptionError):
            if resolved in named:
                raise
            no_reports.append(str(path))
    for name, (path, report) in zip(names_of(list(read)), read.items(), strict=True):
        time = next(filter(None, map(date_in, (path.stem, *reversed(path.parent.parts)))), "")
        saved.append(SavedReport(name, str(path), report, sha256_of(path), time or name, dated=bool(time)))
    return saved, no_reports


def _natural_order(path: Path) -> SortKey:
    return sort_key(str(path), "name")


def _files(place: Path) -> list[Path]:
    """The file itself, or a folder's .json files in the order of their names, without hidden ones.

    The partial files of killed commands are hidden.
    """
    check_place(place, "file or folder")
    if not place.is_dir():
        return [place]

    def refuse(error: OSError) -> None:
        raise OptionError(f"{error.filename}: cannot be read: {error.strerror}") from None

    paths = list[Path]()
    for folder, below, names in os.walk(place, onerror=refuse):
        below[:] = (name for name in below if not name.startswith("."))
        paths += [Path(folder, name) for name in names if name.lower().endswith(".json") and not name.startswith(".")]
    if odd := next((path for path in paths if not encodable(str(path))), None):
        raise OptionError(f"{odd}: expected a name in UTF-8", fix="another name")
    return sorted(paths, key=_natural_order)


def date_in(name: str) -> str:
    """The ISO date, and time of day, in the name of a file or folder; the latest of several.

    Empty if there is none.

    >>> date_in("run-2026-11-20"), date_in("20261120T1030_v2"), date_in("2026-11-20_10-30-05"), date_in("run 17")
    ('2026-11-20', '2026-11-20 10:30', '2026-11-20 10:30:05', '')
    >>> date_in("gpt-2025-08-06 2026-11-20"), date_in("2026-11-20_2026-11-27"), date_in("2026-11-20_9999")
    ('2026-11-20', '2026-11-27', '2026-11-20')
    """
    moments = list[str]()
    for match in _DATE.finditer(name):
        day, time = "-".join(match.group("year", "month", "day")), match.group("hour", "minute", "second")
        with suppress(ValueError):
            moments.append(f"{date.fromisoformat(day)} {':'.join(filter(None, time))}".rstrip())
    return max(moments, default="")
