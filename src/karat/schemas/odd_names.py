"""Labels and items that are called as what is none: gaps that a program wrote in words, rows of sums."""

from collections.abc import Collection, Iterable

import polars as pl

from karat.schemas.spelling import counts_of

_GAPS = {"na", "n/a", "#n/a", "nan", "null"}
_SUMS = {
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean", "avg", "count"),
    *("summe", "gesamt", "gesamtergebnis", "mittelwert", "anzahl", "somme", "moyenne", "totale", "suma", "promedio"),
}
"""What spreadsheets call the row below the items."""


def gaps_among(labels: Iterable[str]) -> list[str]:
    """The labels by which programs say that there is none: R writes NA.

    >>> gaps_among(["yes", "NA", "none"])
    ['NA']
    """
    return [label for label in labels if label.strip().casefold() in _GAPS]


def gap_warnings(labels: pl.Series, known: Collection[str]) -> list[str]:
    """A warning for labels that may mean that there is none. known: labels that are listed somewhere."""
    counts = counts_of(labels)
    gaps = sorted(set(gaps_among(counts)) - set(known))
    if not gaps:
        return []
    told = ", ".join(f'"{one}" ({counts[one]:,})' for one in gaps)
    meant = ",".join(f"{one}=" for one in gaps)
    return [f"labels that may mean that there is none count as labels: {told}. If so: --values label:{meant}"]


def sum_warnings(items: pl.Series) -> list[str]:
    """A warning for items that are called as the rows of sums below a table are."""
    names = items.unique().cast(pl.String)
    odd = names.filter(names.str.strip_chars().str.to_lowercase().is_in(sorted(_SUMS))).sort().to_list()
    if not odd or len(odd) * 2 > len(names):
        return []
    told = ", ".join(f'"{one}"' for one in odd)
    return [f"rows called {told} count as items. If they hold sums, take them out of the file"]
