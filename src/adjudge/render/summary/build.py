"""The summary of a report, by its evaluation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from shlex import quote

from adjudge.display_names import count_of, number_repeats, short_name
from adjudge.estimate import Caveat
from adjudge.metrics.report_rows import report_groups
from adjudge.metrics.row_selection import GroupKeys
from adjudge.render.summary import against_reference, annotators, judge_card, runs
from adjudge.render.summary.contents import Score, Sentence, Summary, stacked_tables
from adjudge.render.summary.sentences import MOST_FINDINGS, SummaryRows, first_sentences
from adjudge.report import GateResult, Report
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE
from adjudge.version import NAME

_FAMILIES: Mapping[str, tuple[Callable[[SummaryRows], Summary], str]] = {
    COMPARISON_TABLE: (runs.compare, "dumbbell"),
    HISTORY_TABLE: (runs.history, "history"),
    "annotators": (against_reference.reliability, "forest"),
    "scores": (against_reference.preferences, "leaderboard"),
    "ranks": (against_reference.published_ranks, "leaderboard"),
    "violations scores": (against_reference.violations, "detection"),
    "violations annotators": (annotators.violation_annotators, "detection"),
    "rag scores": (against_reference.rag, "noise"),
    "annotations agreement": (annotators.annotations, "strength"),
    "agreement": (annotators.agreement, "agreement"),
    "judges": (judge_card.card, "ceiling"),
    "corrected": (judge_card.corrected, "forest"),
    "corrected_numbers": (judge_card.corrected, "forest"),
}
"""Main table, of some evaluations alone -> its summary and the chart that answers its question."""
_SPLITS: Mapping[str, tuple[str, ...]] = {"annotations": ("dataset", "reference"), "violations": ("split",)}
"""Evaluation -> key columns each of whose values has results of its own."""
_MOST_GROUPS, _MOST_WARNINGS, _LONGEST_PATH = 20, 4, 40
_UNRANKED = ("agreement", "ceiling", "strength")
"""Charts of summaries whose verdict is not on differences between judges."""


def report_summary(report: Report) -> Summary:
    """The summary of a report: of several groups the verdict on each, and the findings of all."""
    rows, about = SummaryRows(report), report.about
    other = _FAMILIES.get(about.main, (against_reference.judges, "forest"))
    build, chart = _FAMILIES.get(f"{report.evaluation} {about.main}", other)
    splits = _SPLITS.get(report.evaluation, ()) if about.main not in (COMPARISON_TABLE, HISTORY_TABLE) else None
    groups = [{}] if splits is None else list(report_groups(report, splits))
    if report.tables.get(about.main) is None or report[about.main].is_empty():
        summary = Summary(context=rows.counts(), verdict="Nothing to score: the tables hold no metrics.")
    elif len(groups) > 1:
        summaries = [build(SummaryRows(report, group)) for group in groups[:_MOST_GROUPS]]
        decisions = [one for one in rows.cautions({}, "item") if one.decision]
        summary = _of_groups(groups, summaries, decisions, ranked=chart not in _UNRANKED)
    else:
        summary = build(rows)
    warned = [Sentence(warning, decision=True) for warning in report.warnings[:_MOST_WARNINGS]]
    if (rest := len(report.warnings) - len(warned)) > 0:
        warned.append(Sentence(f"{rest:,} more warnings: --details"))
    cautions = [*_with_key(summary), *warned]
    open_cautions = "Resolve the cautions, or report them beside the result" if cautions else "No action needed"
    paths = [one.path for one in report.inputs if len(report.inputs) == 1 and len(one.path) <= _LONGEST_PATH]
    return replace(
        summary,
        title=summary.title or about.title,
        chart=chart,
        table=replace(summary.table, interval=f"{100 * report.confidence:.4g}% CI"),
        findings=tuple(first_sentences(summary.findings)),
        cautions=tuple(cautions),
        next=tuple(summary.next) or (Sentence(open_cautions),) * bool(summary.table.rows),
        gates=tuple(_gate_results(report.gates) or summary.gates),
        more=", ".join(["--details", "--output report.html", *(f"{NAME} view {quote(path)}" for path in paths)]),
    )


def _with_key(summary: Summary) -> list[Sentence]:
    """The cautions, of which one says what the marks in the table mean."""
    small = [one for one in summary.cautions if "Small samples (" in one.text]
    marked = [one.cells[row] for one in summary.table.columns for row in one.marked]
    caveats = {one.caveat for one in marked if isinstance(one, Score) and one.interval}
    if not caveats:
        return [*summary.cautions]
    if small and caveats <= {Caveat.FEW_ITEMS, Caveat.ONE_ITEM}:
        texts = {one: replace(one, text=one.text.replace("): ", ", marked !): ")) for one in small}
        return [texts.get(one, one) for one in summary.cautions]
    return [*summary.cautions, Sentence("Marked !: intervals may be too narrow (reasons: --details)")]


def _gate_results(gates: Sequence[GateResult]) -> list[Sentence]:
    """The gates that fail, or else that all pass."""
    texts = {one: f"{one.subject}: {one.gate}; {one.finding}".removeprefix(": ") for one in gates}
    if failed := [texts[one] for one in gates if not one.passed]:
        rest = [f"{len(failed):,} of {len(gates):,} gates fail"] if len(failed) > MOST_FINDINGS else []
        return [Sentence(one, "worse", "Gate FAIL") for one in (*rest, *failed[:MOST_FINDINGS])]
    unsure = sum(gate.uncertain for gate in gates)
    doubt = f"; {unsure:,} of their intervals include the limit" if unsure else ""
    passed = [f"{len(gates):,} gates pass{doubt}"] if len(gates) > 1 else texts.values()
    return [Sentence(one, "better", "Gate PASS") for one in passed]


def _of_groups(
    groups: list[GroupKeys], summaries: list[Summary], decisions: list[Sentence], *, ranked: bool
) -> Summary:
    """Summaries of several groups as one: a heading per group in the table, its name before each sentence."""
    names = number_repeats(", ".join(_group_text(*key) for key in group.items()) for group in groups)
    each, by, left = dict(zip(names, summaries, strict=False)), ", ".join(groups[0]), len(groups) - len(summaries)
    findings, cautions = (
        [replace(one, text=f"{name}: {one.text}") for name, part in each.items() for one in getattr(part, kind)]
        for kind in ("findings", "cautions")
    )
    verdict, *others = (f"{name}: {one.verdict}" for name, one in each.items())
    if ranked:
        count = sum(bool({"best", "worse"} & {*one.table.rows.values()}) for one in summaries)
        few = f"Significant differences in {count} of" if count else "No significant difference in any of"
        verdict, others = f"{few} {len(summaries)} groups by {by}.", []
        findings.sort(key=lambda one: one.tone not in ("better", "worse"))
    return Summary(
        title=summaries[0].title,
        context=f"{summaries[0].context}, {count_of(len(groups), 'group')} by {by}",
        verdict=f"{verdict.removesuffix('.')}; {left} more: --details." if left else verdict,
        table=stacked_tables({name: one.table for name, one in each.items()}),
        findings=[*map(Sentence, others), *findings],
        cautions=first_sentences([*decisions, *(one for one in cautions if not one.decision)]),
    )


def _group_text(key: str, value: object) -> str:
    text = short_name(None if value is None else str(value))
    return text if text.casefold().startswith(key.casefold()) else f"{key} {text}"
