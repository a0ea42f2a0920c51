"""Saved reports that tests of histories read."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

import adjudge as library


def judgments(
    right: Mapping[str, int], items: int = 10, ids: Iterable[int] | None = None, **columns: str
) -> pl.DataFrame:
    """Judgments of annotators on the same items, the first so many of them right.

    ids: what the items are called, by default from 0. columns: further ones with one value.
    """
    named = list(range(items) if ids is None else ids)
    rows = [
        {
            "item": "/".join([*columns.values(), str(named[item])]),
            "annotator": name,
            "label": "a" if item < count else "b",
            "reference": "a",
            **columns,
        }
        for name, count in right.items()
        for item in range(items)
    ]
    return pl.DataFrame(rows)


def saved(path: Path, right: Mapping[str, int], of: int = 10, ids: Iterable[int] | None = None, **options: Any) -> Path:
    """Saves the report on such judgments, of which reliability = right / of."""
    path.parent.mkdir(parents=True, exist_ok=True)
    library.reliability(judgments(right, of, ids), examples=0, **options).save(path)
    return path
