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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.errors import nearest
from adjudge.readers.io.json_documents import json_text, kind, not_plain, plain_text, turns_text
from adjudge.readers.problems import Findings
from adjudge.schemas.outcomes import UNANSWERED
from adjudge.schemas.pairs import CODE, VOTES

SIDES = ("response_a", "response_b")
PREFERENCES = {
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

PARTS = frozenset((*SIDES, "text_a", "text_b", "annotations", "metadata"))
"""Keys of a comparison that hold something else than a column."""

_NEEDED = {"id": "text or a number", "text": "a response"}
"""Keys that must not be missing, and what they must hold."""

_CONVERSATIONS = {FIXED["prompt"], FIXED["text_a"], FIXED["text_b"], ("metadata", "prompt")}
"""Places where a list is one of messages."""

_EXPECTED_PREF = 'expected a pref of "a", "b" or null'


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
    known = _code(pref, PREFERENCES, _EXPECTED_PREF)
    if reason is None or isinstance(known, str):
        return known
    return f"expected no no_pref_reason beside the pref {kind(pref)}; got {kind(reason)}"


def _code(value: object, known: Mapping[str, str], expected: str) -> int | str:
    """The code of a word, or what is wrong with it."""
    if isinstance(value, str):
        return CODE[known[value]] if value in known else f"{expected}; got {kind(value)}{nearest(value, known)}"
    return f"{expected}; got {kind(value)}"


def text_of(value: object, place: Place) -> str | None:
    """A value of a comparison as text; a prompt or a response that is a list of messages as their text."""
    if isinstance(value, list):
        return turns_text(value) if place in _CONVERSATIONS else json_text(value)
    return json_text(value) if isinstance(value, dict) else plain_text(value)


@dataclass(slots=True)
class Comparisons:
    """Comparisons, read one by one, with all that is wrong with them.

    name: of the file. places: of the columns of text. annotators: the ids declared. findings: what is wrong. others:
    responses that were not text. unread: names that no column holds -> number of the first comparison.
    """

    name: str
    places: Places
    annotators: Sequence[str]
    findings: Findings = field(default_factory=lambda: Findings("pair"))
    others: int = 0
    unread: dict[str, int] = field(default_factory=dict)

    def read(self, number: int, comparison: object) -> tuple[list[str | None], bytes] | None:
        """The text of each column and the code of each annotator's vote; None where anything is wrong."""
        if not isinstance(comparison, dict) or not_plain(comparison):
            self._refuse(number, comparison, {"": not_plain(comparison) or ""})
            return None
        problems = dict[str, str]()
        holders = {"": comparison, **{key: _part(comparison, key, problems) for key in (*SIDES, "metadata")}}
        texts = [_text(holders, *place, problems) for place in self.places.values()]
        votes = dict.fromkeys(self.annotators, CODE["missing"])
        for annotator, annotation in _part(comparison, "annotations", problems).items():
            vote = read_vote(annotation)
            if annotator not in votes:
                vote = f"expected an annotator declared under annotators{nearest(annotator, votes)}"
            if isinstance(vote, str):
                problems[f", annotations, {annotator:.60}"] = vote
            else:
                votes[annotator] = vote
        if problems:
            self._refuse(number, comparison, problems)
            return None
        self.others += sum(type(holders[side]["text"]) is not str for side in SIDES)
        for holder, values in holders.items():
            for key in sorted(values.keys() - self.read_of(holder)):
                self.add_unread(holder, key, number)
        return texts, bytes(votes.values())

    def read_of(self, holder: str) -> set[str]:
        """The names of an object that are read."""
        return {key for part, key in self.places.values() if part == holder}.union(() if holder else PARTS)

    def add_unread(self, holder: str, key: str, number: int) -> None:
        """A name that no column holds, in a comparison."""
        name = f"{holder}, {key}" if holder else key
        self.unread[name] = min(number, self.unread.get(name, number))

    def _refuse(self, number: int, comparison: object, problems: Mapping[str, str]) -> None:
        pair = comparison.get("id") if isinstance(comparison, dict) else None
        named = f" (id {pair:.60})" if pair and isinstance(pair, str) else ""
        for place, expected in problems.items():
            self.findings.add(f"{self.name}, comparison {number}{named}{place}: {expected}")
        self.findings.dropped += 1


def _part(comparison: Mapping[str, Any], key: str, problems: dict[str, str]) -> dict[str, Any]:
    """An object in a comparison, empty where it is missing; a response of 1.0 as 2.0 has it."""
    value = comparison.get(key)
    if type(value) is dict:
        return value
    if _is_old(comparison, key):
        return {"text": comparison[f"text_{key[-1]}"]}
    if value is None:
        return {}
    problems[f", {key}"] = not_plain(value) or ""
    return {"text": ""} if key in SIDES else {}


def _is_old(comparison: Mapping[str, Any], key: str) -> bool:
    """Whether a response stands as in 1.0."""
    return key in SIDES and key not in comparison and f"text_{key[-1]}" in comparison


def _text(holders: Mapping[str, Mapping[str, Any]], holder: str, key: str, problems: dict[str, str]) -> str | None:
    """The text at a place; what is wrong with it is added to problems."""
    value, wrong = holders[holder].get(key), ""
    if (holder, key) in FIXED.values():
        if value is None and key in _NEEDED:
            wrong = f"expected {_NEEDED[key]}; got nothing"
        elif isinstance(value, dict) or (isinstance(value, list) and (holder, key) not in _CONVERSATIONS):
            wrong = f"expected text; got {kind(value)}"
    if wrong:
        old = f"text_{holder[-1:]}" if _is_old(holders[""], holder) else ""
        problems[f", {old or (f'{holder}, {key}' if holder else key)}"] = wrong
        return None
    return text_of(value, (holder, key))
