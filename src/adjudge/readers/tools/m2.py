"""M2, the format of grammatical error correction: sentences of tokens, and edits of each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

Offsets of tokens become offsets of characters in the tokens joined by spaces. Sentences are numbered from 1. Every
annotator in the file has annotated all of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import whole_number
from adjudge.readers.io.source import Format
from adjudge.readers.spans import span_records as spans
from adjudge.schemas.violations import ID, TEXT

_FIELDS = 6
_NONE = ("", "-NONE-")
_SENTENCE, _EDIT = re.compile(rb"S |\s*S\s*$"), re.compile(rb"A .*\|\|\|")

_Edits = dict[str | None, dict[int, list[object]]]
"""Annotator -> the line of a sentence -> its edits."""


def read_m2(opened: spans.Found) -> spans.Raw:
    """A line for each sentence and annotator."""
    return spans.read_file(opened, _lines, "line")


def _lines(opened: spans.Found, problems: list[str]) -> Iterator[spans.Line]:
    sentences: dict[int, list[str]] = {}
    edits: _Edits = {}
    last = 0
    for number, line in enumerate(opened.source.text().split("\n"), 1):
        mark, _, rest = line.rstrip("\r").partition(" ")
        if mark == "S":
            last, sentences[number] = number, rest.split()
        elif mark == "A" and sentences:
            try:
                _add_edit(edits, last, sentences[last], rest)
            except DataError as wrong:
                problems.append(f"{opened.source.name}, line {number}{wrong}")
        elif line.strip():
            what = f'expected a sentence (S) or an edit of one (A); got "{line.rstrip():.60}"'
            problems.append(f"{opened.source.name}, line {number}: {what}")
    for name, annotator_edits in (edits or {None: {}}).items():
        for nth, (number, tokens) in enumerate(sentences.items(), 1):
            holder = {ID: str(nth), TEXT: " ".join(tokens), "annotator": name}
            yield spans.Line(holder, annotator_edits.get(number, []), number=number)


def _add_edit(edits: _Edits, sentence: int, tokens: Sequence[str], rest: str) -> None:
    """Add an edit of a sentence; a noop edit adds only its annotator."""
    fields = [one.strip() for one in rest.split("|||")]
    if len(fields) != _FIELDS or not fields[-1]:
        raise DataError(f': expected {_FIELDS} fields with ||| between them, the last an annotator; got "{rest:.60}"')
    place, rule, correction, _, _, annotator = fields
    annotator_edits = edits.setdefault(annotator, defaultdict(list))
    if rule != "noop":
        start, end = _characters(tokens, place)
        replacement = "" if correction in _NONE else correction
        annotator_edits[sentence].append(
            {"start": str(start), "end": str(end), "rule": rule, "correction": replacement}
        )


def _characters(tokens: Sequence[str], place: str) -> tuple[int, int]:
    """Offsets of tokens as offsets of characters."""
    numbers = list(map(whole_number, place.split()))
    first, last = numbers if len(numbers) == 2 else (None, None)  # noqa: PLR2004 - a start and an end
    if first is None or last is None or not first <= last <= len(tokens):
        expected = f"two whole numbers from 0 to {len(tokens)}, the number of tokens, the second no less than the first"
        raise DataError(f', tokens: expected {expected}; got "{place:.60}"')
    start = min(sum(len(token) + 1 for token in tokens[:first]), len(" ".join(tokens)))
    return start, start + len(" ".join(tokens[first:last]))


def _looks_like(opened: spans.Found) -> bool:
    """Whether the first lines of a file are sentences and edits."""
    filled = [line for line in opened.start.content.splitlines() if line.strip()]
    lines = filled[:-1] or filled
    return bool(lines and _SENTENCE.match(lines[0])) and all(_SENTENCE.match(one) or _EDIT.match(one) for one in lines)


FORMAT = Format("m2", "violations", read_m2, _looks_like, 2, (".m2",))
