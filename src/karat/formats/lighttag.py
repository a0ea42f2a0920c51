"""Exports of LightTag: examples, with who saw each, what they marked in it, and how they classed it.

{"examples": [{"example_id": "e1", "content": "Cures headache.", "metadata": {}, "seen_by": [{"annotator": "ana"}],
  "annotations": [{"start": 0, "end": 5, "value": "Cures", "tag": "claim", "annotated_by": [{"annotator": "ana"}]}],
  "classifications": [{"classname": "ad", "classified_by": [{"annotator": "ana"}]}]}]}
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from karat.errors import DataError
from karat.formats.documents import kind, plain_text
from karat.formats.judgments import Options as LabelOptions
from karat.formats.judgments import Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.reading import first_under, held_under, object_in, objects_in
from karat.formats.source import Format
from karat.formats.violations import Options as SpanOptions
from karat.schemas.violations import ID, TEXT

_EXAMPLES, _ID, _TEXT, _SEEN = "examples", "example_id", "content", "seen_by"
_MARKS, _BY = "annotations", "annotated_by"
_CLASSES, _CLASSED_BY = "classifications", "classified_by"
_WHO, _CLASS = "annotator", "class"
_KEYS = {"start": "start", "end": "end", "context": "value", "rule": "tag"}


def read_lighttag_spans(found: Opened[SpanOptions]) -> Raw:
    """Exports of LightTag: a line for each text and each annotator who saw it; tags are rules.

    Without a list of those who saw a text nothing says in which texts an annotator found nothing: it is refused. What
    nobody is said to have marked, and texts that nobody saw, are left out and counted.
    """
    names, counts = found.options, Counter[str]()
    names.check_mapped("LightTag's examples", MAPPED)
    own = {name: key for name, key in ((ID, _ID), (TEXT, _TEXT)) if name not in names.columns}

    def marked(example: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        said = {**object_in(example, "metadata"), **example, **{name: example.get(key) for name, key in own.items()}}
        marks = objects_in(example, _MARKS)
        counts["violations that nobody is said to have marked are left out"] += sum(not one.get(_BY) for one in marks)
        counts["violations that a reviewer called wrong count"] += sum(one.get("correct") is False for one in marks)
        seen = _seen(example, marks, _BY)
        counts["texts that nobody saw are left out"] += not seen
        for who in seen:
            whose = [_violation(mark) for mark in marks if who in _people(mark, _BY)]
            yield {**said, names.theirs(_WHO): who}, whose

    raw = raw_of_objects(held_under(found.objects, _EXAMPLES, "example"), names, marked)
    return raw.warned(f"{told}: {count:,}" for told, count in counts.items() if count)


def _violation(mark: Mapping[str, Any]) -> dict[str, Any]:
    return {part: mark.get(key) for part, key in _KEYS.items()}


def read_lighttag_classes(found: Opened[LabelOptions]) -> Parts:
    """Exports of LightTag: classes of whole texts, and who saw each.

    A row for each text and each annotator who saw it; several classes are one label, the sorted set.
    """

    def rows(example: dict[str, Any]) -> Iterator[Row]:
        known, classes = {**object_in(example, "metadata"), **example}, objects_in(example, _CLASSES)
        for who in _seen(example, classes, _CLASSED_BY):
            chosen = [plain_text(one.get("classname")) for one in classes if who in _people(one, _CLASSED_BY)]
            yield Row({**known, _WHO: who}, {_CLASS: chosen or None})

    examples = held_under(found.objects, _EXAMPLES, "example")
    return unfolded(found, Tool({"item": _ID, "annotator": _WHO}, rows), examples)


def _seen(example: Mapping[str, Any], said: list[dict[str, Any]], by: str) -> list[str]:
    """Who saw an example, those who said something of it among them."""
    if not isinstance(example.get(_SEEN), list):
        raise DataError(
            f", {_SEEN}: expected a list of who saw the text, without which nothing says who found nothing in it; "
            f"got {kind(example.get(_SEEN))}. Export the examples with it"
        )
    return list(dict.fromkeys([*_people(example, _SEEN), *(who for one in said for who in _people(one, by))]))


def _people(holder: Mapping[str, Any], key: str) -> list[str]:
    """The people in a list: by name, else by number."""
    names = (plain_text(one.get(_WHO)) or plain_text(one.get("annotator_id")) for one in objects_in(holder, key))
    return [name for name in names if name]


def _holding(found: Opened[Any], key: str) -> bool:
    """Whether any of the first examples holds something in a list, as LightTag calls it."""
    return any({_ID, _TEXT} <= one.keys() and one.get(key) for one in first_under(found.first, _EXAMPLES))


FORMAT = (
    Format(
        "lighttag",
        "violations",
        read_lighttag_spans,
        lambda found: _holding(found, _MARKS),
        endings=(".json",),
    ),
    Format(
        "lighttag",
        "reliability",
        read_lighttag_classes,
        lambda found: _holding(found, _CLASSES),
        endings=(".json",),
    ),
)
