"""One data set in many files: counts of each file, and a data set made of their sum.

Two passes: the first collects facts that concern all files (annotators, whether prompts repeat), the second
counts. Where pairs are clustered, the second gathers the codes of votes instead, since a cluster may have pairs
in several files.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source

from karat.errors import DataError
from karat.evaluations.annotations.annotators import MODEL, models_of
from karat.evaluations.annotations.data_sets import SAMPLED, DataSet, data_set
from karat.evaluations.annotations.sums import Sums, counted
from karat.evaluations.annotations.tables import Group
from karat.evaluations.annotations.tally import Votes
from karat.evaluations.scoring import Options
from karat.figures.cells import COUNT
from karat.figures.parts import Known, Least, Part, Workers, together
from karat.figures.tables import groups
from karat.formats import pairs as reader
from karat.formats.columnar import check_codes, prompts_repeat, row_ranges
from karat.formats.findings import listed
from karat.formats.source import Source
from karat.report import Input
from karat.schemas.pairs import CODE, LENGTHS, TEXTS, Annotator, Pairs

_COMPARED, _COMPARED_IN_ALL = 1 << 14, 1 << 18
"""Ids (and prompts) of a file, and of all, that are compared with one another: of more, those with the least hashes."""
_APART = "several files are not searched for pairs in both orders"
_PRIORITY, _FILE = "__priority__", "__file__"


@dataclass(frozen=True)
class Shards(Pairs):
    """A data set in many files, with what counting them needs to know of all. frames: the pairs of each file."""

    sources: tuple[Source, ...] = ()
    frames: tuple[pl.LazyFrame, ...] = ()
    known: Mapping[str, Any] = None  # type: ignore[assignment]


# --- facts that all files share ---


def shards(name: str, sources: Sequence[Source], how: reader.Options, options: Options, workers: Workers) -> Shards:
    """The data set that files are parts of. Raises DataError for a file that is named again: it would count again."""
    counts = Counter(one.name for one in sources)
    if again := [
        f"{path}: expected each file once in {name}; got it {times} times"
        for path, times in counts.items()
        if times > 1
    ]:
        raise DataError(again)
    seen = workers.files("looking at the files", partial(_seen, how, options), sources, {})
    of_all = together(seen)
    facts, shared = of_all.rows, _known(of_all, name)
    files = facts["files"]
    kept = [source for source in sources if source.name in set(files["name"])]
    annotators = tuple(Annotator(**one) for one in shared["annotators"])
    metadata = [*dict.fromkeys(facts["metadata"]["name"])]
    common = [one for one in metadata if facts["metadata"]["name"].eq(one).sum() == len(kept)]
    whole = Pairs(
        name,
        pl.LazyFrame(),
        annotators,
        shared["default"],
        tuple(common),
        prompts_repeat=shared["repeat"],
        models=tuple(shared["models"]),
    )
    frames = tuple(_frame(whole, source, how, shared) for source in kept)
    parts = {one: getattr(whole, one) for one in Pairs.__dataclass_fields__}
    parts |= {"frame": pl.concat(frames), "warnings": tuple(facts["warnings"]["said"])}
    return Shards(**parts, sources=tuple(kept), frames=frames, known=shared)


def _seen(how: reader.Options, options: Options, source: Source, _: Known) -> Part:
    """The facts of one file that concern all files."""
    pairs = _read(source, how)
    first = pairs.frame.select("pair").head(1).collect()["pair"].item()
    asked = options["cluster"] is None
    repeat = pairs.prompts_repeat if asked else None
    if asked and repeat is None:
        repeat = prompts_repeat(pairs.frame)
    prompts = pairs.frame.select("prompt") if repeat is False else pl.LazyFrame({"prompt": []}, {"prompt": pl.String})
    models = models_of(pairs.frame) if _names_models(options) else []
    annotators = [asdict(one) | {"default": one.id == pairs.default} for one in pairs.annotators]
    return Part(
        rows={
            "files": pl.DataFrame({"name": [source.name], "repeat": [repeat], "numbered": [first in {"0", "1"}]}),
            "annotators": pl.DataFrame(annotators, _ANNOTATOR),
            "metadata": pl.DataFrame({"name": list(pairs.metadata)}, {"name": pl.String}),
            "models": pl.DataFrame({"name": models}, {"name": pl.String}),
            "warnings": pl.DataFrame({"said": list(pairs.warnings)}, {"said": pl.String}),
        },
        least={"prompts": _of_file(source, _hashes(prompts))},
    )


_ANNOTATOR = dict.fromkeys(("id", "name", "description", "type"), pl.String()) | {"default": pl.Boolean()}


def _names_models(options: Options) -> bool:
    return any(name.startswith(MODEL) for name in (*options["annotator"], *options["reference"]))


def _read(source: Source, how: reader.Options) -> Pairs:
    return reader.read_pairs(source, replace(how, unread=True))


def _hashes(column: pl.LazyFrame) -> pl.Series:
    """The least distinct hashes of a column; see `_least`."""
    return _least(column.select(pl.all().drop_nulls().hash(0).alias("hash")).collect(engine="streaming")["hash"])


def _least(hashes: pl.Series) -> pl.Series:
    """The least distinct hashes, in order: files that have values in common have these in common."""
    values, some = hashes.to_numpy(), 2 * _COMPARED
    least = _distinct(np.partition(values, some)[:some] if len(values) > some else values)
    if len(least) < min(_COMPARED, len(values)):  # many stand there several times
        least = _distinct(values)
    return pl.Series("hash", least[:_COMPARED])


def _distinct(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each hash once, in order."""
    ordered = np.sort(hashes)
    distinct: NDArray[np.uint64] = ordered[np.diff(ordered, prepend=~ordered[:1]) != 0]
    return distinct


def _of_file(source: Source, hashes: pl.Series) -> Least:
    """Hashes with the hash of their file's name, which takes less memory than the name."""
    file = pl.lit(pl.Series([source.name]).hash(0).item(), pl.UInt64).alias("file")
    return Least(_COMPARED_IN_ALL, pl.select(hashes, file))


def _in_several(hashes: pl.DataFrame, files: pl.Series) -> list[str]:
    """The files that have values in common with another, as far as the least hashes tell; in order.

    files: the names of all.
    """
    distinct = hashes.unique()  # ranges of a file have its name
    repeated = distinct.filter(pl.col("hash").is_duplicated())["file"].unique()
    return files.filter(files.hash(0).is_in(repeated.implode())).unique().sort().to_list()


def _known(survey: Part, name: str) -> dict[str, Any]:
    """The facts that every file's count needs. Raises DataError if files trust different annotators."""
    facts = survey.rows
    annotators, files = facts["annotators"], facts["files"]
    trusted = annotators.filter("default")["id"].unique(maintain_order=True).to_list()
    if len(trusted) > 1:
        raise DataError(f"{name}: expected one trusted annotator in all files; got {listed(trusted)}")
    shared = _in_several(survey.least["prompts"].frame, files["name"])
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


def _part(source: Source, how: reader.Options, known: Known) -> Pairs:
    """The pairs of one file as a part of all, with a column of votes for every annotator."""
    pairs, shared_facts = _read(source, how), cast("Mapping[str, Any]", known)
    annotators = tuple(Annotator(**one) for one in shared_facts["annotators"])
    lacking = [one for one in annotators if one not in pairs.annotators]
    nobody = [pl.lit(CODE["missing"], pl.UInt8).alias(one.column) for one in lacking]
    prefixed = [pl.lit(f"{source.stem}#") + pl.col("pair")] if shared_facts["numbered"] else []
    return replace(
        pairs,
        name=shared_facts["name"],
        frame=pairs.frame.with_columns(*nobody, *(one.alias("pair") for one in prefixed)),
        annotators=annotators,
        default=shared_facts["default"],
        prompts_repeat=shared_facts["repeat"],
        models=tuple(shared_facts["models"]),
    )


def _frame(whole: Pairs, source: Source, how: reader.Options, known: Known) -> pl.LazyFrame:
    """The pairs of a file as a lazy frame that reads the file on demand."""
    schema: dict[str, pl.DataType] = dict.fromkeys((*TEXTS, *whole.metadata), pl.String())
    schema |= dict.fromkeys(LENGTHS, pl.UInt32()) | dict.fromkeys((one.column for one in whole.annotators), pl.UInt8())

    def batches(
        names: list[str] | None, predicate: pl.Expr | None, most: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        rows = _part(source, how, known).frame.select(list(schema))
        rows = rows if predicate is None else rows.filter(predicate)
        rows = rows if names is None else rows.select(names)
        yield (rows if most is None else rows.head(most)).collect(engine="streaming")

    return register_io_source(batches, schema=schema)


# --- counts of one file ---


def counted_in(how: reader.Options, options: Options, source: Source, known: Known) -> Part:
    """The counts of one file; where pairs are clustered, the codes of its votes."""
    pairs = _part(source, how, known)
    dataset = data_set(pairs, options)
    votes = dataset.votes
    check_codes(source, votes.lazy(), [name for name in dataset.columns if name in votes.columns])
    ids = _ids(pairs.frame, votes.height, options["seed"])
    inputs = pl.DataFrame({"path": [source.name], "sha256": [source.sha256()], "rows": [votes.height]})
    rows = {"inputs": inputs.with_columns(pl.lit(source.size, pl.Int64).alias("size"))}
    least = {"ids": _of_file(source, _least(ids["hash"])), "sample": _sample(dataset, ids, source)}
    if dataset.cluster is not None:
        units = dataset.frame.select(dataset.unit_name.hash(0).alias("cluster")).collect()
        return Part(rows=rows | {"votes": votes.with_columns(units)}, least=least)
    by = options["by"]
    sums = []
    for keys, votes in groups(dataset.votes, by):
        tally = Votes(votes, None)
        group_counts = counted(dataset.groups_of(keys, tally, _APART), tally, dataset.everyone, matrix=dataset.few)
        sums.append(group_counts.select(*(pl.lit(keys[name], pl.String).alias(name) for name in by), pl.all()))
    return Part({"sums": pl.concat(sums)}, rows, least)


def _ids(frame: pl.LazyFrame, rows: int, seed: int) -> pl.DataFrame:
    """The ids of pairs with the least hashes, more of them than are compared: place, pair, hash.

    Only of a file in which ids repeat are all held at once.
    """
    all_rows = frame.select("pair", pl.col("pair").hash(seed).alias("hash")).with_row_index("place")
    if rows > (some := 2 * _COMPARED):
        rows_below = all_rows.filter(pl.col("hash") < (some << 64) // rows).collect(engine="streaming")
        if len(_least(rows_below["hash"])) == _COMPARED:
            return rows_below
    return all_rows.collect(engine="streaming")


def _sample(data: DataSet, ids: pl.DataFrame, source: Source) -> Least:
    """Some pairs drawn at random: those whose ids have the least hashes, in this file as in all."""
    drawn = ids.bottom_k(SAMPLED, by=["hash", "place"]).sort("hash", "place")
    rows = data.drawn(drawn["place"].to_numpy()) if data.cluster else data.with_votes(drawn.select("pair", "place"))
    return Least(SAMPLED, rows.select(drawn["hash"].alias(_PRIORITY), pl.all(), pl.lit(source.name).alias(_FILE)))


# --- the sum as a data set ---


@dataclass(frozen=True)
class OfShards(DataSet):
    """A data set from counts of its files, or from the gathered codes of votes."""

    found: Part = None  # type: ignore[assignment]

    @cached_property
    def votes(self) -> pl.DataFrame:
        """The codes of votes, where they were gathered."""
        return self.found.rows["votes"]

    @property
    def height(self) -> int:
        """How many pairs there are."""
        return int(self.found.rows["inputs"]["rows"].sum())

    @property
    def inputs(self) -> list[Input]:
        """The files."""
        ranges = self.found.rows["inputs"].group_by("path", maintain_order=True)
        return [Input(**one) for one in ranges.agg(pl.col("sha256", "size").first(), pl.col("rows").sum()).to_dicts()]

    @property
    def swaps(self) -> str:
        """The reason why pairs in both orders are unknown."""
        return _APART

    @cached_property
    def parts(self) -> list[list[Group]]:
        """The pairs by the values of the `by` columns."""
        if "votes" in self.found.rows:
            return super().parts
        sums, by = self.found.counts["sums"], self.options["by"]
        return [self.groups_of(keys, Sums(own.drop(by)), self.swaps) for keys, own in groups(sums, by)]

    @cached_property
    def wholes(self) -> list[Group]:
        """All pairs as one group."""
        if "votes" in self.found.rows:
            return super().wholes
        sums = self.found.counts["sums"].drop(self.options["by"])
        whole = sums.group_by(pl.exclude(COUNT)).agg(pl.col(COUNT).sum())
        return self.groups_of({}, Sums(whole), self.swaps)

    def sample(self, _: np.random.Generator) -> pl.DataFrame:
        """Some pairs drawn at random."""
        return self.found.least["sample"].frame.sort(_PRIORITY, _FILE).drop(_PRIORITY, _FILE)

    def holding(self, ids: Collection[str]) -> pl.LazyFrame:
        """The pairs of the files from which those of these ids were drawn."""
        files = set(self.found.least["sample"].frame.filter(pl.col("pair").is_in(ids))[_FILE])
        pairs = cast("Shards", self.pairs)
        sources = zip(pairs.sources, pairs.frames, strict=True)
        return pl.concat(frame for source, frame in sources if source.name in files)


def summed(pairs: Shards, how: reader.Options, options: Options, workers: Workers) -> OfShards:
    """The data set with what is counted of its files. Raises DataError where files hold the same pairs."""
    dataset = data_set(pairs, options)
    count = partial(counted_in, how, options)
    parts = workers.files("counting files", count, pairs.sources, pairs.known, ranges=row_ranges)
    totals = together(parts)
    _check_apart(pairs.name, totals)
    return OfShards(dataset.pairs, dataset.beside, dataset.frame, dataset.options, totals)


def _check_apart(name: str, totals: Part) -> None:
    if files := _in_several(totals.least["ids"].frame, totals.rows["inputs"]["path"]):
        raise DataError(
            f"{name}: expected each pair in one file; {listed(files, say=str)} hold the same ids. Leave out what "
            "stands twice, or name the column of other ids with --columns pair=COLUMN"
        )
