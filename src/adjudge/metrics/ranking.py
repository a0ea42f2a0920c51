"""Rankings of judges: significant differences, ties, sample sizes that would separate ties, and ranges of ranks.

The scorer, and the two annotators, with the highest agreement are found here too, without a test.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.estimate import Estimate
from adjudge.metrics.row_selection import GroupKeys, TableRow, key_columns
from adjudge.metrics.tables import Keys, estimate_row
from adjudge.report import Report
from adjudge.spec import Headline, MetricSpec
from adjudge.statistics.quantiles import significance_level
from adjudge.statistics.ranking import RankSet, rank_sets

Bools: TypeAlias = NDArray[np.bool_]

_FEW = 10
"""With more significant pairs than this, not all are kept."""

_WORST_RANK = "How many there are minus those that are significantly worse."
RANK_METRICS = {
    "rank_low": MetricSpec("Best rank", "1 + the number of others that are significantly better.", "low", False, 0),
    "rank_high": MetricSpec("Worst rank", _WORST_RANK, "low", False, 0),
}
RANK_TITLE = {"Ranks": ("rank_low", "rank_high")}
"""The title under which both are displayed as a range."""


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two judges, the better one first; two runs, the second one first. difference: the first minus the second.

    p: adjusted over `tests`. items_needed: the number of items to collect to detect the difference, instead of
    `collected`. judges: of runs, the
    judge in each, in the same order. group: of runs, the keys of the row.
    """

    metric: str
    one: str
    other: str
    difference: Estimate
    p: float | None
    significant: bool
    tests: int = 1
    items_needed: int | None = None
    collected: int = 0
    judges: tuple[str, str] | None = None
    group: GroupKeys = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tie:
    """Judges of adjacent ranks, no two of them significantly different. ends: the test of the first and the last."""

    judges: Sequence[str]
    ends: PairTest


@dataclass(frozen=True, slots=True)
class Separation:
    """Significant differences between judges, and the highest tie.

    told: the significant pairs, in the order of ranks; if they are many, only those of the first judge with any (and
    not in `aside`), and one of the last. count: the number of significant pairs. pairs: of tested ones. judges: of
    ranked judges. compared: how many of them are in these pairs.
    tests: how many differences were adjusted together. first: whether the judge that ranks first is in the tie.
    aside: judges with few labels, which are in no tie and do not count as first.
    """

    significant: Sequence[PairTest]
    tie: Tie | None
    count: int
    pairs: int
    judges: int
    compared: int
    tests: int
    first: bool
    few_labels: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class CommonTie:
    """Two judges that no metric separates significantly. metrics: their names; pair: the test of the first metric.

    ahead: whether the same one is ahead in all of them. alike: whether all rest on as many items, and take as many.
    """

    metrics: Sequence[str]
    pair: PairTest
    ahead: bool
    same_sample_size: bool


@dataclass(frozen=True, slots=True)
class _PairTests:
    """Judges in the order of ranks, and the tests of them.

    told: whether a judge is significantly better than another; untold: whether it was tested against a later one
    without significance. pair: the test of two. pairs: how many were tested. tests: how many are adjusted together.
    """

    judges: Sequence[str]
    significant: Bools
    undecided: Bools
    pair: Callable[[int, int], PairTest]
    pairs: int
    tests: int


def separate_judges(
    report: Report, answer: Headline, ranked: Sequence[TableRow], *, aside: Collection[str] = (), low: bool
) -> Separation | None:
    """Significant differences between judges; None if no two were tested. ranked: the rows of judges, the best first.

    aside: judges that are in no tie. low: whether lower values are better.
    """
    tested = _test_differences(report, answer, ranked, low=low)
    if not tested.pairs:
        return None
    places = np.argwhere(tested.significant)
    kept = places
    if len(places) > _FEW:
        first_told = next((one for one, _ in places if tested.judges[one] not in aside), places[0, 0])
        kept = np.concatenate([places[places[:, 0] == first_told], places[places[:, 1] == places[:, 1].max()][-1:]])
    pairs = [tested.pair(*two) for two in dict.fromkeys(map(tuple, kept.tolist()))]
    kept_of = _exclude_judges(tested, aside)
    ties = ((start, tie) for start in range(len(kept_of.judges)) if (tie := _tie_from(kept_of, start)))
    start, tie = next(ties, (0, None))
    first = tie is not None and not start
    counts = len(places), tested.pairs, len(ranked), len(np.unique(np.argwhere(tested.significant | tested.undecided)))
    return Separation(pairs, tie, *counts, tested.tests, first=first, few_labels=aside)


def _exclude_judges(tested: _PairTests, aside: Collection[str]) -> _PairTests:
    """The tests without the judges in `aside`."""
    places = [place for place, name in enumerate(tested.judges) if name not in aside]
    return replace(
        tested,
        judges=[tested.judges[place] for place in places],
        significant=tested.significant[np.ix_(places, places)],
        undecided=tested.undecided[np.ix_(places, places)],
        pair=lambda one, other: tested.pair(places[one], places[other]),
    )


def common_tie(facts: Sequence[object]) -> CommonTie | None:
    """The tie of two judges that no metric separates significantly.

    None if a metric shows more: a significant difference, a third judge, or an unadjusted interval that excludes 0.
    """
    all_of = [fact for fact in facts if isinstance(fact, Separation)]
    ties = [fact.tie for fact in all_of if fact.tie is not None and not fact.significant]
    pairs = [tie.ends for tie in ties if len(tie.judges) == 2 and contains_zero(tie.ends.difference)]  # noqa: PLR2004 - a pair
    if not len(pairs) == len(all_of) > 1 or len({frozenset((pair.one, pair.other)) for pair in pairs}) > 1:
        return None
    ahead = len({pair.one for pair in pairs}) == 1 and all(pair.difference.value for pair in pairs)
    equal = len({(pair.difference.n, pair.items_needed) for pair in pairs}) == 1
    return CommonTie([pair.metric for pair in pairs], pairs[0], ahead, equal)


def contains_zero(difference: Estimate) -> bool:
    """Whether the interval of a difference contains 0; False without an interval."""
    return difference.low is not None and difference.high is not None and difference.low <= 0 <= difference.high


def _tie_from(tested: _PairTests, start: int) -> Tie | None:
    """The tie that starts at a judge: those that follow, as long as no two differ significantly."""
    end = start + 1
    while end < len(tested.judges) and tested.undecided[start:end, end].all():
        end += 1
    return Tie(tested.judges[start:end], tested.pair(start, end - 1)) if end - start > 1 else None


def _test_differences(report: Report, answer: Headline, ranked: Sequence[TableRow], *, low: bool) -> _PairTests:
    """The judges by the table of differences."""
    names = [row[report.about.judge] for row in ranked]
    place = {name: nth for nth, name in enumerate(names)}
    rows: list[TableRow] = []
    if "differences" in report.tables and ranked:
        matching = differences_matching(report, answer, ranked[0])
        rows = [row for row in matching if {row["first"], row["second"]} <= {*names}]
    pairs = [pair_test(row, report.confidence) for row in rows]
    sign = -1 if low else 1
    pairs = [swap_pair(pair) if sign * (pair.difference.value or 0) < 0 else pair for pair in pairs]
    told, untold = np.zeros((2, len(names), len(names)), dtype=bool)
    pair_by_places: dict[tuple[int, int], PairTest] = {}
    for pair in pairs:
        two = place[pair.one], place[pair.other]
        told[two], untold[min(two), max(two)] = pair.significant, not pair.significant
        pair_by_places[two] = pair_by_places[two[::-1]] = pair
    tests = max((pair.tests for pair in pairs), default=0)
    return _PairTests(names, told, untold, lambda one, other: pair_by_places[one, other], len(pairs), tests)


def mean_key(report: Report) -> str | None:
    """The column that says which part of a mean a metric is about; None where nothing is one."""
    pooled = report.about.pooled
    return next((name for name, value in report.about.gated_values.items() if pooled and value == pooled), None)


def differences_matching(report: Report, answer: Headline, like: TableRow) -> Iterator[TableRow]:
    """The rows of the table `differences` with the metric of the headline and the group of a row."""
    table = report["differences"]
    judge = report.about.judge
    shared = [key for key in key_columns(table.columns) if key in like and key not in {judge, "name", "reference"}]
    same = [pl.col(key).eq_missing(pl.lit(like[key])) for key in shared]
    nobody = [pl.col(judge).is_null()] if judge in table.columns else []
    yield from table.filter(pl.col("metric") == answer.metric, *same, *nobody).iter_rows(named=True)


def pair_test(row: TableRow, confidence: float, judges: tuple[str, str] | None = None) -> PairTest:
    """The pair of a row of differences, which are the second minus the first."""
    difference, p = Estimate.from_row(row, confidence=confidence), row["p_adjusted"]
    significant = is_significant(p, confidence)
    numbers = row["tests"] or 0, row["needed"], row.get("collected") or difference.n
    return PairTest(row["metric"], row["second"], row["first"], difference, p, significant, *numbers, judges)


def swap_pair(pair: PairTest) -> PairTest:
    """The pair in reversed order: the difference changes its sign."""
    gap = pair.difference
    value, low, high = (None if end is None else -end for end in (gap.value, gap.high, gap.low))
    turned = Estimate(value, low, high, gap.n, gap.method, gap.confidence, gap.reason, gap.caveat)
    return replace(pair, one=pair.other, other=pair.one, difference=turned)


def is_significant(p: float | None, confidence: float) -> bool:
    """Whether a test has a p, and one below 1 - confidence."""
    return p is not None and p < significance_level(confidence)


# --- ranges of ranks ---


def rank_ranges(names: Sequence[str], rows: Sequence[TableRow], confidence: float) -> dict[str, RankSet]:
    """The range of ranks of each judge in a metric of which more is better.

    rows: those of the table of differences; pairs that are not compared do not differ significantly.
    """
    place = {name: at for at, name in enumerate(names)}
    p, gaps = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)))
    for row in rows:
        pair = place[row["first"]], place[row["second"]]
        p[pair] = p[pair[::-1]] = np.nan if row["p_adjusted"] is None else row["p_adjusted"]
        gaps[pair] = -(row["value"] or 0.0)
        gaps[pair[::-1]] = -gaps[pair]
    return dict(zip(names, rank_sets(p, gaps, confidence=confidence), strict=True))


def rank_rows(keys: Mapping[str, Any], ranks: RankSet, shown: Callable[[float], Estimate]) -> Iterator[Keys]:
    """The ranks of one of them as rows of a table. shown: from a value to the estimate that the table shows."""
    for metric, value in zip(RANK_METRICS, ranks, strict=True):
        yield estimate_row(keys, metric, shown(float(value)))


# --- highest agreement ---


@dataclass(frozen=True, slots=True)
class AgreementRange:
    """The two annotators with the highest agreement, and the two with the lowest if there are several pairs.

    pairs: how many are known.
    """

    answer: Headline
    most: TableRow
    least: TableRow | None
    pairs: int


@dataclass(frozen=True, slots=True)
class ClosestScorer:
    """The scorer that agrees most with human annotators. of: the number of scorers. false_right, false_wrong: errors.

    corrected: the share of answers that it accepts, and the share that human annotators would; None if unknown.
    """

    agreement: TableRow
    false_right: TableRow
    false_wrong: TableRow
    of: int
    corrected: tuple[TableRow, TableRow] | None = None


RankingFact: TypeAlias = PairTest | Separation | AgreementRange | ClosestScorer


def agreement_range(answer: Headline, rows: Sequence[TableRow], judge: str) -> AgreementRange | None:
    """The pairs of annotators with the highest and the lowest value; each pair counts once."""
    pairs = {frozenset((row[judge], row["reference"])): row for row in reversed(rows) if row["value"] is not None}
    ranked = sorted(pairs.values(), key=lambda row: -row["value"])
    if not ranked:
        return None
    lowest = ranked[-1] if ranked[-1]["value"] < ranked[0]["value"] else None
    return AgreementRange(answer, ranked[0], lowest, len(ranked))


def closest_scorer(report: Report) -> ClosestScorer | None:
    """The scorer with the highest agreement on the first verdict, in the card of scorers against human annotators."""
    card = report.tables.get("card")
    if card is None or card.is_empty():
        return None
    first = card.row(0, named=True)
    keys = [*(report.options.get("by") or ()), "model", "verdict"]
    rows = [row for row in card.to_dicts() if all(row[key] == first[key] for key in keys)]
    row_by_metric = {(row["scorer"], row["metric"]): row for row in rows}
    agreements = [row for row in rows if row["metric"] == "agreement" and row["value"] is not None]
    if not agreements:
        return None
    best = max(agreements, key=lambda row: row["value"])
    false_right, false_wrong = (row_by_metric[best["scorer"], metric] for metric in ("false_right", "false_wrong"))
    rates = [row_by_metric.get((best["scorer"], metric)) for metric in ("scorer_rate", "corrected_rate")]
    known_rates = [rate for rate in rates if rate and rate["value"] is not None]
    corrected = (known_rates[0], known_rates[1]) if len(known_rates) == len(rates) else None
    return ClosestScorer(best, false_right, false_wrong, len(agreements), corrected)
