"""Saved runs: the outcomes that `--items` wrote, or the report that names them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError
from karat.formats.source import Source, sources
from karat.formats.tables import damage_of, is_flat
from karat.records import from_json, json_object
from karat.report import Input, Report, sha256_of
from karat.schemas.outcomes import MADE_BY, OUTCOMES


@dataclass(frozen=True)
class Made:
    """How outcomes were made, as their items file says it: see `Report`. written: how many outcomes there were."""

    evaluation: str
    options: Mapping[str, Any]
    inputs: tuple[Input, ...]
    signature: str
    karat: str
    written: int


@dataclass(frozen=True, eq=False)
class Run(Made):
    """The outcomes of one run of an evaluation.

    name: what to call it; no two runs that are compared have the same. path, sha256: of the file with the outcomes.
    outcomes: the frame of karat.schemas.outcomes, names as text. keys: its columns behind those. judges: whom it holds,
    sorted. rows: outcomes that are there.
    """

    name: str
    path: str
    sha256: str
    outcomes: pl.LazyFrame
    keys: tuple[str, ...]
    judges: tuple[str, ...]
    rows: int

    @property
    def source(self) -> Source:
        """The file, as queries over `outcomes` blame it for damage."""
        return Source(self.path, "parquet", Path(self.path))


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """The runs in files, in their order. The same file may stand several times.

    Raises OptionError for a file that cannot be read, DataError for one that holds no outcomes, an items file that is
    not the one its report speaks of, and for runs of different evaluations.
    """
    runs = [_read(Path(path), name) for path, name in zip(paths, names_of([Path(path) for path in paths]), strict=True)]
    if len({run.evaluation for run in runs}) > 1:
        listed = ", ".join(f"{run.name} of {run.evaluation}" for run in runs)
        raise DataError(f"expected runs of one evaluation; got {listed}")
    return runs


def names_of(paths: Sequence[Path]) -> list[str]:
    """What to call files: their names without ending, with as many folders as tell them apart, or else a number.

    >>> names_of([Path("a/run.json"), Path("b/run.json"), Path("c.json"), Path("c.json"), Path("c.parquet")])
    ['a/run', 'b/run', 'c.json (1)', 'c.json (2)', 'c.parquet']
    """
    distinct = list(dict.fromkeys(path.resolve() for path in paths))
    shortest = {path: _shortest(path, distinct) for path in distinct}
    found = [shortest[path.resolve()] for path in paths]
    return [
        f"{name} ({found[: place + 1].count(name)})" if found.count(name) > 1 else name
        for place, name in enumerate(found)
    ]


def _shortest(path: Path, others: Sequence[Path]) -> str:
    """The end of a path that no other has, without the ending of its name where that can be spared."""
    short = {other: other.with_name(other.stem) if other.name else other for other in others}
    for names in (short, {other: other for other in others}):
        own = names[path].parts
        for length in range(1, len(own)):
            if sum(other.parts[-length:] == own[-length:] for other in names.values()) == 1:
                return "/".join(own[-length:])
    return str(path)


def _read(path: Path, name: str) -> Run:
    (source,) = sources(path)
    if source.format == "parquet":
        return _from_items(path, name)
    if source.format != "json":
        kinds = "an items file written with --items, or a report saved as JSON that names one"
        raise DataError(f"{path}: expected {kinds}; it is neither")
    report = Report.load(path)
    items = _items_of(path, report)
    run = _from_items(items, name)
    if run.sha256 != report.items.sha256:
        raise DataError(
            f"{items}: was changed since {path} was written (its hash is {run.sha256[:12]}, the report says "
            f"{str(report.items.sha256)[:12]}). Run the command of the report again, or compare the items file itself"
        )
    return run


def _items_of(path: Path, report: Report) -> Path:
    """The items file that a report names, from where we are or from where the report is."""
    if report.items.path is None:
        raise DataError(
            f"{path}: expected a report that names its items; this one has none. Run its command again with "
            "--items FILE.parquet"
        )
    items = Path(report.items.path)
    found = next((one for one in (items, path.parent / items, path.parent / items.name) if one.is_file()), None)
    if found is None:
        raise DataError(f"{path}: its items file {items} is not there. Run the command of the report again")
    return found


def _from_items(path: Path, name: str) -> Run:
    source = Source(str(path), "parquet", path)
    with damage_of(source):
        said = pl.read_parquet_metadata(path).get(MADE_BY)
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
    if said is None:
        raise DataError(
            f"{path}: expected an items file written with --items, which says how it was made; got a table with the "
            f"columns {', '.join(schema):.300}"
        )
    if lacking := [column for column in OUTCOMES if column not in schema]:
        raise DataError(
            f"{path}: expected the column {lacking[0]}, which every items file has; it was changed, or written by "
            "another version. Run its command again with --items"
        )
    keys = tuple(column for column in schema if column not in OUTCOMES)
    if wrong := [column for column, dtype in schema.items() if not _fits(column, dtype)]:
        raise DataError(f"{path}, column {wrong[0]}: expected another type; it was changed by hand")
    with damage_of(source):
        counts = frame.group_by("judge").len().sort("judge").collect()
    judges = counts["judge"].drop_nulls().to_list()
    if not judges:
        raise DataError(f"{path}, column judge: expected names; there is none, so the items file holds no outcomes")
    rows = int(counts["len"].sum())
    made = vars(_made(path, said))
    return Run(
        **made,
        name=name,
        path=str(path),
        sha256=sha256_of(path),
        outcomes=frame,
        keys=keys,
        judges=tuple(judges),
        rows=rows,
    )


def _fits(column: str, dtype: pl.DataType) -> bool:
    """Whether a column of an items file has the type in which it was written; keys are flat."""
    if column not in OUTCOMES:
        return is_flat(dtype)
    return dtype == (pl.Float64 if OUTCOMES[column] == pl.Float64 else pl.String)


def _made(path: Path, text: str) -> Made:
    try:
        said = json_object(json.loads(text), "made")
        said["written"] = said.pop("rows")
        found: Made = from_json(Made, said, "made")
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: what it says of how it was made is broken. Write it again with --items") from None
    return found
