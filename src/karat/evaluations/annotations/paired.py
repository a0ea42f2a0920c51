"""How two runs are compared: an annotator's votes beside the reference's, on the same pairs."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Integers, Moves, Of, kappa_of_cells, of_cells, share
from karat.schemas.pairs import CODE, VALID, VOTES

_OURS, _THEIRS, _OUTCOME = pl.col("label"), pl.col("reference_label"), pl.col("outcome")
_MISSING = VOTES[CODE["missing"]]
_LABELS = {"valid": [VOTES[code] for code in VALID], "all": [*(VOTES[code] for code in VALID), "both", "neither"]}
_APART = "no pair on which both votes are valid"


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    return outcomes.select(
        "item", "cluster", "judge", pl.lit("vote").alias(KIND), *keys, "outcome", "label", "reference_label"
    )


def _strength(accuracy: Of, relevance: Of) -> Of:
    """Kappa x relevance, with (2 accuracy - 1) for kappa."""

    def of(states: pl.DataFrame, counts: Integers) -> Moves:
        agree, valid = accuracy(states, counts), relevance(states, counts)
        if agree.value is None or valid.value is None:
            return agree if agree.value is None else valid
        kappa = 2 * agree.value - 1
        influence = valid.value * 2 * agree.influence + kappa * valid.influence
        return Moves(kappa * valid.value, influence, valid.counted)

    return of


def _figures(options: Mapping[str, Any]) -> list[Figure]:
    labels = _LABELS[options.get("labels", "valid")]
    valid, known = _OURS.is_in(labels), _THEIRS.is_in(labels)
    given = _OURS != _MISSING
    population = given & (_THEIRS != _MISSING) if options.get("population", "shared") == "shared" else known
    compared = valid & known
    agree = compared & (_OURS == _THEIRS)
    relevance = share(valid & population, population, "no pair of the population")
    accuracy = share(agree, compared, _APART)
    found: dict[str, Of] = {
        "relevance": relevance,
        "coverage": share(given, pl.lit(value=True), "no pairs"),
        "accuracy": accuracy,
        "kappa_observed": of_cells("label", "reference_label", compared, kappa_of_cells, _APART),
    }
    if options.get("labels", "valid") == "valid":
        found["kappa"] = share(agree, compared, _APART, shift=-1.0, scale=2.0)
        found["strength"] = _strength(accuracy, relevance)
    return [Figure(metric, of, "vote") for metric, of in found.items()]


PAIRING = Pairing(
    rows=_rows,
    states=("outcome", "label", "reference_label"),
    figures=_figures,
    worth=pl.when(_OUTCOME == "agree").then(1.0).when(_OUTCOME == "disagree").then(-1.0).otherwise(0.0),
    names=("dataset",),
    judge_options=("annotator", "against"),
)
