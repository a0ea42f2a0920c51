"""Consensus and informedness of annotators, from models of all labels at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from adjudge.evaluations.agreement.consensus import (
    FEWEST_ANNOTATORS,
    Consensus,
    consensus_labels,
    consensus_tables,
    infer_consensus,
)
from adjudge.evaluations.agreement.label_codes import LabelCodes, encode_groups
from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.spammers import informedness_table
from adjudge.metrics.partial_counts import Workers
from adjudge.statistics.consensus import MOST

COLUMNS = ("verdict", "consensus", "consensus_label", "probability", "votes", "labels", "skipped")
"""Columns of the tables and of the file of the consensus."""
_MOST_LABELS = 100
"""With more labels than this a consensus is made only on request: so many are hardly categories."""
_MOST_GROUPS = 200
_MOST_CELLS = 50_000_000
"""The most numbers of 8 bytes in memory for a consensus that was not requested."""


@dataclass(frozen=True, eq=False)
class CrowdTables:
    """Tables, notes on them, and the labels of the consensus, by the option that names their file."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: Mapping[str, pl.DataFrame | None] = field(default_factory=lambda: {"consensus_file": None})


def consensus_applies(level: str, method: str | None) -> bool:
    """Whether a consensus is made: of numeric labels only on request."""
    return method is not None or level in ("nominal", "ordinal")


def crowd_tables(
    judgments: pl.DataFrame, level: str, order: Sequence[str], options: AgreementOptions, workers: Workers
) -> CrowdTables:
    """The consensus and the informedness of annotators in each group.

    level: of the labels; numbers have a consensus only where it is asked for. order: of labels, where there is one.
    """
    if not consensus_applies(level, options.consensus):
        return CrowdTables()
    by, confidence = options.by, options.ci_level
    coded = list(encode_groups(judgments, by, order))
    if options.consensus is None and (len(coded) > _MOST_GROUPS or any(_is_large(one) for one in coded)):
        what = "groups" if len(coded) > _MOST_GROUPS else "labels"
        note = f"There are too many {what} for a consensus that nobody asks for: --consensus does."
        return CrowdTables(notes=(note,))
    results = [infer_consensus(one, options.consensus, options.seed) for one in coded]
    if not results:
        return CrowdTables()
    informed = [] if any(_is_large(one) for one in coded) else results
    return CrowdTables(
        {**consensus_tables(results, by, confidence), **informedness_table(informed, by, confidence, workers)},
        tuple(dict.fromkeys(note for one in results for note in _model_notes(one))),
        {"consensus_file": consensus_labels(results, by, {} if options.annotator_columns else options.columns)},
    )


def _is_large(coded: LabelCodes) -> bool:
    """Whether there are many labels, or numbers of a model of them: of each item a label, of each annotator two."""
    labels = len(coded.label_names)
    cells = labels * max(len(coded.item_names), len(coded.annotator_names) * labels)
    return labels > _MOST_LABELS or cells > _MOST_CELLS


def _model_notes(consensus: Consensus) -> Iterator[str]:
    """Notes on a model that was fitted to few annotators, or did not converge."""
    if consensus.method not in ("pooled", "dawid-skene"):
        return
    if len(consensus.labels.annotator_names) < FEWEST_ANNOTATORS:
        yield "Labels of fewer than three annotators do not say who is right more often: its probabilities are guesses."
    if not consensus.model.converged:
        yield f"The consensus did not settle in {MOST} iterations: it rests on too few labels of each annotator."
