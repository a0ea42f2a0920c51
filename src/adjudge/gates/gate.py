"""A gate: a metric must reach a limit, must not get worse, or must be no worse than that of human annotators."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from adjudge.metrics.row_selection import subject_text

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, in double quotes if it holds a character that ends a value; quotes in it are doubled."""
SUBJECT = rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?"
"""What a gate is about: a metric, and the keys of its rows."""
Bound = Literal["estimate", "worst"]
"""What gates compare: metrics, or the limits of their intervals, of floors the lower and of ceilings the upper one."""
GateOption = Literal["fail_under", "fail_over", "fail_if_worse", "fail_unless_noninferior"]
"""The option that a gate comes from: a floor, a ceiling, or the margin of a difference."""
Unit = Literal["", "%", " pp"]
"""What stands behind the numbers of a gate: those of shares are percentages, those of their differences points."""

_EXACT = 12
"""Decimals of a percentage that are no error of a product by 100."""
_PLACES = 12
"""Decimals that are tried before a number is printed with all that it has."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What a metric must reach in every row that the keys pick.

    number: the floor or ceiling, or the margin by which a second run, or a judge, may be worse. better: the good end of
    the metric. unit: the one in which numbers are printed.
    """

    metric: str
    number: float
    keys: Mapping[str, str] = field(default_factory=dict)
    option: GateOption = "fail_under"
    unit: Unit = ""
    better: Literal["high", "low"] = "high"

    def __str__(self) -> str:
        return self.requirement("estimate")

    def requirement(self, bound: Bound) -> str:
        """The requirement on a metric, or on the limit of its interval."""
        subject, number = subject_text(self.metric, self.keys), self.number_text
        if self.option == "fail_unless_noninferior":
            return f"{subject} must be no worse than that of human annotators by more than {number}"
        if self.option == "fail_if_worse":
            turn = "fall" if self.better == "high" else "rise"
            return f"{subject} must not {turn}{f' by more than {number}' if self.number else ''}"
        end, must = ("lower", "at least") if self.better == "high" else ("upper", "at most")
        of = f"the {end} limit of " if bound == "worst" else ""
        return f"{of}{subject} must be {must} {number}"

    @property
    def number_text(self) -> str:
        """The floor, ceiling or margin, with all decimals that were given."""
        return _with_minus(f"{100 * self.number:.10g}{self.unit}" if self.unit else f"{self.number:g}")

    @property
    def limit(self) -> float:
        """The worst value, or the worst difference, that is allowed."""
        return -self.number if self.option == "fail_if_worse" and self.better == "high" else self.number

    def excess(self, value: float) -> float:
        """By how much a value is worse than allowed; negative where it is not."""
        return self.limit - value if self.better == "high" else value - self.limit

    def text(self, value: float) -> str:
        """A value, a difference or a margin, with as many decimals as distinguish it from the limit."""
        if not self.unit:
            return _with_minus(decimals_text(value, self.limit, 3))
        number, limit = (round(100 * share, _EXACT) for share in (value, self.limit))
        return _with_minus(f"{decimals_text(number, limit, 1)}{self.unit}")


def parse_keys(text: str | None) -> dict[str, str]:
    r"""Keys with their values from what stands in the brackets of a gate.

    >>> parse_keys('annotator="a,b", week=2')
    {'annotator': 'a,b', 'week': '2'}
    """
    pairs = [pair.partition("=")[::2] for pair in re.findall(_PAIR, text or "")]
    quoted = '"'
    return {
        name.strip(): value[1:-1].replace('""', quoted) if value.startswith(quoted) else value for name, value in pairs
    }


def _with_minus(number: str) -> str:
    return f"\N{MINUS SIGN}{number[1:]}" if number.startswith("-") else number


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
