"""What the evaluation script of ELOQUENT's preference prediction writes: an object of CRITERION_METRIC.

The scores of one system, which the file is called after.
"""

from typing import Any

import polars as pl

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import Number, not_plain, text_frame
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.preferences.score_tables import figure_in
from adjudge.readers.tables import ROW
from adjudge.schemas.preferences import CRITERIA

_RESULTS = "_results"


def _results(found: Opened[Any]) -> pl.DataFrame:
    """A row per figure."""
    if wrong := not_plain(found.document):
        raise DataError(f"{found.source.name}: {wrong}")
    system = found.source.stem.removesuffix(_RESULTS)
    figures = {key: figure_in(key) for key in found.document}
    columns = {
        "system": [system for _ in figures],
        "criterion": [criterion for criterion, _ in figures.values()],
        "metric": [metric for _, metric in figures.values()],
        "value": [str(value) for value in found.document.values()],
    }
    return text_frame(columns, found.source.name).with_row_index(ROW, offset=1)


def _is_results(found: Opened[Any]) -> bool:
    """Whether JSON is an object of numbers, each called after one of the task's criteria."""
    document = found.document if found.source.format == "json" else None
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(value, Number) and key.startswith(CRITERIA) for key, value in document.items())
    )


FORMAT = Format("eloquent-results", "preferences", _results, _is_results, endings=("_results.json",))
