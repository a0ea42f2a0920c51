"""Assertions on reports, for pytest or any other test runner."""

from adjudge.errors import OptionError
from adjudge.gates.gate import Gate, gate_results, interval_text, parse_gates
from adjudge.gates.options import Bound, GateOption
from adjudge.metrics.ranking import is_significant
from adjudge.metrics.row_selection import (
    RUN_COLUMNS,
    TableRow,
    check_known_name,
    metric_tables,
    select_rows,
    subject_text,
)
from adjudge.report import Report

__all__ = ["assert_agreement", "assert_not_worse", "assert_significantly_better"]


def assert_agreement(report: Report, metric: str, *, at_least: float, bound: Bound = "estimate", **keys: str) -> None:
    """Assert that a metric is at least as high as a limit: `assert_agreement(report, "kappa", at_least=0.6)`.

    Every row of the report's main table that has the metric must reach the limit, as with `--fail-under`: averages
    if there are any, and no baselines. keys: values of key columns that select rows, such as annotator="ana". bound:
    "estimate" compares the estimates, "worst" the lower limits of their intervals. at_least is a proportion in [0, 1]
    if the metric is one, else in the metric's own unit.

    Raises
    ------
    AssertionError with a line per row below the limit; an undefined metric fails with its reason. OptionError for an
    unknown metric or key, and for a limit that the metric cannot have.
    """
    _check_gate(report, metric, f"{subject_text(metric, keys)}={at_least!r}", "fail_under", bound)


def assert_significantly_better(report: Report, better: str, than: str, *, metric: str, **keys: str) -> None:
    """Assert that one judge, or run, is significantly better than another on the items that both have.

    report: of an evaluation of several judges, or of `adjudge.compare`. better, than: names in its table `differences`
    or `comparison`. Every row of that table with the metric and both names must have its difference on the side of
    `better`. Its adjusted p must be below 1 - confidence (0.05 by default). keys: values of key columns that select
    rows, such as criterion="safety"; without them averages are read if there are any.

    Raises
    ------
    AssertionError with a line per row that is not significantly better; an undefined difference fails with its reason.
    OptionError if no row compares the two in this metric, and for a metric without a good end.
    """
    check_known_name("no metric", metric, report.about.metrics)
    spec, tables = report.about.metrics[metric], metric_tables(report)
    if spec.better is None:
        raise OptionError(f"{metric} is good neither when high nor when low, so it makes no judge better")
    tests = tables.get("comparison", tables.get("differences", []))
    both = [row for row in tests if {row[run] for run in RUN_COLUMNS} == {better, than}]
    rows = select_rows(both, metric, keys, report.about)
    if not rows:
        known = dict.fromkeys(row[run] for row in tests for run in RUN_COLUMNS)
        raise OptionError(f"no test of {subject_text(metric, keys)} of {better} and {than}", found=", ".join(known))
    gate = Gate(metric, 0.0, keys, "fail_if_worse", " pp" if spec.percent else "", spec.better or "high")
    _raise_failures([text for row in rows if (text := _failure(row, gate, better, report.confidence))])


def assert_not_worse(report: Report, *, metric: str, margin: float = 0.0, **keys: str) -> None:
    """Assert that the second run is not significantly worse than the first, as with `--fail-if-worse`.

    report: of `adjudge.compare`. margin: by how much the metric may get worse, a proportion where the metric is one.
    keys: values of key columns that pick rows, such as judge="ana"; without them averages are read where there are any.

    Raises
    ------
    AssertionError with a line per row that is worse; an undefined difference fails with its reason. OptionError for an
    unknown metric or key, and for a metric without a good end.
    """
    _check_gate(report, metric, f"{subject_text(metric, keys)}:{margin!r}", "fail_if_worse")


def _check_gate(report: Report, metric: str, text: str, option: GateOption, bound: Bound = "estimate") -> None:
    """Raises AssertionError if the gate of a command line's option fails, OptionError if no row answers it."""
    check_known_name("no metric", metric, report.about.metrics)
    try:
        results = gate_results(report, parse_gates([text], report.about.metrics, option, bound))
    except OptionError as error:
        error.option = ""  # the one that sets such a limit on the command line
        raise
    _raise_failures([f"{one.subject}: {one.gate}; {one.finding}" for one in results if not one.passed])


def _failure(row: TableRow, gate: Gate, better: str, confidence: float) -> str:
    """Why a difference, the second minus the first, does not show that `better` is better; empty if it does."""
    subject = f"{gate.metric} of {row['second']} minus {row['first']}"
    if row["value"] is None:
        return f"{subject} is undefined, {row['reason']}"
    ahead = "second" if (row["value"] > 0) == (gate.better == "high") else "first"
    if row["value"] and row[ahead] == better and is_significant(row["p_adjusted"], confidence):
        return ""
    p = "without a test" if row["p_adjusted"] is None else f"adjusted p = {row['p_adjusted']:.3g}"
    return (
        f"{subject} is {gate.text(row['value'])}{interval_text(row, gate)}, {p}: {better} is not significantly better"
    )


def _raise_failures(failures: list[str]) -> None:
    if failures:
        raise AssertionError("\n".join(failures))
