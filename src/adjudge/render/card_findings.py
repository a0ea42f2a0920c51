"""Sentences of a card on what its tests show of a judge besides agreement: bias, drift, certainty, draws."""

from collections.abc import Iterator, Sequence

import polars as pl

from adjudge.display_names import short_name
from adjudge.metrics.row_selection import TableRow
from adjudge.render.card_judge import OfJudge
from adjudge.render.numbers import metric_text
from adjudge.render.wording import MOST_NAMED, Wording, joined
from adjudge.report import NON_KEY_COLUMNS, Report

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
        more = len(labels) - MOST_NAMED
        named = joined([*labels[:MOST_NAMED], *([f"{more:,} more labels"] if more > 0 else [])])
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
    """Whether the judge is surer of its labels than it may be, or less sure."""
    rows = {row["metric"]: row for row in judge.figures("certainty")}
    gap = rows.get("overconfidence")
    if gap is None or not judge.shown(gap):
        return
    sure, right = (metric_text(rows[one]["value"], judge.metric(one)) for one in ("mean_certainty", "right"))
    much = "too sure of itself" if is_too_sure(judge) else "less sure of itself than it may be"
    said = f"it is {sure} sure of its labels and right on {right}, as most people judge"
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
