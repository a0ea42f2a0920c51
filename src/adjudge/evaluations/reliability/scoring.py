"""From judgments to the tables of a report on annotators."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from adjudge.errors import OptionError, closest
from adjudge.evaluations import judgments
from adjudge.evaluations.agreement.consensus import CONSENSUS
from adjudge.evaluations.examples import hard_items
from adjudge.evaluations.judgments import texts
from adjudge.evaluations.reliability import outcomes, tables
from adjudge.evaluations.reliability.declaration import EVALUATION
from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.evaluations.scoring import FIRST_ITEMS, EvaluationResult, Inputs, Step, examples_of, sample_rows
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.labels import judgments as reader
from adjudge.readers.problems import listed
from adjudge.schemas.columns import NONE
from adjudge.spec import HARD_ITEMS
from adjudge.version import NAME

__all__ = ["ITEM", "TAKEN", "check", "preview", "read", "reader_options", "score", "texts"]

TAKEN: frozenset[str] = frozenset()
ITEM = None
_CONSENSUS = (
    "Where the consensus was made of labels of these annotators, each is compared with what it has a part in itself, "
    f"and looks better than it is: informedness in {NAME} agreement leaves each out."
)


def check(options: ReliabilityOptions) -> None:
    """Raises OptionError for options that contradict one another."""
    judgments.check(reader_options(options))
    positive, ordered = options.positive, options.ordered
    labels = options.labels or (ordered if len(ordered) > 1 else ())
    if positive and labels and positive not in labels:
        raise _unknown_label(f'no label "{positive}"', positive, labels)


def _unknown_label(problem: str, label: str, labels: Sequence[str]) -> OptionError:
    return OptionError(f"{problem}; the labels are {listed(labels)}", option="positive", fix=closest(label, labels))


def reader_options(options: ReliabilityOptions) -> reader.Options:
    """How judgments are read."""
    how = judgments.reader_options(options, options.ordered, labels=options.labels)
    return replace(how, reference=options.reference, searched=[options.positive] if options.positive else ())


def read(inputs: Inputs, options: ReliabilityOptions, workers: Workers = LOCAL_WORKERS) -> reader.Judgments:
    """The judgments of all inputs."""
    how = reader_options(options)
    with judgments.with_repeats_hint(how):
        labels = reader.read_judgments(inputs["data"], how, judgments.reader_for_workers(workers))
    if options.positive and not options.labels:  # metrics of a misspelt label would be empty
        trusted = labels.frame["reference_label"] if labels.references is None else labels.references["label"]
        given = sorted({*labels.frame["label"].unique().drop_nulls(), *trusted.unique().drop_nulls()})
        if options.positive not in given:
            problem = f'no annotator gives the label "{options.positive}"'
            raise _unknown_label(problem, options.positive, given)
    return replace(labels, frame=labels.frame.drop("cluster", strict=False)) if options.cluster == NONE else labels


def preview(read: reader.Judgments, count: int) -> pl.DataFrame:
    """The first judgments, with the reference labels."""
    first = read.frame.head(count)
    if read.references is not None:
        trusted = read.references.select("item", reference_label="label").unique("item", keep="first")
        first = first.join(trusted, on="item", how="left", maintain_order="left")
    flagged = ["flagged"] if read.flags_known else []
    return first.select("item", "annotator", "label", "reference_label", *flagged)


def score(
    read: reader.Judgments, _: Inputs, options: ReliabilityOptions, step: Step, __: Workers = LOCAL_WORKERS
) -> EvaluationResult:
    """Annotators against the reference."""
    by, height, clustered = options.by, read.frame.height, "cluster" in read.frame.columns
    with step("reading"):
        frame = outcomes.with_references(
            read.frame,
            read.references,
            options.reference_rule,
            exclude_no_consensus=options.exclude_no_consensus,
            flags_known=read.flags_known,
        )
    compare = partial(outcomes.outcomes, by=by)
    outcome = compare(frame)
    with step("counting"):
        made = tables.tables_of(outcome, options, clustered=clustered)
        made |= judgments.abstention_tables(read.frame, by, "annotator")
        numbers = judgments.count_judgments(read.frame, clustered=clustered)
        choices = outcome.filter(pl.col("outcome").cast(pl.String).is_in(["correct", "incorrect"]))
        hard = hard_items(choices, by, pl.col("outcome") == "correct")
    sample = compare(sample_rows(frame, height, options.seed))

    def outcomes_of_items(items: Sequence[str]) -> pl.LazyFrame:
        return compare(frame.filter(pl.col("item").is_in(items)))

    return EvaluationResult(
        inputs=read.inputs,
        tables=made if hard.is_empty() else {**made, HARD_ITEMS: hard},
        outcomes=outcome,
        first=compare(frame.head(FIRST_ITEMS)),
        rows=2 * height,
        examples=examples_of(sample, EVALUATION, partial(texts, read), every=outcomes_of_items, hard=hard),
        counts=numbers | {f"dropped for {column}": dropped for column, dropped in read.dropped.items()},
        warnings=read.warnings,
        notes=(
            *judgments.cluster_notes(numbers, options.cluster),
            *([_CONSENSUS] if CONSENSUS in options.reference else []),
        ),
    )
