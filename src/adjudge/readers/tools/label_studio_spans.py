"""Exports of Label Studio with labelled spans: JSON (tasks with annotations and predictions), JSON-MIN and CSV.

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text tells which are. It also loses line breaks
in quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from itertools import chain
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import not_plain, plain_text
from adjudge.readers.io.source import Format
from adjudge.readers.labels.annotation_export import Skipped
from adjudge.readers.pairs.pairwise_export import BESIDE
from adjudge.readers.parsed_input import Opened
from adjudge.readers.spans.span_exports import Line, SpanTool, read_lines
from adjudge.readers.spans.span_records import Names, Raw, only_text
from adjudge.readers.spans.violations import Options
from adjudge.readers.tools.label_studio_labels import Annotation, annotations_of, is_task, parsed
from adjudge.schemas.violations import ID, TEXT

_LABELS, _HYPERTEXT = "labels", "hypertextlabels"
"""Types of results that label text, and the key of their labels."""
_NOTE = "note"
_READ = (_LABELS, _HYPERTEXT, _NOTE)
_COLUMNS = {"annotation_id", "annotator"}
"""By what a table is known."""
_SHOWN = "texts are those which their HTML shows, without tags, as offsets of hypertext count"
_NO_LABEL = "results that are no labels of text are left out"
Held = Mapping[str, Any]


def read_label_studio(found: Opened[Options]) -> Raw:
    """A line for each annotation. Labels are rules; notes on a region are explanations, or corrections.

    What models predict counts where options name them as annotators, and, of predictions, where nobody annotated.
    """
    objects = found.entries
    if not found.is_json:
        objects = replace(objects, values=[_parsed(row) for row in objects.values])
    hypertext = any(map(_has_hypertext, objects.values))
    lines = partial(_lines, names=found.options, hypertext=hypertext)
    return read_lines(found, SpanTool("Label Studio", lines, mapped=(ID, TEXT), unit="task", utf16=True), objects)


def _parsed(row: Held) -> dict[str, Any]:
    """A row of CSV as a record of JSON-MIN."""
    return {name: parsed(cell) for name, cell in row.items()}


def _lines(task: dict[str, Any], *, names: Names, hypertext: bool) -> Iterator[Line | Skipped]:
    """The annotations of a task. Its id is its own, unless another is named; its text that named, or the only one."""
    task, holder = _as_task(task), _holder(_as_task(task), names)
    if hypertext and isinstance(written := holder.get(names.theirs(TEXT)), str):
        holder[names.theirs(TEXT)] = shown_text(written)
        if shown_text(written) != written:
            yield Skipped(_SHOWN)
    if not (task.get("annotations") or task.get("completions")):
        yield Skipped("tasks without annotations")
    for one in annotations_of(task):
        if isinstance(one, Skipped):
            yield one
        elif one.cancelled:
            yield Skipped("annotations that were cancelled are left out")
        else:
            yield from (Skipped(_NO_LABEL, _kind(result)) for result in one.results if _kind(result) not in _READ)
            marks = chain.from_iterable(_marks(result, one.results) for result in one.results if _is_label(result))
            yield Line({**holder, "annotator": one.who, "checker": None}, list(marks), one.predicted)


def _holder(task: Held, names: Names) -> dict[str, Any]:
    """What is known of a task, its text under the name that options may give it."""
    data, text = task.get("data"), names.theirs(TEXT)
    if not isinstance(data, dict) or not_plain(data):
        raise DataError(f", data: {not_plain(data)}")
    own = {} if ID in names.columns else {ID: task.get(ID)}
    if text not in data and TEXT not in names.columns:
        own[text] = data[only_text(data, "")]
    return {**task, **data, **own}


def _as_task(value: dict[str, Any]) -> dict[str, Any]:
    """A record of JSON-MIN as a task: every list of labelled regions in it is its annotation."""
    if not {"data", "annotations", "completions", "predictions"}.isdisjoint(value):
        return value
    data = {key: one for key, one in value.items() if key not in BESIDE}
    lists = (one for key, one in data.items() if _is_regions(one) or (key == "label" and isinstance(one, list)))
    result = [{"type": _type_of(one), "value": one} for one in chain.from_iterable(lists)]
    return {**value, "data": data, "annotations": [{"completed_by": value.get("annotator"), "result": result}]}


def _type_of(value: object) -> str:
    return _HYPERTEXT if isinstance(value, dict) and _HYPERTEXT in value else _LABELS


def _is_label(result: Held) -> bool:
    return result.get("type") in (_LABELS, _HYPERTEXT)


def _kind(result: Held) -> str:
    """The type of a result; that of a text area is a note only where it is about a region."""
    kind = plain_text(result.get("type")) or "without a type"
    return _NOTE if kind == "textarea" and plain_text(result.get("id")) is not None else kind


def _marks(result: Held, others: Sequence[Held]) -> Iterable[object]:
    """A violation for each label of a region, or one without a rule where it has none; with the notes on it."""
    value = result.get("value")
    if not isinstance(value, dict) or not_plain(value):
        return [value]
    parts = {"explanation": _texts(result.get("meta")), "correction": []}
    for note in (one for one in others if _kind(one) == _NOTE):
        if plain_text(note["id"]) == plain_text(result.get("id")):
            part = "correction" if "correction" in str(note.get("from_name")).lower() else "explanation"
            parts[part] += _texts(note.get("value"))
    place = value.get("globalOffsets") if result.get("type") == _HYPERTEXT else value
    start, end = (place.get("start"), place.get("end")) if isinstance(place, dict) else (None, None)
    region = {"start": start, "end": end, "context": value.get("text")}
    region |= {part: "\n".join(texts) for part, texts in parts.items()}
    labels = value.get(str(result["type"]))
    return [{**region, "rule": label} for label in (labels if isinstance(labels, list) else [labels]) or [None]]


def _texts(holder: object) -> list[str]:
    """The text, or the texts, that an object holds."""
    value = holder.get("text") if isinstance(holder, dict) else None
    return [text for one in (value if isinstance(value, list) else [value]) if (text := plain_text(one))]


def _has_hypertext(value: object) -> bool:
    with suppress(DataError):
        given = annotations_of(_as_task(value)) if type(value) is dict else ()
        results = chain.from_iterable(one.results for one in given if isinstance(one, Annotation))
        return any(result.get("type") == _HYPERTEXT for result in results)
    return False


def _is_regions(value: object) -> bool:
    objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return any(_LABELS in one or _HYPERTEXT in one for one in objects)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether any of the first objects looks like a task, or like a record of JSON-MIN; or a table is the CSV."""
    if found.is_text:
        named = set(found.names) >= _COLUMNS  # rows of other tables are not looked at
        return named and any(_is_regions(cell) for row in found.values.values for cell in _parsed(row).values())
    return any(is_task(one) or "annotation_id" in one or any(map(_is_regions, one.values())) for one in found.first)


FORMAT = Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json", ".csv"))


def shown_text(html: str) -> str:
    r"""The text in HTML: its tags left out, its entities resolved; a <br> is a line break.

    Of a whole document, only that in its body, in which Label Studio counts.

    >>> shown_text("<p>Salt &amp; <b>tea</b><br>twice</p>")
    'Salt & tea\ntwice'
    >>> shown_text("<html><head><title>Tea</title></head>\n<body>Good.</body></html>")
    'Good.'
    """
    reader = _Texts()
    reader.feed(html)
    reader.close()
    return "".join(reader.texts)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as HTMLParser calls it
        if tag == "br":
            self.texts.append("\n")
        elif tag == "body":
            self.texts.clear()
