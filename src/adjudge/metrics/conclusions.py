"""What a report concludes: facts on its evaluation's question, each from a row of its tables or a test between two.

They say no more than the tables: judges differ significantly by adjusted p alone, at the report's confidence.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

from adjudge.estimate import Caveat
from adjudge.metrics import caveats, ranking, trends
from adjudge.metrics.data_checks import DataProblem, data_problems, is_complete
from adjudge.metrics.row_selection import GroupKeys, TableRow, distinguishing_keys, key_columns, rows_for_gates
from adjudge.metrics.run_changes import STEPS
from adjudge.metrics.settings_diff import SettingsDiff, settings_diff
from adjudge.readers.problems import says_dropped
from adjudge.report import Report
from adjudge.spec import COMPARISON_TABLE, HISTORY_TABLE, Headline

_MOST_GROUPS = 3
_SMALL_SAMPLE_CAVEATS = frozenset(
    {Caveat.FEW_ITEMS, Caveat.FEW_CLUSTERS, Caveat.ONE_ITEM, Caveat.ONE_CLUSTER, Caveat.FEW_DECIDED_PAIRS}
)


_DROPPED = "dropped for "
"""With this begins what a report calls the number of rows that are invalid in a column."""
_FEW_LABELS_CAVEATS = frozenset({Caveat.FEW_ITEMS, Caveat.ONE_ITEM})
"""The notes of estimates that rest on few labels."""
_MANY_JUDGES = 4
"""With more judges than this, those with few labels are ranked apart from the others."""
_SMALL_N = 30
"""With fewer items than this an approximate estimate rests on few, whatever it counts."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The row of each judge, the best first and undefined ones last. group: the keys that the rows share.

    few: judges with few labels, if there are many judges. They count neither as the highest nor as the lowest.
    """

    answer: Headline
    group: GroupKeys
    rows: Sequence[TableRow]
    few: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class SignTests:
    """Estimates significantly above 0, significantly below 0, and neither; the strongest first."""

    answer: Headline
    group: GroupKeys
    reference: str
    above: Sequence[TableRow]
    below: Sequence[TableRow]
    undecided: Sequence[TableRow]


@dataclass(frozen=True, slots=True)
class PartChanges:
    """Parts of a mean with a significant difference between two runs, the smallest p first. key: their column.

    of: the number of all parts.
    """

    key: str
    significant: Sequence[tuple[str, ranking.PairTest]]
    of: int


@dataclass(frozen=True, slots=True)
class TiedFirst:
    """Judges that share the highest published value. Differences of published values are not tested."""

    judges: Sequence[str]


@dataclass(frozen=True, slots=True)
class NoProblem:
    """The data checks found no problem in the labels."""


@dataclass(frozen=True, slots=True)
class DroppedRows:
    """The number of invalid rows that were excluded, by the column that is invalid."""

    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SmallSample:
    """The number of estimates that rest on few items, and of all estimates.

    judges: whose, if these are all their estimates, and not all estimates.
    """

    few: int
    of: int
    judges: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Omitted:
    """The number of further groups of rows, or comparisons of runs, that are not reported."""

    count: int
    compared: bool = False


_DataFact: TypeAlias = DataProblem | NoProblem | DroppedRows | SmallSample | TiedFirst | Omitted
SideFact: TypeAlias = caveats.CaveatFact | trends.ItemOverlap | SettingsDiff | _DataFact
"""Further facts: caveats on estimates, problems in the data, omissions."""
Fact: TypeAlias = Ranking | SignTests | ranking.RankingFact | PartChanges | trends.HistoryFact | SideFact


def facts(report: Report) -> Iterator[list[Fact]]:
    """The conclusions of a report in their order, those on the same metric and group together.

    There is nothing where its tables answer no question.
    """
    about = report.about
    by_answer = [(answer, groups) for answer in about.answers if (groups := list(headline_groups(report, answer)))]
    if about.main == COMPARISON_TABLE:
        rows_of_groups = [(group, row) for _, groups in by_answer for group, rows in groups for row in rows]
        yield from _run_facts(report, rows_of_groups)
        return
    if about.main == HISTORY_TABLE:
        yield from _history_facts(report, by_answer)
        return
    most = max(_MOST_GROUPS // max(len(by_answer), 1), 1)
    chosen = [(answer, *group) for answer, groups in by_answer for group in groups[:most]]
    found_of = [list(_group_facts(report, answer, group, rows)) for answer, group, rows in chosen]
    grouped = any(group for _, group, _ in chosen)
    for of_group in found_of:  # what is missing stands behind why, but with its group
        yield [fact for fact in of_group if grouped or not isinstance(fact, caveats.MissingAnswerBounds)]
    open_ = [fact for of_group in found_of for fact in of_group if isinstance(fact, caveats.MissingAnswerBounds)]
    defined = [row for *_, rows in chosen for row in rows if row["value"] is not None]
    every = {tuple(group.items()) for _, groups in by_answer for group, _ in groups}
    more = len(every - {tuple(group.items()) for _, group, _ in chosen})
    yield [Omitted(more)] if more else []
    yield [near] if (near := ranking.closest_scorer(report)) else []
    few = _small_samples(report, defined)
    yield _data_facts(report, known=bool(defined) and not open_ and not few) if chosen else [*_dropped_rows(report)]
    yield [] if grouped else [*open_]
    yield few
    yield list(caveats.first_values(report)) if chosen else []


def _small_samples(report: Report, defined: Sequence[TableRow]) -> list[Fact]:
    """The number of reported estimates that rest on few items."""
    items = report.about.items
    small = items in report.counts and report.counts[items] < _SMALL_N
    small_sample = {*_SMALL_SAMPLE_CAVEATS, *([Caveat.APPROXIMATE] if small else [])}
    few = [row for row in defined if row["caveat"] in small_sample]
    judge = report.about.judge
    judges = tuple(dict.fromkeys(row[judge] for row in few))
    total = sum(row[judge] in judges for row in defined)
    return [SmallSample(len(few), len(defined), judges if len(few) == total < len(defined) else ())] if few else []


def _data_facts(report: Report, *, known: bool) -> list[Fact]:
    """Problems in the data, or the fact that there are none if labels are counted.

    known: whether estimates are defined, do not rest on few items, and would not change without missing labels.
    """
    given = report.about.label_counts
    counted = given.table in report.tables and report[given.table].height > 0
    odd: list[Fact] = [*data_problems(report), *_dropped_rows(report)]
    whole = is_complete(report) and not any(map(says_dropped, report.warnings))
    return odd or ([NoProblem()] if counted and known and whole else [])


def _dropped_rows(report: Report) -> Iterator[DroppedRows]:
    """The number of invalid rows that were excluded, for each column that is invalid."""
    counts = {name.removeprefix(_DROPPED): count for name, count in report.counts.items() if name.startswith(_DROPPED)}
    if any(counts.values()):
        yield DroppedRows({name: count for name, count in counts.items() if count})


def _run_facts(report: Report, rows: Sequence[tuple[GroupKeys, TableRow]]) -> Iterator[list[Fact]]:
    rows = sorted(rows, key=lambda one: (one[1]["p_adjusted"] is None, one[1]["p_adjusted"]))
    for group, row in rows[:_MOST_GROUPS]:
        judges = (row.get("second_judge") or row["judge"], row["judge"])
        pair = ranking.pair_test(row, report.confidence, judges)
        yield [replace(pair, group=group), *_part_changes(report, row)]
    if len(rows) > _MOST_GROUPS:
        yield [Omitted(len(rows) - _MOST_GROUPS, compared=True)]
    yield [*settings_diff(report), *trends.compared_item_overlap(report)]


def _part_changes(report: Report, mean: TableRow) -> Iterator[PartChanges]:
    """The parts of a mean with a significant difference between two runs; nothing if there are none, or no mean."""
    key = ranking.mean_key(report)
    if key is None or mean.get(key) != report.about.pooled:
        return
    same = {*key_columns(mean), "metric"} - {key}
    parts = [row for row in report[COMPARISON_TABLE].to_dicts() if row[key] != mean[key]]
    rows = [row for row in parts if all(row[name] == mean[name] for name in same)]
    confidence = report.confidence
    significant = [row for row in rows if ranking.is_significant(row["p_adjusted"], confidence)]
    significant.sort(key=lambda row: row["p"])
    if significant and len(rows) > 1:
        changes = [(row[key], ranking.pair_test(row, confidence)) for row in significant]
        yield PartChanges(key, changes, len(rows))


def _history_facts(
    report: Report, found: Sequence[tuple[Headline, list[tuple[GroupKeys, list[TableRow]]]]]
) -> Iterator[list[Fact]]:
    """What moved, where judges stand in the last run, how many of these metrics rest on few items, who lacks runs."""
    run, standing = trends.run_column(report), list[TableRow]()
    yield [trends.step_tests(report)] if STEPS in report.tables else []
    for answer, groups in found:
        last = groups[-1][1][-1][run]
        of_last = [(group, rows) for group, rows in groups if rows[0][run] == last and answer.clause]
        for group, rows in of_last[:_MOST_GROUPS]:
            rest = {key: value for key, value in group.items() if key not in report[HISTORY_TABLE].columns[:2]}
            standing += [row for row in rows if row["value"] is not None]
            ranked = _rank_rows(report, answer, rows)
            yield [Ranking(answer, {run: last, **rest}, ranked, _judges_with_few_labels(ranked, report.about.judge))]
    yield list(settings_diff(report))
    yield _small_samples(report, standing)
    yield list(trends.run_coverage(report, [row for _, rows in found[0][1] for row in rows])) if found else []


def headline_groups(report: Report, answer: Headline) -> Iterator[tuple[GroupKeys, list[TableRow]]]:
    """The rows of a headline's metric, grouped by the key columns that vary."""
    about = report.about
    main = report.tables.get(about.main)
    if main is None or answer.unless in main["metric"]:
        return
    rows = rows_for_gates(main.filter(metric=answer.metric).to_dicts(), answer.where, about)
    for key, value in answer.where.items():
        alone = key in about.table_titles or about.gated_values.get(key, value) != value
        rows = [row for row in rows if row.get(key) == value] or ([] if alone else rows)
    for key in answer.first:
        values = [row[key] for row in rows if row.get(key) is not None]
        chosen = None if not values else max(values) if isinstance(values[0], float) else values[0]
        rows = [row for row in rows if row.get(key) == chosen]
    apart = distinguishing_keys(rows, about)

    def group_of(row: TableRow) -> tuple[Any, ...]:
        return tuple(row[key] for key in apart)

    places = {group: place for place, group in enumerate(dict.fromkeys(map(group_of, rows)))}
    for group, members in groupby(sorted(rows, key=lambda row: places[group_of(row)]), group_of):
        yield dict(zip(apart, group, strict=True)), list(members)


def _group_facts(report: Report, answer: Headline, group: GroupKeys, rows: Sequence[TableRow]) -> Iterator[Fact]:
    if not answer.clause:
        yield from _sign_tests_by_reference(report, answer, group, rows)
        return
    if "reference" in rows[0]:  # each row compares two judges
        yield from filter(None, [ranking.agreement_range(answer, rows, report.about.judge)])
        return
    everyone = _rank_rows(report, answer, rows)
    few = _judges_with_few_labels(everyone, report.about.judge)
    yield Ranking(answer, group, everyone, few)
    ranked = [row for row in everyone if row["value"] is not None]
    low = report.about.metrics[answer.metric].better == "low"
    if separation := ranking.separate_judges(report, answer, ranked, aside=few, low=low):
        yield separation
    if ranked and ranked[0]["caveat"] == Caveat.PUBLISHED:
        yield TiedFirst([row[report.about.judge] for row in ranked if row["value"] == ranked[0]["value"]])
    yield from caveats.agreement_at_chance(report, ranked)
    yield from caveats.unbeaten_baseline(report, answer, ranked)
    yield from caveats.missing_answer_bounds(report, answer, ranked)


def _rank_rows(report: Report, answer: Headline, rows: Sequence[TableRow]) -> list[TableRow]:
    """The best first and undefined ones last."""
    sign = 1 if report.about.metrics[answer.metric].better == "low" else -1
    return sorted(rows, key=lambda row: (row["value"] is None, sign * (row["value"] or 0)))


def _judges_with_few_labels(ranked: Sequence[TableRow], judge: str) -> Collection[str]:
    """The judges whose metrics rest on few labels, where there are many judges, and these are fewer than the others."""
    known = [row for row in ranked if row["value"] is not None]
    few = {row[judge] for row in known if row["caveat"] in _FEW_LABELS_CAVEATS}
    return few if len(known) > _MANY_JUDGES and 2 * len(few) < len(known) else ()


def _sign_tests_by_reference(
    report: Report, answer: Headline, group: GroupKeys, rows: Sequence[TableRow]
) -> Iterator[Fact]:
    """The sign tests against each reference; with many references, against the first."""
    references = list(dict.fromkeys(row["reference"] for row in rows))
    for reference in references[:_MOST_GROUPS]:
        own = sorted((row for row in rows if row["reference"] == reference), key=lambda row: -abs(row["value"] or 0))
        told = [row for row in own if ranking.is_significant(row["p_adjusted"], report.confidence)]
        above, below = ([row for row in told if (row["value"] > 0) is high] for high in (True, False))
        yield SignTests(answer, group, reference, above, below, [row for row in own if row not in told])
    if len(references) > _MOST_GROUPS:
        yield Omitted(len(references) - _MOST_GROUPS)
