"""Data sets with the annotators that the options pick, split into groups by the `by` columns.

One data set in many files: counts of each file, and a data set made of their sum.

Two passes: the first collects facts that concern all files (annotators, whether prompts repeat), the second
counts. Where pairs are clustered, the second gathers the codes of votes instead, since a cluster may have pairs
in several files.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import islice
from typing import Any, cast

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError, closest, flag_name
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.annotations.outcomes import LONGER_VOTE, comparisons
from adjudge.evaluations.annotations.tables import PairGroup, SwappedPairs
from adjudge.evaluations.annotations.vote_counts import MOST_COMPARED, ClusteredVoteCounts, VoteCounts, count_votes
from adjudge.evaluations.scoring import lazy_rows
from adjudge.metrics.cells import COUNT, Integers
from adjudge.metrics.partial_counts import PartialCounts, Settings, SmallestRows, Workers, merge_parts
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.io.source import Source
from adjudge.readers.pairs import pairs as reader
from adjudge.readers.pairs.pairs import check_codes, prompts_repeat
from adjudge.readers.problems import listed
from adjudge.report import Input
from adjudge.schemas.columns import check_column_exists, cluster_name, requested_column, requested_columns
from adjudge.schemas.outcomes import first_match
from adjudge.schemas.pairs import CODE, LENGTHS, TEXTS, AnnotatedPairs, Annotator, PeersByAnnotator
from adjudge.text.style import RULES, StyleRule, prefers

STYLE = "style:"
MODEL = "model:"


def find_annotators(pairs: AnnotatedPairs, options: AnnotationsOptions) -> tuple[PeersByAnnotator, pl.LazyFrame]:
    """The references with the annotators that the options pick, and the pairs with a column of votes for each.

    Both are picked by ids, names, descriptions or patterns with * and ?. Without any, the reference is the data set's
    default annotator, and the annotators are all of the file. Raises OptionError for a name that no annotator has.
    """
    patterns, everyone = options.annotator, _candidates(pairs, options)
    trusted = _find_references(pairs, everyone, options.reference)
    wanted = [*patterns, *([STYLE + "*"] if options.style else [])]
    picked = [one for pattern in wanted for one in _find_matches(everyone, pattern, pairs, "annotator")]
    chosen = dict.fromkeys([*(() if patterns else pairs.annotators), *picked])
    beside = {each: tuple(one for one in chosen if one != each or each.id in patterns) for each in trusted}
    if alone := [each.id for each, others in beside.items() if not others]:
        problem = f"{pairs.name}: no annotator is left beside the reference {alone[0]}"
        raise OptionError(
            problem, fix=f"give the votes of others too, or {flag_name('style')} where there are responses"
        )
    votes = {one.column: made for one in (*chosen, *trusted) if (made := everyone[one]) is not None}
    return beside, pairs.frame.with_columns(**(votes | {LONGER_VOTE: _rule_votes(RULES["longer"])}))


def _candidates(pairs: AnnotatedPairs, options: AnnotationsOptions) -> dict[Annotator, pl.Expr | None]:
    """All annotators that options may name, with the votes of those without a column in the file."""
    names = [*options.annotator, *options.reference]
    everyone: dict[Annotator, pl.Expr | None] = dict.fromkeys(pairs.annotators)
    if options.style or any(name.startswith(STYLE) for name in names):
        for rule in RULES.values():
            everyone[Annotator(STYLE + rule.id, rule.name, rule.description, "rule")] = _rule_votes(rule)
    if any(name.startswith(MODEL) for name in names):
        for name in models_of(pairs.frame) if pairs.models is None else pairs.models:
            everyone[Annotator(MODEL + name, name, None, "model")] = _model_votes(name)
    return everyone


def models_of(frame: pl.LazyFrame) -> list[str]:
    """The models that wrote the responses, sorted by name."""
    models = frame.select(pl.concat_list("model_a", "model_b").explode().unique().drop_nulls()).collect()
    return sorted(models.to_series().to_list())


def _find_references(
    pairs: AnnotatedPairs, everyone: Collection[Annotator], references: Sequence[str]
) -> list[Annotator]:
    wanted = references or ([] if pairs.default is None else [pairs.default])
    if not wanted:
        models = pairs.models or models_of(pairs.frame)
        raise OptionError(
            f"{pairs.name}: no reference annotator",
            voters=[one.id for one in everyone],
            found=_ids(everyone),
            fix=f"{flag_name('reference')} NAME" + f', or "{MODEL}*" for the wins of each model' * bool(models),
        )
    trusted = dict[Annotator, None]()
    for name in wanted:
        matches = _find_matches(everyone, name, pairs, "reference")
        if len(matches) > 1 and name in (matches[0].name, matches[0].description):
            problem = f'{pairs.name}: {len(matches)} annotators have the name "{name}"'
            raise OptionError(problem, option="reference", fix=f"ID, one of {_ids(matches)}")
        trusted |= dict.fromkeys(matches)
    return list(trusted)


def _find_matches(everyone: Collection[Annotator], wanted: str, pairs: AnnotatedPairs, option: str) -> list[Annotator]:
    """The annotators with this id, else name, else description, else those one of which matches the pattern."""
    tests: list[Callable[[Annotator], bool]] = [
        lambda one: one.id == wanted,
        lambda one: one.name == wanted,
        lambda one: one.description == wanted,
        lambda one: any(fnmatchcase(text or "", wanted) for text in (one.id, one.name, one.description)),
    ]
    for test in tests:
        if matches := list(filter(test, everyone)):
            return matches
    names = [one.id for one in everyone] + [one.name for one in everyone if one.name]
    problem = f'{pairs.name}: no annotator "{wanted}"; there are {_ids(everyone)} ...'
    raise OptionError(problem, option=option, fix=closest(wanted, names))


def _ids(annotators: Iterable[Annotator]) -> str:
    """The ids of the first few."""
    return ", ".join(one.id for one in islice(annotators, 8))


def _rule_votes(rule: StyleRule) -> pl.Expr:
    """The vote of a style rule; neither where both texts score the same."""
    preference = prefers(rule)
    return _vote_codes(preference > 0, preference < 0, "neither")


def _model_votes(model: str) -> pl.Expr:
    """The response that a model wrote; not applicable where it wrote both or none."""
    wrote_a, wrote_b = (pl.col(side).eq_missing(pl.lit(model)) for side in ("model_a", "model_b"))
    return _vote_codes(wrote_a & ~wrote_b, wrote_b & ~wrote_a, "not_applicable")


def _vote_codes(text_a: pl.Expr, text_b: pl.Expr, otherwise: str) -> pl.Expr:
    return first_match({CODE["text_a"]: text_a, CODE["text_b"]: text_b}, CODE[otherwise], pl.UInt8())


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
        wanted = dict.fromkeys([*self.vote_columns, *LENGTHS, LONGER_VOTE, *self.options.by])
        cluster = [] if self.cluster_column is None else [self.unit_name.rank("dense").cast(pl.UInt32).alias("cluster")]
        return self.frame.select(*wanted, *cluster).collect(engine="auto" if cluster else "streaming")

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
    def sums(self) -> pl.DataFrame:
        """The sums of independent pairs, by the values of the `by` columns."""
        by, sums = self.options.by, []
        for keys, votes in rows_by_group(self.votes, by):
            counts = count_votes(votes, self.annotators_by_reference, self.options, matrix=self.compares_all_pairs)
            sums.append(counts.select(*(pl.lit(keys[name], pl.String).alias(name) for name in by), pl.all()))
        return pl.concat(sums)

    @cached_property
    def whole_groups(self) -> list[PairGroup]:
        """All pairs as one group, once per reference."""
        return self._groups_by(())[0]

    @cached_property
    def group_parts(self) -> list[list[PairGroup]]:
        """The pairs by the values of the `by` columns, in their order, each once per reference."""
        return self._groups_by(self.options.by) if self.options.by else [self.whole_groups]

    def _groups_by(self, by: Sequence[str]) -> list[list[PairGroup]]:
        counts: list[tuple[Keys, VoteCounts]]
        if self.cluster_column is not None:
            counts = [(keys, ClusteredVoteCounts(own)) for keys, own in rows_by_group(self.votes, by)]
        else:
            others = [name for name in self.options.by if name not in by]
            sums = self.sums.drop(others).group_by(pl.exclude(COUNT)).agg(pl.col(COUNT).sum())
            counts = [(keys, VoteCounts(own.drop(by))) for keys, own in rows_by_group(sums, by)]
        return [self._make_groups(keys, own) for keys, own in counts]

    def _make_groups(self, keys: Keys, counts: VoteCounts) -> list[PairGroup]:
        """A group of pairs per reference. keys: their values of the `by` columns."""
        group_keys, places = {"dataset": self.pairs.name, **keys}, self.swap_places
        swaps = places if isinstance(places, str) else SwappedPairs(self.votes, counts.clusters, places)
        return [
            PairGroup(group_keys, counts, annotators, reference, swaps, self.options)
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
        twos = comparisons(self.annotators_by_reference)
        judged = sum(one != reference for one, reference in twos)
        return self.pair_count * len(twos) + self.swap_count * (len(self.annotators) + judged)

    @property
    def swap_count(self) -> int:
        """The number of pairs that occur in both orders."""
        return 0 if isinstance(self.swap_places, str) else self.swap_places.height


def with_distinct_names(sets: Sequence[AnnotatedPairs]) -> list[AnnotatedPairs]:
    """The data sets, with a number after names that occur more than once."""
    names = [one.name for one in sets]
    return [
        replace(one, name=f"{one.name} ({names[: place + 1].count(one.name)})") if names.count(one.name) > 1 else one
        for place, one in enumerate(sets)
    ]


def check_votes(source: Source, dataset: DataSet) -> None:
    """Raises DataError for nulls and unknown codes of the votes that are counted."""
    check_codes(source, dataset.votes.lazy(), dataset.vote_columns)


def data_set(pairs: AnnotatedPairs, options: AnnotationsOptions) -> DataSet:
    """A data set with the annotators that the options pick."""
    columns = ("pair", "prompt", "model_a", "model_b", *pairs.metadata)
    check_column_exists(pairs.name, requested_columns(options.by, requested_column(options.cluster)), columns)
    beside, frame = find_annotators(pairs, options)
    return DataSet(pairs, beside, frame, options)


_COMPARED, _COMPARED_IN_ALL = 1 << 14, 1 << 18
"""Ids (and prompts) of a file, and of all, that are compared with one another: of more, those with the least hashes."""
_APART = "several files are not searched for pairs in both orders"
_PRIORITY, _FILE = "__priority__", "__file__"


@dataclass(frozen=True)
class ShardedPairs(AnnotatedPairs):
    """A data set in many files, with what counting them needs to know of all. frames: the pairs of each file."""

    sources: tuple[Source, ...] = ()
    frames: tuple[pl.LazyFrame, ...] = ()
    facts: Mapping[str, Any] = None  # type: ignore[assignment]


# --- facts that all files share ---


def open_shards(
    name: str, sources: Sequence[Source], reading: reader.PairReading, options: AnnotationsOptions, workers: Workers
) -> ShardedPairs:
    """The data set that files are parts of."""
    of_all = merge_parts(workers.files("looking at the files", partial(_survey_file, reading, options), sources, {}))
    facts, shared = of_all.rows, _shared_facts(of_all, name)
    kept = [source for source in sources if source.name in set(facts["files"]["name"])]
    annotators, names = tuple(Annotator(**one) for one in shared["annotators"]), facts["metadata"]["name"]
    metadata = tuple(one for one in names.unique(maintain_order=True) if names.eq(one).sum() == len(kept))
    schema: dict[str, pl.DataType] = dict.fromkeys((*TEXTS, *metadata), pl.String())
    schema |= dict.fromkeys(LENGTHS, pl.UInt32()) | dict.fromkeys((one.column for one in annotators), pl.UInt8())
    queries = (partial(_query_shard, source, reading, shared, list(schema)) for source in kept)
    frames = tuple(lazy_rows(query, schema) for query in queries)
    return ShardedPairs(
        name,
        pl.concat(frames),
        annotators,
        shared["default"],
        metadata,
        warnings=tuple(facts["warnings"]["said"]),
        prompts_repeat=shared["repeat"],
        models=tuple(shared["models"]),
        sources=tuple(kept),
        frames=frames,
        facts=shared,
    )


def _survey_file(
    reading: reader.PairReading, options: AnnotationsOptions, source: Source, _: Settings
) -> PartialCounts:
    """The facts of one file that concern all files."""
    pairs = _read_pairs(source, reading)
    first = pairs.frame.select("pair").head(1).collect()["pair"].item()
    repeat = pairs.prompts_repeat if options.cluster is None else None
    if options.cluster is None and repeat is None:
        repeat = prompts_repeat(pairs.frame)
    prompts = pairs.frame.select("prompt") if repeat is False else pl.LazyFrame({"prompt": []}, {"prompt": pl.String})
    names_models = any(name.startswith(MODEL) for name in (*options.annotator, *options.reference))
    models = models_of(pairs.frame) if names_models else []
    hashes = prompts.select(pl.all().drop_nulls().hash(0).alias("hash")).collect(engine="streaming")
    annotators = [asdict(one) | {"default": one.id == pairs.default} for one in pairs.annotators]
    return PartialCounts(
        rows={
            "files": pl.DataFrame({"name": [source.name], "repeat": [repeat], "numbered": [first in {"0", "1"}]}),
            "annotators": pl.DataFrame(annotators, _ANNOTATOR),
            "metadata": pl.DataFrame({"name": list(pairs.metadata)}, {"name": pl.String}),
            "models": pl.DataFrame({"name": models}, {"name": pl.String}),
            "warnings": pl.DataFrame({"said": list(pairs.warnings)}, {"said": pl.String}),
        },
        least={"prompts": _hashes_of_file(source, hashes["hash"])},
    )


_ANNOTATOR = dict.fromkeys(("id", "name", "description", "type"), pl.String()) | {"default": pl.Boolean()}


def _read_pairs(source: Source, reading: reader.PairReading) -> AnnotatedPairs:
    return reader.read_pairs(source, replace(reading, unread=True))


def _hashes_of_file(source: Source, hashes: pl.Series) -> SmallestRows:
    """The least distinct hashes, with the hash of their file's name, which takes less memory than the name.

    Files that have values in common have these in common.
    """
    least = hashes.unique().bottom_k(_COMPARED).sort()
    file = pl.lit(pl.Series([source.name]).hash(0).item(), pl.UInt64).alias("file")
    return SmallestRows(_COMPARED_IN_ALL, pl.select(least, file))


def _files_in_common(hashes: pl.DataFrame, files: pl.Series) -> list[str]:
    """The files that have values in common with another, as far as the least hashes tell; in order.

    files: the names of all.
    """
    distinct = hashes.unique()  # ranges of a file have its name
    repeated = distinct.filter(pl.col("hash").is_duplicated())["file"].unique()
    return files.filter(files.hash(0).is_in(repeated.implode())).unique().sort().to_list()


def _shared_facts(survey: PartialCounts, name: str) -> dict[str, Any]:
    """The facts that every file's count needs. Raises DataError if files trust different annotators."""
    facts = survey.rows
    annotators, files = facts["annotators"], facts["files"]
    trusted = annotators.filter("default")["id"].unique(maintain_order=True).to_list()
    if len(trusted) > 1:
        raise DataError(f"{name}: expected one reference annotator in all files; got {listed(trusted)}")
    shared = _files_in_common(survey.least["prompts"].frame, files["name"])
    repeat = (files["repeat"].any() or bool(shared)) if files["repeat"].count() else None
    distinct = annotators.drop("default").unique("id", keep="first", maintain_order=True)
    return {
        "name": name,
        "annotators": distinct.to_dicts(),
        "default": trusted[0] if trusted else None,
        "models": sorted(set(facts["models"]["name"])),
        "repeat": repeat,
        "numbered": int(files["numbered"].sum()) > 1,
    }


def _shard_pairs(source: Source, reading: reader.PairReading, known: Settings) -> AnnotatedPairs:
    """The pairs of one file as a part of all, with a column of votes for every annotator."""
    pairs, shared_facts = _read_pairs(source, reading), cast("Mapping[str, Any]", known)
    annotators = tuple(Annotator(**one) for one in shared_facts["annotators"])
    missing = pl.lit(CODE["missing"], pl.UInt8)
    nobody = [missing.alias(one.column) for one in annotators if one not in pairs.annotators]
    prefixed = pl.concat_str(pl.lit(f"{source.stem}#"), "pair").alias("pair")
    return replace(
        pairs,
        name=shared_facts["name"],
        frame=pairs.frame.with_columns(*nobody, *([prefixed] if shared_facts["numbered"] else [])),
        annotators=annotators,
        default=shared_facts["default"],
        prompts_repeat=shared_facts["repeat"],
        models=tuple(shared_facts["models"]),
    )


def _query_shard(
    source: Source, reading: reader.PairReading, known: Settings, columns: Sequence[str]
) -> list[pl.LazyFrame]:
    """The pairs of a file, which is read then."""
    return [_shard_pairs(source, reading, known).frame.select(columns)]


# --- counts of one file ---


def count_shard(
    reading: reader.PairReading, options: AnnotationsOptions, source: Source, known: Settings
) -> PartialCounts:
    """The counts of one file; where pairs are clustered, the codes of its votes."""
    pairs = _shard_pairs(source, reading, known)
    dataset = data_set(pairs, options)
    votes = dataset.votes
    check_votes(source, dataset)
    hashed = pairs.frame.select("pair", pl.col("pair").hash(options.seed).alias("hash"))
    ids = hashed.with_row_index("place").collect(engine="streaming")
    inputs = pl.DataFrame({"path": [source.name], "sha256": [source.sha256()], "rows": [votes.height]})
    rows = {"inputs": inputs.with_columns(pl.lit(source.size, pl.Int64).alias("size"))}
    least = {"ids": _hashes_of_file(source, ids["hash"]), "sample": _sample_shard(dataset, ids, source)}
    if dataset.cluster_column is not None:
        units = dataset.frame.select(dataset.unit_name.hash(0).alias("cluster")).collect()
        return PartialCounts(rows=rows | {"votes": votes.with_columns(units)}, least=least)
    return PartialCounts({"sums": dataset.sums}, rows, least)


def _sample_shard(data: DataSet, ids: pl.DataFrame, source: Source) -> SmallestRows:
    """Some pairs drawn at random: those whose ids have the least hashes, in this file as in all."""
    drawn = ids.bottom_k(SAMPLED, by=["hash", "place"]).sort("hash", "place")
    places = drawn["place"].to_numpy()
    rows = data.pairs_at(places) if data.cluster_column else data.with_votes(drawn.select("pair", "place"))
    sample = rows.select(drawn["hash"].alias(_PRIORITY), pl.all(), pl.lit(source.name).alias(_FILE))
    return SmallestRows(SAMPLED, sample)


# --- the sum as a data set ---


@dataclass(frozen=True)
class ShardedDataSet(DataSet):
    """A data set from counts of its files, or from the gathered codes of votes."""

    totals: PartialCounts = None  # type: ignore[assignment]

    @cached_property
    def votes(self) -> pl.DataFrame:
        """The codes of votes, where they were gathered."""
        return self.totals.rows["votes"]

    @property
    def pair_count(self) -> int:
        """How many pairs there are."""
        return int(self.totals.rows["inputs"]["rows"].sum())

    @property
    def inputs(self) -> list[Input]:
        """The files."""
        ranges = self.totals.rows["inputs"].group_by("path", maintain_order=True)
        return [Input(**one) for one in ranges.agg(pl.col("sha256", "size").first(), pl.col("rows").sum()).to_dicts()]

    @property
    def swap_places(self) -> str:
        """The reason why pairs in both orders are unknown."""
        return _APART

    @cached_property
    def sums(self) -> pl.DataFrame:
        """The sums of independent pairs in all files."""
        return self.totals.counts["sums"]

    def sample_pairs(self, _: np.random.Generator) -> pl.DataFrame:
        """Some pairs drawn at random."""
        return self.totals.least["sample"].frame.sort(_PRIORITY, _FILE).drop(_PRIORITY, _FILE)

    def pairs_with_ids(self, ids: Collection[str]) -> pl.LazyFrame:
        """The pairs of the files from which those of these ids were drawn."""
        files = set(self.totals.least["sample"].frame.filter(pl.col("pair").is_in(ids))[_FILE])
        pairs = cast("ShardedPairs", self.pairs)
        sources = zip(pairs.sources, pairs.frames, strict=True)
        return pl.concat(frame for source, frame in sources if source.name in files)


def count_shards(
    pairs: ShardedPairs, reading: reader.PairReading, options: AnnotationsOptions, workers: Workers
) -> ShardedDataSet:
    """The data set with what is counted of its files. Raises DataError where files hold the same pairs."""
    dataset = data_set(pairs, options)
    count = partial(count_shard, reading, options)
    parts = workers.files("counting files", count, pairs.sources, pairs.facts)
    totals = merge_parts(parts)
    if files := _files_in_common(totals.least["ids"].frame, totals.rows["inputs"]["path"]):
        problem = f"{pairs.name}: expected each pair in one file; {listed(files, say=str)} hold the same ids"
        other_ids = f"the column of other ids with {flag_name('columns')} pair=COLUMN"
        raise DataError(problem, fix=f"leave out what appears twice, or name {other_ids}")
    return ShardedDataSet(dataset.pairs, dataset.annotators_by_reference, dataset.frame, dataset.options, totals)
