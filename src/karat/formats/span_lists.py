"""JSON lines with several lists of spans beside a text, such as gold_spans and predicted_spans: an annotator each.

{"doc_id": 1, "text": "It cures all.", "gold_spans": [{"start": 3, "end": 12, "label": "claim"}], "predicted_spans": []}
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karat.formats.documents import Number, kind, not_plain
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.reading import check, list_in
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import TEXT

_WHO = "annotator"
_BOUNDS = {"start", "end"}
_RULES = ("rule", "label", "type")
"""What a span may call the rule that it is about."""
_SEVERAL = 2


def read_span_lists(found: Opened[Options]) -> Raw:
    """A line for each text and list; the list's name is the annotator. Without its list nobody looked at a text."""
    names = found.options
    names.check_mapped("lines with lists of spans", MAPPED)
    keys = _lists(value for value in found.objects.values if isinstance(value, dict))

    def marked(line: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        for key in (one for one in keys if line.get(one) is not None):
            yield {**line, names.theirs(_WHO): key}, [_violation(mark, key) for mark in list_in(line, key)]

    return raw_of_objects(found.objects, names, marked)


def _violation(mark: object, key: str) -> object:
    """A span as a violation. Raises DataError for what is no object."""
    if not isinstance(mark, dict):
        check(f"expected spans; got {kind(mark)}", f", {key}")
        return mark
    check(not_plain(mark), f", {key}")
    rule = next((mark[name] for name in _RULES if name in mark), None)
    return {**mark, "rule": rule, "context": mark.get("context", mark.get(TEXT))}


def _lists(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """The names under which objects hold lists of spans, and nothing else; some of them may be empty."""
    found: dict[str, bool] = {}
    for value in values:
        for key, held in value.items():
            if isinstance(held, list) and held:
                found[key] = found.get(key, True) and all(map(_is_span, held))
    return [key for key, spans in found.items() if spans]


def _is_span(mark: object) -> bool:
    return isinstance(mark, dict) and mark.keys() >= _BOUNDS and all(isinstance(mark[one], Number) for one in _BOUNDS)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether the first objects hold a text and several lists of spans."""
    texts = all(found.theirs(TEXT) in value for value in found.first)
    return found.is_json and bool(found.first) and texts and len(_lists(found.first)) >= _SEVERAL


FORMAT = Format("span-lists", "violations", read_span_lists, _looks_like, -1, (".jsonl", ".json"))
