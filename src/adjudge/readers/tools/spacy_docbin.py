"""spaCy's DocBin (.spacy): documents with their entities and groups of spans. It needs `adjudge[spacy]`."""

import zlib
from collections.abc import Iterator
from typing import Any

from adjudge.errors import DataError, MissingError
from adjudge.readers.io.decompress import FETCH_AGAIN
from adjudge.readers.io.source import Format, Source
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT
from adjudge.version import NAME

_ENTITIES = "ents"


def read_spacy_docs(found: Opened[Options]) -> Raw:
    """A line for each document, by its number. Labels are rules; entities and all groups of spans count together."""
    source = found.source
    found.options.check_unused(source.name, "a DocBin")
    records, groups = [], set[str]()
    for number, document in enumerate(_documents(source), 1):
        marks = [*_marks(document.ents)]
        groups |= {_ENTITIES} if marks else set()
        for group, spans in document.spans.items():
            marks += _marks(spans)
            groups |= {group} if len(spans) else set()
        holder = {ID: str(number), TEXT: document.text}
        records.append(Record(number, holder, marks))
    raw = raw_of(source.name, "document", records, Names(), Findings("document"), len(records))
    several = f"the spans of {', '.join(sorted(groups)):.100} count together"
    return raw.warned([several] if len(groups) > 1 else [])


def _documents(source: Source) -> list[Any]:
    """The documents in a file. Raises DataError where it is broken, MissingError without spaCy."""
    try:
        import spacy
        from spacy.tokens import DocBin
    except ImportError:
        raise MissingError(
            f"{source.name}: reading a DocBin needs an extra", fix=f'pip install "{NAME}[spacy]"'
        ) from None
    try:
        return list(DocBin().from_bytes(source.file.read_bytes()).get_docs(spacy.blank("xx").vocab))
    except Exception:  # noqa: BLE001 - whatever its several layers raise
        raise DataError(f"{source.name}: cannot be read as a DocBin of spaCy", fix=FETCH_AGAIN) from None


def _marks(spans: Any) -> Iterator[dict[str, str]]:  # noqa: ANN401 - spaCy's spans
    for span in spans:
        yield {"start": str(span.start_char), "end": str(span.end_char), "rule": span.label_}


def _looks_like(found: Opened[Options]) -> bool:
    """Whether a file unpacks, by zlib, to a map of MessagePack with what a DocBin has first."""
    try:
        start = zlib.decompressobj().decompress(found.start.content, 64) if found.is_text else b""
    except zlib.error:
        return False
    return b"version" in start or b"attrs" in start


FORMAT = Format("spacy-docbin", "violations", read_spacy_docs, _looks_like, 3, (".spacy",))
