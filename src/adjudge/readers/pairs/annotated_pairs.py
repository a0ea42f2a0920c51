"""AnnotatedPairs JSON, versions 2.0 and 1.0: what its parts must look like, and how they become columns.

    {"metadata": {"version": "2.0", "dataset_name", "description", "created_at", "default_annotator",
                  "available_metadata_keys_per_comparison": [...]},
     "annotators": {ID: {"name"?, "description"?, "type"}},
     "comparisons": [{"id", "prompt": text | null | [messages], "response_a": {"text", "model"?, ...},
                      "response_b": {...}, "annotations": {ID: {"pref", "no_pref_reason"?}}, "metadata": {}}]}

1.0 has `text_a` and `text_b` at the top of a comparison, and no version. `pref` is "a" or "b" ("text_a" or
"text_b" in 1.0; either is read in both), or null with a reason: not_applicable, invalid, both, neither,
non_preference_annotation, which is missing, or, which Adjudge adds, what became of a question that a model did not
answer: refused, unparseable, failed; null without a reason is invalid. Feedback Forensics and ICAI copy what stands in
a column into `pref`: the name of any vote, "tie", "irrelevant", or "nan", which is missing. An annotator that a
comparison does not name, or names with null, is missing there.

An annotator without a name is called by its description where that is a principle ("Select the response that is
polite": is polite). A prompt may stand in the metadata of a comparison instead.

A list of messages becomes text as in `adjudge.readers.io.json_documents`. Responses that are numbers, true or false are
read as JSON writes them, and counted in a warning. Numbers read as the shortest text that means the same
(1.0 as 1, 1e3 as 1000), whole ones digit by digit. Metadata of comparisons becomes columns of text, as do
further fields of responses (`response_a.FIELD`): those keys that the file declares, and those that its first
comparisons have. A warning names all others.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, repeat
from math import isfinite
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import nearest
from adjudge.readers.io.json_documents import Number, json_text, kind, not_plain, plain_text, text_frame, turns_text
from adjudge.readers.pairs.pairs import metadata_name
from adjudge.readers.problems import Findings
from adjudge.schemas.outcomes import UNANSWERED
from adjudge.schemas.pairs import CODE, VOTES, AnnotatedPairs

NUMBER = "__number__"
"""Name of the column with a comparison's number in its file, counted from 1."""

SIDES = ("response_a", "response_b")
_TOP = frozenset((*SIDES, "text_a", "text_b", "annotations", "metadata"))
"""Keys of a comparison that hold something else than a column."""

_PREFERENCES = {
    "a": "text_a",
    "b": "text_b",
    **{vote: vote for vote in VOTES},
    "tie": "both",
    "irrelevant": "not_applicable",
    "nan": "missing",
    "None": "missing",
}
REASONS = {
    "not_applicable": "not_applicable",
    "invalid": "invalid",
    "both": "both",
    "neither": "neither",
    "non_preference_annotation": "missing",
    **{status: status for status in UNANSWERED},
}
_METADATA_PROMPT = metadata_name("prompt")
Place = tuple[str, str]
"""Where a value stands in a comparison: the object within it, if any, and the key."""

Places = Mapping[str, Place]
"""Column of the frame -> where it stands."""

FIXED: Places = {
    "pair": ("", "id"),
    "prompt": ("", "prompt"),
    **{f"{key}_{side[-1]}": (side, key) for key in ("text", "model") for side in SIDES},
}
"""The places of columns that every file has."""

NEEDED = {"id": "text or a number", "text": "a response"}
"""Keys that must not be missing, and what they must hold."""

_EXPECTED_PREF = 'expected a pref of "a", "b" or null'

_SOUND: dict[str, Any] = {"id": "", **{side: {"text": ""} for side in SIDES}}
"""What stands in the place of a comparison that is none, so that nothing else is found wrong with it."""

Problems = defaultdict[int, list[tuple[str, str]]]
"""Position of a comparison -> what is wrong with it: where in it, and what was expected and came."""

Objects = Sequence[dict[str, Any]]


def read_vote(annotation: object) -> int | str:
    """The code of an annotation, or what is wrong with it.

    >>> read_vote({"pref": "b"}), read_vote({"pref": None}), read_vote({"pref": "c"})
    (2, 5, 'expected a pref of "a", "b" or null; got "c"')
    """
    if annotation is None:
        return CODE["missing"]
    if not isinstance(annotation, dict):
        return f"expected an object with a pref; got {kind(annotation)}"
    if not_plain(annotation) or "pref" not in annotation:
        return f"{_EXPECTED_PREF}, once; got {json_text(annotation):.60}"
    pref, reason = annotation["pref"], annotation.get("no_pref_reason")
    if pref is None:
        expected = f"expected a no_pref_reason of {', '.join(REASONS)}"
        return CODE["invalid"] if reason is None else _code(reason, REASONS, expected)
    known = _code(pref, _PREFERENCES, _EXPECTED_PREF)
    if reason is None or isinstance(known, str):
        return known
    return f"expected no no_pref_reason beside the pref {kind(pref)}; got {kind(reason)}"


def _code(value: object, known: Mapping[str, str], expected: str) -> int | str:
    """The code of a word, or what is wrong with it."""
    if isinstance(value, str):
        return CODE[known[value]] if value in known else f"{expected}; got {kind(value)}{nearest(value, known)}"
    return f"{expected}; got {kind(value)}"


@dataclass(slots=True)
class Columns:
    """Comparisons, read piece by piece into columns.

    name: of the file. head: the data set. places: of all columns of text. findings: what is wrong. rows: comparisons
    read so far. others: responses that were not text. unread: names that no column holds -> number of the first
    comparison.
    """

    name: str
    head: AnnotatedPairs
    places: Places
    findings: Findings
    rows: int = 0
    others: int = 0
    unread: dict[str, int] = field(default_factory=dict)

    def read(self, comparisons: Sequence[object]) -> pl.DataFrame:
        """Comparisons as a table: NUMBER, TEXTS, metadata, votes. Those that are wrong are left out.

        Annotations may be coded already, as bytes with the code of each annotator's vote.
        """
        problems: Problems = defaultdict(list)
        ids = dict.fromkeys(one.id for one in self.head.annotators)
        holders = _holders(comparisons, problems)
        texts = {name: _texts(holders, name, *place, problems) for name, place in self.places.items()}
        votes = [
            coded if type(coded := one.get("annotations")) is bytes else _votes(number, one, ids, problems)
            for number, one in enumerate(holders[""])
        ]
        self._refuse(holders[""], problems)
        right = [number for number in range(len(comparisons)) if number not in problems]
        self._note(holders, right)
        if problems:
            texts = {name: [column[number] for number in right] for name, column in texts.items()}
            votes = [votes[number] for number in right]
        table = np.frombuffer(b"".join(votes), dtype=np.uint8).reshape(len(right), len(ids))
        return self._table(text_frame(texts, self.name), table, np.array(right, dtype=np.uint32), len(comparisons))

    def take(self, values: Mapping[Place, pl.Series], votes: NDArray[np.uint8]) -> pl.DataFrame:
        """Rows of comparisons that all hold the same names and have no problem.

        values: what they say, a column of text per place. votes: codes, a row per comparison, a column per annotator.
        """
        for holder in ("", *SIDES, "metadata"):
            for key in sorted({key for one, key in values if one == holder} - self._read_of(holder)):
                self._not_read(holder, key, 0)
        nothing = pl.Series([None], dtype=pl.String).new_from_index(0, len(votes))
        frame = pl.DataFrame({name: values.get(place, nothing) for name, place in self.places.items()})
        return self._table(frame, votes, np.arange(len(votes), dtype=np.uint32), len(votes))

    def _table(
        self, frame: pl.DataFrame, votes: NDArray[np.uint8], right: NDArray[np.uint32], rows: int
    ) -> pl.DataFrame:
        """Texts and votes with the numbers of their comparisons, the positions of which are given, among so many."""
        if _METADATA_PROMPT in frame.columns:
            empty, other = pl.col("prompt").fill_null("") == "", pl.col(_METADATA_PROMPT)
            frame = frame.with_columns(prompt=pl.when(empty & (other != "")).then(other).otherwise("prompt"))
        numbers = pl.Series(NUMBER, right + np.uint32(self.rows + 1))
        self.rows += rows
        coded = [pl.Series(one.column, votes[:, place]) for place, one in enumerate(self.head.annotators)]
        return frame.hstack([numbers, *coded])

    def _refuse(self, comparisons: Objects, problems: Problems) -> None:
        for number, told in sorted(problems.items()):
            one = comparisons[number].get("id")
            named = f" (id {one:.60})" if one and isinstance(one, str) else ""
            for place, expected in told:
                self.findings.add(f"{self.name}, comparison {self.rows + 1 + number}{named}{place}: {expected}")
        self.findings.dropped += len(problems)

    def _note(self, holders: Mapping[str, Objects], right: Sequence[int]) -> None:
        """What a reader must know of the comparisons that are right."""
        for side in SIDES:
            said = list(map(type, (one.get("text") for one in holders[side])))
            self.others += 0 if set(said) <= {str} else sum(said[number] is not str for number in right)
        for holder, objects in holders.items():
            known = self._read_of(holder)
            # Comparisons name the same keys again and again: whether any is unknown is asked once per way of doing so.
            if known.issuperset(chain.from_iterable(set(map(tuple, objects)))):
                continue
            for number in right:
                for key in sorted(objects[number].keys() - known):
                    self._not_read(holder, key, number)

    def _read_of(self, holder: str) -> set[str]:
        """The names of an object that are read."""
        return {key for one, key in self.places.values() if one == holder}.union(() if holder else _TOP)

    def _not_read(self, holder: str, key: str, number: int) -> None:
        self.unread.setdefault(f"{holder}, {key}" if holder else key, self.rows + 1 + number)


def _holders(comparisons: Sequence[object], problems: Problems) -> dict[str, Objects]:
    """The comparisons (""), their responses as 2.0 has them, and their metadata."""
    tops = [one if isinstance(one, dict) else _SOUND for one in comparisons]
    for number, one in enumerate(comparisons):
        if type(one) is not dict:
            problems[number].append(("", not_plain(one) or ""))
    return {"": tops, **{key: _inner(tops, key, problems) for key in (*SIDES, "metadata")}}


def _inner(tops: Objects, key: str, problems: Problems) -> Objects:
    """The objects under a key of comparisons."""
    found: list[Any] = [top.get(key) for top in tops]
    if set(map(type, found)) <= {dict}:
        return found
    return [_object(top, key, number, problems) for number, top in enumerate(tops)]


def _object(comparison: Mapping[str, Any], key: str, number: int, problems: Problems) -> dict[str, Any]:
    found = comparison.get(key)
    if type(found) is dict:
        return found
    if _is_old(comparison, key):
        return {"text": comparison[f"text_{key[-1]}"]}
    if found is None:
        return {}
    problems[number].append((f", {key}", not_plain(found) or ""))
    return {"text": ""} if key in SIDES else {}


def _is_old(comparison: Mapping[str, Any], key: str) -> bool:
    """Whether a response stands as in 1.0."""
    return key in SIDES and key not in comparison and f"text_{key[-1]}" in comparison


def _texts(holders: Mapping[str, Objects], name: str, holder: str, key: str, problems: Problems) -> list[str | None]:
    """What stands at a place of every comparison, as text."""
    found = [inner.get(key) for inner in holders[holder]]
    if set(map(type, found)) <= ({str} if name in FIXED and key in NEEDED else {str, type(None)}):
        return found
    for number, value in enumerate(found):
        if type(value) is str:
            continue
        if name in FIXED and (wrong := _wrong(key, value)):
            old = _is_old(holders[""][number], holder)
            where = f"text_{holder[-1]}" if old else f"{holder}, {key}" if holder else key
            problems[number].append((f", {where}", wrong))
        else:
            turns = name in FIXED or name == _METADATA_PROMPT
            found[number] = turns_text(value) if turns and isinstance(value, list) else _scalar(value)
    return found


def _wrong(key: str, value: object) -> str | None:
    """What is wrong with a value that is not text, of a column that every file has."""
    if value is None:
        return f"expected {NEEDED[key]}; got nothing" if key in NEEDED else None
    if isinstance(value, dict) or (isinstance(value, list) and key not in {"prompt", "text"}):
        return f"expected text; got {kind(value)}"
    return None


def _scalar(value: object) -> str | None:
    """A value as text; a number with decimals as the shortest that means the same, without exponent."""
    if isinstance(value, list | dict):
        return json_text(value)
    if isinstance(value, Number) and value.removeprefix("-").isdigit():
        return "0" if value == "-0" else str(value)
    if not isinstance(value, Number) or not isfinite(number := float(value)):
        return plain_text(value)
    return format(Decimal(repr(number)), "f").removesuffix(".0")


def _votes(number: int, comparison: Mapping[str, Any], declared: Collection[str], problems: Problems) -> bytes:
    """The code of each annotator's vote."""
    found = {}
    for one, annotation in _object(comparison, "annotations", number, problems).items():
        vote = read_vote(annotation)
        if one not in declared:
            vote = f"expected an annotator declared under annotators{nearest(one, declared)}"
        if isinstance(vote, str):
            problems[number].append((f", annotations, {one:.60}", vote))
        else:
            found[one] = vote
    return bytes(map(found.get, declared, repeat(CODE["missing"])))
