"""Long tables with a row per vote: pair, annotator, vote, and optionally prompt, text_a, text_b, model_a, model_b.

What is said of a pair may stand in all of its rows or in some; it must not differ between them. Where no row
says a text, the responses are empty. Other columns are metadata if they are the same in all rows of a pair.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from karat.formats.findings import Findings, cells_of
from karat.formats.opened import Opened, with_columns
from karat.formats.pairs import Options
from karat.formats.records import Records
from karat.formats.registry import Format
from karat.formats.tables import ROW
from karat.formats.wide_pairs import RESPONSES, chosen_columns, text_columns, vote_code, vote_codes, vote_rule, whole
from karat.schemas.pairs import CODE, TEXTS, VOTE, Annotator, Pairs
from karat.schemas.rules import filled

NEEDED = ("pair", "annotator", "vote")


def read_long_votes(found: Opened[Options]) -> Pairs:
    """The pairs in a long table. Raises DataError with all that is wrong, or leaves out those rows, as options say."""
    records, options = found.records, found.options
    usual = {one: one for one in (*TEXTS, *NEEDED)}
    theirs = chosen_columns(records, options.columns, usual, NEEDED)
    values = vote_codes(options.vote_values)
    frame, further, warnings = text_columns(records, theirs)
    findings = Findings("pair")
    rules = [filled("pair", "the pair's id"), filled("annotator", "the annotator's id"), vote_rule("vote", values)]
    frame = findings.keep(frame, rules, cells_of(frame, records.name, records.unit, ROW, theirs))
    place = f"{records.name}, {records.unit}s"
    frame = findings.once(frame, ["pair", "annotator"], ROW, place, "one vote per pair and annotator")
    pairs, metadata = _one_row_each(frame, further, records, theirs, findings)
    warnings += findings.settle(drop=options.drop)
    coded = frame.with_columns(vote_code("vote", values).fill_null(CODE["missing"]))
    annotators = tuple(Annotator(one) for one in frame["annotator"].unique(maintain_order=True))
    wide = _wide(pairs, coded, annotators)
    return whole(records, Pairs(found.stem, wide.lazy(), annotators, metadata=tuple(metadata)), warnings)


def _one_row_each(
    frame: pl.DataFrame, further: Sequence[str], records: Records, theirs: Mapping[str, str], findings: Findings
) -> tuple[pl.DataFrame, list[str]]:
    """What is said of each pair, in a row each, and which of it is metadata: what is the same in all its rows."""
    texts = [name for name in TEXTS if name in frame.columns and name != "pair"]
    kinds = frame.group_by("pair", maintain_order=True).agg(
        *(pl.col(name).drop_nulls().first() for name in (*texts, *further)),
        *(pl.col(name).drop_nulls().n_unique().alias(f"distinct:{name}") for name in (*texts, *further)),
    )
    metadata = [name for name in further if (kinds[f"distinct:{name}"] <= 1).all()]
    bad = pl.lit(value=False)
    for name, broken, expected, got in (
        *((name, pl.col(f"distinct:{name}") > 1, f"one {name}", "different ones") for name in texts),
        *((name, pl.col(name).is_null(), "a response", "nothing") for name in RESPONSES if name in texts),
    ):
        place = f"{records.name}, column {theirs[name]}: expected {expected}"
        for pair in kinds.filter(broken)["pair"]:
            findings.add(f"{place} for pair {pair:.60}; got {got}")
        bad |= broken
    findings.dropped += kinds.select(bad.sum()).item()
    return kinds.filter(~bad).select("pair", *texts, *metadata), metadata


def _wide(pairs: pl.DataFrame, frame: pl.DataFrame, annotators: Sequence[Annotator]) -> pl.DataFrame:
    """The pairs with a column of codes per annotator."""
    votes = frame.select("pair", (VOTE + pl.col("annotator")).alias("annotator"), "vote")
    joined = pairs.join(
        votes.pivot("annotator", index="pair", values="vote"), on="pair", how="left", maintain_order="left"
    )
    return joined.with_columns(pl.col(one.column).fill_null(CODE["missing"]).cast(pl.UInt8) for one in annotators)


FORMAT = Format("long-votes", "annotations", read_long_votes, with_columns(*NEEDED))
