"""What a predictor reads of a pair of responses: numbers that a swap of the two either negates or leaves alone.

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

from karat.schemas.preferences import TEXTS
from karat.text.style import LONGER, RULES

Floats = NDArray[np.float64]
Embed = Callable[[pl.Series], NDArray[np.floating]]
"""From texts without nulls to vectors of unit length, texts x dimensions."""

_WORD = r"[\p{L}\p{M}\p{N}]+"
_SENTENCE_END = r"[.!?。！？]+(?:\s|\z)"
_FINISHED = r"[.!?:;)\]}\"'”’`。！？]\s*\z"
_INSTRUCTION, _FIRST, _SECOND = TEXTS
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

    For each response feature x (`response_features`): x(a) - x(b), odd, and x(a) + x(b), even. Beside them, even:
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
    responses = response_features(texts)
    first, second = (_sided(responses, texts, column) for column in (_FIRST, _SECOND))
    alike = _alike(texts)
    if embed is not None:
        cosines = _cosines(texts, embed)
        first = first.with_columns(cosine=cosines["first"])
        second = second.with_columns(cosine=cosines["second"])
        alike = alike.with_columns(cosine=cosines["both"])
    a, b = first.to_numpy().astype(np.float64), second.to_numpy().astype(np.float64)
    length = np.abs(a - b)[:, [first.columns.index("characters")]]
    return PairFeatures(
        names=(
            *(f"{name} a-b" for name in first.columns),
            *(f"{name} a+b" for name in first.columns),
            "characters |a-b|",
            *alike.columns,
        ),
        values=np.hstack([a - b, a + b, length, alike.to_numpy().astype(np.float64)]),
        odd=np.arange(2 * len(first.columns) + 1 + len(alike.columns)) < len(first.columns),
    )


def response_features(items: pl.DataFrame) -> pl.DataFrame:
    """Features of each distinct response to an instruction.

    Logarithms of 1 + count: the style rules' counts (`karat.text.style`), characters, words, sentences and lines.
    Shares, 0 where there is nothing to count: of the characters those beyond ASCII (beyond_ascii), digits, capitals;
    of the response's distinct words those in the instruction (from_instruction), the same of pairs of adjoining words
    (pairs_from_instruction), and of the instruction's distinct words those in the response (of_instruction). How few
    words (pairs) come again: distinct_words among all (distinct_pairs), 1 where there are none. word_length: mean
    characters per word. length_ratio: |log(1 + words) - log(1 + words of the instruction)|. finished: 1 where the text
    ends with a punctuation mark. capitalised: 1 where it begins with a capital. empty: 1 where it has no word.

    items: the columns instruction, output_a, output_b, no nulls.
    Returns instruction, response and a column (Float64) per feature; a row per distinct instruction and response.
    A word is a run of letters, marks and digits, read in lower case.
    """
    pairs = pl.concat(
        [items.select(_INSTRUCTION, pl.col(column).alias("response")) for column in (_FIRST, _SECOND)]
    ).unique(maintain_order=True)
    texts = _texts(pairs)
    found = pairs.join(texts, left_on="response", right_on="text", how="left", maintain_order="left").join(
        texts.select(pl.col("text", "terms", "bigrams").name.prefix("asked_"), asked_words="words"),
        left_on=_INSTRUCTION,
        right_on="asked_text",
        how="left",
        maintain_order="left",
    )
    shared = pl.col("terms").list.set_intersection("asked_terms").list.len()
    copied = pl.col("bigrams").list.set_intersection("asked_bigrams").list.len()
    return found.select(
        _INSTRUCTION,
        "response",
        pl.exclude(_INSTRUCTION, "response", "terms", "bigrams", "^asked_.*$"),
        from_instruction=_share(shared, pl.col("terms").list.len()),
        of_instruction=_share(shared, pl.col("asked_terms").list.len()),
        pairs_from_instruction=_share(copied, pl.col("bigrams").list.len()),
        length_ratio=(pl.col("words") - pl.col("asked_words")).abs(),
    )


def _texts(pairs: pl.DataFrame) -> pl.DataFrame:
    """What is counted in each distinct text: text, features, terms and bigrams (lists of distinct words and pairs)."""
    distinct = pl.concat([pairs[_INSTRUCTION].alias("text"), pairs["response"].alias("text")]).unique().sort()
    text = pl.col("text")
    words = text.str.to_lowercase().str.extract_all(_WORD)
    frame = (
        distinct.to_frame().with_columns(words.alias("terms"), characters=text.str.len_chars()).with_row_index("row")
    )
    bigrams = _bigrams(frame)
    adjoining = pl.col("bigrams").fill_null(pl.lit([], pl.List(pl.String)))
    rules = {rule.id: rule.count(text).log1p() for rule in RULES.values() if rule.id != LONGER}
    counted = pl.col("terms").list.len()
    return frame.join(bigrams, on="row", how="left", maintain_order="left").select(
        text,
        pl.col("terms").list.unique(),
        adjoining.list.unique(),
        pl.col("characters").log1p().alias("characters"),
        counted.log1p().alias("words"),
        text.str.count_matches(_SENTENCE_END).log1p().alias("sentences"),
        text.str.count_matches(r"\n[^\n]").log1p().alias("lines"),
        **rules,
        word_length=_share(pl.col("terms").list.eval(pl.element().str.len_chars()).list.sum(), counted),
        distinct_words=_share(pl.col("terms").list.n_unique(), counted, without=1.0),
        distinct_pairs=_share(adjoining.list.n_unique(), adjoining.list.len(), without=1.0),
        beyond_ascii=_share(text.str.count_matches(r"[^\x00-\x7F]"), pl.col("characters")),
        digits=_share(text.str.count_matches(r"\p{Nd}"), pl.col("characters")),
        capitals=_share(text.str.count_matches(r"\p{Lu}"), pl.col("characters")),
        finished=text.str.contains(_FINISHED).cast(pl.Float64),
        capitalised=text.str.contains(r"\A\s*\p{Lu}").cast(pl.Float64),
        empty=(counted == 0).cast(pl.Float64),
    )


def _bigrams(frame: pl.DataFrame) -> pl.DataFrame:
    """The pairs of adjoining words of each row: row, bigrams. Rows of no word may be missing."""
    adjoining = (
        frame.lazy()
        .select("row", word="terms")
        .explode("word")
        .with_columns(following=pl.col("word").shift(-1).over("row"))
        .group_by("row", maintain_order=True)
        .agg(bigrams=pl.concat_str("word", "following", separator=" ").drop_nulls())
    )
    return adjoining.collect()


def _alike(texts: pl.DataFrame) -> pl.DataFrame:
    """What a swap leaves alone: of the instruction, and of how alike the responses are."""
    words = {
        name: pl.col(column).str.to_lowercase().str.extract_all(_WORD)
        for name, column in zip("iab", TEXTS, strict=True)
    }
    a, b = words["a"], words["b"]
    union = a.list.set_union(b).list.len()
    return texts.select(
        instruction_words=words["i"].list.len().log1p(),
        jaccard=_share(a.list.set_intersection(b).list.len(), union, without=1.0),
        same=(pl.col(_FIRST) == pl.col(_SECOND)).cast(pl.Float64),
    )


def _sided(responses: pl.DataFrame, texts: pl.DataFrame, column: str) -> pl.DataFrame:
    keys = texts.select(_INSTRUCTION, pl.col(column).alias("response"))
    joined = keys.join(responses, on=[_INSTRUCTION, "response"], how="left", maintain_order="left")
    return joined.drop(_INSTRUCTION, "response")


def _share(part: pl.Expr, whole: pl.Expr, *, without: float = 0.0) -> pl.Expr:
    return pl.when(whole > 0).then(part / whole).otherwise(without)


def _cosines(texts: pl.DataFrame, embed: Embed) -> dict[str, Floats]:
    distinct = pl.concat([texts[column].alias("text") for column in TEXTS]).unique().sort()
    vectors = np.asarray(embed(distinct), np.float64)
    places = distinct.to_frame().with_row_index("place")
    i, a, b = (
        vectors[
            texts.select(text=column).join(places, on="text", how="left", maintain_order="left")["place"].to_numpy()
        ]
        for column in TEXTS
    )
    return {
        "first": np.round((i * a).sum(axis=1), _ROUNDED),
        "second": np.round((i * b).sum(axis=1), _ROUNDED),
        "both": np.round((a * b).sum(axis=1), _ROUNDED),
    }
