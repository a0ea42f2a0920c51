"""Labelbox's old exports, CSV or JSON: a row per label, whose answers stand as JSON in the column Label.

ID,DataRow ID,Labeled Data,Label,Created By,Project Name,External ID,Agreement,Benchmark Reference ID,Reviews,Skipped
l1,d1,Good.,"{""classifications"": [{""title"": ""Tone"", ""answer"": {""title"": ""Kind""}}]}",ana@x.org,T,t1,,,[],
"""

from collections.abc import Iterator, Mapping
from typing import Any

from karat.errors import DataError
from karat.formats.documents import json_value, kind, plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.opened import Opened
from karat.formats.reading import objects_in
from karat.formats.source import Format

_ROW, _LABEL, _WHO, _BENCHMARK = "DataRow ID", "Label", "Created By", "Benchmark Reference ID"
_SKIP = "Skip"
_NEEDED = {_ROW, _LABEL, _WHO, "Labeled Data"}


def read_labelbox(found: Opened[Options]) -> Parts:
    """A row per label; classifications are questions. Labels that are a benchmark are the reference's."""
    return unfolded(found, Tool({"item": _ROW, "annotator": _WHO}, _rows), found.values)


def _rows(row: dict[str, Any]) -> Iterator[Row]:
    label = row.get(_LABEL)
    held = json_value(label) if isinstance(label, str) and label != _SKIP else label
    if held in (None, "", _SKIP):
        held = {}
    if not isinstance(held, dict):
        raise DataError(f", {_LABEL}: expected an object of answers, or {_SKIP}; got {kind(held)}")
    answers, objects = dict(_answers(held)), objects_in(held, "objects")
    left = ["objects"] * len(objects)
    yield Row(row, answers, trusted=bool(plain_text(row.get(_BENCHMARK))), left=left)


def _answers(label: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The answer to each question; in the oldest exports a label is questions with their answers, and nothing else."""
    if "classifications" in label or "objects" in label:
        for one in objects_in(label, "classifications"):
            title = plain_text(one.get("title")) or plain_text(one.get("value")) or "answer"
            given = one.get("answers", one.get("answer"))
            yield title, _titles(given)
    else:
        yield from ((title, _titles(given)) for title, given in label.items())


def _titles(given: object) -> object:
    """What an option, or each of several, is called; a text as it is."""
    if isinstance(given, list):
        return [_titles(one) for one in given]
    return given.get("title") or given.get("value") if isinstance(given, dict) else given


def _looks_like(found: Opened[Options]) -> bool:
    return set(found.names) >= _NEEDED


FORMAT = Format("labelbox", "reliability", read_labelbox, _looks_like, endings=(".csv", ".json"))
