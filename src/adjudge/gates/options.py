"""Options that set gates, and the resulting checks of a report."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias

from adjudge.errors import OptionError, flag_name
from adjudge.evaluations import declaration_of
from adjudge.options.declaration import Options, arguments, option
from adjudge.options.kinds import GATES
from adjudge.report import GateResult, Report

Check: TypeAlias = Callable[[Report], Iterator[GateResult]]
"""Yields the results of gates in a report."""


def _gates(text: str, number: str, more: str = "") -> Sequence[str]:
    """An option that takes gates."""
    return option(text, default=(), metavar=f"METRIC[KEY=VALUE,...]{number}", kind=GATES, more=more)


class NoGates(Options, group="CI"):
    """Base of options that set gates; it sets none."""

    @classmethod
    def names(cls) -> list[str]:
        """The options that hold gates."""
        return [name for name, one in arguments(cls).items() if one.kind is GATES]

    def checks(self, function: str) -> list[Check]:  # noqa: ARG002
        """The checks of the report that a function makes.

        Raises OptionError, before the work, for gates that no such report can have.
        """
        return []


NO_GATES = NoGates()


class Thresholds(NoGates, group="CI"):
    """Thresholds that fail a command with status 3."""

    fail_under: Sequence[str] = _gates(
        "Fail (status 3) if below VALUE or undefined",
        "=VALUE",
        'Double quotes keep commas and brackets in a value: METRIC[KEY="a,b"]=0.4. METRIC[table=NAME] names a table.',
    )
    fail_over: Sequence[str] = _gates("Fail (status 3) if above VALUE or undefined", "=VALUE")
    bound: Literal["estimate", "worst"] = option(
        "Compare the estimate or its worse confidence limit", default="estimate"
    )

    def checks(self, function: str) -> list[Check]:
        """Floors and ceilings."""
        from adjudge.gates.gate import gate_results, parse_gates

        known = declaration_of(function).metrics
        gates = [*parse_gates(self.fail_under, known), *parse_gates(self.fail_over, known, "fail_over")]
        if self.bound == "worst" and not gates:
            message = f"worst is what gates read; give {flag_name('fail_under')} or {flag_name('fail_over')} too"
            raise OptionError(message, option="bound")
        return [partial(gate_results, gates=gates, bound=self.bound)]


class NonInferiority(Thresholds, group="CI"):
    """Thresholds of a card."""

    fail_unless_noninferior: Sequence[str] = _gates(
        "Fail unless a judge is non-inferior to humans within MARGIN", ":MARGIN"
    )

    def checks(self, function: str) -> list[Check]:
        """Margins, floors and ceilings."""
        from adjudge.gates.gate import non_inferiority_results, parse_gates

        known = declaration_of(function).metrics
        gates = parse_gates(self.fail_unless_noninferior, known, "fail_unless_noninferior")
        return [partial(non_inferiority_results, gates=gates), *super().checks(function)]


class Regressions(NoGates, group="CI"):
    """Thresholds of a comparison."""

    fail_if_worse: Sequence[str] = _gates(
        "Fail (status 3) if the second run is significantly worse by more than MARGIN (default: 0)",
        "[:MARGIN]",
        "Several gates are adjusted for one another.",
    )

    def checks(self, function: str) -> list[Check]:  # noqa: ARG002
        """Regressions, whose metrics all runs have."""
        from adjudge.gates.gate import parse_gates, regression_results

        def regressions(report: Report) -> Iterator[GateResult]:
            known = report.about.metrics
            return regression_results(report, parse_gates(self.fail_if_worse, known, "fail_if_worse"))

        return [regressions] if self.fail_if_worse else []
