"""Options of `adjudge.reliability`."""

from collections.abc import Sequence
from typing import Any

from adjudge.options.declaration import option
from adjudge.options.kinds import ARRAY, INPUTS, WORD
from adjudge.options.shared import ExactLabels, Intervals, LabelScoring


class ReliabilityOptions(LabelScoring):
    """Measure how accurate each annotator is against a reference.

    Long tables have the columns item, annotator, label and reference; --reference NAME replaces the last. Optional
    columns are flag, skipped, cluster, reference_flag and reference_skipped. Wide tables have a row per item and a
    column per annotator.

    adjudge reliability votes.csv --columns item=id,annotator=worker,label=answer,reference=gold

    adjudge reliability sheet.csv --annotator-columns ana,ben,cleo --columns reference=gold
    """

    data: Any = option(
        "Win-tie-loss JSON, or long or wide tables",
        metavar="INPUT",
        kind=INPUTS,
        kw_only=False,
        more="Several are read as one; a file that names no annotator holds the labels of the one it is named after.",
    )
    reference: Sequence[str] = option(
        "Reference annotators (default: column reference)",
        default=(),
        metavar="NAME,...",
        more="An item on which several reach no unanimous verdict is deducted.",
    )
    labels: Sequence[str] = option("Allowed labels (default: any)", default=(), metavar="LABEL,...")
    ordered: Sequence[str] = option(
        "Labels from lowest to highest, for weighted kappas",
        default=(),
        metavar="LABEL,...",
        more="Adds weighted kappas, Spearman's correlation and the mean absolute error. Labels that are neither listed "
        "nor numbers are refused.",
    )
    positive: str | None = option(
        "Label to find, e.g. fail, for precision and recall", default=None, metavar="LABEL", kind=WORD
    )


class ScoreOptions(Intervals, ExactLabels):
    """Labels in two arrays, and the options of `adjudge.reliability` for them."""

    y_true: Any = option(
        "Gold labels, one per item",
        kind=ARRAY,
        kw_only=False,
        more="An array of numpy, a list, a column of polars or pandas. None and NaN are items without a gold label.",
    )
    y_pred: Any = option(
        "Labels to score, in the same order", kind=ARRAY, kw_only=False, more="None and NaN are missing labels."
    )
    annotator: str = option("Name of the annotator", default="y_pred", kind=WORD)
    labels: Sequence[str] = option("Allowed labels (default: any)", default=())
    ordered: Sequence[str] = option("Ordered labels, lowest to highest", default=())
    positive: str | None = option("Label to find, e.g. fail, for precision and recall", default=None, kind=WORD)


OPTIONS = ReliabilityOptions
"""The options of the evaluation."""
