"""Figures of people's labels, by these alone and together with a judge's labels of many more items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from karat.about import Metric
from karat.estimate import Estimate
from karat.evaluations.card.labelled import Floats, Labelled, labelled
from karat.evaluations.card.reading import FLAGGED, NOMINAL, Read
from karat.evaluations.card.sides import Sides, sides_of
from karat.figures.tables import Keys, figure_row
from karat.report import FIGURE, typed_table
from karat.schemas import judgments as schema
from karat.statistics import Powered, true_rate

SHARES, NUMBERS = "corrected", "corrected_numbers"
"""The tables: of shares, and of figures in the unit of the labels."""
OF = {SHARES: ("by_people", "by_judge", "corrected"), NUMBERS: ("mean_by_people", "mean_by_judge", "corrected_mean")}
_PEOPLE = "By people's labels alone: of an item with several the mean over people."
_JUDGE = "By the judge's labels of all items alone, with all its errors."
_BOTH = "By both: the judge's figure less its errors on the items that people labelled, as far as it is to be trusted."
METRICS = {
    "by_people": Metric("People", _PEOPLE),
    "by_judge": Metric("Judge alone", _JUDGE),
    "corrected": Metric("Corrected", _BOTH),
    "mean_by_people": Metric("People's value", _PEOPLE, percent=False),
    "mean_by_judge": Metric("Judge's value alone", _JUDGE, percent=False),
    "corrected_mean": Metric("Corrected value", _BOTH, percent=False),
    "worth": Metric(
        "Worth", "How many items labelled by people would give the corrected interval alone.", percent=False, decimals=0
    ),
    "judge_weight": Metric(
        "Weight of the judge",
        "How far its labels count: 0 not at all, 1 as if people had given them.",
        percent=False,
        between=(0.0, None),
    ),
}
TABLES = {
    SHARES: "Shares of people's labels, by these alone and together with the judge's labels of items that nobody else "
    "labelled.",
    NUMBERS: "The same of figures in the unit of the labels.",
}
ALL, FLAG_RATE = "all labels", "flag rate"
_MOST_LABELS, _HALF = 20, 0.5


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of people's labels. label: which it is about. bounds: between which it lies.

    naive: what the judge says alone, where it says anything of it.
    """

    name: str
    powered: Powered
    label: str = ALL
    naive: Estimate | None = None
    bounds: tuple[float, float] | None = (0.0, 1.0)

    @property
    def table(self) -> str:
        """The table that it stands in."""
        return SHARES if self.bounds == (0, 1) else NUMBERS

    def parts(self, labels: int) -> Iterator[tuple[str, Estimate]]:
        """What stands in the table. labels: how many items people labelled."""
        people, judge, both = OF[self.table]
        found, confidence = self.powered, self.powered.people.confidence
        yield people, found.people
        if self.naive is not None:
            yield judge, self.naive
        yield both, found.corrected
        if found.effective is not None:
            yield "worth", Estimate(found.effective, n=labels, confidence=confidence)
            yield "judge_weight", Estimate(found.weight, n=labels, confidence=confidence)


Figures: TypeAlias = Sequence[tuple[Keys, Labelled, Figure]]
"""Figures with what they rest on, and the keys of their rows."""


def tables_of(figures: Figures, by: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The tables of what `figures_of` found."""
    rows: dict[str, list[Keys]] = {SHARES: [], NUMBERS: []}
    for keys, data, one in figures:
        named = {**keys, "figure": one.name, "label": one.label}
        rows[one.table] += [figure_row(named, metric, found) for metric, found in one.parts(data.n)]
    columns = [*by, "judge", "figure", "label", *FIGURE]
    return {name: typed_table(own, columns) for name, own in rows.items() if own}


def doubts(figures: Figures, by: Sequence[str]) -> Iterator[str]:
    """What tells of each judge that the items that people labelled are no random sample of its items."""
    labels = sorted({one.label for _, _, one in figures if one.name == "share"})
    for keys, data in {id(data): (keys, data) for keys, data, _ in figures}.values():
        if said := data.unlike(labels):
            group = "".join(f", {name} {keys[name]}" for name in by)
            yield (
                f"The items that people labelled are no random sample of those of {keys['judge']}{group}: it gives "
                f"{said}. If they were drawn so, --strata or --weights of karat card correct say how; else corrected "
                "figures are wrong."
            )


def left_out(read: Read, figures: Figures, by: Sequence[str]) -> Iterator[str]:
    """Which labels have no figures of their own, and which items a flag rate leaves out."""
    more = read.labels["label"].n_unique() - _MOST_LABELS
    if more > 0 and read.level in (NOMINAL, "ordinal"):
        yield f"Corrected figures are those of the {_MOST_LABELS} most frequent labels; {more:,} more are left out."
    for keys, data, one in figures:
        tied = int(np.count_nonzero(data.people(_gives(one.label)) == _HALF)) if one.name == FLAG_RATE else 0
        if tied:
            whose = ", ".join([str(keys["judge"]), *(f"{name} {keys[name]}" for name in by)])
            are = "is" if tied == 1 else "are"
            yield (
                f"The flag rate of {whose} takes the judge's errors from {data.n - tied:,} of the {data.n:,} items "
                f"that people labelled: {tied:,} on which as many give {one.label} as do not {are} left out."
            )


def figures_of(read: Read, options: Mapping[str, Any]) -> Iterator[tuple[Keys, Labelled, Figure]]:
    """All figures of all judges, with what they rest on and the keys of their rows."""
    sides = sides_of(read, options["choices"])
    most = read.labels["label"].value_counts(sort=True)["label"].cast(pl.String).head(_MOST_LABELS).sort().to_list()
    numbers = read.level in ("interval", "ratio") or list(options["ordered"]) == [schema.NUMBERS]
    for keys, data in labelled(read, options):
        if read.level in (NOMINAL, "ordinal"):
            for one in chain(_of_sides(data, sides), _of_labels(data, most)):
                yield keys, data, one
        if numbers:
            said = data.judge(pl.col("place"))
            found = data.powered(data.people(pl.col("place")), said, bounds=None)
            yield keys, data, Figure("mean", found, ALL, data.alone(said, None), None)


def _of_labels(data: Labelled, labels: Sequence[str]) -> Iterator[Figure]:
    """What people would say of all items, label by label, and how far the judge would be right there."""
    shares = {label: (data.people(_gives(label)), data.judge(_gives(label))) for label in labels}
    for label, (theirs, said) in shares.items():
        yield Figure("share", data.powered(theirs, said), label, data.alone(said))
    if (flag := _flag(data, labels)) is not None:
        yield _rate(flag, *shares[flag], data)
    sure = data.sure
    yield Figure("accuracy", data.accuracy(), naive=None if sure is None else data.alone(sure))
    for label, (theirs, said) in shares.items():
        if said.any():
            yield Figure("precision", data.powered(theirs, said if sure is None else sure, among=said == 1), label)
        if theirs.any():
            hits = theirs * said[: data.n]
            yield Figure("recall", data.powered(hits, said, totals=theirs), label)


def _gives(label: str) -> pl.Expr:
    return pl.col("label") == label


def _flag(data: Labelled, labels: Sequence[str]) -> str | None:
    """The label whose rate is corrected by the judge's errors: flagged, or of two that which the judge gives less.

    People's own labels may be of items that were chosen for having the rare one.
    """
    if FLAGGED in labels:
        return FLAGGED
    if len(labels) != 2:  # noqa: PLR2004 - with more the judge errs in more than two ways
        return None
    return min(labels, key=lambda label: float(data.judge(_gives(label)).sum()))


def _rate(label: str, theirs: Floats, said: Floats, data: Labelled) -> Figure:
    """How often the items that the judge alone labelled have the label.

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
    if found.value is not None and (why := _why_no_rate(data)):
        found = Estimate.undefined(why, n=found.n, confidence=found.confidence)
    return Figure(FLAG_RATE, Powered(data.powered(theirs, said).people, found), label, data.alone(rest))


def _why_no_rate(data: Labelled) -> str:
    """Why the formula does not hold: it is one of independent items, each as likely to be labelled as any other."""
    if "units" in data.apart:
        return "not worked out for items in clusters"
    if data.weights is not None or "strata" in data.apart:
        return "not worked out where items stand for unequal numbers of others (weights, strata)"
    return ""


def _of_sides(data: Labelled, sides: Sides | None) -> Iterator[Figure]:
    """How often the first of two responses wins, and how much more often than the other; what chooses none is a tie."""
    if sides is None or not data.ties(sides):
        return
    theirs, said = data.people(sides.chosen), data.judge(sides.chosen)
    yield Figure("win rate", data.powered(theirs, said), sides.first, data.alone(said))
    both, bounds = (2 * one - 1 for one in (theirs, said)), (-1.0, 1.0)
    theirs, said = both
    yield Figure("strength", data.powered(theirs, said, bounds=bounds), sides.first, data.alone(said, bounds), bounds)
