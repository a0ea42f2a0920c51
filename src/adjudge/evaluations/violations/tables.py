"""The tables of the report, and the leaderboard: checkers by match score, with the ranks that each may have in it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations

import polars as pl

from adjudge.display_names import split_version, varying_parts
from adjudge.estimate import Estimate
from adjudge.evaluations.violations.agreement import category_tables
from adjudge.evaluations.violations.checker_matches import MATCHES
from adjudge.evaluations.violations.match_settings import PARTS
from adjudge.evaluations.violations.metrics import (
    ALL_COUNTS_VIEW,
    BREAKDOWN_VIEWS,
    COUNTS,
    MATCHED,
    MICRO,
    MOST_VALUES,
    OUTCOMES,
    OVERLAP,
    TOTAL,
    WEIGHTED,
)
from adjudge.evaluations.violations.outcomes import ScoredCheckers
from adjudge.evaluations.violations.replies import reply_rows
from adjudge.metrics.comparison import differences_between
from adjudge.metrics.metric import KIND, View
from adjudge.metrics.ranking import rank_ranges, rank_rows
from adjudge.metrics.reply_rates import REPLIES_TABLE
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    MetricRow,
    cells_by,
    difference_rows,
    estimate_row,
    estimate_table,
    left_out_table,
    score,
    score_metric,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.violations import ID, PLACE, TEXT_PARTS

_RANKED, _BESIDE = "match_score", "f1"


def leaderboard(data: ScoredCheckers, scores: Sequence[MetricRow], differences: Sequence[Keys]) -> pl.DataFrame:
    """The table: in each group and variant the best first, with versions and models from checkers' names.

    scores, differences: the rows of these tables, of all checkers.
    """
    names = {one.name: split_version(one.name) for one in data.checkers}
    name_columns = varying_parts(names.values())
    groups = [*data.by, "variant"]
    kept = [row for row in scores if row.keys["average"] == MICRO and row.metric.name in (_RANKED, _BESIDE)]
    rows: list[Keys] = []
    group_values = dict.fromkeys(tuple(row.keys[key] for key in groups) for row in kept)
    for group in sorted(group_values, key=lambda checker: [*data.rules].index(checker[-1])):
        same = dict(zip(groups, group, strict=True))
        group_scores = [row for row in kept if row.keys.items() >= same.items()]
        tested = [row for row in differences if row.items() >= {**same, "average": MICRO, "metric": _RANKED}.items()]
        inside = data.texts.filter(True, *(pl.col(key).eq_missing(pl.lit(same[key])) for key in data.by))
        shown = partial(Estimate, n=inside.height, confidence=data.confidence)
        scores_of = {row.keys["checker"]: row for row in group_scores if row.metric.name == _RANKED}
        value = {name: row.estimate.value or 0.0 for name, row in scores_of.items()}
        ranks = rank_ranges([*value], tested, data.confidence)
        for name in sorted(value, key=lambda checker: value[checker], reverse=True):
            named = {key: text for key, text in scores_of[name].keys.items() if key != "average"} | names[name]
            rows += rank_rows(named, ranks[name], shown)
            of_checker = {row.metric.name: row.estimate for row in group_scores if row.keys["checker"] == name}
            rows += [estimate_row(named, metric, of_checker[metric]) for metric in (_RANKED, _BESIDE)]
    keys = [*data.by, *data.constants, "variant", "checker", *name_columns]
    return typed_table(rows, [*keys, *ESTIMATE_COLUMNS]).select(*keys, *ESTIMATE_COLUMNS)


ViewRows = tuple[View, pl.DataFrame]
"""A view with its rows."""


def tables_of(data: ScoredCheckers, outcomes: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    pairs = [*data.by, "variant", "average", "first", "second"]
    often = outcomes.drop("detail", "reference").with_columns(pl.col(pl.String).cast(pl.Categorical)).collect().lazy()
    counted = [(WEIGHTED, _rows_of(WEIGHTED, data, often))] if data.options.severity_weights else []
    differences, scores = _checker_differences(data, counted), [*score_rows(data, counted)]
    tested = difference_rows(differences, ALL_COUNTS_VIEW)
    leaders = {"leaderboard": leaderboard(data, scores, tested)} if len(data.checkers) > 1 else {}
    tables = {
        "scores": _metric_table(scores, [*data.keys, "average"]),
        "differences": typed_table(tested, [*pairs, *DIFFERENCE]),
        **left_out_table(differences, pairs),
        "counts": _outcome_counts(data),
    }
    if replies := [*reply_rows(data)]:
        tables[REPLIES_TABLE] = typed_table(replies, [*data.keys, *ESTIMATE_COLUMNS])
    tables |= category_tables(data)
    ready = {name: _sort(table, data) for name, table in tables.items()} | {"near_misses": _near_misses(data, often)}
    broken_down = {f"by_{part}": _breakdown_table(data, often, part) for part in BREAKDOWN_VIEWS}
    return leaders | ready | broken_down | {"matches": pl.concat(_match_tables(data))}


def _metric_table(rows: Iterable[MetricRow], keys: list[str]) -> pl.DataFrame:
    return estimate_table(keys, ((row.keys, row.metric.name, row.estimate) for row in rows))


def _sort(table: pl.DataFrame, data: ScoredCheckers) -> pl.DataFrame:
    """Rows by group, checker and variant, in the order given; the sort is stable."""
    orders = {"checker": [one.name for one in data.checkers], "variant": [*data.rules, OVERLAP]}
    places = [pl.col(name).cast(pl.Enum(order)) for name, order in orders.items() if name in table.columns]
    return table.sort(*data.by, *places, maintain_order=True)


def score_rows(data: ScoredCheckers, counted: Sequence[ViewRows] = ()) -> Iterator[MetricRow]:
    """The rows of the table of scores. counted: further views with their rows."""
    for view, rows in [(ALL_COUNTS_VIEW, data.rows), *counted]:
        for keys, cells in cells_by(rows.lazy(), view, data.keys, data.unit):
            for figure in view.metrics:
                if figure.kind in cells:
                    yield score_metric(figure, cells[figure.kind], keys, data.confidence)


def _checker_differences(data: ScoredCheckers, counted: Sequence[ViewRows]) -> list[DifferenceRow]:
    """Every pair of checkers on the texts that count for both, by metric."""
    items = {one.name: data.rows.filter(checker=one.name).select("item").unique() for one in data.checkers}
    result = []
    for first, second in combinations(items, 2):
        both = items[first].join(items[second], on="item", how="semi")
        main: tuple[pl.DataFrame, pl.DataFrame] | None = None
        for view, rows in [(ALL_COUNTS_VIEW, data.rows), *counted]:
            left, right = (rows.filter(checker=name).join(both, on="item", how="semi") for name in (first, second))
            main = main or (left, right)
            gaps = differences_between(left, right, view, [*data.by, "variant"], data.unit, data.confidence, main)
            result += [
                DifferenceRow({**row.keys, "first": first, "second": second}, row.metric, row.result) for row in gaps
            ]
    figures = [*ALL_COUNTS_VIEW.metrics, *WEIGHTED.metrics]
    return sorted(result, key=lambda row: figures.index(row.metric))


def _outcome_counts(data: ScoredCheckers) -> pl.DataFrame:
    sums = data.rows.filter(pl.col(KIND).is_in([MATCHED, "exact"])).group_by(data.keys).agg(pl.col(COUNTS).sum())
    matched_count, predicted, true = (pl.col(name).cast(pl.Int64) for name in COUNTS)
    counts = dict(zip(OUTCOMES, (matched_count, predicted - matched_count, true - matched_count), strict=True))
    table = sums.select(pl.col(data.keys).cast(pl.String), **counts)
    return table.unpivot(index=data.keys, variable_name="outcome", value_name="count")


def _near_misses(data: ScoredCheckers, outcomes: pl.LazyFrame) -> pl.DataFrame:
    """The number of unmatched violations by the part that failed, the most frequent first."""
    keys = [*data.keys, "outcome", "failed"]
    rows = outcomes.rename({"judge": "checker"}).filter(pl.col("failed").is_not_null())
    counts = rows.group_by(keys).agg(pl.len().cast(pl.Int64).alias("count")).collect()
    order = counts.cast(dict.fromkeys(keys, pl.String)).sort("count", "failed", descending=[True, False])
    return _sort(order.sort("outcome", maintain_order=True), data)


def _rows_of(view: View, data: ScoredCheckers, outcomes: pl.LazyFrame) -> pl.DataFrame:
    """The rows of a view, made of outcomes."""
    rows = view.rows(outcomes, [*data.by, *data.constants, "variant"], None)
    return rows.rename({"judge": "checker"}).collect()


def _breakdown_table(data: ScoredCheckers, outcomes: pl.LazyFrame, part: str) -> pl.DataFrame:
    """The metrics of each rule (category), the most frequent first."""
    view, keys = BREAKDOWN_VIEWS[part], [*data.keys, part]
    rows = _rows_of(view, data, outcomes)
    often = rows.group_by(keys).agg(TOTAL).sort("total", part, descending=[True, False], nulls_last=True)
    often = _sort(often, data).filter(pl.int_range(pl.len()).over(data.keys) < MOST_VALUES).select(keys)
    kept = rows.join(often, on=keys, how="semi", nulls_equal=True)
    by_value = cells_by(kept.lazy(), view, keys, data.unit)
    scores = chain.from_iterable(score(view, cells, named, data.confidence) for named, cells in by_value)
    table = _metric_table(scores, keys)
    return often.cast(pl.String).join(table, on=keys, nulls_equal=True, maintain_order="left_right")


def _match_tables(data: ScoredCheckers) -> Iterator[pl.DataFrame]:
    """Every matched pair with its score and the parts of it, of each checker and variant."""
    for checker in data.checkers:
        for variant in data.rules:
            pairs = checker.tables[variant, MATCHES]
            keys = {"checker": checker.name, **data.constants, "variant": variant}
            predicted, true = checker.spans[pairs["predicted"]], checker.truth[pairs["truth"]]
            lacking = (pl.lit(None, pl.Float64).alias(part) for part in PARTS if part not in pairs.columns)
            yield pairs.with_columns(lacking).select(
                *(pl.lit(value, pl.String).alias(name) for name, value in keys.items()),
                data.marked.texts[ID].gather(predicted[PLACE]).alias("item"),
                *(predicted[name].alias(f"predicted_{name}") for name in ("start", "end")),
                *(true[name] for name in ("start", "end")),
                "score",
                "overlap",
                *(pl.col(part).alias(f"{part}_similarity") for part in TEXT_PARTS),
            )
