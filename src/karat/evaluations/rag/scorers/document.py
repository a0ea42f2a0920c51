"""The scorer `document`: plain rules of substrings and shared words, over all answers; an empty or failed one is wrong.

It accepts "It is not Paris." and "a" for Paris, and takes "However" for an error that was found. `strict` does not.
"""

import polars as pl

from karat.evaluations.rag.scorers.plain import ALIAS, RESPONSE, ROW, among, every_slot, first, holds, pairs
from karat.text.folding import changed, lower_case
from karat.text.packaged import packaged

_PHRASES = packaged(__package__, "document.toml")
REFUSALS, ERRORS = _PHRASES["refusals"], _PHRASES["errors"]
_NOT, _WRONG = "not ", " is wrong"
"""They deny a false answer right behind or before them."""
ENOUGH = 0.8
"""The share of the truth's words that must be in the response."""

_SPACES = "".join(map(chr, (*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
_SPACES += "\u2028\u2029\u202f\u205f\u3000"
"""All white space of Unicode."""
_TRUTH = "truth"


def document(answers: pl.DataFrame, *, exact: bool = False) -> pl.DataFrame:
    """Verdicts on answers (see karat.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: of every slot some alias is in the response, or the response in it, or 80 % of its words are the
    response's; with exact, only an equal text is. error_corrected: correct, unless a false answer is in the response
    and no truth is. misled: a false answer is, no truth, and it is not denied. detail: the phrase that decided.
    """
    slots, false = answers["slots"], answers["false"]
    lowered, beyond = lower_case(answers[RESPONSE].fill_null(""))
    said = _normalised(lowered, beyond)
    beside = _with_truths(pairs(said, slots))
    lies = pl.DataFrame({RESPONSE: said, "lowered": lowered, ALIAS: false}).with_row_index(ROW)
    lies = _with_truths(lies.explode(ALIAS).drop_nulls(ALIAS))
    within = _contains(RESPONSE, _TRUTH)
    told = every_slot(beside, beside.select(within).to_series(), slots).fill_null(value=False)
    correct = every_slot(beside, _equal(beside) if exact else _alike(beside), slots)
    lied = among(len(false), lies.filter(within & (pl.col(_TRUTH) != ""))[ROW])
    rejected, erring = holds(lowered, REFUSALS), holds(lowered.set(false.is_null(), None), ERRORS)
    denied = among(len(false), _denied(lies))
    error, refusal = first(lowered, ERRORS, erring), first(lowered, REFUSALS, rejected)
    return pl.DataFrame(
        {
            "correct": correct,
            "rejected": rejected,
            "error_detected": erring | denied,
            "error_corrected": (correct & ~(lied & ~told)).set(false.is_null() | slots.is_null(), None),
            "detail": error.zip_with(error.is_not_null(), refusal),
            "misled": (lied & ~told & ~denied).set(false.is_null(), None),
        }
    )


def _normalised(lowered: pl.Series, beyond: pl.Series) -> pl.Series:
    """Texts without outer white space and the signs .!?,;: at their end, white space as single spaces."""
    uneven = beyond | lowered.str.contains("  ", literal=True) | lowered.str.contains(r"[\t-\r\x1c-\x1f]")
    even = changed(lowered, uneven, lambda text: text.str.replace_all(f"[{_SPACES}]+", " "))
    return even.str.strip_chars(" ").str.strip_chars_end(".!?,;:").str.strip_chars_end(" ")


def _with_truths(beside: pl.DataFrame) -> pl.DataFrame:
    """The same with its aliases in normal form, each of which is made once: _TRUTH."""
    written = beside[ALIAS].unique()
    truth = pl.col(ALIAS).replace_strict(written, _normalised(*lower_case(written)), return_dtype=pl.String)
    return beside.with_columns(truth.alias(_TRUTH))


def _contains(text: str, part: str) -> pl.Expr:
    return pl.col(text).str.contains(pl.col(part), literal=True)


_GIVEN = (pl.col(RESPONSE) != "") & (pl.col(_TRUTH) != "")


def _equal(beside: pl.DataFrame) -> pl.Series:
    """Whether the response is the truth."""
    return beside.select(_GIVEN & (pl.col(RESPONSE) == pl.col(_TRUTH))).to_series()


def _alike(beside: pl.DataFrame) -> pl.Series:
    """Whether one of both is in the other, or enough of the truth's words are the response's."""
    found = beside.select(_GIVEN & (_contains(RESPONSE, _TRUTH) | _contains(_TRUTH, RESPONSE))).to_series()
    rest = beside.with_row_index("place").filter(~found & _GIVEN)
    truth = pl.col(_TRUTH).str.split(" ").list.unique()
    words = rest.select("place", RESPONSE, word=truth, needed=ENOUGH * truth.list.len()).explode("word")
    words = words.filter(_contains(RESPONSE, "word"))  # few are left to be looked for as whole words
    whole = words.filter(_spaced(RESPONSE).str.contains(_spaced("word"), literal=True))
    enough = whole.group_by("place", "needed").len("shared").filter(pl.col("shared") >= pl.col("needed"))
    return found.scatter(enough["place"], values=True)


def _spaced(name: str) -> pl.Expr:
    return pl.concat_str(pl.lit(" "), name, pl.lit(" "))


def _denied(lies: pl.DataFrame) -> pl.Series:
    """The rows where it is said that the lie is wrong."""
    lie = pl.col(ALIAS).str.to_lowercase()
    said = (pl.concat_str(pl.lit(_NOT), lie), pl.concat_str(lie, pl.lit(_WRONG)))
    near = lies.filter(holds(lies["lowered"], (_NOT, _WRONG)))
    return near.filter(pl.any_horizontal(pl.col("lowered").str.contains(one, literal=True) for one in said))[ROW]
