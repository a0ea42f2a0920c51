"""Every annotator against every other: how far their violations match on the texts that both saw."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

import polars as pl

from karat.about import Metric
from karat.estimate import Estimate
from karat.evaluations.violations.categories import OF_CATEGORIES, category_cells, category_rows
from karat.evaluations.violations.figures import MICRO, OF_KIND
from karat.evaluations.violations.likeness import Similarities, similarities_of
from karat.evaluations.violations.matching import Sides, absent_parts, matches, with_categories
from karat.evaluations.violations.rows import MATCHED, OVERLAP, tallies
from karat.evaluations.violations.rules import ALONE, Rule, without
from karat.figures.cells import measured
from karat.figures.ratios import Count
from karat.figures.tables import figure_table
from karat.schemas.violations import PLACE, Marked

_EXACT = "exact"
_SHOWN = {MATCHED: ("f1", "match_score"), _EXACT: ("exact_f1",)}
_TEXTS = Count("texts", Metric("Texts", "Texts that both saw.", percent=False, decimals=0), pl.lit(value=True))
OF_PAIRS = {
    kind: (_TEXTS, *(one for one in OF_KIND[kind] if one.name in names and one.keys["average"] == MICRO))
    for kind, names in _SHOWN.items()
}
"""Metrics of two annotators, by the kind of counts of a text."""

_SWAPPED = {"predicted": "true", "true": "predicted"}
_Figures = Iterator[tuple[str, str, Estimate]]
"""Variant, name and estimate."""


def matrix(
    marked: Sequence[Marked], rules: Mapping[str, Rule], similarities: Similarities, confidence: float
) -> tuple[pl.DataFrame, dict[str, Rule], list[str]]:
    """The table of every annotator (checker) against every other as the truth (reference), by each variant.

    Categories stand in the variant of overlap alone. Texts are the sampling units. Also the rules as they were applied,
    and the parts that no violation has.
    """
    spans = with_categories([one.spans for one in marked])
    absent = absent_parts(spans[0])
    effective = {name: without(rule, absent) for name, rule in rules.items()}
    alike = similarities_of(spans[0], similarities, effective.values())
    estimates: dict[tuple[str, str], list[tuple[str, str, Estimate]]] = {}
    for (first, spans_a), (second, spans_b) in combinations(zip(marked, spans, strict=True), 2):
        both = pl.select(pl.lit(first.seen) & pl.lit(second.seen)).to_series()
        sides = Sides(spans_a.filter(both.gather(spans_a[PLACE])), spans_b.filter(both.gather(spans_b[PLACE])), alike)
        pairs = matches(sides, {**effective, OVERLAP: ALONE})
        tables = {key: table.filter(both) for key, table in tallies(sides, pairs, len(both)).items()}
        swapped = {key: table.rename(_SWAPPED) for key, table in tables.items()}
        categories = category_cells(category_rows(pairs[OVERLAP], sides.predicted, sides.truth))
        of_categories = [(OVERLAP, one.name, one.estimate(categories, confidence)) for one in OF_CATEGORIES]
        estimates[first.name, second.name] = [*_figures(tables, confidence), *of_categories]
        estimates[second.name, first.name] = [*_figures(swapped, confidence), *of_categories]
    table = figure_table(
        ["checker", "reference", "variant"],
        (
            ({"checker": checker, "reference": reference, "variant": variant}, name, estimate)
            for checker, reference in permutations([one.name for one in marked], 2)
            for variant, name, estimate in estimates[checker, reference]
        ),
    )
    return table, effective, [part for part in absent if any(part in rule.parts for rule in rules.values())]


def _figures(tables: Mapping[tuple[str, str], pl.DataFrame], confidence: float) -> _Figures:
    for (variant, kind), rows in tables.items():
        cells = measured(rows)
        for figure in OF_PAIRS.get(kind, ()):
            yield variant, figure.name, figure.estimate(cells, confidence)
