"""One data set in many files: counts of each file, and a data set made of their sum.

Two passes: the first collects facts that concern all files (annotators, whether prompts repeat), the second
counts. Where pairs are clustered, the second gathers the codes of votes instead, since a cluster may have pairs
in several files.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import polars as pl

from adjudge.errors import DataError, flag_name
from adjudge.evaluations.annotations.data_sets import MODEL, SAMPLED, DataSet, data_set, models_of
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.scoring import lazy_rows
from adjudge.metrics.partial_counts import PartialCounts, Settings, SmallestRows, Workers, merge_parts
from adjudge.readers.io.source import Source
from adjudge.readers.pairs import pairs as reader
from adjudge.readers.pairs.pairs import check_codes, prompts_repeat, row_ranges
from adjudge.readers.problems import listed
from adjudge.report import Input
from adjudge.schemas.pairs import CODE, LENGTHS, TEXTS, AnnotatedPairs, Annotator

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
    name: str, sources: Sequence[Source], how: reader.PairReading, options: AnnotationsOptions, workers: Workers
) -> ShardedPairs:
    """The data set that files are parts of."""
    of_all = merge_parts(workers.files("looking at the files", partial(_survey_file, how, options), sources, {}))
    facts, shared = of_all.rows, _shared_facts(of_all, name)
    kept = [source for source in sources if source.name in set(facts["files"]["name"])]
    annotators, names = tuple(Annotator(**one) for one in shared["annotators"]), facts["metadata"]["name"]
    metadata = tuple(one for one in names.unique(maintain_order=True) if names.eq(one).sum() == len(kept))
    schema: dict[str, pl.DataType] = dict.fromkeys((*TEXTS, *metadata), pl.String())
    schema |= dict.fromkeys(LENGTHS, pl.UInt32()) | dict.fromkeys((one.column for one in annotators), pl.UInt8())
    queries = (partial(_query_shard, source, how, shared, list(schema)) for source in kept)
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


def _survey_file(how: reader.PairReading, options: AnnotationsOptions, source: Source, _: Settings) -> PartialCounts:
    """The facts of one file that concern all files."""
    pairs = _read_pairs(source, how)
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


def _read_pairs(source: Source, how: reader.PairReading) -> AnnotatedPairs:
    return reader.read_pairs(source, replace(how, unread=True))


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


def _shard_pairs(source: Source, how: reader.PairReading, known: Settings) -> AnnotatedPairs:
    """The pairs of one file as a part of all, with a column of votes for every annotator."""
    pairs, shared_facts = _read_pairs(source, how), cast("Mapping[str, Any]", known)
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
    source: Source, how: reader.PairReading, known: Settings, columns: Sequence[str]
) -> list[pl.LazyFrame]:
    """The pairs of a file, which is read then."""
    return [_shard_pairs(source, how, known).frame.select(columns)]


# --- counts of one file ---


def count_shard(how: reader.PairReading, options: AnnotationsOptions, source: Source, known: Settings) -> PartialCounts:
    """The counts of one file; where pairs are clustered, the codes of its votes."""
    pairs = _shard_pairs(source, how, known)
    dataset = data_set(pairs, options)
    votes = dataset.votes
    check_codes(source, votes.lazy(), [name for name in dataset.vote_columns if name in votes.columns])
    hashed = pairs.frame.select("pair", pl.col("pair").hash(options.seed).alias("hash"))
    ids = hashed.with_row_index("place").collect(engine="streaming")
    inputs = pl.DataFrame({"path": [source.name], "sha256": [source.sha256()], "rows": [votes.height]})
    rows = {"inputs": inputs.with_columns(pl.lit(source.size, pl.Int64).alias("size"))}
    least = {
        "ids": _hashes_of_file(source, ids["hash"]),
        "sample": _sample_shard(dataset, ids, source),
    }
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
    pairs: ShardedPairs, how: reader.PairReading, options: AnnotationsOptions, workers: Workers
) -> ShardedDataSet:
    """The data set with what is counted of its files. Raises DataError where files hold the same pairs."""
    dataset = data_set(pairs, options)
    count = partial(count_shard, how, options)
    parts = workers.files("counting files", count, pairs.sources, pairs.facts, ranges=row_ranges)
    totals = merge_parts(parts)
    if files := _files_in_common(totals.least["ids"].frame, totals.rows["inputs"]["path"]):
        problem = f"{pairs.name}: expected each pair in one file; {listed(files, say=str)} hold the same ids"
        other_ids = f"the column of other ids with {flag_name('columns')} pair=COLUMN"
        raise DataError(problem, fix=f"leave out what appears twice, or name {other_ids}")
    return ShardedDataSet(dataset.pairs, dataset.annotators_by_reference, dataset.frame, dataset.options, totals)
