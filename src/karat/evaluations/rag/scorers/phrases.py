"""Whether texts hold any of some phrases, and which comes first."""

import re
from collections.abc import Sequence

import polars as pl


def holds(texts: pl.Series, phrases: Sequence[str]) -> pl.Series:
    """Whether each text holds one of the phrases, letter by letter; null where the text is."""
    return texts.str.contains("|".join(map(_literal, phrases)))


def _literal(phrase: str) -> str:
    """A phrase as a regular expression that polars knows for a literal, which it finds several times faster."""
    return re.sub(r"([\\.+*?()|\[\]{}^$#&~-])", r"\\\1", phrase)


def first(texts: pl.Series, phrases: Sequence[str], where: pl.Series) -> pl.Series:
    """The phrase that stands first in each text of which `where` is true, the longest of those; else null."""
    chosen = texts.set(~where.fill_null(value=False), None)
    return chosen.str.extract_many(sorted(phrases, key=len, reverse=True), leftmost=True).list.first()
