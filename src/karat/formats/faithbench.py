"""FaithBench: samples of a source and its summary, with what each annotator marked in the summary.

[{"sample_id": 0, "source": "...", "summary": "It cures.", "annotations": [{"annot_id": 1, "annotator": "a3",
  "label": ["Unwanted", "Unwanted.Intrinsic"], "note": "why", "summary_span": "cures", "summary_start": 3,
  "summary_end": 8}]}]
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from karat.errors import DataError
from karat.formats.documents import plain_text
from karat.formats.findings import counted
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.reading import objects_in
from karat.formats.source import Format
from karat.formats.violations import Options
from karat.schemas.violations import ID, TEXT

_ID, _TEXT, _MARKS = "sample_id", "summary", "annotations"
_KEYS = {"start": "summary_start", "end": "summary_end", "context": "summary_span", "explanation": "note"}


def read_faithbench(found: Opened[Options]) -> Raw:
    """A line for each summary: the last label is the rule, the one before it the category, the note the explanation.

    A sample names those who marked something in it, and not those who found nothing. So all marks of a summary are
    taken together, each once; where options name annotators, theirs alone, in the samples that they marked and in
    those that nobody did. What is marked in the source alone is counted in a warning.
    """
    names = found.options
    names.check_mapped("FaithBench's samples", MAPPED)
    own = {name: name if name in names.columns else key for name, key in ((ID, _ID), (TEXT, _TEXT))}

    seen: list[dict[str, Any]] = []

    def marked(sample: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        if sample.get(_MARKS) is None:
            raise DataError(f", {_MARKS}: expected a list; got nothing")
        every = objects_in(sample, _MARKS)
        seen.extend(every)
        said = {names.theirs(one): sample.get(names.theirs(one) if one == key else key) for one, key in own.items()}
        marks = [mark for mark in every if not _is_unplaced(mark)]
        for who in (_people(every) or names.annotators) if names.annotators else [None]:
            whose = [mark for mark in marks if who in (None, _annotator(mark))]
            yield {**sample, **said, names.theirs("annotator"): who}, _violations(whose)

    raw, people = raw_of_objects(found.objects, names, marked), tuple(_people(seen))
    return replace(raw, voters=people).warned(_warnings(seen, people, names))


def _annotator(mark: Mapping[str, Any]) -> str | None:
    return plain_text(mark.get("annotator"))


def _people(marks: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(who for mark in marks if (who := _annotator(mark))))


def _is_unplaced(mark: Mapping[str, Any]) -> bool:
    return all(mark.get(key) is None for key in (_KEYS["start"], _KEYS["end"], _KEYS["context"]))


def _violations(marks: Sequence[Mapping[str, Any]]) -> list[object]:
    """Marks as violations, those that say the same of the same words once."""
    once: dict[str, object] = {}
    for mark in marks:
        label = mark.get("label")
        labels = label if isinstance(label, list) else [label]
        category = labels[-2] if len(labels) > 1 else None
        one = {"rule": labels[-1] if labels else None, "category": category}
        once.setdefault(
            repr([mark.get(_KEYS["start"]), mark.get(_KEYS["end"]), labels]),
            one | {part: mark.get(key) for part, key in _KEYS.items()},
        )
    return list(once.values())


def _warnings(marks: Sequence[Mapping[str, Any]], people: Sequence[str], names: Options) -> Iterator[str]:
    if len(people) > 1 and not names.annotators:
        yield f"the marks of {len(people):,} annotators are taken together, what several of them marked alike once"
    if unplaced := sum(map(_is_unplaced, marks)):
        are = counted(unplaced, "annotation is", "annotations are")
        yield f"{are} left out, with a mark in the source and none in the summary"


def _looks_like(found: Opened[Options]) -> bool:
    return any(_MARKS in value and {"summary", "source"} <= value.keys() for value in found.first)


FORMAT = Format("faithbench", "violations", read_faithbench, _looks_like, 2, (".json",))
