"""Verdicts of a judge on explanations: id, system, criterion, verdict (yes, no, or null where it gave none)."""

from collections.abc import Sequence

import polars as pl

from karat.errors import SHOWN, DataError, nearest
from karat.formats.findings import Findings
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan, select_text

VERDICTS = ("yes", "no")
_KEYS = ("id", "system", "criterion")


def read_verdicts(
    source: Source, ids: pl.Series, systems: Sequence[str], criteria: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The verdicts on these systems and criteria (id, system, criterion, verdict), and warnings.

    ids: of the gold; another one is an error.

    Verdicts on other systems and criteria are left out, and counted in a warning. Raises DataError for another
    verdict, a key that is empty, one that stands twice, and a file that is about none of the systems.
    """
    names = {name: name for name in (*_KEYS, "verdict")}
    frame = scan(source, wanted=list(names), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **names}))
    findings = Findings()
    _check(source, table, findings)
    unknown = table.filter(pl.col("id").is_not_null() & ~pl.col("id").is_in(ids.implode()))
    for row, got in unknown.select(ROW, "id").head(SHOWN).iter_rows():
        findings.add(f'{source.name}, row {row}, column id: expected an id of the gold; got "{got:.60}"')
    findings.total += max(unknown.height - SHOWN, 0)
    findings.settle(drop=False)
    ours = table.filter(pl.col("system").is_in(systems), pl.col("criterion").is_in(criteria))
    if ours.is_empty():
        found = ", ".join(table["system"].unique().sort().head(5))
        raise DataError(
            f"{source.name}: no verdict on any of {', '.join(systems)}{nearest(systems[0], table['system'].unique())}; "
            f"it holds {found:.300}"
        )
    others = table.height - ours.height
    told = f"{source.name}: {others:,} verdicts on other systems or criteria are not used"
    return ours.select(*_KEYS, "verdict"), [told] if others else []


def _check(source: Source, table: pl.DataFrame, findings: Findings) -> None:
    for key in _KEYS:
        for row in table.filter(pl.col(key).is_null())[ROW].head(SHOWN):
            findings.add(f"{source.name}, row {row}, column {key}: expected a name; got nothing")
    wrong = table.filter(pl.col("verdict").is_not_null() & ~pl.col("verdict").is_in(VERDICTS))
    for place, (row, got) in enumerate(wrong.select(ROW, "verdict").head(SHOWN).iter_rows()):
        rest = wrong.height - SHOWN if place == SHOWN - 1 else 0
        findings.add(
            f'{source.name}, row {row}, column verdict: expected yes, no or null; got "{got:.60}"'
            f"{nearest(got.strip().lower(), VERDICTS)}",
            1 + rest,
        )
    twice = table.filter(pl.struct(_KEYS).is_duplicated())
    for row in twice.select(ROW, *_KEYS).head(SHOWN).to_dicts():
        findings.add(
            f"{source.name}, row {row[ROW]}: expected one verdict per id, system and criterion; "
            f"{row['id']:.60}, {row['system']:.60}, {row['criterion']:.60} stands more than once"
        )
