"""From data sets of pairs to the tables of the report."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import polars as pl

from adjudge.errors import OptionError, flag_name, merge_errors
from adjudge.evaluations import scoring
from adjudge.evaluations.annotations import tables
from adjudge.evaluations.annotations.data_sets import (
    MODEL,
    STYLE,
    DataSet,
    ShardedPairs,
    check_votes,
    count_shards,
    data_set,
    open_shards,
    with_distinct_names,
)
from adjudge.evaluations.annotations.declaration import EVALUATION
from adjudge.evaluations.annotations.metrics import LONGER, SWAPPED
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import outcomes, swap_outcomes
from adjudge.evaluations.annotations.tables import PairGroup, side_by_side
from adjudge.evaluations.annotations.vote_counts import MOST_COMPARED
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, examples_of, input_of, lazy_rows, texts_of
from adjudge.metrics.data_checks import EMPTY
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.metrics.tables import (
    DIFFERENCE,
    REPLIES_TABLE,
    TESTED,
    DifferenceRow,
    Keys,
    difference_rows,
    left_out_table,
)
from adjudge.readers.pairs import pairs as reader
from adjudge.readers.problems import count_words
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.columns import constant_columns
from adjudge.schemas.pairs import TRAIT, AnnotatedPairs, Annotator

_TOGETHER = 20
"""Frames of outcomes that are made at once."""
ITEM = "pair"
TAKEN = frozenset({LONGER, SWAPPED})


def check(options: AnnotationsOptions) -> None:
    """Raises OptionError for options about counting file by file where each file is a data set of its own."""
    given = options.given_names(("runner", "resume"))
    if given and options.one_data_set is None:
        expected = f"concerns files that are parts of one data set, which {flag_name('one_data_set')} names"
        raise OptionError(f"{expected}; name it, or leave out {flag_name(given[0])}", option=given[0])


def reader_options(options: AnnotationsOptions) -> reader.PairReading:
    """How pairs are read."""
    return reader.PairReading.of(options, constant=constant_columns(options))


def read(inputs: Inputs, options: AnnotationsOptions, workers: Workers = LOCAL_WORKERS) -> list[AnnotatedPairs]:
    """The data sets, each with a name of its own. Codes of columnar files that will be scored are checked then."""
    reading = reader_options(options)
    if options.one_data_set is not None:
        return [open_shards(options.one_data_set, inputs["data"], reading, options, workers)]
    if damaged := [one.damage for one in inputs["data"] if one.damage]:
        raise merge_errors(damaged)
    reading = replace(reading, unread=workers is not LOCAL_WORKERS)
    return with_distinct_names([reader.read_pairs(source, reading) for source in inputs["data"]])


def texts(read: Sequence[AnnotatedPairs], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The prompt and both texts of pairs."""
    names = ("prompt", "text_a", "text_b")
    return texts_of(pl.concat([pairs.frame.select("pair", *names) for pairs in read]), "pair", names, rows)


def score(
    read: Sequence[AnnotatedPairs],
    inputs: Inputs,
    options: AnnotationsOptions,
    step: Step,
    workers: Workers = LOCAL_WORKERS,
) -> scoring.EvaluationResult:
    """Annotators of each data set against its reference."""
    if isinstance(read[0], ShardedPairs):
        dataset = count_shards(read[0], reader_options(options), options, workers)
        sets: list[DataSet] = [dataset]
        files = dataset.inputs
    else:
        with step("reading"):
            sets = [data_set(pairs, options) for pairs in read]
            for source, single in zip(inputs["data"], sets, strict=True):
                check_votes(source, single)
            files = [input_of(source, one.pair_count) for source, one in zip(inputs["data"], sets, strict=True)]
    with step("counting"):
        report_tables = tables_of(sets, options)
    votes = outcomes_of(sets)
    parts = [votes[start : start + _TOGETHER] for start in range(0, len(votes), _TOGETHER)]
    outcome = lazy_rows(lambda: map(pl.concat, parts), votes[0].collect_schema())
    sample = sample_of(sets, options.seed)

    def texts_of_sample(rows: Sequence[scoring.Row]) -> list[Texts]:
        ids = [row["item"] for row in rows]
        return texts([replace(one.pairs, frame=one.pairs_with_ids(ids)) for one in sets], rows)

    return scoring.EvaluationResult(
        inputs=files,
        tables=report_tables,
        outcomes=outcome,
        first=outcome.head(FIRST_ITEMS).collect().lazy(),
        rows=sum(one.outcome_rows for one in sets),
        examples=examples_of(sample, EVALUATION, texts_of_sample),
        counts=counts_of(sets),
        warnings=list(dict.fromkeys(warning for pairs in read for warning in pairs.warnings)),
        notes=notes_of(sets),
    )


def tables_of(sets: Sequence[DataSet], options: AnnotationsOptions) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    groups = [group for one in sets for part in one.group_parts for group in part]
    keys = ["dataset", *options.by]
    few = all(one.compares_all_pairs for one in sets)

    def rows_of(make: Callable[[PairGroup], list[Keys]]) -> list[Keys]:
        return [row for group in groups for row in make(group)]

    differences = list(_difference_rows(sets, few=few))
    of_difference = ["compared", *keys, "annotator", "first", "second", "reference"]
    of_votes = [*keys, "annotator", "reference", "vote", "reference_vote", "count"]
    tables_made = {
        "overview": (rows_of(tables.overview_rows), [*keys, "reference", *ESTIMATE_COLUMNS]),
        "agreement": (rows_of(tables.agreement_rows), [*keys, "annotator", "name", "reference", *TESTED]),
        "bias": (rows_of(tables.bias_rows), [*keys, "annotator", "name", "reference", *ESTIMATE_COLUMNS]),
        "votes": (rows_of(tables.votes_rows), of_votes),
        "differences": (difference_rows(differences, apart="compared"), [*of_difference, *DIFFERENCE]),
    }
    if few:
        rows = [
            row for one in sets for part in one.group_parts for row in tables.matrix_rows(part[0], one.all_annotators)
        ]
        tables_made["matrix"] = (rows, [*keys, "annotator", "reference", *ESTIMATE_COLUMNS])
    if replies := rows_of(tables.reply_rows):
        tables_made[REPLIES_TABLE] = (replies, [*keys, "annotator", "name", "reference", *ESTIMATE_COLUMNS])
    made = {name: typed_table(rows, columns) for name, (rows, columns) in tables_made.items()}
    return side_by_side(groups) | made | left_out_table(differences, of_difference)


def _difference_rows(sets: Sequence[DataSet], *, few: bool) -> Iterator[DifferenceRow]:
    """Pairs of annotators in each group; of references in it; and of groups of each data set."""
    nothing = dict.fromkeys(sets[0].options.by)
    for dataset in sets:
        if few:
            yield from (row for part in dataset.group_parts for group in part for row in tables.difference_rows(group))
        if len(dataset.annotators_by_reference) <= MOST_COMPARED and dataset.options.matrix:
            for first, second in chain.from_iterable(combinations(part, 2) for part in dataset.group_parts):
                yield from tables.group_difference_rows(first, second, "references", first.keys)
        for of_reference in zip(*dataset.group_parts, strict=True):
            for first, second in combinations(of_reference, 2):
                keys = {"dataset": dataset.pairs.name, **nothing}
                yield from tables.group_difference_rows(first, second, "groups", keys)


def counts_of(sets: Sequence[DataSet]) -> dict[str, int]:
    """Counts for the head of the report."""
    counts = {"pairs": sum(one.pair_count for one in sets)}
    kinds = Counter({each.id: _annotator_kind(each) for one in sets for each in one.annotators}.values())
    counts |= {kind: kinds[kind] for kind in ("annotators", "traits", "style rules", "models") if kinds[kind]}
    if len(sets) > 1:
        counts["data sets"] = len(sets)
    if any(len(one.annotators_by_reference) > 1 for one in sets):
        counts["references"] = len({reference.id for one in sets for reference in one.annotators_by_reference})
    empty = sum(part[0].vote_counts.empty_count for one in sets for part in one.group_parts)
    if 0 < empty < counts["pairs"]:
        counts[EMPTY] = empty
    if any(one.cluster_column for one in sets):
        counts["clusters"] = sum(one.whole_groups[0].unit_count for one in sets)
    return counts


def _annotator_kind(annotator: Annotator) -> str:
    """What an annotator is counted as."""
    kinds = {STYLE: "style rules", MODEL: "models"}
    usual = "traits" if annotator.type == TRAIT else "annotators"
    return next((kind for prefix, kind in kinds.items() if annotator.id.startswith(prefix)), usual)


def notes_of(sets: Sequence[DataSet]) -> tuple[str, ...]:
    """How metrics were made, for the foot of the report."""
    return tuple(
        f"{dataset.pairs.name}: intervals are clustered by {dataset.cluster_column}: {units}."
        for dataset in sets
        if dataset.cluster_column and (units := count_words(dataset.whole_groups[0].unit_count, "cluster", "clusters"))
    )


def outcomes_of(sets: Sequence[DataSet]) -> list[pl.LazyFrame]:
    """The outcomes of all data sets, with the data set's name and the `by` columns; behind votes those of swaps."""
    votes = [frame for one in sets for frame in _vote_outcomes(one, one.frame)]
    for one in sets:
        if one.swap_count:
            names = one.pairs.frame.select("pair").collect()["pair"].cast(pl.String)
            swaps = pl.DataFrame({places.name: names.gather(places) for places in pl.DataFrame(one.swap_places)})
            frame, keys = _with_cluster(one, one.frame), ["dataset", *one.options.by]
            votes += swap_outcomes(frame, swaps, one.annotators_by_reference, one.options.labels, keys)
    return votes


def _vote_outcomes(dataset: DataSet, frame: pl.LazyFrame) -> list[pl.LazyFrame]:
    return outcomes(_with_cluster(dataset, frame), dataset.annotators_by_reference, ["dataset", *dataset.options.by])


def _with_cluster(dataset: DataSet, frame: pl.LazyFrame) -> pl.LazyFrame:
    cluster = pl.col(dataset.cluster_column) if dataset.cluster_column else pl.lit(None, dtype=pl.String)
    return frame.with_columns(cluster.alias("cluster"), dataset=pl.lit(dataset.pairs.name))


def sample_of(sets: Sequence[DataSet], seed: int) -> pl.LazyFrame:
    """The outcomes of some pairs drawn at random, in random order, for examples."""
    draw = np.random.default_rng(seed)
    queries = (frame for one in sets for frame in _vote_outcomes(one, one.sample_pairs(draw).lazy()))
    return pl.concat(query.collect(engine="in-memory") for query in queries).lazy()
