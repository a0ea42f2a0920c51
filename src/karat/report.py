"""The result of an evaluation: named tables of figures, what they rest on, and how they were made."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from karat.errors import DataError, OptionError, nearest
from karat.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

FLOATS = frozenset(
    {
        *("value", "low", "high", "p", "p_adjusted", "truth", "noise_ratio", "published", "score", "overlap"),
        *("first_value", "second_value"),
        *(f"{part}_similarity" for part in ("rule", "category", "explanation", "correction")),
    }
)
INTEGERS = frozenset({"n", "count", "start", "end", "predicted_start", "predicted_end"})
"""Columns of a report's tables by type; every other column is text. A table read back from JSON gets them again."""

_TEXT_SHOWN = 2000

FIGURE = ("metric", "value", "low", "high", "n", "method", "reason", "note")
"""What stands after the key columns in every table of figures."""

NO_KEYS = frozenset({*FIGURE, "p", "p_adjusted", "first_value", "second_value"})
"""Columns of tables of figures that are no keys: those of figures, tests and comparisons."""

_EXAMPLE = ("item", "judge", "reference", "part", "label", "reference_label", "outcome")
"""Columns that an example cannot do without."""

_GREATEST = 2**63 - 1


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

    def __post_init__(self) -> None:
        for name in self.tables:
            if not re.fullmatch(r"\w+", name):
                raise OptionError(f'expected a table name of letters, digits and underscores; got "{name}"')

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

        keys: the values of key columns that pick the row, such as {"annotator": "A17"}; None picks a missing one.
        Raises OptionError if no row, or more than one, answers, and for a table that holds no figures.
        """
        import polars as pl

        frame = self[table]
        if not set(FIGURE) <= set(frame.columns):
            raise OptionError(f"table {table} holds no figures; it has the columns {', '.join(frame.columns)}")
        wanted = {"metric": metric, **(keys or {})}
        known = [name for name in frame.columns if name == "metric" or name not in {*FIGURE, *FLOATS, *INTEGERS}]
        for column, value in wanted.items():
            if column not in known:
                hint = nearest(str(column), known)
                raise OptionError(f'table {table} has no key column "{column}"{hint}; it has {", ".join(known)}')
            if not isinstance(value, str | None):
                raise OptionError(f"{column}: expected a text; got {value!r:.60}")
        found = frame.filter(*(pl.col(column).eq_missing(pl.lit(value)) for column, value in wanted.items()))
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
        """Read a report that was saved as JSON; the result equals the saved one.

        Raises DataError for a file that cannot be read, or that holds anything else.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: expected a report saved by Karat as JSON; got {error}") from None
        try:
            return cls._from_document(json.loads(text))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise DataError(f"{path}: expected a report saved by Karat as JSON; got {error!r:.200}") from None

    @classmethod
    def _from_document(cls, document: object) -> Self:
        """The report that a JSON document says. Raises ValueError, KeyError or TypeError for any other document."""
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()  # only what can be written again
        said = _mapping("the report", document)
        tables, columns = _mapping("tables", said["tables"]), _mapping("columns", said["columns"])
        items = _mapping("items", said["items"])
        options = _options(said["options"])
        by = options.get("by") or []
        return cls(
            evaluation=_text("evaluation", said["evaluation"]),
            tables={name: _table(name, rows, by, _texts("columns", columns[name])) for name, rows in tables.items()},
            signature=_text("signature", said["signature"]),
            inputs=tuple(_input(one) for one in _list("inputs", said["inputs"])),
            counts={name: _count(name, count) for name, count in _mapping("counts", said["counts"]).items()},
            options=options,
            examples=_table("examples", said["examples"], needed=_EXAMPLE),
            items=Items(
                _table("items", items["first"]),
                _count("rows", items["rows"]),
                _text("path", items["path"], optional=True),
                _text("sha256", items["sha256"], optional=True),
            ),
            karat=_text("karat", said["karat"]),
            warnings=tuple(_texts("warnings", said["warnings"])),
            command=_text("command", said["command"], optional=True),
            notes=tuple(_texts("notes", said["notes"])),
        )


def _text(name: str, value: Any, *, optional: bool = False) -> Any:  # noqa: ANN401 - what JSON can say
    if not (isinstance(value, str) or (optional and value is None)):
        raise TypeError(f"{name}: expected a text; got {value!r:.60}")
    return value


def _count(name: str, value: Any) -> int:  # noqa: ANN401
    if type(value) is not int or not 0 <= value <= _GREATEST:
        raise TypeError(f"{name}: expected a count; got {value!r:.60}")
    return value


def _mapping(name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(value, dict):
        raise TypeError(f"{name}: expected an object; got {value!r:.60}")
    return value


def _list(name: str, value: Any) -> list[Any]:  # noqa: ANN401
    if not isinstance(value, list):
        raise TypeError(f"{name}: expected a list; got {value!r:.60}")
    return value


def _texts(name: str, value: Any) -> list[str]:  # noqa: ANN401
    return [_text(name, one) for one in _list(name, value)]


def _input(value: Any) -> Input:  # noqa: ANN401
    one = _mapping("inputs", value)
    return Input(_text("path", one["path"]), _text("sha256", one["sha256"]), _count("rows", one["rows"]))


def _options(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Options, of which a report's readers use two: `by` and `confidence`."""
    options = _mapping("options", value)
    _texts("by", options.get("by") or [])
    confidence = options.get("confidence", 0.95)
    if type(confidence) is not float or not 0 < confidence < 1:
        raise TypeError(f"confidence: expected a number between 0 and 1; got {confidence!r:.60}")
    return options


def _table(name: str, value: Any, needed: Sequence[str] = (), columns: Sequence[str] | None = None) -> "pl.DataFrame":  # noqa: ANN401
    """A table of the JSON, every cell of which has its column's type. columns: by default those of the first row."""
    rows = [_mapping(name, row) for row in _list(name, value)]
    names = list(rows[0] if rows else ()) if columns is None else list(columns)
    if not set(needed if rows else ()) <= set(names) or len(set(names)) < len(names) or columns == []:
        raise TypeError(f"{name}: expected columns that differ, with {needed}; got {names!r:.200}")
    for row in rows:
        if list(row) != names:
            raise TypeError(f"{name}: expected the columns {names!r:.200}; got {list(row)!r:.200}")
        odd = [column for column in names if not _fits(column, row[column])]
        if odd:
            raise TypeError(f"{name}, column {odd[0]}: expected another kind of value; got {row[odd[0]]!r:.60}")
    if set(FIGURE) <= set(names):
        for row in rows:
            _texts(name, [row[column] for column in ("metric", "compared") if column in row])
            Estimate(**{figure: row[figure] for figure in FIGURE[1:] if figure != "n"})
            _count("n", row["n"])
    return typed_table(rows, names)


def _fits(column: str, value: object) -> bool:
    """Whether a cell of the JSON has the type that its column promises; no value has any."""
    if column in INTEGERS:
        return value is None or (type(value) is int and abs(value) <= _GREATEST)
    return value is None or type(value) in ((float, int) if column in FLOATS else (str,))


def typed_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> "pl.DataFrame":
    """Rows as a table whose columns have the types that their names promise (FLOATS, INTEGERS, else text)."""
    import polars as pl

    names = list(columns) or list(rows[0] if rows else ())
    schema = {name: pl.Float64 if name in FLOATS else pl.Int64 if name in INTEGERS else pl.String for name in names}
    return pl.DataFrame([{name: row[name] for name in names} for row in rows], schema=schema)


def cut(text: str) -> str:
    """A text as examples show it: long ones end in an ellipsis.

    >>> cut("x" * 3000)[-3:], len(cut("x" * 3000))
    ('xx…', 2000)
    """
    return text if len(text) <= _TEXT_SHOWN else text[: _TEXT_SHOWN - 1] + "…"


def figure_table(keys: Sequence[str], figures: Iterable[tuple[Mapping[str, Any], str, Estimate]]) -> "pl.DataFrame":
    """Estimates as a long table: the key columns, then metric, value, low, high, n, method, reason, note.

    figures: for each figure the values of its keys, the metric's name, and the Estimate.
    """
    rows = [
        {**key, "metric": metric, **{name: getattr(estimate, name) for name in FIGURE[1:]}}
        for key, metric, estimate in figures
    ]
    return typed_table(rows, [*keys, *FIGURE])
