"""Published results of models: model, ability, metric, value, optionally noise_ratio."""

from collections.abc import Collection

import polars as pl

from karat.formats.findings import Findings, cells_of
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.answers import ABILITIES, noise_of
from karat.schemas.rules import filled, number, number_in, one_of

COLUMNS = ("model", "ability", "noise_ratio", "metric", "value")

_SHARE = "a share from 0 to 1, such as 0.86 (a slope from -1 to 1)"


def read_published(source: Source, metrics: Collection[str]) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers.

    metrics: names that a metric may have. A noise_ratio that is missing is that of negative_rejection 1, else null.
    Raises DataError for a metric or an ability that is none, and for values that are no shares.
    """
    table = read_texts(source, {name: name for name in COLUMNS}, ["noise_ratio"])
    known = {"ability": ABILITIES, "metric": metrics}
    rules = [
        filled("model", "a name"),
        *(filled(name, f"one of {', '.join(values)}") for name, values in known.items()),
        *(one_of(name, values) for name, values in known.items()),
        number("noise_ratio", "a number from 0 to 1", 0, 1),
        filled("value", _SHARE),
        number("value", _SHARE, pl.when(pl.col("metric") == "slope").then(-1).otherwise(0), 1),
    ]
    findings = Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    findings.settle()
    return table.select(
        "model", "ability", "metric", noise_ratio=noise_of(number_in("noise_ratio")), published=number_in("value")
    )
