"""Gates: figures that must not fall below a value, for use in scripts and CI."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

from karat.errors import GateError, OptionError, nearest
from karat.evaluations import Metric, evaluation
from karat.report import FIGURE, Report

_PAIR = r'[^=,\]"]+=(?:"(?:[^"]|"")*"|[^",\]][^,\]]*)'
"""A key with its value, which stands in double quotes where it holds what ends a value; a quote in it is doubled."""
_GATE = re.compile(rf"(?P<metric>\w+)(?:\[(?P<keys>(?:{_PAIR}(?:,{_PAIR})*)?)\])?=(?P<value>[^=]+)")
_NO_KEYS = frozenset({*FIGURE, "p", "p_adjusted"})
"""Columns of tables of figures that are no keys."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A metric that must reach `at_least` in every row that the keys pick."""

    metric: str
    at_least: float
    keys: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        keys = ",".join(f"{name}={_quoted(value)}" for name, value in self.keys.items())
        return f"{self.metric}{f'[{keys}]' if keys else ''} >= {self.at_least:g}"


def parse_gates(texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str]) -> list[Gate]:
    """Gates from texts such as `reliability=0.7`, `kappa[annotator=A17]=0.4` or `kappa[annotator="a,b]c"]=0.4`.

    known: the metrics there are. keys: the key columns of the tables that gates read. Raises OptionError for any
    other text, metric or key, and for a metric that is good when it is low, since it must not be kept from falling.

    >>> known = {"kappa": Metric("Kappa", ""), "reliability": Metric("Reliability", "")}
    >>> print(*parse_gates(["reliability=0.7", "kappa[annotator=A17]=0.4"], known, ["annotator"]), sep="; ")
    reliability >= 0.7; kappa[annotator=A17] >= 0.4
    """
    gates = [_parse(text) for text in texts]
    for gate in gates:
        if gate.metric not in known:
            hint = nearest(gate.metric, known)
            raise OptionError(f"fail_under: no metric {gate.metric}{hint}; there are {', '.join(known)}")
        if known[gate.metric].better == "low":
            raise OptionError(f"fail_under: {gate.metric} is good when it is low; a floor would fail the best")
        for key in gate.keys:
            if key not in keys:
                raise OptionError(f"fail_under: no key {key}{nearest(key, keys)}; there are {', '.join(keys)}")
    return gates


def _parse(text: str) -> Gate:
    match = _GATE.fullmatch(text)
    pairs = [pair.partition("=") for pair in re.findall(_PAIR, match["keys"] or "")] if match else []
    try:
        value = float(match["value"]) if match else nan
    except ValueError:
        value = nan
    if match is None or not isfinite(value):
        raise OptionError(
            f"fail_under: expected metric=value or metric[key=value]=value; got {text:.300}. "
            'A value that holds a comma, a bracket or a quote stands in double quotes: kappa[annotator="a,b"]=0.4'
        )
    return Gate(match["metric"], value, {name.strip(): _unquoted(wanted) for name, _, wanted in pairs})


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if value.startswith('"') else value


def _quoted(value: str) -> str:
    """A value as a gate says it."""
    return '"' + value.replace('"', '""') + '"' if re.search(r'^"|[,\]]|^$', value) else value


def check_gates(report: Report, gates: Sequence[Gate]) -> None:
    """Raises GateError that names every row below its gate; an undefined figure fails.

    A gate reads the table `overall` where that holds its metric and keys, else the main table, there the average where
    there is one, and no baselines, unless it names them; every row that answers must pass. Raises OptionError where
    no row answers.
    """
    failed = [failure for gate in gates for failure in _failures(report, gate)]
    if failed:
        raise GateError("\n".join(failed))


def _failures(report: Report, gate: Gate) -> list[str]:
    failures = []
    for row in _rows(report, gate):
        keys = ", ".join(f"{name} {value}" for name, value in row.items() if name not in _NO_KEYS)
        if row["value"] is None or row["value"] < gate.at_least:
            got = f"undefined, {row['reason']}" if row["value"] is None else f"{row['value']:.4f}"
            failures.append(f"{gate} fails{f' for {keys}' if keys else ''}: {got}")
    return failures


def _is_baseline(row: Mapping[str, Any], gate: Gate, prefix: str) -> bool:
    """Whether a row is about a judge that was computed, which the gate does not name."""
    names = (value for key, value in row.items() if key not in _NO_KEYS and key not in gate.keys)
    return bool(prefix) and any(isinstance(name, str) and name.startswith(prefix) for name in names)


def _rows(report: Report, gate: Gate) -> list[dict[str, Any]]:
    """The rows that a gate speaks of: of figures that are pooled, the pooled ones, unless it names others."""
    about = evaluation(report.evaluation)
    main, wanted = about.main, {**about.gated, "metric": gate.metric, **gate.keys}
    for name in ("overall", main):
        rows = report[name].to_dicts() if name in report.tables else []
        found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
        found = [row for row in found if not _is_baseline(row, gate, about.baselines)]
        if found:
            return found
    metrics = report[main]["metric"].unique(maintain_order=True).to_list()
    if gate.metric not in metrics:
        raise OptionError(f"fail_under: the table {main} has no {gate.metric}; it has {', '.join(metrics)}")
    columns = [name for name in report[main].columns if name not in _NO_KEYS]
    raise OptionError(f"fail_under: no row of {main} answers to {gate}; its keys are {', '.join(columns)}")
