"""Summaries of the card of judges against the human ceiling, and of estimates that human labels correct."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from adjudge.display_names import listed_names, short_name
from adjudge.metrics.row_selection import TableRow
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import MOST_FINDINGS, SummaryRows, abstention_columns, steps

PASSES = 0.5
"""The least winning rate that passes the alternative annotator test."""
_BIASES = {"position_column": "position bias", "responses": "length bias", "family": "self-preference"}
_OPTIONAL = _BIASES | {"time": "drift", "run_column": "self-consistency", "confidence_column": "calibration"}
"""The options of further measurements of a card, and what each adds."""
_ABLE, _BELOW, _UNTESTED, _FAILS = "can replace", "below ceiling", "not tested", "not passed"
_TONES = {_ABLE: "best", _FAILS: "worse"}
_ANSWERS = {
    _ABLE: "can replace a human annotator by the alternative test",
    _BELOW: "agreed significantly less than human annotators, but passed the alternative test",
    _UNTESTED: "could not be tested",
    _FAILS: "did not pass the alternative test",
}
"""Conclusions from the alternative annotator test, the best first -> their predicate in a verdict."""
_BIAS = "{bias} bias ({of})"
_ALSO = {"drift": "change since {since}", "certainty": "overconfidence", "bias": _BIAS, "bias_scale": _BIAS}
"""The tables of further tests of judges -> the meaning of a significant one."""
FAR_BELOW = -0.05
"""A judge whose gap may be lower than this is not advised."""
_SAMPLED = "Valid only if the items with human labels are a random sample of all"


def card(rows: SummaryRows) -> Summary:
    """Judges against human annotators."""
    main = next((name for name in ("agreement", "distance") if rows.rows("judges", metric=name)), "agreement")
    human, gaps = (rows.by_judge("judges", name) for name in (f"people_{main}", f"{main}_difference"))
    rates = rows.by_judge("judges", "winning_rate")
    ranks = rows.ranking(main, rows.by_judge("judges", main))
    answers = {name: _replacement(rows, rates.get(name), gaps.get(name)) for name in ranks.rows}
    order = sorted(answers, key=lambda name: [*_ANSWERS].index(answers[name]))
    tests = {name: rates[name] for name in order if answers[name] != _UNTESTED}
    wins = {name: f"{round(row['value'] * row['n'])}/{row['n']}" for name, row in tests.items()}
    costs = {name: f"{row['value']:.2g}" for name, row in rows.by_judge("judges", "cost").items()}
    columns = [
        SummaryColumn("verdict", answers, "text"),
        SummaryColumn("alt-test", wins, "text", 4),
        SummaryColumn(main, rows.scores(ranks.rows)),
        SummaryColumn("human ceiling", rows.scores(human), drop=3),
        SummaryColumn("gap", rows.scores(gaps, signed=True), "compact", 2),
        *abstention_columns(rows, "judge"),
        SummaryColumn("cost", costs, drop=1),
    ]
    reason = "" if tests else next((row["reason"] for row in rates.values() if row["reason"]), "")
    step = "Keep human annotators for some of the items"
    step = step if tests else "Have three or more human annotators label the items that the judge labels"
    worse = [row["judge"] for row in rows.rows("drift") if rows.tone(row) == "worse"]
    lows = {name: gaps[name]["low"] or 0.0 for name in gaps if answers.get(name) == _ABLE and main == "agreement"}
    below = {name: f"{name} (up to {-100 * low:.1f} pp)" for name, low in lows.items() if low < FAR_BELOW}
    doubts = [f"{listed_names(below.values())} may agree less than the human ceiling"] * bool(below)
    able = [name for name in order if answers[name] == _ABLE and name not in {*worse, *below}]
    able = [name for name in able if not any(name in ranks.beaten[other] for other in able)]
    missing = [f"{_OPTIONAL[one]} (--{one.replace('_', '-')})" for one in _OPTIONAL if not rows.report.options.get(one)]
    unmeasured = [Sentence(listed_names(missing, most=9), label="Not measured")]
    findings = [*rows.findings(ranks, f"{main} ", "item"), *_label_rates(rows, order)]
    probes, also = _probes(rows, order), [*_also(rows)]
    kept = MOST_FINDINGS - bool(probes) - bool(also)
    kinds = {answers[name]: [each for each in order if answers[each] == answers[name]] for name in order}
    clauses = [f"{listed_names(names)} {_ANSWERS[kind]}" for kind, names in kinds.items()] + [reason] * bool(reason)
    test = f"alternative test (epsilon {rows.report.options.get('epsilon', 0.2):g})"
    return Summary(
        title="Can an LLM judge replace human annotators?",
        context=rows.counts("items", "people", "judges"),
        verdict="; ".join(clauses).replace("alternative test", test, 1) + ".",
        table=SummaryTable({name: _TONES.get(answers[name], "") for name in order}, columns, "judge"),
        findings=[*findings[:kept], *probes, *also, *findings[kept:]],
        cautions=rows.cautions(ranks.rows, "item", *doubts) + unmeasured * bool(missing),
        next=steps(f"Use {listed_names(able, 'or')}" if able else step),
    )


def _replacement(rows: SummaryRows, rate: TableRow | None, gap: TableRow | None) -> str:
    """The conclusion for a judge. One that agrees significantly less than humans is not advised, even if it passes."""
    if rate is None or rate["value"] is None:
        return _UNTESTED
    if rate["value"] < PASSES:
        return _FAILS
    apart = gap is not None and gap["low"] is not None and not gap["low"] <= 0 <= gap["high"]
    return _BELOW if gap and apart and not rows.better(gap) else _ABLE


def _label_rates(rows: SummaryRows, order: Sequence[str]) -> list[Sentence]:
    """Each judge's recall of the majority labels of human annotators, the rarest label first."""
    parts: list[str] = []
    for label in dict.fromkeys(row["label"] for row in rows.rows("label_rates")):
        rates = rows.by_judge("label_rates", "label_rate", label=label)
        scores = {name: rows.score(rates[name]).coarse for name in order if name in rates}
        each = [f"{name} {one if parts else one.with_interval}" for name, one in scores.items()]
        parts.append(f'"{short_name(label)}": {listed_names(each)}')
    return [Sentence(f"Recall of human labels, {'; '.join(parts)}")] * bool(parts)


def _probes(rows: SummaryRows, order: Sequence[str]) -> list[Sentence]:
    """How many labels of each judge the probe changed that changed most, the largest share first."""
    found: dict[str, TableRow] = {}
    for row in sorted(rows.rows("probes", metric="moved"), key=lambda row: -(row["value"] or 0.0)):
        found.setdefault(row["judge"], row)
    each = [f"{name} {rows.score(row).with_interval} ({row['probe']})" for name, row in found.items() if name in order]
    return [Sentence(f"Largest share of labels changed: {listed_names(each)}", label="Probes")] * bool(each)


def _also(rows: SummaryRows) -> Iterator[Sentence]:
    """Significant drift, overconfidence and biases, each once per judge, the most serious first."""
    found: dict[str, tuple[str, TableRow]] = {}
    for table, text in _ALSO.items():
        for row in filter(rows.significant, rows.rows(table)):
            found.setdefault(f"{row['judge']}: {text.format_map(row)}", (table, row))
    for what, (_, row) in sorted(found.items(), key=lambda one: _seriousness(*one[1])):
        yield Sentence(f"{what} {rows.score(row, signed=True).with_interval}", "worse", "Also")


def _seriousness(table: str, row: TableRow) -> tuple[bool, bool, bool, float]:
    """Sorts drift first, then position bias, then the largest shares, then biases of numbers, whose unit differs."""
    return table != "drift", row.get("bias") != "position", table == "bias_scale", -abs(row["value"])


def corrected(rows: SummaryRows) -> Summary:
    """Estimates of a judge over all items, corrected by human labels of some of them."""
    found: defaultdict[str, dict[str, TableRow]] = defaultdict(dict)
    for row in rows.rows(rows.report.about.main):
        if row["value"] is not None and row["figure"] in ("share", "accuracy", "mean"):
            name = f"{row['judge']}, {row['figure']}" + f" of {row['label']}" * (row["figure"] == "share")
            found[row["metric"].replace("corrected_mean", "corrected").replace("mean_by", "by")][name] = row
    names, worth = found["corrected"], found["worth"]
    columns = [
        SummaryColumn("Corrected", rows.scores(names), "estimate"),
        SummaryColumn("judge alone", rows.scores(found["by_judge"]), drop=2),
        SummaryColumn("human labels", {name: row["n"] for name, row in worth.items()}, "count", 3),
        SummaryColumn("effective n", {name: round(row["value"]) for name, row in worth.items()}, "count", 4),
    ]
    helped = dict.fromkeys(row["judge"] for row in worth.values() if round(row["value"]) > row["n"])
    who = f"The labels of {listed_names(helped)}" if helped else "No judge's labels"
    sampled = names and not (rows.report.options.get("weights") or rows.report.options.get("strata"))
    return Summary(
        context=rows.counts("items", "people", "judges"),
        verdict=f"{who} raise the effective sample size." if names else "Too few items have human and judge labels.",
        table=SummaryTable(dict.fromkeys(names, ""), columns, "estimate"),
        cautions=rows.cautions({}, "item", *[_SAMPLED] * bool(sampled)),
    )
