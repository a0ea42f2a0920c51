"""The metrics of annotations, declared once.

They rest on columns derived from each pair of votes: whether the two agree, whether they are compared, whether the
annotator's vote is valid, and whether the pair belongs to the population; and the same with the longer text in the
place of the reference.
"""

from collections.abc import Sequence
from functools import partial

import polars as pl

from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.metrics.labels import Kappa, Strength
from adjudge.metrics.metric import KIND, Metric, View
from adjudge.metrics.ratios import FixedKappa, Share
from adjudge.metrics.tables import asked_rows, replies_view, reply_metrics
from adjudge.schemas.outcomes import ANSWERED, REPLY, UNANSWERED
from adjudge.schemas.pairs import CODE, NOT_GIVEN, VALID, VOTES
from adjudge.spec import MetricSpec

LONGER, SWAPPED = "longer", "swapped"
"""Columns of outcomes: which text has more characters, as a vote; and the name of the pair with the same texts in the
other order."""
HIDDEN = (LONGER, SWAPPED)
VOTE, SWAP, ORDERS = "vote", "swap", "orders"
"""Parts of outcomes: a vote beside the reference's, a vote beside the same annotator's in the other order, and how
often both are right."""

_LABEL, _REFERENCE, _LONGER, _OUTCOME = (pl.col(name) for name in ("label", "reference_label", LONGER, "outcome"))
NONE, _TEXT_A = [VOTES[code] for code in NOT_GIVEN], VOTES[CODE["text_a"]]
APART = [*NONE, "not_applicable"]
"""The reference's votes that leave a pair out of the population: it has not annotated it, or has no part in it."""
_VALID = [VOTES[code] for code in VALID]
LABELS = {"valid": _VALID, "all": [*_VALID, "both", "neither"]}
"""Option `labels` -> the votes that count as labels."""

_APART = "no pair on which both votes are valid"
_TWO = "no pair on which both votes are valid, or labels=all: it is defined for two labels only"

_AGREE, _COMPARED, _POPULATION, _OWN = (pl.col(name) for name in ("agree", "compared", "population", "own"))
_TWO_AGREE, _TWO_COMPARED = (pl.col(name) for name in ("two_agree", "two_compared"))
_GIVEN, _CHOSEN = pl.col("given"), pl.col("chosen")

STATES = ("label", "reference_label", "outcome", LONGER)


def with_states(population: str = "shared", labels: str = "valid") -> list[pl.Expr]:
    """The columns derived from a pair of votes, by a run's options `population` and `labels`."""
    valid, gold = _LABEL.is_in(LABELS[labels]), _REFERENCE.is_in(LABELS[labels])
    given, two = ~_LABEL.is_in(NONE), pl.lit(value=labels == "valid")
    counted = given & ~_REFERENCE.is_in(APART) if population == "shared" else gold
    agree, chosen, longer = _LABEL == _REFERENCE, _LABEL.is_in(_VALID), _LONGER.is_in(_VALID)
    states = {
        "agree": valid & gold & agree,
        "compared": valid & gold,
        "two_agree": valid & gold & agree & two,
        "two_compared": valid & gold & two,
        "own": valid,
        "population": counted,
        "given": given,
        "chosen": chosen,
        "longer_agree": chosen & longer & (_LABEL == _LONGER),
        "longer_compared": chosen & longer,
        "longer_population": given & ~_LONGER.is_in(NONE),
    }
    return [one.fill_null(value=False).alias(name) for name, one in states.items()]


_SPECS = {
    "relevance": MetricSpec("Relevance", "Pairs with a valid vote of the annotator / all pairs of the population."),
    "coverage": MetricSpec("Coverage", "Pairs that the annotator annotates / all pairs."),
    "accuracy": MetricSpec("Accuracy", "Votes equal to the reference's / pairs on which both are valid.", "high"),
    "kappa": MetricSpec("Kappa", "2 × (accuracy − 0.5): agreement beyond a chance of one half.", "high", percent=False),
    "kappa_observed": MetricSpec(
        "Kappa, observed chance",
        "Cohen's kappa with chance from both annotators' own votes over the same pairs.",
        "high",
        percent=False,
    ),
    "strength": MetricSpec(
        "Strength",
        "Kappa × relevance: above 0 the annotator votes with the reference more often than against it, below 0 less "
        "often.",
        percent=False,
    ),
    "position": MetricSpec("Position", "Votes for text a / valid votes: 50% without a bias toward a position."),
    "length": MetricSpec("Length bias", "Strength with the longer text as the reference.", percent=False),
    "swap_consistency": MetricSpec(
        "Swap consistency",
        "Pairs judged in both orders with the same verdict in both / pairs with votes that count in both orders.",
        "high",
    ),
    "both_orders_accuracy": MetricSpec(
        "Accuracy in both orders",
        "Pairs judged in both orders with the reference's verdict in both / pairs with votes that count.",
        "high",
    ),
    "net_accuracy": MetricSpec(
        "Net accuracy",
        "Pairs judged in both orders that are more often right than wrong / pairs with votes that count.",
        "high",
    ),
}


def _share(name: str, holds: pl.Expr, among: pl.Expr, reason: str, *, table: str = "") -> Share:
    return Share(name, _SPECS[name], holds, among, reason=reason, table=table)


RELEVANCE = _share("relevance", _OWN, _POPULATION, "no pair of the population")
KAPPA = FixedKappa("kappa", _SPECS["kappa"], _TWO_AGREE, _TWO_COMPARED, reason=_TWO)
STRENGTH = Strength("strength", _SPECS["strength"], _TWO_AGREE, _TWO_COMPARED, _OWN, _POPULATION, reason=_TWO)
AGREEMENT: tuple[Metric, ...] = (
    RELEVANCE,
    _share("coverage", _GIVEN, pl.lit(value=True), "no pairs"),
    _share("accuracy", _AGREE, _COMPARED, _APART),
    KAPPA,
    Kappa("kappa_observed", _SPECS["kappa_observed"], "label", "reference_label", _COMPARED, reason=_APART),
    STRENGTH,
)
"""An annotator against the reference."""

_BESIDE_LONGER = [pl.col("longer_agree"), pl.col("longer_compared"), _CHOSEN, pl.col("longer_population")]
BIAS: tuple[Metric, ...] = (
    _share("position", _LABEL == _TEXT_A, _CHOSEN, "no valid vote", table="bias"),
    Strength("length", _SPECS["length"], *_BESIDE_LONGER, reason=_APART, table="bias"),
)
"""Position and length bias."""

SAME, OTHER = "same_text", "other_text"
_NO_ORDERS = "no pair in both orders with two votes that count"
SWAP_CONSISTENCY = _share("swap_consistency", _OUTCOME == SAME, _OUTCOME.is_in([SAME, OTHER]), _NO_ORDERS, table="bias")
ORDERS_OUTCOMES = ("both_right", "rather_right", "level", "rather_wrong", "both_wrong")
"""How often a vote in both orders is right, from both times to never."""
_NO_GOLD_ORDERS = "no pair in both orders with two votes, and a reference's, that count"
IN_BOTH_ORDERS: tuple[Metric, ...] = tuple(
    _share(name, _OUTCOME.is_in(right), _OUTCOME.is_in(ORDERS_OUTCOMES), _NO_GOLD_ORDERS, table="bias")
    for name, right in (("both_orders_accuracy", ORDERS_OUTCOMES[:1]), ("net_accuracy", ORDERS_OUTCOMES[:2]))
)
"""An annotator in both orders against the reference."""
_length = partial(MetricSpec, percent=False, bounds=(0.0, None))
PAIR_VALUES = {
    "prefers_a": MetricSpec("Prefers A", "Pairs on which the reference prefers text a / pairs."),
    "length_a": _length("Length A", "Mean length of text a in characters."),
    "length_b": _length("Length B", "Mean length of text b in characters."),
    "length_preferred": _length("Length preferred", "Mean length of the preferred text, in characters."),
    "length_rejected": _length("Length rejected", "Mean length of the rejected text, in characters."),
    "prefers_longer": MetricSpec("Prefers longer", "Pairs on which the preferred text is the longer one / pairs."),
}
"""Means over pairs on which the reference's vote is valid: of lengths, or of what is true or false (in percent)."""
_count = partial(MetricSpec, percent=False, decimals=0)
OF_PAIRS = {
    "pairs_total": _count("Pairs in all", "All pairs of the data set."),
    "pairs": _count("Votes for A or B", "Pairs on which the reference votes for one of the texts."),
    **PAIR_VALUES,
}
"""Metrics of the data in the table overview, independent of annotators."""

# --- replies of models ---

_STATUS = pl.when(_LABEL.is_in(UNANSWERED)).then(_LABEL).when(~_LABEL.is_in(NONE)).then(pl.lit(ANSWERED))
REPLIES = reply_metrics(_STATUS)


def _rows_of_replies(outcomes: pl.LazyFrame, keys: Sequence[str], _: AnnotationsOptions) -> pl.LazyFrame:
    """The reply status of each vote of models that were asked; null where one was not."""
    votes = outcomes.filter(pl.col("part") == VOTE).with_columns(_LABEL.cast(pl.String))
    vote_rows = votes.select("item", "cluster", "judge", pl.lit(VOTE).alias(KIND), *keys, _STATUS.alias(REPLY))
    return asked_rows(vote_rows)


# --- views ---


def _rows(outcomes: pl.LazyFrame, keys: Sequence[str], options: AnnotationsOptions) -> pl.LazyFrame:
    votes = outcomes.filter(pl.col("part") == VOTE)
    vote_rows = votes.select("item", "cluster", "judge", pl.lit(VOTE).alias(KIND), *keys, *STATES)
    return vote_rows.with_columns(with_states(options.population, options.labels))


def _in_both_orders(part: str, metrics: tuple[Metric, ...], names: tuple[str, ...]) -> View:
    """The view of a part of outcomes that has a row per pair in both orders."""

    def rows(outcomes: pl.LazyFrame, keys: Sequence[str], _: AnnotationsOptions) -> pl.LazyFrame:
        part_rows = outcomes.filter(pl.col("part") == part)
        return part_rows.select("item", "cluster", "judge", SWAPPED, pl.lit(part).alias(KIND), *keys, "outcome")

    return View(
        rows=rows, states=("outcome",), metrics=metrics, names=names, ignored_columns=HIDDEN, subkeys=(SWAPPED,)
    )


_DERIVED = tuple(one.meta.output_name() for one in with_states())
_NAMES = ("dataset", "reference")

VIEW = View(
    rows=_rows,
    states=(*STATES, *_DERIVED),
    metrics=(*AGREEMENT, *BIAS),
    goodness=pl.when(_OUTCOME == "agree").then(1.0).when(_OUTCOME == "disagree").then(-1.0).otherwise(0.0),
    names=_NAMES,
    ignored_columns=HIDDEN,
    judge_options=("annotator",),
    subviews=(
        _in_both_orders(SWAP, (SWAP_CONSISTENCY,), ("dataset",)),
        _in_both_orders(ORDERS, IN_BOTH_ORDERS, _NAMES),
        replies_view(_rows_of_replies, names=_NAMES, ignored_columns=HIDDEN),
    ),
)
