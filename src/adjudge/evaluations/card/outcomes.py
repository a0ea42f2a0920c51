"""Outcomes of the card: how many people agree with a judge on each item, and with one another.

| outcome | when |
|---|---|
| with_all | all people who labelled the item agree with the judge |
| with_most | at least half of them do |
| with_few | fewer do |
| with_none | people differ, and none agrees with the judge |
| against_all | two or more people agree with one another, and the judge says something else |
| one_differs | the only person who labelled it says something else |
| no_people | nobody else labelled it |

Ordered labels agree only if they are equal. How far apart they are stands in the distances.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from adjudge.evaluations.card.reading import CardLabels
from adjudge.schemas.outcomes import first_match, outcomes_frame

PEOPLE = "people"
"""The name of the reference in outcomes."""
MEASURES = ("agrees", "ceiling", "distance", "ceiling_distance")
"""Columns of outcomes: the share of people who agree with the judge, and of pairs of people who agree; how far the
judge is from people on average, and two people are from each other. Null where nobody, or one alone, labelled the item.
"""
TAKEN = frozenset(
    {*MEASURES, "humans", "judge", "person", "who", "bias", "of", "window", "since", "cost"} | {"certainty", "sure"}
)


def outcomes(card: CardLabels, by: Sequence[str]) -> pl.LazyFrame:
    """The outcomes: a row per item and judge. They are cached, since several sections need them."""
    key = tuple(by)
    if key in card.cached_outcomes:
        return card.cached_outcomes[key].lazy()
    people = card.labels_by(card.people, card.first_labels)
    judged = card.labels_by(card.judges, card.first_labels)
    frame = judged.lazy().join(_people_by_item(people).lazy(), on="item", how="left", maintain_order="left")
    compared = compare_with_people(judged, people).lazy()
    frame = frame.join(compared, on=["item", "who"], how="left", maintain_order="left")
    humans = pl.col("humans").fill_null(0)
    outcome = first_match(
        {
            "no_people": humans == 0,
            "with_all": pl.col("agrees") == 1,
            "one_differs": humans == 1,
            "against_all": pl.col("ceiling") == 1,
            "with_none": pl.col("agrees") == 0,
            "with_few": 2 * pl.col("agrees") < 1,
        },
        "with_most",
    )
    columns = {"label": pl.col("label"), "outcome": outcome, "value": pl.col("agrees")}
    columns |= {"reference": pl.lit(PEOPLE), "reference_label": pl.col("usual")}
    every = _frame(card, frame.with_columns(outcome=outcome), by, columns)
    card.cached_outcomes[key] = every.collect()
    return card.cached_outcomes[key].lazy()


def _frame(card: CardLabels, rows: pl.LazyFrame, by: Sequence[str], columns: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """Rows of labels as outcomes. columns: of theirs, besides item, cluster, judge and part."""
    cluster = pl.col("cluster") if card.has("cluster") else pl.lit(None)
    names = {"item": pl.col("item"), "cluster": cluster, "judge": pl.col("who"), "part": pl.lit("label")}
    return outcomes_frame({**names, **columns}, rows, [*by, *MEASURES])


def people_outcomes(card: CardLabels, by: Sequence[str]) -> pl.LazyFrame:
    """Outcomes of people, each compared with the others: a row per person and item that others labelled too."""
    people = card.labels_by(card.people, card.first_labels)
    compared = compare_with_people(people, people).lazy()
    frame = people.lazy().join(compared, on=["item", "who"], maintain_order="left")
    return _frame(card, frame.with_columns(pl.lit(None, pl.Float64).alias(one) for one in MEASURES[1::2]), by, {})


def _people_by_item(people: pl.DataFrame) -> pl.DataFrame:
    """Per item: the number of people (humans), their most frequent label if there is one, agreement, mean distance."""
    counts = people.group_by("item", "label").agg(votes=pl.len().cast(pl.Int64))
    n, votes = pl.col("votes").sum(), pl.col("votes")
    most = votes == votes.max()
    usual = pl.when(most.sum() == 1).then(pl.col("label").sort_by("votes").last())
    agreement = pl.when(n > 1).then((votes * (votes - 1)).sum() / (n * (n - 1)))
    summary = counts.group_by("item").agg(humans=n, usual=usual, ceiling=agreement)
    compared = compare_with_people(people, people).group_by("item", maintain_order=True)
    return summary.join(compared.agg(ceiling_distance=pl.col("distance").mean()), on="item", how="left")


def compare_with_people(labels: pl.DataFrame, people: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Per item, annotator and further keys: the share of other people who agree, and their mean distance.

    labels, people: item, who, label and place.
    """
    others = people.lazy().select("item", other="who", theirs="label", their_place="place")
    pairs = labels.lazy().select("item", "who", *keys, "label", "place")
    pairs = pairs.join(others, on="item", maintain_order="left_right")  # sums depend on the order
    agrees, distance = pl.col("label") == pl.col("theirs"), (pl.col("place") - pl.col("their_place")).abs()
    means = {"agrees": agrees.mean(), "distance": distance.mean()}
    return (
        pairs.filter(pl.col("who") != pl.col("other"))
        .group_by("item", "who", *keys, maintain_order=True)
        .agg(**means)
        .collect()
    )
