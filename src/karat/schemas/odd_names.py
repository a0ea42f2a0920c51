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
_LONGEST = 20


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


def sums_among(items: Iterable[str]) -> list[str]:
    """The items that are called as the rows of sums below a table are; none where most are called so.

    >>> sums_among(["q1", "q2", "Total"])
    ['Total']
    """
    names = set(items)
    odd = sorted(name for name in names if name.strip().casefold() in _SUMS)
    return odd if len(odd) * 2 <= len(names) else []


def sum_warnings(items: pl.Series) -> list[str]:
    """A warning for such items."""
    short = pl.col("item").cast(pl.String)
    names = items.unique().to_frame("item").select(short.filter(short.str.len_chars() <= _LONGEST)).to_series()
    odd = sums_among(names) if len(names) else []
    told = ", ".join(f'"{one}"' for one in odd)
    leave = ",".join(f"{one}=" for one in odd)
    said = f"rows called {told} count as items. If they hold sums, leave them out: --values item:{leave}"
    return [f"{said} --on-invalid drop"] if odd else []
