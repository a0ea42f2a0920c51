"""Which language a text is in: enough to see that a response is in another language than its prompt.

The script that most of its letters are of, and for Latin letters the language of which it has most common words. It
is not meant to tell Norwegian from Danish, and says nothing where few words speak for a language.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import polars as pl

_FEWEST = 2
"""Different common words that speak for a language, at least."""


def language(text: pl.Expr, words: pl.Expr) -> pl.Expr:
    """The name of the language, or of the script where that is not Latin; null where nothing tells.

    text: strings. words: lists of their words in lower case.

    >>> frame = pl.DataFrame({"text": ["Das ist der Weg", "This is the way", "Это путь", "No 7"]})
    >>> found = frame.select(language(pl.col("text"), pl.col("text").str.to_lowercase().str.split(" ")))
    >>> found.to_series().to_list()
    ['German', 'English', 'Cyrillic', None]
    """
    scripts, common = _known()
    script = _most(scripts, [text.str.count_matches(rf"\p{{{name}}}") for name in scripts], least=1)
    hits = [words.list.set_intersection(pl.lit(list(own), pl.List(pl.String))).list.len() for own in common.values()]
    return pl.when(script == "Latin").then(_most(list(common), hits, least=_FEWEST)).otherwise(script)


@cache
def _known() -> tuple[list[str], dict[str, list[str]]]:
    said = tomllib.loads((files("karat.text") / "language.toml").read_text(encoding="utf-8"))
    return said["scripts"], said["words"]


def _most(names: Sequence[str], counts: Sequence[pl.Expr], *, least: int) -> pl.Expr:
    """The name with the highest count; null where that is below `least`, or two share it."""
    every = pl.concat_list([count.cast(pl.UInt32) for count in counts])
    ranked = every.list.sort(descending=True)
    alone = (ranked.list.get(0) >= least) & (ranked.list.get(0) > ranked.list.get(1))
    name = every.list.arg_max().replace_strict(range(len(names)), list(names), return_dtype=pl.String, default=None)
    return pl.when(alone).then(name)
