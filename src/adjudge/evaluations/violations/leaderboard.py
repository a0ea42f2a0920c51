"""Checkers by match score, with the ranks that each may have in it: for each group of texts, such as a split."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import polars as pl

from adjudge.display_names import split_version, varying_parts
from adjudge.estimate import Estimate
from adjudge.evaluations.violations.match_table import ScoredCheckers
from adjudge.evaluations.violations.metrics import MICRO
from adjudge.metrics.ranking import rank_ranges, rank_rows
from adjudge.metrics.tables import DifferenceRow, Keys, MetricRow, estimate_row
from adjudge.report import ESTIMATE_COLUMNS, typed_table

_RANKED, _BESIDE = "match_score", "f1"


def leaderboard(
    data: ScoredCheckers, scores: Sequence[MetricRow], differences: Sequence[DifferenceRow]
) -> pl.DataFrame:
    """The table: in each group and variant the best first, with versions and models from checkers' names.

    scores, differences: of all checkers.
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
        tested = [row for row in differences if row.keys.items() >= {**same, "average": MICRO}.items()]
        inside = data.texts.filter(True, *(pl.col(key).eq_missing(pl.lit(same[key])) for key in data.by))
        shown = partial(Estimate, n=inside.height, confidence=data.confidence)
        rows += _rank_group(names, group_scores, [row for row in tested if row.metric.name == _RANKED], shown)
    keys = [*data.by, *data.constants, "variant", "checker", *name_columns]
    return typed_table(rows, [*keys, *ESTIMATE_COLUMNS]).select(*keys, *ESTIMATE_COLUMNS)


def _rank_group(
    keys_of: Mapping[str, Keys],
    rows: Sequence[MetricRow],
    tested: Sequence[DifferenceRow],
    shown: Callable[[float], Estimate],
) -> Iterator[Keys]:
    """The rows of a group. rows: match score and F1 of each checker. tested: the differences of match scores.

    shown: from a rank to the estimate that the table shows.
    """
    value = {row.keys["checker"]: row.estimate.value or 0.0 for row in rows if row.metric.name == _RANKED}
    ranks = rank_ranges([*value], tested, shown(0).confidence)
    for name in sorted(value, key=lambda checker: value[checker], reverse=True):
        figures = {row.metric.name: row for row in rows if row.keys["checker"] == name}
        keys = dict(figures[_RANKED].keys)
        del keys["average"]
        keys |= keys_of[name]
        yield from rank_rows(keys, ranks[name], shown)
        for metric in (_RANKED, _BESIDE):
            yield estimate_row(keys, metric, figures[metric].estimate)
