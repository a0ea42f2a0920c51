"""ROUGE-L: F1 of the longest common subsequence of words of two texts."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from adjudge.text.similarity import distinct_texts, of_distinct_pairs

if TYPE_CHECKING:
    import polars as pl

_KEPT = b"abcdefghijklmnopqrstuvwxyz0123456789"
_BLANKED = bytes(byte if byte in _KEPT else ord(" ") for byte in range(256))

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts without spaces between words."""
_CLASSES = rf"[{_UNSPACED}]|[a-z0-9]+|[\p{{L}}\p{{M}}\p{{N}}--[a-z0-9{_UNSPACED}]]+"

_OTHER_LETTER = r"[\p{L}--\p{Latin}]"


def rouge_l(predictions: "pl.Series", references: "pl.Series") -> "pl.Series":
    """ROUGE-L: F1 of the longest common subsequence of the tokens of two texts.

    P = L / m, R = L / n, F1 = 2 P R / (P + R), where L is the length of the longest sequence of tokens that
    occurs in both texts in this order, though not necessarily adjacent; m and n are the numbers of tokens of
    prediction and reference.

    A token is a run of a-z and 0-9 in the text in lower case (Python's `str.lower`): everything else separates,
    so "naïve" is two tokens. If most letters of either text are not Latin, a token of both is a character of a
    script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese), else a run of letters, marks
    and digits; see `other_scripts_warning`. The whole text is one sequence; line breaks are ignored (unlike
    ROUGE-Lsum).

    predictions, references: texts, of equal lengths; exchanging them changes only rounding.

    Returns a Float64 column "rouge_l" from 0 (no token in common) to 1 (the same tokens in the same order).
    Edge: null if either text is null; 0.0 if either has no token, even if both have none.

    >>> import polars as pl
    >>> rouge_l(pl.Series(["The cat sat.", None]), pl.Series(["A cat sat", "the cat"])).to_list()
    [0.6666666666666666, None]

    Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.1, with beta = 1. Equal
    to the last bit to `RougeScorer(["rougeL"], use_stemmer=False)` of rouge-score 0.1.2 if most letters are Latin.
    """
    return of_distinct_pairs("rouge_l", predictions, references, _scores)


def _scores(predictions: "pl.Series", references: "pl.Series") -> list[float]:
    texts = distinct_texts(predictions, references)
    # _KEPT excludes the bytes of characters beyond ASCII.
    tokens: dict[str, Sequence[Hashable]] = {text: text.lower().encode().translate(_BLANKED).split() for text in texts}
    others = set(_of_other_scripts(texts))
    by_class = _class_tokens(texts) if others else {}
    return [
        _f1(*((by_class if others & {*pair} else tokens)[text] for text in pair))
        for pair in zip(predictions, references, strict=True)
    ]


def other_scripts_warning(texts: "pl.Series") -> list[str]:
    """A warning that counts the texts with mostly non-Latin letters, for which rouge-score has no tokens."""
    count = len(_of_other_scripts(texts.drop_nulls()))
    text = f"ROUGE-L: {count:,} of {len(texts):,} texts are not in Latin letters; their tokens are single characters"
    return [f"{text} (Chinese, Japanese, Thai ...) or words between spaces, which rouge-score lacks"] if count else []


def _of_other_scripts(texts: "Sequence[str] | pl.Series") -> list[str]:
    import polars as pl

    column = pl.Series("text", texts, pl.String)
    column = column.filter(column.str.contains(_OTHER_LETTER))
    return column.filter(column.str.count_matches(_OTHER_LETTER) > column.str.count_matches(r"\p{Latin}")).to_list()


def _class_tokens(texts: Sequence[str]) -> dict[str, Sequence[Hashable]]:
    """Tokens by classes of characters."""
    import polars as pl

    found = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.extract_all(_CLASSES).to_list()
    return dict(zip(texts, found, strict=True))


def _f1(prediction: Sequence[Hashable], reference: Sequence[Hashable]) -> float:
    from rapidfuzz.distance import LCSseq

    common = LCSseq.similarity(prediction, reference)
    if not common:
        return 0.0
    precision, recall = common / len(prediction), common / len(reference)
    return 2 * precision * recall / (precision + recall)
