"""Who votes in what is looked at, and what can be asked of it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import polars as pl

from karat.app.results import Result
from karat.evaluations.annotations.annotators import MODEL, STYLE
from karat.evaluations.annotations.data_sets import DataSet, data_set
from karat.names import annotator_names, display_names, distinct
from karat.schemas.pairs import Annotator
from karat.text.style import RULES

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
