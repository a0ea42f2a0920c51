"""What each violation says of its place, checked: offsets, quotes, and quotes that stand for offsets."""

from itertools import accumulate
from typing import Any

import polars as pl

from adjudge.readers.problems import SUCH_AS, counted
from adjudge.readers.spans.span_records import LINE, Raw
from adjudge.schemas.violations import ID, INVENTED, MISPLACED, PLACE, SEVERITY, TEXT, TEXT_PARTS
from adjudge.text.quote_search import locate, nearly

_FROM, _TO, _NEAR = "__from__", "__to__", "__near__"
_NUMBERS = {"start": _FROM, "end": _TO, "position": _NEAR}
_LENGTH, _STANDS, _SEVERAL, _SAID = "__length__", "__stands__", "__several__", "__said__"
_INEXACT, _NOWHERE = "__inexact__", "__nowhere__"
_FOUND = (_SEVERAL, _INEXACT, _NOWHERE)
_AT, _CHECK = "__at__", "__check__"
_SHOWN_TEXT = 60
_DIFFERS = pl.col(_STANDS) != pl.col("context")


def check_spans(
    raw: Raw, lines: pl.DataFrame, texts: pl.DataFrame, *, base: int = 0, warn: bool = False, predictions: bool = False
) -> tuple[pl.DataFrame, list[str]]:
    """The valid violations, and warnings: a table with LINE and the columns of SPANS, in the file's order.

    lines: the lines of `raw` that count (LINE), and the row of each one's text in `texts` (PLACE). base: what offsets
    count from. warn: whether offsets win over quotes that differ. predictions: whether the violations are predicted, so
    that they may quote what the text does not hold.
    """
    frame = raw.spans.join(lines.select(LINE, PLACE), on=LINE, how="inner", maintain_order="left")
    frame = _quoted(_located(_numbered(frame, texts, base), predictions=predictions))
    checks = _checks(base, warn=warn, predictions=predictions)
    first = pl.coalesce(pl.when(check).then(nth) for nth, (check, _) in enumerate(checks))
    broken = frame.select(first.is_not_null()).to_series()
    said = pl.coalesce(pl.when(check).then(message) for check, message in checks)
    wrong = frame.filter(broken).with_columns(first.alias(_CHECK), said.alias(_SAID))
    for alike in wrong.partition_by(_CHECK, maintain_order=True):
        raw.bad_spans.add_each(alike, lambda row: f"{raw.place(row)}, {row[_SAID]}", dropped=alike.height)
    own_words = pl.when(pl.col(_NOWHERE)).then("context").otherwise(INVENTED).alias(INVENTED)
    good = frame.filter(~broken).with_columns(own_words)
    quote, words = (pl.format(f"{name}: {{}}", _cut(name)) for name in ("context", INVENTED))
    stand, say = ("quote stands", "quotes stand"), ("violation quotes", "violations quote")
    nearest = "in several places of the text: the one nearest to position counts, else the first"
    warnings = [
        *_such_as(raw, frame.filter(_SEVERAL), *stand, nearest, quote),
        *_such_as(
            raw, good.filter(_INEXACT), *stand, "in the text in nearly the same words, whose place counts", quote
        ),
        *_such_as(
            raw, good.drop_nulls(INVENTED), *say, "words that the text does not hold, and can match nothing", words
        ),
    ]
    if warn:
        differing = good.filter(_DIFFERS).unique(
            [PLACE, _FROM, _TO, *TEXT_PARTS, INVENTED, SEVERITY], maintain_order=True
        )
        shown = pl.format("context: expected {}; got {}", _cut(_STANDS), _cut("context"))
        differ = "from the text at the offsets; the offsets count, not the quotes"
        warnings += _such_as(raw, differing, "quote differs", "quotes differ", differ, shown)
    offsets = (pl.col(_FROM).alias("start"), pl.col(_TO).alias("end"))
    misplaced = _DIFFERS.fill_null(value=False).alias(MISPLACED)
    return good.select(LINE, PLACE, *offsets, *TEXT_PARTS, INVENTED, SEVERITY, misplaced), warnings


def whole(column: str) -> pl.Expr:
    """Text as whole numbers; null for anything else, and for numbers too large to be offsets.

    White space around them, and zeros after a point, which tables with gaps have, do not matter.
    """
    text = pl.col(column).str.strip_chars().str.replace(r"\.0+$", "")
    return pl.when(text.str.contains(r"^[+-]?[0-9]{1,15}$")).then(text.str.strip_prefix("+")).cast(pl.Int64)


_ASTRAL = "\uffff"


def has_pairs(text: str) -> bool:
    """Whether a text holds characters of two UTF-16 units, such as emoji, so that the two ways to count differ.

    >>> has_pairs("caf\u00e9"), has_pairs("\U0001f600")
    (False, True)
    """
    return bool(text) and max(text) > _ASTRAL


def code_points(text: str) -> dict[int, int]:
    """Offsets in UTF-16 units of a text -> in code points; without those within a character.

    >>> code_points("a\U0001f600b")
    {0: 0, 1: 1, 3: 2, 4: 3}
    """
    units = accumulate((2 if character > _ASTRAL else 1 for character in text), initial=0)
    return {unit: point for point, unit in enumerate(units)}


def _numbered(frame: pl.DataFrame, texts: pl.DataFrame, base: int) -> pl.DataFrame:
    """With the id and the text of each violation, its length, and offsets as numbers from 0."""
    known = texts.select(ID, TEXT, pl.col(TEXT).str.len_chars().cast(pl.Int64).alias(_LENGTH))
    offsets = [(whole(name) - base).alias(number) for name, number in _NUMBERS.items()]
    return frame.hstack(known[frame[PLACE]]).with_columns(offsets)


def _located(frame: pl.DataFrame, *, predictions: bool) -> pl.DataFrame:
    """With offsets for quotes that have none, and how they were found: in several places, inexactly, or nowhere.

    Only of predictions are quotes looked for inexactly; of others a quote that is nowhere is a mistake.
    """
    frame = frame.with_row_index(_AT).with_columns(pl.lit(value=False).alias(name) for name in _FOUND)
    sought = frame.filter(pl.col("start", "end").is_null(), pl.col("context", TEXT).is_not_null())
    find = _place_or_nowhere if predictions else _place
    found = [
        (at, *place)
        for at, text, quote, near in sought.select(_AT, TEXT, "context", _NEAR).iter_rows()
        if (place := find(text, quote, near))
    ]
    schema = {name: frame.schema[name] for name in (_AT, _FROM, _TO, *_FOUND)}
    return frame.update(pl.DataFrame(found, schema, orient="row"), on=_AT)


_Found = tuple[int | None, int | None, bool, bool, bool]
"""Start, end, and _FOUND."""


def _place(text: str, quote: str, near: int | None) -> _Found | None:
    place = locate(text, quote, near)
    return (place.start, place.end, place.several, False, False) if place else None


def _place_or_nowhere(text: str, quote: str, near: int | None) -> _Found | None:
    """The place of a quote, or of nearly the same words; None for a quote with words that the text lacks."""
    if found := _place(text, quote, near):
        return found
    if inexact := nearly(text, quote):
        return (*inexact, False, True, False)
    return (None, None, False, False, True) if quote.strip() else None


def _quoted(frame: pl.DataFrame) -> pl.DataFrame:
    """With what stands in the text where a violation has both offsets and a quote."""
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
        (unplaced & first.is_null() & ~pl.col(_NOWHERE), "context: expected a passage of the text; got {}", "context"),
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
    told = f"{counted(rows.height, one, many)} {what}{SUCH_AS}"
    return [f"{told}{raw.place(row)}, {row[_SAID]}" for row in firsts]
