"""Options of `adjudge.annotations`."""

from collections.abc import Sequence
from typing import Any, Literal

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUTS, WORD
from adjudge.options.shared import ExactLabels, Scoring, VoteOptions, WorkerOptions


class AnnotationsOptions(Scoring, WorkerOptions, VoteOptions, ExactLabels):
    """Which traits win preference votes, and which does a model show?

    Data sets hold pairs of texts with the votes of annotators, models or rules: AnnotatedPairs JSON, LMArena, tables.

    adjudge annotations pairs.json --reference Lena

    adjudge annotations pairs.csv --annotator-columns ann,ben --vote-values text_a=1,text_b=2,both=0
    --columns prompt=instruction,text_a=response1,text_b=response2 --reference ann
    """

    data: Any = option("Data sets of annotated pairs", metavar="INPUT", kind=INPUTS, kw_only=False)
    reference: Sequence[str] = option(
        "Annotators to compare with; * and ? are wildcards",
        default=(),
        metavar="NAME,...",
        more="model:NAME is a model.",
    )
    annotator: Sequence[str] = option(
        "Annotators to score; * and ? are wildcards", default=(), metavar="NAME,...", more="model:NAME is a model."
    )
    style: bool = option("Score style rules too (longer, more lists)", default=False)
    population: Literal["shared", "reference"] = option(
        "Pairs with votes of annotator and reference, or all with a valid reference vote", default="shared"
    )
    labels: Literal["valid", "all"] = option("Votes for one text only, or also 'both' and 'neither'", default="valid")
    matrix: bool = option("Compare all pairs of at most 40 annotators", default=True, group="Advanced")
    one_data_set: str | None = option(
        "Name of the one data set that all inputs are parts of",
        default=None,
        metavar="NAME",
        kind=WORD,
        group="Advanced",
    )


OPTIONS = AnnotationsOptions
"""The options of the evaluation."""
