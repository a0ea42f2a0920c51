"""The scorer `benchmark`: as the code of RGB (Chen et al. 2024) scores, over all answers.

Its rate of corrected errors takes a refusal for a correction, if the response speaks of factual errors: such a refusal
is neither right nor wrong to that code.
"""

import polars as pl

from karat.evaluations.rag.scorers.plain import ALIAS, RESPONSE, every_slot, first, holds, pairs
from karat.text.folding import changed, holding

REFUSALS = ("insufficient information", "信息不足")
ERRORS = ("factual errors", "事实性错误")


def benchmark(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see karat.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    correct: every slot is in the response by some alias, in lower case, and it is no refusal. Responses with Chinese
    characters lose their spaces first. error_corrected: an error is detected, and the response is correct or a refusal.
    """
    response = answers[RESPONSE].fill_null("")
    chinese = holding(response, response.str.len_bytes() != response.str.len_chars(), r"\p{Han}")
    response = changed(response, chinese, lambda text: text.str.replace_all(" ", "", literal=True))
    rejected = holds(response, REFUSALS)
    beside = pairs(response.str.to_lowercase(), answers["slots"]).with_columns(pl.col(ALIAS).str.to_lowercase())
    inside = beside.select(pl.col(RESPONSE).str.contains(pl.col(ALIAS), literal=True)).to_series()
    correct = (every_slot(beside, inside, answers["slots"]) & ~rejected).set(answers["slots"].is_null(), None)
    untold = answers["false"].is_null() | answers["slots"].is_null()
    detected = holds(response, ERRORS).set(answers["false"].is_null(), None)
    error, refusal = first(response, ERRORS, detected), first(response, REFUSALS, rejected)
    return pl.DataFrame(
        {
            "correct": correct,
            "rejected": rejected,
            "error_detected": detected,
            "error_corrected": (detected & (correct | rejected)).set(untold, None),
            "detail": error.zip_with(error.is_not_null(), refusal),
            "misled": pl.Series([None], dtype=pl.Boolean).new_from_index(0, len(answers)),
        }
    )
