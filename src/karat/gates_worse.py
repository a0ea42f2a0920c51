"""Gates on the difference of two runs: figures that must not get worse, for use in CI."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, Literal

from karat.about import Metric
from karat.errors import OptionError
from karat.estimate import Note
from karat.gates import (
    QUOTING,
    RUNS,
    SUBJECT,
    GateResult,
    answering,
    check_known,
    keys_in,
    keys_text,
    number,
    subject_text,
    told,
    undefined_text,
    without_interval,
)
from karat.report import Report

_GATE = re.compile(rf"{SUBJECT}(?::(?P<margin>[^:]+))?")


@dataclass(frozen=True, slots=True)
class Worse:
    """A metric that must not be surely worse by more than `margin` in any row that the keys pick.

    better: which end of it is good. margin: in the metric's own unit.
    """

    metric: str
    margin: float
    better: Literal["high", "low"]
    keys: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        turn = "fall" if self.better == "high" else "rise"
        more = f" by more than {self.margin:g}" if self.margin else ""
        return f"{subject_text(self.metric, self.keys)} must not {turn}{more}"


def parse_worse(texts: Sequence[str], known: Mapping[str, Metric], keys: Sequence[str]) -> list[Worse]:
    """Gates from texts such as `accuracy`, `accuracy:0.02` or `accuracy[criterion=safety]:0.02`.

    known: the metrics there are. keys: the key columns of the table `comparison`. The margin is 0 where none is given.
    Raises OptionError for any other text, metric or key, for a margin that is no finite number from 0 on, and for a
    metric of which neither end is good, since it cannot get worse.

    >>> known = {"accuracy": Metric("Accuracy", "", better="high"), "missing": Metric("Missing", "", better="low")}
    >>> print(*parse_worse(["accuracy[judge=north]:0.02", "missing"], known, ["judge"]), sep="; ")
    accuracy[judge=north] must not fall by more than 0.02; missing must not rise
    """
    return [_parse(text, known, keys) for text in texts]


def _parse(text: str, known: Mapping[str, Metric], keys: Sequence[str]) -> Worse:
    match = _GATE.fullmatch(text)
    margin = number(match["margin"] or "0") if match else nan
    if match is None or not isfinite(margin) or margin < 0:
        raise OptionError(
            f"fail_if_worse: expected metric, metric:margin or metric[key=value]:margin with a margin of 0 or more; "
            f'got {text:.300}. {QUOTING}: accuracy[judge="a,b"]:0.02'
        )
    metric, named = match["metric"], keys_in(match["keys"])
    check_known("fail_if_worse", metric, named, known, keys)
    better = known[metric].better
    if better is None:
        ends = ", ".join(name for name, one in known.items() if one.better)
        raise OptionError(f"fail_if_worse: {metric} is neither good when high nor when low; choose of {ends}")
    return Worse(metric, margin, better, named)


def worse_results(report: Report, gates: Iterable[Worse]) -> Iterator[GateResult]:
    """What became of every gate in every row of `comparison` that it reads, one at a time.

    A gate fails where the whole interval of the difference, the second run less the first, lies beyond the margin on
    the bad side. On runs that are truly equal that happens at most as often as an interval misses on that side: with
    95 % intervals about 2.5 % of the time for each figure and pair of runs. A difference without an interval fails,
    since nothing is known of it, but not one of 0 between runs that are alike in every item.

    A gate reads the average where there is one, and no baselines, unless it names them. Raises OptionError where no
    row answers, once that gate's turn has come.
    """
    for gate in gates:
        rows = answering(report, "fail_if_worse", gate.metric, gate.keys, str(gate))
        one_pair = len({tuple(row[run] for run in RUNS) for row in rows}) == 1
        for row in rows:
            subject = keys_text(row, apart=RUNS if one_pair else ())
            yield GateResult(f"{gate}:", subject, _said(row, gate), _passes(row, gate))


def _passes(row: Mapping[str, Any], gate: Worse) -> bool:
    """Whether a difference is not surely beyond the margin."""
    if row["low"] is None or row["high"] is None:
        return bool(row["value"] == 0 and row["note"] == Note.NO_VARIATION)
    return bool(row["high"] >= -gate.margin if gate.better == "high" else row["low"] <= gate.margin)


def _said(row: Mapping[str, Any], gate: Worse) -> str:
    first, second = (row[run] for run in RUNS)
    return f"{second} less {first} is {undefined_text(row) or _figure(row, gate)}"


def _figure(row: Mapping[str, Any], gate: Worse) -> str:
    limit = -gate.margin if gate.better == "high" else gate.margin
    value, *interval = (
        None if row[name] is None else told(row[name], limit, decimals=3) for name in ("value", "low", "high")
    )
    return f"{value} {without_interval(row)}" if None in interval else f"{value} [{', '.join(map(str, interval))}]"
