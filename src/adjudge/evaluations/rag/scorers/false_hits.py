"""Aliases that occur in a response without being asserted.

Dates that a more exact alias contradicts: where `June 1991` and `June 23, 1991` are true, `June 24, 1991` is not. Names
that are other words without their capital letters: `it may rain` is not May, `let us see` not the US. Names that are
not given as the answer (see roles.py).
"""

import re
from collections.abc import Sequence

import polars as pl

from adjudge.evaluations.rag.scorers.syntax import CLUE, is_only_named
from adjudge.text.values import DAY, MONTH

_DATE = re.compile(rf"(?=[0-9{MONTH}])(?:(?<= )([12][0-9]{{3}})(?= ))?(?: ?{MONTH}([0-9]+))?(?: ?{DAY}([0-9]+))?")
_COMMON = [f" {word} " for word in ("us", "may", "it", "who", "will", "march", "mark", "bill", "can", "or", "in")]
"""Words that are names with a capital letter."""
_FEW = 3
"""Words of a response that is taken as it is, however it is written."""
_Date = tuple[str, str, str]
"""Year, month and day; empty if not given."""


def asserted_hits(asked: pl.DataFrame, rows: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The hits that the response asserts.

    asked: row, response. rows: row, words. aliases: key, slot, form. hits: row, slot, form, alias, and the key of the
    row's aliases.
    """
    names = hits.filter(pl.col("form").is_in(_COMMON)).join(asked.select("row", "response"), on="row")
    others = [
        (row, slot, form)
        for row, slot, form, alias, response in names.select("row", "slot", "form", "alias", "response").iter_rows()
        if len(response.split()) > _FEW and not _matches_case(form.strip(), alias, response)
    ]
    others += _find_only_named(asked, aliases, hits)
    return _drop_hits(_drop_contradicted(rows, aliases, hits), others)


def _find_only_named(asked: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> list[tuple[int, int, str]]:
    """The rows, slots and forms of true aliases that responses name without giving them as their answers."""
    likely = asked.select("row", "response").filter(pl.col("response").str.contains(CLUE))
    true = aliases.filter(pl.col("slot") >= 0).group_by("key").agg(true=pl.col("alias").unique())
    pairs = hits.filter(pl.col("slot") >= 0).join(likely, on="row").join(true, on="key")
    return [
        (row, slot, form)
        for row, slot, form, *texts in pairs.select("row", "slot", "form", "alias", "response", "true").iter_rows()
        if is_only_named(*texts)
    ]


def _matches_case(word: str, alias: str, response: str) -> bool:
    """Whether a response writes the word as the alias does, or in capital letters."""
    match_in_alias = re.search(rf"\b{word}\b", alias, re.IGNORECASE)
    return match_in_alias is None or bool(re.search(rf"\b(?:{match_in_alias[0]}|{word.upper()})\b", response))


def _drop_hits(hits: pl.DataFrame, others: Sequence[tuple[int, int, str]]) -> pl.DataFrame:
    """The hits but for those of these rows, slots and forms."""
    if not others:
        return hits
    dropped = pl.DataFrame(others, schema={name: hits.schema[name] for name in ("row", "slot", "form")}, orient="row")
    return hits.join(dropped, on=["row", "slot", "form"], how="anti", maintain_order="left")


def _drop_contradicted(rows: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The hits without dates that occur only within dates that contradict more exact aliases.

    The day of such an alias may stand apart from its month: `18 to 20 January` holds `18 January`.
    """
    dated = aliases.filter(pl.col("form").str.contains(rf"^ (?:[12][0-9]{{3}} )?(?:{MONTH}[0-9]+ )?(?:{DAY}[0-9]+ )?$"))
    slots = dated.group_by("key", "slot").agg(pl.col("form").alias("forms")).filter(pl.col("forms").list.len() > 1)
    if slots.is_empty():
        return hits
    asked = hits.join(slots, on=["key", "slot"]).join(rows.select("row", "words"), on="row")
    denied = [
        (row, slot, form)
        for row, slot, form, forms, words in asked.select("row", "slot", "form", "forms", "words").iter_rows()
        if form in forms and _is_contradicted(_parse_dates(form)[0], [_parse_dates(one)[0] for one in forms], words)
    ]
    return _drop_hits(hits, denied)


def _parse_dates(words: str) -> list[_Date]:
    return [(y, m, d) for y, m, d in (match.groups("") for match in _DATE.finditer(words)) if y or m or d]


def _is_contradicted(date: _Date, aliases: Sequence[_Date], words: str) -> bool:
    """Whether a more exact alias exists, and every date of the response contradicts it."""
    exact = [alias for alias in aliases if alias != date and _includes_date(alias, date)]
    dates = [one for one in _parse_dates(words) if _includes_date(one, date)]
    if not exact or not dates or any(day and f" {day} " in words for _, _, day in exact):
        return False
    return all(one != date and not any(_dates_agree(one, alias) for alias in exact) for one in dates)


def _includes_date(date: _Date, part: _Date) -> bool:
    """Whether a date includes all given parts of the other."""
    return all(b in ("", a) for a, b in zip(date, part, strict=True))


def _dates_agree(first: _Date, second: _Date) -> bool:
    """Whether two dates agree in all parts that both give."""
    return all(a == b or "" in (a, b) for a, b in zip(first, second, strict=True))
