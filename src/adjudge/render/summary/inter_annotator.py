"""Summaries of annotators among themselves: agreement, and matched violations."""

from typing import Any

from adjudge.metrics.data_checks import CheckedData, cautions
from adjudge.metrics.ranking import ranking
from adjudge.metrics.report_rows import ReportRows
from adjudge.render.summary.against_reference import counts_text
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.judge_sentences import (
    caution_sentences,
    count_column,
    gate_sentences,
    score,
    scores,
    steps,
)
from adjudge.text.counts import count_of, listed_names

GOOD, TENTATIVE = 0.8, 0.667
"""Krippendorff's conventions for alpha."""
_OVERALL = ("alpha", "gwet_ac", "percent_agreement", "icc_single")
_RISE = 0.02
"""The rise of alpha without an annotator from which on it is a finding."""


def agreement(rows: ReportRows) -> Summary:
    """Agreement among annotators, and each of them against the others."""
    report, counts = rows.report, rows.report.counts
    found = {row["metric"]: row for row in rows.rows("agreement", over="items")}
    found |= {row["metric"]: row for row in rows.rows("intraclass") if row["metric"] not in found}
    overall = {rows.metric(name).title: score(found[name], rows.metric(name)) for name in _OVERALL if name in found}
    main = next((name for name in _OVERALL if name in found), "alpha")
    title, alpha = rows.metric(main).title, score(found.get(main), rows.metric(main))
    reason = found[main]["reason"] if main in found else None
    table = "annotators"
    others = ranking(rows.by_judge(table, "agreement_with_others", judge="annotator"), [], report.confidence)
    each = scores(others.rows, rows.metric("agreement_with_others"))
    without = scores(rows.by_judge(table, "alpha_without", judge="annotator"), rows.metric("alpha_without"))
    shown = overall | each
    heading = {"Against the other annotators": "heading"} if each else {}
    columns = [
        SummaryColumn("Agreement", shown, "estimate"),
        count_column(shown),
        SummaryColumn("alpha without", without, drop=3),
    ]
    findings = []
    if len(others.names) > 2:  # noqa: PLR2004 - two agree alike with one another
        first, last = others.names[0], others.names[-1]
        text = f"{first} agrees most with the others ({each[first]}), {last} least ({each[last]}); not tested"
        findings.append(Sentence(text))
    known = {name: one.value for name, one in without.items() if one.value is not None}
    worst = max(known, key=lambda name: known[name], default="")
    rises = alpha.value is not None and bool(worst) and known[worst] > alpha.value + _RISE
    if rises:
        findings.append(Sentence(f"Without {worst}, {title} rises from {alpha} to {without[worst]}", "worse"))
    spammers, contrary, sentences = _spammers(rows)
    disputed = counts.get("disputed items", len({row["item"] for row in rows.rows("disputed_items")}))
    odd = [*contrary, *spammers]
    odd = odd or ([worst] if rises else [])
    return Summary(
        "Inter-annotator agreement",
        counts_text(rows, "items", "annotators", "judgments") + _missing(rows),
        _level(title, alpha, reason),
        "agreement",
        SummaryTable(
            dict.fromkeys(overall, "") | heading | {name: others.tone(name) for name in each}, columns, "annotator"
        ),
        [*findings, *sentences],
        caution_sentences(cautions(CheckedData(rows, others.rows, "item"))),
        steps(
            f"Read the labels of {listed_names(odd)}" if odd else None,
            f"Discuss the {count_of(disputed, 'disputed item')} with the annotators" if disputed else None,
        ),
        gate_sentences(rows, main, [alpha]),
    )


def _level(title: str, alpha: Score, reason: str | None) -> str:
    """What alpha says by Krippendorff's conventions, with the lower end of its interval."""
    if alpha.value is None:
        return f"{title} is undefined: {reason or 'no items have two labels'}."
    level = "good" if alpha.value >= GOOD else "tentative" if alpha.value >= TENTATIVE else "low"
    least = GOOD if level == "good" else TENTATIVE
    reach = "" if level == "low" or alpha.low is None or alpha.low >= least else f", but its CI extends below {least:g}"
    return f"Agreement is {level}: {title} {alpha.with_interval}{reach}."


def _spammers(rows: ReportRows) -> tuple[list[str], list[str], list[Sentence]]:
    """Annotators that guess, those against the consensus, and the sentences that say so."""
    tests = rows.rows("informedness", metric="informedness")
    kinds = {
        kind: [row["annotator"] for row in tests if row["verdict"] == kind]
        for kind in ("guessing", "contrary", "undecided")
    }
    if not tests:
        return [], [], []
    sentences = []
    if kinds["contrary"]:
        sentences.append(Sentence(f"Against the consensus, as if swapped: {listed_names(kinds['contrary'])}", "worse"))
    if kinds["guessing"]:
        text = f"Not better than guessing: {listed_names(kinds['guessing'])} of {count_of(len(tests), 'annotator')}"
        sentences.append(Sentence(text, "worse"))
    if not kinds["guessing"] and not kinds["contrary"]:
        few = len(kinds["undecided"])
        if few == len(tests):
            sentences.append(Sentence("Too few labels to detect spammers", "none"))
        else:
            rest = f"; too few labels to tell for {few}" if few else ""
            above = f"{len(tests) - few} of {count_of(len(tests), 'annotator')} agree with the consensus above chance"
            sentences.append(Sentence(f"No spammers detected: {above}{rest}"))
    return kinds["guessing"], kinds["contrary"], sentences


def _missing(rows: ReportRows) -> str:
    """The number of labels that annotators could have given and did not."""
    counts = rows.report.counts
    given = counts.get("judgments", 0) - counts.get("judgments without a label", 0)
    possible = counts.get("items", 0) * counts.get("annotators", 0)
    if rows.group or not 0 < given < possible:
        return ""
    return f" ({possible - given:,} of {possible:,} missing)"


def violation_annotators(rows: ReportRows) -> Summary:
    """Annotators of violations, each pair matched."""
    report, metric = rows.report, rows.metric("f1")
    every = rows.rows("annotators", metric="f1")
    variant = next((row["variant"] for row in every), None)
    pairs: dict[str, Any] = {}
    for row in every:
        names = sorted((row["checker"], row["reference"]))
        if row["variant"] == variant and row["checker"] != row["reference"]:
            pairs.setdefault(f"{names[0]} and {names[1]}", row)
    ranks = ranking(pairs, [], report.confidence)
    shown = scores(ranks.rows, metric)
    best = ranks.names[0] if ranks.names else ""
    last = f"; {ranks.names[-1]} least ({shown[ranks.names[-1]].with_interval})" if len(ranks.names) > 1 else ""
    return Summary(
        "Agreement on violations",
        counts_text(rows),
        f"{best} agree most: F1 {shown[best].with_interval}{last}." if best else f"{metric.title} is undefined.",
        "detection",
        SummaryTable(
            {name: ranks.tone(name) for name in ranks.rows},
            [SummaryColumn("F1", shown, "estimate"), count_column(shown)],
            "pair",
        ),
        cautions=caution_sentences(cautions(CheckedData(rows, ranks.rows, "text"))),
        gates=gate_sentences(rows, "f1", shown.values()),
    )
