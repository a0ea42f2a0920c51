"""Predictions of the RGB benchmark's own code: JSON lines with id, query, ans, label, prediction, docs, noise_rate.

    {"id": 0, "query": "Where was it?", "ans": ["Tampa"], "label": [1], "prediction": "In Tampa.", "docs": ["..."],
     "noise_rate": 0.2, "factlabel": 0}

The file's name says the rest: prediction_DATASET_MODEL_tempT_noiseN_passageK_correctC.json. Of the data sets those that
end in _int test information_integration, those in _fact counterfactual_robustness; of the others, answers at noise 1
test negative_rejection and all else noise_robustness. label and factlabel are the benchmark's own verdicts, which the
scorer benchmark gives again.

Source: evalue.py of RGB, Chen et al. 2024, https://doi.org/10.1609/aaai.v38i16.29728.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from adjudge.readers.answers.answer_layouts import Layout, plain_batches
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened

_NAME = re.compile(
    r"prediction_(?P<set>(?:en|zh)(?:_int|_fact|_refine)?)_(?P<model>.+?)_temp[\d.]+_noise[\d.]+_passage\d+"
)
_ABILITIES = {"_int": "information_integration", "_fact": "counterfactual_robustness"}
_NEEDED = ("query", "ans", "prediction", "noise_rate", "label")
_ALL = "1"
"""A ratio of noise, as a JSON number, where no document holds the answer."""


def _read(found: Opened[Any]) -> Layout:
    columns = {"response": ["prediction"], "answer": ["ans"], "noise_ratio": ["noise_rate"], "documents": ["docs"]}
    return Layout(columns, lists="slots", batches=lambda: _batches(found))


def _batches(found: Opened[Any]) -> Iterator[Objects]:
    """The records, with what the file's name says."""
    named = _NAME.search(found.source.stem)
    model = {"model": named["model"]} if named else {}
    ending = next((one for one in _ABILITIES if named and named["set"].endswith(one)), "")
    for objects in plain_batches(found.source):
        records = [{**model, "ability": _ability(one, ending), **one} for one in objects.plain()]
        yield replace(objects, values=records)


def _ability(record: dict[str, Any], ending: str) -> str:
    silent = record.get("noise_rate") == _ALL
    return _ABILITIES.get(ending, "negative_rejection" if silent else "noise_robustness")


def _recognised(found: Opened[Any]) -> bool:
    return all(name in found.names for name in _NEEDED)


FORMAT = Format("rgb-predictions", "rag", _read, _recognised, 1, (".json",))
