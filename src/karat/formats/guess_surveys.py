"""What the columns of a survey's export may stand for in reliability: a row per annotator, a column per item."""

from collections.abc import Sequence
from os.path import commonprefix

from karat.formats.findings import listed
from karat.formats.guess import ANNOTATOR, RESPONDENT, SURVEY, Guess, mapped, trusted_among
from karat.formats.naming import joined, nearest_to
from karat.formats.profiles import Table
from karat.formats.survey_rows import ANY, ITEM, LABEL

_ITEMS = 3
"""How many columns of labels a survey has at least."""


def survey(table: Table, labels: Sequence[str]) -> Guess | None:
    """How a table is read whose columns say that each row is somebody's answers; None for other tables.

    labels: the columns that hold labels of one kind.
    """
    who = _who(table, labels)
    known = any(joined(name) in SURVEY for name in table.names) and not {ITEM, LABEL} & set(table.names)
    if who is None or len(labels) < _ITEMS or not known:
        return None
    labels = _with_alike(table, labels)
    voters = table[who].distinct
    trusted = trusted_among(voters)
    asked = f"nothing says what is trusted: which annotator? --reference NAME of {listed(voters)}"
    columns = {"annotator": who}
    options = mapped(columns, item_columns=_named(table, labels), reference=[trusted] if trusted else [])
    return Guess(0.95 if trusted else 0.75, columns, options, () if trusted else (asked,))


def _with_alike(table: Table, items: Sequence[str]) -> list[str]:
    """The columns with others that begin as they do, and hold any of their labels: all may agree on an item."""
    begins, said = _common(items), frozenset[str]().union(*(table[name].folded for name in items))
    more = [name for name in table.names if begins and name.startswith(begins) and table[name].is_label]
    return [name for name in table.names if name in items or (name in more and said & table[name].folded)]


def _who(table: Table, labels: Sequence[str]) -> str | None:
    """The column that says whose answers a row holds: that with a trusted name, else one called so."""
    others = [name for name in table.names if name not in labels and table[name].is_id]
    trusted = next((name for name in others if trusted_among(table[name].distinct)), None)
    return trusted or nearest_to((*ANNOTATOR, *RESPONDENT), others)


def _common(names: Sequence[str]) -> str:
    """How all of some names begin, but for numbers."""
    return commonprefix(list(names)).rstrip("0123456789")  # noqa: RUF071 - names, not paths


def _named(table: Table, items: Sequence[str]) -> list[str]:
    """The columns as an option names them: by how they begin, where no others begin so."""
    begins = _common(items)
    others = [name for name in table.names if name not in items]
    if begins and not any(name.startswith(begins) for name in others):
        return [begins + ANY]
    return list(items)
