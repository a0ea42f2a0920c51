"""Scoring of the card: reads the labels, and makes all tables."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

import polars as pl

from adjudge.errors import OptionError
from adjudge.evaluations import judgments, scoring
from adjudge.evaluations.card import outcomes
from adjudge.evaluations.card import reading as labels
from adjudge.evaluations.card.declaration import EVALUATION, SECTIONS, TABLES
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import CardLabels
from adjudge.evaluations.card.reading import reading_options as reader_options
from adjudge.evaluations.card.tables import tables_of_parts
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.labels.judgments import item_texts
from adjudge.readers.problems import listed

TAKEN = outcomes.TAKEN
ITEM = None


def check(options: CardOptions) -> None:
    """Raises OptionError for options that contradict one another."""
    judgments.check(reader_options(options), options)
    if len(options.responses) > 2:  # noqa: PLR2004 - of two responses at most
        expected = "expected the column of one response, or those of two"
        raise OptionError(f"{expected}; got {listed(options.responses)}", option="responses")


def read(inputs: scoring.Inputs, options: CardOptions, workers: Workers = LOCAL_WORKERS) -> CardLabels:
    """The labels of all inputs."""
    return labels.read_labels(inputs["data"], options, partial(judgments.read_on_workers, workers))


def texts(card: CardLabels, rows: Sequence[scoring.Row]) -> list[scoring.Texts]:
    """The texts of items in the inputs."""
    return item_texts(card.judgments, rows)


def score(
    card: CardLabels, _: scoring.Inputs, options: CardOptions, step: scoring.Step, __: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Make all sections of the card; rows of the main table are sorted by judge."""
    by = options.by
    with step("counting"):
        outcome = outcomes.outcomes(card, by).collect()
        parts = chain.from_iterable(section.make(card, options) for section in SECTIONS)
        tables, section_notes = tables_of_parts(parts, TABLES, by)
    if "alternative_test" in tables:
        tables["judges"] = tables["judges"].sort(*by, "judge", maintain_order=True)
    notes = list[str]()
    if card.has("cluster"):
        notes.append(judgments.cluster_note(judgments.count_clusters(card.labels), options.cluster))
    lazy = outcome.lazy()
    return scoring.EvaluationResult(
        inputs=card.judgments.inputs,
        tables=tables | judgments.abstention_tables(card.judgments.frame, by, "judge"),
        outcomes=lazy,
        first=lazy.head(scoring.FIRST_ITEMS),
        rows=outcome.height,
        examples=scoring.examples_of(
            scoring.sample_rows(lazy, outcome.height, options.seed),
            EVALUATION,
            partial(texts, card),
            every=lambda items: lazy.filter(pl.col("item").is_in(items)),
        ),
        counts=card.counts,
        warnings=(*card.warnings, *judgments.scale_warnings(card.labels["label"], options)),
        notes=(*notes, *section_notes),
    )
