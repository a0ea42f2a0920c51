"""Saved reports that tests of histories read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import karat as library


def judgments(right: Mapping[str, int], items: int = 10, **columns: str) -> pl.DataFrame:
    """Judgments of annotators on the same items, so many of them right. columns: further ones with one value."""
    rows = [
        {
            "item": "/".join([*columns.values(), str(item)]),
            "annotator": name,
            "label": "a" if item < count else "b",
            "reference": "a",
            **columns,
        }
        for name, count in right.items()
        for item in range(items)
    ]
    return pl.DataFrame(rows)


def saved(path: Path, right: Mapping[str, int], items: int = 10, **options: Any) -> Path:
    """Saves the report on such judgments, of which reliability = right / items."""
    path.parent.mkdir(parents=True, exist_ok=True)
    library.reliability(judgments(right, items), examples=0, **options).save(path)
    return path
