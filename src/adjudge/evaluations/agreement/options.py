"""Options of `adjudge.agreement`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUTS, written_file
from adjudge.options.shared import LabelScoring, ScaleOptions


class AgreementOptions(LabelScoring, ScaleOptions):
    """Measure how well annotators agree without a reference.

    Tables have a row per label (item, annotator, label), or a column per annotator.

    adjudge agreement votes.csv --columns item=id,annotator=worker,label=answer

    adjudge agreement sheet.csv --annotator-columns ana,ben,cleo --ordered 1,2,3,4,5
    """

    data: Any = option(
        "Long or wide tables of labels, or win-tie-loss JSON", metavar="INPUT", kind=INPUTS, kw_only=False
    )
    labels: Sequence[str] = option("Allowed labels (default: any)", default=(), metavar="LABEL,...")
    consensus: Literal["pooled", "dawid-skene", "majority", "glad", "mace"] | None = option(
        "Consensus rule: majority counts votes, the others estimate annotator errors (default: usually pooled)",
        default=None,
        more="majority takes the label with most votes, the others the most probable one by a model of annotators' "
        "errors. Default: pooled; majority for fewer than three annotators; none for numbers.",
    )
    consensus_file: str | Path | None = option(
        "Consensus labels as .csv or .parquet",
        default=None,
        metavar="FILE",
        kind=written_file(".csv", ".parquet"),
        group="Output",
        more="Other evaluations read them as a reference.",
    )


OPTIONS = AgreementOptions
"""The options of the evaluation."""
