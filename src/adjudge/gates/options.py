"""Options that set gates."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

from adjudge.errors import OptionError, flag_name
from adjudge.options.declaration import Options, arguments, option
from adjudge.options.kinds import GATES

if TYPE_CHECKING:
    from adjudge.gates.gate import Gate
    from adjudge.spec import MetricSpec

Bound = Literal["estimate", "worst"]
"""What gates compare: estimates, or the limits of their intervals, the lower for floors and the upper for ceilings."""
GateOption = Literal["fail_unless_noninferior", "fail_under", "fail_over", "fail_if_worse"]
"""The option of a gate: a floor, a ceiling, or the margin of a difference."""

_SUBJECT = "METRIC[KEY=VALUE,...]"
_gates = partial(option, default=(), kind=GATES)


class NoGates(Options, group="CI"):
    """Base of options that set gates; it sets none."""

    @classmethod
    def names(cls) -> list[GateOption]:
        """The options that hold gates."""
        return [name for name in get_args(GateOption) if name in arguments(cls)]

    def gates(self, known: "Mapping[str, MetricSpec]") -> "list[Gate]":
        """The gates that are set. known: the existing metrics.

        Raises OptionError for a gate that none can have, and for a bound without a threshold.
        """
        from adjudge.gates.gate import parse_gates

        bound: Bound = getattr(self, "bound", "estimate")
        names = [name for name in self.names() if getattr(self, name)]
        if bound == "worst" and not {"fail_under", "fail_over"} & {*names}:
            message = f"worst needs a gate; add {flag_name('fail_under')} or {flag_name('fail_over')}"
            raise OptionError(message, option="bound")
        return [gate for name in names for gate in parse_gates(getattr(self, name), known, name, bound)]


NO_GATES = NoGates()


class Thresholds(NoGates, group="CI"):
    """Thresholds that fail a command with status 3."""

    fail_under: Sequence[str] = _gates(
        "Minimum: exit with status 3 if lower or undefined",
        metavar=f"{_SUBJECT}=VALUE",
        more='Double quotes keep commas and brackets in a value: METRIC[KEY="a,b"]=0.4. '
        "METRIC[table=NAME] names a table.",
    )
    fail_over: Sequence[str] = _gates("Maximum: exit with status 3 if higher or undefined", metavar=f"{_SUBJECT}=VALUE")
    bound: Bound = option("What gates test: the estimate, or the worse limit of its CI (worst)", default="estimate")


class NonInferiority(Thresholds, group="CI"):
    """Thresholds of a card."""

    fail_unless_noninferior: Sequence[str] = _gates(
        "Non-inferiority margin to humans: exit with status 3 unless a judge passes", metavar=f"{_SUBJECT}:MARGIN"
    )


class Regressions(NoGates, group="CI"):
    """Thresholds of a comparison."""

    fail_if_worse: Sequence[str] = _gates(
        "Largest acceptable loss (default: 0): exit with status 3 if the loss is significantly larger",
        metavar=f"{_SUBJECT}[:MARGIN]",
        more="Several gates are adjusted for one another.",
    )
