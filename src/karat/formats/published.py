"""Published results, as flat tables.

Of models: model, ability, metric, value, optionally noise_ratio. Scores of systems: system, criterion, metric, value.
"""

from collections.abc import Collection, Mapping

import polars as pl

from karat.errors import DataError
from karat.formats.findings import Findings, cells_of
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.answers import ABILITIES, noise_of
from karat.schemas.rules import filled, number, number_in, one_of

SCORE_KEYS = ("system", "criterion", "metric")
SCORES = (*SCORE_KEYS, "value")

_RESULTS = ("model", "ability", "noise_ratio", "metric", "value")
_SHARE = "a share from 0 to 1, such as 0.86 (a slope from -1 to 1)"


def read_published(source: Source, metrics: Collection[str]) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers.

    metrics: names that a metric may have. A noise_ratio that is missing is that of negative_rejection 1, else null.
    Raises DataError for a metric or an ability that is none, and for values that are no shares.
    """
    known = {"ability": ABILITIES, "metric": metrics}
    rules = [
        filled("model", "a name"),
        *(filled(name, f"one of {', '.join(values)}") for name, values in known.items()),
        *(one_of(name, values) for name, values in known.items()),
        number("noise_ratio", "a number from 0 to 1", 0, 1),
        filled("value", _SHARE),
        number("value", _SHARE, pl.when(pl.col("metric") == "slope").then(-1).otherwise(0), 1),
    ]
    table, findings = read_texts(source, {name: name for name in _RESULTS}, ["noise_ratio"]), Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    findings.settle()
    return table.select(
        "model", "ability", "metric", noise_ratio=noise_of(number_in("noise_ratio")), published=number_in("value")
    )


def read_scores(source: Source, columns: Mapping[str, str]) -> pl.DataFrame:
    """The scores (system, criterion, metric, value), in the file's order; a value may be missing.

    columns: Karat's column -> the file's. Raises DataError for a name that is missing, a value that is no finite
    number, and a figure of a system that stands twice.
    """
    names = {name: columns.get(name, name) for name in SCORES}
    rules = [*(filled(key, "a name") for key in SCORE_KEYS), number("value", "a number")]
    table, findings = read_texts(source, names), Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, names))
    findings.once(table, SCORE_KEYS, ROW, f"{source.name}, rows", "each figure once")
    findings.settle()
    if table.is_empty():
        raise DataError(f"{source.name}: no scores")
    return table.select(*SCORE_KEYS, value=number_in("value"))
