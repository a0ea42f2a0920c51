"""From judgments to the tables of a report on annotators."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import comb
from typing import Any

import polars as pl

from adjudge.errors import OptionError, closest
from adjudge.evaluations import judgments
from adjudge.evaluations.agreement.consensus import CONSENSUS
from adjudge.evaluations.reliability import metrics, outcomes
from adjudge.evaluations.reliability.declaration import EVALUATION
from adjudge.evaluations.reliability.options import ReliabilityOptions
from adjudge.evaluations.reliability.outcomes import FLAG_OUTCOMES, NO_FLAGS, REASONS
from adjudge.evaluations.scoring import (
    FIRST_ITEMS,
    EvaluationResult,
    Inputs,
    Step,
    examples_of,
    hard_items,
    sample_rows,
)
from adjudge.metrics.cells import COUNT, count_states
from adjudge.metrics.comparison import judge_differences
from adjudge.metrics.metric import KIND, as_floats
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.metrics.tables import (
    DIFFERENCE,
    CellsByKind,
    Keys,
    MetricRow,
    cells_by,
    cells_of_groups,
    difference_rows,
    estimate_row,
    left_out_table,
    view_rows,
)
from adjudge.metrics.tables import score as score_view
from adjudge.readers.labels import judgments as reader
from adjudge.readers.labels.judgments import item_texts as texts
from adjudge.readers.problems import listed
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.columns import NONE
from adjudge.schemas.judgments import scale_position
from adjudge.schemas.outcomes import categories_as_text
from adjudge.spec import HARD_ITEMS
from adjudge.statistics.clusters import effective_counts
from adjudge.statistics.proportions import shrink
from adjudge.version import NAME

TAKEN: frozenset[str] = frozenset()
ITEM = None
_CONSENSUS = (
    "Where the consensus was made of labels of these annotators, each is compared with what it has a part in itself, "
    f"and looks better than it is: informedness in {NAME} agreement leaves each out."
)


def check(options: ReliabilityOptions) -> None:
    """Raises OptionError for options that contradict one another."""
    judgments.check(reader_options(options))


def reader_options(options: ReliabilityOptions) -> reader.JudgmentReading:
    """How judgments are read."""
    reading = judgments.reader_options(options, options.ordered, labels=options.labels)
    return replace(reading, reference=options.reference, searched=[options.positive] if options.positive else ())


def read(inputs: Inputs, options: ReliabilityOptions, workers: Workers = LOCAL_WORKERS) -> reader.Judgments:
    """The judgments of all inputs."""
    reading = reader_options(options)
    labels = judgments.read_judgments(inputs["data"], reading, partial(judgments.read_on_workers, workers))
    if options.positive:  # metrics of a misspelt label would be empty
        trusted = labels.frame["reference_label"] if labels.references is None else labels.references["label"]
        given = sorted({*labels.frame["label"].unique().drop_nulls(), *trusted.unique().drop_nulls()})
        known = options.labels or (options.ordered if len(options.ordered) > 1 else given)
        if options.positive not in known:
            problem, fix = f'no label "{options.positive}"', closest(options.positive, known)
            raise OptionError(problem, option="positive", found=listed(known), fix=fix)
    return replace(labels, frame=labels.frame.drop("cluster", strict=False)) if options.cluster == NONE else labels


def score(
    read: reader.Judgments, _: Inputs, options: ReliabilityOptions, step: Step, __: Workers = LOCAL_WORKERS
) -> EvaluationResult:
    """Annotators against the reference."""
    by, height, clustered = options.by, read.frame.height, "cluster" in read.frame.columns
    with step("reading"):
        frame = outcomes.with_references(read.frame, read.references, flags_known=read.flags_known)
    compare = partial(outcomes.outcomes, by=by)
    outcome = compare(frame)
    with step("counting"):
        made = _tables(outcome, options, clustered=clustered, flags=read.flags_known)
        made |= judgments.abstention_tables(read.frame, by, "annotator")
        numbers = judgments.count_judgments(read.frame, clustered=clustered)
        choices = outcome.filter(pl.col("outcome").is_in(["correct", "incorrect"]))
        hard = hard_items(choices, by, pl.col("outcome") == "correct")
    return EvaluationResult(
        inputs=read.inputs,
        tables=made if hard.is_empty() else {**made, HARD_ITEMS: hard},
        outcomes=outcome,
        first=compare(frame.head(FIRST_ITEMS)),
        rows=2 * height,
        examples=examples_of(
            compare(sample_rows(frame, height, options.seed)),
            EVALUATION,
            partial(texts, read),
            every=lambda items: compare(frame.filter(pl.col("item").is_in(items))),
            hard=hard,
        ),
        counts=numbers | dict(read.dropped),
        warnings=read.warnings,
        notes=(
            *judgments.cluster_notes(numbers, options.cluster),
            *([_CONSENSUS] if CONSENSUS in options.reference else []),
        ),
    )


# --- tables ---

_ANNOTATORS = replace(metrics.VIEW, metrics=(*metrics.VIEW.metrics, metrics.ITEMS))
_DETAIL = "detail"


def _tables(
    outcomes: pl.LazyFrame, options: ReliabilityOptions, *, clustered: bool, flags: bool
) -> dict[str, pl.DataFrame]:
    """All tables of the report. clustered: whether the outcomes name clusters. flags: whether the data have flags."""
    by, confidence, unit = options.by, options.ci_level, "cluster" if clustered else None
    keys = [*by, "judge"]
    rows = metrics.VIEW.rows(outcomes, [*by, _DETAIL], options)
    cells = count_states(rows, [*keys, KIND], [*metrics.VIEW.states, _DETAIL], None)
    judges = [*(cells_by(rows, metrics.VIEW, keys, unit) if clustered else cells_of_groups(cells, metrics.VIEW, keys))]
    further = defaultdict[tuple[Any, ...], list[MetricRow]](list)
    for view in (view for name, view in metrics.ON_REQUEST.items() if getattr(options, name)):
        for row_keys, one in cells_by(view.rows(outcomes, by, options), view, keys, unit):
            further[tuple(row_keys.values())].extend(score_view(view, one, row_keys, confidence))
    annotators = list(_annotator_rows(judges, further, by, confidence))
    judged = outcomes.filter(pl.col("outcome") != pl.lit(NO_FLAGS, pl.Categorical()))
    pooled = replace(metrics.VIEW, states=("outcome",), metrics=(metrics.RELIABILITY, metrics.FLAG_MISMATCH))
    overall = [
        estimate_row(row.keys, row.metric.name, row.estimate)
        for view in (pooled, *[metrics.REFERENCE_VIEW] * flags)
        for row in view_rows(view.rows(judged, by, options), view, by, unit or "item", confidence)
    ]
    unknown = [row for row in overall if not flags and row["metric"] == metrics.FLAG_MISMATCH.name]
    overall += [{**row, "metric": metrics.REFERENCE_FLAGGED.name} for row in unknown]
    overall.sort(key=lambda row: [(row[name] is not None, row[name] or "") for name in by])
    return {
        "overall": typed_table(overall, [*by, *ESTIMATE_COLUMNS]),
        "annotators": typed_table(annotators, [*by, "annotator", *ESTIMATE_COLUMNS]),
        **_differences(rows, judges, by, unit, confidence),
        **_count_tables(categories_as_text(cells), by, options.ordered),
    }


_MOST_COMPARED = 50
"""Of more annotators than this the pairs of the best and the worst half as many are compared."""


def _differences(
    rows: pl.LazyFrame,
    judges: Sequence[tuple[Keys, CellsByKind]],
    by: Sequence[str],
    unit: str | None,
    confidence: float,
) -> dict[str, pl.DataFrame]:
    """The tables of differences of every two annotators in reliability, and of what they leave out."""
    groups = defaultdict[tuple[Any, ...], dict[str, float]](dict)
    for keys, cells in judges:
        if (own := cells.get(metrics.RELIABILITY.kind)) is not None:
            value = metrics.RELIABILITY.linearise(own.states, own.totals).value
            groups[tuple(keys[name] for name in by)][keys["judge"]] = -1.0 if value is None else value
    tests = sum(comb(len(values), 2) for values in groups.values())
    if not tests:
        return {}
    few = all(len(values) <= _MOST_COMPARED for values in groups.values())
    extremes, half = set[str](), _MOST_COMPARED // 2
    for values in groups.values():
        ranked = sorted(values, key=lambda name: (-values[name], name))
        extremes.update(ranked if len(ranked) <= _MOST_COMPARED else (*ranked[:half], *ranked[-half:]))
    names, view = sorted(extremes), replace(metrics.VIEW, states=("outcome",), metrics=(metrics.RELIABILITY,))
    choices = rows.filter(pl.col(KIND) == pl.lit(metrics.RELIABILITY.kind, pl.Categorical()))
    compared = choices.filter(pl.col("judge").is_in(names)).collect()
    differences = list(judge_differences(compared, view, names, by, unit, confidence))
    columns = [*by, "first", "second"]
    table = typed_table(difference_rows(differences, of=None if few else tests), [*columns, *DIFFERENCE])
    return {"differences": table} | left_out_table(differences, columns)


def _annotator_rows(
    judges: Sequence[tuple[Keys, CellsByKind]],
    further: Mapping[tuple[Any, ...], Sequence[MetricRow]],
    by: Sequence[str],
    confidence: float,
) -> Iterator[Keys]:
    """Each annotator's metrics; after kappa, the reliability drawn toward that of the group; then further ones."""
    for _, group in groupby(judges, lambda one: [one[0][name] for name in by]):
        members = list(group)
        counts = []  # right choices and all; for clustered ones, the effective numbers of independent choices
        for choices in (cells["choice"] for _, cells in members):
            hit = as_floats(metrics.RELIABILITY.hits(choices.states))
            counted = as_floats(metrics.RELIABILITY.counted_states(choices.states))
            right, whole = float(choices.totals @ hit), float(choices.totals @ counted)
            if choices.units is not None and whole:
                effective = effective_counts(choices.per_unit(hit), choices.per_unit(counted))
                right, whole = effective.successes, effective.n
            counts.append((right, whole))
        shrunk = shrink(*zip(*counts, strict=True), confidence=confidence)
        for (keys, cells), drawn in zip(members, shrunk, strict=True):
            row_keys = {name: keys[name] for name in by} | {"annotator": keys["judge"]}
            for row in (*score_view(_ANNOTATORS, cells, keys, confidence), *further.get(tuple(keys.values()), ())):
                if row.metric is metrics.ITEMS:
                    yield estimate_row(row_keys, "reliability_shrunk", drawn)
                yield estimate_row(row_keys, row.metric.name, row.estimate)


def _count_tables(cells: pl.DataFrame, by: Sequence[str], ordered: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Deductions (judgments that reliability does not count, by reason), flags and the confusion of choices.

    ordered: the labels' order, as `scale_position` takes it; without one, that of the alphabet.
    """
    cells = cells.rename({"judge": "annotator", _DETAIL: "reason", COUNT: "count"})
    keys, flag, outcome = [*by, "annotator"], pl.col(KIND) == "flag", pl.col("outcome")
    deducted = cells.filter(~flag & (outcome == "deducted"))
    both = cells.filter(flag & outcome.is_in(FLAG_OUTCOMES)).select(*keys, "outcome", "count")
    annotators = cells.filter(flag & (outcome != NO_FLAGS)).select(keys).unique()
    nobody = annotators.join(pl.DataFrame({"outcome": FLAG_OUTCOMES, "count": 0}), how="cross")
    chosen = cells.filter(outcome.is_in(["correct", "incorrect"]))
    flags, of_reasons = pl.concat([both, nobody], how="vertical_relaxed"), pl.Enum([*REASONS])
    labels = ("label", "reference_label")
    places = [scale_position(pl.col(one), ordered) for one in labels] if ordered else []
    tables = {}
    for name, rows, values, order in (
        ("deductions", deducted, ("reason",), [pl.col("reason").cast(of_reasons)]),
        ("flags", flags, ("outcome",), [outcome.cast(pl.Enum([*FLAG_OUTCOMES]))]),
        ("confusion", chosen, labels, [*places, *map(pl.col, labels)]),
    ):
        summed = rows.group_by(*keys, *values).agg(pl.col("count").sum()).sort(*keys, *order)
        tables[name] = typed_table(summed.to_dicts(), [*keys, *values, "count"])
    return tables
