"""Summaries of the card of judges against the human ceiling, and of estimates that human labels correct."""

from collections.abc import Mapping
from enum import Enum
from math import ceil

from adjudge.metrics.data_checks import CheckedData, cautions
from adjudge.metrics.ranking import is_significant, ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary.against_reference import counts_text
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.judge_sentences import caution_sentences, gate_sentences, score, scores, steps
from adjudge.statistics.alternative_test import LEAST_PEOPLE
from adjudge.text.counts import count_of, listed_names

PASSES = 0.5
"""The winning rate from which on the alternative annotator test is passed."""
_UNMEASURED = {
    "position bias (--position-column)": ("order", "position_column"),
    "length bias (--responses)": ("responses",),
    "self-preference (--family)": ("family",),
    "drift (--time)": ("time",),
    "self-consistency (--run-column)": ("draw", "run_column"),
    "calibration (--confidence-column)": ("certainty", "confidence_column"),
}
"""What a card can measure besides -> the names of the option that it needs."""
_CEILINGS = (
    ("agreement", "people_agreement", "agreement_difference"),
    ("distance", "people_distance", "distance_difference"),
)


class Replacement(Enum):
    """What follows from the alternative annotator test, the best first."""

    PASSES = "can replace"
    BELOW_CEILING = "below ceiling"
    UNTESTED = "not tested"
    FAILS = "does not pass"


def card(rows: ReportRows) -> Summary:
    """Judges against human annotators."""
    report = rows.report
    held = {row["metric"] for row in rows.rows("judges")}
    main, human, difference = next(names for names in _CEILINGS if names[0] in held or names is _CEILINGS[-1])
    metric = rows.metric(main)
    own, gaps, rate = (rows.by_judge("judges", name) for name in (main, difference, "winning_rate"))
    ranks = ranking(own, rows.rows("differences", metric=main), report.confidence, better=metric.better or "high")
    answer = {name: _replacement(rate.get(name), gaps.get(name), metric.better) for name in ranks.rows}
    order = sorted(answer, key=lambda name: [*Replacement].index(answer[name]))
    passed = {
        name: f"{row['value'] * row['n']:.0f}/{row['n']}" for name, row in rate.items() if row["value"] is not None
    }
    columns = [
        SummaryColumn("verdict", {name: answer[name].value for name in order}, "text"),
        SummaryColumn("alt-test", passed, "text", 4),
        SummaryColumn(main, scores(own, metric)),
        SummaryColumn("human ceiling", scores(rows.by_judge("judges", human), rows.metric(human)), drop=3),
        SummaryColumn(
            "gap", {name: score(row, rows.metric(difference), signed=True) for name, row in gaps.items()}, "compact", 2
        ),
    ]
    tone = {Replacement.PASSES: "best", Replacement.FAILS: "worse"}
    able = [name for name in order if answer[name] is Replacement.PASSES]
    worse_since = _drifts(rows)
    labels = [name for name in able if name not in worse_since]
    over = _overconfident(rows)
    needed = {name: ceil(PASSES * row["n"]) for name, row in rate.items()}
    each = [f"{name} {passed[name].replace('/', ' of ')} ({needed[name]} needed)" for name in order if name in passed]
    findings = [Sentence(f"Alternative annotator test: {listed_names(each)}")] if each else []
    findings += [
        Sentence(f"{row['judge']} agrees significantly less than the human ceiling: {_signed(row, rows)}", "worse")
        for name, row in gaps.items()
        if answer.get(name) is Replacement.BELOW_CEILING
    ]
    options = report.options
    unmeasured = [text for text, names in _UNMEASURED.items() if not any(options.get(name) for name in names)]
    notes = [Sentence(listed_names(unmeasured, most=9), label="Not measured")] if unmeasured else []
    untested = [name for name in order if answer[name] is Replacement.UNTESTED]
    return Summary(
        "Can an LLM judge replace human annotators?",
        counts_text(rows, "items", "people", "judges"),
        _verdict(order, answer, rate),
        "ceiling",
        SummaryTable({name: tone.get(answer[name], "") for name in order}, columns, "judge"),
        [*findings, *_also(rows, over, worse_since)],
        [*caution_sentences(cautions(CheckedData(rows, ranks.rows, "item"))), *notes],
        steps(
            f"Use {listed_names(labels, 'or')}" if labels else None,
            f"Check the labels of {able[0]} since {worse_since[able[0]]} alone: it has become worse"
            if able and not labels
            else None,
            _more_annotators(report.counts.get("people", 0)) if len(untested) == len(order) else None,
            "Keep human annotators for a part of the items" if not able and len(untested) < len(order) else None,
            f"Calibrate the confidence of {listed_names(over)}" if over else None,
        ),
        _margin(rows, main, labels) if not report.gates else gate_sentences(rows, main, []),
    )


def _replacement(rate: TableRow | None, gap: TableRow | None, better: str | None) -> Replacement:
    """What follows for a judge. One that agrees significantly less than humans do is not advised, even if it passes."""
    if rate is None or rate["value"] is None:
        return Replacement.UNTESTED
    if rate["value"] < PASSES:
        return Replacement.FAILS
    if gap is None or gap["low"] is None or gap["low"] <= 0 <= gap["high"]:
        return Replacement.PASSES
    return Replacement.PASSES if (gap["value"] > 0) is (better != "low") else Replacement.BELOW_CEILING


def _verdict(order: list[str], answer: Mapping[str, Replacement], rate: Mapping[str, TableRow]) -> str:
    groups = {kind: [name for name in order if answer[name] is kind] for kind in Replacement}
    texts = {
        Replacement.PASSES: "can replace a human annotator",
        Replacement.BELOW_CEILING: (
            "passes the test, but agrees significantly less than human annotators do",
            "pass the test, but agree significantly less than human annotators do",
        ),
        Replacement.UNTESTED: ("is not tested", "are not tested"),
        Replacement.FAILS: ("does not pass the test", "do not pass the test"),
    }
    parts = []
    for kind, names in groups.items():
        if names:
            text = texts[kind]
            parts.append(f"{listed_names(names)} {text if isinstance(text, str) else text[len(names) > 1]}")
    reason = next((row["reason"] for row in rate.values() if row["reason"]), "")
    only = f": {reason}" if reason and len(groups[Replacement.UNTESTED]) == len(order) else ""
    return f"{'; '.join(parts)}{only}."


def _signed(row: TableRow, rows: ReportRows) -> str:
    return score(row, rows.metric(row["metric"]), signed=True).with_interval


def _drifts(rows: ReportRows) -> dict[str, str]:
    """Judge -> since when it is significantly worse."""
    worse = {}
    for row in rows.rows("drift"):
        low = rows.metric(row["metric"]).better == "low"
        if is_significant(row["p_adjusted"], rows.report.confidence) and (row["value"] > 0) is low:
            worse[row["judge"]] = row["since"]
    return worse


def _overconfident(rows: ReportRows) -> list[str]:
    return [
        row["judge"]
        for row in rows.rows("certainty", metric="overconfidence")
        if is_significant(row["p_adjusted"], rows.report.confidence) and row["value"] > 0
    ]


def _also(rows: ReportRows, over: list[str], worse_since: Mapping[str, str]) -> list[Sentence]:
    """Drift, biases, confidence and self-consistency: the gravest first."""
    confidence = rows.report.confidence
    texts = [
        f"{row['judge']} has become worse since {row['since']}: {_signed(row, rows)}"
        for row in rows.rows("drift")
        if row["judge"] in worse_since
    ]
    known: dict[str, dict[str, Score]] = {row["judge"]: {} for row in rows.rows("certainty")}
    for row in rows.rows("certainty"):
        known[row["judge"]][row["metric"]] = score(row, rows.metric(row["metric"])).coarse
    texts += [
        f"{name} is overconfident ({known[name]['mean_certainty']} confident, {known[name]['right']} correct)"
        for name in over
    ]
    biases = [
        row
        for table, metric in (("bias", "bias"), ("bias_scale", "scale_bias"))
        for row in rows.rows(table, metric=metric)
        if is_significant(row["p_adjusted"], confidence)
    ]
    biases.sort(key=lambda row: -abs(row["value"]))
    for row in biases:
        what = f"{row['bias']} bias" + (f" ({row['of']})" if row["of"] else "")
        texts.append(f"{row['judge']} has {what}: {_signed(row, rows)} against human annotators")
    again = rows.by_judge("steadiness", "self_agreement")
    each = [f"{name} {score(row, rows.metric('self_agreement')).coarse}" for name, row in again.items()]
    shown = [Sentence(text, "worse", "Also") for text in texts]
    return shown + ([Sentence(f"Self-consistency: {listed_names(each)}", label="Also")] if each else [])


def _more_annotators(people: int) -> str:
    if people < LEAST_PEOPLE:
        return "Have three or more human annotators label the same items: they show the human ceiling"
    return "Have more of the same items labelled by three human annotators and the judge"


def _margin(rows: ReportRows, main: str, labels: list[str]) -> list[Sentence]:
    """The smallest non-inferiority margin that passes today."""
    margins = rows.by_judge("equivalence", f"{main}_no_worse_by")
    values = [margins[name]["value"] for name in labels if name in margins and margins[name]["value"] is not None]
    if not values:
        return []
    option = f"--fail-unless-noninferior {main}:{ceil(1000 * max(values)) / 1000:.3f}"
    return [Sentence(f"No threshold set. Smallest margin that passes today: {option}", label="Gate")]


def corrected(rows: ReportRows) -> Summary:
    """Estimates over all items of a judge, corrected by human labels of some of them."""
    table = rows.report.about.main
    every = [row for row in rows.rows(table) if row["value"] is not None]
    names = ("corrected", "corrected_mean")
    table_rows = [row for row in every if row["metric"] in names]
    keys = {id(row): f"{row['judge']}, {row['label'] or row['figure']}" for row in table_rows}
    values = {keys[id(row)]: score(row, rows.metric(row["metric"])) for row in table_rows}
    naive, worth = {}, {}
    for row in table_rows:
        same = [one for one in every if all(one[key] == row[key] for key in ("judge", "figure", "label"))]
        for one in same:
            if one["metric"] in ("by_judge", "mean_by_judge"):
                naive[keys[id(row)]] = score(one, rows.metric(one["metric"]))
            if one["metric"] == "worth":
                worth[keys[id(row)]] = round(one["value"])
    columns = [
        SummaryColumn("Corrected", values, "estimate"),
        SummaryColumn("judge alone", naive, drop=2),
        SummaryColumn("effective n", worth, "count", 3),
    ]
    judges = list(dict.fromkeys(row["judge"] for row in table_rows))
    people = {row["judge"]: row["n"] for row in every if row["metric"] == "worth"}
    helped = [
        name
        for name in judges
        if name in people
        and max(round(row["value"]) for row in every if row["metric"] == "worth" and row["judge"] == name)
        > people[name]
    ]
    verdict = (
        f"The labels of {listed_names(helped)} add to the human labels."
        if helped
        else "The judge's labels add nothing to the human labels."
    )
    first = next(iter(values), None)
    lead = (
        [Sentence(f"{first}: {values[first].with_interval}, judge alone {naive.get(first, 'unknown')}")]
        if first
        else []
    )
    sampled = not (rows.report.options.get("weights") or rows.report.options.get("strata"))
    doubt = ["The labelled items must be a random sample of all items"] if sampled else []
    return Summary(
        "Prediction-powered (PPI) estimates",
        counts_text(rows, "items", "people", "judges"),
        verdict if table_rows else "Too few items have both human and judge labels to correct estimates.",
        "forest",
        SummaryTable(dict.fromkeys(values, ""), columns, "estimate"),
        [*lead, *[Sentence(f"{name}: {count_of(people[name], 'item')} with human labels") for name in people]],
        caution_sentences(cautions(CheckedData(rows, {}, "item")), *doubt),
        gates=gate_sentences(rows, "corrected", []),
    )
