"""A data set as AnnotatedPairs JSON 2.0, in blocks of text, so that it is never held as a whole."""

import json
from collections.abc import Iterator, Mapping

import polars as pl

from karat.formats.annotated_pairs import FIXED, REASONS, SIDES
from karat.formats.pairs import RESERVED
from karat.schemas.pairs import VOTES, Annotator, Pairs

_BATCH = 5000
_ANNOTATIONS = {
    VOTES.index("text_a"): {"pref": "a"},
    VOTES.index("text_b"): {"pref": "b"},
    **{
        VOTES.index(vote): {"pref": None, "no_pref_reason": reason}
        for reason, vote in REASONS.items()
        if vote != "missing"
    },
}


def annotated_pairs_json(pairs: Pairs) -> Iterator[str]:
    """The document in blocks. Missing votes, and metadata and models that are null, are left out.

    Columns named `response_a.FIELD` and `response_b.FIELD` go back into the responses.
    """
    keys = [_key(name) for name in pairs.metadata if _place(name)[0] == "metadata"]
    metadata = {
        "version": "2.0",
        "dataset_name": pairs.name,
        "description": pairs.description,
        "created_at": pairs.created_at,
        "default_annotator": pairs.default,
        "available_metadata_keys_per_comparison": keys,
    }
    annotators = {one.id: _about(one) for one in pairs.annotators}
    yield f'{{"metadata": {_text(metadata)},\n "annotators": {_text(annotators)},\n "comparisons": ['
    before = "\n  "
    for block in _blocks(pairs):
        yield before + ",\n  ".join(block)
        before = ",\n  "
    yield "\n]}\n"


def _about(one: Annotator) -> dict[str, str]:
    about = {"name": one.name, "description": one.description, "type": one.type}
    return {key: value for key, value in about.items() if value is not None}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _place(column: str) -> tuple[str, str]:
    """Where a metadata column stands in a comparison: the holder and the key."""
    holder, dot, key = column.partition(".")
    return (holder, key) if dot and holder in SIDES else ("metadata", _key(column))


def _key(column: str) -> str:
    return column.removeprefix(RESERVED)


def _blocks(pairs: Pairs) -> Iterator[list[str]]:
    """The comparisons as JSON, some thousands at a time."""
    places = {**FIXED, **{name: _place(name) for name in pairs.metadata}}
    spelt = [
        [f"{_text(one.id)}: {_text(_ANNOTATIONS[code])}" if code else "" for code in range(len(VOTES))]
        for one in pairs.annotators
    ]
    frame = pairs.frame.select(*places, *(one.column for one in pairs.annotators))
    for batch in frame.collect_batches(chunk_size=_BATCH, maintain_order=True):
        votes = batch.select(pl.col(one.column) for one in pairs.annotators).iter_rows()
        rows = batch.select(*places).iter_rows(named=True)
        yield [
            _comparison(
                row, places, ", ".join(spelling[code] for spelling, code in zip(spelt, codes, strict=True) if code)
            )
            for row, codes in zip(rows, votes if pairs.annotators else iter([()] * batch.height), strict=True)
        ]


def _comparison(row: Mapping[str, str | None], places: Mapping[str, tuple[str, str]], annotations: str) -> str:
    """One comparison as JSON, with its annotations, which are JSON already."""
    holders: dict[str, dict[str, object]] = {holder: {} for holder in ("", *SIDES, "metadata")}
    for name, (holder, key) in places.items():
        if row[name] is not None or not holder:
            holders[holder][key] = row[name]
    top, metadata = holders.pop(""), holders.pop("metadata")
    return f'{_text(top | holders)[:-1]}, "annotations": {{{annotations}}}, "metadata": {_text(metadata)}}}'
