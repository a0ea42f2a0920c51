"""Published scores of systems: a long table of system, criterion, metric and value."""

import polars as pl

from karat.errors import SHOWN, DataError
from karat.formats.findings import Findings
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan, select_text

KEYS = ("system", "criterion", "metric")
COLUMNS = (*KEYS, "value")


def read_scores(source: Source, columns: dict[str, str]) -> pl.DataFrame:
    """The scores (system, criterion, metric, value), in the file's order; a value may be missing.

    columns: Karat's column -> the file's. Raises DataError for a name that is missing, a value that is no finite
    number, and a figure of a system that stands twice.
    """
    names = {name: columns.get(name, name) for name in COLUMNS}
    frame = scan(source, wanted=list(names.values()), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **names}))
    numbers = table.with_columns(number=pl.col("value").str.strip_chars().cast(pl.Float64, strict=False))
    findings = Findings()
    for key in KEYS:
        for row in table.filter(pl.col(key).is_null())[ROW].head(SHOWN):
            findings.add(f"{source.name}, row {row}, column {names[key]}: expected a name; got nothing")
    wrong = numbers.filter(pl.col("value").is_not_null() & ~pl.col("number").is_finite().fill_null(value=False))
    for row, got in wrong.select(ROW, "value").head(SHOWN).iter_rows():
        findings.add(f'{source.name}, row {row}, column {names["value"]}: expected a number; got "{got:.60}"')
    twice = table.filter(pl.struct(KEYS).is_duplicated())
    for row, *keys in twice.select(ROW, *KEYS).head(SHOWN).iter_rows():
        findings.add(f"{source.name}, row {row}: expected each figure once; {', '.join(map(str, keys))} stands twice")
    findings.total += sum(max(bad.height - SHOWN, 0) for bad in (wrong, twice))
    findings.settle(drop=False)
    if table.is_empty():
        raise DataError(f"{source.name}: no scores")
    return numbers.select(*KEYS, value="number")
