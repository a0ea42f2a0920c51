"""The interface of every evaluation's module `scoring`, and its result, with or without judged texts.

Additions to the examples of a report: labels of other judges (peers), and items that every judge got wrong.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
import polars as pl
from polars import selectors
from polars.io.plugins import register_io_source

from adjudge.readers.io.source import Source
from adjudge.readers.problems import SUCH_AS
from adjudge.report import Input, truncate
from adjudge.schemas.outcomes import OUTCOMES, Frame, categories_as_text
from adjudge.spec import Evaluation
from adjudge.version import NAME

PEERS = "others"
"""Column of examples: JSON, a list of the peers on the same item: judge, label, outcome and texts by the judge."""

_MOST_PEERS = 12
"""The most peers shown for an example."""
_TEXT = 600
"""The most characters of a peer's text."""
_COMMON = ("item", "part")

JUDGES = "judges"
"""The column of the number of judges of an item."""
TOTAL = "of"
"""The column of the number of items in all, if the table does not list all of them."""
HARD_ITEMS_ABOUT = (
    "Items that at least two judged and nobody judged right: the reference may be wrong there, or the question "
    "unclear. Those judged most often stand first, 50 at most."
)
MOST_HARD_ITEMS = 50
_SAID = "said"


def with_peer_labels(
    chosen: pl.DataFrame,
    outcomes: pl.LazyFrame,
    unsaid: Collection[str],
    own_texts: Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, str]]] | None,
) -> pl.DataFrame:
    """The chosen outcomes with the column PEERS: labels of other judges on the same, null where there are none.

    outcomes: of all judges on the same items. unsaid: columns that do not distinguish questions. own_texts: returns the
    texts by the judge of each outcome.
    """
    keys = [*_COMMON, *(name for name in chosen.columns if name not in {*OUTCOMES, *unsaid})]
    items = chosen.lazy().select(*keys, mine="judge").with_row_index("place")
    rows = (
        items.join(categories_as_text(outcomes), on=keys, how="inner", nulls_equal=True, maintain_order="left_right")
        .filter(pl.col("judge") != pl.col("mine"))
        .filter(pl.int_range(pl.len()).over("place") < _MOST_PEERS)
        .collect()
        .to_dicts()
    )
    peers: list[list[dict[str, str | None]]] = [[] for _ in range(chosen.height)]
    for row, peer_texts in zip(rows, own_texts(rows) if own_texts else [{}] * len(rows), strict=True):
        verdict = {name: row[name] for name in ("judge", "label", "outcome")}
        peers[row["place"]].append(verdict | {name: truncate(text, _TEXT) for name, text in peer_texts.items()})
    column = [json.dumps(many, ensure_ascii=False) if many else None for many in peers]
    return chosen.with_columns(pl.Series(PEERS, column, pl.String))


def hard_items(outcomes: pl.LazyFrame, keys: Sequence[str], right: pl.Expr) -> pl.DataFrame:
    """Items that every judge got wrong: item, keys, the labels of reference and judges, and the number of judges.

    Limited as in `first_hard_items`.

    outcomes: those of labels that can be right or wrong. keys: columns that tell an item's questions apart. right:
    whether a label is.
    """
    names = ["item", *keys]
    judges = pl.col("judge").n_unique().cast(pl.Int64).alias(JUDGES)
    order = {JUDGES: True} | dict.fromkeys(names, False)
    rows = outcomes.group_by(names).agg(judges, right.any().alias("right"))
    table = categories_as_text(rows.filter(~pl.col("right"), pl.col(JUDGES) > 1).drop("right"))
    first = first_hard_items(table.sort(*order, descending=[*order.values()], nulls_last=True).collect())
    labels = pl.col("label").unique().cast(pl.String).sort().str.join(", ").alias(_SAID)
    some = categories_as_text(outcomes.filter(pl.col("item").is_in(first["item"].to_list())))
    said = some.group_by(names).agg(pl.col("reference_label").first(), labels)
    rows = first.lazy().join(said, on=names, how="left", nulls_equal=True, maintain_order="left")
    return rows.select(*names, "reference_label", _SAID, JUDGES, *{TOTAL} & {*first.columns}).collect()


def first_hard_items(table: pl.DataFrame) -> pl.DataFrame:
    """The first MOST_HARD_ITEMS rows; if there are more, TOTAL says how many."""
    if table.height <= MOST_HARD_ITEMS:
        return table
    return table.head(MOST_HARD_ITEMS).with_columns(pl.lit(table.height, pl.Int64).alias(TOTAL))


Inputs = Mapping[str, Sequence[Source]]
"""Argument of the evaluation's function -> the inputs given for it."""
Step = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step; the step runs inside the context it returns."""
Row = Mapping[str, Any]
"""A row of outcomes, or of changes between two runs: item, judge and keys."""
Texts = dict[str, str]
"""The texts of an item in the inputs: name -> text."""

FIRST_ITEMS = 10
"""The number of judgments whose outcomes a report keeps."""

_SAMPLED = 100_000
"""The most judgments that examples are chosen from."""


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """The result of an evaluation. inputs: all that were read. tables: name -> table, as the report shows them.

    outcomes: a row per item, judge and part; first: the first of them; rows: how many there are. examples: takes the
    number of examples per outcome and a seed, and returns them. counts, warnings, notes: as in a report. found:
    settings decided by the data, for the signature. files: an option that names a file to write -> its table,
    or None where there is none.
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
    texts: Callable[[Sequence[Row]], list[Texts]] | None = None
    item: Callable[[str], pl.DataFrame] | None = None
    files: Mapping[str, pl.DataFrame | None] = field(default_factory=dict)


class ScoringModule(Protocol):
    """The module `adjudge.evaluations.NAME.scoring`.

    TAKEN: names that a `by` column cannot have here, besides those forbidden in all evaluations. ITEM: the column that
    names items, if it always names each of them once.
    """

    TAKEN: Collection[str]
    ITEM: str | None
    check: Callable[[Any], None]
    """Raises OptionError for options that contradict each other or the inputs; nothing has been read yet."""
    reader_options: Callable[[Any], Any]
    """The options of the evaluation's reader; raises OptionError for invalid ones."""
    read: Callable[..., Any]
    """Read the inputs, as its own kind of thing: inputs, options, workers. Raises DataError with all that is wrong."""
    score: Callable[..., EvaluationResult]
    """Score what was read: it, inputs, options, step, workers; files that options name are read here."""
    texts: Callable[[Any, Sequence[Row]], list[Texts]]
    """The texts of some rows' items."""


def scoring(name: str) -> ScoringModule:
    """The module of an evaluation."""
    return cast("ScoringModule", import_module(f"{NAME}.evaluations.{name}.scoring"))


def input_of(source: Source, rows: int) -> Input:
    """An input as a report records it."""
    return Input(source.name, source.sha256(), rows, source.size)


def texts_of(frame: pl.LazyFrame, key: str, names: Sequence[str], rows: Sequence[Row]) -> list[Texts]:
    """The texts of each row's item in some columns of a frame, those of its first row.

    key: the column that names items.
    """
    items = list({row["item"]: None for row in rows})
    rows_found = frame.filter(pl.col(key).is_in(items)).select(key, *names).collect().unique(key, keep="first")
    by_item = {
        row.pop(key): {name: truncate(text) for name, text in row.items() if text} for row in rows_found.to_dicts()
    }
    return [by_item.get(row["item"], {}) for row in rows]


def lazy_rows(queries: Callable[[], Iterable[pl.LazyFrame]], schema: Mapping[str, pl.DataType]) -> pl.LazyFrame:
    """The rows of several queries, one after the other, as a lazy frame; each runs once its rows are asked for."""

    def batches(
        names: list[str] | None, predicate: pl.Expr | None, most: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        for rows in queries():
            wanted = rows if predicate is None else rows.filter(predicate)
            wanted = wanted if names is None else wanted.select(names)
            yield (frame := (wanted if most is None else wanted.head(most)).collect(engine="streaming"))
            most = most if most is None else most - frame.height
            if most == 0:
                return

    return register_io_source(batches, schema=schema)


def sample_rows(frame: pl.LazyFrame, height: int, seed: int) -> pl.LazyFrame:
    """Rows of the frame to choose examples from, drawn at random, in random order."""
    drawn = np.random.default_rng(seed).choice(height, size=min(height, _SAMPLED), replace=False)
    # As an expression, places become a literal for each column: longer work than all else of a small report.
    return frame.map_batches(lambda whole: whole[drawn], predicate_pushdown=False, slice_pushdown=False)


def examples_of(
    sample: pl.LazyFrame,
    about: Evaluation,
    texts: Callable[[Sequence[Row]], list[Texts]],
    every: Callable[[Sequence[str]], pl.LazyFrame] | None = None,
    own: Callable[[Sequence[Row]], list[Texts]] | None = None,
    hard: pl.DataFrame | None = None,
) -> Callable[[int, int], pl.DataFrame]:
    """A function from the number of examples per kind of outcome, and a seed, to sampled outcomes with their texts.

    every: all outcomes of some items, where examples say what the other judges
    said. own: texts that are a judge's own. hard: items that everyone gets wrong, the first of which are examples too.
    """
    kinds = list(about.outcomes)

    def examples(count: int, seed: int) -> pl.DataFrame:
        rows = sample.filter(pl.col("outcome").is_in(kinds)).collect().sample(fraction=1, shuffle=True, seed=seed)
        order = pl.col("outcome").replace_strict(kinds, range(len(kinds)), return_dtype=pl.Int64)
        chosen = categories_as_text(rows.filter(pl.int_range(pl.len()).over("outcome") < count))
        if hard is not None and every is not None and count:
            items = hard.head(count)  # whose other columns tell an item's questions apart
            own_rows = categories_as_text(every(items["item"].to_list())).collect()
            keys = [name for name in items.columns if name in own_rows.columns]
            first = own_rows.join(items, on=keys, how="semi", nulls_equal=True)
            first = first.unique(keys, keep="first", maintain_order=True).filter(pl.col("outcome").is_in(kinds))
            chosen = pl.concat([chosen, first]).unique(maintain_order=True)
        chosen = chosen.sort(order, maintain_order=True)
        item_texts = texts(chosen.to_dicts()) if chosen.height else []
        if every is not None and chosen.height:
            chosen = with_peer_labels(chosen, every(chosen["item"].unique().to_list()), about.hidden_columns, own)
        names = sorted({name for row in item_texts for name in row}.difference(chosen.columns))
        added = [pl.Series(name, [row.get(name) for row in item_texts], pl.String) for name in names]
        return chosen.drop("value", "cluster", *about.hidden_columns).with_columns(added)

    return examples


# --- results without the judged texts: metrics, labels and names of items remain ---

_CODE = 16


def redact_texts(result: EvaluationResult, words: Collection[str]) -> EvaluationResult:
    """The result with codes in the place of words of texts; examples hold no texts, and warnings quote no rows.

    words: columns of outcomes and tables whose values are words of texts (`metrics.metric.View`). Clusters get codes in
    any case, since they are often prompts.
    """
    names = {"cluster", *words}
    kept = selectors.by_name(result.first.collect_schema().names(), require_all=False)
    return replace(
        result,
        tables={name: hash_texts(table, names) for name, table in result.tables.items()},
        outcomes=hash_texts(categories_as_text(result.outcomes), names),
        first=hash_texts(categories_as_text(result.first), names),
        warnings=[one.partition(SUCH_AS)[0] for one in result.warnings],
        examples=lambda count, seed: hash_texts(result.examples(count, seed).select(kept), names),
    )


def hash_texts(frame: Frame, columns: Collection[str]) -> Frame:
    """A frame with a code for each text in some columns: the same text has the same code, in any run."""
    names = [name for name, dtype in frame.lazy().collect_schema().items() if name in columns and dtype == pl.String]
    codes = [pl.col(name).map_batches(_text_hashes, return_dtype=pl.String, is_elementwise=True) for name in names]
    return frame.with_columns(codes)


def _text_hashes(texts: pl.Series) -> pl.Series:
    distinct = texts.unique().drop_nulls()
    codes = [sha256(text.encode()).hexdigest()[:_CODE] for text in distinct]
    return texts.replace_strict(distinct, pl.Series(codes, dtype=pl.String), default=None, return_dtype=pl.String)
