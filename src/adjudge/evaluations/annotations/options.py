"""Options of `adjudge.annotations`."""

from collections.abc import Sequence
from typing import Any, Literal

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUTS, WORD
from adjudge.options.shared import ExactLabels, Scoring, VoteOptions, WorkerOptions


class AnnotationsOptions(Scoring, WorkerOptions, VoteOptions, ExactLabels):
    """Find out which traits win preference votes, and which traits a model shows.

    Inputs are tables, LMArena files or AnnotatedPairs JSON: pairs of texts with votes of annotators, models or rules.

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
    style: bool = option("Also score style rules, such as more words", default=False)
    population: Literal["shared", "reference"] = option(
        "Pairs voted on by annotator and reference (shared), or by the reference (reference)",
        default="shared",
    )
    labels: Literal["valid", "all"] = option("Votes that count: those for one text (valid), or all", default="valid")
    matrix: bool = option("Compare all pairs of annotators, if at most 40", default=True, group="Advanced")
    one_data_set: str | None = option(
        "Name of one data set to make of all inputs",
        default=None,
        metavar="NAME",
        kind=WORD,
        group="Advanced",
    )


OPTIONS = AnnotationsOptions
"""The options of the evaluation."""
