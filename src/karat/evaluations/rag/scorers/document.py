"""The scorer `document`: plain rules of substrings and shared words, over all answers; an empty or failed one is wrong.

It accepts "It is not Paris." and "a" for Paris, and takes "However" for an error that was found. `strict` does not.
"""

import polars as pl

from karat.evaluations.rag.scorers.phrases import first, holds
from karat.evaluations.rag.scorers.truths import ALIAS, RESPONSE, ROW, among, every_slot, pairs, unmet
from karat.text.folding import changed, lower_case

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
_NOT, _WRONG = "not ", " is wrong"
"""They deny a false answer close behind or before them."""
ENOUGH = 0.8
"""The share of the truth's words that must stand in the response."""

_SPACES = "".join(map(chr, (*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
_SPACES += "\u2028\u2029\u202f\u205f\u3000"
"""All white space of Unicode."""
_UNEVEN = ("  ", r"[\t-\r\x1c-\x1f]")
"""What shows in ASCII that white space must be squeezed."""
_SIGNS = ".!?,;:"
_ALL_NEEDED = 4
"""Of so many words 80 % are all."""
_WRITTEN, _SOUGHT, _FIRST, _LAST = "written", "sought", "first", "last"


def document(answers: pl.DataFrame, *, exact: bool = False) -> pl.DataFrame:
    """Verdicts on answers (see karat.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: of every slot some alias is in the response, or the response in it, or 80 % of its words are the
    response's; with exact, only an equal text is. error_corrected: correct, unless a false answer is in the response
    and no truth is. detail: the phrase that decided.
    """
    slots, false = answers["slots"], answers["false"]
    lowered, beyond = lower_case(answers[RESPONSE].fill_null(""))
    beside, lies = pairs(lowered, slots), _lies(lowered, false)
    aliases = _aliases(pl.concat([beside[ALIAS], lies[ALIAS]]).unique())
    within, answered = _answered(beside, aliases, beyond, exact=exact)
    correct, told = every_slot(beside, answered, slots), every_slot(beside, within, slots).fill_null(value=False)
    lied = among(len(false), lies[ROW].filter(_contained(lies, aliases, beyond)))
    denied = among(len(false), _denied(lies)[ROW])
    rejected, erring = holds(lowered, REFUSALS), _erring(lowered, false)
    error, refusal = first(lowered, ERRORS, erring), first(lowered, REFUSALS, rejected)
    return pl.DataFrame(
        {
            "correct": correct,
            "rejected": rejected,
            "error_detected": (erring | denied).set(false.is_null(), None),
            "error_corrected": (correct & ~(lied & ~told)).set(false.is_null() | slots.is_null(), None),
            "detail": error.zip_with(error.is_not_null(), refusal),
        }
    )


def _lies(lowered: pl.Series, false: pl.Series) -> pl.DataFrame:
    """A row per response and false answer: ROW, RESPONSE, ALIAS."""
    return pl.DataFrame({RESPONSE: lowered, ALIAS: false}).with_row_index(ROW).explode(ALIAS).drop_nulls(ALIAS)


def _normalised(lowered: pl.Series, beyond: pl.Series) -> pl.Series:
    """Texts without outer white space and the signs .!?,;: at their end, white space as single spaces."""
    uneven = beyond.clone()
    for pattern in _UNEVEN:
        uneven |= lowered.str.contains(pattern)
    even = changed(lowered, uneven, lambda text: text.str.replace_all(f"[{_SPACES}]+", " "))
    ends = pl.col("text").str.strip_chars(" ").str.strip_chars_end(_SIGNS).str.strip_chars_end(" ")
    return even.to_frame("text").select(ends).to_series()


def _aliases(written: pl.Series) -> pl.DataFrame:
    """Aliases, each once, and what is sought in responses as they stand, before these are normalised.

    Columns: _WRITTEN; ALIAS, normalised; _SOUGHT, what is in the normalised response if it is in the response as it
    stands, null if none is; _FIRST and _LAST, which are in the response as it stands if the alias is in the normalised
    one or most of its words are: its words, null where it has but one, and then _SOUGHT says it all.
    """
    alias = pl.Series(ALIAS, _normalised(*lower_case(written)))
    sought = alias.set(alias.str.contains(f"(?:^|[{_SIGNS}])$"), None)
    words = alias.str.split(" ")
    open_ = sought.is_null() | (words.list.len() > _ALL_NEEDED)
    one = ~open_ & (words.list.len() == 1)
    ends = {
        name: word.set(one, None).set(open_, "")
        for name, word in ((_FIRST, words.list.first()), (_LAST, words.list.last()))
    }
    return pl.DataFrame({_WRITTEN: written, ALIAS: alias, _SOUGHT: sought, **ends})


def _as_it_stands(beside: pl.DataFrame, aliases: pl.DataFrame) -> pl.Series:
    """Whether the alias is found in the response before that is normalised."""
    sought = pl.col(ALIAS).replace_strict(aliases[_WRITTEN], aliases[_SOUGHT], return_dtype=pl.String)
    return beside.select(pl.col(RESPONSE).str.contains(sought, literal=True).fill_null(value=False)).to_series()


def _normalised_pairs(beside: pl.DataFrame, where: pl.Series, aliases: pl.DataFrame, beyond: pl.Series) -> pl.DataFrame:
    """Normalised responses beside normalised aliases, of the rows where they may hold something in common.

    Columns: place, of the row; RESPONSE, ALIAS; worded, whether the words of the alias may be the response's.
    """
    rest = beside.with_row_index("place").filter(where)
    rest = rest.join(aliases.drop(_SOUGHT), left_on=ALIAS, right_on=_WRITTEN, maintain_order="left")
    response = pl.col(RESPONSE)
    begun = response.str.head(2).str.strip_chars(_SPACES + _SIGNS)
    ends = [response.str.contains(pl.col(end), literal=True).fill_null(value=False) for end in (_FIRST, _LAST)]
    rest = rest.with_columns(worded=pl.all_horizontal(ends))
    close = rest.filter(pl.col("worded") | pl.col(f"{ALIAS}_right").str.contains(begun, literal=True))
    normalised = _normalised(close[RESPONSE], beyond.gather(close[ROW]))
    return close.select("place", normalised.alias(RESPONSE), pl.col(f"{ALIAS}_right").alias(ALIAS), "worded")


def _contained(lies: pl.DataFrame, aliases: pl.DataFrame, beyond: pl.Series) -> pl.Series:
    """Whether each alias is in the response beside it, both normalised."""
    within = _as_it_stands(lies, aliases)
    close = _normalised_pairs(lies, ~within, aliases, beyond)
    return within.scatter(close["place"], close.select(_within()).to_series())


def _answered(
    beside: pl.DataFrame, aliases: pl.DataFrame, beyond: pl.Series, *, exact: bool
) -> tuple[pl.Series, pl.Series]:
    """Whether each alias is in the response beside it, and whether the response answers it; both are normalised.

    Of a slot with an answer that is found as it stands, no other is looked at. An empty alias is in every response, and
    answered by none.
    """
    within = _as_it_stands(beside, aliases)
    answered = within & (not exact)
    close = _normalised_pairs(beside, unmet(beside, answered), aliases, beyond)
    answered = answered.scatter(close["place"], _equal(close) if exact else _alike(close))
    empty = beside[ALIAS].is_in(aliases.filter(pl.col(ALIAS) == "")[_WRITTEN].to_list())
    return within.scatter(close["place"], close.select(_within()).to_series()) | empty, answered


def _within() -> pl.Expr:
    """Whether the alias is in the response beside it."""
    return (pl.col(ALIAS) != "") & pl.col(RESPONSE).str.contains(pl.col(ALIAS), literal=True)


def _equal(beside: pl.DataFrame) -> pl.Series:
    """Whether the response is the alias."""
    return beside.select((pl.col(ALIAS) != "") & (pl.col(RESPONSE) == pl.col(ALIAS))).to_series()


def _alike(beside: pl.DataFrame) -> pl.Series:
    """Whether one of both is in the other, or enough of the alias's words are the response's."""
    part = _within() | pl.col(ALIAS).str.contains(pl.col(RESPONSE), literal=True)
    given = (pl.col(RESPONSE) != "") & (pl.col(ALIAS) != "")
    found, rest = beside.select(
        (part & given).alias("found"), (pl.col("worded") & ~part & given).alias("rest")
    ).iter_columns()
    words = beside[ALIAS].filter(rest).str.split(" ").list.unique()
    shared = words.list.set_intersection(beside[RESPONSE].filter(rest).str.split(" ")).list.len()
    return found.scatter(rest.arg_true(), shared >= ENOUGH * words.list.len())


def _erring(lowered: pl.Series, false: pl.Series) -> pl.Series:
    """Whether an error is spoken of where documents lie."""
    lying = false.is_not_null()
    return lying.clone().scatter(lying.arg_true(), holds(lowered.filter(lying), ERRORS))


def _denied(lies: pl.DataFrame) -> pl.DataFrame:
    """The rows where it is said that the lie is wrong."""
    response, lie = pl.col(RESPONSE), pl.col(ALIAS).str.to_lowercase()
    return lies.filter(holds(lies[RESPONSE], (_NOT, _WRONG))).filter(
        response.str.contains(pl.concat_str(pl.lit(_NOT), lie), literal=True)
        | response.str.contains(pl.concat_str(lie, pl.lit(_WRONG)), literal=True)
    )
