"""What the columns of a survey's export may stand for in reliability: a row per annotator, a column per item."""

import re
from collections.abc import Collection, Sequence
from os.path import commonprefix

from adjudge.profiling.column_profile import Table
from adjudge.profiling.guess import Guess, mapped, trusted_among
from adjudge.readers.column_names import joined, mentioning, nearest_to, words
from adjudge.readers.column_synonyms import ANNOTATOR, ID, PEOPLE, RESPONDENT, SURVEY
from adjudge.readers.problems import listed
from adjudge.readers.transforms import ANY, ITEM, LABEL

_JUDGES = [name for name in ANNOTATOR if name not in PEOPLE]
"""What people call annotators and nobody else."""
_ITEMS = 3
"""How many columns of labels a survey has at least."""


def survey(table: Table, labels: Sequence[str]) -> Guess | None:
    """How a table is read whose columns say that each row is somebody's answers; None for other tables.

    labels: the columns that hold labels of one kind.
    """
    ids = [name for name in table.names if table[name].is_id]
    others = [name for name in ids if name not in labels]
    who = next((name for name in others if trusted_among(table[name].distinct)), None)
    who = who or nearest_to((*ANNOTATOR, *RESPONDENT), others) or nearest_to(_JUDGES, ids)
    items = _with_alike(table, [name for name in labels if name != who])
    if {ITEM, LABEL} & set(table.names) or len(items) < _ITEMS:
        return None
    form = any(joined(name) in SURVEY for name in table.names)
    if who is None or not (form or _is_turned(table, who, items)):
        return _unnamed(items) if who is None and are_called_as_items(items) else None
    voters = table[who].distinct
    trusted = trusted_among(voters)
    asked = f"nothing says what is trusted: which annotator? --reference NAME of {listed(voters)}"
    columns = {"annotator": who}
    options = mapped(columns, item_columns=_named(table, items), reference=[trusted] if trusted else [])
    turned = f"each row is taken for an annotator, whom {who} names, and each of these columns for an item"
    doubts = () if form else (f"{turned}; if these are annotators, name them with --annotator-columns",)
    return Guess(0.95 if trusted else 0.75, columns, options, () if trusted else (asked,), doubts)


def _is_turned(table: Table, who: str, items: Sequence[str]) -> bool:
    """Whether names say that rows are annotators and columns items, where most tables have it the other way around.

    Names that only annotators have say so, or two of three: names that people have, that of one who is trusted, and
    those of items.
    """
    if any(mentioning(ANNOTATOR, [name]) for name in items):
        return False
    if nearest_to(_JUDGES, [who]):
        return True
    called = nearest_to((*PEOPLE, *RESPONDENT), [who]) is not None
    trusted = trusted_among(table[who].distinct) is not None
    numbers = all(name.isdigit() for name in items)
    return called + trusted + are_called_as_items(items) > 1 or (trusted and numbers)


def doubts_of_rows(table: Table, item: str, judges: Sequence[str]) -> tuple[str, ...]:
    """What is to be asked of a column that is taken for items, and may name annotators: who is trusted stands in it."""
    known = trusted_among(table[item].distinct) is not None or nearest_to(ANNOTATOR, [item]) is not None
    if not known or any(mentioning(ANNOTATOR, [name]) for name in judges):
        return ()
    turned = f"--columns annotator={item} --item-columns {','.join(judges)}"
    return (f"{item} is taken for the items; if it names annotators, whose answers are a row each: {turned}",)


def are_called_as_items(names: Sequence[str]) -> bool:
    """Whether columns are called by a word for items and a number each: q1, Item 2, Text 3.

    >>> are_called_as_items(["q1", "q2"]), are_called_as_items(["r1", "r2"]), are_called_as_items(["q1", "tone"])
    (True, False, False)
    """
    parts = [words(name) for name in names]
    begins = {"".join(own[:-1]) for own in parts if own and own[-1].isdigit()}
    return all(own and own[-1].isdigit() for own in parts) and all({one, f"{one}id"} & {*ID} for one in begins)


def _unnamed(items: Sequence[str]) -> Guess:
    """How a table is read of which nothing says who gave the answers to its items."""
    named = f"--item-columns {','.join(items)}"
    asked = f"{listed(items)} are called as items are, and no column says whose answers a row holds: which?"
    return Guess(0.6, {}, {}, (f"{asked} --columns annotator=COLUMN {named}; or, of annotators, --annotator-columns",))


def _with_alike(table: Table, items: Sequence[str]) -> list[str]:
    """The columns with others that begin as they do, and hold any of their labels: all may agree on an item.

    Of those that are called by a number too, as most questions are, labels need not be the same, but be like them.
    """
    begins, said = _common(items), frozenset[str]().union(*(table[name].folded for name in items))
    more = [name for name in table.names if begins and name.startswith(begins) and table[name].is_label]
    fitting = {name for name in more if said & table[name].folded}
    fitting |= {name for name in more if are_called_as_items([name]) and _is_like(table[name].folded, said)}
    return [name for name in table.names if name in {*items, *fitting}]


def _is_like(labels: Collection[str], others: Collection[str]) -> bool:
    """Whether labels may be of the same kind as others: numbers of a scale, or texts no longer than these."""
    kinds = [[_DIGITS.fullmatch(one) is not None for one in side] for side in (labels, others)]
    if all(map(all, kinds)):
        return max(map(int, labels)) <= max(_SCALE, *map(int, others))
    return not any(map(any, kinds)) and max(map(len, labels)) <= max(map(len, others))


_DIGITS, _SCALE = re.compile(r"\d{1,9}"), 10
"""Whole numbers, and the highest that a scale has without any sign that it has more."""


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
