"""Options of `adjudge.card` and `adjudge.correct`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUTS, PROBABILITY, WORD, from_to
from adjudge.options.shared import (
    Intervals,
    Labels,
    LabelScoring,
    OnInvalid,
    Repeats,
    ScaleOptions,
    Tables,
    WithProgress,
)

_column = partial(option, default=None, metavar="COLUMN", kind=WORD)


class Judging(Labels, ScaleOptions, Repeats):
    """Options of commands that compare judges with human annotators."""

    data: Any = option(
        "Labels of humans and judges: tables or JSON",
        metavar="INPUT",
        kind=INPUTS,
        kw_only=False,
        more="Several are read as one; a file that names no annotator holds the labels of the one it is named after.",
    )
    judges: Sequence[str] = option("Judges, such as gpt-*; all others are human", default=(), metavar="NAME,...")
    reference: Sequence[str] = option(
        "Human annotators to compare with; reference is the column of gold labels", default=(), metavar="NAME,..."
    )


class CardOptions(LabelScoring, Judging):
    """Test whether an LLM judge can replace human annotators.

    Tables have a row per label (item, annotator, label), or a column per annotator.

    adjudge card labels.csv --judges gpt

    adjudge card sheet.csv --annotator-columns ana,ben,cleo,gpt --judges gpt --ordered 1,2,3,4,5
    """

    epsilon: float = option(
        "Advantage of humans that the test tolerates",
        default=0.2,
        metavar="SHARE",
        kind=PROBABILITY,
        group="Advanced",
        more="In the alternative annotator test: 0.2 for experts, 0.15 for skilled annotators, 0.1 for crowd workers.",
    )
    min_items: int = option(
        "Minimum items to test a judge against a human",
        default=30,
        metavar="N",
        kind=from_to(1),
        group="Advanced",
    )
    position_column: str | None = _column("Column of response order, ab or ba, to test position bias")
    jury: Sequence[str] = option(
        "Judges whose majority vote is one more judge",
        default=(),
        metavar="NAME,...",
        group="Advanced",
        more="On an ordered scale their median. Items without a majority are excluded, and counted.",
    )
    probe_column: str | None = _column(
        "Column of probes: how an item was changed",
        group="Advanced",
        more="Empty for labels of items as they are; adjudge judge --probe writes it.",
    )
    cost_column: str | None = _column("Column of the cost of each label", group="Advanced")
    responses: Sequence[str] = option("Columns of judged texts, to test length bias", default=(), metavar="COLUMN,...")
    family: Sequence[str] = option("Columns of model families, for self-preference", default=(), metavar="COLUMN,...")
    time: str | None = _column("Column of time windows or versions, to test drift")
    items_without_people: bool = option(
        "Include items that only judges labelled",
        default=False,
        group="Advanced",
        more="The items that humans labelled must be a random sample. Adds prediction-powered estimates.",
    )


class CorrectOptions(Judging, Tables, OnInvalid, Intervals, WithProgress):
    """Correct a judge's estimates with a sample of human labels (prediction-powered inference).

    The judge labels all items. Humans label a random sample of them.

    adjudge card correct labels.csv --judges gpt
    """

    weights: str | None = _column("Column of sampling weights: items that each human-labelled item represents")
    strata: str | None = _column("Column of groups sampled at different rates")
    by: Sequence[str] = option("Columns to group estimates by", default=(), metavar="COLUMN,...", group="Statistics")
    cluster: str | None = _column("Column that groups dependent items, such as document", group="Statistics")


AnyOptions = CardOptions | CorrectOptions
"""The options of whatever reads labels of judges and of people."""
OPTIONS = CardOptions
"""The options of the evaluation."""
