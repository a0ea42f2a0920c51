"""Labels that differ by spaces or case alone, that are equal numbers or the same set, are one label."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

import polars as pl

from karat.schemas.rules import with_point

_SHOWN = 3
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)(\.0+)?")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_BETWEEN = re.compile(r"[;,|]")
"""What stands between the parts of a set."""


def folded(label: str) -> str:
    """What labels that count as one have in common, but for numbers and sets.

    >>> folded("  Both  Good ")
    'both good'
    """
    return " ".join(label.split()).casefold()


def counts_of(labels: pl.Series) -> dict[str, int]:
    """How often each label stands in a column."""
    table = labels.drop_nulls().value_counts(name="count")
    return dict(zip(table.to_series(0).cast(pl.String), table["count"], strict=True))


def spellings(counts: Mapping[str, int], known: Collection[str] = (), *, numbers: bool = False) -> dict[str, str]:
    """The labels that are spelt otherwise -> the label that they are.

    Of several spellings the commonest is the label, of equally common ones the first by code point; of equal numbers
    the shortest. counts: how often each label stands. known: labels that are listed somewhere; where one of them is
    among the spellings, it is the label, and none of them is ever another. numbers: whether labels are places on a
    scale; else whole numbers alone are equal (1 and 1.0), since 3.1 and 3.10 may be versions.

    >>> spellings({"Tie": 2, "tie": 5, "tie ": 1, "a": 3})
    {'Tie': 'tie', 'tie ': 'tie'}
    >>> spellings({"1.0": 7, "1": 2}), spellings({"3,5": 2}, numbers=True)
    ({'1.0': '1'}, {'3,5': '3.5'})
    """
    sets, listed = _are_sets(counts), set(known)
    groups: dict[object, list[str]] = {}
    for label in (*known, *sorted(counts, key=lambda one: (-counts[one], one))):
        value = _value(label, numbers=numbers)
        groups.setdefault(value if value is not None else _parts(label) if sets else folded(label), []).append(label)
    found = dict[str, str]()
    for key, group in groups.items():
        named = listed.intersection(group)
        if len(named) <= 1:
            meant = _shortest(group, numbers=numbers) if isinstance(key, Decimal) and not named else group[0]
            found |= {label: meant for label in group if label != meant}
    return found


def _value(label: str, *, numbers: bool) -> Decimal | None:
    """What a label is worth that is a number; None for others, such as 007."""
    text = with_point(label.strip()) if numbers else label.strip()
    return Decimal(text) if (_NUMBER if numbers else _WHOLE).fullmatch(text) else None


def _shortest(group: Sequence[str], *, numbers: bool) -> str:
    """The shortest of equal numbers; on a scale with a decimal point."""
    return min((with_point(one.strip()) if numbers else one for one in group), key=lambda one: (len(one), one))


def _parts(label: str) -> tuple[str, ...]:
    return tuple(sorted(folded(part) for part in _BETWEEN.split(label.strip("[]"))))


def _are_sets(labels: Collection[str]) -> bool:
    """Whether labels of several parts are sets of what others are alone; else they may be rankings, or decimals."""
    held = {_parts(label) for label in labels}
    several = [parts for parts in held if len(parts) > 1]
    codes = all(len(parts) == 2 and "".join(parts).isdecimal() for parts in several)  # noqa: PLR2004 - as 1,5 is
    return not codes and any((part,) in held for parts in several for part in parts)


def spelling_warnings(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[str]:
    """The warnings that labels were taken for others, with counts. labels: as `spellings` gives them."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for label, meant in labels.items():
        kinds.setdefault(_how(label, meant), {}).setdefault(meant, []).append(f'"{label:.60}" ({counts[label]:,})')
    return [_told(kind, groups) for kind, groups in kinds.items()]


def _how(label: str, meant: str) -> str:
    """In what two spellings of a label differ."""
    if folded(label) == folded(meant):
        return "that differ by spaces or case alone"
    return "that are equal numbers" if _value(label, numbers=True) is not None else "of the same parts in another order"


def _told(kind: str, groups: Mapping[str, Sequence[str]]) -> str:
    told = [f'{", ".join(own)} as "{meant:.60}"' for meant, own in groups.items()]
    more = f" and {len(told) - _SHOWN:,} more" if len(told) > _SHOWN else ""
    return f"labels {kind} count as one: {'; '.join(told[:_SHOWN])}{more}. Use --exact-labels to keep them apart"


def spelt_as(
    known: Collection[str], frame: pl.DataFrame, columns: Sequence[str], *, exact: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Columns in which labels that differ from a known one by spaces or case alone are it, unless exact; a warning."""
    if exact:
        return frame, []
    counts = Counter[str]()
    for column in columns:
        counts.update(counts_of(frame[column]))
    meant = {own: label for own, label in spellings(counts, known).items() if label in known}
    return frame.with_columns(pl.col(columns).replace(meant)), spelling_warnings(counts, meant)
