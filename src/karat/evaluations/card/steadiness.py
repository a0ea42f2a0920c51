"""Steadiness: how far draws of one judge agree, and what several of them are worth."""

from collections.abc import Iterator, Mapping
from typing import Any

from karat.about import Metric
from karat.estimate import Estimate
from karat.evaluations.card.beside import adjusted, judged, units_of
from karat.evaluations.card.draws import Draws, drawn
from karat.evaluations.card.draws_worth import has_majorities, worth
from karat.evaluations.card.reading import NOMINAL, Read
from karat.evaluations.card.section import Made
from karat.figures.tables import TESTED, Keys, figure_table
from karat.formats.findings import listed
from karat.report import typed_table
from karat.statistics.draws import components, pair_agreement
from karat.statistics.scores import mean_score

_MOST_LABELS = 1000
"""More different labels than this are not counted: they are texts, or numbers that ask for their level."""

METRICS = {
    "draws": Metric(
        "Draws",
        "Draws of an item, the mean over items with two or more.",
        percent=False,
        decimals=2,
        between=(2.0, None),
    ),
    "self_agreement": Metric(
        "Self-agreement", "Mean over items of the share of pairs of draws that give the same label.", better="high"
    ),
    "item_variance": Metric(
        "Variance of items",
        "How much labels differ between items beyond what draws do; of labels without an order as a probability that "
        "two differ.",
        percent=False,
        between=(0.0, None),
    ),
    "draw_variance": Metric(
        "Variance of draws",
        "How much draws of the same item differ; of labels without an order the probability that two differ.",
        better="low",
        percent=False,
        between=(0.0, None),
    ),
    "draw_correlation": Metric(
        "Due to items",
        "Variance of items / (variance of items + variance of draws): 1 where all draws of an item are equal.",
        better="high",
        percent=False,
        between=(0.0, 1.0),
    ),
    "majority_agreement": Metric(
        "Majority with people",
        "Agreement with people of the label that most of so many draws give: over all subsets of the draws there are; "
        "labels that tie count in equal parts.",
        better="high",
    ),
    "majority_gain": Metric(
        "Over one draw",
        "That less the agreement of a single draw, on the same items.",
        "high",
        of_shares=True,
        signed=True,
    ),
    "mean_error": Metric(
        "Distance of the mean",
        "Root mean square distance of the mean of so many draws from people's mean; of more draws than there are what "
        "the variance of draws tells.",
        better="low",
        percent=False,
        between=(0.0, None),
    ),
    "mean_gain": Metric(
        "Over one draw's distance", "That less the distance of a single draw.", "low", percent=False, signed=True
    ),
    "reliability_of_mean": Metric(
        "Reliability of the mean",
        "How far the mean of so many draws is due to items, by Spearman and Brown.",
        better="high",
        percent=False,
        between=(0.0, 1.0),
    ),
}
TABLES = {
    "steadiness": "Draws of each judge on the same items: how often they agree, and where the variance of labels comes "
    "from.",
    "draws_worth": "What the majority, or the mean, of several draws is worth against people, beside a single draw.",
}


def made_of(read: Read, options: Mapping[str, Any]) -> Made:
    """Both tables; a note where there are no draws."""
    if not read.has("draw"):
        return Made(notes=("Steadiness is unknown: nothing tells draws of an item apart; give --draw COLUMN.",))
    by, confidence = options["by"], options["confidence"]
    steady, worthy, notes = list[tuple[Keys, str, Estimate]](), list[Keys](), list[str]()
    few = dict[str, None]()
    people, equal = read.of(read.people), read.level in (NOMINAL, "ordinal")
    for keys, labels in judged(read, by):
        if equal and labels["label"].n_unique() > _MOST_LABELS:
            notes.append(f"Steadiness of {keys['judge']} is unknown: it gives more than {_MOST_LABELS:,} labels.")
            continue
        draws = drawn(labels, numbers=not equal)
        if not len(draws.counts):
            notes.append(f"Steadiness of {keys['judge']} is unknown: no item has two draws.")
            continue
        steady += [(keys, metric, found) for metric, found in _steady(draws, read.level, confidence)]
        worthy += worth(draws, people, read.level, keys, confidence)
        if equal and not has_majorities(draws):
            few[keys["judge"]] = None
    tables = {
        "steadiness": figure_table([*by, "judge"], steady),
        "draws_worth": typed_table(
            adjusted(worthy, [*by, "judge", "metric"]), [*by, "judge", "draws", *TESTED], numbers=["draws"]
        ),
    }
    if few:
        notes.append(
            "To tell what the majority of several draws is worth takes three draws of an item or more; these judges "
            f"have two at most: {listed([*few])}."
        )
    return Made({name: table for name, table in tables.items() if table.height}, tuple(notes))


def _steady(draws: Draws, level: str, confidence: float) -> Iterator[tuple[str, Estimate]]:
    units, each = units_of(draws.items), draws.each
    n = len(each)
    yield "draws", Estimate(float(each.mean()), n=n, confidence=confidence)
    if level in (NOMINAL, "ordinal"):
        yield "self_agreement", mean_score(pair_agreement(draws.counts), units, confidence=confidence)
    sums, squares = (draws.counts, each) if level == NOMINAL else (draws.sums[:, None], draws.squares)
    found = components(sums, squares, each, units, confidence=confidence)
    yield "item_variance", Estimate(found.between, n=n, confidence=confidence)
    yield "draw_variance", Estimate(found.within, n=n, confidence=confidence)
    yield "draw_correlation", found.correlation
