"""From data sets of pairs to the tables of the report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl

from karat.evaluations.annotations import EVALUATION, tables
from karat.evaluations.annotations.annotators import find
from karat.evaluations.annotations.outcomes import LONGER_VOTE, TAKEN, outcomes, swap_outcomes
from karat.evaluations.annotations.tables import Group
from karat.evaluations.scoring import (
    FIRST_ITEMS,
    Inputs,
    Options,
    Row,
    Scored,
    Step,
    Texts,
    examples_of,
    input_of,
    texts_of,
)
from karat.figures.replies import TABLE
from karat.figures.tables import DIFFERENCE, TESTED, Compared, Keys, difference_rows, groups, left_out_table
from karat.formats import pairs as reader
from karat.formats.columnar import prompts_repeat
from karat.report import FIGURE, typed_table
from karat.schemas.columns import asked_of, check_there, column_of, constants_of, named_cluster
from karat.schemas.pairs import LENGTHS, VOTES, Annotator, Pairs

MOST_COMPARED = 40
"""With more annotators than this, `matrix` and `differences` leave out comparisons of single annotators."""

_SAMPLED = 500
_VOTERS = 8
_MOST_SWAPS = 1_000_000
"""Pairs up to which texts are searched for pairs that stand in both orders."""

ITEM = "pair"
__all__ = ["ITEM", "TAKEN", "check", "read", "score", "texts"]


def check(inputs: Mapping[str, Any], options: Options) -> None:
    """No options contradict each other."""


def reading(options: Options) -> reader.Options:
    """How pairs are read."""
    columns = {name: name for name in constants_of(options)} | options["columns"]
    names = (columns, options["annotator_columns"], options["vote_values"])
    return reader.Options(*names, drop=options["on_invalid"] == "drop", exact_labels=options["exact_labels"])


def read(inputs: Inputs, options: Options) -> list[Pairs]:
    """The data sets, each with a name of its own."""
    how = reading(options)
    return distinctly_named([reader.read_pairs(source, how) for source in inputs["data"]])


def shown(read: Sequence[Pairs], count: int) -> pl.DataFrame:
    """The first pairs, each with its votes."""
    first = read[0].frame.head(count).collect()
    votes = [
        pl.Series(one.name or one.id, [VOTES[code] for code in first[one.column]], pl.String)
        for one in read[0].annotators[:_VOTERS]
    ]
    return first.select("pair", "prompt", "text_a", "text_b").with_columns(votes)


def texts(read: Sequence[Pairs], rows: Sequence[Row]) -> list[Texts]:
    """The prompt and both texts of pairs."""
    names = ("prompt", "text_a", "text_b")
    return texts_of(pl.concat([pairs.frame.select("pair", *names) for pairs in read]), "pair", names, rows)


def score(read: Sequence[Pairs], inputs: Inputs, options: Options, step: Step) -> Scored:
    """Annotators of each data set against its reference."""
    with step("reading"):
        sets = [data_set(pairs, options) for pairs in read]
        heights = [one.votes.height for one in sets]
    with step("counting"):
        tables = tables_of(sets, options)
    outcome = outcomes_of(sets)
    sample = sample_of(sets, options["seed"])
    return Scored(
        inputs=[input_of(source, height) for source, height in zip(inputs["data"], heights, strict=True)],
        tables=tables,
        outcomes=outcome,
        first=outcome.head(FIRST_ITEMS),
        rows=sum(one.outcome_rows for one in sets),
        examples=examples_of(sample, list(EVALUATION.outcomes), partial(texts, read), TAKEN),
        counts=counts_of(sets),
        warnings=list(dict.fromkeys(warning for pairs in read for warning in pairs.warnings)),
        notes=notes_of(sets),
    )


@dataclass(frozen=True)
class DataSet:
    """A data set with its chosen annotators.

    frame: the pairs with a column of votes for each of them. options: those of `karat.annotations`.
    """

    pairs: Pairs
    annotators: tuple[Annotator, ...]
    reference: Annotator
    frame: pl.LazyFrame
    options: Options

    @cached_property
    def cluster(self) -> str | None:
        """The column that pairs are clustered by: as asked, else the prompt where prompts repeat."""
        if self.options["cluster"] is not None:
            return column_of(self.options["cluster"])
        repeat = self.pairs.prompts_repeat
        return "prompt" if (prompts_repeat(self.pairs.frame) if repeat is None else repeat) else None

    @cached_property
    def votes(self) -> pl.DataFrame:
        """The columns that figures are made of: votes, lengths, groups, and `cluster` where there is one."""
        wanted = [*_columns(self), *LENGTHS, LONGER_VOTE, *self.options["by"]]
        cluster = []
        if self.cluster is not None:
            named = named_cluster(pl.col(self.cluster), pl.col("pair"))
            cluster = [named.rank("dense").cast(pl.UInt32).alias("cluster")]
        found = self.frame.select(*dict.fromkeys(wanted), *cluster)
        return found.collect(engine="auto" if cluster else "streaming")

    @cached_property
    def whole(self) -> Group:
        """All pairs as one group."""
        return self._group({}, self.votes)

    @cached_property
    def groups(self) -> list[Group]:
        """The pairs by the values of the `by` columns, in their order; all as one where there are none."""
        by = self.options["by"]
        return [self._group(keys, votes) for keys, votes in groups(self.votes, by)] if by else [self.whole]

    def _group(self, keys: Keys, votes: pl.DataFrame) -> Group:
        clusters = votes["cluster"].rank("dense").cast(pl.Int64).to_numpy() - 1 if "cluster" in votes.columns else None
        named = {"dataset": self.pairs.name, **keys}
        return Group(named, votes, self.annotators, self.reference, clusters, self.swaps, self.options)

    @cached_property
    def swaps(self) -> pl.DataFrame | str:
        """The places of pairs that stand in both orders (the same prompt, the same texts exchanged), or why none."""
        if self.options["by"]:
            return "looked for in whole data sets only"
        if self.votes.height > _MOST_SWAPS:
            return f"not looked for in more than {_MOST_SWAPS:,} pairs"
        names = ["prompt", "text_a", "text_b"]
        texts = self.pairs.frame.select(pl.col("prompt").fill_null(""), "text_a", "text_b").with_row_index("place")
        # A pair that repeats is matched with one in the other order at a time, so that each counts once.
        texts = texts.with_columns(time=pl.col("place").cum_count().over(names))
        other = texts.rename({"text_a": "text_b", "text_b": "text_a"})
        both = texts.join(other, on=[*names, "time"]).filter(pl.col("place") < pl.col("place_right"))
        same = pl.col("text_a") != pl.col("text_b")
        found = both.filter(same).select(first="place", second="place_right").sort("first", "second").collect()
        return found if found.height else "no pair stands in both orders"

    @property
    def outcome_rows(self) -> int:
        """How many outcomes there are.

        Of each annotator a vote per pair, and of each pair in both orders whether the verdict is the same, and, but for
        the reference itself, whether it is right.
        """
        beside = sum(annotator != self.reference for annotator in self.annotators)
        return (self.votes.height + self.swapped) * len(self.annotators) + self.swapped * beside

    @property
    def swapped(self) -> int:
        """How many pairs stand in both orders."""
        return 0 if isinstance(self.swaps, str) else self.swaps.height


def _columns(one: DataSet) -> list[str]:
    """The columns of votes."""
    return [annotator.column for annotator in (*one.annotators, one.reference)]


def distinctly_named(sets: Sequence[Pairs]) -> list[Pairs]:
    """The data sets, with a number after names that occur more than once."""
    names = [one.name for one in sets]
    return [
        replace(one, name=f"{one.name} ({names[: place + 1].count(one.name)})") if names.count(one.name) > 1 else one
        for place, one in enumerate(sets)
    ]


def data_set(pairs: Pairs, options: Options) -> DataSet:
    """A data set with the annotators that the options pick."""
    known = ("pair", "prompt", "model_a", "model_b", *pairs.metadata)
    check_there(pairs.name, asked_of(options["by"], column_of(options["cluster"])), known)
    against, style = options["against"], options["style"]
    annotators, reference, frame = find(pairs, options["annotator"], options["reference"], style=style, against=against)
    return DataSet(pairs, tuple(annotators), reference, frame, options)


def tables_of(sets: Sequence[DataSet], options: Options) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    groups = [group for one in sets for group in one.groups]
    keys = ["dataset", *options["by"]]
    few = options["matrix"] and options["labels"] == "valid"
    few &= all(len(one.annotators) <= MOST_COMPARED for one in sets)
    differences = list(_differences(sets, few=few))
    of_difference = ["compared", *keys, "annotator", "first", "second", "reference"]
    # Annotators, groups and data sets are separate questions, so their p-values are adjusted separately.
    family = itemgetter("compared")
    found = {
        "overview": (_rows(tables.overview_rows, groups), [*keys, *FIGURE]),
        "agreement": (_rows(tables.agreement_rows, groups), [*keys, "annotator", "name", "reference", *TESTED]),
        "bias": (_rows(tables.bias_rows, groups), [*keys, "annotator", "name", *FIGURE]),
        "votes": (
            _rows(tables.votes_rows, groups),
            [*keys, "annotator", "reference", "vote", "reference_vote", "count"],
        ),
        "differences": (difference_rows(differences, family), [*of_difference, *DIFFERENCE]),
    }
    if few:
        found["matrix"] = (_rows(tables.matrix_rows, groups), [*keys, "annotator", "reference", *FIGURE])
    if replies := _rows(tables.reply_rows, groups):
        found[TABLE] = (replies, [*keys, "annotator", "name", "reference", *FIGURE])
    made = {name: typed_table(rows, columns) for name, (rows, columns) in found.items()}
    return made | left_out_table(differences, of_difference)


def _rows(make: Callable[[Group], list[Keys]], groups: Sequence[Group]) -> list[Keys]:
    return [row for group in groups for row in make(group)]


def _differences(sets: Sequence[DataSet], *, few: bool) -> Iterator[Compared]:
    """Pairs of annotators in each group, pairs of groups of each data set, and pairs of data sets."""
    nothing = dict.fromkeys(sets[0].options["by"])
    for one in sets:
        if few:
            yield from (row for group in one.groups for row in tables.difference_rows(group))
        for first, second in combinations(one.groups, 2):
            yield from tables.group_difference_rows(first, second, "groups", {"dataset": one.pairs.name, **nothing})
    for ours, theirs in combinations(sets, 2):
        keys = {"dataset": None, **nothing}
        yield from tables.group_difference_rows(ours.whole, theirs.whole, "datasets", keys, _shared(ours, theirs))


def _shared(first: DataSet, second: DataSet) -> tables.Shared:
    """What two data sets have in common: pairs with the same id and texts, or clusters of the same name."""
    names = ["pair", "text_a", "text_b"]
    ours, theirs = (one.pairs.frame.select(names).with_row_index("place") for one in (first, second))
    same = ours.join(theirs, on=names).select(pl.col("place", "place_right").cast(pl.Int64)).collect()
    column = first.cluster or second.cluster
    if column is None:
        return tables.Shared(same["place"].to_numpy(), same["place_right"].to_numpy(), same.height)
    both = _named_units(first, column).join(_named_units(second, column), on="name")
    return tables.Shared(both["unit"].to_numpy(), both["unit_right"].to_numpy(), same.height)


def _named_units(one: DataSet, column: str) -> pl.DataFrame:
    """The name and index of each cluster, or of each pair where none share one; a pair without a name has its own."""
    name = named_cluster(pl.col(column), pl.col("pair")).alias("name")
    names = one.pairs.frame.select(name).collect().to_series()
    units = one.whole.clusters
    return pl.DataFrame({"name": names, "unit": range(len(names)) if units is None else units}).unique()


def counts_of(sets: Sequence[DataSet]) -> dict[str, int]:
    """Counts for the head of the report."""
    found = {
        "pairs": sum(one.votes.height for one in sets),
        "annotators": len({annotator.id for one in sets for annotator in one.annotators}),
    }
    if len(sets) > 1:
        found["data sets"] = len(sets)
    if any(one.cluster for one in sets):
        found["clusters"] = sum(one.whole.units for one in sets)
    return found


def notes_of(sets: Sequence[DataSet]) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    clustered = [
        f"{one.pairs.name}: intervals are clustered by {one.cluster}: {one.whole.units:,} clusters."
        for one in sets
        if one.cluster
    ]
    return (*clustered, *map(_trusted, sets))


def _trusted(one: DataSet) -> str:
    """Who is trusted, and what a strength then means."""
    name = one.reference.name or one.reference.id
    if one.reference.type == "model":
        meaning = f"{name} exhibits a trait of strength above 0 more than the others, one below 0 less"
    elif one.reference.type == "rule":
        meaning = f"A strength above 0 says that the annotator prefers what {name} prefers, one below 0 the opposite"
    else:
        meaning = "Votes reward a trait of strength above 0, and avoid one below 0"
    return f"{one.pairs.name}: the reference is {name}. {meaning}."


def outcomes_of(sets: Sequence[DataSet]) -> pl.LazyFrame:
    """The outcomes of all data sets, with the data set's name and the `by` columns; behind votes those of swaps."""
    return pl.concat([*(_outcomes(one, one.frame) for one in sets), *(_swaps(one) for one in sets if one.swapped)])


def _outcomes(one: DataSet, frame: pl.LazyFrame) -> pl.LazyFrame:
    return outcomes(_clustered(one, frame), one.annotators, one.reference, ["dataset", *one.options["by"]])


def _clustered(one: DataSet, frame: pl.LazyFrame) -> pl.LazyFrame:
    cluster = pl.col(one.cluster) if one.cluster else pl.lit(None, dtype=pl.String)
    return frame.with_columns(cluster.alias("cluster"), dataset=pl.lit(one.pairs.name))


def _swaps(one: DataSet) -> pl.LazyFrame:
    names = one.pairs.frame.select("pair").collect()["pair"].cast(pl.String)
    swaps = pl.DataFrame({places.name: names.gather(places) for places in pl.DataFrame(one.swaps)})
    keys = ["dataset", *one.options["by"]]
    return swap_outcomes(_clustered(one, one.frame), swaps, one.annotators, one.reference, one.options["labels"], keys)


def sample_of(sets: Sequence[DataSet], seed: int) -> pl.LazyFrame:
    """The outcomes of some pairs drawn at random, in random order, for examples."""
    draw = np.random.default_rng(seed)
    found = []
    for one in sets:
        height = one.votes.height
        places = draw.choice(height, size=min(height, _SAMPLED), replace=False)
        order = pl.DataFrame({"place": places, "order": range(len(places))}, schema_overrides={"place": pl.UInt32})
        needed = ["pair", LONGER_VOTE, *one.options["by"], *([one.cluster] if one.cluster else []), *_columns(one)]
        some = one.frame.select(*dict.fromkeys(needed)).with_row_index("place").join(order.lazy(), on="place")
        found.append(_outcomes(one, some.sort("order").collect(engine="streaming").lazy()))
    return pl.concat(found)
