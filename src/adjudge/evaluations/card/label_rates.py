"""How often a judge gives the label that most human annotators give, by label: true positive and negative rates."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from adjudge.evaluations.card.calibration import RIGHT, majority_labels
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import NOMINAL, CardLabels, find_choices
from adjudge.evaluations.card.tables import CardRow, CardSection, cluster_numbers, labels_by_judge
from adjudge.spec import MetricSpec
from adjudge.statistics.scores import mean_score

_MOST_LABELS = 3
"""The most labels for which rates are shown one by one."""
_HUMAN = "human"

_METRICS = {
    "label_rate": MetricSpec(
        "Human label given",
        "Items to which the judge gives the label that most human annotators give / these items; items without a "
        "single most frequent label do not count.",
        better="high",
    )
}
_TABLES = {
    "label_rates": "How often a judge gives each label that most human annotators give, the rarest label first: of two "
    "labels its true positive and true negative rates."
}


def label_rate_parts(card: CardLabels, options: CardOptions) -> Iterator[CardRow]:
    """Rates by human label, if humans give two or three labels that do not choose a response."""
    human = majority_labels(card).filter(pl.col(RIGHT) == 1).select("item", pl.col("label").alias(_HUMAN))
    counts = human.group_by(_HUMAN).len().sort("len", _HUMAN)
    few = card.level in (NOMINAL, "ordinal") and 1 < counts.height <= _MOST_LABELS
    if not few or find_choices(card, options.choices) is not None:
        return
    for keys, labels in labels_by_judge(card, options.by, card.first_labels):
        texts = labels.with_columns(pl.col("item", "label").cast(pl.String))
        both = texts.join(human, on="item", how="inner", maintain_order="left")
        for label in counts[_HUMAN]:
            items = both.filter(pl.col(_HUMAN) == label)
            given = (items["label"] == label).to_numpy().astype(np.float64)
            estimate = mean_score(given, cluster_numbers(items), confidence=options.ci_level)
            yield CardRow("label_rates", {**keys, "label": label}, "label_rate", estimate)


LABEL_RATES_SECTION = CardSection(_METRICS, _TABLES, label_rate_parts)
