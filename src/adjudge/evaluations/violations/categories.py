"""Agreement on the categories of violations that overlap."""

import polars as pl

from adjudge.evaluations.violations.match_table import CLUSTER, ScoredCheckers
from adjudge.evaluations.violations.rows import OVERLAP
from adjudge.metrics.cells import StateCells, cells_from_states
from adjudge.metrics.labels import Kappa
from adjudge.metrics.ratios import Share
from adjudge.metrics.tables import Keys, estimate_table, rows_by_group
from adjudge.report import typed_table
from adjudge.schemas.columns import cluster_name
from adjudge.schemas.violations import PLACE
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
        of_checker = category_rows(checker.matches[OVERLAP], checker.spans, checker.truth)
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
