"""A gate: a metric must reach a limit, must not get worse, or must be no worse than that of human annotators.

Options write it as `kappa[annotator=A17]=0.4`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import Any, Literal

from adjudge.errors import OptionError, flag_name
from adjudge.metrics.row_selection import MOST_LISTED, RUN_COLUMNS, check_known_name, number_or_nan, subject_text
from adjudge.spec import NON_INFERIORITY_SUFFIX, Evaluation, MetricSpec

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

TABLE = "table"
"""The key by which a gate names a table, unless the tables have such a column."""

_DIFFERENCE_KEYS = {TABLE, "compared", *RUN_COLUMNS}
"""Keys by which a gate may pick rows that hold differences, under the names of the metrics."""

_LIMIT = (rf"{SUBJECT}=(?P<number>[^=]+)", "metric=value or metric[key=value]=value", 'kappa[annotator="a,b"]=0.4')
_FORMS = {
    "fail_under": _LIMIT,
    "fail_over": _LIMIT,
    "fail_if_worse": (
        rf"{SUBJECT}(?::(?P<number>[^:]+))?",
        "metric, metric:margin or metric[key=value]:margin with a margin of 0 or more",
        'accuracy[judge="a,b"]:0.02',
    ),
    "fail_unless_noninferior": (
        rf"{SUBJECT}:(?P<number>[^:]+)",
        "metric:margin or metric[key=value]:margin with a margin above 0",
        'agreement[judge="a,b"]:0.05',
    ),
}
"""How the gates of an option are written: the pattern, in words, and with a value in quotes."""
_MARGINS = {"fail_if_worse", "fail_unless_noninferior"}
"""Those whose number is a margin."""


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


def parse_gates(
    texts: Sequence[str],
    known: Mapping[str, MetricSpec],
    keys: Sequence[str] | None,
    option: GateOption = "fail_under",
) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator="a,b]c"]=0.4` or `accuracy[criterion=safety]:0.02`.

    known: the metrics there are; of non-inferiority those that end in its suffix. keys: the key columns of the tables
    of metrics; None where they are not known yet. A regression's margin is 0 by default. Raises OptionError for any
    other text, metric or key, for a number that the metric cannot have, for a floor of a metric that is good when low,
    or a ceiling of one that is good when high: it would keep it from improving; and for a metric without a good end,
    which cannot get worse.

    >>> known = {"kappa": MetricSpec("Kappa", "", percent=False), "reliability": MetricSpec("Reliability", "", "high")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known, ["annotator"]), sep="; ")
    reliability must be at least 70%; kappa[annotator=A17] must be at least 0.4
    >>> print(*parse_gates(["reliability[judge=north]:0.02"], known, ["judge"], "fail_if_worse"))
    reliability[judge=north] must not fall by more than 2 pp
    >>> known = {"agreement_no_worse_by": MetricSpec("No worse by", "")}
    >>> print(*parse_gates(["agreement[judge=gpt]:0.05"], known, ["judge"], "fail_unless_noninferior"))
    agreement[judge=gpt] must be no worse than that of human annotators by more than 5 pp
    """
    if option == "fail_unless_noninferior":
        ending = NON_INFERIORITY_SUFFIX
        known = {name.removesuffix(ending): spec for name, spec in known.items() if name.endswith(ending)}
    return [_parse_gate(text, known, keys, option) for text in texts]


def _parse_gate(text: str, known: Mapping[str, MetricSpec], keys: Sequence[str] | None, option: GateOption) -> Gate:
    pattern, expected, quoted = _FORMS[option]
    match, is_margin = re.fullmatch(pattern, text), option in _MARGINS
    number = number_or_nan(match["number"] or "0") if match else nan
    if is_margin and (number < 0 or (number == 0 and option == "fail_unless_noninferior")):
        raise OptionError(f"expected {expected.rpartition(' with ')[2]}; got {number:g}", option=option)
    if match is None or not isfinite(number):
        fix = f"{text}{':0.02' if is_margin else '=0.8'}" if text in known else f"'{quoted}'"
        raise OptionError(f"expected {expected}; got {text:.300}", option=option, fix=fix)
    metric, keys_of_gate = match["metric"], parse_keys(match["keys"])
    check_known_name("no metric", metric, known, option, text)
    for key in keys_of_gate if keys is not None else ():
        check_known_name("no key", key, keys or (), option, text)
    spec = known[metric]
    _check_range(text, metric, number, spec, option, differs=not _DIFFERENCE_KEYS.isdisjoint(keys_of_gate))
    better = spec.better if option == "fail_if_worse" else "low" if option == "fail_over" else "high"
    if better is None:
        ends = ", ".join([name for name, one in known.items() if one.better][:MOST_LISTED])
        raise OptionError(f"expected one of {ends}; {metric} is good neither when high nor when low", option=option)
    if not is_margin and spec.better not in (better, None):
        limit, other = ("floor", "fail_over") if better == "high" else ("ceiling", "fail_under")
        message = f"{flag_name(option)}: {metric} is good when {spec.better}; a {limit} would fail the best"
        raise OptionError(message, fix=f"{flag_name(other)} {metric}={number:g}")
    unit: Unit = "" if not spec.percent else " pp" if is_margin or spec.in_points else "%"
    return Gate(metric, number, keys_of_gate, option, unit, better)


def _check_range(text: str, metric: str, number: float, spec: MetricSpec, option: str, *, differs: bool) -> None:
    """Raises OptionError for a limit beyond all values of a metric, or a margin beyond all that it can change by.

    differs: whether the limit may be one of a difference of two values.
    """
    low, high = spec.range
    if option in _MARGINS:
        low, high = 0.0, high - low
    elif differs:
        low, high = low - high, high - low
    high = 1.0 if spec.percent and high == inf else high  # of a slope: more is meant in percent
    if low <= number <= high:
        return
    in_percent = spec.percent and high < number <= 100 * high
    fix = re.sub(r"[^=:]+$", f"{number / 100:g}", text) if in_percent else ""
    kind = "" if not spec.percent else "a difference of shares, " if spec.in_points or differs else "a share, "
    end = f"at most {high:g}" if number > high else f"at least {low:g}"
    raise OptionError(f"{metric} is {kind}{end}; got {number:g}", option=option, fix=fix)


def check_option_set(gates: Iterable[Gate], about: Evaluation, options: Mapping[str, Any], where: str = "") -> None:
    """Raises OptionError for a metric that a report lacks because an option was not given.

    options: those that the report is made with. where: which of several reports.
    """
    for gate in gates:
        needed = about.requested.get(gate.metric)
        if needed and not options.get(needed):
            message = f"{gate.metric} is computed only with {flag_name(needed)}, which was not given{where}"
            raise OptionError(message, option=gate.option)
