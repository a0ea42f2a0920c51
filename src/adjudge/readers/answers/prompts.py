"""What was asked, where a file of answers says it: question and documents, read again for some answers alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import json_value, plain_text, read_objects
from adjudge.readers.io.source import Source
from adjudge.readers.tables import collect, scan
from adjudge.schemas.answers import ANSWER_KEYS

_QUESTIONS = ("question", "query", "user_input", "input", "instruction", "prompt")
_DOCUMENTS = ("documents", "docs", "contexts", "retrieved_contexts", "retrieval_context", "context")


def questions_of(source: Source, named: Mapping[str, str], items: Sequence[str]) -> list[dict[str, Any]]:
    """The answers to some items: ANSWER_KEYS, question (each None where the file does not say it), and documents.

    named: Adjudge's column -> the file's. They are for people to read, so that what cannot be read again is left out.
    """
    try:
        if source.format in ("json", "jsonl"):
            records = list(read_objects(source).values)
        else:
            rows = scan(source).filter(pl.col(named["id"]).cast(pl.String).is_in(items))
            records = collect(source, rows).to_dicts()
    except (DataError, pl.exceptions.PolarsError):
        return []
    wanted, answers = set(items), list[dict[str, Any]]()
    for record in records:
        if isinstance(record, dict) and plain_text(record.get(named["id"])) in wanted:
            folded = {name.casefold(): record[name] for name in reversed([*record])}
            questions = (folded.get(name) for name in _QUESTIONS)
            documents = (folded.get(name.casefold()) for name in (named["documents"], *_DOCUMENTS))
            answer = {name: record.get(named[name]) for name in ANSWER_KEYS}
            answer["question"] = next((one for one in questions if isinstance(one, str)), None)
            answers.append({**answer, "documents": documents_in(next(filter(None, documents), None))})
    return answers


def documents_in(value: object) -> list[str]:
    """The texts of documents, from a list of texts or of objects with a text, or such a list as JSON."""
    value = json_value(value) if isinstance(value, str) else value
    texts = (
        one.get("text") if isinstance(one, dict) else one for one in (value if isinstance(value, list) else [value])
    )
    return [text for text in texts if isinstance(text, str)]
