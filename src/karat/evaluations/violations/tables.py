"""The tables of the report."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl

from karat.evaluations.violations.figures import BY, MOST_VALUES, OF_KIND
from karat.evaluations.violations.matched import Checked, Scored
from karat.evaluations.violations.matching import Integers, texts_of
from karat.evaluations.violations.rows import COUNTS, MATCHED, OUTCOMES, SIDES
from karat.evaluations.violations.rules import PARTS
from karat.figures.cells import COUNT, UNIT, Cells, cells_of, measured, measured_pairs, placed
from karat.figures.tables import (
    DIFFERENCE,
    Compared,
    Keys,
    Row,
    compared,
    difference_rows,
    figure_table,
    left_out_table,
    scored,
)
from karat.report import typed_table
from karat.schemas.violations import ID, PLACE, TEXT_PARTS


def tables_of(data: Scored) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    keys, pairs = [*data.by, "checker", "split", "variant"], [*data.by, "variant", "average", "first", "second"]
    differences = list(_differences(data))
    return {
        "scores": _table(score_rows(data), [*keys, "average"]),
        "differences": typed_table(difference_rows(differences), [*pairs, *DIFFERENCE]),
        **left_out_table(differences, pairs),
        "counts": typed_table(list(_counts(data)), [*keys, "outcome", "count"]),
        **{f"by_{part}": _table(_breakdown(data, part), [*keys, part]) for part in BY},
        "matches": pl.concat(_matches(data)),
    }


def _table(rows: Iterator[Row], keys: list[str]) -> pl.DataFrame:
    return figure_table(keys, ((row.keys, row.figure.name, row.estimate) for row in rows))


def _tallies(data: Scored) -> Iterator[tuple[Keys, str, pl.DataFrame, Integers | None]]:
    """The counts of each text, by group, checker, variant and kind: keys, kind, counts, and the texts' clusters."""
    for group in data.groups:
        for checker in data.checkers:
            for (variant, kind), tally in checker.tallies.items():
                yield data.keys(checker, group, variant=variant), kind, tally[group.texts], group.clusters


def score_rows(data: Scored) -> Iterator[Row]:
    """The rows of the table of scores."""
    for keys, kind, tally, clusters in _tallies(data):
        cells = measured(tally, clusters)
        for figure in OF_KIND[kind]:
            yield scored(figure, cells, keys, data.confidence)


def _differences(data: Scored) -> Iterator[Compared]:
    """Every pair of checkers on the same texts."""
    for group in data.groups:
        for variant, kind in data.checkers[0].tallies:
            pairs = []
            for first, second in combinations(data.checkers, 2):
                ours, theirs = (one.tallies[variant, kind][group.texts] for one in (first, second))
                keys: Keys = {**group.keys, "variant": variant, "first": first.name, "second": second.name}
                pairs.append((keys, measured_pairs(ours, theirs, group.clusters)))
            for figure in OF_KIND[kind]:
                for keys, both in pairs:
                    yield compared(figure, both, keys, data.confidence)


def _counts(data: Scored) -> Iterator[Keys]:
    for keys, kind, tally, _ in _tallies(data):
        if kind in (MATCHED, "exact"):
            found, predicted, true = map(int, tally.select(COUNTS).sum().row(0))
            for outcome, count in zip(OUTCOMES, (found, predicted - found, true - found), strict=True):
                yield {**keys, "outcome": outcome, "count": count}


def _breakdown(data: Scored, part: str) -> Iterator[Row]:
    """The figures of each rule (category)."""
    if texts_of(data.truth, part).is_empty():
        return
    for group in data.groups:
        places = np.full(data.marked.texts.height, -1)
        places[group.texts] = np.arange(len(group.texts)) if group.clusters is None else group.clusters
        units = pl.Series(UNIT, places)
        for checker in data.checkers:
            for variant in data.rules:
                keys = data.keys(checker, group, variant=variant)
                for name, cells in _most_frequent(_by_value(data, checker, variant, part, units), part):
                    for figure in BY[part].figures:
                        yield scored(figure, cells, {**keys, part: name}, data.confidence)


def _by_value(data: Scored, checker: Checked, variant: str, part: str, units: pl.Series) -> pl.DataFrame:
    """For each value of a part and each text (cluster): how many are predicted and true, and how many of each match."""
    sides = []
    for side, row, spans in (("predicted", "predicted", checker.spans), ("true", "truth", data.truth)):
        hit = np.zeros(spans.height, dtype=np.int64)
        hit[checker.matches[variant][row]] = 1
        counts = (pl.lit(1, pl.Int64).alias(side), pl.Series(f"{side}_hit", hit))
        sides.append(spans.select(part, units.gather(spans[PLACE]), *counts))
    named = pl.concat(sides, how="diagonal").filter(pl.col(UNIT) >= 0)
    return named.group_by(part, UNIT).agg(pl.col(SIDES).sum())


def _most_frequent(sums: pl.DataFrame, part: str) -> Iterator[tuple[str | None, Cells]]:
    """The cells of each value, of the most frequent ones alone."""
    counts = sums.group_by(part, *SIDES).agg(pl.len().cast(pl.Int64).alias(COUNT))
    total = ((pl.col("predicted") + pl.col("true")) * pl.col(COUNT)).sum().alias("total")
    order = counts.group_by(part).agg(total).sort("total", part, descending=[True, False], nulls_last=True)
    order = order.head(MOST_VALUES)
    rows, states = placed(counts.join(order, on=part, how="semi", nulls_equal=True), SIDES)
    parts = rows.partition_by(part, as_dict=True)
    for value in order[part]:
        yield value, cells_of(parts[(value,)], states)


def _matches(data: Scored) -> Iterator[pl.DataFrame]:
    """Every matched pair with its score and the parts of it, of each checker and variant."""
    for checker in data.checkers:
        for variant in data.rules:
            pairs, keys = checker.matches[variant], data.keys(checker, variant=variant)
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
