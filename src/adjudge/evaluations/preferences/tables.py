"""The tables of the report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product

import numpy as np
import polars as pl

from adjudge.estimate import Caveat, Estimate
from adjudge.evaluations.preferences import metrics
from adjudge.evaluations.preferences.options import PreferencesOptions
from adjudge.evaluations.preferences.outcomes import ItemGroup
from adjudge.metrics.difference import mean_difference, mean_estimate, paired_difference
from adjudge.metrics.metric import Metric, metric_specs
from adjudge.metrics.ranking import RANK_METRICS, rank_ranges, rank_rows
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    difference_rows,
    estimate_row,
    left_out_table,
    replies_table,
    rows_by_group,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.outcomes import OUTCOME, REPLY, STATUSES
from adjudge.schemas.preferences import AVERAGE, MISSING, JudgedItems
from adjudge.schemas.preferences import REPLY as REPLY_COLUMN
from adjudge.spec import BASELINE_PREFIX
from adjudge.statistics.comparison import RankSet, borda, mean_rank

_ROW = "__row__"
Ranked = tuple[str, str]
"""A ranked metric and a criterion."""


def tables_of(
    whole: ItemGroup, gold: pl.DataFrame, by: Sequence[str], refused: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """All tables of the report. gold: id and `by` columns. refused: the systems whose submissions are not scored."""
    parts = rows_by_group(gold.select("id", *by).with_row_index(_ROW), by)
    groups = [whole.subset(part[_ROW].to_numpy(), keys) for keys, part in parts]
    systems, baselines = list[DifferenceRow](), list[DifferenceRow]()
    for group in groups:
        pairs = product(_ranked_metrics(group), combinations(group.systems, 2))
        systems += [row for metric, two in pairs for row in compare_systems(group, metric, *two)]
        beside = product(group.systems, group.baselines)
        baselines += [
            row for system, baseline in beside for row in compare_systems(group, metrics.ACCURACY, baseline, system)
        ]
    kinds = {"systems": difference_rows(systems, metrics.VIEW), "baselines": difference_rows(baselines, metrics.VIEW)}
    differences = [{"compared": kind, **row} for kind, rows in kinds.items() for row in rows]
    scores, leaders, ranks = list[Keys](), list[Keys](), list[Keys]()
    for group in groups:
        of_group = list(score_rows(group))
        scores += of_group
        tested = [row for row in kinds["systems"] if row.items() >= group.keys.items()]
        if group.system_count + len(refused) > 1:
            leaders += [*_leaderboard_rows(group, of_group, tested), *_refused_rows(group, refused)]
        if group.system_count > 1:
            ranks += _rank_rows(group, tested)
    confusion = [row for group in groups for row in _confusion_rows(group)]
    keys, of_difference = [*by, "system", "criterion"], [*by, "criterion", "first", "second"]
    return {
        **({"leaderboard": typed_table(leaders, [*keys, *ESTIMATE_COLUMNS])} if leaders else {}),
        "scores": typed_table(scores, [*keys, *ESTIMATE_COLUMNS]),
        **({"ranks": typed_table(ranks, [*by, *_OF_RANKS])} if groups[0].system_count > 1 else {}),
        "differences": typed_table(differences, ["compared", *of_difference, *DIFFERENCE]),
        "confusion": typed_table(confusion, [*keys, "reference_label", "label", "count"]),
        **left_out_table([*systems, *baselines], of_difference),
    }


def score_rows(group: ItemGroup) -> Iterator[Keys]:
    """Each system, then each baseline, on each criterion and on average."""
    for system, name in enumerate(group.names):
        kinds = (metrics.LABEL, *(group.scores if system in group.systems else ()))
        parts = {kind: group.parts(kind, system) for kind in kinds}
        if ((group.gold != MISSING) & (group.labels[system] == MISSING)).any():
            parts[metrics.BOUNDS[0].kind] = parts[metrics.LABEL]
        chosen = [
            metric for metric in (*metrics.OF_LABELS, *metrics.BOUNDS, *metrics.OF_EXPLANATIONS) if metric.kind in parts
        ]
        for place, criterion in enumerate(group.task.criteria):
            keys = {**group.keys, "system": name, "criterion": criterion}
            for metric in chosen:
                cells = parts[metric.kind].cells[place]
                yield estimate_row(keys, metric.name, metric.estimate(cells, group.confidence))
        keys = {**group.keys, "system": name, "criterion": AVERAGE}
        for metric in chosen:
            yield estimate_row(keys, metric.name, mean_estimate(metric, parts[metric.kind], group.confidence))


def _confusion_rows(group: ItemGroup) -> Iterator[Keys]:
    """Every combination of a gold label and a predicted one that occurs, of each system."""
    for system, name in enumerate(group.names):
        for criterion, cells in zip(group.task.criteria, group.parts(metrics.LABEL, system).cells, strict=True):
            labels = cells.states.select("reference_label", pl.col("label").fill_null("missing"), count=cells.totals)
            occurring = labels.filter(pl.col("reference_label").is_not_null(), pl.col("count") > 0)
            for row in occurring.to_dicts():
                yield {**group.keys, "system": name, "criterion": criterion, **row}


# --- differences ---


def compare_systems(group: ItemGroup, metric: Metric, first: int, second: int) -> list[DifferenceRow]:
    """Two systems on one metric, on each criterion and on average: the second minus the first."""
    parts = group.parts(metric.kind, first, second)
    single = [paired_difference(metric, pairs, group.confidence) for pairs in parts.pairs]
    alone = len(single) == 1  # the mean over one criterion is its own
    mean = single[0] if alone else mean_difference(metric, parts, group.confidence)
    names = {"first": group.names[first], "second": group.names[second]}
    return [
        DifferenceRow({**group.keys, "criterion": criterion, **names}, metric, result)
        for criterion, result in zip((*group.task.criteria, AVERAGE), (*single, mean), strict=True)
    ]


def reply_table(
    gold: pl.DataFrame,
    systems: Sequence[JudgedItems],
    verdicts: pl.DataFrame | None,
    options: PreferencesOptions,
    unit: str | None,
) -> dict[str, pl.DataFrame]:
    """The table of what was not all answered; none where all was.

    gold: id, cluster, `by` columns. verdicts: of a judge, if there is one.
    """
    asked, replied = [], pl.col(REPLY)
    for system in systems:
        columns = system.frame.select("id", *system.task.reply_columns)
        long = columns.unpivot(index="id", variable_name="criterion", value_name=REPLY).drop_nulls(REPLY)
        about = {"system": pl.lit(system.name), "asked": pl.lit("labels")}
        asked.append(long.with_columns(pl.col("criterion").str.strip_suffix(REPLY_COLUMN), **about))
    if verdicts is not None:
        status = pl.col(OUTCOME).alias(REPLY), pl.lit("verdicts").alias("asked")
        asked.append(verdicts.select("id", "system", "criterion", *status))
    replies_known = pl.concat(asked, how="diagonal").with_columns(pl.when(replied.is_in(STATUSES)).then(replied))
    rows = gold.join(replies_known, on="id", maintain_order="left").rename({"id": "item"})
    return replies_table(rows, metrics.REPLIES, [*options.by, *metrics.REPLY_KEYS], unit, options.ci_level)


# --- ranks ---

_OF_RANKS = ("system", "criterion", "ranked_metric", *ESTIMATE_COLUMNS)


def _ranked_metrics(group: ItemGroup) -> list[Metric]:
    """The metrics that rank systems: accuracy, and the scores of explanations."""
    return [metrics.ACCURACY, *(one for one in metrics.OF_EXPLANATIONS if one.kind in group.scores)]


def _rank_rows(group: ItemGroup, comparisons: Sequence[Keys]) -> Iterator[Keys]:
    """Borda points and mean rank of each system over all metrics, and the ranks it may have on each."""
    names, values = group.names[: group.system_count], dict[Ranked, list[float]]()
    for metric in _ranked_metrics(group):
        systems = [group.parts(metric.kind, system).cells for system in group.systems]
        for criterion, *cells in zip(group.task.criteria, *systems, strict=True):
            defined = [value for one in cells if (value := metric.linearise(one.states, one.totals).value) is not None]
            if len(defined) == len(cells):  # of all systems
                values[metric.name, criterion] = defined
    items = int((group.gold != 0).any(axis=0).sum())
    yield from _overall_rank_rows(group.keys, names, values, partial(Estimate, n=items, confidence=group.confidence))
    for ranked, criterion in values:
        tested = [row for row in comparisons if (row["metric"], row["criterion"]) == (ranked, criterion)]
        n = max((row["n"] for row in tested), default=0)
        keys = {**group.keys, "criterion": criterion, "ranked_metric": ranked}
        for name, ranks in rank_ranges(names, tested, group.confidence).items():
            yield from rank_rows({**keys, "system": name}, ranks, partial(Estimate, n=n, confidence=group.confidence))


def _leaderboard_rows(group: ItemGroup, scored: Sequence[Keys], comparisons: Sequence[Keys]) -> Iterator[Keys]:
    """Each system, the best first: the ranks it may have in mean accuracy, and its accuracy, by criterion and mean.

    scored: see `score_rows`.
    """
    tested = [row for row in comparisons if (row["metric"], row["criterion"]) == (metrics.ACCURACY.name, AVERAGE)]
    sets = rank_ranges(group.names[: group.system_count], tested, group.confidence)
    items = int((group.gold != 0).any(axis=0).sum())
    rows = [row for row in scored if row["metric"] == metrics.ACCURACY.name]
    scores = {name: [row for row in rows if row["system"] == name] for name in group.names[: group.system_count]}
    means = {row["system"]: row["value"] for row in rows if row["criterion"] == AVERAGE}
    for name in sorted(scores, key=lambda name: -1.0 if means[name] is None else means[name], reverse=True):
        keys = {**group.keys, "criterion": AVERAGE, "system": name}
        yield from rank_rows(keys, sets[name], partial(Estimate, n=items, confidence=group.confidence))
        yield from scores[name]


def _refused_rows(group: ItemGroup, refused: Sequence[str]) -> Iterator[Keys]:
    """The systems whose submissions are not scored, last on the leaderboard."""
    for name in refused:
        keys = {**group.keys, "criterion": AVERAGE, "system": name}
        for metric in (*RANK_METRICS, metrics.ACCURACY.name):
            yield estimate_row(keys, metric, Estimate.undefined("not scored", confidence=group.confidence))


def _overall_rank_rows(
    keys: Mapping[str, str | None],
    systems: Sequence[str],
    values: Mapping[Ranked, Sequence[float]],
    shown: Callable[[float], Estimate],
) -> Iterator[Keys]:
    """The rows of overall ranks, the best first; no interval is valid for them (docs/formulas.md).

    values: of the systems, higher is better. shown: from a value to the estimate that a table shows.
    """
    if not values:
        return
    points = [sum(point or 0.0 for point in own) for own in zip(*map(borda, values.values()), strict=True)]
    means = mean_rank(np.array(list(values.values())).T)
    best_first = sorted(zip(systems, points, means, strict=True), key=lambda row: -row[1])
    for name, *both in best_first:
        for metric, value in zip(("borda", "mean_rank"), both, strict=True):
            row_keys = {**keys, "system": name, "criterion": None, "ranked_metric": None}
            yield estimate_row(row_keys, metric, shown(value))


def published_ranks(scores: pl.DataFrame, lower_is_better: Sequence[str] = ()) -> tuple[pl.DataFrame, list[str]]:
    """The table of ranks by published scores (system, criterion, metric, value), and warnings.

    Metrics that some system lacks are not ranked. Metrics that are better when low, those named and those that Adjudge
    knows, count the other way round. One system alone has no rank.
    """
    kept = scores.filter((pl.col("criterion") != AVERAGE) & ~pl.col("system").str.starts_with(BASELINE_PREFIX))
    systems = kept["system"].unique(maintain_order=True).to_list()
    known = metric_specs(metrics.VIEW.metrics, metrics.OF_RANKS)
    low = [*lower_is_better, *(name for name, about in known.items() if about.better == "low")]
    signed = pl.when(pl.col("metric").is_in(low)).then(-pl.col("value")).otherwise("value")
    parts = kept.with_columns(signed).partition_by("metric", "criterion", as_dict=True, maintain_order=True)
    values = {
        ranked: dict(part.drop_nulls("value").select("system", "value").iter_rows()) for ranked, part in parts.items()
    }
    whole = {ranked: [own[name] for name in systems] for ranked, own in values.items() if len(own) == len(systems) > 1}
    rows = [*_overall_rank_rows({}, systems, whole, partial(Estimate, n=len(whole), caveat=Caveat.PUBLISHED))]
    best_first = [*dict.fromkeys(row["system"] for row in rows)]
    shown = partial(Estimate, n=len(systems), caveat=Caveat.PUBLISHED)
    for (metric, criterion), points in whole.items():
        for name in best_first:
            own, keys = points[systems.index(name)], {"criterion": criterion, "ranked_metric": metric, "system": name}
            ranks = RankSet(1 + sum(one > own for one in points), sum(one >= own for one in points))
            rows += rank_rows(keys, ranks, shown)
    gaps = [f"{metric} of {criterion}" for (metric, criterion), own in values.items() if len(own) < len(systems)]
    warnings = [f"metrics that some system lacks are not ranked: {', '.join(gaps)}"] if gaps else []
    if kept.height < scores.height:
        warnings.append(f"baselines and averages are not ranked: {scores.height - kept.height:,} scores left out")
    return typed_table(rows, _OF_RANKS), warnings
