"""Columns of inputs that users name."""

from collections.abc import Mapping, Sequence

from karat.errors import OptionError, nearest


def mapped_columns(columns: Mapping[str, str], known: Sequence[str], cluster: str | None = None) -> dict[str, str]:
    """Karat's column -> the file's. cluster: that of clusters, which has an option of its own.

    Raises OptionError for a column that Karat does not know, and for two columns of clusters.
    """
    named = dict(columns)
    for name in named:
        if name not in known:
            raise OptionError(f"columns: Karat has no column {name}{nearest(name, known)}; it knows {', '.join(known)}")
    if cluster is not None and named.setdefault("cluster", cluster) != cluster:
        raise OptionError(f"cluster is {cluster}, but columns say cluster={named['cluster']}; give one of them")
    return named
