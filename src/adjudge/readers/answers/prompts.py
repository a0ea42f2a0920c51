"""What was asked, where a file of answers says it: question and documents, read again for some answers alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.formats import names
from adjudge.readers.io.json_documents import plain_text, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import collect, scan

_QUESTIONS = ("question", "query", "user_input", "input", "instruction", "prompt")
_DOCUMENTS = ("documents", "docs", "contexts", "retrieved_contexts", "retrieval_context", "context")
_KEYS = ("id", "model", "ability", "noise_ratio", "draw")
_LINE = "line"


def questions_of(source: Source, named: Mapping[str, str], items: Sequence[str]) -> list[dict[str, Any]]:
    """The answers to some items: _KEYS, question (each None where the file does not say it), and texts of documents.

    named: Adjudge's column -> the file's. They are for people to read, so that what cannot be read again is left out.
    """
    try:
        records = list(_records(source, named["id"], items))
    except (DataError, pl.exceptions.PolarsError):
        return []
    wanted = set(items)
    return [
        {name: record.get(named[name]) for name in _KEYS}
        | {
            "question": next((one for one in _values_under(record, _QUESTIONS) if isinstance(one, str)), None),
            "documents": documents_in(
                next((one for one in _values_under(record, (named["documents"], *_DOCUMENTS)) if one), None)
            ),
        }
        for record in records
        if isinstance(record, dict) and plain_text(record.get(named["id"])) in wanted
    ]


def _values_under(record: Mapping[str, Any], called: Sequence[str]) -> Iterator[Any]:
    """What a record holds under these names, in their order, whatever their case."""
    names = {name.casefold(): name for name in reversed([*record])}
    yield from (record[names[one.casefold()]] for one in called if one.casefold() in names)


def _records(source: Source, name: str, items: Sequence[str]) -> Iterator[Any]:
    """The records of a file, as far as they may be those of some items. name: that of the field with the id."""
    if source.table is None and source.format in ("json", "jsonl"):
        yield from read_objects(source).values
    elif source.table is not None or source.format in names(None):
        frame = scan(source)
        yield from collect(source, frame.filter(pl.col(name).cast(pl.String).is_in(items))).to_dicts()


def documents_in(value: object) -> list[str]:
    """The texts of documents, from a list of texts or of objects with a text, or such a list as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return [str(value)]
    texts = (one.get("text") if isinstance(one, dict) else one for one in value) if isinstance(value, list) else ()
    return [text for text in texts if isinstance(text, str)]
