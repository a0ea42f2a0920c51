"""The scorer `document`: plain rules of substrings and shared words, over all answers; an empty or failed one is wrong.

It accepts "It is not Paris." and "a" for Paris, and takes "However" for an error that was found. `strict` does not.
"""

import polars as pl

from karat.evaluations.rag.scorers.phrases import first, holds
from karat.evaluations.rag.scorers.truths import ALIAS, RESPONSE, ROW, among, every_slot, pairs

REFUSALS = (
    "i can not answer the question because of the insufficient information in documents",
    "insufficient information in documents",
    "can not answer",
    "cannot answer",
    "i don't know",
    "i cannot",
    "i can't",
    "unable to",
    "not able to",
    "insufficient information",
    "no information",
    "cannot determine",
    "not enough information",
    "don't have enough",
    "unable to determine",
    "cannot find",
    "no relevant",
    "not mentioned",
    "not provided",
    "not specified",
    "unclear",
    "unknown",
    "i'm not sure",
    "i am not sure",
    "cannot be determined",
    "information is not available",
    "does not provide",
)
ERRORS = (
    "incorrect",
    "wrong",
    "false",
    "error",
    "mistake",
    "inaccurate",
    "not true",
    "not correct",
    "factually incorrect",
    "contradicts",
    "actually",
    "in fact",
    "however",
    "but actually",
    "the correct answer",
    "should be",
)
ENOUGH = 0.8
"""The share of the truth's words that must stand in the response."""

_SPACES = "".join(map(chr, (*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
_SPACES += "\u2028\u2029\u202f\u205f\u3000"
"""All white space of Unicode."""
_UNEVEN = ("  ", "[\t\n\r]", "[\v\f\x1c]", "[\x1d\x1e\x1f]")
"""What shows in ASCII that white space must be squeezed; three single letters at a time are found the fastest."""
_ALL_NEEDED = 4
"""Of so many words 80 % are all."""


def normalised(lowered: pl.Series) -> pl.Series:
    """Texts in lower case without outer white space and the signs .!?,;: at their end, white space as single spaces."""
    text = pl.col("text").str.strip_chars(_SPACES).str.strip_chars_end(".!?,;:").str.strip_chars(_SPACES)
    found = lowered.to_frame("text").select(text).to_series()
    uneven = found.str.len_bytes() != found.str.len_chars()
    for pattern in _UNEVEN:
        uneven |= found.str.contains(pattern)
    if not uneven.any():
        return found
    return found.scatter(uneven.arg_true(), found.filter(uneven).str.replace_all(f"[{_SPACES}]+", " "))


def document(answers: pl.DataFrame, *, exact: bool = False) -> pl.DataFrame:
    """Verdicts on answers (see karat.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: of every slot some alias is in the response, or the response in it, or 80 % of its words are the
    response's; with exact, only an equal text is. error_corrected: correct, unless a false answer is in the response
    and no truth is. detail: the phrase that decided.
    """
    text = answers[RESPONSE].fill_null("")
    lowered = text.str.to_lowercase()
    response = normalised(lowered)
    beside = _pairs(response, answers["slots"])
    correct = every_slot(beside, _answers(beside, exact=exact), answers["slots"])
    rejected = holds(lowered, REFUSALS)
    detected, phrase = _detected(lowered, answers["false"])
    lied = _contained(response, answers["false"])
    told = every_slot(beside, beside.select(_within()).to_series(), answers["slots"]).fill_null(value=False)
    corrected = (correct & ~(lied & ~told)).set(answers["false"].is_null() | answers["slots"].is_null(), None)
    refusal = first(lowered, REFUSALS, rejected)
    return pl.DataFrame(
        {
            "correct": correct,
            "rejected": rejected,
            "error_detected": detected,
            "error_corrected": corrected,
            "detail": phrase.zip_with(phrase.is_not_null(), refusal),
        }
    )


def _pairs(response: pl.Series, slots: pl.Series) -> pl.DataFrame:
    """Normalised responses beside normalised aliases."""
    beside = pairs(response, slots)
    return beside.with_columns(normalised(beside[ALIAS].str.to_lowercase()).alias(ALIAS))


def _within() -> pl.Expr:
    """Whether the truth is in the response."""
    return pl.col(RESPONSE).str.contains(pl.col(ALIAS), literal=True)


def _answers(beside: pl.DataFrame, *, exact: bool) -> pl.Series:
    """Whether each response answers the alias beside it; both are normalised."""
    response, alias = pl.col(RESPONSE), pl.col(ALIAS)
    given = (response != "") & (alias != "")
    if exact:
        return beside.select(given & (response == alias)).to_series()
    shorter = response.str.len_chars() < alias.str.len_chars()
    found = beside.select(given & (_within() | (shorter & alias.str.contains(response, literal=True)))).to_series()
    rest = beside.select(given).to_series() & ~found
    return found.scatter(rest.arg_true(), _share_words(beside.filter(rest)))


def _share_words(beside: pl.DataFrame) -> pl.Series:
    """Whether enough of the alias's words are words of the response.

    Where all are needed, the first and the last must be in the response; words are compared only where they are.
    """
    words = beside.select(pl.col(ALIAS).str.split(" ").list.unique(maintain_order=True)).to_series()
    ends = pl.DataFrame({RESPONSE: beside[RESPONSE], "first": words.list.first(), "last": words.list.last()})
    inside = ends.select(
        pl.all_horizontal(pl.col(RESPONSE).str.contains(pl.col(end), literal=True) for end in ("first", "last"))
    ).to_series()
    likely = inside | (words.list.len() > _ALL_NEEDED)
    shared = words.filter(likely).list.set_intersection(beside[RESPONSE].filter(likely).str.split(" ")).list.len()
    enough = shared >= ENOUGH * words.filter(likely).list.len()
    return pl.zeros(beside.height, pl.UInt8, eager=True).cast(pl.Boolean).scatter(likely.arg_true(), enough)


def _contained(response: pl.Series, false: pl.Series) -> pl.Series:
    """Of each row whether any of its false answers, normalised, is in the response."""
    rows = pl.DataFrame({RESPONSE: response, ALIAS: false}).with_row_index(ROW).explode(ALIAS).drop_nulls(ALIAS)
    rows = rows.with_columns(normalised(rows[ALIAS].str.to_lowercase()).alias(ALIAS))
    return among(len(response), rows.filter((pl.col(ALIAS) != "") & _within())[ROW])


def _detected(lowered: pl.Series, false: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Whether an error is spoken of, and the phrase that does; null where documents do not lie."""
    by_phrase = holds(lowered, ERRORS)
    rows = pl.DataFrame({RESPONSE: lowered, "x": false}).with_row_index(ROW).explode("x").drop_nulls("x")
    lie = pl.col("x").str.to_lowercase()
    denied = pl.col(RESPONSE).str.contains(pl.concat_str(pl.lit("not "), lie), literal=True) | pl.col(
        RESPONSE
    ).str.contains(pl.concat_str(lie, pl.lit(" is wrong")), literal=True)
    by_lie = among(len(lowered), rows.filter(denied)[ROW])
    detected = (by_phrase | by_lie).set(false.is_null(), None)
    return detected, first(lowered, ERRORS, detected & by_phrase)
