"""Published scores of systems: a long table of system, criterion, metric and value."""

import polars as pl

from karat.errors import DataError
from karat.formats.findings import Findings, cells_of
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.rules import filled, number, number_in

KEYS = ("system", "criterion", "metric")
COLUMNS = (*KEYS, "value")

_RULES = (*(filled(key, "a name") for key in KEYS), number("value", "a number"))


def read_scores(source: Source, columns: dict[str, str]) -> pl.DataFrame:
    """The scores (system, criterion, metric, value), in the file's order; a value may be missing.

    columns: Karat's column -> the file's. Raises DataError for a name that is missing, a value that is no finite
    number, and a figure of a system that stands twice.
    """
    names = {name: columns.get(name, name) for name in COLUMNS}
    table = read_texts(source, names)
    findings = Findings()
    findings.keep(table, _RULES, cells_of(table, source.name, "row", ROW, names))
    findings.once(table, KEYS, ROW, f"{source.name}, rows", "each figure once")
    findings.settle()
    if table.is_empty():
        raise DataError(f"{source.name}: no scores")
    return table.select(*KEYS, value=number_in("value"))
