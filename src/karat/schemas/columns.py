"""Columns of inputs that users name."""

from collections.abc import Iterable, Mapping, Sequence

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


Asked = Iterable[tuple[str, str]]
"""Options, each with a column that it names."""


def asked_of(by: Sequence[str], cluster: str | None = None, columns: Mapping[str, str] | None = None) -> Asked:
    """The columns to group by, that of clusters, and those that are mapped, with their options."""
    named = dict(columns or {})
    other = named.pop("cluster", None) or cluster
    return [
        *(("columns", theirs) for theirs in named.values()),
        *(("by", name) for name in by),
        *([("cluster", other)] if other else []),
    ]


def check_there(place: str, asked: Asked, found: Iterable[str]) -> None:
    """Raises OptionError for a column that an option names and `place` lacks, with the nearest of those found."""
    known = list(found)
    for option, name in asked:
        if name not in known:
            listed = ", ".join(known)
            raise OptionError(f"{option}: {place}: no column {name}{nearest(name, known)}; it holds {listed:.300}")
