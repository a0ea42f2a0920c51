"""spaCy's DocBin (.spacy): documents with their entities and groups of spans. It needs `adjudge[spacy]`."""

import zlib
from collections.abc import Iterator
from itertools import chain

from adjudge.errors import DataError
from adjudge.readers.io.decompress import FETCH_AGAIN
from adjudge.readers.spans import span_records as spans
from adjudge.text.local_models import extra


def read_spacy_docs(opened: spans.Found) -> Iterator[spans.Held]:
    """A line for each document, by its number. Labels are rules; entities and all groups of spans form one list.

    Raises DataError if the file is broken, MissingError without spaCy.
    """
    name = opened.source.name
    with extra("spacy", f"{name}: reading a DocBin"):
        import spacy
        from spacy.tokens import DocBin
    try:
        documents = list(DocBin().from_bytes(opened.source.file.read_bytes()).get_docs(spacy.blank("xx").vocab))
    except Exception:  # noqa: BLE001 - its layers raise various errors
        raise DataError(f"{name}: cannot be read as a DocBin of spaCy", fix=FETCH_AGAIN) from None
    for number, document in enumerate(documents, 1):
        every = chain(document.ents, *document.spans.values())
        marks = [{"start": str(one.start_char), "end": str(one.end_char), "rule": one.label_} for one in every]
        yield spans.Line({spans.ID: str(number), spans.TEXT: document.text}, marks)


def _looks_like(opened: spans.Found) -> bool:
    """Whether a file unpacks, by zlib, to a MessagePack map with the first keys of a DocBin."""
    try:
        start = zlib.decompressobj().decompress(opened.start.content, 64) if opened.is_text else b""
    except zlib.error:
        return False
    return b"version" in start or b"attrs" in start


FORMAT = spans.Format("spacy-docbin", "violations", read_spacy_docs, _looks_like, 3, (".spacy",))
