"""Every annotator against every other: how far their violations match on the texts that both saw."""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.violations.categories import CATEGORY_METRICS, category_cells, category_rows
from adjudge.evaluations.violations.match_settings import ALONE, MatchRule, without_parts
from adjudge.evaluations.violations.metrics import METRICS_BY_KIND, MICRO
from adjudge.evaluations.violations.rows import MATCHED, OVERLAP, count_matches
from adjudge.evaluations.violations.similarity_cache import Similarities, similarities_of
from adjudge.evaluations.violations.span_matching import SpanSides, absent_parts, match_spans, with_shared_categories
from adjudge.metrics.cells import cells_from_states
from adjudge.metrics.ratios import Count
from adjudge.metrics.tables import estimate_table
from adjudge.schemas.violations import PLACE, MarkedTexts
from adjudge.spec import MetricSpec

_EXACT = "exact"
_SHOWN = {MATCHED: ("f1", "match_score"), _EXACT: ("exact_f1",)}
_TEXTS = Count("texts", MetricSpec("Texts", "Texts that both saw.", percent=False, decimals=0), pl.lit(value=True))
OF_PAIRS = {
    kind: (_TEXTS, *(one for one in METRICS_BY_KIND[kind] if one.name in names and one.keys["average"] == MICRO))
    for kind, names in _SHOWN.items()
}
"""Metrics of two annotators, by the kind of counts of a text."""

_SWAPPED = {"predicted": "true", "true": "predicted"}


def annotator_matrix(
    marked: Sequence[MarkedTexts], rules: Mapping[str, MatchRule], similarities: Similarities, confidence: float
) -> tuple[pl.DataFrame, dict[str, MatchRule], list[str]]:
    """The table of every annotator (checker) against every other as the truth (reference), by each variant.

    Categories stand in the variant of overlap alone. Texts are the sampling units. Also the rules as they were applied,
    and the parts that no violation has.
    """
    spans = with_shared_categories([one.spans for one in marked])
    absent = absent_parts(spans[0])
    effective = {name: without_parts(rule, absent) for name, rule in rules.items()}
    alike = similarities_of(spans[0], similarities, effective.values())
    estimates = dict[tuple[str, str], list[tuple[str, str, Estimate]]]()
    for (first, spans_a), (second, spans_b) in combinations(zip(marked, spans, strict=True), 2):
        both = pl.select(pl.lit(first.counted_texts) & pl.lit(second.counted_texts)).to_series()
        sides = SpanSides(
            spans_a.filter(both.gather(spans_a[PLACE])), spans_b.filter(both.gather(spans_b[PLACE])), alike
        )
        pairs = match_spans(sides, {**effective, OVERLAP: ALONE})
        tables = {key: table.filter(both) for key, table in count_matches(sides, pairs, len(both)).items()}
        categories = category_cells(category_rows(pairs[OVERLAP], sides.predicted, sides.truth))
        of_categories = [(OVERLAP, one.name, one.estimate(categories, confidence)) for one in CATEGORY_METRICS]
        for names, renamed in (((first.name, second.name), {}), ((second.name, first.name), _SWAPPED)):
            cells = {key: cells_from_states(rows.rename(renamed)) for key, rows in tables.items()}
            of_matches = [
                (variant, figure.name, figure.estimate(cells[variant, kind], confidence))
                for variant, kind in cells
                for figure in OF_PAIRS.get(kind, ())
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
    return table, effective, [part for part in absent if any(part in rule.weighted_parts for rule in rules.values())]
