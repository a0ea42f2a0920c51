"""Scores of explanations: how close a system's reasons are to people's."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from karat.figures.cells import Floats
from karat.schemas.preferences import Judged

Compare = Callable[[pl.Series, pl.Series], pl.Series]
"""From predicted and reference texts to scores, null where either is missing."""


def scores(gold: Judged, systems: Sequence[Judged], compare: Compare) -> list[Floats]:
    """Of each system an array criteria x items: NaN where people gave no explanation, 0 where the system gave none.

    All texts are compared in one call, so that each distinct one is dealt with once.
    """
    columns = gold.task.why_columns
    theirs = [system.frame[column] for system in systems for column in columns]
    ours = [gold.frame[column] for _ in systems for column in columns]
    known = pl.concat([_filled(one) for one in ours], rechunk=True)
    given = pl.concat([_filled(one).fill_null("") for one in theirs], rechunk=True)
    found = compare(given, known).cast(pl.Float64).fill_null(np.nan).to_numpy()
    return list(found.reshape(len(systems), len(columns), gold.frame.height))


def absent(gold: Judged, system: Judged) -> int:
    """How many explanations a system owes: people gave one, it did not."""
    return sum(
        int((_filled(gold.frame[column]).is_not_null() & _filled(system.frame[column]).is_null()).sum())
        for column in gold.task.why_columns
    )


def _filled(texts: pl.Series) -> pl.Series:
    """The texts, null where they hold nothing but white space."""
    return texts.to_frame("text").select(pl.when(pl.col("text").str.strip_chars() != "").then("text")).to_series()


def verdicts(gold: Judged, systems: Sequence[str], table: pl.DataFrame, unparsed: str) -> list[Floats]:
    """Of each system an array criteria x items: 1 for yes, 0 for no, NaN where there is no verdict.

    unparsed: what counts as the verdict where the judge gave none: yes, no or missing.
    """
    values: dict[str | None, float] = {"yes": 1.0, "no": 0.0}
    if unparsed != "missing":
        values[None] = float(unparsed == "yes")
    coded = table.with_columns(pl.col("verdict").replace_strict(values, default=None, return_dtype=pl.Float64))
    found = []
    for system in systems:
        rows = []
        for criterion in gold.task.criteria:
            own = coded.filter(pl.col("system") == system, pl.col("criterion") == criterion).select("id", "verdict")
            joined = gold.frame.select("id").join(own, on="id", how="left", maintain_order="left")
            rows.append(joined["verdict"].fill_null(np.nan).to_numpy())
        found.append(np.stack(rows))
    return found
