"""Features of a pair of responses: numbers that a swap of the two either negates or leaves alone.

A *response feature* is a number of one response, given its instruction. Of each come two pair features: the
first response's minus the second's, which a swap negates (odd), and their sum, which it leaves alone (even).
Differences, sums and products of floats are exact opposites or equal when the responses trade places, so
what is symmetric on paper is symmetric to the last bit.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from karat.figures.cells import Floats
from karat.schemas.preferences import TEXTS
from karat.text.language import language
from karat.text.style import LONGER, RULES

Embed = Callable[[pl.Series], NDArray[np.floating]]
"""From texts without nulls to vectors of unit length, texts x dimensions."""

_WORD = r"[\p{L}\p{M}\p{N}]+"
_SENTENCE_END = r"[.!?。！？]+(?:\s|\z)"
_FINISHED = r"[.!?:;)\]}\"'”’`。！？]\s*\z"
_SIDES = dict(zip("iab", TEXTS, strict=True))
"""Behind the names of columns: i for what concerns the instruction, a and b for the responses."""
_HELD = ("text", "place", "terms", "bigrams", "language")
"""Columns of counted texts that are no features."""
_ROUNDED = 5
"""Decimals kept of cosines: encoders differ in the last digits with the texts that share a batch."""


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """Features of pairs of responses.

    names: of the columns. values: items x features, finite. odd: per feature, whether swapping the responses
    negates it; the others it leaves alone.
    """

    names: tuple[str, ...]
    values: Floats
    odd: NDArray[np.bool_]

    def rows(self, chosen: NDArray[np.bool_]) -> Self:
        """The features of some of the items."""
        return replace(self, values=self.values[chosen])


def swapped(values: Floats, odd: NDArray[np.bool_]) -> Floats:
    """The features of the same pairs with the responses in the other order.

    >>> swapped(np.array([[1.0, 2.0]]), np.array([True, False])).tolist()
    [[-1.0, 2.0]]
    """
    return values * np.where(odd, -1.0, 1.0)


def pair_features(items: pl.DataFrame, embed: Embed | None = None) -> PairFeatures:
    """Features of the pairs of responses.

    For each response feature x (`_of_texts`, `_of_response`): x(a) - x(b), odd, and x(a) + x(b), even. Also, even:
    log(1 + words) of the instruction, the size of the difference of the responses' log(1 + characters), the Jaccard
    index of their distinct words (1 where neither has any), and whether they are the same (1, else 0). With embed,
    the cosines of instruction and response as a response feature, and of the two responses, even.

    items: the columns instruction, output_a, output_b; a missing text counts as an empty one. embed: is called
    once, with each distinct text.
    Returns a row per item, in order; each row depends on its own texts alone (but see `embed`).

    >>> pairs = pl.DataFrame({"instruction": ["Greet me"], "output_a": ["Hello you"], "output_b": ["No"]})
    >>> found = pair_features(pairs)
    >>> round(dict(zip(found.names, found.values[0].tolist(), strict=True))["words a-b"], 6)  # log(3 / 2)
    0.405465
    """
    texts = items.select(pl.col(column).cast(pl.String).fill_null("") for column in TEXTS)
    distinct = pl.concat([texts[column].alias("text") for column in TEXTS]).unique().sort()
    counted = _of_texts(distinct)
    for side, column in _SIDES.items():
        own = counted.select(pl.all().name.suffix(f" {side}"))
        texts = texts.join(own, left_on=column, right_on=f"text {side}", how="left", maintain_order="left")
    names = [name for name in counted.columns if name not in _HELD]
    first, second, alike = _of_response(texts, "a", names), _of_response(texts, "b", names), _of_pair(texts)
    if embed is not None:
        vectors = np.asarray(embed(distinct), np.float64)
        i, a, b = (vectors[texts[f"place {side}"].to_numpy()] for side in _SIDES)
        first, second, alike = (
            frame.with_columns(cosine=np.round((one * other).sum(axis=1), _ROUNDED))
            for frame, one, other in ((first, i, a), (second, i, b), (alike, a, b))
        )
    a, b = first.to_numpy(), second.to_numpy()
    length = np.abs(a - b)[:, [first.columns.index("characters")]]
    odd, even = ([f"{name} {sign}" for name in first.columns] for sign in ("a-b", "a+b"))
    found = (*odd, *even, "characters |a-b|", *alike.columns)
    return PairFeatures(found, np.hstack([a - b, a + b, length, alike.to_numpy()]), np.arange(len(found)) < len(odd))


def _of_texts(distinct: pl.Series) -> pl.DataFrame:
    """Features of each text by itself, with its place, language, terms and bigrams (distinct words, adjoining pairs).

    Logarithms of 1 + count: characters, words, sentences, lines and the style rules' counts (`karat.text.style`).
    word_length: mean characters per word. How few words (pairs) come again: distinct_words among all (distinct_pairs),
    1 where there are none. Shares, 0 where there is nothing to count: of the characters those beyond ASCII
    (beyond_ascii), digits, capitals. finished: 1 where the text ends with a punctuation mark. capitalised: 1 where it
    begins with a capital. empty: 1 where it has no word. A word is a run of letters, marks and digits, in lower case.
    """
    text, terms, bigrams = pl.col("text"), pl.col("terms"), pl.col("bigrams")
    following = pl.concat_str(pl.element(), pl.element().shift(-1), separator=" ").drop_nulls()
    frame = distinct.to_frame().with_columns(terms=text.str.to_lowercase().str.extract_all(_WORD))
    characters, words = text.str.len_chars(), terms.list.len()
    return frame.with_columns(bigrams=terms.list.eval(following)).select(
        text,
        terms.list.unique(),
        bigrams.list.unique(),
        place=pl.int_range(pl.len()),
        language=language(text, terms),
        characters=characters.log1p(),
        words=words.log1p(),
        sentences=text.str.count_matches(_SENTENCE_END).log1p(),
        lines=text.str.count_matches(r"\n[^\n]").log1p(),
        **{rule.id: rule.count(text).log1p() for rule in RULES.values() if rule.id != LONGER},
        word_length=_share(terms.list.eval(pl.element().str.len_chars()).list.sum(), words),
        distinct_words=_share(terms.list.n_unique(), words, without=1.0),
        distinct_pairs=_share(bigrams.list.n_unique(), bigrams.list.len(), without=1.0),
        beyond_ascii=_share(text.str.count_matches(r"[^\x00-\x7F]"), characters),
        digits=_share(text.str.count_matches(r"\p{Nd}"), characters),
        capitals=_share(text.str.count_matches(r"\p{Lu}"), characters),
        finished=text.str.contains(_FINISHED).cast(pl.Float64),
        capitalised=text.str.contains(r"\A\s*\p{Lu}").cast(pl.Float64),
        empty=(words == 0).cast(pl.Float64),
    )


def _of_response(texts: pl.DataFrame, side: str, names: list[str]) -> pl.DataFrame:
    """Features of the responses on one side: those of the text by itself (names), and beside its instruction.

    Shares, 0 where there is nothing to count: of the response's distinct words those in the instruction
    (from_instruction), the same of pairs of adjoining words (pairs_from_instruction), and of the instruction's distinct
    words those in the response (of_instruction). length_ratio: |log(1 + words) - log(1 + words of the instruction)|.
    other_language: 1 where the languages of both are known and differ.
    """
    terms, asked, bigrams = pl.col(f"terms {side}"), pl.col("terms i"), pl.col(f"bigrams {side}")
    shared = terms.list.set_intersection(asked).list.len()
    copied = bigrams.list.set_intersection("bigrams i").list.len()
    return texts.select(
        *(pl.col(f"{name} {side}").alias(name) for name in names),
        from_instruction=_share(shared, terms.list.len()),
        of_instruction=_share(shared, asked.list.len()),
        pairs_from_instruction=_share(copied, bigrams.list.len()),
        length_ratio=(pl.col(f"words {side}") - pl.col("words i")).abs(),
        other_language=(pl.col(f"language {side}") != pl.col("language i")).fill_null(value=False).cast(pl.Float64),
    )


def _of_pair(texts: pl.DataFrame) -> pl.DataFrame:
    """What a swap leaves alone: of the instruction, and of how alike the responses are."""
    a, b = pl.col("terms a"), pl.col("terms b")
    return texts.select(
        instruction_words="words i",
        jaccard=_share(a.list.set_intersection(b).list.len(), a.list.set_union(b).list.len(), without=1.0),
        same=(pl.col("output_a") == pl.col("output_b")).cast(pl.Float64),
    )


def _share(part: pl.Expr, whole: pl.Expr, *, without: float = 0.0) -> pl.Expr:
    return pl.when(whole > 0).then(part / whole).otherwise(without)
