"""A gate: a metric must reach a limit, must not get worse, or must be no worse than that of human annotators.

Options write it as `kappa[annotator=A17]=0.4`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import erfc, inf, sqrt
from typing import Literal

from adjudge.display_names import parse_number
from adjudge.errors import AdjudgeError, GateError, OptionError, flag_name
from adjudge.estimate import Caveat
from adjudge.gates.options import Bound, GateOption
from adjudge.metrics.row_selection import (
    OVERALL_TABLE,
    RUN_COLUMNS,
    TableRow,
    check_known_name,
    check_rows_exist,
    metric_tables,
    select_rows,
    subject_text,
)
from adjudge.report import GateResult, Report, key_columns
from adjudge.spec import NON_INFERIORITY_SUFFIX, Evaluation, MetricSpec
from adjudge.statistics.comparison import holm
from adjudge.statistics.quantiles import critical_value, significance_level

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, in double quotes if it holds a character that ends a value; quotes in it are doubled."""
SUBJECT = rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?"
"""The subject of a gate: a metric, and the keys of its rows."""
_PLACES = 12
"""Decimals of a percentage that are no rounding error of a product by 100; those to try before printing all."""

TABLE = "table"
"""The key by which a gate names a table, unless the tables have such a column."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The requirement on a metric in every row that the keys select.

    number: the floor or ceiling, or the margin by which a second run, or a judge, may be worse. better: the good end of
    the metric. unit: that of printed numbers: "%" for shares, " pp" for their differences, else empty. bound: what a
    floor or a ceiling compares.
    """

    metric: str
    number: float
    keys: Mapping[str, str] = field(default_factory=dict)
    option: GateOption = "fail_under"
    unit: str = ""
    better: Literal["high", "low"] = "high"
    bound: Bound = "estimate"

    def __str__(self) -> str:
        subject, number = subject_text(self.metric, self.keys), self.number_text
        if self.option == "fail_unless_noninferior":
            return f"{subject} must be at most {number} worse than that of human annotators"
        if self.option == "fail_if_worse":
            turn = "fall" if self.better == "high" else "rise"
            return f"{subject} must not {turn}{f' by more than {number}' if self.number else ''}"
        end, must = ("lower", "at least") if self.better == "high" else ("upper", "at most")
        of = f"the {end} limit of " if self.bound == "worst" else ""
        return f"{of}{subject} must be {must} {number}"

    @property
    def number_text(self) -> str:
        """The floor, ceiling or margin, with all given decimals."""
        return _with_minus(f"{100 * self.number:.10g}{self.unit}" if self.unit else f"{self.number:g}")

    @property
    def limit(self) -> float:
        """The worst value, or the worst difference, that passes."""
        return -self.number if self.option == "fail_if_worse" and self.better == "high" else self.number

    def excess(self, value: float) -> float:
        """By how much a value is worse than allowed; negative if it passes."""
        return self.limit - value if self.better == "high" else value - self.limit

    def text(self, value: float) -> str:
        """A value, a difference or a margin, with enough decimals to distinguish it from the limit."""
        scale, decimals = (100, 1) if self.unit else (1, 3)
        shown = decimals_text(round(scale * value, _PLACES), round(scale * self.limit, _PLACES), decimals)
        return _with_minus(f"{shown}{self.unit}")


def parse_keys(text: str | None) -> dict[str, str]:
    r"""Keys with their values from the brackets of a gate.

    >>> parse_keys('annotator="a,b", week=2')
    {'annotator': 'a,b', 'week': '2'}
    """
    pairs = [pair.partition("=")[::2] for pair in re.findall(_PAIR, text or "")]
    return {name.strip(): value[1:-1].replace('""', '"') if value[0] == '"' else value for name, value in pairs}


def _with_minus(number: str) -> str:
    return f"\N{MINUS SIGN}{number[1:]}" if number[0] == "-" else number


def decimals_text(value: float, limit: float, decimals: int) -> str:
    """A number with `decimals` decimals, or with more if it would otherwise look equal to its limit.

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
        # It must look neither equal to the limit nor beyond it.
        if value == limit or (float(shown) - limit) * (value - limit) > 0:
            return shown
    return repr(value)


def parse_gates(
    texts: Sequence[str],
    known: Mapping[str, MetricSpec],
    option: GateOption = "fail_under",
    bound: Bound = "estimate",
) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator="a,b]c"]=0.4` or `accuracy[criterion=safety]:0.02`.

    known: the existing metrics; for non-inferiority those with its suffix. A regression's margin is 0 by default.
    Raises OptionError for any
    other text or metric, for a number that the metric cannot have, for a floor of a metric that is good when low,
    or a ceiling of one that is good when high, which would prevent improvement, and for a metric without a good end,
    which cannot get worse.

    >>> known = {"kappa": MetricSpec("Kappa", "", percent=False), "reliability": MetricSpec("Reliability", "", "high")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known), sep="; ")
    reliability must be at least 70%; kappa[annotator=A17] must be at least 0.4
    >>> print(*parse_gates(["reliability[judge=north]:0.02"], known, "fail_if_worse"))
    reliability[judge=north] must not fall by more than 2 pp
    >>> known = {"agreement_no_worse_by": MetricSpec("No worse by", "")}
    >>> print(*parse_gates(["agreement[judge=gpt]:0.05"], known, "fail_unless_noninferior"))
    agreement[judge=gpt] must be at most 5 pp worse than that of human annotators
    """
    if option == "fail_unless_noninferior":
        ending = NON_INFERIORITY_SUFFIX
        known = {name.removesuffix(ending): spec for name, spec in known.items() if name.endswith(ending)}
    return [replace(_parse_gate(text, known, option), bound=bound) for text in texts]


def _parse_gate(text: str, known: Mapping[str, MetricSpec], option: GateOption) -> Gate:
    is_margin = option in ("fail_if_worse", "fail_unless_noninferior")
    sign, pattern = (":", "[^:]+") if is_margin else ("=", "[^=]+")
    match = re.fullmatch(rf"{SUBJECT}(?:{sign}(?P<number>{pattern}))?", text)
    number = parse_number(match["number"] or ("0" if option == "fail_if_worse" else "")) if match else None
    if match is None or number is None or (number == 0 and option == "fail_unless_noninferior"):
        form, example = (":MARGIN", ":0.02") if is_margin else ("=VALUE", "=0.8")
        fix = f"{text}{example}" if text in known else f"'accuracy[judge=\"a,b\"]{example}'"
        raise OptionError(f'expected METRIC{form} or METRIC[KEY=VALUE]{form}; got "{text:.99}"', option=option, fix=fix)
    metric = match["metric"]
    check_known_name("no metric", metric, known, option, text)
    spec = known[metric]
    low, high = spec.range
    if is_margin:
        low, high = 0.0, high - low
    high = 1.0 if spec.percent and high == inf else high  # for a slope, more would mean percent
    if not low <= number <= high:
        fix = re.sub(r"[^=:]+$", f"{number / 100:g}", text) if spec.percent and high < number <= 100 * high else ""
        message = f"expected a number from {low:g} to {high:g} for {metric}; got {number:g}"
        raise OptionError(message, option=option, fix=fix)
    better = spec.better if option == "fail_if_worse" else "low" if option == "fail_over" else "high"
    if better is None:
        raise OptionError(f"{metric} is good neither when high nor when low, so it cannot get worse", option=option)
    if not is_margin and spec.better not in (better, None):
        other = "fail_over" if better == "high" else "fail_under"
        message = f"{metric} is good when {spec.better}, so this would fail the best"
        raise OptionError(message, option=option, hint=f"{flag_name(other)} {metric}={number:g}")
    unit = "" if not spec.percent else " pp" if is_margin or spec.in_points else "%"
    return Gate(metric, number, parse_keys(match["keys"]), option, unit, better)


def judge(report: Report, gates: Iterable[Gate]) -> tuple[Report, AdjudgeError | None]:
    """The report with the results of its gates, and the error for failed gates, or for a gate without a row."""
    try:
        results = tuple(gate_results(report, gates))
    except OptionError as error:
        return report, error
    failed = [str(one) for one in results if not one.passed]
    return replace(report, gates=results), GateError(*failed) if failed else None


def gate_results(report: Report, gates: Iterable[Gate]) -> list[GateResult]:
    """The results of every gate in every row that it reads.

    A gate reads the first table with its metric and keys among `overall`, the main table, and the only other
    such table; or the table that its key `table` names. There it reads the average if there is one,
    and no baselines, unless it names them; every selected row must pass, and an undefined metric fails. Its bound
    "estimate" reads estimates, "worst" the limits of their intervals on the bad side, the lower one for a floor and the
    upper one for a ceiling; a metric without an interval then fails.

    A margin of non-inferiority passes if a one-sided test at 1 - confidence shows that the judge is no worse than
    annotators by more than the margin.

    A regression fails if the difference, the second run minus the first, is worse than its margin allows, and both
    p_adjusted of the table and the p of the gate's own test lie below 1 - confidence. That test is whether the
    difference is worse by more than the margin; its p, adjusted by Holm's method over all rows that the gates read, is
    the row's own for a margin of 0, and else follows from the distance of the interval to the margin. If runs are
    truly equal, some gate fails with a probability of at most (1 - confidence) / 2, as the other half lies on the good
    side. A difference that is undefined or has no interval fails, since it is unknown, except one of 0
    between runs that are equal in every item.

    Raises OptionError if no row matches, or rows of several other tables do.
    """
    read = [(gate, row) for gate in gates for row in _gated_rows(report, gate)]
    adjusted = holm([_margin_p(row, gate, report.confidence) for gate, row in read])
    return [_result(row, gate, p, report) for (gate, row), p in zip(read, adjusted, strict=True)]


def _result(row: TableRow, gate: Gate, p_of_margin: float | None, report: Report) -> GateResult:
    """The result of a gate in a row. p_of_margin: see `_margin_p`, adjusted."""
    threshold = gate.option in ("fail_under", "fail_over")
    worst = threshold and gate.bound == "worst"
    value = row[("low" if gate.better == "high" else "high") if worst else "value"]
    subject, uncertain = _subject_text(row, report.about) or "pooled" * threshold, False
    if gate.option == "fail_if_worse":
        subject = _subject_text(row, report.about, apart=RUN_COLUMNS)
        passed, finding = _regression(row, gate, p_of_margin, significance_level(report.confidence))
    elif value is None:
        passed, finding = False, _undefined_text(row, gate)
    elif gate.option == "fail_unless_noninferior":
        passed = value < gate.number
        finding = f"it may be up to {gate.text(value)} worse" if value else "it is no worse"
    elif worst:
        passed, finding = gate.excess(value) <= 0, f"it is {gate.text(value)} (estimate {gate.text(row['value'])})"
    else:
        passed = gate.excess(value) <= 0
        uncertain = None not in (row["low"], row["high"]) and row["low"] < gate.limit < row["high"]
        doubt = f", so it may be {'below' if value >= gate.limit else 'above'} {gate.number_text}" * uncertain
        finding = f"it is {gate.text(value)}{interval_text(row, gate)}{doubt}"
    return GateResult(str(gate), subject, finding, passed, uncertain)


def _regression(row: TableRow, gate: Gate, p_of_margin: float | None, level: float) -> tuple[bool, str]:
    """Whether a difference of two runs passes, and what it is."""
    difference = f"{row['second']} minus {row['first']} is"
    if p_of_margin is None:  # runs that are equal in every item have no interval
        equal = row["value"] == 0 and row["caveat"] == Caveat.NO_VARIATION
        return equal, f"{difference} {_undefined_text(row, gate)}"
    p = max(p_of_margin, row["p_adjusted"] or 0.0)
    finding = f"{difference} {gate.text(row['value'])}{interval_text(row, gate)}"
    if gate.excess(row["value"]) > 0:  # with decimals that show whether p is significant
        shown = f"= {decimals_text(p, level, 3).rstrip('0').rstrip('.').removeprefix('0')}"
        finding += f", adjusted p {'< .001' if p < 0.001 else shown}"  # noqa: PLR2004
    return p >= level, finding


def _margin_p(row: TableRow, gate: Gate, confidence: float) -> float | None:
    """The p of a difference's being worse by more than the margin: 1 if it is not.

    None without an interval, and for other gates. By the normal distribution that has the interval's limit at its
    confidence.
    """
    limit = row["high" if gate.better == "high" else "low"]
    if limit is None or gate.option != "fail_if_worse":
        return None
    beyond = gate.excess(row["value"])
    if beyond <= 0:
        return 1.0
    if not gate.number and row["p"] is not None:
        return float(row["p"])
    reach = abs(limit - row["value"])
    return erfc(critical_value(confidence) * beyond / reach / sqrt(2)) if reach else 0.0


def interval_text(row: TableRow, gate: Gate) -> str:
    """The interval of a row's metric, in brackets; empty without one."""
    if None in (row["low"], row["high"]):
        return ""
    return f" [{gate.text(row['low']).removesuffix(gate.unit)}, {gate.text(row['high']).removesuffix(gate.unit)}]"


def _undefined_text(row: TableRow, gate: Gate) -> str:
    """The reason for a row's undefined value or missing interval."""
    if row["value"] is None:
        return f"undefined, {row['reason']}"
    note = f", {Caveat(row['caveat']).title}" if row["caveat"] else ""
    return f"{gate.text(row['value'])} without an interval{note}"


def _subject_text(row: TableRow, about: Evaluation, apart: Sequence[str] = ()) -> str:
    """The keys of a row in a sentence, "week 2, annotator A17". apart: excluded keys.

    A value with a title in the evaluation appears by that title alone.
    """
    keys = {name: str(row[name]) for name in key_columns(row) if row[name] is not None and name not in apart}
    return ", ".join(
        about.value_titles.get(name, {}).get(value)
        or ("average" if value == "average" else f"{name.replace('_', ' ')} {value}")
        for name, value in keys.items()
    )


def _gated_rows(report: Report, gate: Gate) -> list[TableRow]:
    """The rows that a gate reads. Raises OptionError if there are none, or several tables have them."""
    option, keys, main = gate.option, dict(gate.keys), report.about.main
    metric = gate.metric + NON_INFERIORITY_SUFFIX * (option == "fail_unless_noninferior")
    tables, number = metric_tables(report), f"{'=' if option in ('fail_under', 'fail_over') else ':'}{gate.number:g}"
    if TABLE in keys and TABLE not in key_columns(report[main].columns):
        main = keys.pop(TABLE)
        check_known_name("no table of estimates", main, tables, option, subject_text(metric, gate.keys) + number)
        tables = {main: tables[main]}
    rows_by_table = {name: select_rows(rows, metric, keys, report.about) for name, rows in tables.items()}
    there = [name for name, rows in rows_by_table.items() if rows]
    picked = [name for name in (OVERALL_TABLE, main) if name in there][:1] or there
    if len(picked) > 1:
        ways = " or ".join(subject_text(metric, {TABLE: name, **keys}) + number for name in picked)
        raise OptionError(f"{len(picked)} tables have {subject_text(metric, keys)}", option=option, fix=ways)
    if picked:
        return rows_by_table[picked[0]]
    where = main if main in tables else next(iter(tables))
    check_rows_exist(f"table {where} has", tables[where], metric, keys, option, subject_text(metric, keys) + number)
    raise OptionError(f"table {where} has {metric} of baselines alone, which gates read by name only", option=option)
