"""What each violation says of its place, checked: offsets, quotes, and quotes that stand for offsets."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from karat.formats.findings import counted
from karat.formats.marked import LINE, Raw
from karat.schemas.violations import ID, PLACE, TEXT, TEXT_PARTS
from karat.text.locate import locate

_FROM, _TO, _NEAR = "__from__", "__to__", "__near__"
_LENGTH, _STANDS, _SEVERAL, _WRONG = "__length__", "__stands__", "__several__", "__wrong__"
_AT = "__at__"
_SHOWN_TEXT = 60


@dataclass(frozen=True, slots=True)
class Rules:
    """How to take offsets. base: what they count from. warn: whether offsets win over quotes that differ."""

    base: int
    warn: bool


def check_spans(raw: Raw, places: pl.Series, texts: pl.DataFrame, rules: Rules) -> tuple[pl.DataFrame, list[str]]:
    """The valid violations, and warnings: a table with LINE, PLACE, start, end and TEXT_PARTS, in the file's order.

    places: of each line of `raw`, the row of its text in `texts`, or null where the line does not count.
    """
    frame = raw.spans.with_columns(places.gather(raw.spans[LINE]).alias(PLACE))
    frame = _numbered(frame.filter(pl.col(PLACE).is_not_null()), texts, rules.base)
    frame, several = _located(frame)
    frame = _judged(_quoted(frame), rules)
    wrong = frame.filter(pl.col(_WRONG).is_not_null())
    raw.bad_spans.add_each(
        wrong, lambda row: f"{raw.place(row)}, {_message(row, texts, rules.base)}", dropped=wrong.height
    )
    good = frame.filter(pl.col(_WRONG).is_null())
    warnings = _ambiguous(raw, several)
    if rules.warn:
        warnings += _mismatched(raw, good)
    kept = good.select(LINE, PLACE, pl.col(_FROM).alias("start"), pl.col(_TO).alias("end"), *TEXT_PARTS)
    return kept, warnings


def whole(column: str) -> pl.Expr:
    """Text as whole numbers; null for anything else, and for numbers too large to be offsets.

    White space around them, and zeros after a point, which tables with gaps have, do not matter.
    """
    text = pl.col(column).str.strip_chars().str.replace(r"\.0+$", "")
    return pl.when(text.str.contains(r"^[+-]?[0-9]{1,15}$")).then(text.str.strip_prefix("+")).cast(pl.Int64)


def _numbered(frame: pl.DataFrame, texts: pl.DataFrame, base: int) -> pl.DataFrame:
    """With the text of each violation, its length, and offsets as numbers from 0."""
    return frame.with_columns(
        texts[TEXT].gather(frame[PLACE]).alias(TEXT),
        texts[TEXT].str.len_chars().cast(pl.Int64).gather(frame[PLACE]).alias(_LENGTH),
        (whole("start") - base).alias(_FROM),
        (whole("end") - base).alias(_TO),
        (whole("position") - base).alias(_NEAR),
    )


def _located(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """With offsets for quotes that have none, and those of them that stand in several places."""
    frame = frame.with_row_index(_AT)
    sought = frame.filter(
        pl.col("start").is_null()
        & pl.col("end").is_null()
        & pl.col("context").is_not_null()
        & pl.col(TEXT).is_not_null()
    )
    if sought.is_empty():
        return frame, sought
    found = [locate(text, quote, near) for text, quote, near in sought.select(TEXT, "context", _NEAR).iter_rows()]
    columns = {
        _AT: sought[_AT],
        "from": [place and place.start for place in found],
        "to": [place and place.end for place in found],
        _SEVERAL: [place is not None and place.several for place in found],
    }
    schema = {_AT: pl.UInt32(), "from": pl.Int64(), "to": pl.Int64(), _SEVERAL: pl.Boolean()}
    placed = frame.join(pl.DataFrame(columns, schema=schema), on=_AT, how="left", maintain_order="left")
    return (
        placed.with_columns(pl.coalesce(_FROM, "from").alias(_FROM), pl.coalesce(_TO, "to").alias(_TO)),
        placed.filter(pl.col(_SEVERAL)),
    )


def _quoted(frame: pl.DataFrame) -> pl.DataFrame:
    """With what stands in the text where a violation has both offsets and a quote."""
    rows = frame.filter(
        pl.col("start").is_not_null() & pl.col("context").is_not_null(),
        pl.col(_FROM) >= 0,
        pl.col(_TO) >= pl.col(_FROM),
        pl.col(_TO) <= pl.col(_LENGTH),
    )
    if rows.is_empty():
        return frame.with_columns(pl.lit(None, pl.String).alias(_STANDS))
    stands = rows.select(_AT, pl.col(TEXT).str.slice(_FROM, pl.col(_TO) - pl.col(_FROM)).alias(_STANDS))
    return frame.join(stands, on=_AT, how="left", maintain_order="left")


def _judged(frame: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """With what is wrong first with each violation, as a key of `_messages`, or null."""
    start, end, quote = (pl.col(name).is_not_null() for name in ("start", "end", "context"))
    checks = {
        "whole start": start & pl.col(_FROM).is_null(),
        "whole end": end & pl.col(_TO).is_null(),
        "whole position": pl.col("position").is_not_null() & pl.col(_NEAR).is_null(),
        "one": start != end,
        "neither": ~start & ~quote,
        "unknown": ~start & pl.col(TEXT).is_null(),
        "not found": ~start & pl.col(_FROM).is_null(),
        "before": pl.col(_FROM) < 0,
        "turned": pl.col(_TO) < pl.col(_FROM),
        "beyond": pl.col(_TO) > pl.col(_LENGTH),
    }
    if not rules.warn:
        checks["differs"] = pl.col(_STANDS) != pl.col("context")
    wrong = pl.coalesce(pl.when(check).then(pl.lit(name)) for name, check in checks.items())
    return frame.with_columns(wrong.alias(_WRONG))


def _message(row: Mapping[str, object], texts: pl.DataFrame, base: int) -> str:
    """What is wrong with a violation, in the numbers of the file."""
    code = str(row[_WRONG])
    if code.startswith("whole "):
        part = code.removeprefix("whole ")
        return f"{part}: expected a whole number; got {_cut(row[part])}"
    start, end, quote, length = row["start"], row["end"], row["context"], row[_LENGTH]
    there, lacking = ("end", "start") if start is None else ("start", "end")
    last = length + base if isinstance(length, int) else length
    return {
        "one": f"{lacking}: expected start and end, or neither; got {there} alone",
        "neither": "start: expected start and end, or context; got neither",
        "unknown": f"context: expected start and end, since the text of {_id(row, texts):.60} is not known; got none",
        "not found": f"context: expected a passage of the text; got {_cut(quote)}",
        "before": f"start: expected {base} or more; got {start}",
        "turned": f"end: expected {start}, the start, or more; got {end}",
        "beyond": f"end: expected {last}, the end of the text, or less; got {end}",
        "differs": f"context: expected what stands from {start} to {end}, {_cut(row[_STANDS])}; got {_cut(quote)}",
    }[code]


def _id(row: Mapping[str, object], texts: pl.DataFrame) -> str:
    place = row[PLACE]
    return str(texts[ID][place]) if isinstance(place, int) else ""


def _cut(text: object) -> str:
    shown = str(text)
    return f'"{shown}"' if len(shown) <= _SHOWN_TEXT else f'"{shown[:_SHOWN_TEXT]}..."'


def _ambiguous(raw: Raw, several: pl.DataFrame) -> list[str]:
    if several.is_empty():
        return []
    stand, row = counted(several.height, "quote stands", "quotes stand"), several.row(0, named=True)
    said = f"{stand} in several places of the text: the one nearest to position counts, else the first"
    return [f"{said}, such as: {raw.place(row)}, context: {_cut(row['context'])}"]


def _mismatched(raw: Raw, good: pl.DataFrame) -> list[str]:
    differs = good.filter(pl.col(_STANDS) != pl.col("context"))
    if differs.is_empty():
        return []
    differ, row = counted(differs.height, "quote differs", "quotes differ"), differs.row(0, named=True)
    said = f"{differ} from what stands at the offsets, which count, such as: {raw.place(row)}"
    return [f"{said}, context: expected {_cut(row[_STANDS])}; got {_cut(row['context'])}"]
