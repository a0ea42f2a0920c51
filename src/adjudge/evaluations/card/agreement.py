"""Agreement with people beside the human ceiling: margins, rates by label, the alternative annotator test."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.card import metrics, tables
from adjudge.evaluations.card.consistency import RIGHT, majority_labels
from adjudge.evaluations.card.options import CardOptions
from adjudge.evaluations.card.outcomes import outcomes, people_outcomes
from adjudge.evaluations.card.reading import NOMINAL, CardLabels, find_choices
from adjudge.metrics.cells import StateCells, unit_name
from adjudge.metrics.comparison import judge_differences
from adjudge.metrics.metric import Metric, metric_specs
from adjudge.metrics.ratios import Mean, distinct_sums
from adjudge.metrics.tables import (
    DIFFERENCE,
    TESTED,
    Keys,
    cells_by,
    difference_rows,
    estimate_row,
    left_out_table,
    rows_by_group,
    score,
)
from adjudge.readers.problems import listed
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.spec import EQUIVALENCE_SUFFIX, NON_INFERIORITY_SUFFIX, MetricSpec
from adjudge.statistics.comparison import LEAST_PEOPLE, alternative_test, benjamini_yekutieli
from adjudge.statistics.proportions import alone_note, linearised_proportion
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.scores import mean_score, mean_score_limits

_OTHERS_METRICS: dict[Metric, str] = {
    metrics.AGREEMENT: "agreement_with_others",
    metrics.DISTANCE: "distance_from_others",
}
"""Metric of a judge -> its name in the table of judges among people, each compared with the other people."""


def ceiling_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """The main table, margins, and judges among people."""
    by, confidence = options.by, options.ci_level
    several, has_margins = len(card.people) > 1, 2 * significance_level(confidence) < 1
    names = ("judges", "equivalence") if has_margins else ("judges",)
    yield {name: typed_table([], [*by, "judge", *ESTIMATE_COLUMNS]) for name in names}
    if not has_margins:
        yield "Equivalence is unknown: at a confidence of 50% or less one-sided tests show nothing."
    sides = ("judge", outcomes(card, by)), ("person", people_outcomes(card, by))
    for (side, frame), view in product(sides, metrics.level_views(card.level)):
        for keys, cells in cells_by(view.rows(frame, by, {}), view, [*by, "judge"], card.unit):
            named = {name: keys[name] for name in by} | {"annotator": keys["judge"], "side": side}
            for row in score(view, cells, keys, confidence):
                metric = row.metric
                if several and metric in _OTHERS_METRICS:
                    yield tables.CardRow("everyone", named, _OTHERS_METRICS[metric], row.estimate)
                if side == "person":
                    continue
                yield tables.CardRow("judges", keys, metric.name, row.estimate)
                if has_margins and isinstance(metric, Mean) and metric in _MARGIN_METRICS and metric.kind in cells:
                    margins = _margins(metric, cells[metric.kind], confidence)
                    for suffix, margin in zip(_MARGINS, margins, strict=True):
                        yield tables.CardRow("equivalence", keys, f"{_MARGIN_METRICS[metric]}{suffix}", margin)


def comparison_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """Costs of judges, and differences between them."""
    by, confidence, judges = options.by, options.ci_level, outcomes(card, options.by)
    for keys, labels in tables.labels_by_judge(card, by, card.first_labels) if card.has("cost") else ():
        if len(costs := labels["cost"].drop_nulls()):
            mean = Estimate(float(costs.to_numpy().mean()), n=len(costs), confidence=confidence)
            yield tables.CardRow("judges", keys, "cost", mean)
    if len(card.judges) > 1:
        view = metrics.level_views(card.level)[0]
        view = replace(view, metrics=view.metrics[:1])
        compared = view.rows(judges, by, {}).collect()
        names = sorted(compared["judge"].unique().cast(pl.String))
        differences = [*judge_differences(compared, view, names, by, card.unit, confidence)]
        columns = [*by, "first", "second"]
        table = typed_table(difference_rows(differences), [*columns, *DIFFERENCE])
        yield {"differences": table} | left_out_table(differences, columns)
    if judges.select(pl.col("ceiling").is_not_null().any()).collect().item():
        yield "Intervals say what other items would give with the same humans, not what other humans would."


_MARGIN_METRICS: dict[Metric, str] = {metrics.DIFFERENCE: "agreement", metrics.DISTANCE_DIFFERENCE: "distance"}
"""Difference between judge and people -> the name of what differs."""


_MARGINS = {
    NON_INFERIORITY_SUFFIX: ("no worse by", "that the judge is no worse than humans, by a one-sided test"),
    EQUIVALENCE_SUFFIX: ("equivalent within", "that judge and humans are equivalent, by two one-sided tests"),
}
"""Suffix of a margin's metric -> the end of its title, and what it is shown for."""


def _margins(metric: Mean, cells: StateCells, confidence: float) -> tuple[Estimate, Estimate]:
    """The one-sided margin (non-inferiority) and the two-sided margin (equivalence) of a difference.

    Limits at 1 - 2 alpha are where one-sided tests at alpha begin to reject. They are those of the score test
    (`mean_score_limits`), whose variance is the one under the margin.
    """
    wide = 1 - 2 * significance_level(confidence)
    gap = metric.estimate(cells, wide)
    sums, sizes, counts = distinct_sums(cells, *metric.sums(cells.states))
    counted = sizes > 0
    alone = counts[counted].sum() <= 1
    if gap.low is None or alone:
        caveat = alone_note(gap.n) if alone else gap.caveat
        reason = gap.reason or f"the difference has no interval ({caveat.title if caveat else ''})"
        undefined = Estimate.undefined(reason, n=gap.n, confidence=confidence)
        return undefined, undefined
    limits = mean_score_limits(sums[counted], sizes[counted], counts[counted], metric.bounds, confidence=wide)
    low, high = map(float, limits)
    worst = -low if metric.spec.better == "high" else high
    margin = partial(Estimate, n=gap.n, method="score", confidence=confidence, caveat=gap.caveat)
    return margin(max(worst, 0.0)), margin(max(-low, high))


# --- how often a judge gives the label that most human annotators give, by label ---

_MOST_LABELS = 3
"""The most labels for which rates are shown one by one."""
_HUMAN = "human"


def label_rate_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow]:
    """Rates by human label, if humans give two or three labels that do not choose a response."""
    human = majority_labels(card).filter(pl.col(RIGHT) == 1).select("item", pl.col("label").alias(_HUMAN))
    counts = human.group_by(_HUMAN).len().sort("len", _HUMAN)
    few = card.level in (NOMINAL, "ordinal") and 1 < counts.height <= _MOST_LABELS
    if not few or find_choices(card) is not None:
        return
    for keys, labels in tables.labels_by_judge(card, options.by, card.first_labels):
        texts = labels.with_columns(pl.col("item", "label").cast(pl.String))
        both = texts.join(human, on="item", how="inner", maintain_order="left")
        for label in counts[_HUMAN]:
            items = both.filter(pl.col(_HUMAN) == label)
            given = (items["label"] == label).to_numpy().astype(np.float64)
            estimate = mean_score(given, tables.cluster_numbers(items), confidence=options.ci_level)
            yield tables.CardRow("label_rates", {**keys, "label": label}, "label_rate", estimate)


# --- the alternative annotator test: can the judge replace a human annotator? ---

_ROUNDING = 1e-9


def alternative_test_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """Test each judge against each person, and sum the tests up per judge."""
    by, confidence, least = options.by, options.ci_level, options.min_items
    wins = _win_table(card, by)
    if wins.is_empty():
        yield "No alternative annotator test: it takes items that two or more humans labelled."
        return
    table, few = list[Keys](), set[str]()
    for keys, of_judge in rows_by_group(wins, [*by, "judge"]):
        people = {own["person"]: rows for own, rows in rows_by_group(of_judge, ["person"])}
        p_values = []
        for rows in people.values():
            tested = rows if rows.height >= least else rows.clear()
            sides = tested["judge_wins"].to_numpy(), tested["person_wins"].to_numpy()
            clusters = tested["unit"].to_numpy() if tested.height and card.unit else None
            p_values.append(alternative_test(*sides, epsilon=options.epsilon, clusters=clusters).p)
        few.update(person for person, p in zip(people, p_values, strict=True) if p is None)
        adjusted = benjamini_yekutieli(p_values)
        known = [one for one in zip(people, p_values, adjusted, strict=True) if one[2] is not None]
        for person, p, p_adjusted in known:
            rows = people[person]
            units = rows["unit"].to_numpy() if card.unit else None
            estimate = mean_score(rows["judge_wins"].to_numpy(), units, confidence=confidence)
            row = estimate_row({**keys, "person": person}, "advantage", estimate)
            table.append(row | {"p": p, "p_adjusted": p_adjusted, "tests": len(known)})
        wins_of_judge = [people[person] for person, *_ in known]
        passed = sum(p < significance_level(confidence) for _, _, p in known if p is not None)
        for metric, estimate in _summaries(wins_of_judge, passed, confidence, least):
            yield tables.CardRow("judges", keys, metric, estimate)
    yield {"alternative_test": typed_table(table, [*by, "judge", "person", *TESTED])}
    if few:
        yield (
            f"Left out of the alternative annotator test, with fewer than {least} items that a judge and others "
            f"labelled too (--min-items), or one cluster: {listed(sorted(few))}."
        )


def _win_table(card: CardLabels, by: Sequence[str]) -> pl.DataFrame:
    """A row per item, judge and person, if others labelled the item: is the judge, is the person as close to them?

    Names are close if they are equal; other labels by the mean squared distance.
    """
    people = card.labels_by(card.people, card.first_labels).select(
        "item", person="who", theirs="label", their_place="place"
    )
    others = people.rename({"person": "other", "theirs": "other_label", "their_place": "other_place"})
    cluster = ["cluster"] if card.has("cluster") else []
    judged = card.labels_by(card.judges, card.first_labels).select("item", *by, *cluster, "label", "place", judge="who")

    def near(label: str, place: str) -> pl.Expr:
        if card.level == NOMINAL:
            return (pl.col(label) == pl.col("other_label")).mean()
        return -((pl.col(place) - pl.col("other_place")) ** 2).mean()

    frame = judged.lazy()
    for annotators in (people, others):
        frame = frame.join(annotators.lazy(), on="item", maintain_order="left_right")  # sums depend on the order
    compared = frame.filter(pl.col("person") != pl.col("other")).group_by(
        "item", *by, *cluster, "judge", "person", maintain_order=True
    )
    means = compared.agg(own=near("label", "place"), theirs=near("theirs", "their_place")).drop_nulls(["own", "theirs"])
    unit = unit_name("cluster") if cluster else pl.lit(0).alias("unit")
    return means.select(
        *(pl.col(name).cast(pl.String) for name in ["item", *by, "judge", "person"]),
        (pl.col("own") >= pl.col("theirs") - _ROUNDING).alias("judge_wins"),
        (pl.col("theirs") >= pl.col("own") - _ROUNDING).alias("person_wins"),
        unit.rank("dense").cast(pl.Int64).alias("unit") - 1,
    ).collect()


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
        few = f"the alternative annotator test takes {LEAST_PEOPLE} humans; {people} could be tested"
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


# --- the section ---

METRICS = {
    **metric_specs(metrics.NOMINAL, metrics.ORDERED),
    "cost": tables.number_spec(
        "Cost per item",
        "Mean cost of a label; a jury costs what its members do.",
        "low",
        decimals=6,
        bounds=(0.0, None),
    ),
    "agreement_with_others": tables.mean_share_spec(
        "Agreement with others", "Mean over items of the share of the other humans who give the same label.", "high"
    ),
    "distance_from_others": tables.number_spec(
        "Distance from others", "Mean over items of how far the other humans' labels are.", "low", bounds=(0.0, None)
    ),
    "label_rate": MetricSpec(
        "Human label given",
        "Items to which the judge gives the humans' majority label / items with a single such label.",
        better="high",
    ),
    "winning_rate": MetricSpec(
        "Winning rate", "Humans against whom the judge passes / humans tested; from 50% on it passes.", "high"
    ),
    "advantage_probability": MetricSpec(
        "Advantage probability",
        "Mean over humans of the share of items on which the judge is at least as close.",
        "high",
    ),
    "advantage": MetricSpec(
        "Judge as close",
        "Items on which the judge is at least as close to the others as the human / items of both.",
        better="high",
    ),
    **{
        f"{name}{suffix}": MetricSpec(
            f"{name.capitalize()}: {title}",
            f"The smallest margin at which the data show {meaning}.",
            better="low",
            percent=percent,
            of_shares=percent,
            margin=True,
            bounds=bounds,
        )
        for name, percent, bounds in (("agreement", True, (0.0, 1.0)), ("distance", False, (0.0, None)))
        for suffix, (title, meaning) in _MARGINS.items()
    },
}
TABLES = {
    "judges": "Each judge's agreement with humans, the human ceiling on items that two or more labelled, and the gap.",
    "differences": "Whether two judges differ in their agreement with humans, paired on the items that both labelled.",
    "left_out": "Items that a difference leaves out because only one judge has the metric there, and why.",
    "everyone": "Judges among humans: each compared with the other humans, on whatever items both labelled.",
    "label_rates": "How often a judge gives each majority label of humans, the rarest label first.",
    "alternative_test": "The judge in the place of each human: how often either is at least as close to the other "
    "humans; ties count for both. p is of the hypothesis that the human is better by epsilon or more, adjusted over "
    "humans (Benjamini-Yekutieli).",
    "equivalence": "The smallest non-inferiority and equivalence margins that the data show, by one-sided score tests "
    "with the variance under the margin.",
}


def agreement_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardPart]:
    """All parts of the section."""
    yield from ceiling_parts(card, options)
    yield from comparison_parts(card, options)
    yield from label_rate_parts(card, options)
    yield from alternative_test_parts(card, options)


AGREEMENT_SECTION = tables.CardSection(METRICS, TABLES, agreement_parts)
