"""The scorers `document` and `benchmark`: rules of substrings and shared words, over all answers.

An empty or failed answer is wrong. `document` accepts "It is not Paris." and "a" for Paris, and takes "However" for an
error that was found. `benchmark` scores as the code of RGB (Chen et al. 2024) does: its rate of corrected errors takes
a refusal for a correction, if the response speaks of factual errors; such a refusal is neither right nor wrong to that
code. `strict` does neither.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from adjudge.text.folding import change_where, lower_case
from adjudge.text.toml_files import packaged

ROW, SLOT, RESPONSE, ALIAS = "__row__", "__slot__", "response", "alias"
ENOUGH = 0.8
"""The share of the truth's words that must be in the response."""

_PHRASES = packaged(__package__, "substrings.toml")
REFUSALS, ERRORS = _PHRASES["refusals"], _PHRASES["errors"]
_NOT, _WRONG = "not ", " is wrong"
"""They deny a false answer right behind or before them."""
_TRUTH = "truth"
_RGB_REFUSALS = ("insufficient information", "信息不足")
_RGB_ERRORS = ("factual errors", "事实性错误")


def score_document(answers: pl.DataFrame, *, exact: bool = False) -> pl.DataFrame:
    """Verdicts on answers (see adjudge.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: of every slot some alias is in the response, or the response in it, or 80 % of its words are the
    response's; with exact, only an equal text is. error_corrected: correct, unless a false answer is in the response
    and no truth is. misled: a false answer is, no truth, and it is not denied. detail: the phrase that decided.
    """
    slots, false = answers["slots"], answers["false"]
    lowered, _ = lower_case(answers[RESPONSE].fill_null(""))
    responses = _normalise(lowered)
    beside = _with_truths(alias_pairs(responses, slots))
    lies = pl.DataFrame({RESPONSE: responses, "lowered": lowered, ALIAS: false}).with_row_index(ROW)
    lies = _with_truths(lies.explode(ALIAS).drop_nulls(ALIAS))
    within = contains(RESPONSE, _TRUTH)
    truth_given = all_slots_answered(beside, beside.select(within).to_series(), slots).fill_null(value=False)
    correct = all_slots_answered(beside, _overlaps_truth(beside, exact=exact), slots)
    lied = row_mask(len(false), lies.filter(within & (pl.col(_TRUTH) != ""))[ROW]) & ~truth_given
    lie = pl.col(ALIAS).str.to_lowercase()
    denials = (pl.concat_str(pl.lit(_NOT), lie), pl.concat_str(lie, pl.lit(_WRONG)))
    near = lies.filter(pl.col("lowered").str.contains(f"{_NOT}|{_WRONG}"))
    denies = pl.any_horizontal(pl.col("lowered").str.contains(one, literal=True) for one in denials)
    denied = row_mask(len(false), near.filter(denies)[ROW])
    error, refusal = _first_phrase(lowered, ERRORS), _first_phrase(lowered, REFUSALS)
    return _verdicts(answers, correct, refusal, error, error.is_not_null() | denied, correct & ~lied, lied & ~denied)


def score_benchmark(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see adjudge.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: every slot is in the response by some alias, in lower case, and it is no refusal. Responses with Chinese
    characters lose their spaces first. error_corrected: an error is detected, and the response is correct or a refusal.
    """
    response = answers[RESPONSE].fill_null("")
    chinese = response.str.contains(r"\p{Han}")
    response = change_where(response, chinese, lambda text: text.str.replace_all(" ", "", literal=True))
    beside = alias_pairs(response.str.to_lowercase(), answers["slots"]).with_columns(pl.col(ALIAS).str.to_lowercase())
    given = all_slots_answered(beside, beside.select(contains(RESPONSE, ALIAS)).to_series(), answers["slots"])
    error, refusal = _first_phrase(response, _RGB_ERRORS), _first_phrase(response, _RGB_REFUSALS)
    corrected = error.is_not_null() & (given | refusal.is_not_null())
    unknown = pl.Series([None], dtype=pl.Boolean).new_from_index(0, len(answers))
    return _verdicts(answers, given & refusal.is_null(), refusal, error, error.is_not_null(), corrected, unknown)


def _verdicts(
    answers: pl.DataFrame, correct: pl.Series, refusal: pl.Series, error: pl.Series, *lied: pl.Series
) -> pl.DataFrame:
    """The table of verdicts. lied: error_detected, error_corrected and misled, which hold where the documents lie."""
    unasked, truthful = answers["slots"].is_null(), answers["false"].is_null()
    detected, corrected, misled = (verdict.set(truthful, None) for verdict in lied)
    columns = {"correct": correct.set(unasked, None), "rejected": refusal.is_not_null(), "error_detected": detected}
    detail = refusal.zip_with(error.is_null() | truthful, error)
    columns |= {"error_corrected": corrected.set(unasked, None), "detail": detail, "misled": misled}
    return pl.DataFrame(columns)


def _normalise(lowered: pl.Series) -> pl.Series:
    """Texts without outer white space and the signs .!?,;: at their end, white space as single spaces."""
    uneven = lowered.str.contains(r"\s\s|[^\S ]|[\x1c-\x1f]")
    even = change_where(lowered, uneven, lambda text: text.str.replace_all(r"[\s\x1c-\x1f]+", " "))
    return even.str.strip_chars(" ").str.strip_chars_end(".!?,;:").str.strip_chars_end(" ")


def _with_truths(beside: pl.DataFrame) -> pl.DataFrame:
    """The pairs with their aliases in normal form in the column _TRUTH; each alias is normalised once."""
    written = beside[ALIAS].unique()
    truth = pl.col(ALIAS).replace_strict(written, _normalise(lower_case(written)[0]), return_dtype=pl.String)
    return beside.with_columns(truth.alias(_TRUTH))


def contains(text: str, part: str) -> pl.Expr:
    """Whether a text contains another.

    A part longer than its text is not searched for: in a table of one row, polars compiles the part into a regular
    expression, and raises ComputeError if that is too large.

    >>> pl.DataFrame({"text": ["tea"], "part": ["t" * 10**6]}).select(contains("text", "part")).item()
    False
    """
    longer = pl.col(part).str.len_bytes() > pl.col(text).str.len_bytes()
    inside = pl.col(text).str.contains(pl.when(~longer).then(part), literal=True)
    return pl.when(longer).then(pl.lit(value=False)).otherwise(inside)


_GIVEN = (pl.col(RESPONSE) != "") & (pl.col(_TRUTH) != "")


def _overlaps_truth(beside: pl.DataFrame, *, exact: bool) -> pl.Series:
    """Whether one of both is in the other, or enough of the truth's words are the response's; exact: both are equal."""
    if exact:
        return beside.select(_GIVEN & (pl.col(RESPONSE) == pl.col(_TRUTH))).to_series()
    contained = beside.select(_GIVEN & (contains(RESPONSE, _TRUTH) | contains(_TRUTH, RESPONSE))).to_series()
    rest = beside.with_row_index("place").filter(~contained & _GIVEN)
    truth = pl.col(_TRUTH).str.split(" ").list.unique()
    words = rest.select("place", RESPONSE, word=truth, needed=ENOUGH * truth.list.len()).explode("word")
    words = words.filter(contains(RESPONSE, "word"))  # few are left to be looked for as whole words
    whole = words.filter(pl.format(" {} ", RESPONSE).str.contains(pl.format(" {} ", "word"), literal=True))
    enough = whole.group_by("place", "needed").len("shared").filter(pl.col("shared") >= pl.col("needed"))
    return contained.scatter(enough["place"], values=True)


def _first_phrase(texts: pl.Series, phrases: Sequence[str]) -> pl.Series:
    """The first of some phrases in each text, the longest at that place; null where there is none."""
    return texts.str.extract_many(sorted(phrases, key=len, reverse=True), leftmost=True).list.first()


def alias_pairs(responses: pl.Series, slots: pl.Series) -> pl.DataFrame:
    """A row per response, slot and alias: ROW, SLOT, RESPONSE, ALIAS; none where there are no slots."""
    frame = pl.DataFrame({RESPONSE: responses, ALIAS: slots}).with_row_index(ROW).drop_nulls(ALIAS)
    return frame.explode(ALIAS).drop_nulls(ALIAS).with_row_index(SLOT).explode(ALIAS).drop_nulls(ALIAS)


def all_slots_answered(frame: pl.DataFrame, answered: pl.Series, slots: pl.Series) -> pl.Series:
    """Whether every slot is answered by any alias; null where there are no slots, false where their list is empty.

    frame: as `pairs` gives it. answered: whether each of its rows is.
    """
    met = frame[SLOT].is_in(frame[SLOT].filter(answered).unique().implode())
    answered_rows = row_mask(len(slots), frame[ROW]) & ~row_mask(len(slots), frame[ROW].filter(~met))
    return answered_rows.set(slots.is_null(), None)


def row_mask(height: int, rows: pl.Series) -> pl.Series:
    """A mask of `height` rows that is true for the given rows."""
    mask = np.zeros(height, dtype=bool)
    mask[rows.to_numpy()] = True
    return pl.Series(mask)
