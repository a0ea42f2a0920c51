"""Records of Rubrix and Argilla before 1.0 for classifying texts: predictions of a model beside a person's annotation.

{"id": "r1", "inputs": {"text": "Good."}, "prediction": [{"label": "pos", "score": 0.9}], "prediction_agent": "bert",
 "annotation": "pos", "annotation_agent": "ana", "multi_label": false, "status": "Validated", "metadata": {}}

Predictions may be pairs of label and score, or an object of their lists.
"""

from collections.abc import Iterator
from typing import Any

from karat.errors import DataError
from karat.formats.documents import Number, kind, plain_text
from karat.formats.judgments import Options, Parts
from karat.formats.labelled import Row, Tool, unfolded
from karat.formats.opened import Opened
from karat.formats.reading import list_in, object_in
from karat.formats.source import Format

_WHO, _LABEL, _TRUE = "prediction_agent", "prediction", "annotation"
_NEEDED = {_LABEL, _WHO, _TRUE, "annotation_agent", "status"}
_BOTH = ("label", "score")
_LIKELY = 0.5
"""The score from which on a label is predicted, where a text may have several."""


def read_rubrix(found: Opened[Options]) -> Parts:
    """A row per record: the label with the highest score is the model's, or all that are likely where several may be.

    The annotation is the reference. A record without a prediction is skipped, one without an annotation has none.
    """
    return unfolded(found, Tool({"item": "id", "annotator": _WHO, "reference": _TRUE}, _rows), found.values)


def _rows(record: dict[str, Any]) -> Iterator[Row]:
    several = plain_text(record.get("multi_label")) == "true"
    scores = _scores(record.get(_LABEL))
    ranked = sorted(scores, key=lambda label: -scores[label])
    predicted = [label for label in ranked if scores[label] >= _LIKELY] if several else ranked[:1]
    agent = plain_text(record.get(_WHO)) or "prediction"
    true = record.get(_TRUE)
    known = {**object_in(record, "inputs"), **object_in(record, "metadata"), **record, _WHO: agent}
    yield Row({**known, _TRUE: _set_text(true)}, {_LABEL: predicted})


def _set_text(label: object) -> object:
    return ", ".join(sorted(filter(None, map(plain_text, label)))) or None if isinstance(label, list) else label


def _scores(predictions: object) -> dict[str, float]:
    """Label -> its score. Raises DataError with words that follow the record's place."""
    if isinstance(predictions, dict):
        predictions = [list(both) for both in zip(*(list_in(predictions, one) for one in _BOTH), strict=False)]
    if not isinstance(predictions, list | None):
        raise DataError(f", {_LABEL}: expected a list of labels with scores; got {kind(predictions)}")
    found = dict[str, float]()
    for one in predictions or ():
        label, score = map(one.get, _BOTH) if isinstance(one, dict) else _pair(one)
        if not isinstance(label, str) or not isinstance(score, Number):
            raise DataError(f", {_LABEL}: expected labels with scores; got {kind(one)}")
        found[label] = float(score)
    return found


def _pair(one: object) -> tuple[object, object]:
    return (one[0], one[1]) if isinstance(one, list) and len(one) == len(_BOTH) else (None, None)


def _looks_like(found: Opened[Options]) -> bool:
    return set(found.names) >= _NEEDED


FORMAT = Format("rubrix", "reliability", read_rubrix, _looks_like, endings=(".json", ".jsonl", ".parquet"))
