"""The tables of the report, and of agreement: the leaderboard ranks checkers by match score, as tests allow."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations

import polars as pl

from adjudge.display_names import split_version, varying_parts
from adjudge.estimate import Estimate
from adjudge.evaluations.violations import metrics, span_matching
from adjudge.evaluations.violations.metrics import ALL_COUNTS_VIEW, COUNTS, MATCHED, MEANT, MICRO, MOST_VALUES, SAID
from adjudge.evaluations.violations.outcomes import ScoredCheckers
from adjudge.evaluations.violations.span_matching import ALONE, OVERLAP, PARTS, MatchRule
from adjudge.metrics.cells import StateCells, cells_from_states
from adjudge.metrics.comparison import differences_between
from adjudge.metrics.metric import KIND
from adjudge.metrics.ranking import rank_ranges, rank_rows
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
    metric_table,
    replies_table,
    score_metric,
    view_rows,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.violations import ID, PLACE, TEXT_PARTS, MarkedTexts

_RANKED, _BESIDE = "match_score", "f1"


def leaderboard(data: ScoredCheckers, scores: Sequence[MetricRow], differences: Sequence[Keys]) -> pl.DataFrame:
    """The table: in each group and variant the best first, with versions and models from checkers' names.

    scores, differences: the rows of these tables, of all checkers.
    """
    names = {one.name: split_version(one.name) for one in data.checkers}
    groups, rows = [*data.options.by, "variant"], list[Keys]()
    boards: dict[tuple[str, ...], dict[str, dict[str, Estimate]]] = {}  # group -> checker -> metric -> estimate
    for row in scores:
        if row.keys["average"] == MICRO and row.metric.name in (_RANKED, _BESIDE):
            board = boards.setdefault(tuple(row.keys[key] for key in groups), {})
            board.setdefault(row.keys["checker"], {})[row.metric.name] = row.estimate
    for group in sorted(boards, key=lambda values: [*data.rules].index(values[-1])):
        same, board = dict(zip(groups, group, strict=True)), boards[group]
        tested = [row for row in differences if row.items() >= {**same, "average": MICRO, "metric": _RANKED}.items()]
        inside = data.texts.filter(True, *(pl.col(key).eq_missing(pl.lit(same[key])) for key in data.options.by))
        shown = partial(Estimate, n=inside.height, confidence=data.options.ci_level)
        ranks = rank_ranges([*board], tested, data.options.ci_level)
        for name, estimates in sorted(board.items(), key=lambda one: one[1][_RANKED].value or 0.0, reverse=True):
            named = {**same, "checker": name, **names[name]}
            rows += rank_rows(named, ranks[name], shown)
            rows += [estimate_row(named, metric, estimates[metric]) for metric in (_RANKED, _BESIDE)]
    keys = [*data.options.by, "variant", "checker", *varying_parts(names.values())]
    return typed_table(rows, [*keys, *ESTIMATE_COLUMNS]).select(*keys, *ESTIMATE_COLUMNS)


def tables_of(data: ScoredCheckers, outcomes: pl.LazyFrame) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    pairs = [*data.options.by, "variant", "average", "first", "second"]
    often = outcomes.drop("detail", "reference").with_columns(pl.col(pl.String).cast(pl.Categorical)).collect().lazy()
    differences, scores = _checker_differences(data), [*score_rows(data)]
    tested = difference_rows(differences, ALL_COUNTS_VIEW)
    leaders = {"leaderboard": leaderboard(data, scores, tested)} if len(data.checkers) > 1 else {}
    tables = {
        "scores": metric_table([*data.keys, "average"], scores),
        "differences": typed_table(tested, [*pairs, *DIFFERENCE]),
        **left_out_table(differences, pairs),
        "counts": _outcome_counts(data),
        **reply_table(data),
    }
    ready = {name: _sort(table, data) for name, table in tables.items()} | {"near_misses": _near_misses(data, often)}
    broken_down = {f"by_{part}": _breakdown_table(data, often, part) for part in metrics.BREAKDOWN_VIEWS}
    return leaders | ready | broken_down | {"matches": pl.concat(_match_tables(data))}


def _sort(table: pl.DataFrame, data: ScoredCheckers) -> pl.DataFrame:
    """Rows by group, checker and variant, in the order given; the sort is stable."""
    orders = {"checker": [one.name for one in data.checkers], "variant": [*data.rules, OVERLAP]}
    places = [pl.col(name).cast(pl.Enum(order)) for name, order in orders.items() if name in table.columns]
    return table.sort(*data.options.by, *places, maintain_order=True)


def score_rows(data: ScoredCheckers) -> Iterator[MetricRow]:
    """The rows of the table of scores."""
    for keys, cells in cells_by(data.rows.lazy(), ALL_COUNTS_VIEW, data.keys, data.unit):
        for metric in ALL_COUNTS_VIEW.metrics:
            if metric.kind in cells:
                yield score_metric(metric, cells[metric.kind], keys, data.options.ci_level)


def _checker_differences(data: ScoredCheckers) -> list[DifferenceRow]:
    """Every pair of checkers on the texts that count for both, by metric."""
    keys, result = [*data.options.by, "variant"], []
    for first, second in combinations([one.name for one in data.checkers], 2):
        left, right = (data.rows.filter(checker=name) for name in (first, second))
        gaps = differences_between(left, right, ALL_COUNTS_VIEW, keys, data.unit, data.options.ci_level)
        names = {"first": first, "second": second}
        result += [DifferenceRow({**row.keys, **names}, row.metric, row.result) for row in gaps]
    return sorted(result, key=lambda row: ALL_COUNTS_VIEW.metrics.index(row.metric))


def _outcome_counts(data: ScoredCheckers) -> pl.DataFrame:
    sums = data.rows.filter(pl.col(KIND).is_in([MATCHED, "exact"])).group_by(data.keys).agg(pl.col(COUNTS).sum())
    matched_count, predicted, true = (pl.col(name).cast(pl.Int64) for name in COUNTS)
    counts = dict(zip(metrics.OUTCOMES, (matched_count, predicted - matched_count, true - matched_count), strict=True))
    table = sums.select(pl.col(data.keys).cast(pl.String), **counts)
    return table.unpivot(index=data.keys, variable_name="outcome", value_name="count")


def _near_misses(data: ScoredCheckers, outcomes: pl.LazyFrame) -> pl.DataFrame:
    """The number of unmatched violations by the part that failed, the most frequent first."""
    keys = [*data.keys, "outcome", "failed"]
    rows = outcomes.rename({"judge": "checker"}).filter(pl.col("failed").is_not_null())
    counts = rows.group_by(keys).agg(pl.len().cast(pl.Int64).alias("count")).collect()
    order = counts.cast(dict.fromkeys(keys, pl.String)).sort("count", "failed", descending=[True, False])
    return _sort(order.sort("outcome", maintain_order=True), data)


def _breakdown_table(data: ScoredCheckers, outcomes: pl.LazyFrame, part: str) -> pl.DataFrame:
    """The metrics of each rule (category), the most frequent first."""
    view, keys = metrics.BREAKDOWN_VIEWS[part], [*data.keys, part]
    rows = view.rows(outcomes, [*data.options.by, "variant"], None).rename({"judge": "checker"}).collect()
    often = rows.group_by(keys).agg(metrics.TOTAL).sort("total", part, descending=[True, False], nulls_last=True)
    often = _sort(often, data).filter(pl.int_range(pl.len()).over(data.keys) < MOST_VALUES).select(keys)
    kept = rows.join(often, on=keys, how="semi", nulls_equal=True)
    table = metric_table(keys, view_rows(kept.lazy(), view, keys, data.unit, data.options.ci_level))
    return often.cast(pl.String).join(table, on=keys, nulls_equal=True, maintain_order="left_right")


def _match_tables(data: ScoredCheckers) -> Iterator[pl.DataFrame]:
    """Every matched pair with its score and the parts of it, of each checker and variant."""
    for checker in data.checkers:
        for variant in data.rules:
            pairs = checker.tables[variant, span_matching.MATCHES]
            keys = {"checker": checker.name, "variant": variant}
            predicted, true = checker.spans[pairs["predicted"]], data.truth[pairs["truth"]]
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


# --- replies of models ---


def reply_table(data: ScoredCheckers) -> dict[str, pl.DataFrame]:
    """The table of replies, if a checker's file says how each question was answered and some were not."""
    asked = [
        data.texts.with_columns(checker=pl.lit(one.name), variant=pl.lit(variant), reply=one.marked.replies)
        for one in data.checkers
        if one.marked.replies is not None
        for variant in data.rules
    ]
    rows = pl.concat(asked) if asked else pl.DataFrame()
    return replies_table(rows, metrics.REPLIES, data.keys, data.unit, data.options.ci_level)


# --- categories, and annotators against one another ---


def category_cells(pairs: pl.DataFrame, sides: span_matching.SpanSides) -> StateCells:
    """The cells of the categories of matched pairs, null where a side has none. Texts are the sampling units."""
    both = {SAID: sides.predicted["category"][pairs["predicted"]], MEANT: sides.truth["category"][pairs["truth"]]}
    places = sides.predicted[PLACE][pairs["predicted"]]
    return cells_from_states(pl.DataFrame(both).cast(pl.String), places.rank("dense").cast(pl.Int64).to_numpy() - 1)


_SWAPPED = {"predicted": "true", "true": "predicted"}


def annotator_matrix(
    marked: Sequence[MarkedTexts],
    rules: Mapping[str, MatchRule],
    similarities: span_matching.Similarities,
    confidence: float,
) -> tuple[pl.DataFrame, span_matching.MatchSetup]:
    """The table of every annotator (checker) against every other as the truth (reference), by each variant.

    Categories stand in the variant of overlap alone. Texts are the sampling units. Also how violations were matched.
    """
    setup = span_matching.set_up_matching([one.spans for one in marked], rules, similarities)
    estimates = dict[tuple[str, str], list[tuple[str, str, Estimate]]]()
    for (first, spans_a), (second, spans_b) in combinations(zip(marked, setup.tables, strict=True), 2):
        both = pl.select(pl.lit(first.counted_texts) & pl.lit(second.counted_texts)).to_series()
        ours, theirs = (spans.filter(both.gather(spans[PLACE])) for spans in (spans_a, spans_b))
        sides = span_matching.SpanSides(ours, theirs, setup.similarities)
        pairs = span_matching.match_spans(sides, {**setup.rules, OVERLAP: ALONE})
        tables = {key: table.filter(both) for key, table in metrics.count_matches(sides, pairs, len(both)).items()}
        categories = category_cells(pairs[OVERLAP], sides)
        of_categories = [(OVERLAP, one.name, one.estimate(categories, confidence)) for one in metrics.CATEGORY_METRICS]
        for names, renamed in (((first.name, second.name), {}), ((second.name, first.name), _SWAPPED)):
            cells = {key: cells_from_states(rows.rename(renamed)) for key, rows in tables.items()}
            of_matches = [
                (variant, metric.name, metric.estimate(cells[variant, kind], confidence))
                for variant, kind in cells
                for metric in metrics.OF_PAIRS.get(kind, ())
            ]
            estimates[names] = [*of_matches, *of_categories]
    table = estimate_table(
        ["checker", "reference", "variant"],
        (
            ({"checker": checker, "reference": reference, "variant": variant}, name, estimate)
            for checker, reference in permutations([one.name for one in marked], 2)
            for variant, name, estimate in estimates[checker, reference]
        ),
    )
    return table, setup
