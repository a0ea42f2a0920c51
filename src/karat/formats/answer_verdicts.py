"""A judge's verdicts on answers: id, model, optionally ability, noise_ratio and draw, and what it says of each."""

import polars as pl

from karat.errors import SHOWN, DataError, nearest
from karat.formats.findings import Findings
from karat.formats.source import Source
from karat.formats.tables import ROW, collect, scan, schema_of, select_text
from karat.schemas.answers import VERDICTS

_KEYS = ("id", "model", "ability", "noise_ratio", "draw")
_NEEDED = ("id", "model")
_WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_answer_verdicts(source: Source, answers: pl.DataFrame) -> tuple[pl.DataFrame, int, list[str]]:
    """A judge's verdicts, a row for each answer in their order, null where it gave none; how many; and warnings.

    answers: with the columns of karat.schemas.answers. Verdicts are joined on id and model, and on ability, noise_ratio
    and draw where the file has them; a noise_ratio that is missing is that of negative_rejection 1. Raises DataError
    for other words than true and false, a noise_ratio that is no number, verdicts on answers that are not there, two on
    one answer, and one that several answers answer to.
    """
    keys = _keys(source)
    names = {name: name for name in (*keys, *VERDICTS)}
    frame = scan(source, wanted=list(names), rows=True)
    table = collect(source, select_text(source, frame, {ROW: ROW, **names}, optional=list(VERDICTS)))
    findings = Findings()
    said = [name for name in VERDICTS if name in table.columns]
    if not said:
        raise DataError(f"{source.name}: expected at least one column of {', '.join(VERDICTS)}; got none")
    for name in said:
        _check_words(source, table, name, findings)
    if "noise_ratio" in keys:
        no_number = pl.col("noise_ratio").is_not_null() & pl.col("noise_ratio").cast(pl.Float64, strict=False).is_null()
        _refuse(source, table.filter(no_number), "noise_ratio", "a number from 0 to 1", findings)
    ours = answers.select(_as_key(name) for name in keys).with_row_index("place")
    theirs = table.with_columns(_as_key(name) for name in keys)
    if {"ability", "noise_ratio"} <= set(keys):
        rejecting = (pl.col("ability") == "negative_rejection") & pl.col("noise_ratio").is_null()
        theirs = theirs.with_columns(pl.when(rejecting).then(1.0).otherwise("noise_ratio").alias("noise_ratio"))
    unknown = theirs.join(ours, on=keys, how="anti", nulls_equal=True)
    for row in unknown.head(SHOWN).to_dicts():
        hint = nearest(str(row["id"]), answers["id"].unique().to_list()[:10_000])
        findings.add(
            f'{source.name}, row {row[ROW]}: no answer of id "{row["id"]!s:.60}" by {row["model"]!s:.60}{hint}'
        )
    findings.total += max(unknown.height - SHOWN, 0)
    twice = theirs.filter(pl.struct(keys).is_duplicated())
    if twice.height:
        findings.add(
            f"{source.name}, row {twice[ROW][1]}: expected one verdict per answer; an earlier row is of the same",
            twice.height,
        )
    findings.settle(drop=False)
    if ours.select(pl.struct(keys).is_duplicated().any()).item():
        lacking = ", ".join(name for name in _KEYS if name not in keys)
        hint = f"add {lacking}" if lacking else "number answers with and without documents with draw"
        raise DataError(f"{source.name}: several answers have the same {', '.join(keys)}; {hint}")
    joined = ours.join(theirs, on=keys, how="left", nulls_equal=True, maintain_order="left")
    found = joined.select(
        pl.col(name).str.to_lowercase().replace_strict(_WORDS, default=None, return_dtype=pl.Boolean)
        if name in said
        else pl.lit(None, pl.Boolean).alias(name)
        for name in VERDICTS
    ).with_columns(pl.lit(None, pl.String).alias("detail"))
    silent = answers.height - theirs.height
    warnings = [f"{source.name}: no verdict on {silent:,} of {answers.height:,} answers"] if silent else []
    return found, table.height, warnings


def _keys(source: Source) -> list[str]:
    found = schema_of(source, scan(source, wanted=_KEYS)).names()
    return [name for name in _KEYS if name in found or name in _NEEDED]


def _as_key(name: str) -> pl.Expr:
    column = pl.col(name)
    return column.cast(pl.Float64, strict=False) if name == "noise_ratio" else column.cast(pl.String)


def _check_words(source: Source, table: pl.DataFrame, name: str, findings: Findings) -> None:
    wrong = table.filter(pl.col(name).is_not_null() & ~pl.col(name).str.to_lowercase().is_in(list(_WORDS)))
    _refuse(source, wrong, name, "true, false or null", findings)


def _refuse(source: Source, wrong: pl.DataFrame, name: str, expected: str, findings: Findings) -> None:
    for row, got in wrong.select(ROW, name).head(SHOWN).iter_rows():
        findings.add(f'{source.name}, row {row}, column {name}: expected {expected}; got "{got:.60}"')
    findings.total += max(wrong.height - SHOWN, 0)
