"""Long tables of preferences: a row per item and criterion, with id, criterion, label and perhaps explanation."""

from collections.abc import Mapping, Sequence

import polars as pl

from adjudge.readers.io.source import Source
from adjudge.readers.problems import Findings, cells_of, quoted
from adjudge.readers.tables import ROW, read_texts, scan, schema_of
from adjudge.schemas.columns import require_one_of

COLUMNS = ("criterion", "label", "explanation")
"""What a long table has beside what it says of items."""

_ID = "id"
_NEEDED = (_ID, *COLUMNS[:2])
_ENDINGS = {"_preference": "label", "_explanation": "explanation"}


def long_texts(
    source: Source,
    wanted: Mapping[str, str],
    columns: Mapping[str, str],
    criteria: Sequence[str],
    lackable: Sequence[str],
) -> pl.DataFrame | None:
    """A long table as one with a row per item, under Adjudge's names, with the number of its first row in ROW.

    wanted: columns of the table with a row per item, by Adjudge's names -> those of the file. columns: Adjudge's -> the
    file's, of which the long table's own may be mapped. lackable: those wanted that may be absent. None for a table
    that is not long. Raises DataError for another criterion, for two labels of an item on one, and for an item of which
    a column says several things.
    """
    names = schema_of(source, scan(source)).names()
    own = {name: columns.get(name, name) for name in (_ID, *COLUMNS)}
    if not all(own[name] in names for name in _NEEDED):
        return None
    parts = {criterion + ending: (criterion, part) for criterion in criteria for ending, part in _ENDINGS.items()}
    whole = {name: theirs for name, theirs in wanted.items() if name not in {_ID, *parts}}
    theirs = {**own, **whole}
    needed = {parts[name][1] if name in parts else name for name in wanted if name not in lackable}
    rows = read_texts(source, theirs, [name for name in theirs if name not in needed])
    _check(source, rows, own, whole, criteria)
    asked = {name: both for name, both in parts.items() if name in wanted}
    named = pl.col("criterion")
    cells = [pl.col(part).filter(named == criterion).first().alias(name) for name, (criterion, part) in asked.items()]
    same = (pl.col(one).drop_nulls().first() for one in whole)
    return rows.group_by(_ID, maintain_order=True).agg(pl.col(ROW).first(), *same, *cells).select(ROW, *wanted)


def _check(
    source: Source, rows: pl.DataFrame, own: Mapping[str, str], whole: Mapping[str, str], criteria: Sequence[str]
) -> None:
    findings = Findings()
    if criteria:
        expected = f"one of {', '.join(criteria)} (or other criteria, named with --criteria)"
        rules = [require_one_of("criterion", criteria, expected)]
        findings.keep(rows, rules, cells_of(rows, source.name, "row", ROW, own))
        findings.once(rows, [_ID, "criterion"], ROW, f"{source.name}, rows", "one label of each id and criterion")
    for name, theirs in whole.items():
        counts = rows.group_by(_ID, maintain_order=True).agg(pl.col(name).drop_nulls().n_unique())
        for item in counts.filter(pl.col(name) > 1)[_ID]:
            findings.add(f"{source.name}, column {theirs}: expected one value for id {quoted(item)}; got several")
    findings.settle()
