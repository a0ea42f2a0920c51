"""Names and labels as they are compared: folded, and ids without what programs change.

Ids that differ only by what programs add to them or remove from them stay different, and a warning says so.
"""

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

import polars as pl

_SHOWN = 3
UNSEEN = "[\u00ad\u200b-\u200d\u2060\ufeff]"
"""A pattern of characters of no width, such as a byte-order mark, which stand in cells that were copied."""


def fold_label(label: str) -> str:
    """A text without what does not count in labels: case, spaces, characters of no width.

    Accents may be letters of their own (e and U+0301) or not (U+00E9).

    >>> fold_label("  Both  Good ")
    'both good'
    """
    plain = label if label.isascii() else re.sub(UNSEEN, "", normalize("NFC", label))
    return " ".join(plain.split()).casefold()


def first_few(texts: Sequence[str]) -> str:
    """The first texts of several, and how many more there are."""
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more


ALIKE = "case, spaces, .0 or leading zeros"
"""In what ids differ that `plain_id` makes equal."""
_BLANK = "".join(sign for sign in map(chr, range(128)) if sign.isspace())
"""What Python takes for spaces in ASCII, four signs more than polars."""


def plain_id(name: str) -> str:
    """An id without what programs add to it or take from it.

    >>> plain_id(" 007.0"), plain_id("Q1"), plain_id("0")
    ('7', 'q1', '0')
    """
    text = re.sub(UNSEEN, "", name.casefold()).strip()
    return re.sub(r"^0+(?=\d)", "", re.sub(r"\.0+$", "", text))


def near_miss(ours: Iterable[str], theirs: Iterable[str]) -> str:
    """What to say of two sides of which no id is on the other: that one of them nearly is; empty where none is.

    >>> near_miss(["1", "2"], ["001"])
    '. "1" and "001" differ only in case, spaces, .0 or leading zeros'
    """
    known = {plain_id(one): one for one in theirs}
    pairs = ((one, known.get(plain_id(one), one)) for one in ours)
    one, other = next(((one, other) for one, other in pairs if one != other), ("", ""))
    return f'. "{one:.60}" and "{other:.60}" differ only in {ALIKE}' if one else ""


def alike_warnings(what: str, names: pl.Series) -> list[str]:
    """A warning for the first few groups of distinct names that one would take for each other."""
    by_plain_id: dict[str, list[str]] = {}
    # `plain_id` by polars where a name is ASCII, as nearly all are.
    plain = names.str.to_lowercase().str.strip_chars(_BLANK)
    plain = plain.str.replace(r"\.0+$", "").str.replace(r"^0+(\d)", "${1}")
    further = (names.str.len_bytes() != names.str.len_chars()).arg_true()
    plain = plain.scatter(further, [plain_id(name) for name in names.gather(further)])
    for name in names.filter(plain.is_duplicated()).sort():
        by_plain_id.setdefault(plain_id(name), []).append(name)
    groups = [", ".join(f'"{name:.60}"' for name in alike) for alike in by_plain_id.values()]
    return [f"the {what} {first_few(groups)} differ only in {ALIKE}, and count as different"] if groups else []


_TOTAL_WORDS = [
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean", "avg", "count"),
    *("summe", "gesamt", "gesamtergebnis", "mittelwert", "anzahl", "somme", "moyenne", "totale", "suma", "promedio"),
]
"""What spreadsheets call the row below the items."""


def is_total(name: str) -> bool:
    """Whether a name begins with a word for sums, means or shares, as that of a row below a table does.

    >>> is_total("Total correct"), is_total("% right"), is_total("Accuracy:"), is_total("Totally wrong")
    (True, True, True, False)
    """
    first = fold_label(name).partition(" ")[0].rstrip(":")
    return first in {*_TOTAL_WORDS, "%", "accuracy", "agreement", "kappa", "percent", "genauigkeit"}


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
