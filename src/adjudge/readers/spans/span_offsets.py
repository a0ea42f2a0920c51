"""What each violation says of its place, checked: offsets, quotes, and quotes that stand for offsets."""

from typing import Any

import polars as pl

from adjudge.readers.problems import SUCH_AS, count_words
from adjudge.readers.spans.span_records import LINE, Raw, SpanReading
from adjudge.schemas.violations import ID, INVENTED, MISPLACED, PLACE, SEVERITY, TEXT, TEXT_PARTS
from adjudge.text.quote_search import locate, nearly

_FROM, _TO, _NEAR = "__from__", "__to__", "__near__"
_NUMBERS = {"start": _FROM, "end": _TO, "position": _NEAR}
_LENGTH, _STANDS, _SAID, _AT, _CHECK = "__length__", "__stands__", "__said__", "__at__", "__check__"
_HOW, _SEVERAL, _NEARLY, _NOWHERE = "__how__", "several", "nearly", "nowhere"
"""How the place of a quote was found that has no offsets."""
_SHOWN_TEXT = 60
_DIFFERS = pl.col(_STANDS) != pl.col("context")
_PARTS = (*TEXT_PARTS, INVENTED, SEVERITY)


def check_spans(
    raw: Raw, lines: pl.DataFrame, texts: pl.DataFrame, options: SpanReading
) -> tuple[pl.DataFrame, list[str]]:
    """The valid violations, and warnings: a table with LINE and the columns of SPANS, in the file's order.

    lines: the lines of `raw` that count (LINE), and the row of each one's text in `texts` (PLACE). Violations that are
    predicted may quote what the text does not hold.
    """
    base, warn = options.offset_base if raw.tool.based else 0, options.quote_mismatch == "warn"
    frame = raw.spans.join(lines.select(LINE, PLACE), on=LINE, how="inner", maintain_order="left")
    frame = _located(frame, texts, base, predictions=options.predictions)
    checks = _checks(base, warn=warn, predictions=options.predictions)
    first = pl.coalesce(pl.when(check).then(nth) for nth, (check, _) in enumerate(checks))
    said = pl.coalesce(pl.when(check).then(message) for check, message in checks)
    frame = frame.with_columns(first.alias(_CHECK))
    wrong = frame.filter(pl.col(_CHECK).is_not_null()).with_columns(said.alias(_SAID))
    for alike in wrong.partition_by(_CHECK, maintain_order=True):
        raw.bad_spans.add_each(alike, lambda row: f"{raw.place(row)}, {row[_SAID]}", dropped=alike.height)
    own_words = pl.when(pl.col(_HOW) == _NOWHERE).then("context").otherwise(INVENTED).alias(INVENTED)
    good = frame.filter(pl.col(_CHECK).is_null()).with_columns(own_words)
    quote, words = (pl.format(f"{name}: {{}}", _cut(name)) for name in ("context", INVENTED))
    stand, say = ("quote stands", "quotes stand"), ("violation quotes", "violations quote")
    nearest = "in several places of the text: the one nearest to position counts, else the first"
    nearly_there = "in the text in nearly the same words, whose place counts"
    lacking = "words that the text does not hold, and can match nothing"
    warnings = [
        *_such_as(raw, frame.filter(pl.col(_HOW) == _SEVERAL), *stand, nearest, quote),
        *_such_as(raw, good.filter(pl.col(_HOW) == _NEARLY), *stand, nearly_there, quote),
        *_such_as(raw, good.drop_nulls(INVENTED), *say, lacking, words),
    ]
    if warn:
        differing = good.filter(_DIFFERS).unique([PLACE, _FROM, _TO, *_PARTS], maintain_order=True)
        shown = pl.format("context: expected {}; got {}", _cut(_STANDS), _cut("context"))
        differ = "from the text at the offsets; the offsets count, not the quotes"
        warnings += _such_as(raw, differing, "quote differs", "quotes differ", differ, shown)
    offsets = (pl.col(_FROM).alias("start"), pl.col(_TO).alias("end"))
    return good.select(LINE, PLACE, *offsets, *_PARTS, _DIFFERS.fill_null(value=False).alias(MISPLACED)), warnings


def whole(column: str) -> pl.Expr:
    """Text as whole numbers; null for anything else, and for numbers too large to be offsets.

    White space around them, and zeros after a point, which tables with gaps have, do not matter.
    """
    text = pl.col(column).str.strip_chars().str.replace(r"\.0+$", "")
    return pl.when(text.str.contains(r"^[+-]?[0-9]{1,15}$")).then(text.str.strip_prefix("+")).cast(pl.Int64)


def _located(frame: pl.DataFrame, texts: pl.DataFrame, base: int, *, predictions: bool) -> pl.DataFrame:
    """With the id and the text of each violation, offsets as numbers from 0, and what stands there beside a quote.

    Offsets of quotes that have none are looked for; _HOW says how they were found. Only of predictions are quotes
    looked for inexactly; of others a quote that is nowhere is a mistake.
    """
    known = texts.select(ID, TEXT, pl.col(TEXT).str.len_chars().cast(pl.Int64).alias(_LENGTH))
    offsets = [(whole(name) - base).alias(number) for name, number in _NUMBERS.items()]
    nothing = pl.lit(None, pl.String).alias(_HOW)
    frame = frame.hstack(known[frame[PLACE]]).with_columns(*offsets, nothing).with_row_index(_AT)
    sought = frame.filter(pl.col("start", "end").is_null(), pl.col("context", TEXT).is_not_null())
    found = list[tuple[int, int | None, int | None, str | None]]()
    for at, text, quote, near in sought.select(_AT, TEXT, "context", _NEAR).iter_rows():
        if place := locate(text, quote, near):
            found.append((at, place.start, place.end, _SEVERAL if place.several else None))
        elif predictions and (inexact := nearly(text, quote)):
            found.append((at, *inexact, _NEARLY))
        elif predictions and quote.strip():
            found.append((at, None, None, _NOWHERE))
    schema = {name: frame.schema[name] for name in (_AT, _FROM, _TO, _HOW)}
    frame = frame.update(pl.DataFrame(found, schema, orient="row"), on=_AT)
    start, end = pl.col(_FROM), pl.col(_TO)
    both = pl.col("start").is_not_null() & pl.col("context").is_not_null()
    text = pl.when(both, start >= 0, start <= end, end <= pl.col(_LENGTH)).then(TEXT)
    return frame.with_columns(text.str.slice(start, (end - start).clip(0)).alias(_STANDS))


def _checks(base: int, *, warn: bool, predictions: bool) -> list[tuple[pl.Expr, pl.Expr]]:
    """What can be wrong with a violation, and the message about it in the numbers of the file; the first counts."""
    start, end, first, last, length = map(pl.col, ("start", "end", _FROM, _TO, _LENGTH))
    has = {name: pl.col(name).is_not_null() for name in ("start", "end", "context", "position", INVENTED, TEXT)}
    unplaced, predicted = ~has["start"] & ~has[INVENTED], pl.lit(predictions)
    differs = _DIFFERS & pl.lit(not warn)
    beside = has["start"] | has["end"] | has["context"] | has["position"]
    unknown, shown_id = "the text of {} is not known", pl.col(ID).str.head(_SHOWN_TEXT)
    wrong: list[tuple[Any, ...]] = [
        (has[INVENTED] & ~predicted, "invented: expected words of the text in the truth; got {}", INVENTED),
        (has[INVENTED] & beside, "invented: expected no start, end, context or position beside it; got {}", INVENTED),
        *(
            (has[name] & pl.col(number).is_null(), f"{name}: expected a whole number; got {{}}", name)
            for name, number in _NUMBERS.items()
        ),
        (unplaced & has["end"], "start: expected start and end, or neither; got end alone"),
        (has["start"] & ~has["end"], "end: expected start and end, or neither; got start alone"),
        (unplaced & ~has["context"], "start: expected start and end, or context; got neither"),
        (unplaced & ~has[TEXT], f"context: expected start and end, since {unknown}; got none", shown_id),
        (
            unplaced & first.is_null() & pl.col(_HOW).ne_missing(_NOWHERE),
            "context: expected a passage of the text; got {}",
            "context",
        ),
        (first < 0, "start: expected {} or more; got {}", pl.lit(base), start),
        (last < first, "end: expected {}, the start, or more; got {}", start, end),
        (last > length, "end: expected {}, the end of the text, or less; got {}", length + base, end),
        (differs, "context: expected what stands from {} to {}, {}; got {}", start, end, _STANDS, "context"),
    ]
    return [
        (check, pl.format(message, *(_cut(one) if isinstance(one, str) else one for one in shown)))
        for check, message, *shown in wrong
    ]


def _cut(column: str) -> pl.Expr:
    """The text of a column in quotation marks, if need be shortened."""
    text = pl.col(column)
    more = pl.when(text.str.len_chars() > _SHOWN_TEXT).then(pl.lit("...")).otherwise(pl.lit(""))
    return pl.format('"{}{}"', text.str.head(_SHOWN_TEXT), more)


def _such_as(raw: Raw, rows: pl.DataFrame, one: str, many: str, what: str, shown: pl.Expr) -> list[str]:
    """A warning that counts rows, and ends in the first of them; none where there are no rows."""
    firsts = rows.head(1).with_columns(shown.alias(_SAID)).iter_rows(named=True)
    told = f"{count_words(rows.height, one, many)} {what}{SUCH_AS}"
    return [f"{told}{raw.place(row)}, {row[_SAID]}" for row in firsts]
