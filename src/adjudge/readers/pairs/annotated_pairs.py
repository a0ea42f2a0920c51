"""AnnotatedPairs JSON, versions 2.0 and 1.0: an object with metadata, annotators and comparisons.

    {"metadata": {"version": "2.0", "dataset_name", "default_annotator",
                  "available_metadata_keys_per_comparison": [...]},
     "annotators": {ID: {"name"?, "description"?, "type"}},
     "comparisons": [{"id", "prompt": text | null | [messages], "response_a": {"text", "model"?, ...},
                      "response_b": {...}, "annotations": {ID: {"pref", "no_pref_reason"?}}, "metadata": {}}]}

1.0 has `text_a` and `text_b` at the top of a comparison, and no version. `pref` is "a" or "b" ("text_a" or
"text_b" in 1.0; either is read in both), or null with a reason: not_applicable, invalid, both, neither,
non_preference_annotation (missing). Adjudge adds the status of a question that a model did not answer: refused,
unparseable, failed. null without a reason is invalid. Feedback Forensics and ICAI copy the cells of a column into
`pref`: the name of any vote, "tie", "irrelevant", or "nan" (missing). A vote is missing if the comparison lacks the
annotator or gives null.

A principle in the description ("Select the response that is polite": is polite) names an annotator without a name. The
metadata of a comparison may hold the prompt instead.

A list of messages becomes text as in `adjudge.readers.io.json_documents`; numbers, true and false become their JSON.
Metadata of comparisons becomes columns of text, as do further fields of responses (`response_a.FIELD`). A warning names
all other keys of comparisons.

msgspec decodes comparisons in batches into structures built for the file. Comparisons that do not fit, or have unknown
or repeated keys, are decoded one by one.
"""

import mmap
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, Literal

import msgspec
import numpy as np
import polars as pl
from msgspec import UNSET, Raw, Struct, UnsetType
from numpy.typing import NDArray

from adjudge.errors import DataError, nearest
from adjudge.readers.io.decompress import check_width
from adjudge.readers.io.json_documents import cell_text, check, names_once, not_plain, parse, text_frame, turns_text
from adjudge.readers.io.source import Format, decode
from adjudge.readers.pairs import pairs as tables
from adjudge.readers.pairs.pairs import RESPONSES, PairFile, metadata_name
from adjudge.readers.problems import Findings, cells_of, listed
from adjudge.readers.tables import ROW
from adjudge.schemas.columns import CellRule, require_value
from adjudge.schemas.outcomes import UNANSWERED
from adjudge.schemas.pairs import CODE, TRAIT, VOTE, VOTES, AnnotatedPairs, Annotator

SIDES = ("response_a", "response_b")
PREFERENCES = {"a": "text_a", "b": "text_b", **{vote: vote for vote in VOTES}}
PREFERENCES |= {"tie": "both", "irrelevant": "not_applicable", "nan": "missing", "None": "missing"}
REASONS = {reason: reason for reason in ("not_applicable", "invalid", "both", "neither", *UNANSWERED)}
REASONS |= {"non_preference_annotation": "missing"}

_BATCH, _DECODED = 2000, 200
"""Comparisons of a table, and those that are decoded at once: few, so that their votes stay in the cache of a core."""
_FAULTS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

# --- structures ---


class _Metadata(Struct):
    dataset_name: str | None = None
    default_annotator: str | None = None


class _About(Struct):
    name: str | None = None
    description: str | None = None
    type: str | None = None


class _Head(Struct):
    annotators: dict[str, _About]


class _Document(Struct):
    annotators: Raw
    comparisons: list[Raw]
    metadata: _Metadata | None = None


class _Vote(Struct, gc=False):
    pref: Literal[tuple(PREFERENCES)] | None  # type: ignore[valid-type]
    no_pref_reason: Literal[tuple(REASONS)] | UnsetType | None = UNSET  # type: ignore[valid-type]


class _Comparison(Struct, gc=False):
    id: str | int | float
    response_a: dict[str, Any] | UnsetType = UNSET
    response_b: dict[str, Any] | UnsetType = UNSET
    text_a: Any = UNSET
    text_b: Any = UNSET
    prompt: str | int | float | bool | list[Any] | UnsetType | None = UNSET
    metadata: dict[str, Any] | UnsetType | None = UNSET


_CODES: dict[str | None, int] = {None: CODE["invalid"], **{word: CODE[vote] for word, vote in PREFERENCES.items()}}
_CONTRADICTION, _KEY = 15, 16
_STATES: dict[Any, dict[str | None, int]] = {
    reason: dict.fromkeys(_CODES, 3 * _KEY + _CONTRADICTION) | {None: 3 * _KEY + CODE[vote]}
    for reason, vote in REASONS.items()
} | {none: {word: keys * _KEY + code for word, code in _CODES.items()} for none, keys in ((UNSET, 2), (None, 3))}
"""no_pref_reason -> pref -> the code of the vote, and _KEY for each key that its JSON has, the annotator's included."""
PLACES = {
    "pair": ("", "id"),
    "prompt": ("", "prompt"),
    **{f"{key}_{side}": (f"response_{side}", key) for key in ("text", "model") for side in "ab"},
}
"""Column -> its place in a comparison: the object in it, if any, and the key."""


def _legal(name: str) -> str:
    """The name as a valid field name of a structure."""
    return "\x7f" + name.encode().hex() if re.search(r'["\\\x00-\x1f]', name) else name


def fault_in_words(error: Exception) -> str:
    """The path of a mismatch and its description."""
    what, _, path = str(error).replace("`", "").partition(" - at $")
    words = {"pref": PREFERENCES, "no_pref_reason": REASONS}.get(path.rpartition(".")[2])
    if words and "enum" in what:
        what = f"expected one of {', '.join(words)}; got {what.removeprefix('Invalid enum value ')}"
    return f"{path.replace('.', ', ', 1)}: {what[:1].lower()}{what[1:].replace(', got ', '; got ')}"


# --- the file ---


def read_annotated_pairs(opened: PairFile) -> AnnotatedPairs:
    """The pairs in an AnnotatedPairs file.

    Raises DataError with all problems, or drops the invalid comparisons, depending on the options.
    """
    tables.check_fixed(opened, "AnnotatedPairs JSON")
    name = opened.source.name
    with opened.source.file.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # closed with the last Raw that refers to it
    try:
        document = msgspec.json.decode(memoryview(content)[3 * (content[:3] == BOM_UTF8) :], type=_Document)
        head = {"annotators": parse(document.annotators, f"{name}, annotators")}  # refuses a repeated name
        about_each = msgspec.convert(head, _Head).annotators
    except _FAULTS as error:
        parse(decode(content[:], name), name)  # raises DataError if it is no JSON
        raise DataError(f"{name}{fault_in_words(error)}") from None
    raws, meta = document.comparisons, document.metadata or _Metadata()
    if not raws:
        raise DataError(f"{name}, comparisons: the list is empty")
    annotators = tuple(_annotator(one, about) for one, about in about_each.items())
    default = meta.default_annotator
    if default is not None and default not in about_each:
        expected = f'expected one of the annotators; got "{default:.60}"{nearest(default, about_each)}'
        raise DataError(f"{name}, metadata, default_annotator: {expected}")
    reader = _Reader(name, content, [*about_each])
    frames = [reader.read(start, raws[start : start + _BATCH]) for start in range(0, len(raws), _BATCH)]
    frame = pl.concat(frames, how="diagonal")
    shown = [f"{one:.60} (first in comparison {number})" for one, number in reader.unread.items()]
    warnings = [f"comparisons have names that are not read: {listed(shown)}"] if shown else []
    warnings += reader.findings.settle(drop=opened.options.drop)
    distinct, repeated = tables.numbered_ids(frame["pair"])
    data_set, metadata = meta.dataset_name or opened.source.stem, tuple(reader.columns)
    pairs = AnnotatedPairs(data_set, frame.lazy().with_columns(distinct), annotators, default, metadata)
    return tables.whole(name, pairs, [*warnings, *repeated])


_PRINCIPLE = re.compile(r"Select the (?:response|output|answer|text) that\s+")


def _annotator(name: str, about: _About) -> Annotator:
    """An annotator; its principle is its name if it has no other."""
    short, cut = _PRINCIPLE.subn("", (about.description or "").strip(), count=1)
    principle = short.strip(" .") if cut or about.type == TRAIT else ""
    return Annotator(name, about.name or principle or None, about.description, about.type or "unknown")


# --- comparisons ---


class _Reader:
    """Reads comparisons in batches and collects their problems.

    columns: of metadata and of further fields. unread: key that is not read -> number of the first comparison.
    """

    def __init__(self, name: str, content: mmap.mmap, annotators: Sequence[str]) -> None:
        self.name, self.content, self.annotators, self.findings = name, content, annotators, Findings("pair")
        self.columns, self.unread = dict[str, None](), dict[str, int]()
        legal = [msgspec.field(name=_legal(one), default=UNSET) for one in annotators]
        fields = [(f"vote_{nth}", _Vote | None | UnsetType, field) for nth, field in enumerate(legal)]
        votes = msgspec.defstruct("Votes", fields, gc=False, forbid_unknown_fields=True)
        further: list[Any] = [("annotations", votes | None | UnsetType, UNSET)]
        self.structure = msgspec.defstruct("Comparison", further, bases=(_Comparison,), gc=False)
        self.colons = np.array([name.count(":") for name in annotators], np.int64)
        self.decode_batch = msgspec.json.Decoder(list[self.structure]).decode  # type: ignore[name-defined]

    def read(self, start: int, raws: Sequence[Raw]) -> pl.DataFrame:
        """The valid comparisons as a table of texts and votes."""
        parts = [self._decoded(start + at, raws[at : at + _DECODED]) for at in range(0, len(raws), _DECODED)]
        decoded = {number: comparison for some, _ in parts for number, comparison in some.items()}
        if hasattr(mmap, "MADV_DONTNEED"):
            self.content.madvise(mmap.MADV_DONTNEED)  # or the whole file would stay in memory
        cells = self._cells(list(decoded.values()))
        for name in RESPONSES:  # no object is a text
            cells[name] = [None if isinstance(text, dict) else text for text in cells[name]]
        frame = text_frame(cells, self.name, partial(cell_text, nested=turns_text))
        if (theirs := metadata_name("prompt")) in cells:
            empty = pl.col("prompt").fill_null("") == ""
            frame = frame.with_columns(prompt=pl.when(empty & (pl.col(theirs) != "")).then(theirs).otherwise("prompt"))
        codes = np.concatenate([states for _, states in parts]) % _KEY
        votes = [pl.Series(VOTE + one, codes[:, nth]) for nth, one in enumerate(self.annotators)]
        frame = frame.hstack([pl.Series(ROW, list(decoded), pl.UInt32), *votes])
        both = pl.lit(pl.Series((codes == _CONTRADICTION).any(axis=1)))
        places = {name: ".".join(filter(None, place)) for name, place in PLACES.items()}
        rules = [require_value(name, "the text of a response") for name in RESPONSES]
        rules.append(CellRule("pair", both, "no annotation with a pref and a no_pref_reason"))
        return self.findings.keep(frame, rules, cells_of(frame, self.name, "comparison", ROW, places))

    def _cells(self, batch: Sequence[Any]) -> dict[str, list[Any]]:
        """The values of comparisons by column. Removes texts and models from the responses; other fields remain."""
        first = [one.response_a or {"text": one.text_a} for one in batch]  # 1.0 has no more than its text
        second = [one.response_b or {"text": one.text_b} for one in batch]
        cells = {"pair": [one.id for one in batch], "prompt": [one.prompt for one in batch]}
        for key in ("text", "model"):
            for side, responses in (("a", first), ("b", second)):
                cells[f"{key}_{side}"] = [response.pop(key, None) for response in responses]
        metadata = [one.metadata or {} for one in batch]
        for side, objects in (("", metadata), *zip(SIDES, (first, second), strict=True)):
            for key in dict.fromkeys(chain.from_iterable(objects)):
                column = f"{side}.{key}" if side else metadata_name(key)
                cells[column] = [one.get(key) for one in objects]
                self.columns[column] = None
        check_width(self.name, len(self.columns))
        return cells

    def _decoded(self, start: int, raws: Sequence[Raw]) -> tuple[dict[int, Any], NDArray[np.uint8]]:
        """Number -> comparison, for valid comparisons, and the states of their votes."""
        text = b"[%b]" % b",".join(raws)
        with suppress(*_FAULTS):
            batch = self.decode_batch(text)
            states = self._states(batch)
            colons = (np.frombuffer(text, np.uint8) == ord(":")).sum() - (states // _KEY).sum(dtype=np.int64)
            if names_once(text, batch, int(colons - ((states > 0) @ self.colons).sum())):
                return dict(enumerate(batch, start + 1)), states
        alone = ((number, self._decoded_alone(number, bytes(raw))) for number, raw in enumerate(raws, start + 1))
        decoded = {number: comparison for number, comparison in alone if comparison is not None}
        return decoded, self._states(decoded.values())

    def _decoded_alone(self, number: int, text: bytes) -> Any:  # noqa: ANN401 - a structure made for the file
        """A comparison, or None if it is invalid. Notes its keys that are not read."""
        try:
            value = parse(text, "")
            check(not_plain(value), "")
            for name in value.keys() - {*self.structure.__struct_fields__}:
                self.unread.setdefault(name, number)
            if isinstance(votes := value.get("annotations"), dict):
                value["annotations"] = {_legal(name): vote for name, vote in votes.items()}
            return msgspec.convert(value, self.structure)
        except DataError as error:
            wrong = error.lines[0]
        except msgspec.ValidationError as error:
            wrong = fault_in_words(error)
        self.findings.add(f"{self.name}, comparison {number}{wrong}", dropped=1)
        return None

    def _states(self, batch: Collection[Any]) -> NDArray[np.uint8]:
        """The states of votes (see _STATES), a row per comparison. Removes the annotations from the comparisons."""
        nobody = (UNSET,) * len(self.annotators)
        given = (one.annotations for one in batch)
        votes = chain.from_iterable([msgspec.structs.astuple(one) if one else nobody for one in given])
        coded = bytes([_STATES[vote.no_pref_reason][vote.pref] if vote else _KEY * (vote is None) for vote in votes])
        for one in batch:
            if one.annotations:
                one.annotations = None
        return np.frombuffer(coded, np.uint8).reshape(len(batch), len(self.annotators))


# --- recognition ---

_BEGINNING = re.compile(rb'\{\s*("metadata"\s*:.*)?("annotators"\s*:\s*\{|"comparisons"\s*:\s*\[)', re.DOTALL)


def _looks_like(opened: PairFile) -> bool:
    """Whether a JSON file begins with annotators or comparisons of such files, perhaps after metadata."""
    return opened.source.format == "json" and bool(_BEGINNING.match(opened.start.content))


FORMAT = Format("annotated-pairs", "annotations", read_annotated_pairs, _looks_like, 2, (".json",))
