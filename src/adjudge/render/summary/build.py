"""The summary of a report, by its evaluation."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from shlex import quote

from adjudge.display_names import count_of, short_name
from adjudge.metrics.report_rows import report_groups
from adjudge.metrics.row_selection import GroupKeys
from adjudge.render.summary import against_reference, answers_and_votes, inter_annotator, judge_card, runs
from adjudge.render.summary.contents import Sentence, Summary, SummaryColumn, SummaryTable
from adjudge.render.summary.sentences import MOST_FINDINGS, SummaryRows, first_sentences
from adjudge.report import Report
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE
from adjudge.version import NAME

_FAMILIES: Mapping[str, Callable[[SummaryRows], Summary]] = {
    "annotators": against_reference.reliability,
    "scores": against_reference.preferences,
    "ranks": against_reference.published_ranks,
    "judges": judge_card.card,
    "corrected": judge_card.corrected,
    "corrected_numbers": judge_card.corrected,
    COMPARISON_TABLE: runs.compare,
    HISTORY_TABLE: runs.history,
}
"""Main table -> its summary, where evaluations do not tell tables apart."""
_OF_EVALUATION: Mapping[tuple[str, str], Callable[[SummaryRows], Summary]] = {
    ("violations", "scores"): against_reference.violations,
    ("violations", "annotators"): inter_annotator.violation_annotators,
    ("rag", "scores"): answers_and_votes.rag,
    ("annotations", "agreement"): answers_and_votes.annotations,
    ("agreement", "agreement"): inter_annotator.agreement,
}
_SPLITS: Mapping[str, tuple[str, ...]] = {"annotations": ("dataset", "reference"), "violations": ("split",)}
"""Evaluation -> key columns each of whose values has results of its own."""
_MOST_GROUPS = 20
_LONGEST_PATH = 40
_MOST_WARNINGS = 4
_UNRANKED = ("agreement", "ceiling", "strength")
"""Charts of summaries whose verdict is not on differences between judges."""


def report_summary(report: Report) -> Summary:
    """The summary of a report: of several groups the verdict on each, and the findings of all."""
    main = report.about.main
    build = _OF_EVALUATION.get((report.evaluation, main)) or _FAMILIES.get(main, against_reference.judges)
    splits = _SPLITS.get(report.evaluation, ()) if main not in (COMPARISON_TABLE, HISTORY_TABLE) else None
    groups = [{}] if splits is None else list(report_groups(report, splits))
    if report.tables.get(main) is None or report[main].is_empty():
        counts = SummaryRows(report).counts()
        summary = Summary(report.about.title, counts, "Nothing to score: the tables hold no metrics.")
    elif len(groups) > 1:
        decisions = [one for one in SummaryRows(report).cautions({}, "item") if one.decision]
        summary = _of_groups(groups, [build(SummaryRows(report, group)) for group in groups[:_MOST_GROUPS]], decisions)
    else:
        summary = build(SummaryRows(report))
    warned = [Sentence(warning, decision=True) for warning in report.warnings[:_MOST_WARNINGS]]
    if (rest := len(report.warnings) - len(warned)) > 0:
        warned.append(Sentence(f"{rest:,} more warnings: --details"))
    return replace(
        summary,
        table=replace(summary.table, interval=f"{100 * report.confidence:.4g}% CI"),
        findings=tuple(first_sentences(summary.findings)),
        cautions=(*summary.cautions, *warned),
        next=tuple(summary.next),
        gates=tuple(_gate_results(report) or summary.gates),
        more=_more(report),
    )


def _more(report: Report) -> str:
    """Where all else stands."""
    paths = [one.path for one in report.inputs]
    viewed = f", {NAME} view {quote(paths[0])}" if len(paths) == 1 and len(paths[0]) <= _LONGEST_PATH else ""
    return f"--details, --output report.html{viewed}"


def _gate_results(report: Report) -> list[Sentence]:
    """What became of the gates: those that fail, or else that all pass."""
    gates, failed = report.gates, [gate for gate in report.gates if not gate.passed]
    texts = {gate: f"{gate.subject}: {gate.gate}; {gate.finding}".removeprefix(": ") for gate in gates}
    if failed:
        rest = [f"{len(failed):,} of {len(gates):,} gates fail"] if len(failed) > MOST_FINDINGS else []
        failures = [*rest, *(texts[gate] for gate in failed[:MOST_FINDINGS])]
        return [Sentence(text, "worse", "Gate FAIL") for text in failures]
    unsure = sum(gate.uncertain for gate in gates)
    doubt = f"; {unsure:,} of their intervals include the limit" if unsure else ""
    passed = [f"{len(gates):,} gates pass{doubt}"] if len(gates) > 1 else [texts[gate] for gate in gates]
    return [Sentence(text, "better", "Gate PASS") for text in passed]


def _of_groups(groups: list[GroupKeys], summaries: list[Summary], decisions: list[Sentence]) -> Summary:
    """Summaries of several groups as one: a heading per group in the table, its name before each sentence."""
    names = [", ".join(_group_text(key, value) for key, value in group.items()) for group in groups]
    table, labels = dict[str, str](), dict[str, str]()
    columns: dict[str, SummaryColumn] = {}
    for name, one in zip(names, summaries, strict=False):
        table[name] = "heading"
        keys = {row: f"{name}, {row}" for row in one.table.rows}
        labels |= {keys[row]: one.table.labels.get(row, row) for row in one.table.rows}
        table |= {keys[row]: tone for row, tone in one.table.rows.items()}
        for column in one.table.columns:
            cells = {keys[row]: cell for row, cell in column.cells.items() if row in keys}
            before = columns.get(column.title)
            columns[column.title] = replace(column, cells={**(before.cells if before else {}), **cells})
    by = ", ".join(groups[0])
    significant = sum(bool({"best", "worse"} & {*one.table.rows.values()}) for one in summaries)
    few = f"Significant differences in {significant} of" if significant else "No significant difference in any of"
    verdict = f"{few} {len(summaries)} groups by {by}"
    findings, cautions = list[Sentence](), list[Sentence]()
    if summaries[0].chart in _UNRANKED:
        verdict = f"{names[0]}: {summaries[0].verdict.removesuffix('.')}"
        findings = [Sentence(f"{name}: {one.verdict}") for name, one in zip(names[1:], summaries[1:], strict=False)]
    shared = [text for text in summaries[0].cautions if all(text in one.cautions for one in summaries)]
    for name, one in zip(names, summaries, strict=False):
        findings += [replace(text, text=f"{name}: {text.text}") for text in one.findings]
        own = (text for text in one.cautions if text not in shared and not text.decision)
        cautions += [replace(text, text=f"{name}: {text.text}") for text in own]
    if summaries[0].chart not in _UNRANKED:
        findings.sort(key=lambda one: one.tone not in ("better", "worse"))
    left = len(groups) - len(summaries)
    return Summary(
        summaries[0].title,
        f"{summaries[0].context}, {count_of(len(groups), 'group')} by {by}",
        verdict + (f"; {left} more: --details." if left else "."),
        summaries[0].chart,
        SummaryTable(table, list(columns.values()), summaries[0].table.noun, labels=labels),
        findings,
        first_sentences([*decisions, *(one for one in shared if not one.decision), *cautions]),
    )


def _group_text(key: str, value: object) -> str:
    text = short_name(None if value is None else str(value))
    return text if text.casefold().startswith(key.casefold()) else f"{key} {text}"
