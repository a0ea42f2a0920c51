"""Exports of Kili: assets with the labels that each author gave them, a job each for classes, texts or marks.

[{"id": "c1", "externalId": "ad-1", "content": "Cures headache.", "labels": [{"author": {"email": "ana@x.org"},
  "labelType": "DEFAULT", "isLatestLabelForUser": true, "jsonResponse": {
    "TONE": {"categories": [{"name": "KIND", "confidence": 100}]},
    "CLAIMS": {"annotations": [{"beginOffset": 0, "content": "Cures", "categories": [{"name": "CLAIM"}]}]}}}]}]
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from karat.formats.documents import Number, json_value, plain_text, whole_number
from karat.formats.judgments import Options as LabelOptions
from karat.formats.judgments import Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.marked import Raw
from karat.formats.marked_records import MAPPED, Holder, raw_of_objects
from karat.formats.opened import Opened
from karat.formats.reading import object_in, objects_in
from karat.formats.source import Format
from karat.formats.violations import Options as SpanOptions
from karat.schemas.violations import ID, TEXT

_ID, _OTHER_ID, _TEXT, _LABELS, _WHO = "externalId", "id", "content", "labels", "annotator"
_RESPONSE, _MARKS, _CLASSES = "jsonResponse", "annotations", "categories"
_UNFINISHED = "AUTOSAVE"


def read_kili_marks(found: Opened[SpanOptions]) -> Raw:
    """Exports of Kili: a line for each text and author, with the marks of all jobs; their categories are rules.

    Labels that were not submitted, or that their author gave anew, are left out and counted.
    """
    names, counts = found.options, Counter[str]()
    names.check_mapped("Kili's assets", MAPPED)
    own = {ID: _ID, TEXT: _TEXT}

    def marked(asset: Holder) -> Iterator[tuple[Holder, list[Any]]]:
        said = _said(asset)
        said |= {name: said.get(key) for name, key in own.items() if name not in names.columns}
        for who, response in _labels(asset, counts):
            jobs = (job for job in response.values() if isinstance(job, dict))
            marks = [mark for job in jobs for mark in objects_in(job, _MARKS)]
            yield {**said, names.theirs(_WHO): who}, [_violation(mark) for mark in marks]

    return raw_of_objects(found.objects, names, marked).warned(_left(counts))


def _violation(mark: Mapping[str, Any]) -> dict[str, Any]:
    start, end, quote = (mark.get(key) for key in ("beginOffset", "endOffset", "content"))
    if end is None and (first := whole_number(start)) is not None and isinstance(quote, str):
        end = Number(first + len(quote))
    return {"start": start, "end": end, "context": quote, "rule": ", ".join(_names(mark)) or None}


def read_kili_classes(found: Opened[LabelOptions]) -> Parts:
    """Exports of Kili: a row for each asset and author; jobs are questions, answered by categories or with a text."""
    counts = Counter[str]()

    def rows(asset: dict[str, Any]) -> Iterator[Row]:
        for who, response in _labels(asset, counts):
            jobs = {name: job for name, job in response.items() if isinstance(job, dict)}
            answers = {name: _answer(job) for name, job in jobs.items() if _MARKS not in job}
            yield Row({**_said(asset), _WHO: who}, answers, left=["marks in texts"] * (len(jobs) - len(answers)))

    parts, findings = unfolded(found, Tool({"item": _ID, "annotator": _WHO}, rows), found.objects)
    findings.told += [f"{found.source.name}: {one}" for one in _left(counts)]
    return parts, findings


def _answer(job: Mapping[str, Any]) -> object:
    return _names(job) if _CLASSES in job else job.get("text")


def _names(holder: Mapping[str, Any]) -> list[str]:
    return [name for one in objects_in(holder, _CLASSES) if (name := plain_text(one.get("name")))]


def _said(asset: Mapping[str, Any]) -> dict[str, Any]:
    """What an asset says of itself; without an external id its own is that."""
    return {**object_in(asset, "jsonMetadata"), **asset, _ID: asset.get(_ID) or asset.get(_OTHER_ID)}


def _labels(asset: Mapping[str, Any], counts: Counter[str]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Who labelled an asset, and the response: the last of each author, of those that were submitted."""
    labels = objects_in(asset, _LABELS) or [one for one in [object_in(asset, "latestLabel")] if one]
    counts["assets without labels left out"] += not labels
    for label in labels:
        if label.get("labelType") == _UNFINISHED:
            counts["labels left out, since not submitted"] += 1
        elif label.get("isLatestLabelForUser") is False:
            counts["labels left out, since given anew by their author"] += 1
        else:
            response = label.get(_RESPONSE)
            held = json_value(response) if isinstance(response, str) else response
            yield _author(label), object_in({_RESPONSE: held}, _RESPONSE)


def _author(label: Mapping[str, Any]) -> str | None:
    """By e-mail, name or id; the model of a prediction."""
    author = object_in(label, "author")
    names = (plain_text(one) for one in (label.get("modelName"), *map(author.get, ("email", "name", "id"))))
    return next((name for name in names if name), None)


def _left(counts: Counter[str]) -> list[str]:
    return [f"{told}: {count:,}" for told, count in counts.items() if count]


def _responses(found: Opened[Any]) -> Iterator[dict[str, Any]]:
    """The jobs of the first labels, where they stand as Kili writes them."""
    for asset in found.first:
        held = asset.get(_LABELS) if _TEXT in asset else None
        for label in [*(held if isinstance(held, list) else ()), asset.get("latestLabel")]:
            response = label.get(_RESPONSE) if isinstance(label, dict) else None
            response = json_value(response) if isinstance(response, str) else response
            yield from (
                job for job in (response.values() if isinstance(response, dict) else ()) if isinstance(job, dict)
            )


def _has_marks(found: Opened[SpanOptions]) -> bool:
    return any(_MARKS in job for job in _responses(found))


def _has_classes(found: Opened[LabelOptions]) -> bool:
    return any(_CLASSES in job or "text" in job for job in _responses(found))


FORMAT = (
    Format("kili", "violations", read_kili_marks, _has_marks, endings=(".json",)),
    Format("kili", "reliability", read_kili_classes, _has_classes, endings=(".json",)),
)
