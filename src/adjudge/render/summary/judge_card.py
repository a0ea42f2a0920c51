"""Summaries of the card of judges against the human ceiling, and of estimates that human labels correct."""

from collections.abc import Iterator, Sequence
from enum import Enum
from math import ceil

from adjudge.display_names import listed_names, short_name
from adjudge.metrics.data_checks import EXPECTED, Caution
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary import sentences
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, steps
from adjudge.statistics.alternative_test import LEAST_PEOPLE

PASSES = 0.5
"""The winning rate from which on the alternative annotator test is passed."""
_FEW_JUDGES = 3
"""The most judges whose rates of labels are findings."""
_UNMEASURED = {
    "position bias (--position-column)": "position_column",
    "length bias (--responses)": "responses",
    "self-preference (--family)": "family",
    "drift (--time)": "time",
    "self-consistency (--run-column)": "run_column",
    "calibration (--confidence-column)": "confidence_column",
}
"""What a card can measure besides -> the option that it needs."""


class Replacement(Enum):
    """What follows from the alternative annotator test, the best first."""

    PASSES = "can replace"
    BELOW_CEILING = "below ceiling"
    UNTESTED = "not tested"
    FAILS = "not passed"


_CLAUSES = {
    Replacement.PASSES: ("can replace a human annotator", "can replace a human annotator"),
    Replacement.BELOW_CEILING: (
        "passes the alternative test, but agrees significantly less than human annotators do",
        "pass the alternative test, but agree significantly less than human annotators do",
    ),
    Replacement.UNTESTED: ("is not tested", "are not tested"),
    Replacement.FAILS: ("does not pass the alternative test", "do not pass the alternative test"),
}
"""What a verdict says of one judge, and of several."""


def card(rows: SummaryRows) -> Summary:
    """Judges against human annotators."""
    people, names = rows.report.counts.get("people", 0), {row["metric"] for row in rows.rows("judges")}
    main = "distance" if "distance" in names and "agreement" not in names else "agreement"
    own, human, gaps, rate = (
        rows.by_judge("judges", name) for name in (main, f"people_{main}", f"{main}_difference", "winning_rate")
    )
    ranks = rows.ranking(main, own)
    answer = {name: _replacement(rows, rate.get(name), gaps.get(name)) for name in ranks.rows}
    order = sorted(answer, key=lambda name: [*Replacement].index(answer[name]))
    passed = {name: round(row["value"] * row["n"]) for name, row in rate.items() if row["value"] is not None}
    columns = [
        SummaryColumn("verdict", {name: answer[name].value for name in order}, "text"),
        SummaryColumn("alt-test", {name: f"{count}/{rate[name]['n']}" for name, count in passed.items()}, "text", 4),
        SummaryColumn(main, rows.scores(own)),
        SummaryColumn("human ceiling", rows.scores(human), drop=3),
        SummaryColumn("gap", rows.scores(gaps, signed=True), "compact", 2),
    ]
    kinds = {kind: [name for name in order if answer[name] is kind] for kind in Replacement}
    able = kinds[Replacement.PASSES]
    changes, gaps_of = rows.rows("drift"), rows.rows("certainty", metric="overconfidence")
    drifts = {row["judge"]: row["since"] for row in changes if rows.significant(row) and not rows.better(row)}
    over = [row["judge"] for row in gaps_of if rows.significant(row) and row["value"] > 0]
    stable, untested = [name for name in able if name not in drifts], kinds[Replacement.UNTESTED] == order
    each = listed_names(f"{name} {passed[name]} of {rate[name]['n']}" for name in order if name in passed)
    test = f"Alternative test, half of the annotators needed: {each}"
    unmeasured = [text for text, option in _UNMEASURED.items() if not rows.report.options.get(option)]
    tone = {Replacement.PASSES: "best", Replacement.FAILS: "worse"}
    reason = next((row["reason"] for row in rate.values() if row["reason"]), "") if untested else ""
    clauses = [f"{listed_names(some)} {_CLAUSES[kind][len(some) > 1]}" for kind, some in kinds.items() if some]
    more = "Have three or more human annotators label the same items: they show the human ceiling"
    enough = "Have more of the same items labelled by the judge and three human annotators"
    margins = [row["value"] for row in rows.rows("equivalence", metric=f"{main}_no_worse_by")]
    margin = max(margins, default=None) if None not in margins else None
    option = f"--fail-unless-noninferior {main}:{ceil(1000 * (margin or 0)) / 1000:.3f}"
    gate = Sentence(f"No threshold set. Smallest margin that passes today: {option}", label="Gate")
    return Summary(
        "Can an LLM judge replace human annotators?",
        rows.counts("items", "people", "judges"),
        "; ".join(clauses) + f"{': ' * bool(reason)}{reason}.",
        "ceiling",
        SummaryTable({name: tone.get(answer[name], "") for name in order}, columns, "judge"),
        [
            *([Sentence(test)] if each else []),
            *_label_rates(rows, order),
            *_also(rows, over),
            *sentences.ranking_findings(ranks, rows.metric(main), f"{main} ", unit="item"),
        ],
        [
            *rows.cautions(ranks.rows, "item", *_foreign_labels(rows)),
            *([Sentence(listed_names(unmeasured, most=9), label="Not measured")] if unmeasured else []),
        ],
        steps(
            f"Use {listed_names(stable, 'or')}" if stable else None,
            f"Check {able[0]}'s labels since {drifts[able[0]]}: it has become worse" if able and not stable else None,
            (more if people < LEAST_PEOPLE else enough) if untested else None,
            "Keep human annotators for a part of the items" if not able and not untested else None,
            f"Calibrate the confidence of {listed_names(over)}" if over else None,
        ),
        sentences.gate_sentences(rows, main, []) or [gate] * (margin is not None),
    )


def _replacement(rows: SummaryRows, rate: TableRow | None, gap: TableRow | None) -> Replacement:
    """What follows for a judge. One that agrees significantly less than humans do is not advised, even if it passes."""
    if rate is None or rate["value"] is None:
        return Replacement.UNTESTED
    if rate["value"] < PASSES:
        return Replacement.FAILS
    apart = gap is not None and gap["low"] is not None and not gap["low"] <= 0 <= gap["high"]
    return Replacement.BELOW_CEILING if gap and apart and not rows.better(gap) else Replacement.PASSES


def _label_rates(rows: SummaryRows, order: Sequence[str]) -> Iterator[Sentence]:
    """How often each judge gives the label that most human annotators give, the rarest label first."""
    parts: list[str] = []
    for label in dict.fromkeys(row["label"] for row in rows.rows("label_rates")):
        found = rows.by_judge("label_rates", "label_rate", label=label)
        scores = {name: rows.score(found[name]).coarse for name in order if name in found}
        each = [f"{name} {one if parts else one.with_interval}" for name, one in scores.items()]
        parts.append(f'"{short_name(label)}": {listed_names(each)}')
    if parts and len(order) <= _FEW_JUDGES:
        yield Sentence(f"Recall of human labels, {'; '.join(parts)}")


def _also(rows: SummaryRows, over: Sequence[str]) -> Iterator[Sentence]:
    """Drift, confidence, biases and self-consistency, the gravest first."""
    for row in rows.rows("drift"):
        if rows.significant(row):
            text = f"{row['judge']} has become {'better' if rows.better(row) else 'worse'} since {row['since']}"
            yield Sentence(f"{text}: {rows.score(row, signed=True).with_interval}", "worse", "Also")
    for name in over:
        shares = {row["metric"]: rows.score(row).coarse for row in rows.rows("certainty", judge=name)}
        shown = f"{shares['mean_certainty']} confident, {shares['right']} correct by human majority"
        text = f"{name} is overconfident ({shown})"
        yield Sentence(text, "worse", "Also")
    tests = [*rows.rows("bias", metric="bias"), *rows.rows("bias_scale", metric="scale_bias")]
    for row in sorted(filter(rows.significant, tests), key=lambda row: -abs(row["value"])):
        what = f"{row['bias']} bias" + (f" ({short_name(row['of'])})" if row["of"] else "")
        yield Sentence(f"{row['judge']} has {what}: {rows.score(row, signed=True).with_interval}", "worse", "Also")
    again = rows.by_judge("steadiness", "self_agreement")
    shown = sorted((row for row in again.values() if row["value"] is not None), key=lambda row: -row["value"])
    if shown:
        each = listed_names(f"{row['judge']} {rows.score(row).coarse}" for row in shown)
        yield Sentence(f"Self-consistency: {each}", label="Also")


def _foreign_labels(rows: SummaryRows) -> Iterator[Caution]:
    """Labels that a judge gives several times, and no human annotator on the same items."""
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows.rows("bias", bias="label"):
        count = round((row["value"] or 0) * row["n"])
        shares.setdefault((row["judge"], row["of"]), {})[row["metric"]] = count
    foreign = [
        f'{judge} "{short_name(label)}" ({one["judge_share"]:g})'
        for (judge, label), one in shares.items()
        if not one.get("people_share", 1) and one.get("judge_share", 0) >= EXPECTED
    ]
    if foreign:
        yield Caution(f"Labels that no human annotator gives: {listed_names(foreign)}")


def corrected(rows: SummaryRows) -> Summary:
    """Estimates over all items of a judge, corrected by human labels of some of them."""
    every = [row for row in rows.rows(rows.report.about.main) if row["value"] is not None]
    cells: dict[str, dict[str, TableRow]] = {}
    for row in every:
        name = f"{row['judge']}, {short_name(row['label'] or row['figure'])}"
        cells.setdefault(name, {})[row["metric"].replace("corrected_mean", "corrected").replace("mean_by", "by")] = row
    cells = {name: one for name, one in cells.items() if "corrected" in one}
    worth = {name: one["worth"] for name, one in cells.items() if "worth" in one}
    columns = [
        SummaryColumn("Corrected", {name: rows.score(one["corrected"]) for name, one in cells.items()}, "estimate"),
        SummaryColumn("judge alone", {name: rows.score(one.get("by_judge")) for name, one in cells.items()}, drop=2),
        SummaryColumn("human labels", {name: row["n"] for name, row in worth.items()}, "count", 3),
        SummaryColumn("effective n", {name: round(row["value"]) for name, row in worth.items()}, "count", 4),
    ]
    helped = list(dict.fromkeys(row["judge"] for row in worth.values() if round(row["value"]) > row["n"]))
    who = f"The labels of {listed_names(helped)} add" if helped else "The judge's labels add nothing"
    sampled = not (rows.report.options.get("weights") or rows.report.options.get("strata"))
    doubt = ["Valid only if the items with human labels are a random sample of all"] if sampled and cells else []
    return Summary(
        "Prediction-powered (PPI) estimates",
        rows.counts("items", "people", "judges"),
        f"{who} to the human labels." if cells else "Too few items have both human and judge labels.",
        "forest",
        SummaryTable(dict.fromkeys(cells, ""), columns, "estimate"),
        cautions=rows.cautions({}, "item", *doubt),
        gates=sentences.gate_sentences(rows, "corrected", []),
    )
