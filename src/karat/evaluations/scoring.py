"""What the module `scoring` of every evaluation holds, and what it gives back."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
import polars as pl

from karat.formats.source import Source
from karat.report import Input
from karat.schemas.outcomes import as_text

Inputs = Mapping[str, Sequence[Source]]
"""Argument of the evaluation's function -> what it was called on."""
Options = Mapping[str, Any]
"""The function's other arguments, checked, as its report says them."""
Step = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""
Row = Mapping[str, Any]
"""A row of outcomes, or of the changes from one run to another: item, judge and keys."""
Texts = dict[str, str]
"""What the inputs say of an item: name -> text."""

FIRST_ITEMS = 10
"""How many judgments' outcomes a report keeps."""

_SAMPLED = 100_000
"""How many judgments, at most, examples are chosen from."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What an evaluation finds. inputs: all that were read. tables: name -> table, as the report shows them.

    outcomes: a row per item, judge and part; first: the first of them; rows: how many there are. examples: from how
    many of each outcome, and a seed, to examples. counts, warnings, notes: as of a report. found: settings that the
    data decided, for the signature.
    """

    inputs: Sequence[Input]
    tables: Mapping[str, pl.DataFrame]
    outcomes: pl.LazyFrame
    first: pl.LazyFrame
    rows: int
    examples: Callable[[int, int], pl.DataFrame]
    counts: Mapping[str, int]
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    found: Mapping[str, Any] = field(default_factory=dict)


class Scoring(Protocol):
    """The module `karat.evaluations.NAME.scoring`.

    TAKEN: names that no `by` column can bear, beside those that none of any evaluation can. ITEM: the column that names
    items, if it always names each of them once.
    """

    TAKEN: Collection[str]
    ITEM: str | None

    def check(self, inputs: Mapping[str, Any], options: Options) -> None:
        """Raises OptionError for options that do not go together, or not with these inputs; nothing is read yet."""

    def read(self, inputs: Inputs, options: Options) -> Any:  # noqa: ANN401 - what it makes of its inputs
        """What the inputs say of items. Raises DataError with all that is wrong."""

    def score(self, read: Any, inputs: Inputs, options: Options, step: Step) -> Scored:  # noqa: ANN401
        """What was read, scored, with whatever else options name read too."""

    def texts(self, read: Any, rows: Sequence[Row]) -> list[Texts]:  # noqa: ANN401
        """What was read of some rows, for people to read."""


def scoring(name: str) -> Scoring:
    """The module of an evaluation."""
    return cast("Scoring", import_module(f"karat.evaluations.{name}.scoring"))


def input_of(source: Source, rows: int) -> Input:
    """An input as a report names it."""
    return Input(source.name, source.sha256(), rows)


def texts_by_item(frame: pl.LazyFrame, key: str, names: Sequence[str], rows: Sequence[Row]) -> dict[str, Texts]:
    """The texts of items in some columns of a frame, by the column that names the item; the first of the same name."""
    items = list({row["item"]: None for row in rows})
    chosen = frame.filter(pl.col(key).is_in(items)).select(key, *names).collect()
    found: dict[str, Texts] = {}
    for row in chosen.to_dicts():
        found.setdefault(row.pop(key), row)
    return found


def sampled(frame: pl.LazyFrame, height: int, seed: int, most: int = _SAMPLED) -> pl.LazyFrame:
    """At most so many of the frame's rows, drawn at random, in random order."""
    drawn = np.random.default_rng(seed).choice(height, size=min(height, most), replace=False)
    return frame.select(pl.all().gather(drawn))


def examples_of(
    sample: pl.LazyFrame,
    kinds: Sequence[str],
    texts: Callable[[Sequence[Row]], list[Texts]],
    unsaid: Collection[str] = (),
) -> Callable[[int, int], pl.DataFrame]:
    """From how many of each kind, and a seed, to those of the sampled outcomes, with the texts of each.

    unsaid: columns that tell a reader nothing.
    """

    def examples(count: int, seed: int) -> pl.DataFrame:
        rows = as_text(sample).filter(pl.col("outcome").is_in(kinds)).collect()
        rows = rows.sample(fraction=1, shuffle=True, seed=seed)
        order = pl.col("outcome").replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64)
        chosen = rows.filter(pl.int_range(pl.len()).over("outcome") < count).sort(order, maintain_order=True)
        said = texts(chosen.to_dicts()) if chosen.height else []
        names = sorted({name for row in said for name in row}.difference(chosen.columns))
        added = [pl.Series(name, [row.get(name) for row in said], pl.String) for name in names]
        return chosen.drop("value", "cluster", *sorted(unsaid)).with_columns(added)

    return examples
