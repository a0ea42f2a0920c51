"""Files of votes on pairs: columnar Parquet, and AnnotatedPairs JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from adjudge.readers.pairs.annotated_pairs import PLACES, REASONS, SIDES
from adjudge.readers.pairs.pairs import KEY, RESERVED, dictionary_text, prompts_repeat
from adjudge.readers.tables import batches, height_of
from adjudge.schemas.pairs import CODE, AnnotatedPairs


def write_pairs(pairs: AnnotatedPairs, path: Path, ending: str) -> int:
    """Stream a data set into a file; returns the number of pairs. ending: that of the file's final name."""
    if ending == ".parquet":
        write_columnar(pairs, path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(annotated_pairs_json(pairs))
    return height_of(pairs.frame)


def write_columnar(pairs: AnnotatedPairs, path: Path) -> None:
    """Stream a data set into a columnar file."""
    frame = pairs.frame.select(pairs.columns)
    frame.sink_parquet(path, metadata={KEY: dictionary_text(pairs, prompts_repeat=prompts_repeat(frame))})


_ANNOTATIONS = {CODE[f"text_{side}"]: {"pref": side} for side in "ab"} | {
    CODE[vote]: {"pref": None, "no_pref_reason": reason} for reason, vote in REASONS.items() if vote != "missing"
}


def annotated_pairs_json(pairs: AnnotatedPairs) -> Iterator[str]:
    """The document in blocks, without missing votes and without metadata and models that are null.

    Columns named `response_a.FIELD` and `response_b.FIELD` go back into the responses.
    """
    places = dict(PLACES)
    for name in pairs.metadata:
        holder, dot, key = name.partition(".")
        places[name] = (holder, key) if dot and holder in SIDES else ("metadata", name.removeprefix(RESERVED))
    metadata = {
        "version": "2.0",
        "dataset_name": pairs.name,
        "default_annotator": pairs.default,
        "available_metadata_keys_per_comparison": [key for holder, key in places.values() if holder == "metadata"],
    }
    columns = {one.id: one.column for one in pairs.annotators}
    texts = ({key: text for key, text in asdict(one).items() if text} for one in pairs.annotators)
    annotators = {about.pop("id"): about for about in texts}
    yield f'{{"metadata": {_json(metadata)},\n "annotators": {_json(annotators)},\n "comparisons": ['
    before = "\n  "
    for batch in batches(pairs.frame.select(*places, *columns.values())):
        for row in batch.iter_rows(named=True):
            holders: dict[str, dict[str, Any]] = {name: {} for name in ("", *SIDES, "annotations", "metadata")}
            for name, (holder, key) in places.items():
                if row[name] is not None or not holder:
                    holders[holder][key] = row[name]
            holders["annotations"] = {name: _ANNOTATIONS[row[one]] for name, one in columns.items() if row[one]}
            yield before + _json(holders.pop("") | holders)
            before = ",\n  "
    yield "\n]}\n"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
