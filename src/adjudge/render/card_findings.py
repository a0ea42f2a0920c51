"""Sentences of a card on what its tests show of a judge besides agreement, and on its corrected estimates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from adjudge.display_names import short_name
from adjudge.estimate import Estimate
from adjudge.metrics.ranking import is_significant
from adjudge.metrics.row_selection import TableRow
from adjudge.render.numbers import metric_text
from adjudge.render.wording import MOST_NAMED, Wording, difference_text, joined, joined_first
from adjudge.report import NON_KEY_COLUMNS, Report
from adjudge.spec import MetricSpec

_MORE, _LESS = "more often than people do", "less often than people do"
_PREFERRED = {
    "position": "chooses the response that is shown first",
    "length": "chooses the longer response",
    "formatting": "chooses the response with {of}",
    "own family": "chooses the response of its own family, {of},",
    "label": "gives the label {of}",
}
"""Kind of bias of shares -> what a judge then does more or less often than people."""
_RATED = {
    "height": "gives {side} labels than people",
    "length": "gives longer texts {side} labels than people do, for each doubling",
    "own family": "gives responses of its own family, {of}, {side} labels than people do",
}
_NAMED = {
    "position": "the place",
    "length": "length",
    "formatting": "formatting",
    "own family": "its own family",
    "label": "single labels",
    "height": "the height of labels",
}
_SEVERAL = 5
"""How often a judge gives a label that no person gives, where it is told."""
_TABLES = ("corrected", "corrected_numbers")
_NAIVE = ("by_judge", "mean_by_judge")
_CHIEF = {"share": "shares of labels", "mean": "the mean"}
"""The figures that are told, and what they are called."""
_SAMPLE = (
    "All of this holds only if the items that people labelled are a random sample of those that the judge labelled."
)


@dataclass(frozen=True)
class OfJudge:
    """What is known of a judge in a group.

    rows: of the main table, by figure. group: the values of the `by` columns.
    """

    report: Report
    words: Wording
    group: Mapping[str, Any]
    rows: Mapping[str, TableRow]

    @property
    def name(self) -> str:
        """The judge, for readers."""
        return self.words.judge_of(next(iter(self.rows.values())))

    @property
    def keys(self) -> dict[str, Any]:
        """What tells its rows in every table of the card from those of others."""
        return {**self.group, "judge": next(iter(self.rows.values()))["judge"]}

    def metric(self, name: str) -> MetricSpec:
        """A figure as the report shows it."""
        return self.words.metric(name)

    def figures(self, table: str) -> list[TableRow]:
        """The rows of a table that are about the judge in its group; none where the report lacks it."""
        if table not in self.report.tables:
            return []
        keys = self.keys.items()
        return [row for row in self.report[table].to_dicts() if all(row[key] == value for key, value in keys)]

    def shown(self, row: TableRow) -> bool:
        """Whether the test of a row tells its figure from 0."""
        return is_significant(row["p_adjusted"], self.report.confidence)

    def apart(self, row: TableRow, *, absolute: bool = True) -> str:
        """A difference with its interval."""
        return difference_text(Estimate.from_row(row), self.metric(row["metric"]), absolute=absolute)


def prefers(judge: OfJudge) -> Iterator[str]:
    """The largest bias that a test shows, and which others there are; of shares, else of labels on a scale."""
    for table, metric, said in (("bias", "bias", _PREFERRED), ("bias_scale", "scale_bias", _RATED)):
        tested = [row for row in judge.figures(table) if row["metric"] == metric and row["p"] is not None]
        shown = sorted((row for row in tested if judge.shown(row)), key=lambda row: -abs(row["value"]))
        if shown:
            yield _preferred(judge, shown[0], said) + _others(shown)
            return


def _preferred(judge: OfJudge, row: TableRow, said: dict[str, str]) -> str:
    up = row["value"] > 0
    does = said[row["bias"]].format(of=row["of"], side="higher" if up else "lower")
    if row["metric"] != "bias":
        return f"{judge.name} {does}: by {judge.apart(row)}."
    own = {one["metric"]: one["value"] for one in judge.figures("bias") if _same(one, row)}
    both = " against ".join(metric_text(own[name], judge.metric(name)) for name in ("judge_share", "people_share"))
    sign = "+" if up else ""
    return f"{judge.name} {does} {_MORE if up else _LESS}: {both}, {sign}{judge.apart(row, absolute=False)}."


def foreign_sentences(report: Report) -> Iterator[str]:
    """Labels that judges give several times, and no person on the same items: perhaps spellings of known ones."""
    if "bias" not in report.tables:
        return
    words, given = Wording(report), report["bias"].filter(bias="label")
    keys = [name for name in given.columns if name not in NON_KEY_COLUMNS and name != "metric"]
    nobody = given.filter(pl.col("value") == 0, metric="people_share").select(keys)
    own = given.filter((pl.col("value") * pl.col("n")).round() >= _SEVERAL, metric="judge_share")
    by = [name for name in keys if name not in ("judge", "bias", "of")]
    found: dict[tuple[str, ...], list[str]] = {}
    for row in own.join(nobody, on=keys, how="semi", nulls_equal=True).to_dicts():
        where = words.where({key: row[key] for key in by})
        found.setdefault((where, words.judge(row["judge"])), []).append(f'"{short_name(row["of"])}"')
    for (where, judge), labels in list(found.items())[:MOST_NAMED]:
        named = joined_first(labels, "{} more labels")
        spelt = "perhaps another spelling" if len(labels) == 1 else "perhaps other spellings"
        yield f"{where}{judge} gives {named}, which no person gives on the same items: {spelt} of people's labels."
    if len(found) > MOST_NAMED:
        yield f"So it is with {len(found) - MOST_NAMED:,} more; the table bias has them."


def _same(one: TableRow, other: TableRow) -> bool:
    return (one["bias"], one["of"]) == (other["bias"], other["of"])


def _others(shown: Sequence[TableRow]) -> str:
    """Which further biases are shown, in words."""
    kinds = {row["bias"] for row in shown} - {shown[0]["bias"]}
    named = [name for kind, name in _NAMED.items() if kind in kinds]
    return f" A bias for {', for '.join(named)} is shown too." if named else ""


_MOVED = {
    "agreement_drift": ("agrees with people more often", "agrees with people less often"),
    "distance_drift": ("is farther from people", "is closer to people"),
}
"""What a judge does where a drift is above 0, and where it is below."""


def drifts(judge: OfJudge) -> Iterator[str]:
    """Since when the judge is better or worse on the items that it labelled in every window."""
    for row in judge.figures("drift"):
        if judge.shown(row):
            does = _MOVED[row["metric"]][row["value"] < 0]
            yield f"{judge.name} {does} since {row['since']} than before: by {judge.apart(row)} on the same items."
        elif row["p"] is not None:
            yield f"{judge.name} is not shown to drift over time."


def worse_since(judge: OfJudge) -> str | None:
    """Since when the judge is shown to be worse; None where it is not."""
    rows = [row for row in judge.figures("drift") if judge.shown(row)]
    worse = (row["since"] for row in rows if (row["value"] < 0) == (judge.metric(row["metric"]).better == "high"))
    return next(worse, None)


def is_too_sure(judge: OfJudge) -> bool:
    """Whether the judge is shown to be surer of its labels than it may be."""
    gaps = [row for row in judge.figures("certainty") if row["metric"] == "overconfidence"]
    return any(judge.shown(gap) and gap["value"] > 0 for gap in gaps)


def sure_of_itself(judge: OfJudge) -> Iterator[str]:
    """Whether the judge is surer of its labels than most people bear out, or less sure than single people do."""
    rows = {row["metric"]: row for row in judge.figures("certainty")}
    too_sure = is_too_sure(judge)
    gap = rows.get("overconfidence" if too_sure else "overconfidence_single")
    if gap is None or not judge.shown(gap) or not (too_sure or gap["value"] < 0):
        return
    certainty = rows["mean_certainty"]["value"]
    sure, right = (metric_text(share, judge.metric("right")) for share in (certainty, certainty - gap["value"]))
    much, people = ("too sure of itself", "most") if too_sure else ("less sure of itself than it may be", "single")
    said = f"it is {sure} sure of its labels and right on {right}, as {people} people judge"
    yield f"{judge.name} is {much}: {said}, {judge.apart(gap)} apart."


def gains_of_draws(judge: OfJudge) -> Iterator[str]:
    """What several draws are worth, up to the number from which on more are not shown to help."""
    gains = [row for row in judge.figures("draws_worth") if row["metric"] == "majority_gain"]
    shown = [row for row in gains if judge.shown(row) and row["value"] > 0]
    if shown:
        few, *more = shown
        yield f"The majority of {few['draws']:g} draws agrees with people more often than one: by {judge.apart(few)}."
        if more:
            rest = more[-1]["value"] - few["value"]
            about = judge.metric("majority_gain")
            yield f"{more[-1]['draws']:g} draws gain {metric_text(rest, about).removeprefix('+')} beyond that."
    elif gains:
        yield f"Several draws of {judge.name} are not shown to agree with people more often than one."


# --- corrected estimates: what a judge's labels are worth ---


def worth_sentences(report: Report) -> list[str]:
    """What a report on corrected figures alone says of each judge, the first ones of the first groups."""
    words, told = Wording(report), list[str]()
    by = [name for name in report.options.get("by") or () if name in report[report.about.main].columns]
    rows = report[report.about.main].select(*by, "judge").unique(maintain_order=True).to_dicts()
    judges = [OfJudge(report, words, {name: row[name] for name in by}, {"judge": row}) for row in rows]
    for judge in judges[:MOST_NAMED]:
        sentences = [*worth_of(judge), *_corrected(judge)]
        nothing = f"Too few items were labelled by people and by {judge.name} to correct its figures."
        told.append(words.where(judge.group) + (" ".join(sentences) or nothing))
    more = len(rows) - len(told)
    rest = [f"{more:,} more {'stands' if more == 1 else 'stand'} in the table."] if more else []
    known = report.options.get("weights") or report.options.get("strata")
    unsure = not known and any(_sizes(judge)[1] > 0 for judge in judges)
    return [*told, *rest, *([_SAMPLE] if unsure else [])]


def worth_of(judge: OfJudge) -> Iterator[str]:
    """How many of people's labels alone would do as much as people's and a judge's."""
    found = [row for row in _chief_rows(judge) if row["metric"] == "worth"]
    if not found:
        return
    people, more = _sizes(judge)
    worths = sorted(round(row["value"]) for row in found)
    worth = f"{worths[0]:,}" if worths[0] == worths[-1] else f"{worths[0]:,} to {worths[-1]:,}"
    kinds = {row["figure"] for row in found}
    of = " and ".join(name for kind, name in _CHIEF.items() if kind in kinds)
    if more <= 0:
        yield f"{judge.name} labelled no item that people did not label, so that its labels add nothing to theirs."
        return
    if worths[-1] <= people:
        yield f"The labels of {judge.name} add nothing to what people's labels of {people:,} items say of {of}."
        return
    both = f"{people:,} items labelled by people and {more:,} more by {judge.name}"
    yield f"{both} are worth {worth} labelled by people, for {of}."


def _sizes(judge: OfJudge) -> tuple[int, int]:
    """How many items people labelled of those of a judge, and how many it labelled alone; 0 where it is not known."""
    rows = _chief_rows(judge)
    people = next((row["n"] for row in rows if row["metric"] == "worth"), 0)
    return (people, max(row["n"] for row in rows if row["metric"] in _NAIVE) - people) if people else (0, 0)


def _corrected(judge: OfJudge) -> Iterator[str]:
    """The corrected figures of a judge, and what it says alone; of two shares the lesser: the other is the rest."""
    found, figure = _chief_rows(judge), judge.words.figure
    naive = {row["label"]: figure({**row, "low": None, "high": None}) for row in found if row["metric"] in _NAIVE}
    shares = [row for row in found if row["metric"] == "corrected" and row["low"] is not None]
    if len(shares) == 2:  # noqa: PLR2004 - so that one says all
        shares = [min(shares, key=lambda row: float(row["value"]))]
    if shares:
        told = shares[:MOST_NAMED]
        said = joined([f'"{row["label"]}" to {figure(row)}' for row in told])
        alone = joined([naive[row["label"]] for row in told])
        yield f"Corrected, people would give {said} of items; {judge.name} alone says {alone}."
    for row in found:
        if row["metric"] == "corrected_mean" and row["low"] is not None:
            yield f"Corrected, the mean is {figure(row)}; {judge.name} alone says {naive[row['label']]}."


def _chief_rows(judge: OfJudge) -> list[TableRow]:
    """The rows of the chief figures of a judge."""
    return [row for name in _TABLES for row in judge.figures(name) if row["figure"] in _CHIEF]
