"""What to do next, from the facts that a report concludes: the gravest first, and no more than three.

A step follows from a fact alone, and promises no more than it: items that would tell two judges apart do so with the
probability of `karat.figures.needed.POWER`, were the difference the one seen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from karat.about import Answer
from karat.estimate import Estimate
from karat.figures.answering import Group
from karat.figures.conclusions import Fact, Few, Level, Signs, Standing
from karat.figures.moves import Moves
from karat.figures.needed import needed_for
from karat.figures.oddities import Kind, Odd
from karat.figures.reservations import AtChance, Open, Unbeaten, Wide
from karat.figures.separation import Match, Nearest, Pair, Separation
from karat.figures.unlike import Unlike
from karat.report import Report

MOST = 3
"""The most steps that are reported."""
_WITHIN_REACH = 20
"""The most items that are advised, as a multiple of the present ones."""
_FEW = 4
"""In a tie of more judges than this, separating two of them is not advised."""
_ENOUGH = 30
"""With fewer items than this more are advised, whatever comes of them."""


class Do(StrEnum):
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
    WEIGH = "weigh"
    ADD = "add"
    ADD_EACH = "add_each"
    ADD_TO_ONE = "add_to_one"
    ADD_FOR_SIGN = "add_for_sign"
    COLLECT = "collect"
    COLLECT_TO_TELL = "collect_to_tell"
    NARROW = "narrow"
    OTHERWISE = "otherwise"
    SINGLE_ITEMS = "single_items"
    SCORER = "scorer"
    READ_NEVER = "read_never"
    BALANCE = "balance"
    SPREAD = "spread"
    KEEP_ITEMS = "keep_items"


@dataclass(frozen=True, slots=True)
class Step:
    """A recommended step. judge, other: the judges it is about. label: the label or the metric.

    count: how many items it is about; of: of how many, or in place of how many. group: keys of the rows it is about.
    answer: the metric that it rests on, where judges are ranked by one. between: the judges that rank between the two.
    """

    do: Do
    judge: str = ""
    other: str = ""
    label: str = ""
    count: int = 0
    of: int = 0
    group: Group = field(default_factory=dict)
    answer: Answer | None = None
    between: Sequence[str] = ()


_OF_ODD = {
    Kind.CONSTANT: Do.CHECK_FILE,
    Kind.NOTHING: Do.CHECK_FILE,
    Kind.NEVER_FLAGS: Do.CHECK_FILE,
    Kind.ALL_FLAGS: Do.CHECK_FILE,
    Kind.STRANGE: Do.CHECK_LABEL,
    Kind.NOBODY: Do.CHECK_LABEL,
    Kind.LEFT_OUT: Do.FILL,
    Kind.FEW: Do.GIVE,
    Kind.MISPLACED: Do.CHECK_OFFSETS,
    Kind.EMPTY: Do.EMPTY,
    Kind.REPEATED: Do.REPEATED,
    Kind.NEVER: Do.READ_NEVER,
    Kind.UNBALANCED: Do.BALANCE,
    Kind.ONE_SIDED: Do.SPREAD,
    Kind.RARE: Do.SPREAD,
}
"""The step that follows from a problem; problems that may be harmless have none."""


_ADDING = {Do.ADD, Do.ADD_EACH, Do.ADD_TO_ONE}
"""Steps that separate two judges by more items."""

_INSTEAD_OF_MORE = {*_ADDING, Do.ADD_FOR_SIGN, Do.NARROW, Do.TAKE, Do.READ_WRONG}
"""With one of these steps, collecting more items in general is not advised."""

_BEFORE_TAKING = {Do.CHECK_FILE, Do.CHECK_OFFSETS, Do.BEAT, Do.ALIKE, Do.READ_CHANGES}
"""Steps that must come before taking a judge."""


def next_steps(report: Report, told: Sequence[Sequence[Fact]]) -> list[Step]:
    """What to do next. told: the facts that the report concludes (`karat.figures.conclusions.facts`)."""
    steps = [step for part in told for step in _of_part(report, part)]
    first: dict[Do, Step] = {}
    for step in steps:
        earlier = first.setdefault(step.do, step)
        if step.do in _ADDING and step.group == earlier.group:  # as many as the hardest question takes
            first[step.do] = max(earlier, step, key=lambda one: one.count)
    if first.keys() & _INSTEAD_OF_MORE:
        first.pop(Do.COLLECT, None)
    elif Do.COLLECT in first and (least := _fewest(told)):
        few = first.pop(Do.COLLECT)
        first[Do.COLLECT_TO_TELL] = replace(least, of=few.of)
    takes = [step for step in steps if step.do is Do.TAKE and step.group == first[Do.TAKE].group]
    others = [step for step in takes if step.answer != takes[0].answer and step.judge != takes[0].judge]
    if others and not first.keys() & _BEFORE_TAKING:
        first[Do.WEIGH] = replace(takes[0], do=Do.WEIGH, other=others[0].judge, label=_figure_of(others[0]))
    if not _agreed(takes, told) or first.keys() & _BEFORE_TAKING:
        first.pop(Do.TAKE, None)
    order = [*Do]
    if Do.TAKE in first and not first[Do.TAKE].group and _settled(report, first[Do.TAKE].judge, told):
        order.insert(0, order.pop(order.index(Do.TAKE)))
    return sorted(first.values(), key=lambda step: order.index(step.do))[:MOST]


def _figure_of(step: Step) -> str:
    """The metric by which a judge is to be taken."""
    return step.answer.metric if step.answer else ""


def _settled(report: Report, judge: str, parts: Sequence[Sequence[Fact]]) -> bool:
    """Whether answers are missing, but would not lift another judge to this one even if all were right."""
    facts = [fact for part in parts for fact in part]
    rows = [row for fact in facts if isinstance(fact, Standing) for row in fact.rows]
    lows = {row["metric"]: row["low"] for row in reversed(rows) if row[report.about.judge] == judge}
    bounds = [
        (fact, high)
        for fact in facts
        if isinstance(fact, Open)
        for one, (_, high) in fact.bounds.items()
        if one != judge
    ]
    return bool(bounds) and all(high < (lows.get(fact.metric) or 0) for fact, high in bounds)


def _fewest(parts: Sequence[Sequence[Fact]]) -> Step | None:
    """The tied judges that the fewest items would separate, and the metric in which they would."""
    ties = [fact.tie.ends for part in parts for fact in part if isinstance(fact, Separation) and fact.tie]
    needs = [(needed, pair) for pair in ties if not pair.each and (needed := pair.needed)]
    needed, pair = min(needs, key=lambda one: one[0], default=(0, None))
    return None if pair is None else Step(Do.COLLECT_TO_TELL, pair.one, pair.other, pair.metric, needed)


def _agreed(takes: Sequence[Step], parts: Sequence[Sequence[Fact]]) -> bool:
    """Whether all metrics of a group, and all runs, favour the same judge. takes: the steps of that group."""
    if not takes:
        return False
    group = takes[0].group
    ranked = sum(_group_of(part) == group and any(isinstance(fact, Separation) for fact in part) for part in parts)
    return len({step.judge for step in takes}) == 1 and len(takes) >= ranked


def _group_of(part: Sequence[Fact]) -> Group:
    """The group of rows that a part is about, if it is about one."""
    return next((fact.group for fact in part if isinstance(fact, Standing | Signs)), {})


def _of_part(report: Report, part: Sequence[Fact]) -> Iterator[Step]:
    """Steps that follow from facts on one metric and group."""
    standing = next((fact for fact in part if isinstance(fact, Standing)), None)
    for fact in part:
        if isinstance(fact, Separation) and standing:
            steps: Iterable[Step] = _of_separation(report, standing, fact)
        elif isinstance(fact, Unbeaten) and standing:
            best = _best(report, standing)
            steps = [Step(Do.BEAT, best, fact.baseline)] if best in fact.judges else []
        else:
            steps = (*_of_data(report, fact), *_of_judges(report, fact))
        yield from (replace(step, group=_group_of(part)) for step in steps)


def _of_separation(report: Report, standing: Standing, fact: Separation) -> Iterator[Step]:
    """Take the significantly best judge, look after the significantly worst one, or separate the first two."""
    judges = [row[report.about.judge] for row in standing.rows if row["value"] is not None]
    best, beaten = _best(report, standing), {pair.other for pair in fact.told}
    if not standing.answer.chosen:
        yield from [Step(Do.READ_WRONG, judge) for judge in reversed(judges) if judge in beaten][:1]
    elif sum(pair.one == best for pair in fact.told) == len(judges) - 1:
        yield Step(Do.TAKE, best, answer=standing.answer)
    if fact.tie and len(fact.tie.judges) <= _FEW and (fact.tie.judges[0] == best or not standing.answer.chosen):
        for step in _to_tell(fact.tie.ends, chosen=standing.answer.chosen):
            yield replace(step, between=fact.tie.judges[1:-1])


def _best(report: Report, standing: Standing) -> str:
    """The judge with the best metric, of those with enough labels."""
    judges: list[str] = [row[report.about.judge] for row in standing.rows]
    return next(judge for judge in judges if judge not in standing.few)


def _to_tell(pair: Pair, *, chosen: bool) -> Iterator[Step]:
    """Steps that would separate two judges. chosen: whether one of them is to be taken."""
    n, value, low, high = (getattr(pair.difference, name) for name in ("n", "value", "low", "high"))
    needed = pair.needed
    if needed and needed <= _WITHIN_REACH * n:
        yield Step(*_whom(pair, needed), pair.metric, needed, n)
    elif chosen and n >= _ENOUGH and low is not None and abs(value) < (high - low) / 2:  # small, for this many items
        yield Step(Do.OTHERWISE, pair.one, pair.other, pair.metric, of=n)


def _whom(pair: Pair, needed: int) -> tuple[Do, str, str]:
    """The step that adds items: to both judges, or, if their items differ, to the one that has fewer than needed."""
    if pair.each is None:
        return Do.ADD, pair.one, pair.other
    one, other = (figure.n < needed for figure in pair.each)
    if one and other:
        return Do.ADD_EACH, pair.one, pair.other
    return Do.ADD_TO_ONE, *((pair.one, pair.other) if one else (pair.other, pair.one))


def _of_data(report: Report, fact: Fact) -> Iterator[Step]:
    """Steps on problems in the data."""
    match fact:
        case Odd(Kind.FEW) if report.about.given.figures:  # as few as it marks itself, in as many items
            return
        case Odd(Kind.ONE_SIDED) if fact.part:  # the same items serve other criteria
            yield from [Step(Do.BEAT_LABEL, other=fact.part, label=fact.label)] * fact.unreached
        case Odd() if do := _OF_ODD.get(fact.kind):
            yield Step(do, fact.judge, label=fact.label, count=fact.count, of=fact.of)
        case Open(_, bounds):
            yield Step(Do.FILL, max(bounds, key=lambda judge: bounds[judge][1] - bounds[judge][0]))
        case Few(few, of) if few == of and (items := report.counts.get(report.about.items)):
            yield Step(Do.COLLECT, of=items)
        case Wide():
            yield Step(Do.NARROW, fact.judge, count=fact.needed, of=fact.rests_on)
        case Level():
            yield Step(Do.SINGLE_ITEMS)
        case Unlike():
            yield Step(Do.ALIKE)


def _of_judges(report: Report, fact: Fact) -> Iterator[Step]:
    """Steps about judges that follow from a single fact."""
    match fact:
        case Match(_, most, least):
            yield Step(Do.TALK, (least or most)[report.about.judge], (least or most)["reference"])
        case Nearest() if fact.agreement["scorer"] != report[report.about.main]["scorer"].first():
            yield Step(Do.SCORER, fact.agreement["scorer"])
        case AtChance(rows, contrary):
            do = Do.CHECK_FILE if contrary else Do.READ_GUESSES
            yield Step(do, rows[0][report.about.judge], count=len(rows))
        case Signs():
            yield from _of_signs(report, fact)
        case Pair():
            yield from _of_runs(report, fact)
        case Moves():
            lost = [Step(Do.COMPARE, pair.one, pair.other) for pair in fact.told if _worse(report, pair)]
            by_run = not report.options.get("by")  # else no run's items are read
            yield from lost or [Step(Do.KEEP_ITEMS)] * bool(fact.unknown and by_run)


def _of_signs(report: Report, fact: Signs) -> Iterator[Step]:
    """The smallest number of items that makes a nonsignificant result significant, as a step."""
    tests = len(fact.above) + len(fact.below) + len(fact.untold)
    of_judges = [(row[report.about.judge], Estimate.of_row(row, confidence=report.confidence)) for row in fact.untold]
    reached = [(needed_for(one, tests), judge, one.n) for judge, one in of_judges]
    near = [(needed, judge, n) for needed, judge, n in reached if needed and needed <= _WITHIN_REACH * n]
    yield from [Step(Do.ADD_FOR_SIGN, judge, count=needed, of=n) for needed, judge, n in sorted(near)[:1]]


def _of_runs(report: Report, pair: Pair) -> Iterator[Step]:
    """Steps after a comparison of two runs: read the changes if the second is worse, take it if it is better."""
    better = report.about.metrics[pair.metric].better
    if not pair.told:
        yield from _to_tell(pair, chosen=better is not None)
    elif _worse(report, pair):
        yield Step(Do.READ_CHANGES, pair.one, pair.other)
    elif better:
        yield Step(Do.TAKE, pair.one)


def _worse(report: Report, pair: Pair) -> bool:
    """Whether the first of a pair has the worse metric."""
    better, value = report.about.metrics[pair.metric].better, pair.difference.value or 0
    return value < 0 if better == "high" else value > 0 and better == "low"
