"""M2, the format of grammatical error correction: sentences of tokens, and edits of each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

Offsets of tokens become offsets of characters in the tokens joined by spaces. Sentences are numbered from 1, and
every annotator whom the file names has looked at all of them.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from karat.errors import DataError, OptionError
from karat.formats.documents import decode
from karat.formats.findings import Findings
from karat.formats.marked import Names, Raw, raw_of
from karat.formats.objects import Objects, path_of
from karat.formats.opened import Opened
from karat.formats.registry import Format
from karat.formats.violations import Options
from karat.schemas.violations import ID, TEXT

_FIELDS = 6
_NONE = ("", "-NONE-")
_PARTS = {name: name for name in ("start", "end", "rule", "correction")}


@dataclass(slots=True)
class _Reading:
    """What has been read so far: sentences (their lines in the file, and texts), edits by annotator and sentence."""

    name: str
    numbers: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    annotators: dict[str, None] = field(default_factory=dict)
    edits: dict[tuple[str | None, int], list[dict[str, str]]] = field(default_factory=lambda: defaultdict(list))
    bad_lines: Findings = field(default_factory=lambda: Findings("line"))
    bad_spans: Findings = field(default_factory=lambda: Findings("violation"))


def _is_sentence(line: bytes) -> bool:
    return line.startswith(b"S ") or line.strip() == b"S"


def _is_m2(line: bytes) -> bool:
    return _is_sentence(line) or (line.startswith(b"A ") and b"|||" in line)


def read_m2(found: Opened[Options]) -> Raw:
    """A line for each sentence and annotator. Raises DataError for a file without sentences."""
    source, names = found.source, found.options
    if names.columns or names.further:
        asked = ", ".join([*names.columns.values(), *names.further.values()])
        raise OptionError(f"{source.name}: a file of M2 has no columns; got {asked:.300}")
    reading = _Reading(source.name)
    for number, line in enumerate(decode(path_of(source).read_bytes(), source.name).split("\n"), 1):
        _read_line(reading, number, line.rstrip("\r"))
    if not reading.texts:
        raise DataError(f"{source.name}: expected at least one sentence (a line that begins with S); got none")
    return _raw(reading)


def _read_line(reading: _Reading, number: int, line: str) -> None:
    mark, _, rest = line.partition(" ")
    if not line.strip():
        return
    if mark == "S":
        reading.tokens = rest.split()
        lengths = (len(token) + 1 for token in reading.tokens)
        reading.starts = list(accumulate(lengths, initial=0))
        reading.numbers.append(number)
        reading.texts.append(" ".join(reading.tokens))
    elif mark == "A":
        said = _read_edit(reading, rest) if reading.texts else "expected a sentence before its edits; got none"
        if said:
            place = f"{reading.name}, line {number}"
            reading.bad_spans.add(f"{place}{said if said[0] == ',' else f': {said}'}", dropped=1)
    else:
        said = f'expected a line that begins with S or A; got "{line:.60}"'
        reading.bad_lines.add(f"{reading.name}, line {number}: {said}", dropped=1)


def _read_edit(reading: _Reading, rest: str) -> str | None:
    """Take up an edit, or say what is wrong with it."""
    fields = rest.split("|||")
    if len(fields) != _FIELDS:
        return f"expected {_FIELDS} fields with ||| between them; got {len(fields)}"
    place, rule, correction, _, _, annotator = (one.strip() for one in fields)
    if not annotator:
        return ", annotator: expected a name; got none"
    reading.annotators.setdefault(annotator)
    if rule == "noop":
        return None
    found = _characters(reading, place.split())
    if isinstance(found, str):
        return found
    said = "" if correction in _NONE else correction
    edit = {"start": str(found[0]), "end": str(found[1]), "rule": rule, "correction": said}
    reading.edits[annotator, len(reading.texts)].append(edit)
    return None


def _characters(reading: _Reading, place: Sequence[str]) -> tuple[int, int] | str:
    """Offsets of characters for those of tokens, or what is wrong with these."""
    count = len(reading.tokens)
    numbers = [int(one) for one in place if one.isascii() and one.isdigit() and len(one) < len(str(count)) + _FIELDS]
    if len(numbers) != len(place) or len(numbers) != 2:  # noqa: PLR2004 - a start and an end
        return f', tokens: expected two whole numbers; got "{" ".join(place):.60}"'
    first, last = numbers
    if last < first:
        return f", tokens: expected an end of {first}, the start, or more; got {last}"
    if last > count:
        return f", tokens: expected an end of {count}, the number of tokens, or less; got {last}"
    length = len(reading.texts[-1])
    start = reading.starts[first] if first < count else length
    return start, start if first == last else reading.starts[last] - 1


def _raw(reading: _Reading) -> Raw:
    names: list[str | None] = [*reading.annotators] or [None]
    every = [(name, number) for name in names for number in range(1, len(reading.texts) + 1)]
    holders = [{ID: str(number), TEXT: reading.texts[number - 1], "annotator": name} for name, number in every]
    lines = Objects(reading.name, "line", reading.numbers * len(names), holders)
    lists = [reading.edits[one] for one in every]
    raw, _ = raw_of(lines, lists, Names(), _PARTS, reading.bad_lines, len(reading.texts))
    raw.bad_spans.join(reading.bad_spans)
    return replace(raw, based=False)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first lines of a file are sentences and edits."""
    filled = [line for line in found.start.content.splitlines() if line.strip()]
    whole = filled[:-1] or filled
    return bool(whole) and _is_sentence(whole[0]) and all(map(_is_m2, whole))


FORMAT = Format("m2", "violations", read_m2, _looks_like, 2, (".m2",))
