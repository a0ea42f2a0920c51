"""Rows of several files as those of one: what two files say of the same must not differ."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from karat.formats.findings import Findings, keys_said, listed, quoted

FILE = "__file__"
"""Column with the place of a row's file among all files."""


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all files, each with the place of its file; a column that one file lacks is null there."""
    return pl.concat([one.with_columns(pl.lit(nth).alias(FILE)) for nth, one in enumerate(frames)], how="diagonal")


def agreeing(
    rows: pl.DataFrame, keys: Sequence[str], said: Sequence[str], names: Sequence[str], findings: Findings
) -> pl.DataFrame:
    """The rows but for those whose keys stand several times with different values in a column; these are findings.

    said: the columns that must not differ; a null says nothing. names: of the files, for messages.
    """
    twice = rows.filter(pl.struct(keys).is_duplicated())
    counts = twice.group_by(keys, maintain_order=True).agg(pl.col(said).drop_nulls().n_unique())
    wrong = counts.filter(pl.any_horizontal(pl.col(said) > 1)).select(keys)
    if wrong.is_empty():
        return rows
    kept = rows.join(wrong, on=keys, how="anti", maintain_order="left")

    def say(row: dict[str, Any]) -> str:
        own = twice.filter(*(pl.col(key) == row[key] for key in keys))
        first, *others = _differing(own, said, names)
        more = f"; they differ in {listed(others)} too" if others else ""
        return f"{keys_said(row, keys)}: expected {first}{more}"

    findings.add_each(wrong, say, dropped=rows.height - kept.height)
    return kept


def _differing(rows: pl.DataFrame, said: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns in which files differ; of the first, what two of them say."""
    found = list[str]()
    for name in said:
        told = rows.select(FILE, name).drop_nulls().unique(name, keep="first", maintain_order=True).rows()
        if len(told) > 1:
            values = ", ".join(f"{quoted(value)} in {names[place]}" for place, value in told[:2])
            found.append(name if found else f"one {name}; got {values}")
    return found
