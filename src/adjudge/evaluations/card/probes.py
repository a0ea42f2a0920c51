"""How often a verdict moves when an item changes in what should not count: biases measured by controlled change."""

import polars as pl

from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import CardLabels
from adjudge.evaluations.card.tables import CardSection, SectionTables, cluster_numbers
from adjudge.metrics.tables import estimate_row, rows_by_group
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.scores import mean_score

_METRICS = {
    "moved": MetricSpec(
        "Verdict moved",
        "Items to which a judge gives another label after the change / items judged with and without it. Items changed "
        "in what should not count, such as length: 0 for a judge without that bias that always says the same.",
        better="low",
    )
}
_TABLES = {"probes": "How often a verdict moved when an item was changed in what should not count."}


def probe_tables(card: CardLabels, options: CardOptions) -> SectionTables:
    """Make the table of probes, if there are labels of changed items; of annotators who judged any."""
    if card.probed is None or card.probed.is_empty():
        return SectionTables()
    before = card.first_labels.select(*options.by, "item", "who", pl.col("label").alias("before"))
    both = card.probed.unique(["item", "who", "probe"], keep="first", maintain_order=True).join(
        before, on=[*options.by, "item", "who"], how="inner", maintain_order="left"
    )
    rows = []
    for keys, labels in rows_by_group(both, [*options.by, "who", "probe"]):
        moved = (labels["label"].cast(pl.String) != labels["before"].cast(pl.String)).to_numpy().astype(float)
        estimate = mean_score(moved, cluster_numbers(labels), confidence=options.ci_level)
        named = {name: keys[name] for name in options.by} | {"judge": keys["who"], "probe": keys["probe"]}
        rows.append(estimate_row(named, "moved", estimate))
    return SectionTables({"probes": typed_table(rows, [*options.by, "judge", "probe", *ESTIMATE_COLUMNS])})


PROBES_SECTION = CardSection(_METRICS, _TABLES, probe_tables)
