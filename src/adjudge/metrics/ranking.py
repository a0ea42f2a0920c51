"""Rankings of judges: significant differences, and the possible ranks given the tests.

Two judges differ significantly if the p of their difference, adjusted over its family of tests, lies below
1 - confidence. Verdicts, findings, ranks and colours of a report all follow this one rule.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adjudge.estimate import Caveat, Estimate
from adjudge.metrics.row_selection import TableRow
from adjudge.metrics.tables import Keys, estimate_row
from adjudge.spec import MetricSpec
from adjudge.statistics.comparison import RankSet
from adjudge.statistics.quantiles import significance_level

RANK_METRICS = {
    "rank_low": MetricSpec("Best rank", "1 + the number of others that are significantly better.", "low", False, 0),
    "rank_high": MetricSpec(
        "Worst rank", "How many there are minus those that are significantly worse.", "low", False, 0
    ),
}

_MANY_JUDGES = 4
"""With more judges than this, those with few items rank behind the others."""


@dataclass(frozen=True, slots=True)
class JudgePair:
    """The test of two judges. row: its row, with the difference as the better one minus the worse one."""

    better: str
    worse: str
    row: TableRow
    significant: bool

    def minus(self, other: str) -> TableRow:
        """The row of the difference of the one judge minus the other."""
        return self.row if self.worse == other else opposite(self.row)


@dataclass(frozen=True)
class Ranking:
    """Judges by their estimate of one metric, the best first, with the tests of pairs.

    rows: judge -> its row, undefined ones last. few: judges with few items, which rank behind the others if there are
    many judges. pairs: the tests, by both judges in either order.
    """

    metric: str
    rows: Mapping[str, TableRow]
    pairs: Mapping[frozenset[str], JudgePair]
    few: Collection[str] = ()

    @cached_property
    def names(self) -> list[str]:
        """The judges with a defined estimate and enough items, the best first."""
        return [name for name, row in self.rows.items() if row["value"] is not None and name not in self.few]

    @cached_property
    def significant(self) -> list[JudgePair]:
        """The significant differences, in the order of ranks."""
        place = {name: at for at, name in enumerate(self.rows)}
        pairs = (pair for pair in self.pairs.values() if pair.significant)
        return sorted(pairs, key=lambda pair: (place[pair.better], place[pair.worse]))

    @cached_property
    def beaten(self) -> dict[str, set[str]]:
        """Each judge -> those that it is significantly better than."""
        beaten: dict[str, set[str]] = {name: set() for name in self.rows}
        for pair in self.significant:
            beaten[pair.better].add(pair.worse)
        return beaten

    @cached_property
    def losers(self) -> dict[tuple[str, ...], list[str]]:
        """Judges -> those that all of them, and no others, are significantly better than; the worst first."""
        losers: dict[tuple[str, ...], list[str]] = {}
        for name in reversed([*self.rows]):
            if better := tuple(one for one in self.rows if name in self.beaten[one]):
                losers.setdefault(better, []).insert(0, name)
        return losers

    @cached_property
    def leaders(self) -> list[str]:
        """The judges that are significantly better than the judge with the highest estimate, or else that judge."""
        best = self.names[0]
        return [name for name in self.rows if best in self.beaten[name]] or [best]

    @cached_property
    def open_pair(self) -> JudgePair | None:
        """The test of the first and the last judge tied with the best; None if none is.

        Tied are those from the best on, each tested against all before it, no two significantly different.
        """
        tied: list[str] = []
        for name in self.names:
            tests = [self.pairs.get(frozenset((name, other))) for other in tied]
            if any(test is None or test.significant for test in tests):
                break
            tied.append(name)
        return self.pairs.get(frozenset((tied[0], tied[-1]))) if len(tied) > 1 else None

    @property
    def pair(self) -> JudgePair | None:
        """The first test; with two judges, the only one."""
        return next(iter(self.pairs.values()), None)

    @property
    def ranks(self) -> dict[str, RankSet]:
        """The possible ranks of judges with a defined estimate, given the tests."""
        better = Counter(name for beaten in self.beaten.values() for name in beaten)
        defined = [name for name, row in self.rows.items() if row["value"] is not None]
        return {name: RankSet(1 + better[name], len(defined) - len(self.beaten[name])) for name in defined}

    @property
    def tones(self) -> dict[str, str]:
        """The significance against the best: "best" if not worse, "worse" if significantly worse, "" without tests."""
        beaten = self.beaten[self.leaders[0]] if self.names else set()
        tones = {name: "worse" if name in beaten else "best" if beaten else "" for name in self.rows}
        return {name: tone if name in self.names else "faint" for name, tone in tones.items()}


def ranking(
    metric: str, rows: Mapping[str, TableRow], tests: Iterable[TableRow], confidence: float, *, lower_is_better: bool
) -> Ranking:
    """The ranking of judges by the rows of a metric. tests: rows of its differences, the second minus the first."""
    sign = 1 if lower_is_better else -1
    defined = [name for name, row in rows.items() if row["value"] is not None]
    few = {name for name in defined if rows[name]["caveat"] in (Caveat.FEW_ITEMS, Caveat.ONE_ITEM)}
    few = few if len(defined) > _MANY_JUDGES and 2 * len(few) < len(defined) else set()

    order = sorted(
        rows, key=lambda name: (rows[name]["value"] is None, name in few, sign * (rows[name]["value"] or 0.0))
    )
    pairs: dict[frozenset[str], JudgePair] = {}
    for row in tests:
        first, second, value = row["first"], row["second"], row["value"]
        if value is None or not {first, second} <= rows.keys():
            continue
        significant = bool(value) and is_significant(row["p_adjusted"], confidence)
        if sign * value > 0 or (not value and order.index(first) < order.index(second)):
            pair = JudgePair(first, second, opposite(row), significant)
        else:
            pair = JudgePair(second, first, row, significant)
        pairs[frozenset((first, second))] = pair
    return Ranking(metric, {name: rows[name] for name in order}, pairs, few)


def opposite(row: TableRow) -> TableRow:
    """The row of a difference with the judges the other way round."""
    ends = {"value": row["value"], "low": row["high"], "high": row["low"]}
    return {**row, **{name: None if end is None else -end for name, end in ends.items()}}


def is_significant(p: float | None, confidence: float) -> bool:
    """Whether a test has a p, and one below 1 - confidence."""
    return p is not None and p < significance_level(confidence)


def metrics_won(judges: Iterable[str], rankings: Mapping[str, Ranking]) -> dict[str, str]:
    """Each judge that is significantly better than another one -> in which metrics. rankings: by title."""
    titles = {name: [title for title, ranks in rankings.items() if ranks.beaten.get(name)] for name in judges}
    return {name: ", ".join(found) for name, found in titles.items() if found}


# --- ranges of ranks ---


def rank_ranges(names: Sequence[str], rows: Sequence[TableRow], confidence: float) -> dict[str, RankSet]:
    """The range of ranks of each judge in a metric for which higher is better.

    From 1 + the number of judges that are significantly better to the number of judges less those that are
    significantly worse. All ranges are right at once with at least the given confidence.

    rows: those of the table of differences; pairs that are not compared do not differ significantly.

    Source: after Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", Review of Economic Studies
    91, 476-518; with Holm's adjustment in place of their bootstrap.
    """
    judges = {name: {"value": 0.0, "caveat": None} for name in names}
    return ranking("", judges, rows, confidence, lower_is_better=False).ranks


def rank_rows(keys: Mapping[str, Any], ranks: RankSet, shown: Callable[[float], Estimate]) -> Iterator[Keys]:
    """The ranks of one judge as rows of a table. shown: from a value to the estimate that the table shows."""
    for metric, value in zip(RANK_METRICS, ranks, strict=True):
        yield estimate_row(keys, metric, shown(float(value)))
