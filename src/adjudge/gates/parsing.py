"""Gates as options write them, such as `kappa[annotator=A17]=0.4`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite, nan
from typing import Any

from adjudge.errors import OptionError, named
from adjudge.gates.gate import SUBJECT, Gate, GateOption, parse_keys
from adjudge.metrics.row_selection import MOST_LISTED, RUN_COLUMNS, check_known_name, number_or_nan
from adjudge.spec import NON_INFERIORITY_SUFFIX, Evaluation, MetricSpec

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
        message = f"{named(option)}: {metric} is good when {spec.better}; a {limit} would fail the best"
        raise OptionError(message, fix=f"{named(other)} {metric}={number:g}")
    unit = " pp" if is_margin or spec.in_points else "%"
    return Gate(metric, number, keys_of_gate, option, unit if spec.percent else "", better)


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
            message = f"{gate.metric} is computed only with {named(needed)}, which was not given{where}"
            raise OptionError(message, option=gate.option)
