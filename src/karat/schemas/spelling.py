"""Labels that differ by spaces or case alone are one label."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import polars as pl

_SHOWN = 3


def folded(label: str) -> str:
    """What labels that count as one have in common.

    >>> folded("  Both  Good ")
    'both good'
    """
    return " ".join(label.split()).casefold()


def counts_of(labels: pl.Series) -> dict[str, int]:
    """How often each label stands in a column."""
    table = labels.drop_nulls().value_counts(name="count")
    return dict(zip(table.to_series(0).cast(pl.String), table["count"], strict=True))


def spellings(counts: Mapping[str, int], known: Collection[str] = ()) -> dict[str, str]:
    """The labels that are spelt otherwise -> the label that they are.

    Of several spellings the commonest is the label, of equally common ones the first by code point. counts: how often
    each label stands. known: labels that are listed somewhere; where one of them is among the spellings, it is the
    label, and none of them is ever another.

    >>> spellings({"Tie": 2, "tie": 5, "tie ": 1, "a": 3})
    {'Tie': 'tie', 'tie ': 'tie'}
    """
    groups: dict[str, list[str]] = {}
    for label in (*known, *sorted(counts, key=lambda one: (-counts[one], one))):
        groups.setdefault(folded(label), []).append(label)
    listed = set(known)
    return {
        label: group[0]
        for group in groups.values()
        if len(listed.intersection(group)) <= 1
        for label in group[1:]
        if label != group[0]
    }


def spelling_warnings(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[str]:
    """The warning that labels were taken for others, with counts. labels: as `spellings` gives them."""
    if not labels:
        return []
    groups: dict[str, list[str]] = {}
    for label, meant in labels.items():
        groups.setdefault(meant, []).append(f'"{label:.60}" ({counts[label]:,})')
    told = [f'{", ".join(own)} as "{meant:.60}"' for meant, own in groups.items()]
    more = f" and {len(told) - _SHOWN:,} more" if len(told) > _SHOWN else ""
    said = f"labels that differ by spaces or case alone count as one: {'; '.join(told[:_SHOWN])}{more}"
    return [f"{said}. Use --exact-labels to keep them apart"]


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
