"""Strengths side by side: annotators in rows; references, data sets and groups in columns."""

from collections.abc import Sequence

import polars as pl

from adjudge.display_names import display_names, number_repeats
from adjudge.evaluations.annotations.tables import PairGroup, Words
from adjudge.metrics.tables import Keys
from adjudge.report import typed_table
from adjudge.schemas.outcomes import RESERVED_COLUMNS
from adjudge.spec import GREATEST_DIFFERENCE, SIDE_BY_SIDE

_ENDS = ("highest", "lowest")
_NAMED = ("annotator", "name")


def side_by_side(groups: Sequence[PairGroup]) -> dict[str, pl.DataFrame]:
    """The table of strengths with a column for each group, the annotators that differ most first.

    greatest_difference: the greatest strength minus the least; highest and lowest: the groups that these are of, unless
    they are equal. There is no table for a single group, and none where strength is defined nowhere.
    """
    if len(groups) == 1:
        return {}
    titles = _group_titles(groups)
    strengths: dict[tuple[str | None, ...], dict[str, float]] = {}
    for group, title in zip(groups, titles, strict=True):
        for annotator in group.annotators:
            by_title = strengths.setdefault((annotator.id, annotator.name or annotator.id), {})
            if (value := group.strengths[annotator.id][0].value) is not None:
                by_title[title] = value
    rows = [dict(zip(_NAMED, names, strict=True)) | _strength_row(own, titles) for names, own in strengths.items()]
    numbers = [*titles, GREATEST_DIFFERENCE]
    if not any(strengths.values()):
        return {}
    table = typed_table(rows, [*_NAMED, *numbers, *_ENDS], numbers=numbers)
    return {SIDE_BY_SIDE: table.sort(GREATEST_DIFFERENCE, descending=True, nulls_last=True, maintain_order=True)}


def _strength_row(strengths: dict[str, float], titles: Sequence[str]) -> Keys:
    """An annotator's strength in each group, and the greatest difference between two groups."""
    row = dict.fromkeys([*titles, GREATEST_DIFFERENCE, *_ENDS]) | strengths
    if len(strengths) > 1:
        highest, lowest = max(strengths, key=strengths.__getitem__), min(strengths, key=strengths.__getitem__)
        gap = strengths[highest] - strengths[lowest]
        row |= {GREATEST_DIFFERENCE: gap} | ({"highest": highest, "lowest": lowest} if gap else {})
    return row


def _group_titles(groups: Sequence[PairGroup]) -> list[str]:
    """The title of each group: the keys that differ among groups; none equals a column that any table may have."""
    references = display_names((group.reference.id, group.reference.name) for group in groups)
    keys: list[Words] = [group.keys | {"reference": references[group.reference.id]} for group in groups]
    apart = [name for name in keys[0] if len({own[name] for own in keys}) > 1]
    titles = (", ".join(_group_title(name, own[name]) for name in apart) for own in keys)
    taken = sorted({*RESERVED_COLUMNS, GREATEST_DIFFERENCE, *_ENDS})
    return number_repeats([*taken, *titles])[len(taken) :]


def _group_title(name: str, value: str | None) -> str:
    return value or "" if name in {"dataset", "reference"} else f"{name}: {'(missing)' if value is None else value}"
