"""Long tables with a row per vote: pair, annotator, vote, and optionally prompt, text_a, text_b, model_a, model_b.

What is said of a pair may stand in all of its rows or in some; it must not differ between them. Where no row
says a text, the responses are empty. Other columns are metadata if they are the same in all rows of a pair.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from karat.errors import SHOWN, DataError, nearest
from karat.formats.findings import Findings
from karat.formats.messages import turns_text
from karat.formats.records import Records
from karat.formats.wide_pairs import RESPONSES, chosen_columns, metadata_name, other_warnings, vote_codes
from karat.schemas.pairs import LENGTHS, TEXTS, VOTE, Annotator, Pairs, with_lengths

NEEDED = ("pair", "annotator", "vote")
_ROW = "__row__"
_CODE = "__code__"
_SHOWN = 5


def read_long(
    records: Records,
    columns: Mapping[str, str],
    vote_values: Mapping[str, Sequence[str]] | None,
    name: str,
    *,
    drop: bool,
) -> Pairs:
    """The pairs in a long table. Raises DataError with all that is wrong, or with `drop` leaves out those rows."""
    usual = {one: one for one in (*TEXTS, *NEEDED)}
    found = chosen_columns(records, columns, usual, NEEDED)
    values = vote_codes(vote_values)
    frame, others = _coded(records, found, values)
    findings = Findings()
    frame = _valid(frame, records, found, values, findings)
    frame = _once(frame, records, findings)
    said = [one for one in frame.columns if one not in {*NEEDED, _ROW, _CODE}]
    pairs, metadata = _one_row_each(frame, said, records, found, findings)
    warnings = findings.settle(drop=drop)
    if pairs.is_empty():
        raise DataError(f"{records.name}: no pair is left after dropping")
    annotators = frame["annotator"].unique(maintain_order=True).to_list()
    wide = _wide(pairs, frame, annotators)
    ordered = [*TEXTS, *LENGTHS, *metadata, *(VOTE + one for one in annotators)]
    return Pairs(
        name=name,
        frame=with_lengths(wide.lazy()).select(ordered),
        annotators=tuple(Annotator(one) for one in annotators),
        metadata=tuple(metadata),
        warnings=(*other_warnings(others), *warnings),
    )


def _coded(records: Records, found: Mapping[str, str], values: Mapping[str, int]) -> tuple[pl.DataFrame, int]:
    """All rows as text with the code of the vote (null where it is none), and how many responses were not text."""
    columns, others = [records.rows.alias(_ROW)], 0
    for name, theirs in found.items():
        text, count = records.text(theirs, turns_text)
        others += count if name in RESPONSES else 0
        columns.append(text.alias(name))
    used = set(found.values())
    further = [one for one in records.columns if one not in used and records.is_flat(one)]
    columns += [records.text(one)[0].alias(metadata_name(one)) for one in further]
    frame = pl.DataFrame(columns).with_columns(
        pl.when(pl.col(name) != "").then(pl.col(name)) for name in found if name not in RESPONSES
    )
    vote = pl.coalesce(
        pl.col("vote").replace_strict(values, default=None, return_dtype=pl.UInt8),
        pl.col("vote").str.strip_suffix(".0").replace_strict(values, default=None, return_dtype=pl.UInt8),
    )
    empty = pl.lit(values.get("missing", 0), pl.UInt8)
    return frame.with_columns(pl.when(pl.col("vote").is_null()).then(empty).otherwise(vote).alias(_CODE)), others


def _valid(
    frame: pl.DataFrame,
    records: Records,
    found: Mapping[str, str],
    values: Mapping[str, int],
    findings: Findings,
) -> pl.DataFrame:
    """The rows that name a pair and an annotator and hold a vote."""
    rules = (
        ("pair", "expected the pair's id", pl.col("pair").is_null()),
        ("annotator", "expected the annotator's id", pl.col("annotator").is_null()),
        ("vote", f"expected one of {', '.join(values)}", pl.col(_CODE).is_null()),
    )
    for name, expected, mask in rules:
        broken = frame.filter(mask).select(_ROW, name)
        for row, value in broken.head(SHOWN).iter_rows():
            got = "nothing" if value is None else f'"{value:.60}"{nearest(value, values) if name == "vote" else ""}'
            findings.add(f"{records.name}, {records.unit} {row}, column {found[name]}: {expected}; got {got}")
        findings.total += max(broken.height - SHOWN, 0)
    bad = pl.any_horizontal(mask for _, _, mask in rules)
    findings.rows += frame.select(bad.sum()).item()
    return frame.filter(~bad)


def _once(frame: pl.DataFrame, records: Records, findings: Findings) -> pl.DataFrame:
    """The rows whose annotator votes on the pair once."""
    twice = pl.struct("pair", "annotator").is_duplicated()
    repeated = frame.filter(twice).group_by("pair", "annotator", maintain_order=True).agg(_ROW)
    for pair, annotator, rows in repeated.iter_rows():
        places = ", ".join(map(str, rows[:_SHOWN]))
        findings.add(
            f"{records.name}, {records.unit}s {places}: expected one vote per pair and annotator; "
            f"annotator {annotator:.60} votes on pair {pair:.60} {len(rows)} times"
        )
        findings.rows += len(rows)
    return frame.filter(~twice)


def _one_row_each(
    frame: pl.DataFrame, said: Sequence[str], records: Records, found: Mapping[str, str], findings: Findings
) -> tuple[pl.DataFrame, list[str]]:
    """What is said of each pair, in a row each, and which of it is metadata."""
    kinds = frame.group_by("pair", maintain_order=True).agg(
        *(pl.col(name).drop_nulls().first() for name in said),
        *(pl.col(name).drop_nulls().n_unique().alias(f"distinct:{name}") for name in said),
    )
    texts = [name for name in said if name in TEXTS]
    metadata = [name for name in said if name not in TEXTS and (kinds[f"distinct:{name}"] <= 1).all()]
    for name in texts:
        odd = kinds.filter(pl.col(f"distinct:{name}") > 1)["pair"].to_list()
        for pair in odd:
            findings.add(
                f"{records.name}, column {found[name]}: expected one {name} for pair {pair:.60}; got different ones"
            )
    odd_pairs = pl.any_horizontal(pl.lit(value=False), *(pl.col(f"distinct:{name}") > 1 for name in texts))
    with_text = [name for name in RESPONSES if name in texts]
    for name in with_text:
        for pair in kinds.filter(pl.col(name).is_null())["pair"].to_list():
            findings.add(f"{records.name}, column {found[name]}: expected a response for pair {pair:.60}; got nothing")
    silent = pl.any_horizontal(pl.lit(value=False), *(pl.col(name).is_null() for name in with_text))
    findings.rows += kinds.select((odd_pairs | silent).sum()).item()
    pairs = kinds.filter(~(odd_pairs | silent)).select("pair", *texts, *metadata)
    return _complete(pairs), metadata


def _complete(pairs: pl.DataFrame) -> pl.DataFrame:
    """With all of TEXTS; responses that no row says are empty."""
    absent = [name for name in TEXTS if name not in pairs.columns]
    return pairs.with_columns(pl.lit("" if name in RESPONSES else None, pl.String).alias(name) for name in absent)


def _wide(pairs: pl.DataFrame, frame: pl.DataFrame, annotators: Sequence[str]) -> pl.DataFrame:
    """The pairs with a column of codes per annotator."""
    votes = frame.select("pair", (VOTE + pl.col("annotator")).alias("annotator"), _CODE)
    table = votes.pivot("annotator", index="pair", values=_CODE)
    joined = pairs.join(table, on="pair", how="left", maintain_order="left")
    return joined.with_columns(pl.col(VOTE + one).fill_null(0).cast(pl.UInt8) for one in annotators)
