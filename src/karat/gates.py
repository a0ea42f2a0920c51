"""Gates: figures that must not fall below a value, for use in scripts and CI."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, Literal

from karat.about import Metric
from karat.errors import GateError, OptionError, nearest
from karat.estimate import Note
from karat.report import NO_KEYS, Report

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, which stands in double quotes where it holds what ends a value; a quote in it is doubled."""
SUBJECT = rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?"
"""What a gate is about: a metric, and the keys of its rows."""
QUOTING = "A value that holds a comma, a bracket or a quote stands in double quotes"

_GATE = re.compile(rf"{SUBJECT}=(?P<value>[^=]+)")
Bound = Literal["estimate", "low"]
"""What gates read: figures, or the lower limits of their intervals."""

RUNS = ("first", "second")
"""Key columns that hold names of runs, where a report compares them."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric that must reach `at_least` in every row that the keys pick."""

    metric: str
    at_least: float
    keys: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{subject_text(self.metric, self.keys)} >= {self.at_least:g}"


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of a gate in one row of a report.

    gate: what was asked; it ends in a colon where it is a sentence. subject: the row's keys, as in "annotator A17";
    empty where it has none. said: what was found there. passed: whether that is good enough.
    """

    gate: str
    subject: str
    said: str
    passed: bool

    def __str__(self) -> str:
        verdict = "passes" if self.passed else "fails"
        return f"{self.gate} {verdict}{f' for {self.subject}' if self.subject else ''}: {self.said}"


def parse_gates(
    texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str], *, bound: Bound = "estimate"
) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator=A17]=0.4` or `kappa[annotator="a,b]c"]=0.4`.

    known: the metrics there are. keys: the key columns of the tables that gates read. bound: what they are to read, as
    of gate_results. Raises OptionError for any other text, metric or key, for a metric that is good when it is low,
    since it must not be kept from falling, and for the bound "low" without any gate that would read it.

    >>> known = {"kappa": Metric("Kappa", ""), "reliability": Metric("Reliability", "")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known, ["annotator"]), sep="; ")
    reliability >= 0.7; kappa[annotator=A17] >= 0.4
    """
    if bound == "low" and not texts:
        raise OptionError("bound: low is what gates read; give --fail-under too")
    gates = [_parse(text) for text in texts]
    for gate in gates:
        check_known("fail_under", gate.metric, gate.keys, known, keys)
        if known[gate.metric].better == "low":
            raise OptionError(f"fail_under: {gate.metric} is good when it is low; a floor would fail the best")
    return gates


def check_known(
    option: str, metric: str, named: Iterable[str], known: Mapping[str, Metric], keys: Sequence[str]
) -> None:
    """Raises OptionError where there is no such metric, or no key that a gate names."""
    if metric not in known:
        raise OptionError(f"{option}: no metric {metric}{nearest(metric, known)}; there are {', '.join(known)}")
    for key in named:
        if key not in keys:
            raise OptionError(f"{option}: no key {key}{nearest(key, keys)}; there are {', '.join(keys)}")


def _parse(text: str) -> Gate:
    match = _GATE.fullmatch(text)
    value = number(match["value"]) if match else nan
    if match is None or not isfinite(value):
        raise OptionError(
            f"fail_under: expected metric=value or metric[key=value]=value; got {text:.300}. "
            f'{QUOTING}: kappa[annotator="a,b"]=0.4'
        )
    return Gate(match["metric"], value, keys_in(match["keys"]))


def number(text: str) -> float:
    """A number from text; NaN from any other."""
    try:
        return float(text)
    except ValueError:
        return nan


def keys_in(text: str | None) -> dict[str, str]:
    r"""Keys with their values from what stands in the brackets of a gate.

    >>> keys_in('annotator="a,b", week=2')
    {'annotator': 'a,b', 'week': '2'}
    """
    pairs = (pair.partition("=") for pair in re.findall(_PAIR, text or ""))
    return {name.strip(): _unquoted(wanted) for name, _, wanted in pairs}


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if value.startswith('"') else value


def subject_text(metric: str, keys: Mapping[str, str]) -> str:
    """What a gate is about, as it is written.

    >>> print(subject_text("kappa", {"annotator": "a,b", "week": "2"}))
    kappa[annotator="a,b",week=2]
    """
    inside = ",".join(f"{name}={_quoted(value)}" for name, value in keys.items())
    return f"{metric}{f'[{inside}]' if inside else ''}"


def _quoted(value: str) -> str:
    """A value as a gate says it."""
    return '"' + value.replace('"', '""') + '"' if re.search(r'^"|[,\]]|^$', value) else value


def gate_results(report: Report, gates: Iterable[Gate], bound: Bound = "estimate") -> Iterator[GateResult]:
    """What became of every gate in every row that it reads, one at a time.

    A gate reads the table `overall` where that holds its metric and keys, else the main table, there the average where
    there is one, and no baselines, unless it names them; every row that answers must pass, and an undefined figure
    fails. bound: "estimate" reads figures, "low" the lower limits of their intervals; one without an interval fails.

    Raises OptionError where no row answers, once that gate's turn has come: what goes before can be used.
    """
    for gate in gates:
        asked = f"{gate} (lower bound)" if bound == "low" else str(gate)
        for row in answering(report, "fail_under", gate.metric, gate.keys, str(gate)):
            read = row["low" if bound == "low" else "value"]
            passed = read is not None and read >= gate.at_least
            yield GateResult(asked, keys_text(row), _said(row, read, gate.at_least), passed)


def _said(row: Mapping[str, Any], read: float | None, at_least: float) -> str:
    if read is not None:
        return told(read, at_least, decimals=4)
    return undefined_text(row) or f"{told(row['value'], at_least, decimals=4)} {without_interval(row)}"


def raise_failed(results: Iterable[GateResult]) -> None:
    """Raises GateError with a line for every result that is not good enough."""
    failed = [str(result) for result in results if not result.passed]
    if failed:
        raise GateError("\n".join(failed))


def undefined_text(row: Mapping[str, Any]) -> str:
    """Why a row's figure is undefined; empty where it is not."""
    return f"undefined, {row['reason']}" if row["value"] is None else ""


def without_interval(row: Mapping[str, Any]) -> str:
    """That a row's figure has no interval, with the reason where the row holds one."""
    return f"without an interval, {Note(row['note']).title}" if row["note"] else "without an interval"


def told(value: float, limit: float, decimals: int) -> str:
    """A number with so many decimals, or with all that it has where those would not tell it from its limit.

    >>> told(0.712345, 0.8, decimals=4), told(0.799999, 0.8, decimals=4), told(0.8, 0.8, decimals=4)
    ('0.7123', '0.799999', '0.8000')
    """
    text = f"{value:.{decimals}f}"
    return repr(value) if float(text) == limit != value else text


def keys_text(row: Mapping[str, Any], apart: Sequence[str] = ()) -> str:
    """The keys of a row as a sentence names them. apart: those that it leaves out.

    >>> keys_text({"week": "2", "annotator": "A17", "metric": "kappa", "value": 0.5})
    'week 2, annotator A17'
    """
    return ", ".join(
        f"{name} {value}" for name, value in row.items() if value is not None and name not in {*NO_KEYS, *apart}
    )


def answering(report: Report, option: str, metric: str, keys: Mapping[str, str], asked: str) -> list[dict[str, Any]]:
    """The rows that a gate speaks of: of figures that are pooled, the pooled ones, unless it names others.

    Raises OptionError where there are none.
    """
    about = report.about
    for name in ("overall", about.main):
        rows = report[name].to_dicts() if name in report.tables else []
        found = [row for row in rows if _has(row, {"metric": metric, **keys})]
        found = [row for row in found if not _is_baseline(row, keys, about.baselines)]
        for key, pooled in about.gated.items():
            if key not in keys:
                found = [row for row in found if row.get(key) == pooled] or found
        if found:
            return found
    main = report[about.main]
    metrics = main["metric"].unique(maintain_order=True).to_list()
    if metric not in metrics:
        raise OptionError(f"{option}: the table {about.main} has no {metric}; it has {', '.join(metrics)}")
    columns = [name for name in main.columns if name not in NO_KEYS]
    raise OptionError(f"{option}: no row of {about.main} answers to {asked}; its keys are {', '.join(columns)}")


def _has(row: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """Whether a row holds these values; a number is the same however it is written."""
    return all(
        number(text) == row[key] if isinstance(row.get(key), float) else text == row.get(key)
        for key, text in wanted.items()
    )


def _is_baseline(row: Mapping[str, Any], keys: Mapping[str, str], prefix: str) -> bool:
    """Whether a row is about a judge that was computed, which the gate does not name."""
    names = (value for key, value in row.items() if key not in {*NO_KEYS, *RUNS, *keys})
    return bool(prefix) and any(isinstance(name, str) and name.startswith(prefix) for name in names)
