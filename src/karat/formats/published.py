"""Published results of models: model, ability, metric, value, optionally noise_ratio."""

import polars as pl

from karat.errors import SHOWN, DataError
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan, select_text

COLUMNS = ("model", "ability", "noise_ratio", "metric", "value")


def read_published(source: Source) -> pl.DataFrame:
    """The results in a table, noise_ratio and published as numbers. Raises DataError for values that are no numbers."""
    names = {name: name for name in COLUMNS}
    frame = scan(source, wanted=list(COLUMNS), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **names}, optional=["noise_ratio"]))
    if "noise_ratio" not in table.columns:
        table = table.with_columns(pl.lit(None, pl.String).alias("noise_ratio"))
    numbers = {name: table[name].cast(pl.Float64, strict=False) for name in ("noise_ratio", "value")}
    problems = [
        f'{source.name}, row {row}, column {name}: expected a number; got "{got!s:.60}"'
        for name, own in numbers.items()
        for row, got in table.filter(own.is_null() & (table[name].is_not_null() | (name == "value")))
        .select(ROW, name)
        .head(SHOWN)
        .iter_rows()
    ]
    if problems:
        raise DataError(problems)
    return table.select("model", "ability", "metric").with_columns(
        noise_ratio=numbers["noise_ratio"], published=numbers["value"]
    )
