"""Prediction-powered estimates: metrics over all items of a judge, corrected by people's labels of some of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from adjudge.errors import OptionError
from adjudge.estimate import Estimate
from adjudge.evaluations import judgments
from adjudge.evaluations.card.label_sample import Floats, LabelSample, label_samples
from adjudge.evaluations.card.reading import FLAGGED, NOMINAL, CardLabels, ChoiceLabels, find_choices
from adjudge.evaluations.card.tables import CardSection, SectionTables, number_spec
from adjudge.metrics.tables import Keys, estimate_row
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas import judgments as schema
from adjudge.spec import ForestPlot, Head, MetricSpec
from adjudge.statistics import Powered, labels_needed, true_rate
from adjudge.version import NAME

SHARES, NUMBERS, BUDGET = "corrected", "corrected_numbers", "budget"
"""The tables: of shares, of metrics in the unit of the labels, and of labels still needed."""
METRIC_NAMES = {
    SHARES: ("by_people", "by_judge", "corrected"),
    NUMBERS: ("mean_by_people", "mean_by_judge", "corrected_mean"),
}
_PEOPLE = "By people's labels alone: of an item with several the mean over people."
_JUDGE = "By the judge's labels of all items alone, with all its errors."
_BOTH = "By both: the judge's figure less its errors on the items that people labelled, as far as it is to be trusted."
METRICS = {
    "by_people": MetricSpec("People", _PEOPLE),
    "by_judge": MetricSpec("Judge alone", _JUDGE),
    "corrected": MetricSpec("Corrected", _BOTH),
    "mean_by_people": number_spec("People's value", _PEOPLE),
    "mean_by_judge": number_spec("Judge's value alone", _JUDGE),
    "corrected_mean": number_spec("Corrected value", _BOTH),
    "worth": number_spec(
        "Worth", "How many items labelled by people would give the corrected interval alone.", decimals=0
    ),
    "judge_weight": number_spec(
        "Weight of the judge",
        "How far its labels count: 0 not at all, 1 as if people had given them.",
        bounds=(0.0, None),
    ),
    "more_labels": number_spec(
        "More, with the judge",
        "How many more items people have to label for an interval as narrow as asked for, with the judge's labels of "
        "all items.",
        "low",
        decimals=0,
    ),
    "more_labels_alone": number_spec(
        "More, by people alone", "The same without the judge's labels.", "low", decimals=0
    ),
}
TABLES = {
    SHARES: "Shares of people's labels, by these alone and together with the judge's labels of items that nobody else "
    "labelled.",
    NUMBERS: "The same of figures in the unit of the labels.",
    BUDGET: "How many more items people have to label for intervals of the width asked for: upper less lower limit.",
}
ALL, FLAG_RATE = "all labels", "flag rate"
_MOST_LABELS, _HALF = 20, 0.5


@dataclass(frozen=True, eq=False)
class CorrectedMetric:
    """A metric of people's labels, corrected. label: the label it is about. bounds: of its values.

    naive: the estimate by the judge's labels alone, if it has one.
    """

    name: str
    powered: Powered
    label: str = ALL
    naive: Estimate | None = None
    bounds: tuple[float, float] | None = (0.0, 1.0)

    @property
    def table(self) -> str:
        """The name of its table."""
        return SHARES if self.bounds == (0, 1) else NUMBERS

    def estimates(self, labels: int) -> Iterator[tuple[str, Estimate]]:
        """Its estimates in the table. labels: the number of items that people labelled."""
        people, judge, both = METRIC_NAMES[self.table]
        found, confidence = self.powered, self.powered.people.confidence
        yield people, found.people
        if self.naive is not None:
            yield judge, self.naive
        yield both, found.corrected
        if found.effective is not None:
            yield "worth", Estimate(found.effective, n=labels, confidence=confidence)
            yield "judge_weight", Estimate(found.weight, n=labels, confidence=confidence)


CorrectedMetrics: TypeAlias = Sequence[tuple[Keys, LabelSample, CorrectedMetric]]
"""Corrected metrics, with the keys of their rows and the labels behind them."""


def metric_tables(metrics: CorrectedMetrics, options: Mapping[str, Any]) -> dict[str, pl.DataFrame]:
    """The tables of corrected metrics, and with a width that of labels still needed."""
    rows: dict[str, list[Keys]] = {SHARES: [], NUMBERS: [], BUDGET: []}
    for keys, sample, metric in metrics:
        named = {**keys, "figure": metric.name, "label": metric.label}
        rows[metric.table] += [estimate_row(named, *estimate) for estimate in metric.estimates(sample.n)]
        if options["width"] is not None:
            rows[BUDGET] += _budget_rows(keys, sample, metric, options)
    columns = [*options["by"], "judge", "figure", "label", *ESTIMATE_COLUMNS]
    return {name: typed_table(rows_of_table, columns) for name, rows_of_table in rows.items() if rows_of_table}


def sampling_caveats(figures: CorrectedMetrics, by: Sequence[str]) -> Iterator[str]:
    """Warn about judges for which the items that people labelled are no random sample."""
    labels = sorted({one.label for _, _, one in figures if one.name == "share"})
    for keys, data in {id(data): (keys, data) for keys, data, _ in figures}.values():
        if said := data.sampling_bias(labels):
            group = "".join(f", {name} {keys[name]}" for name in by)
            yield (
                f"The items that people labelled are no random sample of those of {keys['judge']}{group}: it gives "
                f"{said}. If they were drawn so, --strata or --weights of {NAME} card correct say how; else corrected "
                "figures are wrong."
            )


def excluded_notes(card: CardLabels, figures: CorrectedMetrics, by: Sequence[str]) -> Iterator[str]:
    """Notes on labels without metrics of their own, and on items that a flag rate excludes."""
    more = card.labels["label"].n_unique() - _MOST_LABELS
    if more > 0 and card.level in (NOMINAL, "ordinal"):
        yield f"Corrected figures are those of the {_MOST_LABELS} most frequent labels; {more:,} more are left out."
    for keys, data, one in figures:
        tied = int(np.count_nonzero(data.people_values(_is_label(one.label)) == _HALF)) if one.name == FLAG_RATE else 0
        if tied:
            whose = ", ".join([str(keys["judge"]), *(f"{name} {keys[name]}" for name in by)])
            are = "is" if tied == 1 else "are"
            yield (
                f"The flag rate of {whose} takes the judge's errors from {data.n - tied:,} of the {data.n:,} items "
                f"that people labelled: {tied:,} on which as many give {one.label} as do not {are} left out."
            )


def corrected_metrics(
    card: CardLabels, options: Mapping[str, Any]
) -> Iterator[tuple[Keys, LabelSample, CorrectedMetric]]:
    """All corrected metrics of all judges: keys of the rows, the labels behind them, the metric."""
    sides = find_choices(card, options["choices"])
    most = card.labels["label"].value_counts(sort=True)["label"].cast(pl.String).head(_MOST_LABELS).sort().to_list()
    numbers = card.level in ("interval", "ratio") or list(options["ordered"]) == [schema.NUMBERS]
    for keys, data in label_samples(card, options):
        if card.level in (NOMINAL, "ordinal"):
            for one in chain(_choice_metrics(data, sides), _label_metrics(data, most)):
                yield keys, data, one
        if numbers:
            said = data.judge_values(pl.col("place"))
            found = data.estimate(data.people_values(pl.col("place")), said, bounds=None)
            yield keys, data, CorrectedMetric("mean", found, ALL, data.judge_mean(said, None), None)


def _label_metrics(data: LabelSample, labels: Sequence[str]) -> Iterator[CorrectedMetric]:
    """Shares, accuracy, precision and recall, label by label."""
    shares = {label: (data.people_values(_is_label(label)), data.judge_values(_is_label(label))) for label in labels}
    for label, (theirs, said) in shares.items():
        yield CorrectedMetric("share", data.estimate(theirs, said), label, data.judge_mean(said))
    if (flag := _flag_label(data, labels)) is not None:
        yield _flag_rate(flag, *shares[flag], data)
    sure = data.judge_confidence
    yield CorrectedMetric("accuracy", data.accuracy(), naive=None if sure is None else data.judge_mean(sure))
    for label, (theirs, said) in shares.items():
        if said.any():
            yield CorrectedMetric(
                "precision", data.estimate(theirs, said if sure is None else sure, among=said == 1), label
            )
        if theirs.any():
            hits = theirs * said[: data.n]
            yield CorrectedMetric("recall", data.estimate(hits, said, totals=theirs), label)


def _is_label(label: str) -> pl.Expr:
    return pl.col("label") == label


def _flag_label(data: LabelSample, labels: Sequence[str]) -> str | None:
    """The label whose rate is corrected by the judge's errors: `flagged`, or of two labels the one it gives less often.

    People's own labels may be of items that were chosen for having the rare one.
    """
    if FLAGGED in labels:
        return FLAGGED
    if len(labels) != 2:  # noqa: PLR2004 - with more the judge errs in more than two ways
        return None
    return min(labels, key=lambda label: float(data.judge_values(_is_label(label)).sum()))


def _flag_rate(label: str, theirs: Floats, said: Floats, data: LabelSample) -> CorrectedMetric:
    """The flag rate: how often items that only the judge labelled have the label.

    Where as many people give it as do not, an item says nothing of the judge's errors.
    """
    seen, rest = said[: data.n], said[data.n :]
    yes, no = theirs > _HALF, theirs < _HALF
    found = true_rate(
        *(int(rest.sum()), len(rest)),
        *(int(seen[yes].sum()), int(yes.sum())),
        *(int((1 - seen[no]).sum()), int(no.sum())),
        confidence=data.confidence,
    )
    if found.value is not None and (why := _rate_objection(data)):
        found = Estimate.undefined(why, n=found.n, confidence=found.confidence)
    return CorrectedMetric(FLAG_RATE, Powered(data.estimate(theirs, said).people, found), label, data.judge_mean(rest))


def _rate_objection(data: LabelSample) -> str:
    """Why a flag rate is undefined: it needs independent items that are equally likely to be labelled."""
    if "units" in data.groupings:
        return "not worked out for items in clusters"
    if data.weights is not None or "strata" in data.groupings:
        return "not worked out where items stand for unequal numbers of others (weights, strata)"
    return ""


def _choice_metrics(data: LabelSample, sides: ChoiceLabels | None) -> Iterator[CorrectedMetric]:
    """Win rate and strength of the first of two responses; a label that chooses neither is a tie."""
    if sides is None or not data.has_ties(sides):
        return
    theirs, said = data.people_values(sides.first_chosen), data.judge_values(sides.first_chosen)
    yield CorrectedMetric("win rate", data.estimate(theirs, said), sides.first, data.judge_mean(said))
    both, bounds = (2 * one - 1 for one in (theirs, said)), (-1.0, 1.0)
    theirs, said = both
    yield CorrectedMetric(
        "strength", data.estimate(theirs, said, bounds=bounds), sides.first, data.judge_mean(said, bounds), bounds
    )


_BUDGETED = ("share", "win rate", "strength", "mean", "accuracy")
"""Figures that all labelled items count for; how many the others need depends on which items they turn out to be."""


def _budget_rows(
    keys: Keys, sample: LabelSample, metric: CorrectedMetric, options: Mapping[str, Any]
) -> Iterator[Keys]:
    if metric.name not in _BUDGETED or metric.powered.corrected.low is None:
        return
    items = sample.items.height
    settings = {name: options[name] for name in ("assurance", "confidence")}
    needed = labels_needed(metric.powered, sample.n, items, options["width"], bounds=metric.bounds, **settings)
    named = {**keys, "figure": metric.name, "label": metric.label}
    for name, labels in (("more_labels", needed.with_judge), ("more_labels_alone", needed.alone)):
        more = Estimate.undefined(f"people's labels of all {items:,} items are too few: it takes more items")
        if labels is not None:
            more = Estimate(max(labels - sample.n, 0), n=sample.n, confidence=options["confidence"])
        yield estimate_row(named, name, more)


def corrected_tables(card: CardLabels, options: Mapping[str, Any]) -> SectionTables:
    """Make the tables with `items_without_people`; without it, a note on items that only judges labelled."""
    if not options["items_without_people"]:
        return SectionTables(notes=tuple(_uncounted_items(card)))
    metrics, by = list(corrected_metrics(card, options)), options["by"]
    notes = (*sampling_caveats(metrics, by), *excluded_notes(card, metrics, by))
    return SectionTables(metric_tables(metrics, options), notes)


def _uncounted_items(card: CardLabels) -> Iterator[str]:
    items = card.labels_by(card.people)["item"].unique()
    alone = card.labels_by(card.judges).filter(~pl.col("item").is_in(items.implode()))["item"].n_unique()
    if alone:
        said = f"{alone:,} items are" if alone > 1 else "1 item is"
        yield (
            f"{said} labelled by judges alone and not counted. Where the items that people labelled were drawn at "
            "random, --items-without-people says what these labels are worth, and corrects figures by them."
        )


CORRECTED_SECTION = CardSection(METRICS, TABLES, corrected_tables)
CORRECTED_TABLES = (SHARES, NUMBERS)
"""The tables of which one is the main one of such a report."""
CORRECTED_HEAD = Head(
    "Corrected figures",
    "What would people say of all items, and what are the judge's labels worth?",
    charts=tuple(
        ForestPlot(
            name=name,
            title="People, the judge, and both",
            caption="Figures by people's labels of some items, by the judge's labels of all, and corrected: by the "
            "judge's less its errors on the items that people labelled. With {confidence} intervals.",
            table=name,
            where={"figure": figure},
            label="label",
            metrics=tuple((one,) for one in metrics),
            groups=("judge",),
        )
        for (name, metrics), figure in zip(METRIC_NAMES.items(), ("share", "mean"), strict=True)
    ),
    answers=(),
    over_time=("corrected", "corrected_mean"),
    opening="corrected",
)


class CorrectedReport(NamedTuple):
    """The tables of `card correct`, with warnings and notes."""

    tables: dict[str, pl.DataFrame]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def check_options(options: Mapping[str, Any]) -> None:
    """Raise OptionError for options that need one another, or exclude one another."""
    judgments.check(options)
    if options["weights"] and options["strata"]:
        raise OptionError(
            "strata: leave out --strata, or --weights, which say how often items of each kind were labelled"
        )


def correct(card: CardLabels, options: Mapping[str, Any]) -> CorrectedReport:
    """Make all tables of `card correct`."""
    metrics = list(corrected_metrics(card, options))
    warnings = tuple(sampling_caveats(metrics, options["by"]))
    return CorrectedReport(metric_tables(metrics, options), warnings, tuple(_correction_notes(card, metrics, options)))


def _correction_notes(card: CardLabels, figures: CorrectedMetrics, options: Mapping[str, Any]) -> Iterator[str]:
    how = "within what --weights or --strata say, " if card.has("weights") or card.has("strata") else ""
    sample = f"{how}the items that people labelled have to be a random sample of these"
    flags = "The flag rate may rest on items chosen by what they are in truth, never by what the judge says of them."
    yield f"Corrected figures are about all items that a judge labelled: {sample}. {flags}"
    yield from judgments.scale_notes(card.labels["label"], options)
    yield from excluded_notes(card, figures, options["by"])
    if card.by_cluster:
        yield f"All intervals are clustered by {options['cluster'] or 'cluster'}."
