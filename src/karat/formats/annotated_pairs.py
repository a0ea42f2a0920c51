"""AnnotatedPairs JSON, versions 2.0 and 1.0: what its parts must look like, and how they become columns.

    {"metadata": {"version": "2.0", "dataset_name", "description", "created_at", "default_annotator",
                  "available_metadata_keys_per_comparison": [...]},
     "annotators": {ID: {"name"?, "description"?, "type"}},
     "comparisons": [{"id", "prompt": text | null | [messages], "response_a": {"text", "model"?, ...},
                      "response_b": {...}, "annotations": {ID: {"pref", "no_pref_reason"?}}, "metadata": {}}]}

1.0 has `text_a` and `text_b` at the top of a comparison, and no version. `pref` is "a" or "b" ("text_a" or
"text_b" in 1.0; either is read in both), or null with a reason: not_applicable, invalid, both, neither, or
non_preference_annotation, which is missing; null without a reason is invalid. An annotator that a comparison
does not name, or names with null, is missing there.

A list of messages becomes text as in `karat.formats.messages`. Responses that are numbers, true or false are
read as JSON writes them, and counted in a warning. Numbers read as the shortest text that means the same
(1.0 as 1, 1e3 as 1000), whole ones digit by digit. Metadata of comparisons becomes columns of text, as do
further fields of responses (`response_a.FIELD`): those keys that the file declares, and those that its first
comparisons have. A warning names all others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isfinite
from typing import Any

import polars as pl

from karat.errors import encodable, nearest
from karat.formats.documents import Number, Repeated, kind, not_plain, plain_text, scalar_text, text_frame
from karat.formats.findings import Findings, said_twice
from karat.formats.messages import json_text, turns_text
from karat.formats.wide_pairs import metadata_name
from karat.schemas.pairs import CODE, VOTE, Annotator

NUMBER = "__number__"
"""Name of the column with a comparison's number in its file, counted from 1."""

SIDES = ("response_a", "response_b")
_TOP = frozenset(("id", "prompt", *SIDES, "text_a", "text_b", "annotations", "metadata"))
PREFERENCES = {"a": "text_a", "b": "text_b", "text_a": "text_a", "text_b": "text_b"}
REASONS = {
    "not_applicable": "not_applicable",
    "invalid": "invalid",
    "both": "both",
    "neither": "neither",
    "non_preference_annotation": "missing",
}
FIXED = {
    "pair": ("", "id"),
    "prompt": ("", "prompt"),
    **{f"{key}_{side[-1]}": (side, key) for key in ("text", "model") for side in SIDES},
}
"""Frame column -> where it stands in every comparison: the object within it, if any, and the key."""

_NEEDED = {"id": "text or a number", "text": "a response"}
"""Keys that must not be missing, and what they must hold."""

_EXPECTED_PREF = 'expected a pref of "a", "b" or null'

Problems = list[tuple[str, str]]
"""What is wrong with a comparison: where in it, and what was expected and came."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an AnnotatedPairs file says once.

    further: frame column -> where it stands in a comparison. unread: names that first comparisons hold and that
    mean nothing here -> number of the comparison that holds them first.
    """

    name: str
    annotators: tuple[Annotator, ...]
    default: str | None
    dataset: str | None
    description: str | None
    created_at: str | None
    further: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)

    @property
    def places(self) -> dict[str, tuple[str, str]]:
        """Frame column -> where it stands in a comparison, of all columns of text."""
        return {**FIXED, **self.further}


def read_head(name: str, members: Mapping[str, object], sample: Sequence[object]) -> Head:
    """The head from the file's members other than comparisons, and its first comparisons.

    name: of the file, for messages. Raises DataError where a member is not what it must be.
    """
    findings = Findings()
    metadata = _member(name, members, "metadata", findings)
    declared = _member(name, members, "annotators", findings, needed=True)
    annotators = [_annotator(f"{name}, annotators, {one:.60}", one, about, findings) for one, about in declared.items()]
    told = _told(f"{name}, metadata", metadata, _TOLD, findings)
    default = told["default_annotator"]
    if default is not None and default not in declared:
        findings.add(
            f"{name}, metadata, default_annotator: expected one of the annotators declared; "
            f'got "{default:.60}"{nearest(default, declared)}'
        )
    keys = metadata.get("available_metadata_keys_per_comparison") or []
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        findings.add(
            f"{name}, metadata, available_metadata_keys_per_comparison: expected a list of names; got {kind(keys)}"
        )
        keys = []
    further = _further(keys, sample)
    for one in (*declared, *further):
        if not encodable(one):
            findings.add(f"{name}: expected names in UTF-8; got {one!r:.60}")
    findings.settle()
    return Head(
        name=name,
        annotators=tuple(annotators),
        default=default,
        dataset=told["dataset_name"],
        description=told["description"],
        created_at=told["created_at"],
        further=further,
        unread=_strange(sample),
    )


_TOLD = ("default_annotator", "dataset_name", "description", "created_at", "version")


def _member(
    name: str, members: Mapping[str, object], key: str, findings: Findings, *, needed: bool = False
) -> dict[str, object]:
    """A member of the document that is an object; empty where it is missing and need not be there."""
    found = members.get(key)
    if found is None and not needed:
        return {}
    if wrong := not_plain(found) if key in members else "expected an object; got nothing":
        findings.add(f"{name}, {key}: {wrong}")
    return found if isinstance(found, dict) else {}


def _told(place: str, holder: Mapping[str, object], keys: Sequence[str], findings: Findings) -> dict[str, str | None]:
    """Texts of an object; anything else is a problem."""
    for key in keys:
        if isinstance(holder.get(key), list | dict):
            findings.add(f"{place}, {key}: expected text; got {kind(holder[key])}")
    return {key: plain_text(holder.get(key)) for key in keys}


def _annotator(place: str, one: str, about: object, findings: Findings) -> Annotator:
    if not isinstance(about, dict):
        findings.add(f"{place}: expected an object; got {kind(about)}")
        return Annotator(one)
    texts = _told(place, about, ("name", "description", "type"), findings)
    return Annotator(one, texts["name"], texts["description"], texts["type"] or "unknown")


def _further(declared: Sequence[str], sample: Sequence[object]) -> dict[str, tuple[str, str]]:
    """Frame column -> (holder, key) of all that comparisons hold beside what every one does."""
    comparisons = [one for one in sample if isinstance(one, dict)]
    found = dict.fromkeys(("metadata", key) for key in declared)
    for holder in ("metadata", *SIDES):
        for one in comparisons:
            inner = one.get(holder)
            known = ("text", "model") if holder in SIDES else ()
            if isinstance(inner, dict):
                found |= dict.fromkeys((holder, key) for key in inner if key not in known)
    return {(metadata_name(key) if holder == "metadata" else f"{holder}.{key}"): (holder, key) for holder, key in found}


def _strange(sample: Sequence[object]) -> dict[str, int]:
    """Names at the top of comparisons that mean nothing here -> number of the first comparison."""
    found: dict[str, int] = {}
    for number, one in enumerate(sample, 1):
        if isinstance(one, dict) and not one.keys() <= _TOP:
            for name in one.keys() - _TOP:
                found.setdefault(name, number)
    return found


def read_vote(annotation: object) -> int | str:
    """The code of an annotation, or what is wrong with it.

    >>> read_vote({"pref": "b"}), read_vote({"pref": None}), read_vote({"pref": "c"})
    (2, 5, 'expected a pref of "a", "b" or null; got "c"')
    """
    if annotation is None:
        return CODE["missing"]
    if not isinstance(annotation, dict):
        return f"expected an object with a pref; got {kind(annotation)}"
    if isinstance(annotation, Repeated) or "pref" not in annotation:
        return f"{_EXPECTED_PREF}, once; got {json_text(annotation):.60}"
    pref, reason = annotation["pref"], annotation.get("no_pref_reason")
    if pref is None:
        return CODE["invalid"] if reason is None else _no_preference(reason)
    if not isinstance(pref, str) or pref not in PREFERENCES:
        return f"{_EXPECTED_PREF}; got {kind(pref)}{_nearest(pref, PREFERENCES)}"
    known = CODE[PREFERENCES[pref]]
    return known if reason is None else f"expected no no_pref_reason beside the pref {kind(pref)}; got {kind(reason)}"


def _no_preference(reason: object) -> int | str:
    if isinstance(reason, str) and reason in REASONS:
        return CODE[REASONS[reason]]
    return f"expected a no_pref_reason of {', '.join(REASONS)}; got {kind(reason)}{_nearest(reason, REASONS)}"


def _nearest(value: object, known: Mapping[str, str]) -> str:
    return nearest(value, known) if isinstance(value, str) else ""


@dataclass(slots=True)
class Columns:
    """Comparisons, read one by one into columns; what is wrong goes to `findings`.

    rows: comparisons read so far, also by other means. others: responses that were not text. unread: names that no
    column holds -> number of the first comparison.
    """

    head: Head
    findings: Findings
    rows: int = 0
    others: int = 0
    unread: dict[str, int] = field(default_factory=dict)
    texts: dict[str, list[str | None]] = field(init=False)
    votes: dict[str, bytearray] = field(init=False)
    numbers: list[int] = field(init=False)

    def read(self, comparisons: Iterable[object]) -> pl.DataFrame:
        """Comparisons as a table: NUMBER, TEXTS, further columns, votes. Those that are wrong are left out."""
        self.texts = {name: [] for name in self.head.places}
        self.votes = {one.id: bytearray() for one in self.head.annotators}
        self.numbers = []
        for comparison in comparisons:
            self.rows += 1
            self._add(self.rows, comparison)
        texts = text_frame(self.texts, self.head.name)
        votes = [pl.Series(VOTE + one, list(codes), dtype=pl.UInt8) for one, codes in self.votes.items()]
        return texts.with_columns(*votes).insert_column(0, pl.Series(NUMBER, self.numbers, pl.UInt32))

    def _add(self, number: int, comparison: object) -> None:
        problems: Problems = []
        row = _row(self.head, comparison, problems)
        votes = _votes(self.votes, comparison, problems)
        if problems:
            where = _where(self.head.name, number, comparison)
            for place, expected in problems:
                self.findings.add(f"{where}{place}: {expected}")
            self.findings.dropped += 1
            return
        self.others += sum(_is_other(comparison, side) for side in SIDES)
        self.numbers.append(number)
        for name in _unread(self.head, comparison):
            self.unread.setdefault(name, number)
        for name, column in self.texts.items():
            column.append(row.get(name))
        for one, codes in self.votes.items():
            codes.append(votes.get(one, 0))


def _where(name: str, number: int, comparison: object) -> str:
    one = comparison.get("id") if isinstance(comparison, dict) else None
    return f"{name}, comparison {number}" + (f" (id {one:.60})" if isinstance(one, str) else "")


def _row(head: Head, comparison: object, problems: Problems) -> dict[str, str | None]:
    if not isinstance(comparison, dict):
        problems.append(("", f"expected an object; got {kind(comparison)}"))
        return {}
    if isinstance(comparison, Repeated):
        problems.append(("", said_twice(comparison.repeated)))
    holders = {"": comparison, **{side: _response(comparison, side, problems) for side in SIDES}}
    holders["metadata"] = _object(comparison, "metadata", problems)
    row = {name: _scalar(holders[holder].get(key)) for name, (holder, key) in head.further.items()}
    wrong = {place for place, _ in problems}
    for name, (holder, key) in FIXED.items():
        value = holders[holder].get(key)
        if isinstance(value, dict) or (isinstance(value, list) and key not in {"prompt", "text"}):
            problems.append((_place(comparison, holder, key), f"expected text; got {kind(value)}"))
        elif value is None and key in _NEEDED:
            if f", {holder}" not in wrong:
                problems.append((_place(comparison, holder, key), f"expected {_NEEDED[key]}; got nothing"))
        else:
            row[name] = turns_text(value) if isinstance(value, list) else _scalar(value)
    return row


def _place(comparison: Mapping[str, Any], holder: str, key: str) -> str:
    if not holder:
        return f", {key}"
    return f", text_{holder[-1]}" if _is_old(comparison, holder) else f", {holder}, {key}"


def _object(comparison: Mapping[str, Any], key: str, problems: Problems) -> dict[str, Any]:
    found = comparison.get(key)
    if found is not None and (wrong := not_plain(found)):
        problems.append((f", {key}", wrong))
    return found if isinstance(found, dict) else {}


def _is_old(comparison: Mapping[str, Any], side: str) -> bool:
    """Whether a response stands as in 1.0."""
    return side not in comparison and f"text_{side[-1]}" in comparison


def _response(comparison: Mapping[str, Any], side: str, problems: Problems) -> dict[str, Any]:
    """A response as 2.0 has it; of 1.0, a made one."""
    if _is_old(comparison, side):
        return {"text": comparison[f"text_{side[-1]}"]}
    return _object(comparison, side, problems)


def _scalar(value: object) -> str | None:
    """A value as text; a number with decimals as the shortest that means the same, without exponent."""
    if isinstance(value, list | dict):
        return json_text(value)
    if not isinstance(value, Number) or not isfinite(number := float(value)):
        return scalar_text(value)
    if value.removeprefix("-").isdigit():
        return "0" if value == "-0" else str(value)
    return format(Decimal(repr(number)), "f").removesuffix(".0")


def _unread(head: Head, comparison: Any) -> Iterator[str]:  # noqa: ANN401 - a comparison that is right
    """The names in a comparison that no column holds."""
    known = set(head.further.values())
    yield from comparison.keys() - _TOP
    for holder in ("metadata", *SIDES):
        own = {"text", "model"} if holder in SIDES else set()
        for key in (comparison.get(holder) or {}).keys() - own:
            if (holder, key) not in known:
                yield f"{holder}, {key}"


def _is_other(comparison: Any, side: str) -> bool:  # noqa: ANN401 - a comparison that is right
    response = comparison.get(side)
    value = response["text"] if isinstance(response, dict) else comparison[f"text_{side[-1]}"]
    return not isinstance(value, str) or isinstance(value, Number)


def _votes(declared: Mapping[str, object], comparison: object, problems: Problems) -> dict[str, int]:
    if not isinstance(comparison, dict):
        return {}
    found = {}
    for one, annotation in _object(comparison, "annotations", problems).items():
        vote = read_vote(annotation)
        place = f", annotations, {one:.60}"
        if one not in declared:
            problems.append((place, f"expected an annotator declared under annotators{nearest(one, declared)}"))
        elif isinstance(vote, str):
            problems.append((place, vote))
        else:
            found[one] = vote
    return found
