"""Gates: a metric must reach a limit, must not get worse, or must be no worse than that of human annotators."""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from adjudge.metrics.row_selection import subject_text

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, in double quotes if it holds a character that ends a value; quotes in it are doubled."""
SUBJECT = rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?"
"""What a gate is about: a metric, and the keys of its rows."""
Bound = Literal["estimate", "worst"]
"""What gates compare: metrics, or the limits of their intervals, of floors the lower and of ceilings the upper one."""

Side = Literal["fail_under", "fail_over"]
"""The option that a gate comes from: one that asks for a floor, or for a ceiling."""

_EXACT = 12
"""Decimals of a percentage that are no error of a product by 100."""
_PLACES = 12
"""Decimals that are tried before a number is printed with all that it has."""
_MINUS = "\u2212"

Unit = Literal["", "%", " pp"]
"""What stands behind the numbers of a gate: those of shares are percentages, those of their differences points."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric that must reach a limit in every row that the keys pick, or with `fail_over` must not exceed it."""

    metric: str
    limit: float
    keys: dict[str, str] = field(default_factory=dict)
    side: Side = "fail_under"
    unit: Unit = ""

    def __str__(self) -> str:
        return self.requirement("estimate")

    def requirement(self, bound: Bound) -> str:
        """The requirement on a metric, or on the limit of its interval."""
        end, must = ("lower", "at least") if self.side == "fail_under" else ("upper", "at most")
        of = f"the {end} limit of " if bound == "worst" else ""
        return f"{of}{subject_text(self.metric, self.keys)} must be {must} {limit_text(self.limit, self.unit)}"

    @property
    def option(self) -> str:
        """The option that the gate comes from."""
        return self.side

    def passes(self, value: float) -> bool:
        """Whether a value is good enough."""
        return value >= self.limit if self.side == "fail_under" else value <= self.limit


@dataclass(frozen=True, slots=True)
class RegressionGate:
    """A metric that must not be significantly worse by more than `margin` in any row that the keys pick.

    better: which end of it is good. margin: in the metric's own unit; unit: the one in which it is printed.
    """

    metric: str
    margin: float
    better: Literal["high", "low"]
    keys: dict[str, str] = field(default_factory=dict)
    unit: Unit = ""
    option: ClassVar[str] = "fail_if_worse"

    def __str__(self) -> str:
        turn = "fall" if self.better == "high" else "rise"
        more = f" by more than {limit_text(self.margin, self.unit)}" if self.margin else ""
        return f"{subject_text(self.metric, self.keys)} must not {turn}{more}"

    @property
    def limit(self) -> float:
        """The worst difference that is allowed."""
        return -self.margin if self.better == "high" else self.margin

    def excess(self, difference: float) -> float:
        """By how much a difference is worse than allowed; negative where it is not."""
        return self.limit - difference if self.better == "high" else difference - self.limit


@dataclass(frozen=True, slots=True)
class NonInferiorityGate:
    """A judge must be no worse than human annotators by more than a margin (a non-inferiority test of the metric)."""

    metric: str
    limit: float
    keys: dict[str, str] = field(default_factory=dict)
    unit: Unit = ""
    option: ClassVar[str] = "fail_unless_noninferior"

    def __str__(self) -> str:
        of = subject_text(self.metric, self.keys)
        return f"{of} must be no worse than that of human annotators by more than {limit_text(self.limit, self.unit)}"


AnyGate = Gate | RegressionGate | NonInferiorityGate


def parse_keys(text: str | None) -> dict[str, str]:
    r"""Keys with their values from what stands in the brackets of a gate.

    >>> parse_keys('annotator="a,b", week=2')
    {'annotator': 'a,b', 'week': '2'}
    """
    keys = {}
    for pair in re.findall(_PAIR, text or ""):
        name, _, value = pair.partition("=")
        keys[name.strip()] = value[1:-1].replace('""', '"') if value.startswith('"') else value
    return keys


def limit_text(limit: float, unit: Unit) -> str:
    """The limit of a gate, with all decimals that were given."""
    return _with_minus(f"{100 * limit:.10g}{unit}" if unit else f"{limit:g}")


def value_text(value: float, gate: AnyGate) -> str:
    """A value, a difference or a margin, with as many decimals as distinguish it from the gate's limit."""
    if not gate.unit:
        return _with_minus(decimals_text(value, gate.limit, 3))
    return _with_minus(f"{decimals_text(round(100 * value, _EXACT), round(100 * gate.limit, _EXACT), 1)}{gate.unit}")


def _with_minus(number: str) -> str:
    return _MINUS + number[1:] if number.startswith("-") else number


def decimals_text(value: float, limit: float, decimals: int) -> str:
    """A number with `decimals` decimals, or with more if it would otherwise read as its limit.

    >>> [decimals_text(number, 0.8, decimals=4) for number in (0.712345, 0.799999, 0.8)]
    ['0.7123', '0.799999', '0.8000']
    >>> decimals_text(59.984288673695, 60, decimals=1)
    '59.98'
    >>> decimals_text(0.41255, 0.4126, decimals=3)
    '0.4125'
    >>> decimals_text(-0.00001, 0.02, decimals=4)
    '0.0000'
    """
    for shown in (f"{value:z.{places}f}" for places in range(decimals, _PLACES)):
        # It must read neither as the limit nor beyond it.
        if value == limit or (float(shown) - limit) * (value - limit) > 0:
            return shown
    return repr(value)
