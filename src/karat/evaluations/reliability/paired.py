"""How two runs are compared: the same annotators, or others, on the same items."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, kappa_of_cells, of_cells, share
from karat.evaluations.reliability.metrics import NO_CHOICES, NO_FLAGS

_OUTCOME = pl.col("outcome")
_CHOICES, _FLAGS = ["correct", "incorrect"], ["both", "annotator_only", "reference_only", "neither"]
_MISMATCHES = ["annotator_only", "reference_only"]


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    return outcomes.select(
        "item", "cluster", "judge", pl.col("part").alias(KIND), *keys, "outcome", "label", "reference_label"
    )


def _figures(_: Mapping[str, Any]) -> list[Figure]:
    choices, flags = _OUTCOME.is_in(_CHOICES), _OUTCOME.is_in(_FLAGS)
    return [
        Figure("reliability", share(_OUTCOME == "correct", choices, NO_CHOICES), "choice"),
        Figure("flag_mismatch", share(_OUTCOME.is_in(_MISMATCHES), flags, NO_FLAGS), "flag"),
        Figure("kappa", of_cells("label", "reference_label", choices, kappa_of_cells, NO_CHOICES), "choice"),
    ]


PAIRING = Pairing(
    rows=_rows,
    states=("outcome", "label", "reference_label"),
    figures=_figures,
    worth=pl.when(_OUTCOME.is_in(["correct", "both", "neither"]))
    .then(1.0)
    .when(_OUTCOME.is_in(["incorrect", *_MISMATCHES]))
    .then(0.0),
    pooled=True,
)
