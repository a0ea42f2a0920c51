"""Published results of models: model, ability, metric, value, optionally noise_ratio."""

from collections.abc import Collection

import polars as pl

from karat.formats.findings import Findings, cells_of
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.answers import ABILITIES
from karat.schemas.rules import Rule, filled, one_of

COLUMNS = ("model", "ability", "noise_ratio", "metric", "value")

_NOISE, _VALUE = (pl.col(name).cast(pl.Float64, strict=False) for name in ("noise_ratio", "value"))
_SLOPE = pl.col("metric") == "slope"


def read_published(source: Source, metrics: Collection[str]) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers.

    metrics: names that a metric may have. A noise_ratio that is missing is that of negative_rejection 1, else null.
    Raises DataError for a metric or an ability that is none, and for values that are no shares.
    """
    table = read_texts(source, {name: name for name in COLUMNS}, ["noise_ratio"])
    shares = {low: ~_VALUE.is_between(low, 1).fill_null(value=False) for low in (0, -1)}
    rules = [
        filled("model", "a name"),
        *(
            rule
            for name, known in (("ability", ABILITIES), ("metric", metrics))
            for rule in (filled(name, f"one of {', '.join(known)}"), one_of(name, known))
        ),
        Rule(
            "noise_ratio",
            pl.col("noise_ratio").is_not_null() & ~_NOISE.is_between(0, 1).fill_null(value=False),
            "a number from 0 to 1",
        ),
        Rule("value", ~_SLOPE.fill_null(value=False) & shares[0], "a share from 0 to 1, such as 0.86"),
        Rule("value", _SLOPE & shares[-1], "a share from -1 to 1, such as 0.86"),
    ]
    findings = Findings()
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    findings.settle()
    silent = (pl.col("ability") == "negative_rejection") & pl.col("noise_ratio").is_null()
    noise = pl.when(silent).then(1.0).otherwise(_NOISE)
    return table.select("model", "ability", "metric", noise_ratio=noise, published=_VALUE)
