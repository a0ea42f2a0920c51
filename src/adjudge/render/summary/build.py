"""The summary of a report, by its evaluation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from adjudge.display_names import count_of, listed_names, number_repeats, short_name
from adjudge.metrics.row_selection import GroupKeys, report_groups
from adjudge.render.numbers import capital
from adjudge.render.summary import against_reference, annotators, judge_card, runs
from adjudge.render.summary.contents import Sentence, Summary, stacked_tables
from adjudge.render.summary.sentences import MOST_FINDINGS, SummaryRows, first_sentences
from adjudge.report import GateResult, Report
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE
from adjudge.version import NAME

_FAMILIES: Mapping[str, tuple[Callable[[SummaryRows], Summary], str]] = {
    COMPARISON_TABLE: (runs.compare, "dumbbell"),
    HISTORY_TABLE: (runs.history, "history"),
    "annotators": (against_reference.reliability, "forest"),
    "scores": (against_reference.preferences, "leaderboard"),
    "ranks": (against_reference.judges, "leaderboard"),
    "violations scores": (against_reference.violations, "detection"),
    "violations annotators": (against_reference.violation_annotators, "detection"),
    "rag scores": (against_reference.rag, "noise"),
    "annotations agreement": (annotators.annotations, "strength"),
    "agreement": (annotators.agreement, "agreement"),
    "judges": (judge_card.card, "ceiling"),
    "corrected": (judge_card.corrected, "forest"),
    "corrected_numbers": (judge_card.corrected, "forest"),
}
"""Main table, in some evaluations only -> its summary and the chart that answers its question."""
_SPLITS: Mapping[str, tuple[str, ...]] = {"annotations": ("dataset", "reference"), "violations": ("split",)}
"""Evaluation -> key columns whose values have separate results."""
_MOST_GROUPS, _MOST_WARNINGS, _LONG_PATH = 20, 4, 40
_UNRANKED = ("agreement", "ceiling", "strength")
"""Charts of summaries whose verdict is not on differences between judges."""


def report_summary(report: Report) -> Summary:
    """The summary of a report; for several groups the verdict on each, and the findings of all."""
    rows, about = SummaryRows(report), report.about
    other = _FAMILIES.get(about.main, (against_reference.judges, "forest"))
    build, chart = _FAMILIES.get(f"{about.name} {about.main}", other)
    alone = about.main in (COMPARISON_TABLE, HISTORY_TABLE)
    groups = [{}] if alone else list(report_groups(report, _SPLITS.get(about.name, ())))
    if report.tables.get(about.main) is None or report[about.main].is_empty():
        summary = Summary(context=rows.counts(), verdict="Nothing to score: the tables hold no metrics.")
    elif len(groups) > 1:
        summaries = [build(SummaryRows(report, group)) for group in groups[:_MOST_GROUPS]]
        decisions = [one for one in rows.cautions({}, "item") if one.decision]
        summary = _groups(groups, summaries, decisions, ranked=chart not in _UNRANKED)
    else:
        summary = build(rows)
    names = {*rows.names, *(Path(one.path).stem for one in report.inputs)}
    starts = {text: text.partition(" ")[0] for text in report.warnings}
    texts = [capital(text) if start.isalpha() and start not in names else text for text, start in starts.items()]
    warned = first_sentences([Sentence(text) for text in texts], _MOST_WARNINGS)
    columns = [
        column
        for column in summary.table.columns
        if not column.drop or any(getattr(cell, "value", cell) is not None for cell in column.cells.values())
    ]
    doubtful = [one.title for one in columns if one.estimates and all(each.caveat for each in one.estimates.values())]
    rough = doubtful and not any("intervals" in one.text for one in summary.cautions)
    of_intervals = ["! marks intervals that may be too narrow"] * any(one.marked for one in columns)
    of_intervals += [f"All intervals of {listed_names(doubtful)} are rough"] * bool(rough)
    reasons = [Sentence(f"{text} (reasons: --details)") for text in of_intervals]
    cautions = [*summary.cautions, *reasons, *warned]
    open_cautions = "Resolve the cautions or report them with the results" if cautions else "No action needed"
    if len(groups) > 1 and not cautions:
        open_cautions = "Compare the CIs of groups: differences between groups are not tested"
    paths = [one.path for one in report.inputs if one.size and len(report.inputs) == 1 and len(one.path) <= _LONG_PATH]
    return replace(
        summary,
        title=summary.title or about.title,
        chart=chart,
        table=replace(summary.table, columns=columns, interval=f"{100 * report.confidence:.4g}% CI"),
        findings=tuple(first_sentences(summary.findings)),
        cautions=tuple(cautions),
        next=tuple(summary.next) or (Sentence(open_cautions),) * bool(summary.table.rows),
        gates=tuple(_gate_results(report.gates) if report.gates else summary.gates),
        more=", ".join(["--details", "--output report.html", *(f"{NAME} view {quote(path)}" for path in paths)]),
    )


def _gate_results(gates: Sequence[GateResult]) -> list[Sentence]:
    """The gates that fail, or else that all pass."""
    texts = {one: f"{one.subject}: {one.gate}; {one.finding}".removeprefix(": ") for one in gates}
    if failed := [texts[one] for one in gates if not one.passed]:
        rest = [f"{len(failed):,} of {len(gates):,} gates fail"] * (len(failed) > MOST_FINDINGS)
        return [Sentence(one, "worse", "Gate FAIL") for one in (*rest, *failed[:MOST_FINDINGS])]
    unsure = sum(gate.uncertain for gate in gates)
    doubt = f"; limit inside the interval of {unsure:,}" if unsure else ""
    passed = [f"{len(gates):,} gates pass{doubt}"] if len(gates) > 1 else texts.values()
    return [Sentence(one, "better", "Gate PASS") for one in passed]


def _groups(groups: list[GroupKeys], summaries: list[Summary], decisions: list[Sentence], *, ranked: bool) -> Summary:
    """Summaries of several groups as one: a heading per group in the table, and the verdict on each."""
    names = number_repeats(", ".join(_group_text(*key) for key in group.items()) for group in groups)
    each, by, left = dict(zip(names, summaries, strict=False)), ", ".join(groups[0]), len(groups) - len(summaries)
    verdicts = [f"{name}: {one.verdict}" for name, one in each.items()]
    if ranked:
        count = sum(bool({"best", "worse"} & {*one.table.rows.values()}) for one in summaries)
        verdicts.insert(0, f"Significant differences in {count or 'none'} of {len(summaries)} groups by {by}.")
    cautions = [replace(one, text=f"{name}: {one.text}") for name, part in each.items() for one in part.cautions]
    return Summary(
        title=summaries[0].title,
        context=f"{summaries[0].context}, {count_of(len(groups), 'group')} by {by}",
        verdict=verdicts[0] + (f" {left:,} more groups: --details." if left else ""),
        table=stacked_tables({name: one.table for name, one in each.items()}),
        findings=[Sentence(one) for one in verdicts[1:]],
        cautions=first_sentences([*decisions, *(one for one in cautions if not one.decision)]),
    )


def _group_text(key: str, value: object) -> str:
    text = short_name(None if value is None else str(value))
    return text if text.casefold().startswith(key.casefold()) else f"{key} {text}"
