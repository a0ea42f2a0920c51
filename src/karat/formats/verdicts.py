"""Verdicts of a judge on explanations: id, system, criterion, verdict (yes, no, or null where it gave none)."""

from collections.abc import Sequence

import polars as pl

from karat.errors import DataError, nearest
from karat.formats.findings import Findings, cells_of
from karat.formats.source import Source
from karat.formats.tables import ROW, read_texts
from karat.schemas.rules import Rule, filled, one_of

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
    table = read_texts(source, {name: name for name in (*_KEYS, "verdict")})
    findings = Findings()
    rules = [
        *(filled(key, "a name") for key in _KEYS),
        Rule("id", pl.col("id").is_not_null() & ~pl.col("id").is_in(ids.implode()), "an id of the gold"),
        one_of("verdict", VERDICTS, "yes, no or null"),
    ]
    findings.keep(table, rules, cells_of(table, source.name, "row", ROW, {}))
    findings.once(table, _KEYS, ROW, f"{source.name}, rows", "one verdict per id, system and criterion")
    findings.settle()
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
