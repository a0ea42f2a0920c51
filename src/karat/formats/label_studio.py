"""Exports of Label Studio: JSON (tasks with annotations and predictions) and JSON-MIN (a record per annotation).

    [{"id": 1, "data": {"text": "Cures headache."}, "annotations": [{"completed_by": 1, "result": [
        {"id": "r1", "type": "labels", "value": {"start": 0, "end": 5, "text": "Cures", "labels": ["claim"]}}]}]}]

Label Studio runs in JavaScript, which counts UTF-16 units, so that offsets behind an emoji are too large
(https://github.com/HumanSignal/label-studio/issues/1347); the quoted text tells which are. It also loses line breaks
in quotes (https://github.com/HumanSignal/label-studio/issues/1863), so these are compared without white space.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from karat.formats.documents import Number, kind, not_plain, plain_text
from karat.formats.findings import Findings, counted
from karat.formats.marked import FURTHER, Names, Raw, join_id, raw_of
from karat.formats.objects import Objects
from karat.formats.opened import Opened
from karat.formats.registry import Format
from karat.formats.violations import Options, names_of
from karat.schemas.violations import ID, TEXT

_MAPPED = (ID, TEXT)
_PARTS = {name: name for name in ("start", "end", "context", "rule", "explanation", "correction")}
_BESIDE = frozenset(("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"))
"""Keys of a JSON-MIN record that are Label Studio's own, and no text."""

_MOST_DIGITS = 15
_ASTRAL = "\uffff"


@dataclass(frozen=True, slots=True)
class _Line:
    """An annotation, or what a model predicts. texts: id, text and further columns, under Karat's names."""

    number: int
    texts: Mapping[str, str | None]
    annotator: str | None
    regions: list[object]
    model: bool


@dataclass(slots=True)
class _Reading:
    """What has been read so far, and counts for warnings. base: what offsets count from. keys: all that tasks hold."""

    name: str
    names: Names
    base: int
    lines: list[_Line] = field(default_factory=list)
    findings: Findings = field(default_factory=lambda: Findings("task"))
    counts: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    keys: dict[str, None] = field(default_factory=dict)

    def problem(self, number: int, said: str) -> None:
        self.findings.add(f"{self.name}, task {number}{said}", dropped=1)


def read_label_studio(found: Opened[Options]) -> Raw:
    """A line for each annotation. Labels are rules; notes on a region are explanations, or corrections.

    What models predict counts where options name them as annotators, and, of predictions, where nobody annotated.
    """
    objects, options = found.objects, found.options
    names = names_of(options)
    names.check_mapped("Label Studio", _MAPPED)
    reading = _Reading(objects.name, names, options.offset_base)
    for number, value in zip(objects.numbers, objects.values, strict=True):
        if said := not_plain(value):
            reading.problem(number, f": {said}")
        else:
            _read_task(reading, number, value)
    names.check(objects.name, list(reading.keys), _MAPPED)
    lines, warnings = _chosen(reading, options.annotators, predictions=options.predictions)
    holders = [{**line.texts, "annotator": line.annotator} for line in lines]
    regions = [_at_code_points(reading, line.regions, line.texts[TEXT]) for line in lines]
    further = Names(further={name: FURTHER + name for name in names.further})
    kept = Objects(objects.name, "task", [line.number for line in lines], holders)
    raw, _ = raw_of(kept, regions, further, _PARTS, reading.findings, len(objects.values))
    return raw.warned((*warnings, *_warnings(reading)))


def _read_task(reading: _Reading, number: int, task: dict[str, object]) -> None:
    if not {"data", "annotations", "predictions"} & task.keys():
        _read_record(reading, number, task)
        return
    data = task.get("data")
    if (said := not_plain(data)) or not isinstance(data, dict):
        reading.problem(number, f", data: {said}")
        return
    for key in ("annotations", "predictions"):
        if not isinstance(task.get(key), list | None):
            reading.problem(number, f", {key}: expected a list; got {kind(task[key])}")
            return
    texts = _texts_of(reading, number, {**task, **data}, data, task.get("id"))
    if texts is None:
        return
    if not task.get("annotations"):
        reading.counts["empty"] += 1
    for key, what in (("annotations", "annotation"), ("predictions", "prediction")):
        for nth, annotation in enumerate(_list(task.get(key)), 1):
            _read_annotation(reading, number, f", {what} {nth}", annotation, texts, model=key == "predictions")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _texts_of(
    reading: _Reading, number: int, found: dict[str, object], texts: Mapping[str, object], own_id: object
) -> dict[str, str | None] | None:
    """The id, text and further columns of a task; None where something is wrong with them.

    found: all that may be named; texts: what may be the text. own_id: the task's, unless another is named.
    """
    names = reading.names
    reading.keys.update(dict.fromkeys(found))
    if ID not in names.columns:
        found = {**found, ID: own_id}
    text = _text_key(names, texts)
    if text is None:
        strings = _strings(texts)
        got = f"several, {', '.join(strings):.100}" if strings else "none"
        reading.problem(number, f": expected one text; got {got}. Say which it is with --columns text=...")
        return None
    parts = names.id_parts(found)
    for key in (*parts, text, *names.further.values()):
        if isinstance(found.get(key), list | dict):
            reading.problem(number, f", {key}: expected text or a number; got {kind(found.get(key))}")
            return None
    return {
        ID: join_id([plain_text(found.get(part)) for part in parts]),
        TEXT: plain_text(found.get(text)),
        **{FURTHER + name: plain_text(found.get(theirs)) for name, theirs in names.further.items()},
    }


def _text_key(names: Names, texts: Mapping[str, object]) -> str | None:
    """Which key holds the text: the one named, `text`, or the only one that holds a string."""
    key = names.theirs(TEXT)
    if key in texts or TEXT in names.columns:
        return key
    strings = _strings(texts)
    return strings[0] if len(strings) == 1 else None


def _strings(texts: Mapping[str, object]) -> list[str]:
    return [key for key, value in texts.items() if isinstance(value, str) and not isinstance(value, Number)]


def _read_annotation(
    reading: _Reading, number: int, where: str, annotation: object, texts: Mapping[str, str | None], *, model: bool
) -> None:
    if (said := not_plain(annotation)) or not isinstance(annotation, dict):
        reading.problem(number, f"{where}: {said}")
        return
    if annotation.get("was_cancelled") is True:
        reading.counts["cancelled"] += 1
        return
    result = annotation.get("result")
    if not isinstance(result, list):
        reading.problem(number, f"{where}, result: expected a list; got {kind(result)}")
        return
    name = _name(annotation.get("model_version" if model else "completed_by"))
    reading.lines.append(_Line(number, texts, name, _regions(reading, result), model))


def _name(annotator: object) -> str | None:
    """What an annotator is called: the e-mail address, else the number."""
    if isinstance(annotator, dict):
        return next((text for key in ("email", "id") if (text := plain_text(annotator.get(key)))), None)
    return plain_text(annotator)


def _regions(reading: _Reading, result: Sequence[object]) -> list[object]:
    """The labelled regions of an annotation, with the notes on them."""
    notes = list(_notes(result))
    found: list[object] = []
    for one in result:
        if not isinstance(one, dict) or not_plain(one):
            found.append(one)
        elif one.get("type") == "labels":
            mine = [(key, text) for region, key, text in notes if region == plain_text(one.get("id")) is not None]
            found += _labelled(one.get("value"), [*_meta(one), *mine])
        elif not _is_note(one):
            reading.others[plain_text(one.get("type")) or "without a type"] += 1
    return found


def _is_note(result: Mapping[str, object]) -> bool:
    return result.get("type") == "textarea" and plain_text(result.get("id")) is not None


def _notes(result: Sequence[object]) -> Iterator[tuple[str | None, str, str]]:
    """What is written about regions: the region's id, "explanation" or "correction", and the text."""
    for one in result:
        value = one.get("value") if isinstance(one, dict) and _is_note(one) else None
        if isinstance(one, dict) and isinstance(value, dict):
            key = "correction" if "correction" in str(one.get("from_name")).lower() else "explanation"
            for text in _texts(value.get("text")):
                yield plain_text(one.get("id")), key, text


def _meta(result: Mapping[str, object]) -> list[tuple[str, str]]:
    meta = result.get("meta")
    return [("explanation", text) for text in _texts(meta.get("text"))] if isinstance(meta, dict) else []


def _texts(value: object) -> list[str]:
    """A text, or a list of texts, as a list."""
    values = value if isinstance(value, list) else [value]
    return [text for one in values if (text := plain_text(one))]


def _labelled(value: object, notes: Sequence[tuple[str, str]]) -> list[object]:
    """A violation for each label of a region, or one without a rule where it has none."""
    if not isinstance(value, dict) or not_plain(value):
        return [value]
    said = {key: "\n".join(text for name, text in notes if name == key) for key in ("explanation", "correction")}
    region = {"start": value.get("start"), "end": value.get("end"), "context": value.get("text"), **said}
    labels = value.get("labels")
    listed = labels if isinstance(labels, list) else [labels]
    return [{**region, "rule": label} for label in listed or [None]]


def _read_record(reading: _Reading, number: int, record: dict[str, object]) -> None:
    """A record of JSON-MIN: every list of labelled regions in it."""
    texts = {key: value for key, value in record.items() if key not in _BESIDE}
    shared = _texts_of(reading, number, record, texts, record.get("id"))
    if shared is None:
        return
    regions: list[object] = []
    for key, value in texts.items():
        if _is_regions(value) or (key == "label" and isinstance(value, list)):
            for one in _list(value):
                regions += _labelled(one, [])
    reading.lines.append(_Line(number, shared, _name(record.get("annotator")), regions, model=False))


def _chosen(reading: _Reading, annotators: Sequence[str], *, predictions: bool) -> tuple[list[_Line], list[str]]:
    """Which lines count, and a warning where what models predict does not."""
    people = {line.annotator for line in reading.lines if not line.model}
    asked = set(annotators) - people
    alone = predictions and not people and not annotators
    kept = [line for line in reading.lines if not line.model or alone or line.annotator in asked]
    left = [
        line.annotator or "unnamed"
        for line in reading.lines
        if line.model and not alone and line.annotator not in asked
    ]
    if not left:
        return kept, []
    models = ", ".join(dict.fromkeys(left))
    said = counted(len(left), "prediction is", "predictions are")
    return kept, [f"{said} left out, of {models:.100}: name a model to count what it predicts"]


def _at_code_points(reading: _Reading, regions: list[object], text: str | None) -> list[object]:
    """Regions with offsets in code points, and quotes as they stand there where only white space differs."""
    if text is None:
        return regions
    units = _Units(text) if text and max(text) > _ASTRAL else None
    return [_at(reading, region, text, units) if type(region) is dict else region for region in regions]


def _at(reading: _Reading, region: dict[str, object], text: str, units: "_Units | None") -> dict[str, object]:
    start, end, quote = (region[key] for key in ("start", "end", "context"))
    first, last = _offset(start, reading.base), _offset(end, reading.base)
    if not isinstance(quote, str) or first is None or last is None:
        if units is not None and first is not None:
            reading.counts["unsure"] += 1
        return region
    if _same(text[first:last], quote):
        return {**region, "context": text[first:last]}
    found = None if units is None else units.points(first, last)
    if found is None or not _same(text[found[0] : found[1]], quote):
        return region
    reading.counts["units"] += 1
    here = [str(one + reading.base) for one in found]
    return {**region, "start": here[0], "end": here[1], "context": text[found[0] : found[1]]}


def _offset(value: object, base: int) -> int | None:
    """An offset of Label Studio's as a number from 0; None for what is none, which is told of later."""
    if not isinstance(value, str) or not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
        return None
    found = int(value) - base
    return found if found >= 0 else None


def _same(stands: str, quote: str) -> bool:
    r"""Whether a quote differs from what stands in a text by white space alone, or by `\n` written out."""
    if stands == quote:
        return True
    plain = "".join(stands.split())
    return bool(plain) and plain in {"".join(quote.split()), "".join(quote.replace("\\n", "\n").split())}


class _Units:
    """Offsets in UTF-16 units of a text, as offsets in code points."""

    def __init__(self, text: str) -> None:
        self.at: dict[int, int] = {}
        units = 0
        for point, character in enumerate(text):
            self.at[units] = point
            units += 2 if character > _ASTRAL else 1
        self.at[units] = len(text)

    def points(self, start: int, end: int) -> tuple[int, int] | None:
        """Both offsets; None where one lies within a character or beyond the text."""
        first, last = self.at.get(start), self.at.get(end)
        return None if first is None or last is None else (first, last)


def _warnings(reading: _Reading) -> Iterator[str]:
    counts = reading.counts
    if counts["cancelled"]:
        yield f"{counted(counts['cancelled'], 'annotation is', 'annotations are')} left out, since cancelled"
    if counts["empty"]:
        yield f"{counted(counts['empty'], 'task is', 'tasks are')} without annotations"
    if reading.others:
        told = ", ".join(f"{name} {count:,}" for name, count in reading.others.most_common())
        yield f"results that are no labels of text are left out: {told:.200}"
    if counts["units"]:
        regions = counted(counts["units"], "region", "regions")
        yield f"the offsets of {regions} count UTF-16 units, as JavaScript does; they were converted"
    if counts["unsure"]:
        regions = counted(counts["unsure"], "region is", "regions are")
        yield (
            f"{regions} without a quote, in texts that hold emoji or the like: their offsets are taken to count code "
            "points, but Label Studio may count UTF-16 units"
        )


def _is_regions(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and "labels" in one for one in value)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether any of the first objects looks like a task, or like a record of JSON-MIN."""
    return any(
        ("data" in value and not value.keys().isdisjoint(("annotations", "predictions")))
        or "annotation_id" in value
        or any(map(_is_regions, value.values()))
        for value in found.first
    )


FORMAT = Format("label-studio", "violations", read_label_studio, _looks_like, endings=(".json",))
