"""A data set as AnnotatedPairs JSON 2.0, in blocks of text, so that it is never held as a whole."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.readers.pairs.annotated_pairs import REASONS, SIDES
from adjudge.readers.pairs.pairs import RESERVED
from adjudge.readers.tables import batches
from adjudge.schemas.pairs import CODE, TEXTS, AnnotatedPairs

_BATCH = 5000
_ANNOTATIONS = {
    **{CODE[f"text_{side}"]: {"pref": side} for side in "ab"},
    **{CODE[vote]: {"pref": None, "no_pref_reason": reason} for reason, vote in REASONS.items() if vote != "missing"},
}
_TOP = {"pair": "id", "prompt": "prompt"}


def annotated_pairs_json(pairs: AnnotatedPairs) -> Iterator[str]:
    """The document in blocks. Missing votes, and metadata and models that are null, are left out.

    Columns named `response_a.FIELD` and `response_b.FIELD` go back into the responses.
    """
    places = {name: _place(name) for name in (*TEXTS, *pairs.metadata)}
    metadata = {
        "version": "2.0",
        "dataset_name": pairs.name,
        "description": pairs.description,
        "created_at": pairs.created_at,
        "default_annotator": pairs.default,
        "available_metadata_keys_per_comparison": [key for holder, key in places.values() if holder == "metadata"],
    }
    told = ((one.id, {"name": one.name, "description": one.description, "type": one.type}) for one in pairs.annotators)
    annotators = {one: {key: value for key, value in about.items() if value is not None} for one, about in told}
    yield f'{{"metadata": {_text(metadata)},\n "annotators": {_text(annotators)},\n "comparisons": ['
    ids = {one.column: _text(one.id) for one in pairs.annotators}
    spelt = {name: {code: f"{own}: {_text(one)}" for code, one in _ANNOTATIONS.items()} for name, own in ids.items()}
    before = "\n  "
    for batch in batches(pairs.frame.select(*places, *spelt), _BATCH):
        yield before + ",\n  ".join(_comparison(row, places, spelt) for row in batch.iter_rows(named=True))
        before = ",\n  "
    yield "\n]}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _place(column: str) -> tuple[str, str]:
    """Where a column stands in a comparison: the object in it, if any, and the key."""
    if column in TEXTS:
        return ("", _TOP[column]) if column in _TOP else (f"response_{column[-1]}", column[:-2])
    holder, dot, key = column.partition(".")
    return (holder, key) if dot and holder in SIDES else ("metadata", column.removeprefix(RESERVED))


def _comparison(
    row: Mapping[str, Any], places: Mapping[str, tuple[str, str]], spelt: Mapping[str, Mapping[int, str]]
) -> str:
    """One comparison as JSON. spelt: an annotator's column -> code of a vote -> the annotation as JSON."""
    holders: dict[str, dict[str, object]] = {holder: {} for holder in ("", *SIDES, "metadata")}
    for name, (holder, key) in places.items():
        if row[name] is not None or not holder:
            holders[holder][key] = row[name]
    annotations = ", ".join(votes[row[column]] for column, votes in spelt.items() if row[column])
    top, metadata = holders.pop(""), holders.pop("metadata")
    return f'{_text(top | holders)[:-1]}, "annotations": {{{annotations}}}, "metadata": {_text(metadata)}}}'
