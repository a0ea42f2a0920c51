"""Whether figures are good enough, by a number that is asked for in the browser."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from karat.about import OVER_TIME
from karat.app import words
from karat.app.lists import one_of
from karat.errors import KaratError
from karat.figures.answering import keys_of
from karat.gates.asked import Bound
from karat.gates.results import equivalent_results, gate_results, worse_results
from karat.gates.written import parse_equivalent, parse_gates, parse_worse
from karat.names import annotator_names
from karat.render.signs import visible
from karat.render.unset_gate import (
    EVERYONE,
    Lacking,
    by_limits,
    everyone,
    how_to_gate,
    judges_read,
    lacking_gate,
    metrics_asked,
    passes,
)
from karat.render.wording import capital
from karat.report import GateResult, Report

GATE = "gate"
"""The key of the number."""
_ASKED = {
    "fail_under": ("{title} of at least", "%"),
    "fail_over": ("{title} of at most", "%"),
    "fail_if_worse": ("{title} worse by no more than", "pp"),
    "fail_unless_equivalent": ("Worse than people by no more than", "pp"),
}
"""Option -> the name of the control that asks for its number, and in which unit pages show it."""
_MARGIN, _SHARE, _STRENGTH = 0.05, 0.8, 0.4
"""Such numbers: a margin, a share, and what is no share."""
_WIDTH, _STEP = 280, 0.05


def gated(report: Report) -> Report:
    """The report with the verdict on what is asked for; as it is where it has one, or nothing is asked for."""
    gate = lacking_gate(report)
    if gate is None:
        return report
    if report.about.main == OVER_TIME and (how := how_to_gate(report)):
        words.remark(f"A gate between two of the runs, {how.said}: {how.meaning}.")
        return report
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metrics = metrics_asked(report)
        if len(metrics) > 1:
            gate = lacking_gate(report, _figure(report, metrics)) or gate
        number, judge = _number(report, gate)
    if number is None:
        words.remark(capital(passes(report, gate, judge, "this number")) + ".")
        return report
    text, limits = gate.asked(judge, f"{number:g}"), by_limits(report, gate, judge)
    try:
        found = replace(report, gates=tuple(_results(report, gate, text, "low" if limits else "estimate")))
    except KaratError as error:
        words.refuse([capital(line.removeprefix(f"{gate.option}: ")) for line in error.lines])
        return report
    bound = " --bound low" if limits else ""
    words.remark(f"On the command line: --{gate.option.replace('_', '-')} {shlex.quote(text)}{bound}")
    return found


def _figure(report: Report, metrics: Sequence[str]) -> str:
    """The figure of which something is asked."""
    titles = report.about.metrics
    return one_of("Figure", metrics, "gate-figure", format_func=lambda one: titles[one].title, width=_WIDTH)


def _number(report: Report, gate: Lacking) -> tuple[float | None, str]:
    """The number that is asked for, and of whom."""
    metric, judge, known = report.about.metrics[gate.metric], EVERYONE, judges_read(report, gate)
    title, unit = _ASKED[gate.option]
    example = (_SHARE if metric.percent else _STRENGTH) if gate.option == "fail_under" else _MARGIN
    shown = f" ({100 * example:g} {unit})" if metric.percent else ""
    if len(known) > 1 or gate.must:
        names = annotator_names(report.tables.values())
        all_of_them = everyone(report, gate)
        judge = one_of(
            words.label(words.own(gate.of)),
            known if gate.must else [EVERYONE, *known],
            "gate-of",
            first=gate.best if gate.best in known else None,
            format_func=lambda one: visible(names.get(one) or one) or all_of_them,
            width=_WIDTH,
        )
    number = st.number_input(
        words.label(title.format(title=metric.title)),
        value=None,
        step=_STEP,
        key=GATE,
        bind="query-params",
        width=_WIDTH,
        placeholder=f"A number, such as {example}{shown}",
    )
    return number, judge


def _results(report: Report, gate: Lacking, text: str, bound: Bound) -> Iterator[GateResult]:
    """The verdict on a gate as it is written. Raises OptionError for a number that can be no limit."""
    metrics, keys = report.about.metrics, [*(report.options.get("by") or ()), *report.about.keys]
    if gate.option == "fail_if_worse":
        compared = report["comparison"]
        known = {name: metrics[name] for name in compared["metric"].unique(maintain_order=True)}
        return worse_results(report, parse_worse([text], known, keys_of(compared.columns)))
    if gate.option == "fail_unless_equivalent":
        return equivalent_results(report, parse_equivalent([text], metrics, keys))
    return gate_results(report, parse_gates([text], metrics, keys, side=gate.option), bound)
