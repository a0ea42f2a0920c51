"""Columns of inputs: columns named by users, the column of clusters, and rules for cells.

Metrics are clustered by the requested column, else by the evaluation's default; NONE requests no clusters. An item
whose cluster is missing or blank is its own cluster. All evaluations share this rule.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import polars as pl

from adjudge.errors import OptionError, closest, flag_name
from adjudge.options.shared import Names, Scoring, Tables


def mapped_columns(
    columns: Names, known: Sequence[str], cluster: str | None = None, constants: Names | None = None
) -> dict[str, str]:
    """Adjudge's column -> the file's.

    cluster: the column of clusters, which has its own option. constants: columns with one value in all rows. Raises
    OptionError for a column unknown to Adjudge, for a constant that is mapped too, and for two columns of clusters.
    """
    for option, given in (("columns", columns), ("constant", constants or {})):
        if odd := next((name for name in given if name not in known), None):
            problem, near = f'expected one of {", ".join(known)}; got "{odd}"', closest(odd, known)
            raise OptionError(problem, option=option, fix=near and f"{near}={given[odd]}")
    if both := next((name for name in constants or {} if name in columns), None):
        raise OptionError(f"{flag_name('columns')} say {both}={columns[both]}; give one of them", option="constant")
    mapped = {name: name for name in constants or {}} | dict(columns)
    if cluster is not None and mapped.setdefault("cluster", cluster) != cluster:
        message = f"is {cluster}, but {flag_name('columns')} say cluster={mapped['cluster']}; give one of them"
        raise OptionError(message, option="cluster")
    return mapped


def constant_columns(options: Tables) -> dict[str, str]:
    """Adjudge's columns with one value in all rows, and that value; without columns of groups or clusters."""
    others = {*options.by, options.cluster} if isinstance(options, Scoring) else ()
    return {name: value for name, value in options.constant.items() if name not in others}


RequestedColumns = Iterable[tuple[str, str]]
"""Options, each with a column that it names; of those that are mapped, as columns.item."""


def requested_columns(
    by: Sequence[str], cluster: str | None = None, columns: Mapping[str, str] | None = None
) -> RequestedColumns:
    """The columns to group by, that of clusters, and those that are mapped, with their options."""
    mapped = dict(columns or {})
    clusters = [("cluster", other)] if (other := mapped.pop("cluster", None) or cluster) else []
    named = [(f"columns.{ours}", column) for ours, column in mapped.items()]
    return [*named, *(("by", name) for name in by), *clusters]


def check_column_exists(place: str, requested: RequestedColumns, names: Iterable[str]) -> None:
    """Raises OptionError for a column that an option names and `place` lacks, with the nearest existing one."""
    columns, requested = list(names), list(requested)
    for asked, name in requested:
        if name not in columns:
            option, _, ours = asked.partition(".")
            lacking = next((part for part in name.split("+") if part not in columns), name)
            near = closest(lacking, {*columns} - {theirs for _, theirs in requested})
            fix = near and (f"{ours}=" if ours else "") + name.replace(lacking, near)
            fix, found = fix or ("" if ours else "COLUMN"), f"{', '.join(columns):.300}"
            raise OptionError(f'no column "{lacking}" in {place}', option=option, found=found, fix=fix)


# --- clusters ---


NONE = "none"
"""Value that requests no clusters."""


def check_cluster(column: str | None, item: str | None = None) -> None:
    """Raises OptionError for an empty name and for `item`, the column of the items themselves."""
    if column is not None and (not column.strip() or column == item):
        got = f"{item}, which names the items themselves" if column == item else "an empty name"
        wanted = f"expected a column that several items share, or {NONE} for no clusters"
        raise OptionError(f"{wanted}; got {got}", option="cluster")


def requested_column(column: str | None) -> str | None:
    """The requested cluster column; None for NONE or no request."""
    return None if column == NONE else column


def cluster_name(cluster: pl.Expr, item: pl.Expr) -> pl.Expr:
    """The name of each item's cluster; an item's own cluster has a unique name."""
    name, own_name = cluster.cast(pl.String), pl.concat_str(pl.lit("\0"), item)
    return pl.when(name.str.strip_chars() != "").then(name).otherwise(own_name)


# --- cells ---


_DECIMAL_COMMA = r"^([+-]?\d+),(\d{1,2}|\d{4,})$|^([+-]?0),(\d{3})$"


@dataclass(frozen=True, slots=True)
class CellRule:
    """A rule for every row.

    column: of the invalid cell. broken: true for a row that breaks the rule. expected: description of a valid cell.
    known: the only valid values; errors suggest the nearest one.
    """

    column: str
    broken: pl.Expr
    expected: str
    known: Collection[str] = ()


def require_value(column: str, expected: str) -> CellRule:
    """A cell that must not be empty."""
    return CellRule(column, pl.col(column).is_null(), expected)


def require_one_of(column: str, values: Collection[str], expected: str | None = None) -> CellRule:
    """A cell that must hold one of the known values or be empty."""
    broken = pl.col(column).is_not_null() & ~pl.col(column).is_in(list(values))
    return CellRule(column, broken, expected or f"one of {', '.join(values)}", values)


def require_number(column: str, expected: str, low: pl.Expr | float = -inf, high: float = inf) -> CellRule:
    """A cell of text that must hold a finite number in a range or be empty."""
    value = parse_numbers(column)
    fits = (value.is_finite() & value.is_between(low, high)).fill_null(value=False)
    return CellRule(column, pl.col(column).is_not_null() & ~fits, expected)


def with_decimal_point(text: str) -> str:
    """The text of a number with a decimal point instead of an unambiguous decimal comma, 85% as 0.85; others unchanged.

    >>> with_decimal_point("0,85"), with_decimal_point("1,500"), with_decimal_point("0.5"), with_decimal_point("85%")
    ('0.85', '1,500', '0.5', '0.85')
    """
    share = re.fullmatch(r"([+-]?\d+(?:[.,]\d+)?) ?%", text)
    return f"{float(share[1].replace(',', '.')) / 100:.12g}" if share else re.sub(_DECIMAL_COMMA, r"\1\3.\2\4", text)


def parse_numbers(column: str) -> pl.Expr:
    """The numbers in a column of text, 85% as 0.85; null for other text.

    A comma is a decimal comma (0,85) if it cannot separate thousands; 1,500 is ambiguous, thus no number.
    """
    text = pl.col(column).str.strip_chars().str.replace(" ?%$", "e-2")
    return text.str.replace(_DECIMAL_COMMA, "${1}${3}.${2}${4}").cast(pl.Float64, strict=False)
