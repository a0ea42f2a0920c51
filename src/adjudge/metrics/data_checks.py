"""What is odd in the data behind a report, by its tables of counts: what judges and the reference gave, and left out.

Nothing is tested but the balance of positions: an oddity is a count that reaches a threshold, and says no more.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

import polars as pl

from adjudge.report import Report
from adjudge.spec import BASELINE_PREFIX, LabelCounts
from adjudge.statistics.proportions import proportion

LABELS = 10
"""How many labels of a judge, or flags, must be the same before it is said."""
EXPECTED = 5
"""How often one side must give a label that the other never gives."""
LEFT_OUT, LEFT_OUT_OF = 0.05, 2
"""The share that a judge must leave out of what it was to give, and how many at least."""
ONE_SIDED, ONE_SIDED_OF = 0.8, 20
"""The share of the reference's labels that must be the same, and of how many at least."""
UNBALANCED, SURE = 0.6, 0.99
"""The share of the reference's choices for one position, and how sure it must be that it is not one half."""
RARE, RARE_OF = 5, 50
"""A label that the reference gives less often than this is rare, if there are at least this many labels."""
FEW, FEW_OF = 0.5, 3
"""A judge has few labels below this share of the median, if there are at least this many judges."""
EMPTY, REPEATED = "empty texts", "repeated texts"
"""What a report's counts call items with an empty text, and those that repeat the texts of another."""
TRUE, MISPLACED = "true violations", "misplaced quotes"
"""What they call true violations, and those of them that quote other words than stand at their offsets."""
MOST = 2
"""The most problems that are reported."""


class ProblemKind(StrEnum):
    """The problems that data checks find, the gravest first."""

    CONSTANT = "constant"
    NOTHING = "nothing"
    STRANGE = "strange"
    NOBODY = "nobody"
    LEFT_OUT = "left_out"
    DEDUCTED = "deducted"
    MISPLACED = "misplaced"
    EMPTY = "empty"
    REPEATED = "repeated"
    ONE_SIDED = "one_sided"
    UNBALANCED = "unbalanced"
    NEVER = "never"
    NEVER_FLAGS = "never_flags"
    ALL_FLAGS = "all_flags"
    FEW = "few"
    RARE = "rare"
    GAPS = "gaps"


@dataclass(frozen=True, slots=True)
class DataProblem:
    """A problem in the data: `count` cases of `of`.

    label: which one it is about, or why something is deducted. judge: whose; alike: of how many judges it holds, of
    whom this one has the greatest count. part: the criterion, or the like, that it is about, if it is about one; of
    several such this one has the greatest share. unreached: whether no judge is right so often.
    """

    kind: ProblemKind
    count: int
    of: int
    label: str = ""
    judge: str = ""
    judges_alike: int = 1
    part: str = ""
    unbeaten: bool = False


@dataclass(frozen=True, slots=True)
class _JudgeCounts:
    """A judge. given, right: how often it gave each label, and how often the reference did so beside it.

    others: how often it gave what is no label of interest. left_out: how often it gave nothing.
    """

    name: str
    labels: Counter[str]
    right: Counter[str]
    other_labels: int
    missing: int

    @property
    def size(self) -> int:
        """How many labels it gave."""
        return self.labels.total()


def data_problems(report: Report) -> list[DataProblem]:
    """The gravest problems in the data, at most `MOST`."""
    given = report.about.label_counts
    if given.table not in report.tables:
        return []
    judges = _judge_counts(report, given)
    of_labels = [
        *_judge_problems(judges, given),
        *_reference_problems(judges, given),
        *_part_problems(report, given),
        *_excluded_judgments(report, judges),
    ]
    odd = [*of_labels, *_flag_problems(report), *_text_problems(report)]
    return sorted(odd, key=lambda problem: [*ProblemKind].index(problem.kind))[:MOST]


def is_complete(report: Report) -> bool:
    """Whether no judge has missing labels."""
    given = report.about.label_counts
    return given.table in report.tables and not any(judge.missing for judge in _judge_counts(report, given))


# --- what was given ---


def _judge_counts(report: Report, given: LabelCounts) -> list[_JudgeCounts]:
    """The label counts of each judge, without baselines."""
    judge, table = report.about.judge, report[given.table]
    for key in given.first:
        table = table.filter(pl.col(key).eq_missing(pl.lit(table[key].first())))
    table = _without_baselines(table, report)
    skipped = _label_counts(_deductions(report).filter(pl.col("reason").is_in(given.missing)), judge, "reason")
    if given.metrics:
        gave, true = (_label_counts(table.filter(metric=name), judge, given.label, "n") for name in given.metrics)
    else:
        gave = _label_counts(table, judge, given.label)
        beside = table.filter(~pl.col(given.label).is_in(given.missing))
        if given.among:
            beside = beside.filter(pl.col(column).is_in(given.among) for column in (given.label, given.reference))
        true = _label_counts(beside, judge, given.reference) if given.reference else {}
    judges = []
    for name in table[judge].unique(maintain_order=True):
        labels, right = (side.get(name, Counter()) for side in (gave, true))
        left_out = sum(labels.pop(label, 0) for label in given.missing) + skipped.get(name, Counter()).total()
        kept = +Counter({label: labels[label] for label in given.among or labels})
        judges.append(_JudgeCounts(name, kept, +right, labels.total() - kept.total(), left_out))
    return judges


def _label_counts(table: pl.DataFrame, judge: str, label: str, count: str = "count") -> dict[str, Counter[str]]:
    """Judge -> label -> how often, summed over all else."""
    counts: dict[str, Counter[str]] = {}
    for name, value, number in table.group_by(judge, label).agg(pl.col(count).sum()).sort(judge, label).iter_rows():
        counts.setdefault(name, Counter())[value] += number
    return counts


def _deductions(report: Report) -> pl.DataFrame:
    empty = pl.DataFrame(schema={report.about.judge: pl.String, "reason": pl.String, "count": pl.Int64})
    return report.tables.get("deductions", empty)


# --- judges ---


def _judge_problems(judges: Sequence[_JudgeCounts], given: LabelCounts) -> Iterator[DataProblem]:
    """Problems of single judges; of several judges the one with the greatest share is reported."""
    silent = [one for one in judges if given.metrics and not one.size and one.right.total() >= LABELS]
    nothing = [DataProblem(ProblemKind.NOTHING, 0, one.right.total(), judge=one.name) for one in silent]
    yield from _gravest_problem(nothing)
    kind, constant = ProblemKind.CONSTANT, [one for one in judges if _is_constant(one)]
    yield from _gravest_problem(
        [DataProblem(kind, one.size, one.size, next(iter(one.labels)), one.name) for one in constant]
    )
    unmet = [
        DataProblem(ProblemKind.LEFT_OUT, one.missing, one.size + one.other_labels + one.missing, "", one.name)
        for one in judges
    ]
    left_out = [odd for odd in unmet if odd.count >= max(LEFT_OUT * odd.of, LEFT_OUT_OF)]
    if len(left_out) < max(len(judges), FEW_OF):  # where all of many leave out, nobody was to give everything
        alike = sum(one.count > 0 for one in unmet)
        yield from (replace(odd, judges_alike=alike) for odd in _gravest_problem(left_out))
    gaps = [replace(odd, kind=ProblemKind.GAPS) for odd in unmet if odd.count]
    if not left_out and len(gaps) < max(len(judges), FEW_OF):
        yield from _gravest_problem(gaps)
    speaking = sum(one.size > 0 for one in judges)
    by_any = {label for one in judges for label in one.labels}
    never = [
        DataProblem(ProblemKind.NEVER, count, one.right.total(), label, one.name)
        for one in judges
        if one.size and not _is_constant(one)
        for label, count in one.right.items()
        if count >= EXPECTED and label not in one.labels and (label in by_any or speaking == 1)
    ]
    yield from _gravest_problem(never)
    usual = median([odd.of for odd in unmet] or [0])
    if len(judges) >= FEW_OF and given.reference and not given.among:
        few = [odd for odd in unmet if odd.of < FEW * usual]
        few = [DataProblem(ProblemKind.FEW, odd.of, int(usual), "", odd.judge) for odd in few]
        yield from _gravest_problem(few, -1)


def _is_constant(judge: _JudgeCounts) -> bool:
    """Whether it gives a single label, often enough, where the reference gives others."""
    others = judge.right.total() - sum(judge.right[label] for label in judge.labels)
    return len(judge.labels) == 1 and judge.size >= LABELS and others >= EXPECTED


def _gravest_problem(problems: Sequence[DataProblem], sign: int = 1) -> Iterator[DataProblem]:
    """The problem of the judge with the greatest share, or with the smallest."""
    if problems:
        worst = max(problems, key=lambda odd: (sign * odd.count / max(odd.of, 1), odd.of))
        yield replace(worst, judges_alike=len({odd.judge for odd in problems}))


# --- the reference ---


def _reference_problems(judges: Sequence[_JudgeCounts], given: LabelCounts) -> Iterator[DataProblem]:
    """Which labels one side alone gives, and how the reference's are spread, beside the judge with most of them."""
    right = max((judge.right for judge in judges), key=Counter.total, default=Counter[str]())
    by_judges = sum((judge.labels for judge in judges), Counter[str]())
    by_reference = {label for judge in judges for label in judge.right}
    of = right.total()
    if not of:
        return
    strange = Counter({label: count for label, count in by_judges.items() if label not in by_reference})
    yield from _dominant_label(ProblemKind.STRANGE, strange, by_judges.total(), EXPECTED)
    if sum(judge.size > 0 for judge in judges) > 1:
        nobody = Counter({label: count for label, count in right.items() if label not in by_judges})
        yield from _dominant_label(ProblemKind.NOBODY, nobody, of, EXPECTED)
    if given.metrics:  # a rule may be rare, or frequent
        return
    if given.sides:
        yield from _unbalanced_position(Counter({label: right[label] for label in given.sides}))
    elif of >= ONE_SIDED_OF and len({*by_judges, *by_reference}) > 1:
        yield from _dominant_label(ProblemKind.ONE_SIDED, right, of, ONE_SIDED * of)
    label, count = min(right.items(), key=lambda item: item[1])
    if of >= RARE_OF and count < RARE:
        yield DataProblem(ProblemKind.RARE, count, of, label)


def _without_baselines(table: pl.DataFrame, report: Report) -> pl.DataFrame:
    """A table of labels without those of baselines, which are computed."""
    return table.filter(~pl.col(report.about.judge).str.starts_with(BASELINE_PREFIX))


def _part_problems(report: Report, given: LabelCounts) -> Iterator[DataProblem]:
    """The criterion for which the reference gives nearly always the same label."""
    key, table = report.about.across, report[given.table]
    if not key or key not in table.columns or given.metrics or not given.reference:
        return
    judge = report.about.judge
    beside = _without_baselines(table.filter(~pl.col(given.label).is_in(given.missing)), report)
    skewed = []
    for (part,), rows in beside.group_by(key, maintain_order=True):
        of_judges = _label_counts(rows, judge, given.reference).values()
        right = +max(of_judges, key=Counter.total, default=Counter[str]())
        if len(right) > 1 and right.total() >= ONE_SIDED_OF:
            most = _dominant_label(ProblemKind.ONE_SIDED, right, right.total(), ONE_SIDED * right.total())
            skewed += [replace(odd, part=str(part), unbeaten=_is_unbeaten(odd, rows, judge, given)) for odd in most]
    if skewed:
        worst = max(skewed, key=lambda odd: odd.count / odd.of)
        yield replace(worst, judges_alike=len(skewed))


def _is_unbeaten(odd: DataProblem, rows: pl.DataFrame, judge: str, given: LabelCounts) -> bool:
    """Whether always answering that label would be right more often than each judge is on the labels that it gives."""
    right = pl.col("count").filter(pl.col(given.label) == pl.col(given.reference)).sum() / pl.col("count").sum()
    shares = rows.group_by(judge).agg(right.alias("right"))["right"]
    return bool((shares < odd.count / odd.of).all())


def _dominant_label(kind: ProblemKind, labels: Counter[str], of: int, least: float) -> Iterator[DataProblem]:
    """The most frequent of some labels, where it is given so often at least."""
    yield from (DataProblem(kind, count, of, label) for label, count in labels.most_common(1) if count >= least)


def _unbalanced_position(sides: Counter[str]) -> Iterator[DataProblem]:
    """One of two positions that the reference chooses more often than the other, beyond chance."""
    ((label, count), *_), of = sides.most_common(), sides.total()
    low = proportion(count, of, confidence=SURE).low if of else None
    if low is not None and low > 1 / 2 and count >= UNBALANCED * of:
        yield DataProblem(ProblemKind.UNBALANCED, count, of, label)


# --- what does not count, and flags ---


def _excluded_judgments(report: Report, judges: Sequence[_JudgeCounts]) -> Iterator[DataProblem]:
    """Judgments that are left out of a metric for another reason than that a judge gave none."""
    rows = _deductions(report).filter(~pl.col("reason").is_in(report.about.label_counts.missing))
    reasons = Counter(dict(rows.group_by("reason").agg(pl.col("count").sum()).sort("reason").iter_rows()))
    of = reasons.total() + sum(judge.size for judge in judges)
    if reasons.total() >= max(LEFT_OUT * of, LEFT_OUT_OF):
        yield DataProblem(ProblemKind.DEDUCTED, reasons.total(), of, reasons.most_common(1)[0][0])


def _text_problems(report: Report) -> Iterator[DataProblem]:
    """Violations that do not stand where they say, items with an empty text, and items with the same texts."""
    of = report.counts.get(report.about.items, 0)
    misplaced, true = report.counts.get(MISPLACED, 0), report.counts.get(TRUE, 0)
    if misplaced >= max(LEFT_OUT * true, LEFT_OUT_OF):
        yield DataProblem(ProblemKind.MISPLACED, misplaced, true)
    for kind, name in ((ProblemKind.EMPTY, EMPTY), (ProblemKind.REPEATED, REPEATED)):
        if count := report.counts.get(name):
            yield DataProblem(kind, count, of)


def _flag_problems(report: Report) -> Iterator[DataProblem]:
    """Judges that flag nothing, or everything."""
    judge, table = report.about.judge, report.tables.get("flags")
    flags = {} if table is None or "outcome" not in table.columns else _label_counts(table, judge, "outcome")
    if not flags:
        return
    flagged = {name: counts["both"] + counts["annotator_only"] for name, counts in flags.items()}
    reference = {name: counts["both"] + counts["reference_only"] for name, counts in flags.items()}
    of = {name: counts.total() for name, counts in flags.items()}
    never = [name for name in flagged if not flagged[name] and reference[name] >= EXPECTED]
    kind = ProblemKind.NEVER_FLAGS
    yield from _gravest_problem([DataProblem(kind, reference[name], of[name], "", name) for name in never])
    every = [name for name in flagged if flagged[name] == of[name] >= LABELS and reference[name] < of[name]]
    kind = ProblemKind.ALL_FLAGS
    yield from _gravest_problem([DataProblem(kind, flagged[name], of[name], "", name) for name in every])
