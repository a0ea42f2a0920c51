"""What annotators come to, and who of them tells nothing: by models of labels, which are no sums over items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from karat.evaluations.agreement.coded import coded_groups
from karat.evaluations.agreement.consensus import FEWEST, Consensus, consensus_labels, consensus_of, consensus_tables
from karat.evaluations.agreement.spammers import informedness_table
from karat.statistics.consensus import MOST

COLUMNS = ("verdict", "consensus", "consensus_label", "probability", "votes", "labels", "skipped")
"""Columns of the tables and of the file of the consensus."""
_MOST_CELLS = 50_000_000
"""A consensus that nobody asked for has at most so many probabilities, of 8 bytes each."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """Tables, notes on them, and the labels of the consensus."""

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def wanted(level: str, method: str | None) -> bool:
    """Whether there is a consensus: of numbers only where it is asked for."""
    return method is not None or level in ("nominal", "ordinal")


def crowd_of(judgments: pl.DataFrame, level: str, order: Sequence[str], options: Mapping[str, Any]) -> Crowd:
    """The consensus and the informedness of annotators in each group.

    level: of the labels; numbers have a consensus only where it is asked for. order: of labels, where there is one.
    """
    if not wanted(level, options["consensus"]):
        return Crowd()
    by, confidence = options["by"], options["confidence"]
    coded = list(coded_groups(judgments, by, order))
    if options["consensus"] is None and (large := max((one.cells for one in coded), default=0)) > _MOST_CELLS:
        return Crowd(notes=(f"No consensus: its models would hold {large:,} probabilities. --consensus asks for it.",))
    found = [consensus_of(one, options["consensus"], options["seed"]) for one in coded]
    if not found:
        return Crowd()
    return Crowd(
        {**consensus_tables(found, by, confidence), **informedness_table(found, by, confidence)},
        tuple(dict.fromkeys(note for one in found for note in _notes(one))),
        {"consensus_file": consensus_labels(found, by, options["columns"] or {})},
    )


def _notes(found: Consensus) -> Iterator[str]:
    """What must be known of a model."""
    if found.method != "dawid-skene":
        return
    if len(found.coded.annotator_names) < FEWEST:
        yield "Labels of fewer than three annotators do not say who is right more often: its probabilities are guesses."
    if not found.model.converged:
        yield f"The consensus did not settle in {MOST} iterations: it rests on too few labels of each annotator."
