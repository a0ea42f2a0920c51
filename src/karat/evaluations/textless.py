"""Results without the judged texts: metrics, labels and names of items remain."""

import json
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256

import polars as pl

from karat.evaluations.others import OTHERS
from karat.evaluations.scoring import Scored
from karat.formats.findings import SUCH_AS
from karat.schemas.outcomes import Frame, as_text

_CODE = 16
_SAID = ("judge", "label", "outcome")


def without_texts(result: Scored, words: Collection[str]) -> Scored:
    """The result with codes in the place of words of texts; examples hold no texts, and warnings quote no rows.

    words: columns of outcomes and tables whose values are words of texts (`figures.figure.View`). Clusters get codes in
    any case, since they are often prompts.
    """
    names = {"cluster", *words}
    return replace(
        result,
        tables={name: coded(table, names) for name, table in result.tables.items()},
        outcomes=coded(as_text(result.outcomes), names),
        first=coded(as_text(result.first), names),
        warnings=[one.partition(SUCH_AS)[0] for one in result.warnings],
        examples=lambda count, seed: _bare(result.examples(count, seed), result.first.collect_schema().names(), names),
    )


def coded(frame: Frame, columns: Collection[str]) -> Frame:
    """A frame with a code for each text in some columns: the same text has the same code, in any run."""
    names = [name for name, dtype in frame.lazy().collect_schema().items() if name in columns and dtype == pl.String]
    codes = [pl.col(name).map_batches(_codes, return_dtype=pl.String, is_elementwise=True) for name in names]
    return frame.with_columns(codes)


def _codes(texts: pl.Series) -> pl.Series:
    distinct = texts.unique().drop_nulls()
    codes = [sha256(text.encode()).hexdigest()[:_CODE] for text in distinct]
    return texts.replace_strict(distinct, pl.Series(codes, dtype=pl.String), default=None, return_dtype=pl.String)


def _bare(examples: pl.DataFrame, outcomes: Collection[str], words: Collection[str]) -> pl.DataFrame:
    """Examples with the columns of their outcomes, and the labels of peers."""
    kept = coded(examples.select(name for name in examples.columns if name in {*outcomes, OTHERS}), words)
    if OTHERS not in kept.columns:
        return kept
    return kept.with_columns(pl.Series(OTHERS, [said and _verdicts(said) for said in kept[OTHERS]], pl.String))


def _verdicts(peers: str) -> str:
    """The labels and outcomes of peers, without their texts."""
    return json.dumps(
        [{name: one[name] for name in _SAID if name in one} for one in json.loads(peers)], ensure_ascii=False
    )
