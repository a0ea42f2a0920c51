"""Prediction-powered estimates: metrics over all items of a judge, corrected by people's labels of some of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.estimate import Estimate
from adjudge.evaluations import judgments
from adjudge.evaluations.card import tables
from adjudge.evaluations.card.consistency import CONFIDENCE, confidence_shares
from adjudge.evaluations.card.options import AnyOptions, CardOptions, CorrectOptions
from adjudge.evaluations.card.reading import FLAGGED, NOMINAL, CardLabels, ChoiceLabels, find_choices, reading_options
from adjudge.metrics.cells import Floats, Integers, Mask
from adjudge.metrics.tables import Keys
from adjudge.readers.problems import count_words
from adjudge.schemas import judgments as schema
from adjudge.spec import MetricSpec, Variant
from adjudge.statistics.comparison import independent_difference
from adjudge.statistics.prediction_powered import Powered, prediction_powered, true_rate
from adjudge.version import NAME

_UNLIKELY = 0.001
"""The probability that a random sample is reported as not random."""


@dataclass(frozen=True, eq=False)
class LabelSample:
    """The items of a judge, the first n of which people labelled.

    items: a row per item with the judge's label, its place on the scale, and the item's other columns. votes: a row per
    label of people: the number of its item, label and place. n: how many items people labelled. groupings: clusters and
    strata of items, for `prediction_powered`: a number for each item. weights: how many items each labelled one stands
    for, if they differ.
    """

    items: pl.DataFrame
    votes: pl.DataFrame
    n: int
    groupings: Mapping[str, Integers]
    weights: Floats | None
    confidence: float

    def judge_values(self, expression: pl.Expr) -> Floats:
        """An expression of the judge's labels, for all items."""
        return self.items.select(expression.cast(pl.Float64)).to_series().to_numpy()

    def people_values(self, expression: pl.Expr) -> Floats:
        """An expression of people's labels, for labelled items: the mean over people."""
        means = self.votes.group_by("at").agg(mean=expression.cast(pl.Float64).mean())
        return means.sort("at")["mean"].to_numpy()

    @property
    def judge_confidence(self) -> Floats | None:
        """The judge's confidence per item; None unless it is given for all items."""
        if CONFIDENCE not in self.items.columns or self.items[CONFIDENCE].has_nulls():
            return None
        return self.items[CONFIDENCE].to_numpy()

    def accuracy(self) -> Powered:
        """How often people agree with the judge, predicted by the judge's confidence if all items have one.

        Without confidence, the prediction for an item is the mean agreement on the other labelled items to which the
        judge gives the same label; if there are none, the mean agreement on all labelled items.
        """
        judge = self.items.head(self.n).select(judge="label", at=pl.int_range(pl.len()))
        compared = replace(self, votes=self.votes.join(judge, on="at"))
        agreement = compared.people_values(pl.col("label") == pl.col("judge"))
        if self.judge_confidence is not None:
            return self.estimate(agreement, self.judge_confidence)
        codes, ones = self.items["label"].rank("dense").to_numpy(), np.ones(self.n)
        sums, sizes = (  # without items numpy counts in whole numbers
            np.bincount(codes[: self.n], values, codes.max() + 1)[codes].astype(np.float64)
            for values in (agreement, ones)
        )
        sums[: self.n] -= agreement
        sizes[: self.n] -= 1
        mean = agreement.mean() if self.n else 0.0
        expected: Floats = np.divide(sums, sizes, out=np.full(len(codes), mean), where=sizes > 0)
        return replace(self, groupings={**self.groupings, "kinds": codes}).estimate(agreement, expected)

    def judge_mean(
        self, values: Floats, bounds: tuple[float, float] | None = (0.0, 1.0), place: slice | None = None
    ) -> Estimate:
        """The mean of the judge's values. place: the position of their items among all, by default at the end."""
        at = place or slice(self.items.height - len(values), None)
        units = self.groupings["units"][at] if "units" in self.groupings else None
        return prediction_powered(values, 0 * values, units=units, bounds=bounds, confidence=self.confidence).people

    def estimate(
        self,
        labels: Floats,
        predictions: Floats,
        *,
        bounds: tuple[float, float] | None = (0.0, 1.0),
        totals: Floats | None = None,
        among: Mask | None = None,
    ) -> Powered:
        """The estimate by people's labels, and the corrected one.

        labels, totals: of the labelled items. predictions: the judge's values of all items. among: which items count;
        by default all do.
        """
        count = np.ones(len(predictions), dtype=bool) if among is None else among
        labelled, rest = np.flatnonzero(count[: self.n]), self.n + np.flatnonzero(count[self.n :])
        codes: dict[str, Any] = {name: codes[labelled] for name, codes in self.groupings.items()}
        return prediction_powered(
            labels[labelled],
            predictions[labelled],
            predictions[rest],
            totals=None if totals is None else totals[labelled],
            weights=None if self.weights is None else self.weights[labelled],
            bounds=bounds,
            confidence=self.confidence,
            **codes,
            **{f"other_{name}": codes[rest] for name, codes in self.groupings.items()},
        )


def label_samples(card: CardLabels, options: AnyOptions) -> Iterator[tuple[Keys, LabelSample]]:
    """The sample of each group and judge, with the keys of its rows in tables. Each annotator's first label counts.

    Raises DataError for weights that are missing or no numbers, and for missing strata.
    """
    first_labels = card.first_labels.with_columns(pl.col("label").cast(pl.String))
    people = card.labels_by(card.people, first_labels).select("item", "label", "place")
    for keys, rows in tables.labels_by_judge(card, options.by, first_labels):
        labelled, rest = (rows.join(people, on="item", how=how, maintain_order="left") for how in ("semi", "anti"))
        items = pl.concat([labelled, rest])
        if card.has("certainty"):
            shares = confidence_shares(rows)[0].select(pl.col("item").cast(items["item"].dtype), CONFIDENCE)
            items = items.join(shares, on="item", how="left", maintain_order="left")
        votes = people.join(labelled.select("item", at=pl.int_range(pl.len())), on="item", how="inner")
        weights = _item_weights(card, labelled) if card.has("weights") else None
        yield keys, LabelSample(items, votes, labelled.height, _item_groupings(items), weights, options.ci_level)


def _item_groupings(items: pl.DataFrame) -> dict[str, Integers]:
    """Clusters and strata of items as numbers. Raises DataError for an item without a stratum."""
    units = tables.cluster_numbers(items)
    groupings = {} if units is None else {"units": units}
    if "strata" in items.columns:
        strata = items["strata"].cast(pl.String).str.strip_chars().replace("", None)
        _check_items("strata", items["item"].filter(strata.is_null()), "a group for each item that a judge labelled")
        groupings["strata"] = strata.rank("dense").to_numpy()
    return groupings


def _item_weights(card: CardLabels, labelled: pl.DataFrame) -> Floats:
    """How many items each item stands for that people labelled."""
    given = card.labels.select("item", weight=pl.col("weights").cast(pl.String).str.strip_chars())
    given = given.filter(pl.col("weight") != "").unique("item", keep="first", maintain_order=True)
    weights = labelled.select("item").join(given, on="item", how="left", maintain_order="left")
    number = pl.col("weight").cast(pl.Float64, strict=False)
    wrong = weights.filter(~((number > 0) & number.is_finite()).fill_null(value=False))
    _check_items("weights", wrong["item"], "a number above 0 for each item that human annotators labelled")
    return weights.select(number).to_series().to_numpy()


def _check_items(option: str, wrong: pl.Series, expected: str) -> None:
    """Raises DataError for items whose column says nothing that is valid."""
    if len(wrong):
        problem = f"{flag_name(option)}: expected {expected}; item {wrong[0]} has none"
        raise DataError([problem], more=len(wrong) - 1, fix=f"fill in the column, or leave out {flag_name(option)}")


CORRECTED_TABLES = {
    "corrected": ("by_people", "by_judge", "corrected"),
    "corrected_numbers": ("mean_by_people", "mean_by_judge", "corrected_mean"),
}
"""The tables of shares, and of metrics in the unit of the labels -> the metrics by humans, by the judge, and by both.

The main table of a report of `card correct` is one of these.
"""
_PEOPLE = "From human labels alone: their mean on each item."
_JUDGE = "From the judge's labels of all items alone, with all its errors."
_BOTH = "From both: the judge's metric less its errors on items that humans labelled (prediction-powered)."
METRICS = {
    "by_people": MetricSpec("Humans alone", _PEOPLE),
    "by_judge": MetricSpec("Judge alone", _JUDGE),
    "corrected": MetricSpec("Corrected", _BOTH),
    "mean_by_people": tables.number_spec("Humans' value", _PEOPLE),
    "mean_by_judge": tables.number_spec("Judge's value alone", _JUDGE),
    "corrected_mean": tables.number_spec("Corrected value", _BOTH),
    "worth": tables.number_spec("Effective n", "Human labels that would give the same interval.", decimals=0),
    "judge_weight": tables.number_spec(
        "Weight of the judge", "Weight of its labels: 0 ignores them, 1 counts them fully.", bounds=(0.0, None)
    ),
}
_MOST_LABELS = 20
TABLES = {
    "corrected": "Shares of the 20 most frequent human labels: by these alone, and with the judge's labels of "
    "items that only it labelled.",
    "corrected_numbers": "The same of metrics in the unit of the labels.",
}
ALL, _HALF = "all labels", 0.5


class CorrectedMetric(NamedTuple):
    """A corrected metric of people's labels. label: the label that it counts. bounds: of its values.

    naive: the estimate by the judge's labels alone, if there is one.
    """

    name: str
    powered: Powered
    label: str = ALL
    naive: Estimate | None = None
    bounds: tuple[float, float] | None = (0.0, 1.0)


def corrected_rows(card: CardLabels, options: AnyOptions) -> Iterator[tables.CardRow]:
    """Rows of all corrected metrics of all judges."""
    sides = find_choices(card)
    most = card.labels["label"].value_counts(sort=True)["label"].cast(pl.String).head(_MOST_LABELS).sort().to_list()
    numbers = card.level in ("interval", "ratio") or list(options.ordered) == [schema.NUMBERS]
    for keys, sample in label_samples(card, options):
        metrics = list[CorrectedMetric]()
        if card.level in (NOMINAL, "ordinal"):
            metrics += [*_choice_metrics(sample, sides), *_label_metrics(sample, most)]
        if numbers:
            judge = sample.judge_values(pl.col("place"))
            powered = sample.estimate(sample.people_values(pl.col("place")), judge, bounds=None)
            metrics.append(CorrectedMetric("mean", powered, ALL, sample.judge_mean(judge, None), None))
        for metric in metrics:
            powered, named = metric.powered, {**keys, "figure": metric.name, "label": metric.label}
            table = "corrected" if metric.bounds == (0, 1) else "corrected_numbers"
            values = powered.people, metric.naive, powered.corrected
            estimates = dict(zip(CORRECTED_TABLES[table], values, strict=True))
            if powered.effective is not None:
                known = partial(Estimate, n=sample.n, confidence=sample.confidence)
                estimates |= {"worth": known(powered.effective), "judge_weight": known(powered.weight)}
            for name, estimate in estimates.items():
                if estimate is not None:
                    yield tables.CardRow(table, named, name, estimate)


def sampling_caveats(card: CardLabels, options: AnyOptions) -> Iterator[str]:
    """Warn about judges that give a label more or less often on the items that people labelled than on the others.

    Unless weights or strata say how items were drawn. A random sample is reported with a probability of 0.001 at most.
    """
    if card.has("weights") or card.has("strata") or card.level not in (NOMINAL, "ordinal"):
        return
    for keys, sample in label_samples(card, options):
        labels = sample.items["label"].value_counts(sort=True)["label"].head(_MOST_LABELS).sort()
        strict = replace(sample, confidence=1 - _UNLIKELY / max(len(labels), 1))
        for label in labels if 0 < sample.n < sample.items.height else ():
            values, places = sample.judge_values(_is_label(label)), (slice(sample.n), slice(sample.n, None))
            labelled, rest = (strict.judge_mean(values[place], place=place) for place in places)
            change = independent_difference(labelled, rest).estimate
            if change.low is not None and change.high is not None and not change.low <= 0 <= change.high:
                group = "".join(f", {name} {keys[name]}" for name in options.by)
                yield (
                    f"The items that humans labelled are no random sample of those of {keys['judge']}{group}: it gives "
                    f'"{label}" to {labelled.value:.0%} of them and to {rest.value:.0%} of the others. If they were '
                    f"drawn so, --strata or --weights of {NAME} card correct say how; else corrected metrics are wrong."
                )
                break


def _label_metrics(data: LabelSample, labels: Sequence[str]) -> Iterator[CorrectedMetric]:
    """Shares, accuracy, precision and recall, label by label, and the flag rate.

    That is the rate of `flagged`, or of two labels of the one that the judge gives less often: people's own labels may
    be of items that were chosen for having the rare one.
    """
    shares = {label: (data.people_values(_is_label(label)), data.judge_values(_is_label(label))) for label in labels}
    for label, (people, judge) in shares.items():
        yield CorrectedMetric("share", data.estimate(people, judge), label, data.judge_mean(judge))
    if FLAGGED in labels:
        yield _flag_rate(FLAGGED, *shares[FLAGGED], data)
    elif len(labels) == 2:  # noqa: PLR2004 - with more the judge errs in more than two ways
        rarer = min(labels, key=lambda label: float(shares[label][1].sum()))
        yield _flag_rate(rarer, *shares[rarer], data)
    sure = data.judge_confidence
    yield CorrectedMetric("accuracy", data.accuracy(), naive=None if sure is None else data.judge_mean(sure))
    for label, (people, judge) in shares.items():
        if judge.any():
            precision = data.estimate(people, judge if sure is None else sure, among=judge == 1)
            yield CorrectedMetric("precision", precision, label)
        if people.any():
            recall = data.estimate(people * judge[: data.n], judge, totals=people)
            yield CorrectedMetric("recall", recall, label)


def _is_label(label: str) -> pl.Expr:
    return pl.col("label") == label


def _flag_rate(label: str, people: Floats, judge: Floats, data: LabelSample) -> CorrectedMetric:
    """The flag rate: how often items that only the judge labelled have the label.

    An item on which as many people give the label as do not tells nothing about the judge's errors. Undefined unless
    items are independent and equally likely to be labelled.
    """
    labelled, rest = judge[: data.n], judge[data.n :]
    yes, no = people > _HALF, people < _HALF
    rate = true_rate(
        *(int(rest.sum()), len(rest)),
        *(int(labelled[yes].sum()), int(yes.sum())),
        *(int((1 - labelled[no]).sum()), int(no.sum())),
        confidence=data.confidence,
    )
    if rate.value is not None and (data.groupings or data.weights is not None):
        reason = "not worked out for items in clusters, or with weights or strata"
        rate = Estimate.undefined(reason, n=rate.n, confidence=rate.confidence)
    powered = Powered(data.estimate(people, judge).people, rate)
    return CorrectedMetric("flag rate", powered, label, data.judge_mean(rest))


def _choice_metrics(data: LabelSample, sides: ChoiceLabels | None) -> Iterator[CorrectedMetric]:
    """Win rate and strength of the first of two responses; a label that chooses neither is a tie."""
    if sides is None or pl.concat([data.items["label"], data.votes["label"]]).is_in([sides.first, sides.second]).all():
        return
    chosen = data.people_values(sides.first_chosen), data.judge_values(sides.first_chosen)
    for name, bounds in (("win rate", (0.0, 1.0)), ("strength", (-1.0, 1.0))):
        people, judge = (bounds[0] + (bounds[1] - bounds[0]) * side for side in chosen)
        powered = data.estimate(people, judge, bounds=bounds)
        yield CorrectedMetric(name, powered, sides.first, data.judge_mean(judge, bounds), bounds)


def corrected_parts(card: CardLabels, options: CardOptions) -> Iterator[tables.CardRow | str]:
    """Rows with `items_without_people`; without it, a note on items that only judges labelled."""
    if options.items_without_people:
        yield from corrected_rows(card, options)
        yield from sampling_caveats(card, options)
        return
    items = card.labels_by(card.people)["item"].unique()
    if alone := card.labels_by(card.judges).filter(~pl.col("item").is_in(items.implode()))["item"].n_unique():
        yield (
            f"{count_words(alone, 'item is', 'items are')} labelled by judges alone and not counted. Where the items "
            "that humans labelled were drawn at random, --items-without-people says what these labels are worth, and "
            "corrects metrics by them."
        )


_SAMPLE = (
    "Corrected metrics are about all items that a judge labelled: {}the items that humans labelled have to be a random "
    "sample of these. The flag rate may rest on items chosen by what they are in truth, never by what the judge says."
)
CORRECTED_SECTION = tables.CardSection(METRICS, TABLES, corrected_parts)
declare_corrected: Variant = partial(
    replace,
    title="Prediction-powered (PPI) estimates",
    question="What would humans say of all items?",
    answers=(),
    over_time=("corrected", "corrected_mean"),
)


def check_options(options: CorrectOptions) -> None:
    """Raise OptionError for options that need one another, or exclude one another."""
    judgments.check(reading_options(options), options)
    if options.weights and options.strata:
        problem = f"leave out this or {flag_name('weights')}, which says how often items of each kind were labelled"
        raise OptionError(problem, option="strata")


def correct(
    card: CardLabels, options: CorrectOptions
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...], tuple[str, ...]]:
    """All tables of `card correct`, with warnings and notes."""
    how = "within what --weights or --strata say, " if card.has("weights") or card.has("strata") else ""
    clustered = [f"All intervals are clustered by {options.cluster or 'cluster'}."] * card.has("cluster")
    frames, _ = tables.tables_of_parts(corrected_rows(card, options), TABLES, options.by)
    doubts = judgments.scale_warnings(card.labels["label"], options)
    return frames, (*sampling_caveats(card, options), *doubts), (_SAMPLE.format(how), *clustered)
