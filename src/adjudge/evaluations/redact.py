"""Results without the judged texts: metrics, labels and names of items remain."""

import json
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256

import polars as pl

from adjudge.evaluations.examples import PEERS
from adjudge.evaluations.scoring import EvaluationResult
from adjudge.readers.problems import SUCH_AS
from adjudge.schemas.outcomes import Frame, categories_as_text

_CODE = 16
_SAID = ("judge", "label", "outcome")


def redact_texts(result: EvaluationResult, words: Collection[str]) -> EvaluationResult:
    """The result with codes in the place of words of texts; examples hold no texts, and warnings quote no rows.

    words: columns of outcomes and tables whose values are words of texts (`figures.figure.View`). Clusters get codes in
    any case, since they are often prompts.
    """
    names = {"cluster", *words}
    return replace(
        result,
        tables={name: hash_texts(table, names) for name, table in result.tables.items()},
        outcomes=hash_texts(categories_as_text(result.outcomes), names),
        first=hash_texts(categories_as_text(result.first), names),
        warnings=[one.partition(SUCH_AS)[0] for one in result.warnings],
        examples=lambda count, seed: _redact_examples(
            result.examples(count, seed), result.first.collect_schema().names(), names
        ),
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


def _redact_examples(examples: pl.DataFrame, outcomes: Collection[str], words: Collection[str]) -> pl.DataFrame:
    """Examples with the columns of their outcomes, and the labels of peers."""
    kept = hash_texts(examples.select(name for name in examples.columns if name in {*outcomes, PEERS}), words)
    if PEERS not in kept.columns:
        return kept
    return kept.with_columns(pl.Series(PEERS, [said and _redact_peers(said) for said in kept[PEERS]], pl.String))


def _redact_peers(peers: str) -> str:
    """The labels and outcomes of peers, without their texts."""
    return json.dumps(
        [{name: one[name] for name in _SAID if name in one} for one in json.loads(peers)], ensure_ascii=False
    )
