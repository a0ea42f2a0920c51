"""Data sets of NVIDIA with every annotator's rating: HelpSteer 3 (pairs) and the disagreements of HelpSteer 2.

{"context": [...], "response1": "...", "response2": "...", "overall_preference": -1, "individual_preference":
 [{"score": -1, "reasoning": "..."}, {"score": 2, "reasoning": "..."}]}
{"prompt": "...", "response": "...", "helpfulness": [4, 3, 4], "correctness": [4, 4, 4], "coherence": [4, 4, 4], ...}
"""

from collections.abc import Iterator
from typing import Any

from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.opened import Opened
from karat.formats.reading import list_in, objects_in
from karat.formats.source import Format

_EACH, _OVERALL = "individual_preference", "overall_preference"
_RATED = ("helpfulness", "correctness", "coherence", "complexity", "verbosity")
_ITEM, _WHO, _SCORE = "id", "annotator", "score"
_UNNAMED = (
    "annotators have no names in {}: annotator 1 is the first of each item, who may be another person in another item"
)


def read_helpsteer(found: Opened[Options]) -> Parts:
    """A row per item and annotator, called by their place. The overall preference is the reference of each one's."""
    names = {"item": _ITEM, "annotator": _WHO}
    tool = Tool(names, _rows, {_SCORE: _OVERALL})
    return unfolded(found, tool, found.values, [_UNNAMED.format(found.source.name)])


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    if _EACH in record:
        for place, one in enumerate(objects_in(record, _EACH), 1):
            yield Row(record | {_WHO: str(place)}, {_SCORE: one.get(_SCORE)})
        return
    rated = {name: list_in(record, name) for name in _RATED}
    for place in range(max(map(len, rated.values()), default=0)):
        given = {name: ratings[place] for name, ratings in rated.items() if place < len(ratings)}
        yield Row(record | {_WHO: str(place + 1)}, given)


def _looks_like(found: Opened[Options]) -> bool:
    return any(
        {_EACH, _OVERALL} <= value.keys() or all(isinstance(value.get(name), list) for name in _RATED)
        for value in found.first
    )


FORMAT = Format("helpsteer", "reliability", read_helpsteer, _looks_like, endings=(".jsonl", ".jsonl.gz"))
