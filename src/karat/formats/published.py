"""Published results of models: model, ability, metric, value, optionally noise_ratio."""

from collections.abc import Collection, Iterator

import polars as pl

from karat.errors import nearest
from karat.formats.findings import Findings
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan, select_text
from karat.schemas.answers import ABILITIES

COLUMNS = ("model", "ability", "noise_ratio", "metric", "value")


def read_published(source: Source, metrics: Collection[str]) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers.

    metrics: names that a metric may have. A noise_ratio that is missing is that of negative_rejection 1, else null.
    Raises DataError for a metric or an ability that is none, and for values that are no shares.
    """
    names = {name: name for name in COLUMNS}
    frame = scan(source, wanted=list(COLUMNS), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **names}, optional=["noise_ratio"]))
    if "noise_ratio" not in table.columns:
        table = table.with_columns(pl.lit(None, pl.String).alias("noise_ratio"))
    numbers = {name: pl.col(name).cast(pl.Float64, strict=False) for name in ("noise_ratio", "value")}
    findings = Findings()
    for row in table.with_columns(number=numbers["value"], noise=numbers["noise_ratio"]).iter_rows(named=True):
        for problem in _problems(row, metrics):
            findings.add(f"{source.name}, row {row[ROW]}, column {problem}")
    findings.settle(drop=False)
    silent = (pl.col("ability") == "negative_rejection") & pl.col("noise_ratio").is_null()
    noise = pl.when(silent).then(1.0).otherwise(numbers["noise_ratio"])
    return table.select("model", "ability", "metric", noise_ratio=noise, published=numbers["value"])


def _problems(row: dict[str, object], metrics: Collection[str]) -> Iterator[str]:
    """What is wrong with a row: each time the column, what was expected and what came."""
    if row["model"] is None:
        yield "model: expected a name; got nothing"
    for name, known in (("ability", ABILITIES), ("metric", metrics)):
        if row[name] not in known:
            near = nearest(str(row[name]), known)
            yield f"{name}: expected one of {', '.join(known)}; got {_said(row[name])}{near}"
    noise, number = row["noise"], row["number"]
    if row["noise_ratio"] is not None and not (isinstance(noise, float) and 0 <= noise <= 1):
        yield f"noise_ratio: expected a number from 0 to 1; got {_said(row['noise_ratio'])}"
    lowest = -1 if row["metric"] == "slope" else 0
    if not (isinstance(number, float) and lowest <= number <= 1):
        yield f"value: expected a share from {lowest} to 1, such as 0.86; got {_said(row['value'])}"


def _said(value: object) -> str:
    return "nothing" if value is None else f'"{value!s:.60}"'
