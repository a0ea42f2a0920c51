"""Data sets with the annotators that the options pick, split into groups by the `by` columns."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl

from adjudge.evaluations.annotations.annotators import find_annotators
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import LONGER_VOTE
from adjudge.evaluations.annotations.tables import PairGroup
from adjudge.evaluations.annotations.vote_counts import InMemoryVoteCounts, SwappedPairs, VoteCounts
from adjudge.metrics.cells import Integers
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.io.source import Source
from adjudge.readers.pairs.columnar import check_codes, prompts_repeat
from adjudge.schemas.columns import check_column_exists, cluster_name, requested_column, requested_columns
from adjudge.schemas.pairs import LENGTHS, AnnotatedPairs, Annotator, PeersByAnnotator

T = TypeVar("T")

MOST_COMPARED = 40
"""With more annotators than this, `matrix` and `differences` leave out comparisons of single annotators."""

SAMPLED = 500
"""Pairs that examples are chosen from."""

_MOST_SWAPS = 1_000_000
"""The most pairs that are searched for pairs in both orders."""


@dataclass(frozen=True)
class DataSet:
    """A data set with its chosen annotators.

    frame: the pairs with a column of votes for each of them. options: those of `adjudge.annotations`.
    """

    pairs: AnnotatedPairs
    annotators_by_reference: PeersByAnnotator
    frame: pl.LazyFrame
    options: AnnotationsOptions

    def cache(self, name: str, make: Callable[[], T]) -> T:
        """The result of `make`, cached for all options but the confidence level."""
        depends = {option: value for option, value in self.options.recorded().items() if option != "ci_level"}
        return self.pairs.cache(name, depends, make)

    @property
    def annotators(self) -> tuple[Annotator, ...]:
        """The annotators that are compared with a reference."""
        return tuple(dict.fromkeys(one for annotators in self.annotators_by_reference.values() for one in annotators))

    @property
    def all_annotators(self) -> tuple[Annotator, ...]:
        """The references and the annotators."""
        return tuple(dict.fromkeys([*self.annotators_by_reference, *self.annotators]))

    @property
    def vote_columns(self) -> list[str]:
        """The columns of votes."""
        return [one.column for one in self.all_annotators]

    @cached_property
    def cluster_column(self) -> str | None:
        """The column that pairs are clustered by: as asked, else the prompt where prompts repeat."""
        if self.options.cluster is not None:
            return requested_column(self.options.cluster)
        repeat = self.pairs.prompts_repeat
        return "prompt" if (prompts_repeat(self.pairs.frame) if repeat is None else repeat) else None

    @property
    def unit_name(self) -> pl.Expr:
        """The name of each pair's cluster, where there are clusters."""
        return cluster_name(pl.col(self.cluster_column or "pair"), pl.col("pair"))

    @cached_property
    def votes(self) -> pl.DataFrame:
        """The columns that metrics are made of: votes, lengths, groups, and `cluster` where there is one."""
        return self.cache("votes", self._collect_votes)

    def _collect_votes(self) -> pl.DataFrame:
        wanted = dict.fromkeys([*self.vote_columns, *LENGTHS, LONGER_VOTE, *self.options.by])
        cluster = [] if self.cluster_column is None else [self.unit_name.rank("dense").cast(pl.UInt32).alias("cluster")]
        votes = self.frame.select(*wanted, *cluster)
        return votes.collect(engine="auto" if cluster else "streaming")

    @property
    def pair_count(self) -> int:
        """The number of pairs."""
        return self.votes.height

    def sample_pairs(self, draw: np.random.Generator) -> pl.DataFrame:
        """Some pairs drawn at random, as examples are made of them."""
        return self.pairs_at(draw.choice(self.pair_count, size=min(self.pair_count, SAMPLED), replace=False))

    def pairs_at(self, places: Integers) -> pl.DataFrame:
        """The pairs at some places, in their order: id, cluster, groups and votes."""
        order = pl.DataFrame({"place": places, "order": range(len(places))}, schema_overrides={"place": pl.UInt32})
        cluster = {self.cluster_column} - {None, "pair", *self._example_columns}
        names = self.frame.select("pair", *cluster).with_row_index("place")
        some = names.join(order.lazy(), on="place").sort("order").collect(engine="streaming")
        return self.with_votes(some.drop("order"))

    def pairs_with_ids(self, ids: Collection[str]) -> pl.LazyFrame:  # noqa: ARG002
        """The pairs, or a part of them that includes those with some ids."""
        return self.pairs.frame

    def with_votes(self, some: pl.DataFrame) -> pl.DataFrame:
        """Pairs at their `place`, and with groups and votes in its stead."""
        return some.drop("place").hstack(self.votes.select(self._example_columns)[some["place"]])

    @property
    def _example_columns(self) -> list[str]:
        """The columns of `votes` that examples show."""
        return list(dict.fromkeys([LONGER_VOTE, *self.options.by, *self.vote_columns]))

    @property
    def compares_all_pairs(self) -> bool:
        """Whether every two annotators are compared."""
        wanted = self.options.matrix and self.options.labels == "valid"
        return wanted and len(self.annotators) <= MOST_COMPARED

    @cached_property
    def whole_groups(self) -> list[PairGroup]:
        """All pairs as one group, once per reference."""
        return self._make_groups({}, self.cache("whole", lambda: _count_votes(self.votes)))

    @cached_property
    def group_parts(self) -> list[list[PairGroup]]:
        """The pairs by the values of the `by` columns, in their order, each once per reference."""
        by = self.options.by
        if not by:
            return [self.whole_groups]
        tallies = self.cache(
            "parts", lambda: [(keys, _count_votes(votes)) for keys, votes in rows_by_group(self.votes, by)]
        )
        return [self._make_groups(keys, tally) for keys, tally in tallies]

    @property
    def groups(self) -> list[PairGroup]:
        """All groups, each with one reference."""
        return [group for part in self.group_parts for group in part]

    def _make_groups(self, keys: Keys, tally: InMemoryVoteCounts) -> list[PairGroup]:
        swaps = self.swap_places if isinstance(self.swap_places, str) else SwappedPairs(tally, self.swap_places)
        return self.groups_of(keys, tally, swaps)

    def groups_of(self, keys: Keys, tally: VoteCounts, swaps: SwappedPairs | str) -> list[PairGroup]:
        """A group of pairs per reference. keys: their values of the `by` columns."""
        group_keys = {"dataset": self.pairs.name, **keys}
        return [
            PairGroup(group_keys, tally, annotators, reference, swaps, self.options)
            for reference, annotators in self.annotators_by_reference.items()
        ]

    @cached_property
    def swap_places(self) -> pl.DataFrame | str:
        """The places of pairs in both orders (same prompt, exchanged texts), or the reason why there are none."""
        if self.options.by:
            return "looked for in whole data sets only"
        if self.pair_count > _MOST_SWAPS:
            return f"not looked for in more than {_MOST_SWAPS:,} pairs"
        places = self.pairs.swapped_pairs
        return places if places.height else "no pair stands in both orders"

    @property
    def outcome_rows(self) -> int:
        """The number of outcomes.

        Of each annotator a vote per pair beside each reference; of each pair in both orders whether the annotator's
        verdict is the same, and, but for the reference itself, whether it is right.
        """
        twos = [
            (one, reference) for reference, annotators in self.annotators_by_reference.items() for one in annotators
        ]
        judged = sum(one != reference for one, reference in twos)
        return self.pair_count * len(twos) + self.swap_count * (len(self.annotators) + judged)

    @property
    def swap_count(self) -> int:
        """The number of pairs that occur in both orders."""
        return 0 if isinstance(self.swap_places, str) else self.swap_places.height


def _count_votes(votes: pl.DataFrame) -> InMemoryVoteCounts:
    """The counts of votes of some pairs."""
    clusters = votes["cluster"].rank("dense").cast(pl.Int64).to_numpy() - 1 if "cluster" in votes.columns else None
    return InMemoryVoteCounts(votes, clusters)


def with_distinct_names(sets: Sequence[AnnotatedPairs]) -> list[AnnotatedPairs]:
    """The data sets, with a number after names that occur more than once."""
    names = [one.name for one in sets]
    return [
        replace(one, name=f"{one.name} ({names[: place + 1].count(one.name)})") if names.count(one.name) > 1 else one
        for place, one in enumerate(sets)
    ]


def check_votes(source: Source, dataset: DataSet) -> None:
    """Raises DataError for nulls and unknown codes of votes; reads again only votes that are not counted."""
    counted = set(dataset.votes.columns)
    columns = [each.column for each in dataset.pairs.annotators]
    check_codes(source, dataset.votes.lazy(), [name for name in columns if name in counted])
    if rest := [name for name in columns if name not in counted]:
        check_codes(source, dataset.pairs.frame, rest)


def data_set(pairs: AnnotatedPairs, options: AnnotationsOptions) -> DataSet:
    """A data set with the annotators that the options pick."""
    columns = ("pair", "prompt", "model_a", "model_b", *pairs.metadata)
    check_column_exists(pairs.name, requested_columns(options.by, requested_column(options.cluster)), columns)
    against, style = options.against, options.style
    beside, frame = find_annotators(pairs, options.annotator, options.reference, style=style, against=against)
    return DataSet(pairs, beside, frame, options)
