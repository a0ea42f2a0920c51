"""M2, the format of grammatical error correction: sentences of tokens, and edits of each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

Offsets of tokens become offsets of characters in the tokens joined by spaces. Sentences are numbered from 1, and
every annotator whom the file names has looked at all of them.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from adjudge.errors import DataError
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT

_FIELDS = 6
_NONE = ("", "-NONE-")
_SENTENCE, _EDIT = re.compile(rb"S |\s*S\s*$"), re.compile(rb"A .*\|\|\|")


_Edits = dict[str | None, dict[int, list[object]]]
"""Annotator -> the line of a sentence -> the edits of it."""


def read_m2(found: Opened[Options]) -> Raw:
    """A line for each sentence and annotator. Raises DataError for a file without sentences."""
    source, options = found.source, found.options
    options.check_unused(source.name, "a file of M2")
    bad_lines, bad_spans = Findings("line"), Findings("violation")
    sentences: dict[int, list[str]] = {}
    edits: _Edits = {}
    last = 0
    for number, line in enumerate(source.text().split("\n"), 1):
        mark, _, rest = line.rstrip("\r").partition(" ")
        if mark == "S":
            last, sentences[number] = number, rest.split()
        elif mark == "A":
            try:
                _add_edit(edits, last, sentences.get(last), rest)
            except DataError as wrong:
                bad_spans.add(f"{source.name}, line {number}{wrong}", dropped=1)
        elif line.strip():
            said = f'expected a line that begins with S or A; got "{line.rstrip():.60}"'
            bad_lines.add(f"{source.name}, line {number}: {said}", dropped=1)
    if not sentences:
        raise DataError(f"{source.name}: expected at least one sentence (a line that begins with S); got none")
    records = [
        Record(number, {ID: str(nth), TEXT: " ".join(tokens), "annotator": name}, own.get(number, []))
        for name, own in (edits or {None: {}}).items()
        for nth, (number, tokens) in enumerate(sentences.items(), 1)
    ]
    raw = raw_of(source.name, "line", records, Names(), bad_lines, len(sentences))
    raw.bad_spans.join(bad_spans)
    return replace(raw, based=False)


def _add_edit(edits: _Edits, sentence: int, tokens: Sequence[str] | None, rest: str) -> None:
    """Take up an edit of a sentence, but for a remark that nothing is to be changed, which names an annotator alone."""
    if tokens is None:
        raise DataError(": expected a sentence before its edits; got none")
    fields = [one.strip() for one in rest.split("|||")]
    if len(fields) != _FIELDS:
        raise DataError(f": expected {_FIELDS} fields with ||| between them; got {len(fields)}")
    place, rule, correction, _, _, annotator = fields
    if not annotator:
        raise DataError(", annotator: expected a name; got none")
    own = edits.setdefault(annotator, defaultdict(list))
    if rule != "noop":
        start, end = _characters(tokens, place.split())
        said = "" if correction in _NONE else correction
        own[sentence].append({"start": str(start), "end": str(end), "rule": rule, "correction": said})


def _characters(tokens: Sequence[str], place: Sequence[str]) -> tuple[int, int]:
    """Offsets of characters for those of tokens."""
    count = len(tokens)
    numbers = [int(one) for one in place if one.isascii() and one.isdigit() and len(one) < len(str(count)) + _FIELDS]
    if len(numbers) != len(place) or len(numbers) != 2:  # noqa: PLR2004 - a start and an end
        raise DataError(f', tokens: expected two whole numbers; got "{" ".join(place):.60}"')
    first, last = numbers
    if last < first:
        raise DataError(f", tokens: expected an end of {first}, the start, or more; got {last}")
    if last > count:
        raise DataError(f", tokens: expected an end of {count}, the number of tokens, or less; got {last}")
    start = min(sum(len(token) + 1 for token in tokens[:first]), len(" ".join(tokens)))
    return start, start + len(" ".join(tokens[first:last]))


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first lines of a file are sentences and edits."""
    filled = [line for line in found.start.content.splitlines() if line.strip()]
    whole = filled[:-1] or filled
    return bool(whole and _SENTENCE.match(whole[0])) and all(_SENTENCE.match(one) or _EDIT.match(one) for one in whole)


FORMAT = Format("m2", "violations", read_m2, _looks_like, 2, (".m2",))
