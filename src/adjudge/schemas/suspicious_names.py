"""Labels and items that are called as what is none: gaps that a program wrote in words, rows of sums."""

import re
from collections.abc import Collection, Iterable
from itertools import chain

import polars as pl

from adjudge.schemas.spelling import first_few, label_counts

_MISSING_WORDS = {"na", "n/a", "#n/a", "nan", "null"}
_TOTAL_WORDS = [
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean", "avg", "count"),
    *("summe", "gesamt", "gesamtergebnis", "mittelwert", "anzahl", "somme", "moyenne", "totale", "suma", "promedio"),
]
"""What spreadsheets call the row below the items."""
_BETWEEN = re.compile(r"[;,|/+]")
"""What may stand between the parts of a label."""


def missing_value_labels(labels: Iterable[str]) -> list[str]:
    """The labels by which programs say that there is none: R writes NA.

    >>> missing_value_labels(["yes", "NA", "none"])
    ['NA']
    """
    return [label for label in labels if label.strip().casefold() in _MISSING_WORDS]


def missing_value_warnings(labels: pl.Series, known: Collection[str]) -> list[str]:
    """A warning for labels that may mean that there is none. known: labels that are listed somewhere."""
    counts = label_counts(labels)
    gaps = sorted(set(missing_value_labels(counts)) - set(known))
    if not gaps:
        return []
    listed = ", ".join(f'"{label}" ({counts[label]:,})' for label in gaps)
    mapping = ",".join(f"{label}=" for label in gaps)
    return [f"labels that may mean that there is none count as labels: {listed}. If so: --map-values label:{mapping}"]


def reordered_set_warnings(*labels: pl.Series) -> list[str]:
    """A warning for labels of several parts that are the same in another order, which count as different."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for label in dict.fromkeys(chain.from_iterable(map(label_counts, labels))):
        parts = _BETWEEN.split(label.strip("[]"))
        if len(parts) > 1:
            groups.setdefault(tuple(sorted(part.strip() for part in parts)), []).append(label)
    odd = [", ".join(f'"{one:.60}"' for one in sorted(group)) for group in groups.values() if len(group) > 1]
    same = "labels of the same parts in another order count as different"
    write = "Unless their order means something, as in rankings, write the parts in one order"
    return [f"{same}: {first_few(odd)}. {write}"] if odd else []


def total_rows(items: pl.Series) -> list[str]:
    """The items that are called as the rows of sums below a table are; none where most are called so.

    >>> total_rows(pl.Series(["q1", "q2", "Total"]))
    ['Total']
    """
    names = items.unique().cast(pl.String)
    odd = names.filter(names.str.strip_chars().str.to_lowercase().is_in(_TOTAL_WORDS)).sort().to_list()
    return odd if len(odd) * 2 <= len(names) else []


def total_row_warnings(items: pl.Series) -> list[str]:
    """A warning for items that are called as rows of sums are."""
    odd = total_rows(items)
    listed = ", ".join(f'"{name}"' for name in odd)
    leave = ",".join(f"{name}=" for name in odd)
    leave_out = f"If they hold sums, leave them out: --on-invalid drop --map-values item:{leave}"
    return [f"rows called {listed} count as items. {leave_out}"] if odd else []
