"""AnnotatedPairs JSON, versions 2.0 and 1.0: an object with metadata, annotators and comparisons.

msgspec decodes comparisons into structures that are made for the file: a field for each annotator, and for each name
that the first comparisons hold. A comparison that does not fit, or that holds a name twice, is read by itself, with
Python's strict reader of JSON: it is unusual, or wrong.
"""

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, Literal, get_args

import msgspec
import numpy as np
import polars as pl
from msgspec import UNSET, Raw, Struct, UnsetType
from numpy.typing import NDArray

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, not_plain, parse
from adjudge.readers.io.source import Format, decode
from adjudge.readers.pairs.annotated_pairs import FIXED, PARTS, PREFERENCES, REASONS, SIDES, Comparisons, Place, text_of
from adjudge.readers.pairs.annotated_pairs_head import read_head
from adjudge.readers.pairs.pairs import (
    Options,
    check_fixed,
    metadata_name,
    numbered_ids,
    other_warnings,
    repeated_warning,
)
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import listed
from adjudge.schemas.pairs import CODE, VOTE, AnnotatedPairs, add_lengths

_BATCH = 2000
_SAMPLE = 300
"""Comparisons whose fields become columns."""

_MOST_PARSED = 1 << 28
"""Bytes of a malformed file up to which it is parsed again to tell where the fault is."""

_NO_FIT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises."""

_NUMBER = "__number__"
"""Name of the column with a comparison's number in its file, counted from 1."""


def read_annotated_pairs(found: Opened[Options]) -> AnnotatedPairs:
    """The pairs in an AnnotatedPairs file.

    Raises DataError with all that is wrong, or leaves out the comparisons concerned, as the options say.
    """
    check_fixed(found, "AnnotatedPairs JSON")
    name = found.source.name
    with found.source.file.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # closed with the last Raw that refers to it
    document = _Document(name, content)
    members, raws = document.split()
    if not raws:
        raise DataError(f"{name}, comparisons: expected at least one; got an empty list")
    sample = list(map(document.parsed, raws[:_SAMPLE]))
    head, places = read_head(name, found.source.stem, members, sample)
    comparisons = Comparisons(name, places, [annotator.id for annotator in head.annotators])
    reader = _Reader(document, comparisons, *_layout(comparisons, sample))
    frame = pl.concat([reader.read(start, raws[start : start + _BATCH]) for start in range(0, len(raws), _BATCH)])
    warnings = [*other_warnings(comparisons.others), *_unread_warnings(comparisons.unread)]
    warnings += comparisons.findings.settle(drop=found.options.drop)
    if frame.is_empty():
        raise DataError(f"{name}: no pair is left after dropping")
    ids, new = frame["pair"], numbered_ids(frame["pair"])
    if (again := ids != new).any():
        warnings.append(repeated_warning(ids.filter(again), new.filter(again)))
    whole = add_lengths(frame.with_columns(new).lazy()).select(head.columns).collect()
    return replace(head, frame=whole.lazy(), warnings=tuple(warnings))


def _unread_warnings(unread: Mapping[str, int]) -> list[str]:
    """A warning that names what stands in comparisons and is not read."""
    if not unread:
        return []
    first = sorted(unread.items(), key=lambda name: name[1])
    shown = [f"{name:.60} (first in comparison {number})" for name, number in first]
    hint = "; declare it in available_metadata_keys_per_comparison" if "metadata" in "".join(unread) else ""
    return [f"comparisons hold names that are not read: {listed(shown)}{hint}"]


class _Split(Struct):
    comparisons: list[Raw]


@dataclass(slots=True)
class _Document:
    """A file that holds an object of JSON with a list of comparisons."""

    name: str
    content: mmap.mmap

    def split(self) -> tuple[Mapping[str, object], list[Raw]]:
        """The members of the object, with an empty list of comparisons, and the comparisons."""
        data = np.frombuffer(self.content, np.uint8)
        mark = 3 if self.content[:3] == b"\xef\xbb\xbf" else 0
        try:
            raws = msgspec.json.decode(memoryview(self.content)[mark:], type=_Split).comparisons
        except _NO_FIT as error:
            raise self._fault(error) from None
        start = end = len(data)
        if raws:
            first, last = (np.frombuffer(raw, np.uint8) for raw in (raws[0], raws[-1]))
            start, end = (one.ctypes.data - data.ctypes.data for one in (first, last[len(last) :]))
        members = parse(self._text(self.content[:start] + self.content[end:]), self.name)
        if wrong := not_plain(members):
            raise DataError(f"{self.name}: {wrong}")
        return members, raws

    def _fault(self, error: Exception) -> DataError:
        """Why the file holds no such object. Raises DataError itself where it is no JSON."""
        if len(self.content) > _MOST_PARSED:
            return DataError(f"{self.name}: expected JSON with a list of comparisons; got another: {error}")
        members = parse(self._text(self.content[:]), self.name)
        if not isinstance(members, dict):
            return DataError(f"{self.name}: expected an object with annotators and comparisons; got {kind(members)}")
        if isinstance(members.get("comparisons"), list):
            return DataError(f"{self.name}: expected characters; got one half of a surrogate pair, such as \\ud83d")
        got = kind(members["comparisons"]) if "comparisons" in members else "nothing"
        return DataError(f"{self.name}, comparisons: expected a list; got {got}")

    def parsed(self, raw: Raw) -> Any:  # noqa: ANN401 - JSON holds anything
        """A comparison, read strictly. Raises DataError where it is no JSON."""
        return parse(self._text(bytes(raw)), self.name)

    def _text(self, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return decode(self.content[:], self.name)  # raises DataError with the line in the file

    def release(self) -> None:
        """Give back the pages that were read, or the whole file would stay in memory."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.content.madvise(mmap.MADV_DONTNEED)


# --- structures ---

_ANY = Any | UnsetType
_SCALAR = str | int | float | bool | None | UnsetType
_TYPES: Mapping[str, Any] = {"id": str | int, "prompt": _SCALAR | list[Any], "text": str | list[Any], "model": _SCALAR}
"""Types of what stands in the places of FIXED; what need not be there may be UNSET."""

_ESCAPED = re.compile(r'["\\\x00-\x1f]')
"""Characters that JSON escapes."""

_OLD = ("text_a", "text_b")
"""Where 1.0 has its texts."""


class _Vote(Struct, gc=False, forbid_unknown_fields=True):
    pref: Literal[tuple(PREFERENCES)] | None  # type: ignore[valid-type]
    no_pref_reason: Literal[tuple(REASONS)] | UnsetType | None = UNSET  # type: ignore[valid-type]


_CODES: Mapping[str | None, int] = {None: CODE["invalid"], **{word: CODE[vote] for word, vote in PREFERENCES.items()}}
_CONTRADICTION = 255
_REASON_CODES = {(None, word): CODE[vote] for word, vote in REASONS.items()}


def _layout(comparisons: Comparisons, sample: Sequence[object]) -> tuple[type[Struct], dict[str, list[str]]]:
    """A structure for comparisons, and the names in each of its parts; as in 1.0 if all of the sample are so."""
    whole = [comparison for comparison in sample if isinstance(comparison, dict)]
    sides = SIDES if any(side in comparison for comparison in whole for side in SIDES) else ()
    types = {part: _types(part, whole, comparisons) for part in ("", "metadata", *sides)}
    votes = [vote for held in _objects(whole, "annotations") for vote in held.values() if isinstance(vote, dict)]
    vote = _structure(
        dict.fromkeys({name for vote in votes for name in vote} - {"pref", "no_pref_reason"}, _ANY), _Vote
    )
    types[""] |= {side: _structure(types[side]) for side in sides} or dict.fromkeys(_OLD, _TYPES["text"])
    types[""]["annotations"] = _structure(dict.fromkeys(comparisons.annotators, vote | None | UnsetType))
    types[""]["metadata"] = _structure(types["metadata"]) | None | UnsetType
    return _structure(types[""]), {part: list(names) for part, names in types.items()}


def _objects(comparisons: Sequence[Mapping[str, Any]], part: str) -> list[dict[str, Any]]:
    return [comparison[part] for comparison in comparisons if isinstance(comparison.get(part), dict)]


def _types(part: str, sample: Sequence[Mapping[str, Any]], comparisons: Comparisons) -> dict[str, Any]:
    """Name -> its type, for all names in a part of comparisons, and those of columns."""
    names = [name for holder, name in comparisons.places.values() if holder == part]
    names += [
        name for held in (_objects(sample, part) if part else sample) for name in held if part or name not in PARTS
    ]
    return {name: _TYPES[name] if (part, name) in FIXED.values() else _ANY for name in names}


def _structure(types: Mapping[str, Any], base: type[Struct] = Struct) -> type[Struct]:
    """A structure with these fields, and no others. What has a name that msgspec does not take never fits."""
    fields = []
    for number, (name, held) in enumerate(types.items()):
        named = f"\x7f{number}" if _ESCAPED.search(name) else name
        default = UNSET if UnsetType in get_args(held) else msgspec.NODEFAULT
        fields.append((f"field_{number}", held, msgspec.field(name=named, default=default)))
    return msgspec.defstruct("Part", fields, bases=(base,), gc=False, kw_only=True, forbid_unknown_fields=True)


# --- batches ---


class _Reader:
    """Reads comparisons, some thousands at a time."""

    def __init__(
        self, document: _Document, comparisons: Comparisons, structure: type[Struct], names: Mapping[str, Sequence[str]]
    ) -> None:
        self.document, self.comparisons, self.names = document, comparisons, names
        self.decode = msgspec.json.Decoder(structure).decode
        self.decode_batch = msgspec.json.Decoder(list[structure]).decode  # type: ignore[valid-type]

    def read(self, start: int, raws: Sequence[Raw]) -> pl.DataFrame:
        """The comparisons that are right, as a table of their numbers, texts and votes."""
        decoded = self._decoded(start, raws)
        codes = self._coded(list(decoded.values()))
        if not (sound := (codes != _CONTRADICTION).all(axis=1)).all():
            decoded, codes = dict(compress(decoded.items(), sound)), codes[sound]
        values = self._values(list(decoded.values()))
        nothing = [UNSET] * len(decoded)
        places = self.comparisons.places.items()
        texts = {name: self._texts(name, place, values.get(place, nothing)) for name, place in places}
        self._note_unread(values, list(decoded))
        frame = self._table(texts, list(decoded), codes)
        others = {
            number: row
            for number, raw in enumerate(raws, start + 1)
            if number not in decoded and (row := self.comparisons.read(number, self.document.parsed(raw)))
        }
        self.document.release()
        if not others:
            return frame
        columns = zip(*(row for row, _ in others.values()), strict=True)
        votes = np.array([list(votes) for _, votes in others.values()], np.uint8)
        further = self._table(dict(zip(texts, columns, strict=True)), list(others), votes)
        return pl.concat([frame, further]).sort(_NUMBER)

    def _decoded(self, start: int, raws: Sequence[Raw]) -> dict[int, Struct]:
        """Number -> comparison, of those that fit the layout and hold each name once."""
        text = b"[%b]" % b",".join(raws)
        with suppress(*_NO_FIT):
            batch = self.decode_batch(text)
            if _colons(text) == _colons(msgspec.json.encode(batch)):
                return dict(enumerate(batch, start + 1))
        decoded = dict[int, Struct]()
        for number, raw in enumerate(raws, start + 1):
            with suppress(*_NO_FIT):
                comparison = self.decode(raw)
                if _colons(bytes(raw)) == _colons(msgspec.json.encode(comparison)):
                    decoded[number] = comparison
        return decoded

    def _coded(self, comparisons: Sequence[Struct]) -> NDArray[np.uint8]:
        """The codes of votes, a row per comparison; _CONTRADICTION for one with a preference and a reason for none."""
        as_tuple, codes, reasons = msgspec.structs.astuple, _CODES, _REASON_CODES
        nth = self.names[""].index("annotations")
        votes = chain.from_iterable(as_tuple(as_tuple(comparison)[nth]) for comparison in comparisons)
        coded = [
            0
            if not vote
            else codes[vote.pref]
            if not (reason := vote.no_pref_reason)
            else reasons.get((vote.pref, reason), _CONTRADICTION)
            for vote in votes
        ]
        return np.frombuffer(bytes(coded), np.uint8).reshape(len(comparisons), len(self.comparisons.annotators))

    def _values(self, batch: Sequence[Struct]) -> dict[Place, Sequence[Any]]:
        """What stands at each place, UNSET where nothing does."""
        tops = _columns(batch, self.names[""])
        values = {FIXED[name] if name in _OLD else ("", name): column for name, column in tops.items()}
        for part, names in self.names.items():
            if part:
                values |= {(part, name): column for name, column in _columns(tops.get(part, ()), names).items()}
        return values

    def _texts(self, column: str, place: Place, cells: Sequence[Any]) -> Sequence[str | None]:
        """The values at a place as text; what is no text is read as the strict reader does."""
        if set(map(type, cells)) <= {str, type(None)}:
            return cells
        if column in _OLD:
            self.comparisons.others += sum(type(cell) is not str for cell in cells)
        name, encode = self.document.name, msgspec.json.encode
        return [
            cell if type(cell) is str else None if cell is UNSET else text_of(parse(encode(cell).decode(), name), place)
            for cell in cells
        ]

    def _note_unread(self, values: Mapping[Place, Sequence[Any]], numbers: Sequence[int]) -> None:
        for (part, name), cells in values.items():
            if name not in self.comparisons.read_of(part):
                first = next((number for number, cell in zip(numbers, cells, strict=True) if cell is not UNSET), None)
                if first is not None:
                    self.comparisons.add_unread(part, name, first)

    def _table(
        self, texts: Mapping[str, Sequence[str | None]], numbers: Sequence[int], codes: NDArray[np.uint8]
    ) -> pl.DataFrame:
        """Rows of text with their numbers and votes."""
        frame = pl.DataFrame(texts, dict.fromkeys(texts, pl.String))
        if (theirs := metadata_name("prompt")) in texts:
            empty = pl.col("prompt").fill_null("") == ""
            frame = frame.with_columns(prompt=pl.when(empty & (pl.col(theirs) != "")).then(theirs).otherwise("prompt"))
        votes = [
            pl.Series(VOTE + annotator, codes[:, nth]) for nth, annotator in enumerate(self.comparisons.annotators)
        ]
        return frame.hstack([pl.Series(_NUMBER, numbers, pl.UInt32), *votes])


def _columns(objects: Sequence[Any], names: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The values of structures by name; those of one that is missing are UNSET."""
    nothing = (UNSET,) * len(names)
    rows = [msgspec.structs.astuple(held) if held else nothing for held in objects]
    return dict(zip(names, zip(*rows, strict=True), strict=False))


def _colons(text: bytes) -> int:
    """How many colons there are: those in texts, and one per name, so that one more is a name that was not decoded."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(":")))


# --- recognition ---

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*\\?(?:"(\s*:)?|\Z)|[{[]|[]}]', re.DOTALL)
"""A string, perhaps cut off, or one that is a name; a bracket that opens; one that closes."""


def _looks_like(found: Opened[Options]) -> bool:
    """Whether a file of JSON holds one object with a part of such a file, or with metadata alone as far as one sees."""
    content = found.start.content
    if found.source.format != "json" or not content.startswith(b"{"):
        return False
    names = set(_names(content))
    return bool(names & set(_OWN)) or names == {b'"metadata"'}


def _names(content: bytes) -> Iterator[bytes]:
    """The names in the object that a document begins with, and in none within it, each in its quotes."""
    depth = 0
    for token in _TOKEN.finditer(content):
        if token[1] and depth == 1:
            yield token[0].removesuffix(token[1])
        depth += (token[0] in b"{[") - (token[0] in b"]}")


_OWN = (b'"comparisons"', b'"annotators"')
"""Names that stand near the beginning of such files alone."""
FORMAT = Format("annotated-pairs", "annotations", read_annotated_pairs, _looks_like, 2, (".json",), own=_OWN)
