"""What to do next, from the facts that a report concludes: the gravest first, and no more than three.

A step follows from a fact alone, and promises no more than it: items that would tell two judges apart do so with the
probability of `adjudge.statistics.planning.POWER`, were the difference the one seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from adjudge.metrics.caveats import BaselineUnbeaten, ChanceAgreement, MissingAnswerBounds
from adjudge.metrics.conclusions import Fact, Ranking, SignTests, SmallSample
from adjudge.metrics.data_checks import DataProblem, ProblemKind
from adjudge.metrics.ranking import AgreementRange, ClosestScorer, PairTest, Separation
from adjudge.metrics.row_selection import GroupKeys
from adjudge.metrics.settings_diff import SettingsDiff
from adjudge.metrics.trends import StepTests
from adjudge.report import Report

MOST = 3
"""The most steps that are reported."""
_WITHIN_REACH = 20
"""The most items that are advised, as a multiple of the present ones."""
_FEW = 4
"""In a tie of more judges than this, separating two of them is not advised."""
_ENOUGH = 30
"""With fewer items than this more are advised, whatever comes of them."""


class Action(StrEnum):
    """Kinds of steps, the most urgent first."""

    CHECK_FILE = "check_file"
    CHECK_LABEL = "check_label"
    CHECK_OFFSETS = "check_offsets"
    FILL = "fill"
    BEAT = "beat"
    BEAT_LABEL = "beat_label"
    GIVE = "give"
    EMPTY = "empty"
    REPEATED = "repeated"
    ALIKE = "alike"
    READ_CHANGES = "read_changes"
    COMPARE = "compare"
    READ_GUESSES = "read_guesses"
    READ_WRONG = "read_wrong"
    TALK = "talk"
    TAKE = "take"
    ADD = "add"
    COLLECT = "collect"
    OTHERWISE = "otherwise"
    SCORER = "scorer"
    READ_NEVER = "read_never"
    BALANCE = "balance"
    SPREAD = "spread"
    KEEP_ITEMS = "keep_items"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommended step. judge, other: the judges it is about. label: the label or the metric.

    count: how many items it is about; of: of how many, or in place of how many. group: keys of the rows it is about.
    between: the judges that rank between the two.
    """

    action: Action
    judge: str = ""
    other: str = ""
    label: str = ""
    count: int = 0
    of: int = 0
    group: GroupKeys = field(default_factory=dict)
    between: Sequence[str] = ()


_ACTION_BY_PROBLEM = {
    ProblemKind.CONSTANT: Action.CHECK_FILE,
    ProblemKind.NOTHING: Action.CHECK_FILE,
    ProblemKind.NEVER_FLAGS: Action.CHECK_FILE,
    ProblemKind.ALL_FLAGS: Action.CHECK_FILE,
    ProblemKind.STRANGE: Action.CHECK_LABEL,
    ProblemKind.NOBODY: Action.CHECK_LABEL,
    ProblemKind.LEFT_OUT: Action.FILL,
    ProblemKind.FEW: Action.GIVE,
    ProblemKind.MISPLACED: Action.CHECK_OFFSETS,
    ProblemKind.EMPTY: Action.EMPTY,
    ProblemKind.REPEATED: Action.REPEATED,
    ProblemKind.NEVER: Action.READ_NEVER,
    ProblemKind.UNBALANCED: Action.BALANCE,
    ProblemKind.ONE_SIDED: Action.SPREAD,
    ProblemKind.RARE: Action.SPREAD,
}
"""The step that follows from a problem; problems that may be harmless have none."""

_INSTEAD_OF_MORE = {Action.ADD, Action.TAKE, Action.READ_WRONG}
"""With one of these steps, collecting more items in general is not advised."""

_BEFORE_TAKING = {Action.CHECK_FILE, Action.CHECK_OFFSETS, Action.BEAT, Action.ALIKE, Action.READ_CHANGES}
"""Steps that must come before taking a judge."""


def next_steps(report: Report, told: Sequence[Sequence[Fact]]) -> list[Recommendation]:
    """What to do next. told: the facts that the report concludes (`adjudge.metrics.conclusions.facts`)."""
    steps = [step for part in told for step in _steps_from_facts(report, part)]
    first: dict[Action, Recommendation] = {}
    for step in steps:
        earlier = first.setdefault(step.action, step)
        if step.action is Action.ADD and step.group == earlier.group:  # as many as the hardest question takes
            first[step.action] = max(earlier, step, key=lambda one: one.count)
    if first.keys() & _INSTEAD_OF_MORE:
        first.pop(Action.COLLECT, None)
    takes = [step for step in steps if step.action is Action.TAKE and step.group == first[Action.TAKE].group]
    if not _is_unanimous(takes, told) or first.keys() & _BEFORE_TAKING:
        first.pop(Action.TAKE, None)
    order = [*Action]
    return sorted(first.values(), key=lambda step: order.index(step.action))[:MOST]


def _is_unanimous(takes: Sequence[Recommendation], parts: Sequence[Sequence[Fact]]) -> bool:
    """Whether all metrics of a group, and all runs, favour the same judge. takes: the steps of that group."""
    if not takes:
        return False
    group = takes[0].group
    ranked = sum(_fact_group(part) == group and any(isinstance(fact, Separation) for fact in part) for part in parts)
    return len({step.judge for step in takes}) == 1 and len(takes) >= ranked


def _fact_group(part: Sequence[Fact]) -> GroupKeys:
    """The group of rows that a part is about, if it is about one."""
    return next((fact.group for fact in part if isinstance(fact, Ranking | SignTests)), {})


def _steps_from_facts(report: Report, part: Sequence[Fact]) -> Iterator[Recommendation]:
    """Steps that follow from facts on one metric and group."""
    standing = next((fact for fact in part if isinstance(fact, Ranking)), None)
    for fact in part:
        if isinstance(fact, Separation) and standing:
            steps: Iterable[Recommendation] = _steps_from_separation(report, standing, fact)
        elif isinstance(fact, BaselineUnbeaten) and standing:
            best = _best_judge(report, standing)
            steps = [Recommendation(Action.BEAT, best, fact.baseline)] if best in fact.judges else []
        else:
            steps = (*_steps_from_data(report, fact), *_steps_about_judges(report, fact))
        yield from (replace(step, group=_fact_group(part)) for step in steps)


def _steps_from_separation(report: Report, standing: Ranking, fact: Separation) -> Iterator[Recommendation]:
    """Take the significantly best judge, look after the significantly worst one, or separate the first two."""
    judges = [row[report.about.judge] for row in standing.rows if row["value"] is not None]
    best, beaten = _best_judge(report, standing), {pair.other for pair in fact.significant}
    if report.about.of_annotators:
        yield from [Recommendation(Action.READ_WRONG, judge) for judge in reversed(judges) if judge in beaten][:1]
    elif sum(pair.one == best for pair in fact.significant) == len(judges) - 1:
        yield Recommendation(Action.TAKE, best)
    if fact.tie and len(fact.tie.judges) <= _FEW and (fact.tie.judges[0] == best or report.about.of_annotators):
        for step in _steps_to_separate(fact.tie.ends, chosen=not report.about.of_annotators):
            yield replace(step, between=fact.tie.judges[1:-1])


def _best_judge(report: Report, standing: Ranking) -> str:
    """The judge with the best metric, of those with enough labels."""
    judges: list[str] = [row[report.about.judge] for row in standing.rows]
    return next(judge for judge in judges if judge not in standing.few)


def _steps_to_separate(pair: PairTest, *, chosen: bool) -> Iterator[Recommendation]:
    """Steps that would separate two judges. chosen: whether one of them is to be taken."""
    n, value, low, high = (getattr(pair.difference, name) for name in ("n", "value", "low", "high"))
    needed, collected = pair.items_needed, pair.collected
    if needed and needed <= _WITHIN_REACH * collected:
        yield Recommendation(Action.ADD, pair.one, pair.other, pair.metric, needed, collected)
    elif chosen and n >= _ENOUGH and low is not None and abs(value) < (high - low) / 2:  # small, for this many items
        yield Recommendation(Action.OTHERWISE, pair.one, pair.other, pair.metric, of=collected)


def _steps_from_data(report: Report, fact: Fact) -> Iterator[Recommendation]:
    """Steps on problems in the data."""
    match fact:
        case DataProblem(ProblemKind.FEW) if report.about.label_counts.metrics:
            return  # as few as it marks itself, in as many items
        case DataProblem(ProblemKind.ONE_SIDED) if fact.part:  # the same items serve other criteria
            yield from [Recommendation(Action.BEAT_LABEL, other=fact.part, label=fact.label)] * fact.unbeaten
        case DataProblem() if do := _ACTION_BY_PROBLEM.get(fact.kind):
            yield Recommendation(do, fact.judge, label=fact.label, count=fact.count, of=fact.of)
        case MissingAnswerBounds(_, bounds):
            yield Recommendation(Action.FILL, max(bounds, key=lambda judge: bounds[judge][1] - bounds[judge][0]))
        case SmallSample(few, of) if few == of and (items := report.counts.get(report.about.items)):
            yield Recommendation(Action.COLLECT, of=items)
        case SettingsDiff():
            yield Recommendation(Action.ALIKE)


def _steps_about_judges(report: Report, fact: Fact) -> Iterator[Recommendation]:
    """Steps about judges that follow from a single fact."""
    match fact:
        case AgreementRange(_, most, least):
            yield Recommendation(Action.TALK, (least or most)[report.about.judge], (least or most)["reference"])
        case ClosestScorer() if fact.agreement["scorer"] != report[report.about.main]["scorer"].first():
            yield Recommendation(Action.SCORER, fact.agreement["scorer"])
        case ChanceAgreement(rows, contrary):
            do = Action.CHECK_FILE if contrary else Action.READ_GUESSES
            yield Recommendation(do, rows[0][report.about.judge])
        case PairTest():
            yield from _steps_from_runs(report, fact)
        case StepTests():
            worse = [pair for pair in fact.significant if _first_is_worse(report, pair)]
            steps = [Recommendation(Action.COMPARE, pair.one, pair.other) for pair in worse]
            by_run = not report.options.get("by")  # else no run's items are read
            yield from steps or [Recommendation(Action.KEEP_ITEMS)] * bool(fact.unknown and by_run)


def _steps_from_runs(report: Report, pair: PairTest) -> Iterator[Recommendation]:
    """Steps after a comparison of two runs: read the changes if the second is worse, take it if it is better."""
    better = report.about.metrics[pair.metric].better
    if not pair.significant:
        yield from _steps_to_separate(pair, chosen=better is not None)
    elif _first_is_worse(report, pair):
        yield Recommendation(Action.READ_CHANGES, pair.one, pair.other)
    elif better:
        yield Recommendation(Action.TAKE, pair.one)


def _first_is_worse(report: Report, pair: PairTest) -> bool:
    """Whether the first of a pair has the worse metric."""
    better, value = report.about.metrics[pair.metric].better, pair.difference.value or 0
    return value < 0 if better == "high" else value > 0 and better == "low"
