"""The alternative annotator test: can the judge replace a human annotator?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.reading import NOMINAL, CardLabels
from adjudge.evaluations.card.tables import CardPart, CardRow, CardSection
from adjudge.metrics.cells import unit_name
from adjudge.metrics.tables import TESTED, Keys, estimate_row, rows_by_group
from adjudge.readers.problems import listed
from adjudge.report import typed_table
from adjudge.spec import MetricSpec
from adjudge.statistics.alternative_test import LEAST_PEOPLE, Against, alternative_test, benjamini_yekutieli
from adjudge.statistics.proportions import linearised_proportion
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.scores import mean_score

_ROUNDING = 1e-9

METRICS = {
    "winning_rate": MetricSpec(
        "Winning rate",
        "People than whom the judge is shown to be no worse by epsilon / people who are tested. From 50% on the judge "
        "passes the alternative annotator test.",
        better="high",
    ),
    "advantage_probability": MetricSpec(
        "Advantage probability", "Mean over people of the share of items on which the judge is as close.", "high"
    ),
    "advantage": MetricSpec(
        "Judge as close",
        "Items on which the judge is at least as close to the other people as the person is / items of both.",
        better="high",
    ),
    "person_advantage": MetricSpec(
        "Person as close",
        "Items on which the person is at least as close to the other people as the judge is / items of both.",
    ),
}
TABLES = {
    "alternative_test": "The judge in the place of each person: how often either is at least as close to the other "
    "people; ties count for both. p is of the hypothesis that the person is better by epsilon or more. The judge "
    "passes against a person where p, adjusted over people by Benjamini and Yekutieli, is below 1 − confidence."
}


@dataclass(frozen=True, eq=False)
class _PersonTest:
    """The test of a judge against one person. rows: judge_wins, person_wins, unit. p: adjusted."""

    name: str
    rows: pl.DataFrame
    result: Against
    p: float | None = None


def alternative_test_parts(card: CardLabels, options: CardOptions) -> Iterator[CardPart]:
    """Test each judge against each person, and sum the tests up per judge."""
    by, confidence, clustered = options.by, options.ci_level, card.has("cluster")
    wins = _win_table(card, by)
    if wins.is_empty():
        yield "No alternative annotator test: it takes items that two or more people labelled."
        return
    tested, few, least = list[Keys](), set[str](), options.min_items
    for keys, rows in rows_by_group(wins, [*by, "judge"]):
        people = _test_people(rows, options.epsilon, least, clustered=clustered)
        few |= {person.name for person in people if person.result.p is None}
        known = [person for person in people if person.p is not None]
        for person in known:
            named = {**keys, "person": person.name}
            units = person.rows["unit"].to_numpy() if clustered else None
            judge, other = (
                mean_score(person.rows[column].to_numpy(), units, confidence=confidence)
                for column in ("judge_wins", "person_wins")
            )
            tests = {"p": person.result.p, "p_adjusted": person.p, "tests": len(known)}
            tested.append({**estimate_row(named, "advantage", judge), **tests})
            tested.append({**estimate_row(named, "person_advantage", other), **dict.fromkeys(tests)})
        for metric, estimate in _summaries(known, confidence, least):
            yield CardRow("judges", keys, metric, estimate)
    yield {"alternative_test": typed_table(tested, [*by, "judge", "person", *TESTED])}
    if few:
        yield (
            f"Left out of the alternative annotator test, with fewer than {least} items that a judge and others "
            f"labelled too (--min-items), or one cluster: {listed(sorted(few))}."
        )


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


def _test_people(rows: pl.DataFrame, epsilon: float, least: int, *, clustered: bool) -> list[_PersonTest]:
    """Test the judge against each person, with p adjusted over people."""
    tests = []
    for keys, shared in rows_by_group(rows, ["person"]):
        tested = shared if shared.height >= least else shared.clear()
        wins = tested["judge_wins"].to_numpy(), tested["person_wins"].to_numpy()
        units = tested["unit"].to_numpy() if clustered and tested.height else None
        tests.append(_PersonTest(keys["person"], shared, alternative_test(*wins, epsilon=epsilon, clusters=units)))
    adjusted_p = benjamini_yekutieli([test.result.p for test in tests])
    return [replace(test, p=p) for test, p in zip(tests, adjusted_p, strict=True)]


def _summaries(tested: Sequence[_PersonTest], confidence: float, least: int) -> Iterator[tuple[str, Estimate]]:
    """The winning rate and the mean advantage over the people tested, who share items: these are the sampling units."""
    if not tested:
        reason = (
            f"nobody labelled {least} items, of two clusters or more, that the judge and others labelled too; see "
            "--min-items"
        )
        none = Estimate.undefined(reason, confidence=confidence)
        yield from (("winning_rate", none), ("advantage_probability", none))
        return
    level, people = significance_level(confidence), len(tested)
    wins = sum(test.p < level for test in tested if test.p is not None)
    won = Estimate(wins / people, n=people, confidence=confidence)
    if people < LEAST_PEOPLE:
        few = f"the alternative annotator test takes {LEAST_PEOPLE} people; {people} could be tested"
        won = Estimate.undefined(few, n=people, confidence=confidence)
    yield "winning_rate", won
    shares = [float(test.rows["judge_wins"].mean()) for test in tested]  # type: ignore[arg-type]
    value = float(np.mean(shares))
    deviations = pl.concat(
        test.rows.select(
            "item", "unit", moves=(pl.col("judge_wins").cast(pl.Float64) - share) / (test.rows.height * people)
        )
        for test, share in zip(tested, shares, strict=True)
    )
    n = deviations["item"].n_unique()
    unit = "unit" if deviations["unit"].max() else "item"
    units = deviations.group_by(unit).agg(pl.col("moves").sum(), items=pl.col("item").n_unique()).sort(unit)
    sizes = units["items"].to_numpy().astype(np.float64)
    moves = units["moves"].to_numpy()
    yield "advantage_probability", linearised_proportion(value, moves, n=n, sizes=sizes, confidence=confidence)


ALTERNATIVE_TEST_SECTION = CardSection(METRICS, TABLES, alternative_test_parts)
