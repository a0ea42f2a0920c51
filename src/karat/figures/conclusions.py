"""What a report concludes: facts on its evaluation's question, each from a row of its tables or a test between two.

They say no more than the tables: judges are told apart by their adjusted p alone, at the report's own confidence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from math import ceil
from typing import Any, TypeAlias

import polars as pl

from karat.about import COMPARED, Answer, Evaluation
from karat.estimate import Estimate, Note
from karat.figures.answering import RUNS, Row, keys_of, read_by_gates
from karat.report import Report
from karat.statistics.comparison import holm, independent_difference
from karat.statistics.quantiles import critical_value, normal_quantile

POWER = 0.8
"""How probably as many items as a fact names would tell two judges apart."""
NARROW = 0.1
"""The width of an interval of a share that a fact aims at: 5 points to either side."""
_FARTHEST = 1000
"""A difference that only so many times the items would show is none that people look for."""
_MOST_GROUPS = 3
_MOST_JUDGES = 100
"""More judges than this are not told apart by their intervals: there would be too many pairs for any to be told."""
_FEW = frozenset({Note.FEW_ITEMS, Note.FEW_CLUSTERS, Note.ONE_ITEM, Note.ONE_CLUSTER, Note.FEW_DECIDED_PAIRS})

_DIGITS = 12
"""So that 1 - 0.95 is 0.05 and not a little more."""

Group: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """The figure of each judge, the best first and undefined ones last. group: keys that tell its rows from others."""

    answer: Answer
    group: Group
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Signs:
    """Figures that a test tells from 0, the strongest first: those above, those below; untold: how many it does not."""

    answer: Answer
    group: Group
    reference: str
    above: Sequence[Row]
    below: Sequence[Row]
    untold: int


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
class Separation:
    """Which judges are told apart: all pairs that are, and the neighbours in rank that are not. pairs: of all."""

    told: Sequence[Pair]
    untold: Sequence[Pair]
    pairs: int


@dataclass(frozen=True, slots=True)
class Unbeaten:
    """Judges that are not shown to be better than the best baseline."""

    baseline: str
    judges: Sequence[str]


@dataclass(frozen=True, slots=True)
class Open:
    """Judges whose figures rest on missing answers, each with the values between which its figure would lie."""

    metric: str
    bounds: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Few:
    """How many of the figures rest on few items, and of how many."""

    few: int
    of: int


@dataclass(frozen=True, slots=True)
class Wide:
    """About how many items would bring the interval of the only judge down to `NARROW`. rests_on: how many it has."""

    judge: str
    rests_on: int
    needed: int


@dataclass(frozen=True, slots=True)
class More:
    """How many further groups of rows, or comparisons of runs, are not spoken of."""

    count: int
    compared: bool = False


Fact: TypeAlias = Standing | Signs | Separation | Pair | Unbeaten | Open | Few | Wide | More


def facts(report: Report) -> Iterator[list[Fact]]:
    """What a report concludes, in the order in which it is told: together what is said of one figure and group.

    There is nothing where its tables answer no question.
    """
    about = report.about
    found = [(answer, groups) for answer in about.answers if (groups := list(_groups(report, answer)))]
    if about.main == COMPARED:
        yield from _of_runs(report, [row for _, groups in found for _, rows in groups for row in rows])
        return
    most = max(_MOST_GROUPS // max(len(found), 1), 1)
    told = [(answer, *group) for answer, groups in found for group in groups[:most]]
    for answer, group, rows in told:
        yield list(_of_group(report, answer, group, rows))
    more = sum(len(groups) for _, groups in found) - len(told)
    yield [More(more)] if more else []
    known = [row for *_, rows in told for row in rows if row["value"] is not None]
    few = sum(row["note"] in _FEW for row in known)
    yield [Few(few, len(known))] if few else []
    yield list(_wide(report, known[0])) if len(known) == 1 else []


def _of_runs(report: Report, rows: Sequence[Row]) -> Iterator[list[Fact]]:
    for row in rows[:_MOST_GROUPS]:
        judges = (row.get("second_judge") or row["judge"], row["judge"])
        yield [_pair(row, _alpha(report), len(rows), judges)]
    if len(rows) > _MOST_GROUPS:
        yield [More(len(rows) - _MOST_GROUPS, compared=True)]


def _groups(report: Report, answer: Answer) -> Iterator[tuple[Group, list[Row]]]:
    """The rows that an answer reads, by the keys that tell groups of them apart."""
    about = report.about
    main = report.tables.get(about.main)
    if main is None:
        return
    rows = read_by_gates(main.filter(metric=answer.metric).to_dicts(), (), about)
    for key, value in answer.where.items():
        rows = [row for row in rows if row.get(key) == value] or ([] if key in about.apart else rows)
    for key in (*answer.first, *answer.most):
        values = [row[key] for row in rows if row.get(key) is not None]
        chosen = None if not values else max(values) if key in answer.most else values[0]
        rows = [row for row in rows if row.get(key) == chosen]
    apart = _telling(rows, about)

    def group_of(row: Row) -> tuple[Any, ...]:
        return tuple(row[key] for key in apart)

    places = {group: place for place, group in enumerate(dict.fromkeys(map(group_of, rows)))}
    for group, members in groupby(sorted(rows, key=lambda row: places[group_of(row)]), group_of):
        yield dict(zip(apart, group, strict=True)), list(members)


def _telling(rows: Sequence[Row], about: Evaluation) -> list[str]:
    """The key columns, besides those that name who is judged and by whom, that differ between rows."""
    own = {about.judge, "judge", "second_judge", "name", "reference", *RUNS}
    return [key for key in keys_of(rows[0] if rows else ()) if key not in own and len({row[key] for row in rows}) > 1]


def _of_group(report: Report, answer: Answer, group: Group, rows: Sequence[Row]) -> Iterator[Fact]:
    if answer.below:
        if "p_adjusted" in rows[0]:  # a history tests nothing
            yield from _signs_beside_each(answer, group, rows, _alpha(report))
        return
    low = report.about.metrics[answer.metric].better == "low"
    known = [row for row in rows if row["value"] is not None]
    ranked = sorted(known, key=lambda row: row["value"], reverse=not low)
    yield Standing(answer, group, [*ranked, *(row for row in rows if row["value"] is None)])
    pairs = _pairs(report, answer, ranked, low=low)
    if pairs:
        yield _separation(report, ranked, pairs)
    yield from _unbeaten(report, answer, ranked)
    yield from _open(report, answer, ranked)


def _signs_beside_each(answer: Answer, group: Group, rows: Sequence[Row], alpha: float) -> Iterator[Fact]:
    """What is told beside each reference; of many, beside the first."""
    references = list(dict.fromkeys(row["reference"] for row in rows))
    for reference in references[:_MOST_GROUPS]:
        yield _signs(answer, group, [row for row in rows if row["reference"] == reference], alpha)
    if len(references) > _MOST_GROUPS:
        yield More(len(references) - _MOST_GROUPS)


def _signs(answer: Answer, group: Group, rows: Sequence[Row], alpha: float) -> Signs:
    told = sorted((row for row in rows if _below(row["p_adjusted"], alpha)), key=lambda row: -abs(row["value"]))
    above, below = ([row for row in told if (row["value"] > 0) is high] for high in (True, False))
    return Signs(answer, group, rows[0]["reference"], above, below, len(rows) - len(told))


# --- who is told from whom ---


def _pairs(report: Report, answer: Answer, ranked: Sequence[Row], *, low: bool) -> list[Pair]:
    """Every two judges that are compared, the better one first."""
    if answer.ranked:
        return _by_intervals(report, answer, ranked)
    if "differences" not in report.tables or not ranked:
        return []
    names = {row[report.about.judge] for row in ranked}
    rows = [row for row in _differences(report, answer, ranked[0]) if {row["first"], row["second"]} <= names]
    found = [_pair(row, _alpha(report), len(rows)) for row in rows]
    sign = -1 if low else 1
    return [_turned(pair) if sign * (pair.difference.value or 0) < 0 else pair for pair in found]


def _differences(report: Report, answer: Answer, like: Row) -> Iterator[Row]:
    """The rows of the table `differences` that are about the figure and the group of a row."""
    table = report["differences"]
    judge = report.about.judge
    shared = [key for key in keys_of(table.columns) if key in like and key not in {judge, "name", "reference"}]
    same = [pl.col(key).eq_missing(pl.lit(like[key])) for key in shared]
    nobody = [pl.col(judge).is_null()] if judge in table.columns else []
    yield from table.filter(pl.col("metric") == answer.metric, *same, *nobody).iter_rows(named=True)


def _pair(row: Row, alpha: float, tests: int, judges: tuple[str, str] | None = None) -> Pair:
    """The pair of a row of differences, which are the second minus the first. tests: how many are read beside it."""
    difference = Estimate.of_row(row, confidence=1 - alpha)
    return _told(row["metric"], (row["second"], row["first"]), difference, row["p_adjusted"], tests, judges)


def _told(
    metric: str,
    names: tuple[str, str],
    difference: Estimate,
    p: float | None,
    tests: int,
    judges: tuple[str, str] | None = None,
) -> Pair:
    told = _below(p, round(1 - difference.confidence, _DIGITS))
    return Pair(metric, *names, difference, p, told, None if told else _needed(difference, tests), judges)


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
    confidence, judge = 1 - _alpha(report), report.about.judge
    both = list(combinations([row for row in ranked if row["low"] is not None], 2))
    found = [independent_difference(*(Estimate.of_row(row, confidence=confidence) for row in two)) for two in both]
    adjusted = holm([one.p for one in found])
    return [
        _told(answer.metric, (better[judge], worse[judge]), one.estimate, p, len(both))
        for (better, worse), one, p in zip(both, found, adjusted, strict=True)
    ]


def _separation(report: Report, ranked: Sequence[Row], pairs: Sequence[Pair]) -> Separation:
    names = [row[report.about.judge] for row in ranked]
    untold = {frozenset((pair.one, pair.other)): pair for pair in pairs if not pair.told}
    neighbours = (untold.get(frozenset(two)) for two in pairwise(names))
    place = {name: nth for nth, name in enumerate(names)}
    told = sorted((one for one in pairs if one.told), key=lambda one: (place[one.one], place[one.other]))
    return Separation(told, [one for one in neighbours if one], len(pairs))


def _needed(difference: Estimate, tests: int) -> int | None:
    """About how many items would tell the difference from 0, were it the smallest p of so many tests.

    Its standard error falls as the root of their number.
    """
    if not difference.value or difference.low is None or difference.high is None:
        return None
    error = (difference.high - difference.low) / (2 * critical_value(difference.confidence))
    reach = critical_value(1 - (1 - difference.confidence) / tests) + normal_quantile(POWER)
    times = (reach * error / difference.value) ** 2
    return _rounded(times * difference.n) if 1 < times <= _FARTHEST else None


def _rounded(number: float) -> int:
    """A count rounded up to two digits that count."""
    step: int = 10 ** max(len(str(int(number))) - 2, 0)
    return ceil(number / step) * step


def _below(p: float | None, alpha: float) -> bool:
    return p is not None and p < alpha


def _alpha(report: Report) -> float:
    return round(1 - float(report.options.get("confidence", 0.95)), _DIGITS)


# --- what else must be known ---


def _unbeaten(report: Report, answer: Answer, ranked: Sequence[Row]) -> Iterator[Fact]:
    """The judges that no test tells from the best baseline, or that it tells to be worse."""
    prefix = report.about.baselines
    if not prefix or "differences" not in report.tables or not ranked:
        return
    rows = [row for row in _differences(report, answer, ranked[0]) if str(row["first"]).startswith(prefix)]
    known = [row for row in rows if row["first_value"] is not None]
    if not known:
        return
    best = max(known, key=lambda row: row["first_value"])["first"]
    judges = [row["second"] for row in rows if row["first"] == best and not _better(row, _alpha(report))]
    if judges:
        yield Unbeaten(best, judges)


def _better(row: Row, alpha: float) -> bool:
    return row["value"] is not None and row["value"] > 0 and _below(row["p_adjusted"], alpha)


def _open(report: Report, answer: Answer, ranked: Sequence[Row]) -> Iterator[Fact]:
    """The bounds of figures that miss answers."""
    ends = [f"{answer.metric}_{end}" for end in ("lowest", "highest")]
    rows = report[report.about.main].filter(pl.col("metric").is_in(ends)).to_dicts()
    values = {(row["metric"], _identity(row)): row["value"] for row in rows}
    bounds = {}
    for row in ranked:
        low, high = (values.get((end, _identity(row))) for end in ends)
        if low is not None and high is not None and low < high:
            bounds[row[report.about.judge]] = (low, high)
    if bounds:
        yield Open(answer.metric, bounds)


def _identity(row: Row) -> tuple[Any, ...]:
    return tuple(row[key] for key in keys_of(row))


def _wide(report: Report, row: Row) -> Iterator[Fact]:
    """The interval of a share, where it is wide."""
    if not report.about.metrics[row["metric"]].percent or row["low"] is None:
        return
    width = row["high"] - row["low"]
    if width > 2 * NARROW:
        yield Wide(row[report.about.judge], row["n"], _rounded(row["n"] * (width / NARROW) ** 2))
