"""Gates, for scripts and CI: figures that must reach a value, and figures that must not get worse from run to run."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import erfc, inf, isfinite, nan, sqrt
from typing import Any, Literal

from karat.about import EQUIVALENT, NO_WORSE, Evaluation, Metric
from karat.errors import GateError, OptionError
from karat.estimate import Note
from karat.figures.answering import (
    LISTED,
    RUNS,
    Row,
    answering,
    check_answering,
    check_named,
    keys_of,
    number,
    tables_of_figures,
)
from karat.report import GateResult, Report
from karat.statistics.comparison import holm
from karat.statistics.quantiles import critical_value, significance_level

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, in double quotes if it holds a character that ends a value; quotes in it are doubled."""
SUBJECT = rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?"
"""What a gate is about: a metric, and the keys of its rows."""
TABLE = "table"
"""The key by which a gate names a table, unless the tables have such a column."""

_OF_DIFFERENCES = {TABLE, "compared", *RUNS}
"""Keys by which a gate may pick rows that hold differences, under the names of the figures."""

Bound = Literal["estimate", "low"]
"""What gates compare: figures, or the limits of their intervals, of floors the lower and of ceilings the upper one."""

Side = Literal["fail_under", "fail_over"]
"""The option that a gate comes from: one that asks for a floor, or for a ceiling."""


_LIMIT = (
    re.compile(rf"{SUBJECT}=(?P<number>[^=]+)"),
    "metric=value or metric[key=value]=value",
    'kappa[annotator="a,b"]=0.4',
)
_FORMS = {
    "fail_under": _LIMIT,
    "fail_over": _LIMIT,
    "fail_if_worse": (
        re.compile(rf"{SUBJECT}(?::(?P<number>[^:]+))?"),
        "metric, metric:margin or metric[key=value]:margin with a margin of 0 or more",
        'accuracy[judge="a,b"]:0.02',
    ),
    "fail_unless_equivalent": (
        re.compile(rf"{SUBJECT}:(?P<number>[^:]+)"),
        "metric:margin or metric[key=value]:margin with a margin above 0",
        'agreement[judge="a,b"]:0.05',
    ),
}
"""How the gates of an option are written: the pattern, in words, and with a value in quotes."""
_ALL = "all judgments together"
"""Whom a figure is about that has no keys."""
_EXACT = 12
"""Decimals of a percentage that are no error of a product by 100."""
_PLACES = 12
"""Decimals that are tried, before a number is told with all that it has."""
_MINUS = "\u2212"

Unit = Literal["", " %", " pp"]
"""What stands behind the numbers of a gate: those of shares are percentages, those of their differences points."""

_MARGINS = {"fail_if_worse", "fail_unless_equivalent"}
"""Those whose number is a margin."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric that must reach a limit in every row that the keys pick, or with `fail_over` must not exceed it."""

    metric: str
    limit: float
    keys: dict[str, str] = field(default_factory=dict)
    side: Side = "fail_under"
    unit: Unit = ""

    def __str__(self) -> str:
        return self.asked("estimate")

    def asked(self, bound: Bound) -> str:
        """What is asked of a figure, or of the limit of its interval."""
        end, must = ("lower", "at least") if self.side == "fail_under" else ("upper", "at most")
        of = f"the {end} limit of " if bound == "low" else ""
        return f"{of}{subject_text(self.metric, self.keys)} must be {must} {_limit_text(self.limit, self.unit)}"

    def told(self, value: float) -> str:
        """A value with as many decimals as tell it from the limit."""
        return _in_unit(value, self.limit, self.unit)

    def passed_by(self, value: float) -> bool:
        """Whether a value is good enough."""
        return value >= self.limit if self.side == "fail_under" else value <= self.limit


@dataclass(frozen=True, slots=True)
class Worse:
    """A metric that must not be significantly worse by more than `margin` in any row that the keys pick.

    better: which end of it is good. margin: in the metric's own unit; unit: the one in which it is told.
    """

    metric: str
    margin: float
    better: Literal["high", "low"]
    keys: dict[str, str] = field(default_factory=dict)
    unit: Unit = ""

    def __str__(self) -> str:
        turn = "fall" if self.better == "high" else "rise"
        more = f" by more than {_limit_text(self.margin, self.unit)}" if self.margin else ""
        return f"{subject_text(self.metric, self.keys)} must not {turn}{more}"

    @property
    def limit(self) -> float:
        """The worst difference that is allowed."""
        return -self.margin if self.better == "high" else self.margin

    def beyond(self, difference: float) -> float:
        """By how much a difference is worse than allowed; negative where it is not."""
        return self.limit - difference if self.better == "high" else difference - self.limit

    def told(self, difference: float) -> str:
        """A difference, or a limit of one, with as many decimals as tell it from the worst that is allowed."""
        return _in_unit(difference, self.limit, self.unit)


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A judge must be shown to be no worse than people by more than `margin`, in what the metric says of both."""

    metric: str
    margin: float
    keys: dict[str, str] = field(default_factory=dict)
    unit: Unit = ""

    def __str__(self) -> str:
        margin = _limit_text(self.margin, self.unit)
        of = subject_text(self.metric, self.keys)
        return f"{of} must be shown to be no worse than people's by more than {margin}"

    def told(self, margin: float) -> str:
        """A margin that is shown, with as many decimals as tell it from the one that was asked for."""
        return _in_unit(margin, self.margin, self.unit)

    @property
    def shown(self) -> Gate:
        """The figure that must lie below the margin."""
        return Gate(f"{self.metric}{NO_WORSE}", self.margin, self.keys, "fail_over")


def raise_failed(results: Iterable[GateResult]) -> None:
    """Raises GateError with a line for every result that is not good enough."""
    failed = [str(result) for result in results if not result.passed]
    if failed:
        raise GateError(*failed)


# --- gates as they are written ---


def parse_gates(
    texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str], *, side: Side = "fail_under"
) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator=A17]=0.4` or `kappa[annotator="a,b]c"]=0.4`.

    known: the metrics there are. keys: the key columns of the tables of figures. Raises OptionError for any other
    text, metric or key, and for a floor of a metric that is good when low, or a ceiling of one that is good when high:
    it would keep it from improving.

    >>> known = {"kappa": Metric("Kappa", "", percent=False), "reliability": Metric("Reliability", "")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known, ["annotator"]), sep="; ")
    reliability must be at least 70 %; kappa[annotator=A17] must be at least 0.4
    """
    bad, limit, other = ("low", "floor", "fail_over") if side == "fail_under" else ("high", "ceiling", "fail_under")
    parsed = [_parsed(side, text, known, [*keys, TABLE]) for text in texts]
    gates = [Gate(metric, limit, own, side, _unit(known[metric])) for metric, limit, own in parsed]
    for gate in gates:
        if known[gate.metric].better == bad:
            flag = f"--{other.replace('_', '-')}"
            raise OptionError(f"{side}: {gate.metric} is good when {bad}; a {limit} would fail the best. Use {flag}")
    return gates


def parse_worse(texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str] | None = None) -> list[Worse]:
    """Gates from texts such as `accuracy`, `accuracy:0.02` or `accuracy[criterion=safety]:0.02`.

    known: the metrics there are. keys: the key columns of the table `comparison`; None where they are not known yet.
    The margin is 0 by default. Raises OptionError for any other text, metric or key, for a margin that is not a finite
    number >= 0, and for a metric without a good end, since it cannot get worse.

    >>> known = {"accuracy": Metric("Accuracy", "", better="high"), "missing": Metric("Missing", "", better="low")}
    >>> print(*parse_worse(["accuracy[judge=north]:0.02", "missing"], known, ["judge"]), sep="; ")
    accuracy[judge=north] must not fall by more than 2 pp; missing must not rise
    """
    found = []
    for text in texts:
        metric, margin, named = _parsed("fail_if_worse", text, known, keys)
        better = known[metric].better
        if better is None:
            ends = ", ".join([name for name, one in known.items() if one.better][:LISTED])
            raise OptionError(f"fail_if_worse: {metric} is good neither when high nor when low; choose one of {ends}")
        found.append(Worse(metric, margin, better, named, " pp" if known[metric].percent else ""))
    return found


def parse_equivalent(texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str]) -> list[Equivalent]:
    """Gates from texts such as `agreement:0.05` or `agreement[judge=gpt]:0.05`.

    known: the metrics there are, of which those count that end in NO_WORSE. keys: the key columns of their table.
    Raises OptionError for any other text, metric or key, and for a margin that is not above 0.

    >>> known = {"agreement_no_worse_by": Metric("No worse by", "")}
    >>> print(*parse_equivalent(["agreement[judge=gpt]:0.05"], known, ["judge"]))
    agreement[judge=gpt] must be shown to be no worse than people's by more than 5 pp
    """
    of_people = {name.removesuffix(NO_WORSE): one for name, one in known.items() if name.endswith(NO_WORSE)}
    gates = []
    for text in texts:
        metric, margin, named = _parsed("fail_unless_equivalent", text, of_people, keys)
        if not margin:
            raise OptionError(f"fail_unless_equivalent: expected a margin above 0; no data show less. Got {text:.300}")
        gates.append(Equivalent(metric, margin, named, " pp" if of_people[metric].percent else ""))
    return gates


def _parsed(
    option: str, text: str, known: Mapping[str, Metric], keys: Sequence[str] | None
) -> tuple[str, float, dict[str, str]]:
    """The metric, the number and the keys of a gate."""
    pattern, expected, quoted = _FORMS[option]
    match = pattern.fullmatch(text)
    value = number(match["number"] or "0") if match else nan
    if match is not None and option in _MARGINS and value < 0:
        raise OptionError(f"{option}: expected a margin of 0 or more; got {value:g}")
    if match is None or not isfinite(value):
        raise OptionError(
            f"{option}: expected {expected}; got {text:.300}. A value that holds a comma, a bracket or a quote "
            f"stands in double quotes: {quoted}"
        )
    metric, named = match["metric"], keys_in(match["keys"])
    check_named(f"{option}: no metric", metric, known)
    for key in named if keys is not None else ():
        check_named(f"{option}: no key", key, keys or ())
    _check_range(option, metric, value, known[metric], differs=not _OF_DIFFERENCES.isdisjoint(named))
    return metric, value, named


def _check_range(option: str, metric: str, value: float, about: Metric, *, differs: bool) -> None:
    """Raises OptionError for a limit beyond all values of a figure, or a margin beyond all that it can change by.

    differs: whether the limit may be one of a difference of two values.
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
        hint = f". Write {value / 100:g} for {value:g} %" if about.percent and value / 100 <= high else ""
        raise OptionError(f"{option}: {metric} is {kind}at most {high:g}; got {value:g}{hint}")
    if value < low:
        raise OptionError(f"{option}: {metric} is {kind}at least {low:g}; got {value:g}")


def check_requested(
    option: str, gates: Iterable[Gate | Worse], about: Evaluation, options: Mapping[str, Any], run: str = ""
) -> None:
    """Raises OptionError for a metric that a report lacks because an option was not given.

    options: those that the report is made with. run: what it is called, where it was made before.
    """
    for gate in gates:
        needed = about.requested.get(gate.metric)
        if needed and not options.get(needed):
            flag, where = f"--{needed.replace('_', '-')}", f" for {run}" if run else ""
            raise OptionError(f"{option}: {gate.metric} is computed only with {flag}, which was not given{where}")


def keys_in(text: str | None) -> dict[str, str]:
    r"""Keys with their values from what stands in the brackets of a gate.

    >>> keys_in('annotator="a,b", week=2')
    {'annotator': 'a,b', 'week': '2'}
    """
    pairs = (pair.partition("=") for pair in re.findall(_PAIR, text or ""))
    return {
        name.strip(): value[1:-1].replace('""', '"') if value.startswith('"') else value for name, _, value in pairs
    }


def subject_text(metric: str, keys: Mapping[str, str]) -> str:
    """What a gate is about, as it is written.

    >>> print(subject_text("kappa", {"annotator": "a,b", "week": "2"}))
    kappa[annotator="a,b",week=2]
    """
    quoted = {
        name: '"' + value.replace('"', '""') + '"' if re.search(r'^"|[,\]]|^$', value) else value
        for name, value in keys.items()
    }
    inside = ",".join(f"{name}={value}" for name, value in quoted.items())
    return f"{metric}{f'[{inside}]' if inside else ''}"


# --- what became of them ---


def gate_results(report: Report, gates: Iterable[Gate], bound: Bound = "estimate") -> Iterator[GateResult]:
    """The result of every gate in every row that it reads, found when it is asked for.

    A gate reads the first that holds its metric and keys of the table `overall`, the main table, and the only other
    table of figures that does; or the one that its key `table` names. There it reads the average where there is one,
    and no baselines, unless it names them; every row that answers must pass, and an undefined figure fails. bound:
    "estimate" reads figures, "low" the limits of their intervals on the bad side, the lower one for a floor and the
    upper one for a ceiling; a figure without an interval then fails.

    Raises OptionError where no row answers, and where rows of several other tables do.
    """
    for gate in gates:
        end = "low" if gate.side == "fail_under" else "high"
        for row in _rows(report, gate.side, gate):
            asked = replace(gate, unit=" pp") if gate.unit and row.get("second") is not None else gate
            read = row[end if bound == "low" else "value"]
            passed = read is not None and gate.passed_by(read)
            if read is None:
                said = _lacking(row, asked.told)
            else:
                rest = f", of a figure of {asked.told(row['value'])}" if bound == "low" else _around(row, asked)
                said = f"it is {asked.told(read)}{rest}"
            yield GateResult(asked.asked(bound), _subject(row, report.about) or _ALL, said, passed)


def equivalent_results(report: Report, gates: Iterable[Equivalent]) -> Iterator[GateResult]:
    """The result of every gate for every judge that it reads, found when it is asked for.

    It passes where a one-sided test at 1 - confidence shows that the judge is no worse than people by more than the
    margin; where two show that both are equivalent within it, it is said too. An undefined figure fails.
    Raises OptionError where no row answers.
    """
    for gate in gates:
        known = [name.removesuffix(NO_WORSE) for name in report["equivalence"]["metric"].unique(maintain_order=True)]
        check_named("fail_unless_equivalent: judges and people are not compared in their", gate.metric, known[::2])
        for row in _rows(report, "fail_unless_equivalent", gate.shown):
            named = {name: row[name] for name in keys_of(row) if name != "metric" and row[name] is not None}
            equivalent = Gate(f"{gate.metric}{EQUIVALENT}", gate.margin, named)
            (other,) = _rows(report, "fail_unless_equivalent", equivalent)
            passed = row["value"] is not None and row["value"] < gate.margin
            if row["value"] is None:
                said = _lacking(row, gate.told)
            else:
                within = other["value"]
                both = f", and is equivalent within {gate.told(within)}" if within < gate.margin else ""
                worse = f"may be up to {gate.told(row['value'])} worse" if row["value"] else "is shown to be no worse"
                said = f"it {worse}{both}"
            yield GateResult(str(gate), _subject(row, report.about), said, passed)


def worse_results(report: Report, gates: Iterable[Worse]) -> Iterator[GateResult]:
    """The result of every gate in every row of `comparison` that it reads, found when it is asked for.

    A gate fails where the difference, the second run minus the first, is worse than its margin allows, and both
    p_adjusted of the table and the p of its own question lie below 1 - confidence. That question is whether the
    difference is worse by more than the margin; its p, adjusted by Holm's method over all rows that the gates read, is
    the row's own where the margin is 0, and follows else from how far the interval is from the margin. On runs that are
    truly equal some gate fails with a probability of at most (1 - confidence) / 2, as the other half lies on the good
    side. A difference that is undefined or has no interval fails, since nothing is known of it, but not one of 0
    between runs that are alike in every item.

    A gate reads the average where there is one, and no baselines, unless it names them. Raises OptionError where no
    row answers.
    """
    level = significance_level(report.confidence)
    read = [(gate, row) for gate in gates for row in _rows(report, "fail_if_worse", gate)]
    adjusted = holm([_p(row, gate, report.confidence) for gate, row in read])
    for (gate, row), own in zip(read, adjusted, strict=True):
        pairs = {tuple(other[run] for run in RUNS) for asked, other in read if asked is gate}
        p = None if own is None else max(own, row["p_adjusted"] or 0.0)
        alike = row["value"] == 0 and row["note"] == Note.NO_VARIATION  # in every item, so that there is no interval
        passed = alike if p is None else p >= level
        said = _lacking(row, gate.told) if p is None else _numbers(row, gate, p)
        subject = _subject(row, report.about, apart=RUNS if len(pairs) == 1 else ())
        yield GateResult(str(gate), subject, f"{row['second']} minus {row['first']} is {said}", passed)


def _p(row: Row, gate: Worse, confidence: float) -> float | None:
    """The p of a difference's being worse by more than the margin: 1 where it is not; None without an interval.

    By the normal distribution that has the interval's limit at its confidence.
    """
    limit = row["high" if gate.better == "high" else "low"]
    if limit is None:
        return None
    beyond = gate.beyond(row["value"])
    if beyond <= 0:
        return 1.0
    if not gate.margin and row["p"] is not None:
        return float(row["p"])
    reach = abs(limit - row["value"])
    return erfc(critical_value(confidence) * beyond / reach / sqrt(2)) if reach else 0.0


def _numbers(row: Row, gate: Worse, p: float) -> str:
    told = "< .001" if p < 0.001 else f"= {p:.3g}".replace("= 0.", "= .")  # noqa: PLR2004 - as p is told elsewhere
    tested = f", adjusted p {told}" if gate.beyond(row["value"]) > 0 else ""
    return f"{gate.told(row['value'])}{_limits(row, gate)}{tested}"


def _limits(row: Row, gate: Gate | Worse) -> str:
    """The interval of a row's figure, in parentheses; empty where it has none."""
    if row["low"] is None or row["high"] is None:
        return ""
    low, high = (gate.told(row[end]).removesuffix(gate.unit) for end in ("low", "high"))
    return f" ({low} to {high})"


def _around(row: Row, gate: Gate) -> str:
    """The interval of a row's figure; and where the limit lies within it, on which other side the figure may be."""
    limits = _limits(row, gate)
    if not limits or not row["low"] < gate.limit < row["high"]:
        return limits
    side = "below" if row["value"] >= gate.limit else "above"
    return f"{limits[:-1]}, so it may be {side} {_limit_text(gate.limit, gate.unit)})"


def _lacking(row: Row, shown: Callable[[float], str]) -> str:
    """Why a row's figure is undefined, or without an interval where the row says it. shown: a figure as it is told."""
    if row["value"] is None:
        return f"undefined, {row['reason']}"
    note = f", {Note(row['note']).title}" if row["note"] else ""
    return f"{shown(row['value'])} without an interval{note}"


def _unit(about: Metric) -> Unit:
    """The unit of a figure's limit; that of a difference of shares is known from its row."""
    if not about.percent:
        return ""
    return " pp" if about.in_points else " %"


def _limit_text(limit: float, unit: Unit) -> str:
    """What a gate asks for, with all decimals that were given."""
    return _signed(f"{100 * limit:.10g}{unit}" if unit else f"{limit:g}")


def _in_unit(value: float, limit: float, unit: Unit) -> str:
    """A number with as many decimals as tell it from its limit."""
    shown = told(round(100 * value, _EXACT), round(100 * limit, _EXACT), 1) if unit else told(value, limit, 3)
    return _signed(f"{shown}{unit}")


def _signed(number: str) -> str:
    return _MINUS + number[1:] if number.startswith("-") else number


def told(value: float, limit: float, decimals: int) -> str:
    """A number with so many decimals, or with more where those would not tell it from its limit.

    >>> told(0.712345, 0.8, decimals=4), told(0.799999, 0.8, decimals=4), told(0.8, 0.8, decimals=4)
    ('0.7123', '0.799999', '0.8000')
    >>> told(59.984288673695, 60, decimals=1)
    '59.98'
    >>> told(0.41255, 0.4126, decimals=3)
    '0.4125'
    >>> told(-0.00001, 0.02, decimals=4)
    '0.0000'
    """
    for shown in (f"{value:z.{places}f}" for places in range(decimals, _PLACES)):
        if (
            value == limit or (float(shown) - limit) * (value - limit) > 0
        ):  # it reads neither as the limit nor beyond it
            return shown
    return repr(value)


def _subject(row: Row, about: Evaluation, apart: Sequence[str] = ()) -> str:
    """The keys of a row as a sentence names them, "week 2, annotator A17". apart: those that it leaves out.

    A value that the evaluation has a name for stands by that name alone.

    So it does a name that is the annotator's id but for capitals, and judges that are what two runs are called.
    """
    named = {name: str(row[name]) for name in keys_of(row) if row[name] is not None}
    if named.get("name", "").casefold() == named.get("annotator", "").casefold():
        named.pop("name", None)
    judges = "judge", "second_judge"
    if "second_judge" in named and [named.get(one) for one in judges] == [named.get(one) for one in RUNS]:
        apart = [*apart, *judges]
    kept = {name: value for name, value in named.items() if name not in apart}
    return ", ".join(about.names.get(name, {}).get(value) or _keyed(name, value) for name, value in kept.items())


def _keyed(name: str, value: str) -> str:
    return "on average" if value == "average" else f"{name.replace('_', ' ')} {value}"


def _rows(report: Report, option: str, gate: Gate | Worse) -> list[Row]:
    """The rows that a gate reads. Raises OptionError where there are none, and where several tables have them."""
    metric, keys, main = gate.metric, dict(gate.keys), report.about.main
    tables = tables_of_figures(report)
    if TABLE in keys and TABLE not in keys_of(report[main].columns):
        main = keys.pop(TABLE)
        check_named(f"{option}: no table of figures", main, tables)
        tables = {main: tables[main]}
    found = {name: answering(rows, metric, keys, report.about) for name, rows in tables.items()}
    there = [name for name, rows in found.items() if rows]
    named = [name for name in ("overall", main) if name in there][:1] or there
    if len(named) > 1:
        ways = " or ".join(subject_text(metric, {TABLE: name, **keys}) for name in named)
        raise OptionError(f"{option}: {len(named)} tables have {subject_text(metric, keys)}; write {ways}")
    if named:
        return found[named[0]]
    lacking = [
        name
        for name, rows in tables.items()
        if any(row["metric"] == metric and row.keys() >= keys.keys() for row in rows)
    ]
    where = main if main in lacking or not lacking else lacking[0]
    check_answering(f"{option}: the table {where} has", tables[where], metric, keys)
    raise OptionError(f"{option}: the table {where} has {metric} of baselines alone, which gates read by name only")
