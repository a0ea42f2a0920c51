"""Columns of inputs that users name, among them that of clusters: what makes items dependent.

Metrics are clustered by the column that is asked for, else by what an evaluation says of itself; NONE asks for no
clusters. An item whose cluster is missing or blank is a cluster of its own. All evaluations have this one rule.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.errors import OptionError, nearest
from adjudge.version import TITLE


def mapped_columns(
    columns: Mapping[str, str], known: Sequence[str], cluster: str | None = None, constants: Iterable[str] = ()
) -> dict[str, str]:
    """Adjudge's column -> the file's.

    cluster: that of clusters, which has an option of its own. constants: columns that all rows have one value in.
    Raises OptionError for a column that Adjudge does not know, for a constant that is mapped too, and for two columns
    of clusters.
    """
    for option, names in (("columns", columns), ("set", constants)):
        for name in names:
            if name not in known:
                listed = ", ".join(known)
                raise OptionError(f"{option}: {TITLE} has no column {name}{nearest(name, known)}; it knows {listed}")
            if option == "set" and name in columns:
                raise OptionError(f"set: columns say {name}={columns[name]}; give one of them")
    mapped = {name: name for name in constants} | dict(columns)
    if cluster is not None and mapped.setdefault("cluster", cluster) != cluster:
        raise OptionError(f"cluster: is {cluster}, but --columns say cluster={mapped['cluster']}; give one of them")
    return mapped


def constant_columns(options: Mapping[str, Any]) -> list[str]:
    """Adjudge's columns that all rows have one value in: those that are no columns of groups or clusters."""
    others = {*options.get("by", ()), options.get("cluster")}
    return [name for name in options.get("set", {}) if name not in others]


RequestedColumns = Iterable[tuple[str, str]]
"""Options, each with a column that it names."""


def requested_columns(
    by: Sequence[str], cluster: str | None = None, columns: Mapping[str, str] | None = None
) -> RequestedColumns:
    """The columns to group by, that of clusters, and those that are mapped, with their options."""
    mapped = dict(columns or {})
    other = mapped.pop("cluster", None) or cluster
    return [
        *(("columns", column) for column in mapped.values()),
        *(("by", name) for name in by),
        *([("cluster", other)] if other else []),
    ]


def check_column_exists(place: str, requested: RequestedColumns, names: Iterable[str]) -> None:
    """Raises OptionError for a column that an option names and `place` lacks, with the nearest of those found."""
    columns = list(names)
    for option, name in requested:
        if name not in columns:
            listed, lacking = ", ".join(columns), [part for part in name.split("+") if part not in columns] or [name]
            described = name if len(lacking) > 1 or name in lacking else f"{lacking[0]}, a part of {name}"
            raise OptionError(
                f"{option}: {place}: no column {described}{nearest(lacking[0], columns)}; it holds {listed:.300}"
            )


# --- clusters ---


NONE = "none"
"""What asks for no clusters."""

_OWN_CLUSTER = "\0"
"""How the name of an item's own cluster begins, so that it is no other's."""


def check_cluster(column: str | None, item: str | None = None) -> None:
    """Raises OptionError for a column without a name, and for `item`, the column that names the items themselves."""
    wanted = f"expected a column that several items share, or {NONE} for no clusters"
    if column is not None and not column.strip():
        raise OptionError(f"cluster: {wanted}; got an empty name")
    if column is not None and column == item:
        raise OptionError(f"cluster: {wanted}; {item} names the items themselves")


def requested_column(column: str | None) -> str | None:
    """The requested cluster column; None for NONE or no request."""
    return None if column == NONE else column


def cluster_name(cluster: pl.Expr, item: pl.Expr) -> pl.Expr:
    """The name of each item's cluster, of which its own differs from all others."""
    name, own_name = cluster.cast(pl.String), pl.concat_str(pl.lit(_OWN_CLUSTER), item)
    return pl.when(name.str.strip_chars() != "").then(name).otherwise(own_name)


def cluster_or_null(cluster: pl.Expr) -> pl.Expr:
    """The name of each item's cluster as it is written: null for its own."""
    return pl.when(~cluster.str.starts_with(_OWN_CLUSTER)).then(cluster)
