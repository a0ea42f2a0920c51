"""From judgments to the tables of a report on how far annotators agree."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from adjudge.errors import DataError, OptionError, named
from adjudge.evaluations import judgments
from adjudge.evaluations.agreement import crowd_tables, tables
from adjudge.evaluations.agreement.declaration import EVALUATION
from adjudge.evaluations.agreement.metrics import scale_of
from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.outcomes import EVERYONE, outcomes
from adjudge.evaluations.align_inputs import (
    CLUSTER,
    check_one_value_per_item,
    convert_sources,
    fill_item_columns,
    with_missing_columns,
)
from adjudge.evaluations.as_labels import as_labels, new_warnings
from adjudge.evaluations.judgments import texts
from adjudge.evaluations.scoring import FIRST_ITEMS, EvaluationResult, Inputs, Step, examples_of
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.readers.labels import judgments as reader
from adjudge.readers.problems import counted
from adjudge.schemas import judgments as schema
from adjudge.schemas.columns import NONE
from adjudge.version import NAME, TITLE

__all__ = ["ITEM", "TAKEN", "check", "preview", "read", "reader_options", "score", "texts"]

TAKEN = frozenset({"annotators", "over", *crowd_tables.COLUMNS})
ITEM = None


def check(options: AgreementOptions) -> None:
    """Raises OptionError for options that contradict one another, or need another."""
    judgments.check(reader_options(options), options)
    if options.consensus_file and not crowd_tables.consensus_applies(scale_of(options).level, options.consensus):
        problem = f"numbers have a consensus only with {named('consensus')}, which says what it is"
        raise OptionError(problem, option="consensus_file")


def reader_options(options: AgreementOptions) -> reader.Options:
    """How judgments are read."""
    ordered = options.ordered or (() if scale_of(options).level == "nominal" else (schema.NUMBERS,))
    how = judgments.reader_options(options, options.ordered, labels=options.labels, level=options.level)
    return replace(how, ordered=ordered, untrusted=True, gaps=True, counts=True, people=True)


def read(inputs: Inputs, options: AgreementOptions, workers: Workers = LOCAL_WORKERS) -> reader.Judgments:
    """The judgments of all inputs. Raises DataError where none of them has a label."""
    how = reader_options(options)
    sound, made, damaged = convert_sources(partial(as_labels, options=how), inputs["data"], spare=how.drop)
    made = with_missing_columns(made, {CLUSTER: how.columns.get(CLUSTER, CLUSTER)}, how)
    with judgments.with_repeats_hint(how):
        labels = reader.read_judgments([*made, *damaged], how, judgments.reader_for_workers(workers))
    warnings = (*new_warnings(made, sound), *labels.warnings)
    labels = replace(labels, frame=fill_item_columns(labels.frame, [CLUSTER]), warnings=warnings)
    if labels.frame["label"].null_count() == labels.frame.height:
        raise DataError(f"{inputs['data'][0].name}: expected at least one label; all judgments are without")
    judgments.check_ratio_labels(labels.frame["label"], options)
    if options.cluster != NONE:
        check_one_value_per_item(labels.frame, [CLUSTER])
    if EVERYONE in labels.frame["annotator"].cast(pl.String).unique():
        raise DataError(f'an annotator is called "{EVERYONE}", as {TITLE} calls all of them', fix="call it otherwise")
    return replace(labels, frame=labels.frame.drop("cluster", strict=False)) if options.cluster == NONE else labels


def preview(read: reader.Judgments, count: int) -> pl.DataFrame:
    """The first judgments."""
    return read.frame.head(count).select("item", "annotator", "label")


def score(
    read: reader.Judgments, _: Inputs, options: AgreementOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> EvaluationResult:
    """How far annotators agree."""
    by, clustered = options.by, "cluster" in read.frame.columns
    with step("reading"):
        outcome = outcomes(read.frame, scale_of(options), by).collect()
    with step("counting"):
        made = tables.tables_of(read.frame, outcome.lazy(), options, anonymous=read.anonymous)
        made |= judgments.abstention_tables(read.frame, by, "annotator")
        numbers = judgments.count_judgments(read.frame, clustered=clustered)
    with step("finding a consensus"):
        scale = scale_of(options)
        settings = replace(options, consensus="majority") if read.anonymous else options
        crowd = crowd_tables.crowd_tables(read.frame, scale.level, scale.labels, settings, workers)
        unknown = ("informedness", "consensus_confusion") if read.anonymous else ()
    of_items = outcome.lazy().filter(pl.col("judge").cast(pl.String) == EVERYONE)

    def outcomes_of_items(items: Sequence[str]) -> pl.LazyFrame:
        return outcome.lazy().filter(pl.col("item").cast(pl.String).is_in(items))

    return EvaluationResult(
        inputs=read.inputs,
        tables={**made, **{name: table for name, table in crowd.tables.items() if name not in unknown}},
        outcomes=outcome.lazy(),
        first=outcome.lazy().head(FIRST_ITEMS),
        rows=outcome.height,
        examples=examples_of(
            of_items,
            EVALUATION,
            partial(texts, read),
            every=outcomes_of_items,
            hard=made[tables.DISPUTED].select("item", *by),
        ),
        counts=numbers
        | _outcome_counts(outcome)
        | {f"dropped for {name}": count for name, count in read.dropped.items()},
        warnings=(*read.warnings, *_reference_warnings(read)),
        notes=(
            *(judgments.cluster_notes(numbers, options.cluster) if clustered else ()),
            *judgments.scale_notes(read.frame["label"], options),
            *([] if scale.level == "nominal" else [_WEIGHTED]),
            *crowd.notes,
        ),
        files=crowd.files,
    )


_WEIGHTED = (
    "Labels that are close to one another agree in part in all figures but percent agreement, same label and Cohen's "
    "kappa, for which labels are the same or not."
)


def _outcome_counts(outcome: pl.DataFrame) -> dict[str, int]:
    """How many items are disputed (if more than are listed) or have a single label, and judgments without a label."""
    of_items, kinds = pl.col("judge").cast(pl.String) == EVERYONE, outcome["outcome"].cast(pl.String)
    disputed = outcome.filter(of_items, pl.col("value") < 1)["item"].n_unique()
    counts = {
        "disputed items": disputed if disputed > tables.MOST_DISPUTED else 0,
        "items with one label": int((kinds == "single").sum()),
        "judgments without a label": int(kinds.is_in(["skipped", "flagged"]).sum()),
    }
    return {name: count for name, count in counts.items() if count}


def _reference_warnings(read: reader.Judgments) -> list[str]:
    """Warnings that a reference in the data is not used."""
    if read.references is not None:
        left = counted(read.references.height, "reference label", "reference labels")
        return [f"{left} excluded: {_USE}"]
    return [f"Reference labels excluded: {_USE}"] if "reference_label" in read.frame.columns else []


_USE = f"{NAME} reliability compares with them"
