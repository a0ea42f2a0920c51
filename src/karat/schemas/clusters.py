"""Clusters: what makes items dependent, by one rule for all evaluations.

Figures are clustered by the column that is asked for, else by what an evaluation says of itself; NONE asks for no
clusters. An item whose cluster is missing or blank is a cluster of its own.
"""

import polars as pl

from karat.errors import OptionError

NONE = "none"
"""What asks for no clusters."""

_ALONE = "\0"
"""How the name of an item's own cluster begins, so that it is no other's."""


def check_cluster(asked: str | None, item: str | None = None) -> None:
    """Raises OptionError for a column without a name, and for `item`, the column that names the items themselves."""
    wanted = f"expected a column that several items share, or {NONE} for no clusters"
    if asked is not None and not asked.strip():
        raise OptionError(f"cluster: {wanted}; got an empty name")
    if asked is not None and asked == item:
        raise OptionError(f"cluster: {wanted}; {item} names the items themselves")


def column_of(asked: str | None) -> str | None:
    """The column that is asked for, if any."""
    return None if asked == NONE else asked


def named_cluster(cluster: pl.Expr, item: pl.Expr) -> pl.Expr:
    """The name of each item's cluster, of which its own differs from all others."""
    name, own = cluster.cast(pl.String), pl.concat_str(pl.lit(_ALONE), item)
    return pl.when(name.str.strip_chars() != "").then(name).otherwise(own)


def shared_cluster(cluster: pl.Expr) -> pl.Expr:
    """The name of each item's cluster as it is written: null for its own."""
    return pl.when(~cluster.str.starts_with(_ALONE)).then(cluster)
