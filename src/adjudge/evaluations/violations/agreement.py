"""Agreement on the categories of violations that overlap, and of every annotator with every other."""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.violations.checker_matches import MATCHES, MatchSetup, Similarities, set_up_matching
from adjudge.evaluations.violations.match_settings import ALONE, MatchRule
from adjudge.evaluations.violations.metrics import MATCHED, METRICS_BY_KIND, MICRO, OVERLAP, count_matches
from adjudge.evaluations.violations.outcomes import CLUSTER, ScoredCheckers
from adjudge.evaluations.violations.span_matching import SpanSides, match_spans
from adjudge.metrics.cells import StateCells, cells_from_states
from adjudge.metrics.labels import Kappa
from adjudge.metrics.ratios import Count, Share
from adjudge.metrics.tables import Keys, estimate_table, rows_by_group
from adjudge.report import typed_table
from adjudge.schemas.columns import cluster_name
from adjudge.schemas.violations import PLACE, MarkedTexts
from adjudge.spec import MetricSpec

_SAID, _MEANT = "label", "reference_label"
_BOTH = pl.col(_SAID).is_not_null() & pl.col(_MEANT).is_not_null()
_NONE = "no two violations that overlap both have a category"

_AGREEMENT = MetricSpec(
    "Category agreement", "Overlapping violations of the same category / all with one on both sides.", "high"
)
_KAPPA = MetricSpec(
    "Category kappa", "Cohen's kappa of the categories of overlapping violations.", "high", percent=False
)
CATEGORY_METRICS = (
    Share("category_agreement", _AGREEMENT, pl.col(_SAID) == pl.col(_MEANT), _BOTH, reason=_NONE),
    Kappa("category_kappa", _KAPPA, _SAID, _MEANT, _BOTH, reason=_NONE),
)
"""Metrics of violations that overlap, paired one to one, the largest overlap first."""


def category_rows(pairs: pl.DataFrame, predicted: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """PLACE and both categories of matched pairs, null where a side has none."""
    return pl.DataFrame(
        [
            predicted[PLACE].gather(pairs["predicted"]),
            predicted["category"].gather(pairs["predicted"]).cast(pl.String).alias(_SAID),
            truth["category"].gather(pairs["truth"]).cast(pl.String).alias(_MEANT),
        ]
    )


def category_cells(rows: pl.DataFrame, unit: str = PLACE) -> StateCells:
    """The cells of rows from `category_rows`. unit: the column of the sampling unit."""
    return cells_from_states(rows.select(_SAID, _MEANT), rows[unit].rank("dense").cast(pl.Int64).to_numpy() - 1)


def category_tables(data: ScoredCheckers) -> dict[str, pl.DataFrame]:
    """The metrics of each checker's categories, and which are taken for which; none where no category is known."""
    unit = cluster_name(pl.col(CLUSTER), pl.col("item")).alias("unit")
    texts = data.texts.select(unit, *data.by)
    estimates, confusion = [], list[Keys]()
    for checker in data.checkers:
        of_checker = category_rows(checker.tables[OVERLAP, MATCHES], checker.spans, checker.truth)
        for group, rows in rows_by_group(of_checker.hstack(texts[of_checker[PLACE]]), data.by):
            if not rows.select(_BOTH.any()).item():
                continue
            keys, cells = {**group, "checker": checker.name, **data.constants}, category_cells(rows, "unit")
            estimates += [(keys, figure.name, figure.estimate(cells, data.confidence)) for figure in CATEGORY_METRICS]
            counts = rows.group_by(_MEANT, _SAID).len("count").sort(_MEANT, _SAID, nulls_last=True)
            confusion += [keys | row for row in counts.iter_rows(named=True)]
    if not estimates:
        return {}
    columns = [key for key in data.keys if key != "variant"]
    return {
        "categories": estimate_table(columns, estimates),
        "confusion": typed_table(confusion, [*columns, _MEANT, _SAID, "count"]),
    }


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
) -> tuple[pl.DataFrame, MatchSetup]:
    """The table of every annotator (checker) against every other as the truth (reference), by each variant.

    Categories stand in the variant of overlap alone. Texts are the sampling units. Also how violations were matched.
    """
    setup = set_up_matching([one.spans for one in marked], rules, similarities)
    estimates = dict[tuple[str, str], list[tuple[str, str, Estimate]]]()
    for (first, spans_a), (second, spans_b) in combinations(zip(marked, setup.tables, strict=True), 2):
        both = pl.select(pl.lit(first.counted_texts) & pl.lit(second.counted_texts)).to_series()
        ours, theirs = (spans.filter(both.gather(spans[PLACE])) for spans in (spans_a, spans_b))
        sides = SpanSides(ours, theirs, setup.similarities)
        pairs = match_spans(sides, {**setup.rules, OVERLAP: ALONE})
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
    return table, setup
