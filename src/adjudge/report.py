"""The result of an evaluation: named tables of metrics, the data behind them, and how they were made."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from adjudge.errors import AdjudgeError, DataError, OptionError, UnknownNameError, closest, file_bytes, flag_name
from adjudge.estimate import Estimate
from adjudge.json_records import as_json, json_text
from adjudge.version import NAME, TITLE

if TYPE_CHECKING:
    import polars as pl

    from adjudge.render.summary.contents import Summary
    from adjudge.spec import Evaluation

SCHEMA = 1
"""The schema of reports saved as JSON. A report of another schema is refused."""

ESTIMATE_COLUMNS = ("metric", "value", "low", "high", "n", "method", "reason", "caveat")
"""The columns after the key columns in every table of metrics."""

_NUMBERS = ("value", "low", "high", "p", "p_adjusted", "first_value", "second_value", "truth")
_INTEGERS = ("n", "count", "tests", "needed", "collected", "shared", "left_out")
"""Columns of metrics, tests, comparisons and counts that hold numbers in any table; all others hold text."""


def holds_estimates(frame: "pl.DataFrame") -> bool:
    """Whether a table holds metrics."""
    return set(ESTIMATE_COLUMNS) <= set(frame.columns)


NON_KEY_COLUMNS = frozenset((*ESTIMATE_COLUMNS, *_NUMBERS, *_INTEGERS))
"""Columns of tables of metrics that are no keys: those of metrics, tests and comparisons."""


def key_columns(row: Iterable[str]) -> list[str]:
    """The key columns of a table of metrics, or of one of its rows."""
    return [name for name in row if name not in NON_KEY_COLUMNS]


@dataclass(frozen=True, slots=True)
class Input:
    """An input file (or a table from Python) of a report.

    path: as the user gave it. sha256: of the file's bytes. rows: judgments read from it. size: the file's bytes; None
    for a table.
    """

    path: str
    sha256: str
    rows: int
    size: int | None = None

    def is_unchanged(self) -> bool:
        """Whether the file exists unchanged. A path in a saved report never triggers a network request for a share."""
        is_share = self.path.startswith(("//", "\\\\"))
        return not is_share and Path(self.path).is_file() and sha256_of(Path(self.path)) == self.sha256


@dataclass(frozen=True, slots=True)
class Items:
    """The outcomes behind the metrics: a row per item, judge and part.

    first: the first rows. rows: their total number. path, sha256: the file with all of
    them, if `save_items=` requested one.
    """

    first: "pl.DataFrame"
    rows: int
    path: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate in one row of a report.

    gate: the requirement, in a sentence. subject: the row's keys, as in "annotator A17"; for two runs it may be empty.
    finding: the value that was compared. passed: whether the gate passes. uncertain: whether the estimate's interval
    contains the limit.

    >>> print(GateResult("kappa must be at least 0.4", "annotator ana", "it is 0.570 (0.310 to 0.752)", passed=True))
    PASS (annotator ana): kappa must be at least 0.4; it is 0.570 (0.310 to 0.752)
    """

    gate: str
    subject: str
    finding: str
    passed: bool
    uncertain: bool = False

    def __str__(self) -> str:
        of = f" ({self.subject})" if self.subject else ""
        return f"{'PASS' if self.passed else 'FAIL'}{of}: {self.gate}; {self.finding}"


_PLAIN = (NAME, "evaluation", "signature", "command", "inputs", "counts", "warnings", "notes", "gates")
"""Fields of a report that its JSON holds unchanged."""
_ROWS: Any = list[dict[str, str | float | int | bool | None]]
_TYPES: Any = dict[str, Literal["text", "number", "integer", "flag"]]
_ITEMS = {"path": str | None, "sha256": str | None, "rows": int, "first": _ROWS, "columns": _TYPES}
_OTHERS: dict[str, Any] = {
    "evaluation": str,
    "options": dict[str, Any],
    "tables": dict[str, _ROWS],
    "columns": dict[str, _TYPES],
    "examples": _ROWS,
    "example_columns": _TYPES,
}
"""Types of its other fields."""


@dataclass(frozen=True, eq=False, repr=False)
class Report(Mapping[str, "pl.DataFrame"]):
    """Tables of metrics by name, with all that is needed to verify and repeat them.

    `report["annotators"]` is a polars DataFrame; every table of metrics is long: key columns, then
    metric, value, low, high, n, method, reason, caveat. `report.save("report.html")` writes it for
    reading, `.json` for `Report.load`. Two reports are equal when their JSON is.
    gates: the results of its gates. summary: the verdict, a table, findings, cautions and
    next steps, computed from the tables; `print(report.summary)` shows them as the terminal does.
    """

    about: "Evaluation"
    tables: Mapping[str, "pl.DataFrame"]
    signature: str
    inputs: tuple[Input, ...]
    counts: Mapping[str, int]
    options: Mapping[str, Any]
    examples: "pl.DataFrame"
    outcomes: Items
    adjudge: str
    warnings: tuple[str, ...] = ()
    command: str | None = None
    notes: tuple[str, ...] = field(default=())
    gates: tuple[GateResult, ...] = ()

    def __post_init__(self) -> None:
        for name in self.tables:
            if not re.fullmatch(r"\w+", name):
                raise OptionError(f'expected a table name of letters, digits and underscores; got "{name}"')

    @property
    def confidence(self) -> float:
        """The confidence of its intervals."""
        return float(self.options.get("ci_level", 0.95))

    @cached_property
    def summary(self) -> "Summary":
        """The verdict, a table, findings, cautions and next steps, from the tables."""
        from adjudge.render.summary.build import report_summary

        return report_summary(self)

    @property
    def evaluation(self) -> str:
        """The name of the evaluation that made it."""
        return self.about.name

    def __getitem__(self, table: str) -> "pl.DataFrame":
        if table not in self.tables:
            raise UnknownNameError(
                f'no table "{table}" in this report', found=", ".join(self.tables), fix=closest(table, self.tables)
            )
        return self.tables[table]

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        from adjudge.render.terminal import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from adjudge.render.html import report_fragment

        return report_fragment(self)

    def estimate(self, metric: str, *, table: str = "", **keys: str | float | None) -> Estimate:
        """The value of one metric in one row: `report.estimate("reliability", annotator="ana")`.

        keys: the values of key columns that select the row, numbers as numbers; None selects a missing one.
        table: the table; by default the main one, or else the first in which exactly one row has the metric and the
        keys. Raises OptionError if no row, or more than one, has them.
        """
        wanted, found = {"metric": metric, **keys}, list[dict[str, Any]]()
        first = self[table or self.main_table]
        for frame in filter(holds_estimates, [first, *(() if table else self.tables.values())]):
            rows = [row for row in frame.iter_rows(named=True) if all(row.get(key, 0) == wanted[key] for key in wanted)]
            if len(rows) == 1:
                return Estimate.from_row(rows[0], confidence=self.confidence)
            found = found or rows
        every = first.to_dicts() if holds_estimates(first) else []
        metrics = sorted({row["metric"] for row in every})
        near = found or [row for row in every if row["metric"] == metric]
        near.sort(key=lambda row: -len({*row.values()} & {*keys.values()}))
        known = [", ".join(f"{key}={row[key]}" for key in key_columns(row)) for row in near]
        raise OptionError(
            f"expected one row with {', '.join(f'{key}={value}' for key, value in wanted.items())}; got {len(found)}",
            found=f"metrics {', '.join(metrics) or 'none'}",
            fix=" or ".join(known[:3]) or closest(metric, metrics),
        )

    def to_json(self) -> str:
        """The whole report as JSON text, with full precision and the same bytes for the same input."""
        document = {
            "schema": SCHEMA,
            **{name: as_json(getattr(self, name)) for name in _PLAIN},
            "summary": as_json(self.summary),
            "options": dict(self.options),
            "tables": {name: frame.to_dicts() for name, frame in self.tables.items()},
            "columns": {name: _types(frame) for name, frame in self.tables.items()},
            "examples": self.examples.to_dicts(),
            "example_columns": _types(self.examples),
            "items": {
                "path": self.outcomes.path,
                "sha256": self.outcomes.sha256,
                "rows": self.outcomes.rows,
                "first": self.outcomes.first.to_dicts(),
                "columns": _types(self.outcomes.first),
            },
            "about": as_json(self.about),
        }
        return json_text(document)

    @property
    def main_table(self) -> str:
        """The name of the main table, or of the first if the report lacks that."""
        return self.about.main if self.about.main in self.tables else next(iter(self))

    def save(self, path: str | Path, *, table: str | None = None) -> None:
        """Write the report to `path`, in the format of its ending. table: the one to write as .tex.

        .json (for `Report.load`), .html (one file that works offline), .md, .png, .svg and .pdf (the chart), .xlsx (a
        sheet per table; needs adjudge[excel]), .tex (the leaderboard, or else the main table, for a paper), .csv and
        .parquet (a folder with a file per table), .xml (the results of gates). The file is replaced only when all of it
        has been written.
        """
        from adjudge.render.files import save

        save(self, Path(path), table)

    def flat(self, table: str | None = None) -> dict[str, float]:
        """A table of metrics as numbers by name, for trackers of experiments: `mlflow.log_metrics(report.flat())`.

        table: by default the main one. A row becomes `metric/KEYS`, with its values of the key columns in the table's
        order, joined by `/`, and `metric/KEYS/low` and `/high` for the limits of its interval: "kappa/ana/low".
        Characters that trackers refuse become `_`; if two rows' keys then have one name, the second gets one more `_`.
        Undefined values are not in it, since trackers take only numbers. Shares are proportions in [0, 1].
        Raises OptionError for an unknown table, and for one without metrics.
        """
        name = table or self.main_table
        if not holds_estimates(self[name]):
            raise OptionError(f"table {name} holds no metrics", found=f"columns {', '.join(self[name].columns)}")
        keys = key_columns(self[name].columns)
        numbers: dict[str, float | None] = {}
        for row in self[name].iter_rows(named=True):
            start = "/".join(str(row[key]) for key in ("metric", *keys) if row[key] is not None)
            start = re.sub(r"[^\w.: /-]", "_", start, flags=re.ASCII)
            while start in numbers:
                start += "_"
            numbers |= {start: row["value"], f"{start}/low": row["low"], f"{start}/high": row["high"]}
        return {key: float(value) for key, value in numbers.items() if value is not None}

    def plot(self) -> Any:  # noqa: ANN401 - a chart of altair's
        """The chart of the report's first screen as an Altair chart, which can be changed further.

        In a notebook Altair renders it by scripts from the network, or after `altair.renderers.enable("svg")` offline.
        Raises DataError if the report has nothing to draw.
        """
        from adjudge.render.charts.output import chart_of

        return chart_of(self)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a report that was saved as JSON; the result equals the saved one.

        Raises OptionError for a file that cannot be opened, DataError for one with other content.
        """
        from msgspec import MsgspecError
        from polars.exceptions import PolarsError

        document, faults = file_bytes(Path(path)), (ValueError, TypeError, LookupError, OverflowError, RecursionError)
        try:
            return cls._from_json(document)
        except (*faults, MsgspecError, PolarsError) as error:
            foreign = "missing required field" in str(error)
            raise _no_report(path, "got other JSON" if foreign else f"{error!s:.200}") from None

    @classmethod
    def _from_json(cls, document: bytes) -> Self:
        """The report in a JSON document. Raises an error of Python, msgspec or polars for any other document."""
        import msgspec

        from adjudge.spec import Evaluation

        plain = {name: cls.__annotations__[name] for name in _PLAIN if name != "evaluation"}
        of_items = msgspec.defstruct("Items", [*_ITEMS.items()])
        kinds = {"schema": Literal[SCHEMA], **plain, "about": Evaluation, **_OTHERS, "items": of_items}
        saved: Any = msgspec.json.decode(document, type=msgspec.defstruct("Saved", [*kinds.items()]))
        if saved.evaluation != saved.about.name:
            raise TypeError(f"expected the evaluation {saved.about.name}; got {saved.evaluation}")
        msgspec.convert(saved.options.get("ci_level", 0.95), Annotated[float, msgspec.Meta(gt=0, lt=1)])
        items = saved.items
        return cls(
            about=saved.about,
            tables={name: _table(name, rows, saved.columns[name]) for name, rows in saved.tables.items()},
            options=saved.options,
            examples=_table("examples", saved.examples, saved.example_columns),
            outcomes=Items(_table("items", items.first, items.columns), items.rows, items.path, items.sha256),
            **{name: getattr(saved, name) for name in plain},
        )


def _no_report(path: str | Path, reason: str) -> DataError:
    fix = f"use a report saved with {flag_name('output')} FILE.json"
    return DataError(f"{path}: expected a report saved by {TITLE} as JSON; {reason}", fix=fix)


@contextmanager
def contradictions_of(path: str | Path) -> Iterator[None]:
    """Turn errors in the display of a saved report whose parts do not fit together into a DataError."""
    from polars.exceptions import PolarsError

    try:
        yield
    except AdjudgeError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, PolarsError) as error:
        raise _no_report(path, "its parts do not fit together, as after an edit") from error


_KINDS: dict[str, type] = {"text": str, "number": float, "integer": int, "flag": bool}
"""Column types in the JSON -> Python types; any column may hold None."""


def _types(frame: "pl.DataFrame") -> dict[str, str]:
    """The type of each column, as the JSON names it."""
    kinds = {own: kind for kind, own in _KINDS.items()}
    return {name: kinds.get(dtype.to_python(), "text") for name, dtype in frame.schema.items()}


def _table(name: str, rows: list[dict[str, Any]], kinds: Mapping[str, str]) -> "pl.DataFrame":
    """A table of the JSON; checks that cells have their column's type and rows of metrics are valid."""
    import polars as pl

    frame = pl.DataFrame(rows, schema={column: _KINDS[kind] for column, kind in kinds.items()})
    if frame.columns != [*kinds] or frame.to_dicts() != rows:
        raise TypeError(f"table {name}: its rows do not have the columns {', '.join(kinds)}")
    if holds_estimates(frame):
        for row in rows:
            Estimate.from_row(row)
        if frame["metric"].null_count() or not all(frame["n"].ge(0).fill_null(value=False)):
            raise TypeError(f"table {name}: a row has no metric or no n")
    return frame


def typed_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, numbers: Sequence[str] = ()
) -> "pl.DataFrame":
    """Rows as a table. columns: by default those of the first row.

    numbers: columns that hold numbers besides those of metrics, tests and comparisons; all others hold text.
    """
    import polars as pl

    names = list(columns) or list(rows[0] if rows else ())
    kinds = dict[str, type]().fromkeys((*_NUMBERS, *numbers), float) | dict.fromkeys(_INTEGERS, int)
    return pl.DataFrame(rows, schema={name: kinds.get(name, str) for name in names})


def number_columns(frame: "pl.DataFrame") -> list[str]:
    """The columns that hold numbers with a fraction."""
    return [name for name, dtype in frame.schema.items() if dtype.is_float()]


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes; for a folder, of the names and the hashes of the files in it."""
    from hashlib import file_digest, sha256  # loads OpenSSL, which help does not need

    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return sha256("".join(f"{file.relative_to(path)} {sha256_of(file)}\n" for file in files).encode()).hexdigest()
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def path_size(path: Path) -> int:
    """The bytes of a file; for a folder, of all files in it."""
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file()) if path.is_dir() else path.stat().st_size


def truncate(text: str, most: int = 2000) -> str:
    """A text cut to `most` characters, by default as in examples: a long text ends in an ellipsis.

    It is cut between words, unless a single one fills its end.

    >>> truncate("x" * 3000)[-3:], len(truncate("x" * 3000)), truncate("one two three", 10)
    ('xx…', 2000, 'one two…')
    """
    if len(text) <= most:
        return text
    whole_words = re.sub(r"\s+\S{,40}$", "", text[:most])
    return f"{whole_words[: most - 1]}…"
