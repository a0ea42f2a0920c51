"""Metrics of scorers beside human verdicts, and of words that answers share with true answers."""

from typing import Literal

import polars as pl

from adjudge.evaluations.rag.metrics import BOTH, KAPPA
from adjudge.metrics.metric import View
from adjudge.metrics.ratios import MeanShare, Share
from adjudge.spec import MetricSpec

# --- scorers beside people ---

_CARD: dict[str, tuple[str, Literal["high", "low"]]] = {
    "agreement": ("Answers of which scorer and people say the same / answers with a verdict of both.", "high"),
    "false_right": ("Answers of which the scorer says yes / answers of which people say no.", "low"),
    "false_wrong": ("Answers of which the scorer says no / answers of which people say yes.", "low"),
}


def _card_share(name: str, holds: pl.Expr, among: pl.Expr, reason: str) -> Share:
    about = MetricSpec(name.replace("_", " ").capitalize(), *_CARD[name])
    return Share(name, about, holds, among, reason=reason)


_SAYS, _PEOPLE_SAY = pl.col("one"), pl.col("other")
AGREEMENT = _card_share("agreement", _SAYS == _PEOPLE_SAY, BOTH, "people gave no verdict")
FALSE_RIGHT = _card_share("false_right", _SAYS, BOTH & ~_PEOPLE_SAY, "no answer of which people say no")
FALSE_WRONG = _card_share("false_wrong", ~_SAYS, BOTH & _PEOPLE_SAY, "no answer of which people say yes")
CARD_VIEW = View(
    rows=lambda outcomes, _keys, _options: outcomes,
    states=("one", "other"),
    metrics=(AGREEMENT, KAPPA, FALSE_RIGHT, FALSE_WRONG),
)
RATES = {
    "people_rate": MetricSpec("By people", "Answers of which people say yes / answers with a verdict of people."),
    "scorer_rate": MetricSpec("By the scorer", "Answers of which the scorer says yes / all answers it speaks of."),
    "corrected_rate": MetricSpec(
        "Corrected", "The share that people would give all answers: the scorer's, less its errors on the labelled part."
    ),
}
RANKS = {
    "rank_agreement": MetricSpec(
        "Ranks of models",
        "Kendall's tau-b of the models' rates by the scorer and by people, on the answers of both; 1: the same order.",
        "high",
        percent=False,
        bounds=(-1.0, 1.0),
    )
}
CARD = {**{one.name: one.spec for one in CARD_VIEW.metrics if one is not KAPPA}, **RATES, **RANKS}

# --- words that answers share with true answers ---


def _overlap(name: str, title: str, definition: str) -> MeanShare:
    about = MetricSpec(title, definition, "high", percent=False)
    return MeanShare(name, about, pl.col(name), kind="answer", reason="no answer with a true answer to compare with")


OVERLAP_METRICS = (
    _overlap("token_recall", "Token recall", "Words of the true answer in the response / its words."),
    _overlap("rouge_l", "ROUGE-L", "F1 of the longest common subsequence of words."),
    _overlap("bertscore", "BERTScore", "F1 of greedily matched token vectors of response and true answer."),
)
