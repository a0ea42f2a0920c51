"""The result of an evaluation: named tables of figures, what they rest on, and how they were made."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from karat.errors import DataError, OptionError, nearest
from karat.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

FLOATS = frozenset({"value", "low", "high", "p", "p_adjusted", "truth", "noise_ratio"})
INTEGERS = frozenset({"n", "count"})
"""Columns of a report's tables by type; every other column is text. A table read back from JSON gets them again."""

FIGURE = ("metric", "value", "low", "high", "n", "method", "reason", "note")
"""What stands after the key columns in every table of figures."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file (or a table from Python) that a report was made of.

    path: as the user gave it. sha256: of the file's bytes. rows: judgments read from it.
    """

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Items:
    """The outcomes behind the figures: a row per item, judge and part.

    first: the first rows. rows: how many there are in all. path, sha256: the file that holds all of
    them, where one was asked for with `items=`.
    """

    first: "pl.DataFrame"
    rows: int
    path: str | None = None
    sha256: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Named tables of figures and all that is needed to trust and to repeat them.

    `report["annotators"]` is a polars DataFrame; every table of figures is long: key columns, then
    metric, value, low, high, n, method, reason, note. `report.save("report.html")` writes it for
    reading, `.json` for reading back with `Report.load`. Two reports are equal when their JSON is.
    """

    evaluation: str
    tables: Mapping[str, "pl.DataFrame"]
    signature: str
    inputs: tuple[Input, ...]
    counts: Mapping[str, int]
    options: Mapping[str, Any]
    examples: "pl.DataFrame"
    items: Items
    karat: str
    warnings: tuple[str, ...] = ()
    command: str | None = None
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, table: str) -> "pl.DataFrame":
        if table not in self.tables:
            known = ", ".join(self.tables)
            raise OptionError(f'no table "{table}" in this report{nearest(table, self.tables)}; it holds {known}')
        return self.tables[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        from karat.render.terminal import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from karat.render.html import report_fragment

        return report_fragment(self)

    def estimate(self, table: str, metric: str, keys: Mapping[str, str] | None = None) -> Estimate:
        """One figure of one table as an Estimate.

        keys: the values of key columns that pick the row, such as {"annotator": "A17"}.
        Raises OptionError if no row, or more than one, answers.
        """
        import polars as pl

        wanted = {"metric": metric, **(keys or {})}
        frame = self[table]
        for column in wanted:
            if column not in frame.columns:
                known = nearest(column, frame.columns)
                raise OptionError(f'table {table} has no column "{column}"{known}; it has {", ".join(frame.columns)}')
        found = frame.filter(*(pl.col(column) == value for column, value in wanted.items()))
        if found.height != 1:
            raise OptionError(f"{found.height} rows of table {table} answer to {wanted}; name keys that pick one")
        row = found.row(0, named=True)
        return Estimate(
            **{name: row[name] for name in ("value", "low", "high", "n", "method", "reason", "note")},
            confidence=self.options.get("confidence", 0.95),
        )

    def to_json(self) -> str:
        """The whole report as JSON text, with full precision and the same bytes for the same input."""
        document = {
            "karat": self.karat,
            "evaluation": self.evaluation,
            "signature": self.signature,
            "command": self.command,
            "inputs": [asdict(one) for one in self.inputs],
            "counts": dict(self.counts),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "options": dict(self.options),
            "tables": {name: frame.to_dicts() for name, frame in self.tables.items()},
            "columns": {name: frame.columns for name, frame in self.tables.items()},
            "examples": self.examples.to_dicts(),
            "items": {
                "path": self.items.path,
                "sha256": self.items.sha256,
                "rows": self.items.rows,
                "first": self.items.first.to_dicts(),
            },
        }
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the report to `path`, in the form that its ending names.

        .json (to be read back), .html (one file that works offline), .md, .png and .svg (the first
        picture), .csv and .parquet (a folder with a file per table). The file is replaced only when
        all of it has been written.
        """
        from karat.render.files import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a report that was saved as JSON; the result equals the saved one."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
        try:
            return cls._from_document(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"{path}: expected a report saved by Karat as JSON; got {error!r:.200}") from None

    @classmethod
    def _from_document(cls, document: dict[str, Any]) -> Self:
        items = document["items"]
        return cls(
            evaluation=document["evaluation"],
            tables={name: typed_table(rows, document["columns"][name]) for name, rows in document["tables"].items()},
            signature=document["signature"],
            inputs=tuple(Input(**one) for one in document["inputs"]),
            counts=document["counts"],
            options=document["options"],
            examples=typed_table(document["examples"]),
            items=Items(typed_table(items["first"]), items["rows"], items["path"], items["sha256"]),
            karat=document["karat"],
            warnings=tuple(document["warnings"]),
            command=document["command"],
            notes=tuple(document["notes"]),
        )


def typed_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> "pl.DataFrame":
    """Rows as a table whose columns have the types that their names promise (FLOATS, INTEGERS, else text)."""
    import polars as pl

    names = list(columns) or list(rows[0] if rows else ())
    schema = {name: pl.Float64 if name in FLOATS else pl.Int64 if name in INTEGERS else pl.String for name in names}
    return pl.DataFrame([{name: row[name] for name in names} for row in rows], schema=schema)


def figure_table(
    keys: Sequence[str], figures: Iterable[tuple[Mapping[str, str | None], str, Estimate]]
) -> "pl.DataFrame":
    """Estimates as a long table: the key columns, then metric, value, low, high, n, method, reason, note.

    figures: for each figure the values of its keys, the metric's name, and the Estimate.
    """
    rows = [
        {**key, "metric": metric, **{name: getattr(estimate, name) for name in FIGURE[1:]}}
        for key, metric, estimate in figures
    ]
    return typed_table(rows, [*keys, *FIGURE])
