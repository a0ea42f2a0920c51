"""From judgments to the tables of a report on how far annotators agree."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.evaluations import judgments
from adjudge.evaluations.agreement import consensus, tables
from adjudge.evaluations.agreement.consensus import LabelCodes, encode_groups
from adjudge.evaluations.agreement.declaration import EVALUATION
from adjudge.evaluations.agreement.metrics import scale_of
from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.agreement.outcomes import EVERYONE, outcomes
from adjudge.evaluations.inputs import CLUSTER, check_one_value_per_item, fill_item_columns, read_aligned
from adjudge.evaluations.scoring import FIRST_ITEMS, EvaluationResult, Inputs, Step, examples_of
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.metrics.tables import estimate_table
from adjudge.readers.labels import judgments as reader
from adjudge.readers.labels.judgments import item_texts as texts
from adjudge.schemas.columns import NONE
from adjudge.version import NAME, TITLE

TAKEN = frozenset(
    {"annotators", "over", "verdict", "consensus", "consensus_label", "probability", "votes", "labels", "skipped"}
)
ITEM = None
_MOST_LABELS = 100
"""With more labels than this a consensus is made only on request: so many are hardly categories."""

_REFERENCE = f"Reference labels excluded; {NAME} reliability compares with them"
_MOST_CELLS = 50_000_000
"""The most numbers of 8 bytes in memory for a consensus that was not requested."""


def check(options: AgreementOptions) -> None:
    """Raises OptionError for options that contradict one another, or need another."""
    judgments.check(reader_options(options), options)
    if options.consensus_file and not _consensus_applies(scale_of(options).level, options.consensus):
        problem = f"numbers have a consensus only with {flag_name('consensus')}, which says what it is"
        raise OptionError(problem, option="consensus_file")


def reader_options(options: AgreementOptions) -> reader.JudgmentReading:
    """How judgments are read."""
    reading = judgments.reader_options(options, options.ordered, labels=options.labels, level=options.level)
    return replace(reading, ordered=judgments.order_of(options), untrusted=True, counts=True, people=True)


def read(inputs: Inputs, options: AgreementOptions, workers: Workers = LOCAL_WORKERS) -> reader.Judgments:
    """The judgments of all inputs. Raises DataError where none of them has a label."""
    labels = read_aligned(inputs["data"], reader_options(options), {}, partial(judgments.read_on_workers, workers))
    labels = replace(labels, frame=fill_item_columns(labels.frame, [CLUSTER]))
    if labels.frame["label"].null_count() == labels.frame.height:
        raise DataError(f"{inputs['data'][0].name}: expected at least one label; all judgments are without")
    judgments.check_ratio_labels(labels.frame["label"], options)
    if options.cluster != NONE:
        check_one_value_per_item(labels.frame, [CLUSTER])
    if EVERYONE in labels.frame["annotator"].cast(pl.String).unique():
        raise DataError(f'an annotator is called "{EVERYONE}", as {TITLE} calls all of them', fix="call it otherwise")
    return replace(labels, frame=labels.frame.drop("cluster", strict=False)) if options.cluster == NONE else labels


def score(
    read: reader.Judgments, _: Inputs, options: AgreementOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> EvaluationResult:
    """How far annotators agree."""
    by, clustered = options.by, "cluster" in read.frame.columns
    with step("reading"):
        scale = scale_of(options)
        outcome = outcomes(read.frame, scale, by).collect()
    with step("counting"):
        groups = list(encode_groups(read.frame, by, scale.labels))
        made = tables.tables_of(read.frame, groups, outcome.lazy(), options, anonymous=read.anonymous)
        made |= judgments.abstention_tables(read.frame, by, "annotator")
        numbers = judgments.count_judgments(read.frame, clustered=clustered)
    with step("finding a consensus"):
        settings = replace(options, consensus="majority") if read.anonymous else options
        crowd, crowd_notes, labels = _crowd_tables(groups, scale.level, settings, workers)
        crowd = {name: table for name, table in crowd.items() if name != "informedness" or not read.anonymous}
    doubts = judgments.scale_warnings(read.frame["label"], options)
    lazy, has_reference = outcome.lazy(), read.references is not None or "reference_label" in read.frame.columns
    return EvaluationResult(
        inputs=read.inputs,
        tables={**made, **crowd},
        outcomes=lazy,
        first=lazy.head(FIRST_ITEMS),
        rows=outcome.height,
        examples=examples_of(
            lazy.filter(pl.col("judge").cast(pl.String) == EVERYONE),
            EVALUATION,
            partial(texts, read),
            every=lambda items: lazy.filter(pl.col("item").cast(pl.String).is_in(items)),
            hard=made[tables.DISPUTED].select("item", *by),
        ),
        counts=numbers | _outcome_counts(outcome) | dict(read.dropped),
        warnings=(*read.warnings, *([_REFERENCE] if has_reference else []), *doubts),
        notes=(
            *(judgments.cluster_notes(numbers, options.cluster) if clustered else ()),
            *crowd_notes,
        ),
        files={"consensus_file": labels},
    )


def _crowd_tables(
    groups: Sequence[LabelCodes], level: str, options: AgreementOptions, workers: Workers
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...], pl.DataFrame | None]:
    """The consensus and the informedness of annotators in each group, notes, and the labels of the consensus."""
    if not groups or not _consensus_applies(level, options.consensus):
        return {}, (), None
    if options.consensus is None and any(map(_is_large, groups)):
        return {}, ("There are too many labels or groups for a consensus by default: --consensus makes one.",), None
    by, confidence = options.by, options.ci_level
    results = [consensus.infer_consensus(group, options.consensus, options.seed) for group in groups]
    estimates = (row for result in results for row in consensus.consensus_estimates(result, confidence))
    small = [result for result in results if not _is_large(result.coded)]
    return (
        {"consensus": estimate_table([*by, consensus.CONSENSUS], estimates)}
        | consensus.informedness_table(small, by, confidence, workers),
        tuple(dict.fromkeys(note for result in results for note in result.notes)),
        consensus.consensus_labels(results, by, {} if options.annotator_columns else options.columns),
    )


def _consensus_applies(level: str, method: str | None) -> bool:
    """Whether a consensus is made: of numeric labels only on request."""
    return method is not None or level in ("nominal", "ordinal")


def _is_large(group: LabelCodes) -> bool:
    """Whether there are many labels, or numbers of a model of them: of each item a label, of each annotator two."""
    labels = len(group.label_names)
    cells = labels * max(len(group.item_names), len(group.annotator_names) * labels)
    return labels > _MOST_LABELS or cells > _MOST_CELLS


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
