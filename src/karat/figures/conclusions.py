"""What a report concludes: facts on its evaluation's question, each from a row of its tables or a test between two.

They say no more than the tables: judges differ significantly by adjusted p alone, at the report's confidence.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

from karat.about import COMPARED, OVER_TIME, Answer
from karat.estimate import Note
from karat.figures.answering import Group, Row, keys_of, read_by_gates, telling
from karat.figures.moves import RUN_COLUMNS, Apart, Elsewhere, Held, Moves, apart_of, held_of, moves_of, run_column
from karat.figures.oddities import Odd, nothing_missing, oddities
from karat.figures.reservations import (
    AtChance,
    First,
    Open,
    Unbeaten,
    Wide,
    at_chance_of,
    firsts_of,
    open_of,
    unbeaten_of,
    wide_of,
)
from karat.figures.separation import (
    Match,
    Nearest,
    Pair,
    Separation,
    adjusted_with,
    differences_like,
    match_of,
    mean_key,
    nearest_of,
    pair_of,
    separation_of,
    significant,
    turned,
)
from karat.figures.steps import STEPS
from karat.figures.unlike import Unlike, unlike_of
from karat.formats.findings import says_dropped
from karat.report import Report

_MOST_GROUPS = 3
_FEW = frozenset({Note.FEW_ITEMS, Note.FEW_CLUSTERS, Note.ONE_ITEM, Note.ONE_CLUSTER, Note.FEW_DECIDED_PAIRS})


_DROPPED = "dropped for "
"""With this begins what a report calls the number of rows that are invalid in a column."""
_FEW_LABELS = frozenset({Note.FEW_ITEMS, Note.ONE_ITEM})
"""The notes of estimates that rest on few labels."""
_MANY = 4
"""With more judges than this, those with few labels are ranked apart from the others."""
_SMALL = 30
"""With fewer items than this an approximate estimate rests on few, whatever it counts."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The row of each judge, the best first and undefined ones last. group: the keys that the rows share.

    few: judges with few labels, if there are many judges. They count neither as the highest nor as the lowest.
    """

    answer: Answer
    group: Group
    rows: Sequence[Row]
    few: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Signs:
    """Estimates significantly above 0, significantly below 0, and neither (`untold`); the strongest first.

    between: how the two above differ, where there are two and that was tested.
    """

    answer: Answer
    group: Group
    reference: str
    above: Sequence[Row]
    below: Sequence[Row]
    untold: Sequence[Row]
    between: Pair | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a mean with a significant difference between two runs, the smallest p first. key: their column.

    of: the number of all parts.
    """

    key: str
    told: Sequence[tuple[str, Pair]]
    of: int


@dataclass(frozen=True, slots=True)
class Level:
    """Judges that share the highest published value. Differences of published values are not tested."""

    judges: Sequence[str]


@dataclass(frozen=True, slots=True)
class Plain:
    """The data checks found no problem in the labels."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The number of invalid rows that were excluded, by the column that is invalid."""

    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Few:
    """The number of estimates that rest on few items, and of all estimates.

    judges: whose, if these are all their estimates, and not all estimates.
    """

    few: int
    of: int
    judges: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class More:
    """The number of further groups of rows, or comparisons of runs, that are not reported."""

    count: int
    compared: bool = False


Besides: TypeAlias = (
    Elsewhere | First | Unbeaten | AtChance | Open | Level | Odd | Plain | Dropped | Unlike | Apart | Few | Wide | More
)
"""Further facts: caveats on estimates, problems in the data, omissions."""
Fact: TypeAlias = Standing | Signs | Separation | Pair | Parts | Moves | Held | Match | Nearest | Besides


def facts(report: Report) -> Iterator[list[Fact]]:
    """The conclusions of a report in their order, those on the same metric and group together.

    There is nothing where its tables answer no question.
    """
    about = report.about
    by_answer = [(answer, groups) for answer in about.answers if (groups := list(groups_of(report, answer)))]
    if about.main == COMPARED:
        yield from _of_runs(report, [(group, row) for _, groups in by_answer for group, rows in groups for row in rows])
        return
    if about.main == OVER_TIME:
        yield from _of_history(report, by_answer)
        return
    most = max(_MOST_GROUPS // max(len(by_answer), 1), 1)
    chosen = [(answer, *group) for answer, groups in by_answer for group in groups[:most]]
    found_of = [list(_of_group(report, answer, group, rows)) for answer, group, rows in chosen]
    grouped = any(group for _, group, _ in chosen)
    for of_group in found_of:  # what is missing stands behind why, but with its group
        yield [fact for fact in of_group if grouped or not isinstance(fact, Open)]
    open_ = [fact for of_group in found_of for fact in of_group if isinstance(fact, Open)]
    defined = [row for *_, rows in chosen for row in rows if row["value"] is not None]
    every = {tuple(group.items()) for _, groups in by_answer for group, _ in groups}
    more = len(every - {tuple(group.items()) for _, group, _ in chosen})
    yield [More(more)] if more else []
    yield [near] if (near := nearest_of(report)) else []
    few = _few(report, defined)
    yield _of_data(report, known=bool(defined) and not open_ and not few) if chosen else [*_dropped(report)]
    yield [] if grouped else [*open_]
    yield few
    yield list(wide_of(report, defined[0])) if len(defined) == 1 else []
    yield list(firsts_of(report)) if chosen else []


def _few(report: Report, defined: Sequence[Row]) -> list[Fact]:
    """The number of reported estimates that rest on few items."""
    items = report.about.items
    small = items in report.counts and report.counts[items] < _SMALL
    few = [row for row in defined if row["note"] in _FEW or (small and row["note"] == Note.APPROXIMATE)]
    judge = report.about.judge
    judges = tuple(dict.fromkeys(row[judge] for row in few))
    total = sum(row[judge] in judges for row in defined)
    return [Few(len(few), len(defined), judges if len(few) == total < len(defined) else ())] if few else []


def _of_data(report: Report, *, known: bool) -> list[Fact]:
    """Problems in the data, or the fact that there are none if labels are counted.

    known: whether estimates are defined, do not rest on few items, and would not change without missing labels.
    """
    given = report.about.given
    counted = given.table in report.tables and report[given.table].height > 0
    odd: list[Fact] = [*oddities(report), *_dropped(report)]
    whole = nothing_missing(report) and not any(map(says_dropped, report.warnings))
    return odd or ([Plain()] if counted and known and whole else [])


def _dropped(report: Report) -> Iterator[Dropped]:
    """The number of invalid rows that were excluded, for each column that is invalid."""
    counts = {name.removeprefix(_DROPPED): count for name, count in report.counts.items() if name.startswith(_DROPPED)}
    if any(counts.values()):
        yield Dropped({name: count for name, count in counts.items() if count})


def _of_runs(report: Report, rows: Sequence[tuple[Group, Row]]) -> Iterator[list[Fact]]:
    rows = sorted(rows, key=lambda one: (one[1]["p_adjusted"] is None, one[1]["p_adjusted"]))
    for group, row in rows[:_MOST_GROUPS]:
        judges = (row.get("second_judge") or row["judge"], row["judge"])
        pair = pair_of(row, report.confidence, adjusted_with(report, COMPARED, row), judges)
        yield [replace(pair, group=group), *_parts_of(report, row)]
    if len(rows) > _MOST_GROUPS:
        yield [More(len(rows) - _MOST_GROUPS, compared=True)]
    yield [*unlike_of(report), *apart_of(report)]


def _parts_of(report: Report, mean: Row) -> Iterator[Parts]:
    """The parts of a mean with a significant difference between two runs; nothing if there are none, or no mean."""
    key = mean_key(report)
    if key is None or mean.get(key) != report.about.pooled:
        return
    same = {*keys_of(mean), "metric"} - {key}
    rows = [
        row
        for row in report[COMPARED].to_dicts()
        if row[key] != mean[key] and all(row[one] == mean[one] for one in same)
    ]
    told = sorted((row for row in rows if significant(row["p_adjusted"], report.confidence)), key=lambda row: row["p"])
    if told and len(rows) > 1:
        tests = adjusted_with(report, COMPARED, mean)
        yield Parts(key, [(row[key], pair_of(row, report.confidence, tests)) for row in told], len(rows))


def _of_history(report: Report, found: Sequence[tuple[Answer, list[tuple[Group, list[Row]]]]]) -> Iterator[list[Fact]]:
    """What moved, where judges stand in the last run, how many of these metrics rest on few items, who lacks runs."""
    run, standing = run_column(report), list[Row]()
    yield [moves_of(report)] if STEPS in report.tables else []
    for answer, groups in found:
        last = groups[-1][1][-1][run]
        of_last = [(group, rows) for group, rows in groups if rows[0][run] == last and not answer.below]
        for group, rows in of_last[:_MOST_GROUPS]:
            rest = {key: value for key, value in group.items() if key not in report[OVER_TIME].columns[:2]}
            standing += [row for row in rows if row["value"] is not None]
            ranked = _ranked(report, answer, rows)
            yield [Standing(answer, {run: last, **rest}, ranked, _on_few(ranked, report.about.judge))]
    judges = {row.get(report.about.judge) for row in standing}
    yield [Elsewhere()] if run in RUN_COLUMNS and len(judges) > 1 and report.about.judge != run else []
    yield list(unlike_of(report))
    yield _few(report, standing)
    yield list(held_of(report, [row for _, rows in found[0][1] for row in rows])) if found else []


def groups_of(report: Report, answer: Answer) -> Iterator[tuple[Group, list[Row]]]:
    """The rows of a headline's metric, grouped by the key columns that vary."""
    about = report.about
    main = report.tables.get(about.main)
    if main is None:
        return
    rows = read_by_gates(main.filter(metric=answer.metric).to_dicts(), answer.where, about)
    for key, value in answer.where.items():
        alone = key in about.apart or about.gated.get(key, value) != value
        rows = [row for row in rows if row.get(key) == value] or ([] if alone else rows)
    for key in (*answer.first, *answer.most):
        values = [row[key] for row in rows if row.get(key) is not None]
        chosen = None if not values else max(values) if key in answer.most else values[0]
        rows = [row for row in rows if row.get(key) == chosen]
    apart = telling(rows, about)

    def group_of(row: Row) -> tuple[Any, ...]:
        return tuple(row[key] for key in apart)

    places = {group: place for place, group in enumerate(dict.fromkeys(map(group_of, rows)))}
    for group, members in groupby(sorted(rows, key=lambda row: places[group_of(row)]), group_of):
        yield dict(zip(apart, group, strict=True)), list(members)


def _of_group(report: Report, answer: Answer, group: Group, rows: Sequence[Row]) -> Iterator[Fact]:
    if answer.below:
        yield from _signs_beside_each(report, answer, group, rows)
        return
    if answer.mutual:
        yield from filter(None, [match_of(answer, rows, report.about.judge)])
        return
    everyone = _ranked(report, answer, rows)
    few = _on_few(everyone, report.about.judge)
    yield Standing(answer, group, everyone, few)
    ranked = [row for row in everyone if row["value"] is not None]
    low = report.about.metrics[answer.metric].better == "low"
    if separation := separation_of(report, answer, ranked, aside=few, low=low):
        yield separation
    if ranked and ranked[0]["note"] == Note.PUBLISHED:
        yield Level([row[report.about.judge] for row in ranked if row["value"] == ranked[0]["value"]])
    yield from at_chance_of(report, answer, ranked)
    yield from unbeaten_of(report, answer, ranked)
    yield from open_of(report, answer, ranked)


def _ranked(report: Report, answer: Answer, rows: Sequence[Row]) -> list[Row]:
    """The best first and undefined ones last."""
    sign = 1 if report.about.metrics[answer.metric].better == "low" else -1
    return sorted(rows, key=lambda row: (row["value"] is None, sign * (row["value"] or 0)))


def _on_few(ranked: Sequence[Row], judge: str) -> Collection[str]:
    """The judges whose metrics rest on few labels, where there are many judges, and these are fewer than the others."""
    known = [row for row in ranked if row["value"] is not None]
    few = {row[judge] for row in known if row["note"] in _FEW_LABELS}
    return few if len(known) > _MANY and 2 * len(few) < len(known) else ()


def _signs_beside_each(report: Report, answer: Answer, group: Group, rows: Sequence[Row]) -> Iterator[Fact]:
    """The sign tests against each reference; with many references, against the first."""
    references = list(dict.fromkeys(row["reference"] for row in rows))
    for reference in references[:_MOST_GROUPS]:
        signs = _signs(answer, group, [row for row in rows if row["reference"] == reference], report.confidence)
        yield replace(signs, between=_between(report, signs))
    if len(references) > _MOST_GROUPS:
        yield More(len(references) - _MOST_GROUPS)


def _signs(answer: Answer, group: Group, rows: Sequence[Row], confidence: float) -> Signs:
    rows = sorted(rows, key=lambda row: -abs(row["value"] or 0))
    told = [row for row in rows if significant(row["p_adjusted"], confidence)]
    above, below = ([row for row in told if (row["value"] > 0) is high] for high in (True, False))
    return Signs(answer, group, rows[0]["reference"], above, below, [row for row in rows if row not in told])


def _between(report: Report, signs: Signs) -> Pair | None:
    """The difference of the judges above 0, if there are exactly two."""
    if len(signs.above) != 2 or "differences" not in report.tables:  # noqa: PLR2004 - a pair
        return None
    first, second = signs.above
    for row in differences_like(report, signs.answer, first):
        both = row["first"], row["second"]
        names = second[report.about.judge], first[report.about.judge]
        if row["reference"] == signs.reference and row["value"] is not None and set(both) == set(names):
            pair = pair_of(row, report.confidence, adjusted_with(report, "differences", row))
            return pair if both == names else turned(pair)
    return None
