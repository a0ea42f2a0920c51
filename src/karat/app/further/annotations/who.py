"""Who votes in what is looked at, and what can be asked of it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import polars as pl

from karat.app.results import Result
from karat.evaluations.annotations.annotators import MODEL, STYLE
from karat.evaluations.annotations.data_sets import DataSet, data_set
from karat.names import annotator_names, display_names, distinct
from karat.report import Report
from karat.schemas.pairs import Annotator
from karat.text.style import RULES

Key = tuple[str | None, ...]

OF_TWO_LABELS = ("strength", "kappa")
"""Figures that are defined for two labels only."""

_KEPT = 4


@lru_cache(_KEPT)
def data_sets(result: Result) -> Mapping[str, DataSet]:
    """The data sets with a column of votes for each annotator, by name."""
    return {one.name: data_set(one, result.report.options) for one in result.read}


def voters(one: DataSet) -> dict[str, Annotator]:
    """Whoever has votes in a data set, by id: those that are compared, then the others of the file."""
    return {each.id: each for each in (*one.everyone, *one.pairs.annotators)}


def names_of(result: Result) -> dict[str, str]:
    """A short name for each annotator, by id, no two of them alike; of a saved report those that its tables name."""
    if result.read is None:
        found = annotator_names(result.report.tables.values())
    else:
        every = [each for one in data_sets(result).values() for each in voters(one).values()]
        found = display_names((each.id, each.name) for each in every)
    return dict(zip(found, distinct(found.values()), strict=True))


@lru_cache(_KEPT)
def known(result: Result) -> Mapping[str, Sequence[str]]:
    """Whom options may name, and which columns: everyone of the file, models, and rules of style."""
    named = display_names((each.id, each.name) for one in result.read for each in one.annotators)
    columns = dict.fromkeys(name for one in result.read for name in one.metadata)
    everyone = [*named.values(), *(MODEL + name for name in models(result)), *(STYLE + rule for rule in RULES)]
    return {"NAME": everyone, "COLUMN": [*columns]}


@lru_cache(_KEPT)
def models(result: Result) -> list[str]:
    """The models that wrote responses."""
    sides = ("model_a", "model_b")
    found = [one.frame.select(side).unique().collect()[side] for one in result.read for side in sides]
    return sorted(pl.concat(found).unique().drop_nulls())


def of_two_labels(subject: str) -> str:
    """Why there is no such figure where votes for both and for neither are labels too.

    subject: what there is not, with its verb.
    """
    return (
        f"{subject} defined for two labels only, votes for A and for B. With “all” under “Labels”, votes for both and "
        "for neither are labels too: choose “valid” there"
    )


def keys_of(report: Report) -> list[str]:
    """The columns that tell the groups of a report apart, besides the reference."""
    return ["dataset", *report.options["by"]]


def groups_of(result: Result, frame: pl.DataFrame, keys: Sequence[str]) -> dict[Key, str]:
    """The groups that a table has rows of: the values of its keys -> what to call them, by those that differ."""
    names = names_of(result)
    every = list(dict.fromkeys(frame.select(keys).iter_rows()))
    apart = [place for place in range(len(keys)) if len({key[place] for key in every}) > 1]
    titles = (", ".join(_said(keys[place], key[place], names) for place in apart) or "all pairs" for key in every)
    return dict(zip(every, distinct(titles), strict=True))


def _said(column: str, value: str | None, names: Mapping[str, str]) -> str:
    if column == "reference":
        return names.get(value or "", value or "")
    return value or "" if column == "dataset" else f"{column}: {'(missing)' if value is None else value}"
