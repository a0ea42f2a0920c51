"""Exports of Label Studio: JSON (tasks with annotations and predictions) and JSON-MIN (a record per annotation).

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text tells which are. It also loses line breaks
in quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import chain
from typing import Any, NamedTuple

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import kind, list_in, not_plain, plain_text, read_each, whole_number
from adjudge.readers.io.source import Format
from adjudge.readers.pairs.pairwise_export import BESIDE
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, counted
from adjudge.readers.spans.span_offsets import code_points, has_pairs
from adjudge.readers.spans.span_records import Names, Raw, Record, only_text, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.readers.tools.label_studio_labels import is_task, person
from adjudge.schemas.violations import ID, TEXT

_MAPPED = (ID, TEXT)
_LABELS, _HYPERTEXT = "labels", "hypertextlabels"
"""Types of results that label text, and the key of their labels."""
_ANNOTATIONS = {"annotations": "completed_by", "predictions": "model_version"}
"""Keys of a task, and the key that says whose their annotations are."""

_OTHER = "other "
"""What stands before the type of a result that is no label of text, where such are counted."""

_TOLD = {
    "cancelled": ("annotation is", "annotations are", "{} left out, since cancelled"),
    "empty": ("task is", "tasks are", "{} without annotations"),
    "hypertext": (
        "text is that which its HTML shows",
        "texts are those which their HTML shows",
        "{}, without tags: offsets of hypertext count in it",
    ),
    "units": ("region", "regions", "the offsets of {} count UTF-16 units, as JavaScript does; they were converted"),
    "unsure": (
        "region is",
        "regions are",
        "{} without a quote, in texts that hold emoji or the like: offsets are read as code points, not UTF-16 units",
    ),
}
"""What is counted -> its words for one and for many, and the warning."""

Held = Mapping[str, Any]


class _Task(NamedTuple):
    """A task. named: all that may be named of it. text: the name of its text."""

    held: Held
    named: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    """An annotation, or what a model predicts. holder: what the task says, under the file's names."""

    number: int
    holder: dict[str, Any]
    regions: list[object]
    model: bool


def read_label_studio(found: Opened[Options]) -> Raw:
    """A line for each annotation. Labels are rules; notes on a region are explanations, or corrections.

    What models predict counts where options name them as annotators, and, of predictions, where nobody annotated.
    """
    objects, options = replace(found.objects, unit="task"), found.options
    findings, counts = Findings("task"), Counter[str]()
    options.check_mapped("Label Studio", _MAPPED)
    tasks = read_each(objects, lambda value: _task(_as_task(value), options), findings)
    options.check(objects.name, (task.named for _, task in tasks), _MAPPED)
    every = list(_lines(objects.name, tasks, options, findings, counts))
    lines, warnings = _chosen(every, options)
    records = [Record(line.number, line.holder, _at_code_points(line, options, counts)) for line in lines]
    raw = raw_of(objects.name, "task", records, options, findings, len(objects.values))
    voters = tuple(dict.fromkeys(who for line in every if (who := line.holder["annotator"])))
    return replace(raw, voters=voters).warned((*warnings, *_warnings(counts)))


def _as_task(value: dict[str, Any]) -> Held:
    """A record of JSON-MIN as a task: every list of labelled regions in it is its annotation."""
    if {"data", *_ANNOTATIONS} & value.keys():
        return value
    data = {key: one for key, one in value.items() if key not in BESIDE}
    lists = (one for key, one in data.items() if _is_regions(one) or (key == "label" and isinstance(one, list)))
    result = [{"type": _type_of(one), "value": one} for one in chain.from_iterable(lists)]
    return {**value, "data": data, "annotations": [{"completed_by": value.get("annotator"), "result": result}]}


def _type_of(value: object) -> str:
    return _HYPERTEXT if isinstance(value, dict) and _HYPERTEXT in value else _LABELS


def _task(held: Held, names: Names) -> _Task:
    """A task, whose id is its own, unless another is named; its text is that named, `text`, or its only string."""
    data = held.get("data")
    if not isinstance(data, dict) or not_plain(data):
        raise DataError(f", data: {not_plain(data)}")
    for key in _ANNOTATIONS:
        list_in(held, key)
    text = names.theirs(TEXT)
    if text not in data and TEXT not in names.columns:
        text = only_text(data, "")
    named = {**held, **data, **({} if ID in names.columns else {ID: held.get(ID)})}
    for key in (*names.id_parts(named), text, *names.further.values()):
        if isinstance(named.get(key), list | dict):
            raise DataError(f", {key}: expected text or a number; got {kind(named[key])}")
    return _Task(held, named, text)


def _lines(
    name: str, tasks: Sequence[tuple[int, _Task]], names: Names, findings: Findings, counts: Counter[str]
) -> Iterator[_Line]:
    """The annotations of all tasks, but for those that were cancelled, or are none."""
    hypertext = any(_has_hypertext(task.held) for _, task in tasks)
    for number, task in tasks:
        text = written = task.named.get(task.text)
        if hypertext and isinstance(written, str):
            text = shown_text(written)
            counts["hypertext"] += text != written
        counts["empty"] += not task.held.get("annotations")
        for key, who in _ANNOTATIONS.items():
            for nth, annotation in enumerate(list_in(task.held, key), 1):
                odd = not_plain(annotation)
                if not odd and annotation.get("was_cancelled") is True:
                    counts["cancelled"] += 1
                elif odd or not isinstance(annotation.get("result"), list):
                    said = f": {odd}" if odd else f", result: expected a list; got {kind(annotation.get('result'))}"
                    findings.add(f"{name}, task {number}, {key.removesuffix('s')} {nth}{said}", dropped=1)
                else:
                    whose = {"annotator": person(annotation.get(who)), "checker": None}
                    holder = {**task.named, names.theirs(TEXT): text, **whose}
                    yield _Line(number, holder, [*_regions(annotation["result"], counts)], key == "predictions")


def _has_hypertext(task: Held) -> bool:
    annotations = chain.from_iterable(task.get(key) or () for key in _ANNOTATIONS)
    results = chain.from_iterable(_results(one) for one in annotations)
    return any(isinstance(one, dict) and one.get("type") == _HYPERTEXT for one in results)


def _results(annotation: object) -> Sequence[object]:
    found = annotation.get("result") if isinstance(annotation, dict) else None
    return found if isinstance(found, list) else ()


def _regions(result: Sequence[Any], counts: Counter[str]) -> Iterator[object]:
    """The labelled regions of an annotation, with the notes on them."""
    notes = [one for one in result if _is_note(one)]
    for one in result:
        if not_plain(one):
            yield one
        elif one.get("type") in (_LABELS, _HYPERTEXT):
            own = plain_text(one.get("id"))
            yield from _labelled(one, [note for note in notes if plain_text(note["id"]) == own])
        elif not _is_note(one):
            counts[_OTHER + (plain_text(one.get("type")) or "without a type")] += 1


def _is_note(result: Any) -> bool:  # noqa: ANN401 - what a file holds
    return isinstance(result, dict) and result.get("type") == "textarea" and plain_text(result.get("id")) is not None


def _labelled(result: Held, notes: Sequence[Held]) -> list[object]:
    """A violation for each label of a region, or one without a rule where it has none."""
    value = result.get("value")
    if not isinstance(value, dict) or not_plain(value):
        return [value]
    said = {"explanation": _texts(result.get("meta")), "correction": []}
    for note in notes:
        part = "correction" if "correction" in str(note.get("from_name")).lower() else "explanation"
        said[part] += _texts(note.get("value"))
    told = {part: "\n".join(texts) for part, texts in said.items()}
    offsets = _offsets_of(value) if result.get("type") == _HYPERTEXT else value
    region = {"start": offsets.get("start"), "end": offsets.get("end"), "context": value.get("text"), **told}
    labels = value.get(str(result["type"]))
    return [{**region, "rule": label} for label in (labels if isinstance(labels, list) else [labels]) or [None]]


def _offsets_of(value: Held) -> Held:
    """Where a region of hypertext stands in the text; where only paths in the document say it, its words are sought."""
    found = value.get("globalOffsets")
    return found if isinstance(found, dict) else {}


def _texts(holder: object) -> list[str]:
    """The text, or the texts, that an object holds."""
    value = holder.get("text") if isinstance(holder, dict) else None
    return [text for one in (value if isinstance(value, list) else [value]) if (text := plain_text(one))]


def _chosen(lines: Sequence[_Line], options: Options) -> tuple[list[_Line], list[str]]:
    """Which lines count, and a warning where what models predict does not."""
    people = {line.holder["annotator"] for line in lines if not line.model}
    models = set(options.annotators) - people
    every = options.predictions and not people and not options.annotators
    left = [line for line in lines if line.model and line.holder["annotator"] not in models and not every]
    if not left:
        return list(lines), []
    named = ", ".join(dict.fromkeys(line.holder["annotator"] or "unnamed" for line in left))
    said = counted(len(left), "prediction is", "predictions are")
    kept = [line for line in lines if line not in left]
    return kept, [f"{said} left out, of {named:.100}: name a model to count what it predicts"]


# --- offsets ---


def _at_code_points(line: _Line, options: Options, counts: Counter[str]) -> list[object]:
    """Regions with offsets in code points, and quotes as they stand there where only white space differs."""
    text = plain_text(line.holder[options.theirs(TEXT)])
    if text is None:
        return line.regions
    points = code_points(text) if has_pairs(text) else {}
    return [_at(one, text, points, options.offset_base, counts) if type(one) is dict else one for one in line.regions]


def _at(
    region: dict[str, object], text: str, points: Mapping[int, int], base: int, counts: Counter[str]
) -> dict[str, object]:
    quote, (first, last) = region["context"], (_offset(region[side], base) for side in ("start", "end"))
    if not isinstance(quote, str) or first is None or last is None:
        counts["unsure"] += bool(points) and first is not None
        return region
    if _same(text[first:last], quote):
        return {**region, "context": text[first:last]}
    first, last = points.get(first), points.get(last)
    if first is None or last is None or not _same(text[first:last], quote):
        return region
    counts["units"] += 1
    return {**region, "start": str(first + base), "end": str(last + base), "context": text[first:last]}


def _offset(value: object, base: int) -> int | None:
    """An offset of Label Studio's as a number from 0; None for what is none, which is told of later."""
    number = whole_number(value)
    return None if number is None or number < base else number - base


def _same(stands: str, quote: str) -> bool:
    r"""Whether a quote differs from what stands in a text by white space alone, or by `\n` written out."""
    if stands == quote:
        return True
    plain = "".join(stands.split())
    return bool(plain) and plain in ("".join(one.split()) for one in (quote, quote.replace("\\n", "\n")))


def _warnings(counts: Counter[str]) -> Iterator[str]:
    for key, (one, many, said) in _TOLD.items():
        if counts[key]:
            yield said.format(counted(counts[key], one, many))
    others = {key.removeprefix(_OTHER): count for key, count in counts.most_common() if key.startswith(_OTHER)}
    if others:
        told = ", ".join(f"{name} {count:,}" for name, count in others.items())
        yield f"results that are no labels of text are left out: {told:.200}"


def _is_regions(value: object) -> bool:
    objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return any(_LABELS in one or _HYPERTEXT in one for one in objects)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether any of the first objects looks like a task, or like a record of JSON-MIN."""
    first = found.first
    return any(is_task(one) or "annotation_id" in one or any(map(_is_regions, one.values())) for one in first)


FORMAT = Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json",))


def shown_text(html: str) -> str:
    r"""The text in HTML: its tags left out, its entities resolved; a <br> is a line break.

    >>> shown_text("<p>Salt &amp; <b>tea</b><br>twice</p>")
    'Salt & tea\ntwice'
    """
    reader = _Texts()
    reader.feed(html)
    reader.close()
    return "".join(reader.found)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as HTMLParser calls it
        if tag == "br":
            self.found.append("\n")
