"""The alternative annotator test: can the judge replace a human annotator?"""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.evaluations.card.tables import CardPart, CardRow, CardSection
from adjudge.metrics.cells import Integers, unit_name
from adjudge.metrics.tables import TESTED, Keys, estimate_row, rows_by_group
from adjudge.readers.problems import listed
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.alternative_test import LEAST_PEOPLE, alternative_test, benjamini_yekutieli
from adjudge.statistics.proportions import linearised_proportion
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.scores import mean_score

_ROUNDING = 1e-9

METRICS = {
    "winning_rate": MetricSpec(
        "Winning rate",
        "People against whom the judge passes / people who are tested. From 50% on the judge passes.",
        "high",
    ),
    "advantage_probability": MetricSpec(
        "Advantage probability", "Mean over people of the share of items on which the judge is as close.", "high"
    ),
    "advantage": MetricSpec(
        "Judge as close",
        "Items on which the judge is at least as close to the others as the person is / items of both.",
        "high",
    ),
    "person_advantage": MetricSpec(
        "Person as close",
        "Items on which the person is at least as close to the others as the judge is / items of both.",
    ),
}
TABLES = {
    "alternative_test": "The judge in the place of each person: how often either is at least as close to the other "
    "people; ties count for both. p is of the hypothesis that the person is better by epsilon or more. The judge "
    "passes against a person where p, adjusted over people by Benjamini and Yekutieli, is below 1 − confidence."
}


def alternative_test_parts(card: CardLabels, options: CardOptions) -> Iterator[CardPart]:
    """Test each judge against each person, and sum the tests up per judge."""
    by, confidence, least = options.by, options.ci_level, options.min_items
    wins = _win_table(card, by)
    if wins.is_empty():
        yield "No alternative annotator test: it takes items that two or more people labelled."
        return
    table, few = list[Keys](), set[str]()
    for keys, of_judge in rows_by_group(wins, [*by, "judge"]):
        people = {own["person"]: rows for own, rows in rows_by_group(of_judge, ["person"])}
        p_values = []
        for rows in people.values():
            tested = rows if rows.height >= least else rows.clear()
            sides = tested["judge_wins"].to_numpy(), tested["person_wins"].to_numpy()
            clusters = _units(tested, card) if tested.height else None
            p_values.append(alternative_test(*sides, epsilon=options.epsilon, clusters=clusters).p)
        few.update(person for person, p in zip(people, p_values, strict=True) if p is None)
        adjusted = benjamini_yekutieli(p_values)
        known = [one for one in zip(people, p_values, adjusted, strict=True) if one[2] is not None]
        for person, p, p_adjusted in known:
            tests = {"p": p, "p_adjusted": p_adjusted, "tests": len(known)}
            for metric, column, columns in (
                ("advantage", "judge_wins", tests),
                ("person_advantage", "person_wins", dict.fromkeys(tests)),
            ):
                rows = people[person]
                estimate = mean_score(rows[column].to_numpy(), _units(rows, card), confidence=confidence)
                table.append({**estimate_row({**keys, "person": person}, metric, estimate), **columns})
        wins_of_judge = [people[person] for person, *_ in known]
        passed = sum(p < significance_level(confidence) for _, _, p in known if p is not None)
        for metric, estimate in _summaries(wins_of_judge, passed, confidence, least):
            yield CardRow("judges", keys, metric, estimate)
    yield {"alternative_test": typed_table(table, [*by, "judge", "person", *TESTED])}
    if few:
        yield (
            f"Left out of the alternative annotator test, with fewer than {least} items that a judge and others "
            f"labelled too (--min-items), or one cluster: {listed(sorted(few))}."
        )


def _units(rows: pl.DataFrame, card: CardLabels) -> Integers | None:
    return rows["unit"].to_numpy() if card.has("cluster") else None


def _win_table(card: CardLabels, by: Sequence[str]) -> pl.DataFrame:
    """A row per item, judge and person, if others labelled the item: is the judge, is the person as close to them?"""
    labels = card.first_labels
    people = card.labels_by(card.people, labels).select("item", person="who", theirs="label", place="place")
    cluster = ["cluster"] if card.has("cluster") else []
    judged = card.labels_by(card.judges, labels).select("item", *by, *cluster, judge="who", label="label", own="place")
    pairs = judged.lazy().join(people.lazy(), on="item", maintain_order="left_right")  # sums depend on the order
    distances = _disagreement(pairs, people) if card.level == NOMINAL else _distances(pairs, people)
    unit = unit_name("cluster") if card.has("cluster") else pl.lit(0).alias("unit")
    return distances.select(
        *(pl.col(name).cast(pl.String) for name in [*by, "judge", "person"]),
        (pl.col("judge_far") <= pl.col("person_far") + _ROUNDING).alias("judge_wins"),
        (pl.col("person_far") <= pl.col("judge_far") + _ROUNDING).alias("person_wins"),
        pl.col("item").cast(pl.String),
        unit.rank("dense").cast(pl.Int64).alias("unit") - 1,
    ).collect()


def _disagreement(pairs: pl.LazyFrame, people: pl.DataFrame) -> pl.LazyFrame:
    """Add distances of nominal labels: minus the number of others who give the judge's, or the person's, label."""
    votes = people.group_by("item", "theirs").agg(votes=pl.len().cast(pl.Int64)).lazy()
    size = people.group_by("item").agg(size=pl.len()).filter(pl.col("size") > 1).lazy()
    votes_of_label = votes.rename({"theirs": "label", "votes": "own_votes"})
    frame = pairs.join(size, on="item", maintain_order="left")
    frame = frame.join(votes_of_label, on=["item", "label"], how="left", maintain_order="left")
    return frame.join(votes, on=["item", "theirs"], maintain_order="left").with_columns(
        judge_far=(pl.col("label") == pl.col("theirs")).cast(pl.Int64) - pl.col("own_votes").fill_null(0),
        person_far=1 - pl.col("votes"),
    )


def _distances(pairs: pl.LazyFrame, people: pl.DataFrame) -> pl.LazyFrame:
    """Add the mean squared distances of the judge, and of the person, from the other people.

    Places are taken from the item's mean, so that little is lost where they are large and close together.
    """
    placed = people.drop_nulls("place")
    means = placed.group_by("item").agg(middle=pl.col("place").mean(), size=pl.len().cast(pl.Float64))
    from_it = placed.join(means, on="item").with_columns(place=pl.col("place") - pl.col("middle"))
    sums = from_it.group_by("item").agg(total=pl.col("place").sum(), squares=(pl.col("place") ** 2).sum())
    sums_by_item = means.filter(pl.col("size") > 1).join(sums, on="item").lazy()
    judge, person = (pl.col(name) - pl.col("middle") for name in ("own", "place"))

    def far(place: pl.Expr) -> pl.Expr:
        every = pl.col("size") * place**2 - 2 * place * pl.col("total") + pl.col("squares")
        return (every - (place - person) ** 2) / (pl.col("size") - 1)

    return (
        pairs.drop_nulls(["own", "place"])
        .join(sums_by_item, on="item", maintain_order="left")
        .with_columns(judge_far=far(judge), person_far=far(person))
    )


def _summaries(
    wins: Sequence[pl.DataFrame], passed: int, confidence: float, least: int
) -> Iterator[tuple[str, Estimate]]:
    """The winning rate and the mean advantage over the people tested, who share items: these are the sampling units.

    wins: of each person. passed: against how many of them the judge passes.
    """
    people = len(wins)
    if not people:
        missing = f"nobody labelled {least} items, of two clusters or more, that the judge and others labelled too"
        none = Estimate.undefined(f"{missing}; see --min-items", confidence=confidence)
        yield from (("winning_rate", none), ("advantage_probability", none))
        return
    won = Estimate(passed / people, n=people, confidence=confidence)
    if people < LEAST_PEOPLE:
        few = f"the alternative annotator test takes {LEAST_PEOPLE} people; {people} could be tested"
        won = Estimate.undefined(few, n=people, confidence=confidence)
    yield "winning_rate", won
    judge_wins = pl.col("judge_wins").cast(pl.Float64)
    moves = ((judge_wins - judge_wins.mean()) / (pl.len() * people)).alias("moves")
    value = float(np.mean([rows.select(judge_wins.mean()).item() for rows in wins]))
    deviations = pl.concat(rows.select("item", "unit", moves) for rows in wins)
    unit = "unit" if deviations["unit"].max() else "item"
    units = deviations.group_by(unit).agg(pl.col("moves").sum(), items=pl.col("item").n_unique()).sort(unit)
    n, sizes = deviations["item"].n_unique(), units["items"].to_numpy().astype(np.float64)
    estimate = linearised_proportion(value, units["moves"].to_numpy(), n=n, sizes=sizes, confidence=confidence)
    yield "advantage_probability", estimate


ALTERNATIVE_TEST_SECTION = CardSection(METRICS, TABLES, alternative_test_parts)
