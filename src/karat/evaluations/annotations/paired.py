"""How two runs are compared: an annotator's votes beside the reference's, on the same pairs."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from karat.evaluations.annotations.outcomes import LONGER_TEXT, SWAPPED
from karat.evaluations.comparing import KIND, Pairing
from karat.evaluations.comparing.figures import Figure, Integers, Moves, Of, kappa_of_cells, of_cells, share
from karat.schemas.pairs import CODE, VALID, VOTES

_OURS, _THEIRS, _OUTCOME = pl.col("label"), pl.col("reference_label"), pl.col("outcome")
_MISSING = VOTES[CODE["missing"]]
_LABELS = {"valid": [VOTES[code] for code in VALID], "all": [*(VOTES[code] for code in VALID), "both", "neither"]}
_APART = "no pair on which both votes are valid"


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    return outcomes.select("item", "cluster", "judge", pl.lit("vote").alias(KIND), *keys, *_STATES)


_STATES = ("outcome", "label", "reference_label", LONGER_TEXT)


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
    return [*(Figure(metric, of, "vote") for metric, of in found.items()), *_biases()]


# --- what votes depend on besides the texts' quality ---


def _biases() -> list[Figure]:
    valid, longer = _is_valid("label"), _is_valid(LONGER_TEXT)
    first = _OURS.eq(VOTES[CODE["text_a"]])
    given = (_OURS != _MISSING) & (pl.col(LONGER_TEXT) != _MISSING)
    agree = share(valid & longer & _OURS.eq(pl.col(LONGER_TEXT)), valid & longer, _APART)
    found = {
        "position": share(first, valid, "no valid vote"),
        "length": _strength(agree, share(valid & given, given, "no pairs")),
    }
    return [Figure(metric, of, "vote", table="bias") for metric, of in found.items()]


def _is_valid(column: str) -> pl.Expr:
    return pl.col(column).is_in(_LABELS["valid"])


def _rows_of_swaps(outcomes: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """A row per two pairs of the same texts in either order: whether the same text wins; null without two votes."""
    about = ["judge", *keys]
    votes = outcomes.select("item", *about, pl.col("label").alias(_OTHER))
    asked = outcomes.filter(pl.col(SWAPPED).is_not_null()).select("item", "cluster", *about, "label", SWAPPED)
    both = asked.with_columns(pl.col(SWAPPED).str.split("\n")).explode(SWAPPED)
    found = both.join(
        votes, left_on=[SWAPPED, *about], right_on=["item", *about], nulls_equal=True, maintain_order="left"
    )
    same = pl.when(_is_valid("label") & _is_valid(_OTHER)).then(pl.col("label") != pl.col(_OTHER))
    return found.select("item", "cluster", *about, SWAPPED, pl.lit("swap").alias(KIND), same.alias("same"))


_OTHER = "__other__"


def _swap_consistency(_: Mapping[str, Any]) -> list[Figure]:
    same = pl.col("same")
    reason = "no pair in both orders with two valid votes"
    return [Figure("swap_consistency", share(same, same.is_not_null(), reason), "swap", table="bias")]


PAIRING = Pairing(
    rows=_rows,
    states=_STATES,
    figures=_figures,
    worth=pl.when(_OUTCOME == "agree").then(1.0).when(_OUTCOME == "disagree").then(-1.0).otherwise(0.0),
    names=("dataset",),
    unkept=(LONGER_TEXT, SWAPPED),
    judge_options=("annotator", "against"),
    further=(
        Pairing(
            rows=_rows_of_swaps,
            states=("same",),
            figures=_swap_consistency,
            names=("dataset",),
            unkept=(LONGER_TEXT, SWAPPED),
            within=(SWAPPED,),
        ),
    ),
)
