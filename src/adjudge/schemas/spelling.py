"""Normalised names, labels and ids for comparison.

Ids that differ only by what programs add or remove stay different, with a warning.
"""

import re
from collections.abc import Sequence
from unicodedata import normalize

import polars as pl

_SHOWN = 3
UNSEEN = "[\u00ad\u200b-\u200d\u2060\ufeff]"
"""A pattern of zero-width characters, such as a byte-order mark, which copied cells may have."""


def fold_label(label: str) -> str:
    """A label without case, extra spaces and zero-width characters.

    Accents may be separate characters (e and U+0301) or not (U+00E9).

    >>> fold_label("  Both  Good ")
    'both good'
    """
    plain = label if label.isascii() else re.sub(UNSEEN, "", normalize("NFC", label))
    return " ".join(plain.split()).casefold()


def first_few(texts: Sequence[str]) -> str:
    """The first of several texts, and the number of others."""
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more


ALIKE = "case, spaces, .0, 1e5 or leading zeros"
"""The differences that `alike_warnings` ignores."""


_UNUSUAL = r"[^ -@\[-~]|^ | $|\.0+$|^0+\d|e\+?\d\d?$"
"""Capital letters, outer spaces, numbers in several forms, anything but ASCII: other names are alike only if equal."""


def alike_warnings(what: str, names: pl.Series) -> list[str]:
    """A warning for the first few groups of near-equal distinct names."""
    if not names.str.contains(_UNUSUAL).any():
        return []
    plain = names.str.to_lowercase().str.replace_all(UNSEEN, "").str.strip_chars()
    plain = plain.str.replace(r"\.0+$", "").str.replace(r"^0+(\d)", "${1}")
    power = plain.str.extract(r"^(\d(?:\.\d+)?e\+?\d\d?)$").cast(pl.Float64)  # 1e+05, as R writes 100000
    plain = power.cast(pl.Int64, strict=False).cast(pl.String).fill_null(plain)
    if plain.n_unique() == len(names):
        return []
    alike = pl.DataFrame({"name": names, "plain": plain}).filter(plain.is_duplicated()).sort("name")
    each = alike.group_by("plain", maintain_order=True).agg("name")["name"]
    groups = [", ".join(f'"{name:.60}"' for name in group) for group in each]
    return [f"the {what} {first_few(groups)} differ only in {ALIKE}, and count as different"]


_TOTAL_WORDS = (
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean", "avg", "count", "accuracy"),
    *("summe", "gesamt", "gesamtergebnis", "mittelwert", "anzahl", "somme", "moyenne", "totale", "suma", "promedio"),
)
"""Names of spreadsheets' rows of totals."""


def total_row_warnings(items: pl.Series) -> list[str]:
    """A warning for items named like rows of sums below a table; none if most are.

    >>> total_row_warnings(pl.Series(["q1", "q2", "Total"]))[0].partition(".")[0]
    'rows called "Total" count as items'
    """
    names = items.unique().cast(pl.String)
    odd = names.filter(names.str.contains(rf"(?i)^\s*(?:{'|'.join(_TOTAL_WORDS)})\s*$")).sort().to_list()
    listed = ", ".join(f'"{name}"' for name in odd)
    exclude = f"If they hold sums, exclude them: --on-invalid drop --map-values item:{'=,'.join(odd)}="
    return [f"rows called {listed} count as items. {exclude}"] if 0 < len(odd) * 2 <= len(names) else []
