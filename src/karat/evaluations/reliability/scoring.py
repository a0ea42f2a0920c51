"""From judgments to the tables of a report on annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from karat.about import HARDEST
from karat.errors import OptionError, nearest
from karat.evaluations import judged_files, judging
from karat.evaluations.agreement.consensus import WHO
from karat.evaluations.judging import texts
from karat.evaluations.others import hardest
from karat.evaluations.reliability import outcomes, tables
from karat.evaluations.reliability.about import EVALUATION
from karat.evaluations.scoring import FIRST_ITEMS, Inputs, Options, Scored, Step, examples_of, sampled
from karat.figures.parts import HERE, Workers
from karat.formats import judgments as reader
from karat.formats.findings import listed
from karat.schemas.columns import NONE

__all__ = ["ITEM", "TAKEN", "check", "read", "reading", "score", "shown", "texts"]

TAKEN: frozenset[str] = frozenset()
ITEM = None
_CONSENSUS = (
    "Where the consensus was made of labels of these annotators, each is compared with what it has a part in itself, "
    "and looks better than it is: informedness in karat agreement score leaves each out."
)


def check(_: Mapping[str, Any], options: Options) -> None:
    """Raises OptionError for options that contradict one another."""
    judging.check(options)
    positive, ordered = options["positive"], options["ordered"]
    labels = options["labels"] or (ordered if len(ordered) > 1 else ())
    if positive and labels and positive not in labels:
        raise OptionError(f'positive: no label "{positive}"{nearest(positive, labels)}; there are {", ".join(labels)}')


def reading(options: Options) -> reader.Options:
    """How judgments are read."""
    return judging.reading(options)


def read(inputs: Inputs, options: Options, workers: Workers = HERE) -> reader.Judgments:
    """The judgments of all inputs."""
    how = reading(options)
    with judging.draws_hinted(how):
        labels = reader.read_judgments(inputs["data"], how, judged_files.on(workers))
    if options["positive"] and not options["labels"]:
        _check_held(options["positive"], labels)
    return replace(labels, frame=labels.frame.drop("cluster", strict=False)) if options["cluster"] == NONE else labels


def _check_held(positive: str, judgments: reader.Judgments) -> None:
    """Raises OptionError for a label that does not occur, since metrics of a misspelt label would be empty."""
    trusted = judgments.frame["reference_label"] if judgments.references is None else judgments.references["label"]
    labels = sorted({*judgments.frame["label"].unique().drop_nulls(), *trusted.unique().drop_nulls()})
    if positive not in labels:
        hint = nearest(positive, labels)
        raise OptionError(f'positive: nobody gives the label "{positive}"{hint}; the labels are {listed(labels)}')


def shown(read: reader.Judgments, count: int) -> pl.DataFrame:
    """The first judgments, with the reference labels."""
    first = read.frame.head(count)
    if read.references is not None:
        trusted = read.references.select("item", reference_label="label").unique("item", keep="first")
        first = first.join(trusted, on="item", how="left", maintain_order="left")
    flagged = ["flagged"] if read.flags_known else []
    return first.select("item", "annotator", "label", "reference_label", *flagged)


def score(read: reader.Judgments, _: Inputs, options: Options, step: Step, __: Workers = HERE) -> Scored:
    """Annotators against the reference."""
    by, height, clustered = options["by"], read.frame.height, "cluster" in read.frame.columns
    with step("reading"):
        frame = outcomes.prepared(
            read.frame,
            read.references,
            options["reference_rule"],
            exclude_no_consensus=options["exclude_no_consensus"],
            flags_known=read.flags_known,
        )
    compare = partial(outcomes.outcomes, by=by)
    outcome = compare(frame)
    with step("counting"):
        made = tables.tables_of(outcome, by, options["confidence"], options, clustered=clustered)
        numbers = judging.numbers_of(read.frame, clustered=clustered)
        choices = outcome.filter(pl.col("outcome").cast(pl.String).is_in(["correct", "incorrect"]))
        hard = hardest(choices, by, pl.col("outcome") == "correct")
    sample = compare(sampled(frame, height, options["seed"]))

    def outcomes_of_items(items: Sequence[str]) -> pl.LazyFrame:
        return compare(frame.filter(pl.col("item").is_in(items)))

    return Scored(
        inputs=read.inputs,
        tables=made if hard.is_empty() else {**made, HARDEST: hard},
        outcomes=outcome,
        first=compare(frame.head(FIRST_ITEMS)),
        rows=2 * height,
        examples=examples_of(sample, EVALUATION, partial(texts, read), every=outcomes_of_items, hard=hard),
        counts=numbers | {f"dropped for {column}": dropped for column, dropped in read.dropped.items()},
        warnings=read.warnings,
        notes=(*judging.notes_of(numbers, options["cluster"]), *([_CONSENSUS] if WHO in options["reference"] else [])),
    )
