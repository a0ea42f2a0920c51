"""Gates as options write them, such as `kappa[annotator=A17]=0.4`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite, nan
from typing import Any

from adjudge.errors import OptionError, named
from adjudge.gates.gate import SUBJECT, AnyGate, Gate, NonInferiorityGate, RegressionGate, Side, Unit, parse_keys
from adjudge.metrics.row_selection import MOST_LISTED, RUN_COLUMNS, check_known_name, number_or_nan
from adjudge.spec import NON_INFERIORITY_SUFFIX, Evaluation, MetricSpec

TABLE = "table"
"""The key by which a gate names a table, unless the tables have such a column."""

_DIFFERENCE_KEYS = {TABLE, "compared", *RUN_COLUMNS}
"""Keys by which a gate may pick rows that hold differences, under the names of the metrics."""

_LIMIT_PATTERN = re.compile(rf"{SUBJECT}=(?P<number>[^=]+)")
_LIMIT = (_LIMIT_PATTERN, "metric=value or metric[key=value]=value", 'kappa[annotator="a,b"]=0.4')
_FORMS = {
    "fail_under": _LIMIT,
    "fail_over": _LIMIT,
    "fail_if_worse": (
        re.compile(rf"{SUBJECT}(?::(?P<number>[^:]+))?"),
        "metric, metric:margin or metric[key=value]:margin with a margin of 0 or more",
        'accuracy[judge="a,b"]:0.02',
    ),
    "fail_unless_noninferior": (
        re.compile(rf"{SUBJECT}:(?P<number>[^:]+)"),
        "metric:margin or metric[key=value]:margin with a margin above 0",
        'agreement[judge="a,b"]:0.05',
    ),
}
"""How the gates of an option are written: the pattern, in words, and with a value in quotes."""
_MARGINS = {"fail_if_worse", "fail_unless_noninferior"}
"""Those whose number is a margin."""


def parse_gates(
    texts: Sequence[str], known: Mapping[str, MetricSpec], keys: Sequence[str], *, side: Side = "fail_under"
) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator=A17]=0.4` or `kappa[annotator="a,b]c"]=0.4`.

    known: the metrics there are. keys: the key columns of the tables of metrics. Raises OptionError for any other
    text, metric or key, and for a floor of a metric that is good when low, or a ceiling of one that is good when high:
    it would keep it from improving.

    >>> known = {"kappa": MetricSpec("Kappa", "", percent=False), "reliability": MetricSpec("Reliability", "")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known, ["annotator"]), sep="; ")
    reliability must be at least 70%; kappa[annotator=A17] must be at least 0.4
    """
    bad, limit, other = ("low", "floor", "fail_over") if side == "fail_under" else ("high", "ceiling", "fail_under")
    parsed = [_parse_gate(side, text, known, [*keys, TABLE]) for text in texts]
    gates = [Gate(metric, limit, keys_of_gate, side, _unit(known[metric])) for metric, limit, keys_of_gate in parsed]
    for gate in gates:
        if known[gate.metric].better == bad:
            message = f"{gate.metric} is good when {bad}; a {limit} would fail the best"
            raise OptionError(f"{named(side)}: {message}", fix=f"{named(other)} {gate.metric}={gate.limit:g}")
    return gates


def parse_regression(
    texts: Sequence[str], known: Mapping[str, MetricSpec], keys: Sequence[str] | None = None
) -> list[RegressionGate]:
    """Gates from texts such as `accuracy`, `accuracy:0.02` or `accuracy[criterion=safety]:0.02`.

    known: the metrics there are. keys: the key columns of the table `comparison`; None where they are not known yet.
    The margin is 0 by default. Raises OptionError for any other text, metric or key, for a margin that is not a finite
    number >= 0, and for a metric without a good end, since it cannot get worse.

    >>> known = {"accuracy": MetricSpec("Accuracy", "", "high"), "missing": MetricSpec("Missing", "", "low")}
    >>> print(*parse_regression(["accuracy[judge=north]:0.02", "missing"], known, ["judge"]), sep="; ")
    accuracy[judge=north] must not fall by more than 2 pp; missing must not rise
    """
    found = []
    for text in texts:
        metric, margin, keys_of_gate = _parse_gate("fail_if_worse", text, known, keys)
        better = known[metric].better
        if better is None:
            ends = ", ".join([name for name, one in known.items() if one.better][:MOST_LISTED])
            raise OptionError(
                f"expected one of {ends}; {metric} is good neither when high nor when low", option="fail_if_worse"
            )
        found.append(RegressionGate(metric, margin, better, keys_of_gate, " pp" if known[metric].percent else ""))
    return found


def parse_non_inferiority(
    texts: Sequence[str], known: Mapping[str, MetricSpec], keys: Sequence[str]
) -> list[NonInferiorityGate]:
    """Gates from texts such as `agreement:0.05` or `agreement[judge=gpt]:0.05`.

    known: the metrics there are, of which those count that end in NO_WORSE. keys: the key columns of their table.
    Raises OptionError for any other text, metric or key, and for a margin that is not above 0.

    >>> known = {"agreement_no_worse_by": MetricSpec("No worse by", "")}
    >>> print(*parse_non_inferiority(["agreement[judge=gpt]:0.05"], known, ["judge"]))
    agreement[judge=gpt] must be no worse than that of human annotators by more than 5 pp
    """
    ending, gates = NON_INFERIORITY_SUFFIX, []
    specs = {name.removesuffix(ending): spec for name, spec in known.items() if name.endswith(ending)}
    for text in texts:
        metric, margin, keys_of_gate = _parse_gate("fail_unless_noninferior", text, specs, keys)
        if not margin:
            raise OptionError(f"expected a margin above 0; got {text:.300}", option="fail_unless_noninferior")
        gates.append(NonInferiorityGate(metric, margin, keys_of_gate, " pp" if specs[metric].percent else ""))
    return gates


def _parse_gate(
    option: str, text: str, specs: Mapping[str, MetricSpec], keys: Sequence[str] | None
) -> tuple[str, float, dict[str, str]]:
    """The metric, the number and the keys of a gate."""
    pattern, expected, quoted = _FORMS[option]
    match = pattern.fullmatch(text)
    value = number_or_nan(match["number"] or "0") if match else nan
    if match is not None and option in _MARGINS and value < 0:
        raise OptionError(f"expected a margin of 0 or more; got {value:g}", option=option)
    if match is None or not isfinite(value):
        raise OptionError(
            f"expected {expected}; got {text:.300}",
            option=option,
            fix=f"{text}{':0.02' if option in _MARGINS else '=0.8'}" if text in specs else f"'{quoted}'",
        )
    metric, keys_of_gate = match["metric"], parse_keys(match["keys"])
    check_known_name("no metric", metric, specs, option, text)
    for key in keys_of_gate if keys is not None else ():
        check_known_name("no key", key, keys or (), option, text)
    differs = not _DIFFERENCE_KEYS.isdisjoint(keys_of_gate)
    _check_range(option, text, metric, value, specs[metric], differs=differs)
    return metric, value, keys_of_gate


def _check_range(option: str, text: str, metric: str, value: float, about: MetricSpec, *, differs: bool) -> None:
    """Raises OptionError for a limit beyond all values of a metric, or a margin beyond all that it can change by.

    text: the gate. differs: whether the limit may be one of a difference of two values.
    """
    low, high = about.range
    if option in _MARGINS:
        low, high = 0.0, high - low
    elif differs:
        low, high = low - high, high - low
    high = 1.0 if about.percent and high == inf else high  # of a slope: more is meant in percent
    share = "a difference of shares" if about.in_points else "a share or a difference of two" if differs else "a share"
    kind = f"{share}, " if about.percent else ""
    if value > high:
        share_of_value = about.percent and value / 100 <= high
        fix = re.sub(r"[^=:]+$", f"{value / 100:g}", text) if share_of_value else ""
        raise OptionError(f"{metric} is {kind}at most {high:g}; got {value:g}", option=option, fix=fix)
    if value < low:
        raise OptionError(f"{metric} is {kind}at least {low:g}; got {value:g}", option=option)


def check_option_set(gates: Iterable[AnyGate], about: Evaluation, options: Mapping[str, Any], where: str = "") -> None:
    """Raises OptionError for a metric that a report lacks because an option was not given.

    options: those that the report is made with. where: which of several reports.
    """
    for gate in gates:
        needed = about.requested.get(gate.metric)
        if needed and not options.get(needed):
            message = f"{gate.metric} is computed only with {named(needed)}, which was not given{where}"
            raise OptionError(message, option=gate.option)


def _unit(about: MetricSpec) -> Unit:
    """The unit of a metric's limit; that of a difference of shares is known from its row."""
    if not about.percent:
        return ""
    return " pp" if about.in_points else "%"
