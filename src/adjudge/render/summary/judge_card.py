"""Summaries of the card of judges against the human ceiling, and of estimates that human labels correct."""

from collections.abc import Iterator, Sequence
from math import ceil

from adjudge.display_names import listed_names, short_name
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import SummaryRows, abstention_columns, no_gate, steps

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
_ABLE, _BELOW, _UNTESTED, _FAILS = "can replace", "below ceiling", "not tested", "not passed"
_CLAUSES = {
    _ABLE: "can replace a human annotator",
    _BELOW: "{passes} the alternative test, but {agrees} significantly less than human annotators do",
    _UNTESTED: "{is} not tested",
    _FAILS: "{does} not pass the alternative test",
}
"""What follows from the alternative annotator test, the best first -> a clause on a judge."""
_PLURALS = {"passes": "pass", "agrees": "agree", "is": "are", "does": "do"}


def card(rows: SummaryRows) -> Summary:
    """Judges against human annotators."""
    main = next((name for name in ("agreement", "distance") if rows.rows("judges", metric=name)), "agreement")
    metrics = (f"people_{main}", f"{main}_difference", "winning_rate")
    human, gaps, rates = (rows.by_judge("judges", name) for name in metrics)
    ranks = rows.ranking(main, rows.by_judge("judges", main))
    answers = {name: _replacement(rows, rates.get(name), gaps.get(name)) for name in ranks.rows}
    kinds = {kind: [name for name in answers if answers[name] == kind] for kind in _CLAUSES}
    order = [name for some in kinds.values() for name in some]
    tests = {name: rates[name] for name in order if name in rates and rates[name]["value"] is not None}
    wins = {name: f"{round(row['value'] * row['n'])}/{row['n']}" for name, row in tests.items()}
    each = listed_names(f"{name} {win.replace('/', ' of ')}" for name, win in wins.items())
    columns = [
        SummaryColumn("verdict", answers, "text"),
        SummaryColumn("alt-test", wins, "text", 4),
        SummaryColumn(main, rows.scores(ranks.rows)),
        SummaryColumn("human ceiling", rows.scores(human), drop=3),
        SummaryColumn("gap", rows.scores(gaps, signed=True), "compact", 2),
        *abstention_columns(rows, ranks.rows, "judge"),
    ]
    tones = {_ABLE: "best", _FAILS: "worse"}
    untested = kinds[_UNTESTED] == order
    reason = next((row["reason"] for row in rates.values() if row["reason"]), "") if untested else ""
    verbs = {kind: _PLURALS if len(some) > 1 else {verb: verb for verb in _PLURALS} for kind, some in kinds.items()}
    clauses = [f"{listed_names(kinds[kind])} {_CLAUSES[kind].format(**verbs[kind])}" for kind in kinds if kinds[kind]]
    unmeasured = [text for text, option in _UNMEASURED.items() if not rows.report.options.get(option)]
    return Summary(
        title="Can an LLM judge replace human annotators?",
        context=rows.counts("items", "people", "judges"),
        verdict="; ".join(clauses) + f"{': ' * bool(reason)}{reason}.",
        table=SummaryTable({name: tones.get(answers[name], "") for name in order}, columns, "judge"),
        findings=[
            *[Sentence(f"Alternative test, half of the annotators needed: {each}")] * bool(wins),
            *rows.findings(ranks, f"{main} ", "item"),
            *_label_rates(rows, order),
            *_also(rows),
        ],
        cautions=[
            *rows.cautions(ranks.rows, "item"),
            *[Sentence(listed_names(unmeasured, most=9), label="Not measured")] * bool(unmeasured),
        ],
        next=_card_steps(rows, kinds[_ABLE], untested=untested),
        gates=_passing_margin(rows, main),
    )


def _passing_margin(rows: SummaryRows, main: str) -> list[Sentence]:
    """The gate with the smallest margin that all judges pass today."""
    margins = [row["value"] for row in rows.rows("equivalence", metric=f"{main}_no_worse_by")]
    margin = ceil(1000 * max(margins)) / 1000 if margins and None not in margins else None
    text = f"Smallest margin that passes today: --fail-unless-noninferior {main}:{margin or 0:.3f}"
    return [no_gate(text)] * (margin is not None)


def _card_steps(rows: SummaryRows, able: Sequence[str], *, untested: bool) -> list[Sentence]:
    drifts = {row["judge"]: row["since"] for row in rows.rows("drift") if rows.tone(row) == "worse"}
    stable = [name for name in able if name not in drifts]
    return steps(
        f"Use {listed_names(stable, 'or')}" if stable else None,
        f"Check {able[0]}'s labels since {drifts[able[0]]}: it has become worse" if able and not stable else None,
        "Have three or more human annotators label the items that the judge labels" if untested else None,
        "Keep human annotators for a part of the items" if not able and not untested else None,
    )


def _replacement(rows: SummaryRows, rate: TableRow | None, gap: TableRow | None) -> str:
    """What follows for a judge. One that agrees significantly less than humans do is not advised, even if it passes."""
    if rate is None or rate["value"] is None:
        return _UNTESTED
    if rate["value"] < PASSES:
        return _FAILS
    apart = gap is not None and gap["low"] is not None and not gap["low"] <= 0 <= gap["high"]
    return _BELOW if gap and apart and not rows.better(gap) else _ABLE


def _label_rates(rows: SummaryRows, order: Sequence[str]) -> Iterator[Sentence]:
    """How often each judge gives the label that most human annotators give, the rarest label first."""
    parts: list[str] = []
    for label in dict.fromkeys(row["label"] for row in rows.rows("label_rates")):
        rates = rows.by_judge("label_rates", "label_rate", label=label)
        scores = {name: rows.score(rates[name]).coarse for name in order if name in rates}
        each = [f"{name} {one if parts else one.with_interval}" for name, one in scores.items()]
        parts.append(f'"{short_name(label)}": {listed_names(each)}')
    if parts and len(order) <= _FEW_JUDGES:
        yield Sentence(f"Recall of human labels, {'; '.join(parts)}")


def _also(rows: SummaryRows) -> Iterator[Sentence]:
    """Drift, confidence and biases, the gravest first."""
    for row in filter(rows.significant, rows.rows("drift")):
        text = f"{row['judge']} has become {'better' if rows.better(row) else 'worse'} since {row['since']}"
        yield Sentence(f"{text}: {rows.score(row, signed=True).with_interval}", "worse", "Also")
    certain = [row for row in rows.rows("certainty", metric="overconfidence") if rows.significant(row)]
    for name in [row["judge"] for row in certain if row["value"] > 0]:
        shares = {row["metric"]: rows.score(row).coarse for row in rows.rows("certainty", judge=name)}
        shown = f"{shares['mean_certainty']} confident, {shares['right']} correct by human majority"
        yield Sentence(f"{name} is overconfident ({shown})", "worse", "Also")
    tests = [*rows.rows("bias", metric="bias"), *rows.rows("bias_scale", metric="scale_bias")]
    for row in sorted(filter(rows.significant, tests), key=lambda row: -abs(row["value"])):
        what = f"{row['bias']} bias" + (f" ({short_name(row['of'])})" if row["of"] else "")
        yield Sentence(f"{row['judge']} has {what}: {rows.score(row, signed=True).with_interval}", "worse", "Also")


def corrected(rows: SummaryRows) -> Summary:
    """Estimates over all items of a judge, corrected by human labels of some of them."""
    cells: dict[str, dict[str, TableRow]] = {}
    for row in rows.rows(rows.report.about.main):
        if row["value"] is not None:
            name = f"{row['judge']}, {short_name(row['label'] or row['figure'])}"
            metric = row["metric"].replace("corrected_mean", "corrected").replace("mean_by", "by")
            cells.setdefault(name, {})[metric] = row
    cells = {name: one for name, one in cells.items() if "corrected" in one}
    worth = {name: one["worth"] for name, one in cells.items() if "worth" in one}
    columns = [
        SummaryColumn("Corrected", rows.scores({name: one["corrected"] for name, one in cells.items()}), "estimate"),
        SummaryColumn("judge alone", rows.scores({name: one.get("by_judge") for name, one in cells.items()}), drop=2),
        SummaryColumn("human labels", {name: row["n"] for name, row in worth.items()}, "count", 3),
        SummaryColumn("effective n", {name: round(row["value"]) for name, row in worth.items()}, "count", 4),
    ]
    helped = list(dict.fromkeys(row["judge"] for row in worth.values() if round(row["value"]) > row["n"]))
    who = f"The labels of {listed_names(helped)} add" if helped else "The judge's labels add nothing"
    sampled = not (rows.report.options.get("weights") or rows.report.options.get("strata"))
    doubt = ["Valid only if the items with human labels are a random sample of all"] * bool(sampled and cells)
    return Summary(
        context=rows.counts("items", "people", "judges"),
        verdict=f"{who} to the human labels." if cells else "Too few items have both human and judge labels.",
        table=SummaryTable(dict.fromkeys(cells, ""), columns, "estimate"),
        cautions=rows.cautions({}, "item", *doubt),
    )
