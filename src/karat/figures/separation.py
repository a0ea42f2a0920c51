"""Which judges are told apart, by the tests of a report, and how many items would tell those that are not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import polars as pl

from karat.about import Answer
from karat.estimate import Estimate
from karat.figures.answering import Row, keys_of
from karat.report import Report
from karat.statistics.comparison import holm, independent_difference
from karat.statistics.quantiles import critical_value, normal_quantile, significance_level

POWER = 0.8
"""How probably as many items as a fact names would tell two judges apart."""
_FARTHEST = 1000
"""A difference that only so many times the items would show is none that people look for."""
_MOST_JUDGES = 100
"""More judges than this are not told apart by their intervals: there would be too many pairs for any to be told."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two judges, the better one first; two runs, the second one first. difference: the first minus the second.

    p: adjusted; told: whether it tells them apart. needed: about how many items would do so with a probability of
    `POWER`, were the true difference the one seen; None where they are told apart, or where it is next to nothing.
    judges: of runs, who is judged in each, in the same order.
    """

    metric: str
    one: str
    other: str
    difference: Estimate
    p: float | None
    told: bool
    needed: int | None = None
    judges: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Tie:
    """Judges that follow one another in rank, no two of whom are told apart. ends: the first and the last of them."""

    judges: Sequence[str]
    ends: Pair


@dataclass(frozen=True, slots=True)
class Separation:
    """Which judges are told apart: all pairs that are, and the highest tie. pairs: how many there are of all."""

    told: Sequence[Pair]
    tie: Tie | None
    pairs: int


def pairs_of(report: Report, answer: Answer, ranked: Sequence[Row], *, low: bool) -> list[Pair]:
    """Every two judges that are compared, the better one first."""
    if answer.ranked:
        return _by_intervals(report, answer, ranked)
    if "differences" not in report.tables or not ranked:
        return []
    names = {row[report.about.judge] for row in ranked}
    rows = [row for row in differences_like(report, answer, ranked[0]) if {row["first"], row["second"]} <= names]
    found = [pair_of(row, report.confidence, len(rows)) for row in rows]
    sign = -1 if low else 1
    return [_turned(pair) if sign * (pair.difference.value or 0) < 0 else pair for pair in found]


def differences_like(report: Report, answer: Answer, like: Row) -> Iterator[Row]:
    """The rows of the table `differences` that are about the figure and the group of a row."""
    table = report["differences"]
    judge = report.about.judge
    shared = [key for key in keys_of(table.columns) if key in like and key not in {judge, "name", "reference"}]
    same = [pl.col(key).eq_missing(pl.lit(like[key])) for key in shared]
    nobody = [pl.col(judge).is_null()] if judge in table.columns else []
    yield from table.filter(pl.col("metric") == answer.metric, *same, *nobody).iter_rows(named=True)


def pair_of(row: Row, confidence: float, tests: int, judges: tuple[str, str] | None = None) -> Pair:
    """The pair of a row of differences, which are the second minus the first. tests: how many are read beside it."""
    difference = Estimate.of_row(row, confidence=confidence)
    return _told(row["metric"], (row["second"], row["first"]), difference, row["p_adjusted"], tests, judges)


def _told(
    metric: str,
    names: tuple[str, str],
    difference: Estimate,
    p: float | None,
    tests: int,
    judges: tuple[str, str] | None = None,
) -> Pair:
    told = significant(p, difference.confidence)
    return Pair(metric, *names, difference, p, told, None if told else needed_for(difference, tests), judges)


def _turned(pair: Pair) -> Pair:
    """A pair the other way round."""
    own = pair.difference
    value, low, high = (None if one is None else -one for one in (own.value, own.high, own.low))
    turned = Estimate(value, low, high, own.n, own.method, own.confidence, own.reason, own.note)
    return Pair(pair.metric, pair.other, pair.one, turned, pair.p, pair.told, pair.needed)


def _by_intervals(report: Report, answer: Answer, ranked: Sequence[Row]) -> list[Pair]:
    """Every two judges, from their own intervals as if they had judged different items; p after Holm over all pairs."""
    if len(ranked) > _MOST_JUDGES:
        return []
    confidence, judge = report.confidence, report.about.judge
    both = list(combinations([row for row in ranked if row["low"] is not None], 2))
    found = [independent_difference(*(Estimate.of_row(row, confidence=confidence) for row in two)) for two in both]
    adjusted = holm([one.p for one in found])
    return [
        _told(answer.metric, (better[judge], worse[judge]), one.estimate, p, len(both))
        for (better, worse), one, p in zip(both, found, adjusted, strict=True)
    ]


def separation_of(report: Report, ranked: Sequence[Row], pairs: Sequence[Pair]) -> Separation:
    """The pairs that are told apart, in the order of ranks, and the highest tie."""
    names = [row[report.about.judge] for row in ranked]
    place = {name: nth for nth, name in enumerate(names)}
    told = sorted((one for one in pairs if one.told), key=lambda one: (place[one.one], place[one.other]))
    untold = {frozenset((pair.one, pair.other)): pair for pair in pairs if not pair.told}
    ties = (_tied(names[start:], untold) for start in range(len(names)))
    return Separation(told, next(filter(None, ties), None), len(pairs))


def _tied(names: Sequence[str], untold: Mapping[frozenset[str], Pair]) -> Tie | None:
    """The first of these judges with those that follow, as long as no two are told apart; None where it is alone."""
    tied = [names[0]]
    for name in names[1:]:
        if not all(frozenset((name, one)) in untold for one in tied):
            break
        tied.append(name)
    return Tie(tied, untold[frozenset((tied[0], tied[-1]))]) if len(tied) > 1 else None


def needed_for(difference: Estimate, tests: int) -> int | None:
    """About how many items would tell the difference from 0, were it the smallest p of so many tests.

    Its standard error falls as the root of their number.
    """
    if not difference.value or difference.low is None or difference.high is None:
        return None
    error = (difference.high - difference.low) / (2 * critical_value(difference.confidence))
    reach = critical_value(1 - (1 - difference.confidence) / tests) + normal_quantile(POWER)
    times = (reach * error / difference.value) ** 2
    return rounded_up(times * difference.n) if 1 < times <= _FARTHEST else None


def rounded_up(number: float) -> int:
    """A count rounded up to two digits that count."""
    step: int = 10 ** max(len(str(int(number))) - 2, 0)
    return ceil(number / step) * step


def significant(p: float | None, confidence: float) -> bool:
    """Whether a test has a p, and one below 1 - confidence."""
    return p is not None and p < significance_level(confidence)
