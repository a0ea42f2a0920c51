"""JSON lines as doccano exports them: a text per line, with lists of start, end and label, or with entities.

{"id": 1, "text": "Cures headache.", "label": [[0, 5, "claim"]], "Comments": []}
{"id": 1, "text": "Cures headache.", "entities": [{"id": 7, "label": "claim", "start_offset": 0, "end_offset": 5}],
 "relations": []}
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from karat.formats.documents import Number, kind, not_plain
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import TEXT

_LISTS = ("label", "labels", "entities", "annotations")
"""Where exports of its versions hold the spans."""

_OFFSETS = ("start_offset", "end_offset")
_TRIPLE = ("start", "end", "rule")
_OTHERS = {"relations": "relations between spans", "cats": "labels of whole texts"}
"""What an export may hold that marks nothing in a text, and its words."""


def read_doccano(found: Opened[Options]) -> Raw:
    """A line for each text and annotator; labels are rules. Relations and labels of whole texts are counted."""
    names = found.options
    names.check_mapped("doccano's lines", MAPPED)

    def split(value: Holder) -> Iterator[tuple[Holder, list[object]]]:
        """What each annotator marked in a line, or what is marked in it where its spans name none."""
        marks = value[_key(value) or ""]
        users = dict.fromkeys(map(_user, marks)) or [None]
        for user in users:
            who = {} if user is None else {names.theirs("annotator"): user}
            yield {**value, **who}, [_violation(mark) for mark in marks if _user(mark) == user]

    return raw_of_objects(found.objects, names, _wrong, split).warned(_left_out(found.objects.values))


def _wrong(value: Mapping[str, Any]) -> str | None:
    """What is wrong with a line, in words that follow its number."""
    if _key(value) is not None:
        return None
    key = next((key for key in _LISTS if key in value), None)
    if key is None:
        return f": expected one of {', '.join(_LISTS)}; got {', '.join(value) or 'nothing':.100}"
    return f", {key}: expected a list of spans; got {kind(value[key])}"


def _key(value: Mapping[str, Any]) -> str | None:
    """Under which name a line holds its spans."""
    return next((key for key in _LISTS if isinstance(value.get(key), list)), None)


def _user(mark: object) -> str | None:
    user = mark.get("user") if isinstance(mark, dict) else None
    return user if isinstance(user, str) else None


def _violation(mark: object) -> object:
    """A span as a violation; what is none stays as it is, to be told of."""
    if isinstance(mark, list) and len(mark) == len(_TRIPLE):
        return dict(zip(_TRIPLE, mark, strict=True))
    if isinstance(mark, dict) and not not_plain(mark):
        start, end = (mark.get(key) for key in _OFFSETS)
        return {"start": start, "end": end, "rule": mark.get("label")}
    return mark


def _left_out(values: Sequence[object]) -> list[str]:
    lists = ((key, value[key]) for value in values if isinstance(value, dict) for key in _OTHERS if key in value)
    counts = Counter(key for key, held in lists if isinstance(held, list) for _ in held)
    told = ", ".join(f"{_OTHERS[key]} {count:,}" for key, count in counts.items())
    return [f"left out, since they mark nothing in a text: {told}"] if told else []


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first lines hold a text and spans as doccano writes them, or as it writes that there are none."""
    if not found.first or any("annotation_id" in value or TEXT not in value for value in found.first):
        return False
    marks = [mark for value in found.first if (key := _key(value)) for mark in value[key]]
    if marks:
        return all(map(_is_span, marks))
    return any([] in (value.get("label"), value.get("entities")) for value in found.first)


def _is_span(mark: object) -> bool:
    if isinstance(mark, dict):
        return set(_OFFSETS) <= mark.keys()
    return isinstance(mark, list) and len(mark) == len(_TRIPLE) and all(isinstance(one, Number) for one in mark[:2])


FORMAT = Format("doccano", "violations", read_doccano, _looks_like, 2, (".jsonl",))
