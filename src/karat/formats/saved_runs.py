"""Saved runs: the outcomes that `--items` wrote, or the report that names them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

import polars as pl

from karat.errors import DataError, OptionError
from karat.report import Input, Report
from karat.schemas.outcomes import MADE_BY, OUTCOMES

_PARQUET = b"PAR1"
_TEXTS = tuple(name for name, dtype in OUTCOMES.items() if dtype != pl.Float64)


@dataclass(frozen=True, eq=False)
class Run:
    """The outcomes of one run of an evaluation.

    name: what to call it; no two runs that are compared have the same. path, sha256: of the file with the outcomes.
    outcomes: the frame of karat.schemas.outcomes, names as text. keys: its columns behind those. judges: whom it holds,
    sorted. rows: outcomes that are there; written: that were. options, inputs, signature, karat: how it was made.
    """

    name: str
    path: str
    sha256: str
    evaluation: str
    outcomes: pl.LazyFrame
    keys: tuple[str, ...]
    judges: tuple[str, ...]
    rows: int
    written: int
    options: Mapping[str, Any]
    inputs: tuple[Input, ...]
    signature: str
    karat: str


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
    try:
        with path.open("rb") as file:
            start = file.read(len(_PARQUET))
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}") from None
    if start == _PARQUET:
        return _from_items(path, name)
    try:
        report = Report.load(path)
    except DataError:
        raise DataError(
            f"{path}: expected an items file written with --items, or a report saved as JSON that names one; it is "
            "neither"
        ) from None
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


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Raises DataError for what polars cannot read of an items file."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        told = str(error).partition("\n")[0]
        raise DataError(f"{path}: expected an items file written with --items; got {told:.200}") from None


def _from_items(path: Path, name: str) -> Run:
    with reading(path):
        said = pl.read_parquet_metadata(path).get(MADE_BY)
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
        rows = frame.select(pl.len()).collect().item()
    lacking = [column for column in OUTCOMES if column not in schema]
    if said is not None and lacking:
        raise DataError(
            f"{path}: expected the column {lacking[0]}, which every items file has; it was changed, or written by "
            "another version. Run its command again with --items"
        )
    if said is None:
        raise DataError(
            f"{path}: expected an items file written with --items, which says how it was made; got a table with the "
            f"columns {', '.join(schema):.300}"
        )
    keys = tuple(column for column in schema if column not in OUTCOMES)
    wrong = [column for column in _TEXTS if schema[column] != pl.String]
    wrong += [] if schema["value"] == pl.Float64 else ["value"]
    wrong += [column for column in keys if schema[column].is_nested() or schema[column] in (pl.Binary, pl.Object)]
    if wrong:
        raise DataError(f"{path}, column {wrong[0]}: expected another type; it was changed by hand")
    if not rows:
        raise DataError(f"{path}: expected outcomes; the items file has no row")
    made = _made(path, said)
    with path.open("rb") as file:
        sha256 = file_digest(file, "sha256").hexdigest()
    with reading(path):
        judges = frame.select(pl.col("judge").unique().sort().drop_nulls()).collect()["judge"].to_list()
    if not judges:
        raise DataError(f"{path}, column judge: expected names; it was changed by hand")
    return Run(name, str(path), sha256, outcomes=frame, keys=keys, judges=tuple(judges), rows=rows, **made)


def _made(path: Path, said: str) -> dict[str, Any]:
    try:
        made = json.loads(said)
        return {
            "evaluation": str(made["evaluation"]),
            "options": dict(made["options"]),
            "inputs": tuple(Input(str(one["path"]), str(one["sha256"]), int(one["rows"])) for one in made["inputs"]),
            "signature": str(made["signature"]),
            "written": int(made["rows"]),
            "karat": str(made["karat"]),
        }
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: what it says of how it was made is broken. Write it again with --items") from None
