"""A data set as AnnotatedPairs JSON 2.0, in blocks of text, so that it is never held as a whole."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.readers.pairs.annotated_pairs import FIXED, REASONS, SIDES, Places
from adjudge.readers.pairs.pairs import RESERVED
from adjudge.readers.tables import batches
from adjudge.schemas.pairs import CODE, AnnotatedPairs

_BATCH = 5000
_ANNOTATIONS = {
    **{CODE[f"text_{side}"]: {"pref": side} for side in "ab"},
    **{CODE[vote]: {"pref": None, "no_pref_reason": reason} for reason, vote in REASONS.items() if vote != "missing"},
}


def annotated_pairs_json(pairs: AnnotatedPairs) -> Iterator[str]:
    """The document in blocks. Missing votes, and metadata and models that are null, are left out.

    Columns named `response_a.FIELD` and `response_b.FIELD` go back into the responses.
    """
    keys = [key for holder, key in map(_place, pairs.metadata) if holder == "metadata"]
    metadata = {
        "version": "2.0",
        "dataset_name": pairs.name,
        "description": pairs.description,
        "created_at": pairs.created_at,
        "default_annotator": pairs.default,
        "available_metadata_keys_per_comparison": keys,
    }
    told = ((one.id, {"name": one.name, "description": one.description, "type": one.type}) for one in pairs.annotators)
    annotators = {one: {key: value for key, value in about.items() if value is not None} for one, about in told}
    yield f'{{"metadata": {_text(metadata)},\n "annotators": {_text(annotators)},\n "comparisons": ['
    before = "\n  "
    for block in _blocks(pairs):
        yield before + ",\n  ".join(block)
        before = ",\n  "
    yield "\n]}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _place(column: str) -> tuple[str, str]:
    """Where a metadata column stands in a comparison: the holder and the key."""
    holder, dot, key = column.partition(".")
    return (holder, key) if dot and holder in SIDES else ("metadata", column.removeprefix(RESERVED))


def _blocks(pairs: AnnotatedPairs) -> Iterator[list[str]]:
    """The comparisons as JSON, some thousands at a time."""
    places = {**FIXED, **{name: _place(name) for name in pairs.metadata}}
    ids = {one.column: _text(one.id) for one in pairs.annotators}
    spelt = {name: {code: f"{own}: {_text(one)}" for code, one in _ANNOTATIONS.items()} for name, own in ids.items()}
    frame = pairs.frame.select(*places, *spelt)
    for batch in batches(frame, _BATCH):
        yield [_comparison(row, places, spelt) for row in batch.iter_rows(named=True)]


def _comparison(row: Mapping[str, Any], places: Places, spelt: Mapping[str, Mapping[int, str]]) -> str:
    """One comparison as JSON. spelt: an annotator's column -> code of a vote -> the annotation as JSON."""
    holders: dict[str, dict[str, object]] = {holder: {} for holder in ("", *SIDES, "metadata")}
    for name, (holder, key) in places.items():
        if row[name] is not None or not holder:
            holders[holder][key] = row[name]
    annotations = ", ".join(votes[row[column]] for column, votes in spelt.items() if row[column])
    top, metadata = holders.pop(""), holders.pop("metadata")
    return f'{_text(top | holders)[:-1]}, "annotations": {{{annotations}}}, "metadata": {_text(metadata)}}}'
