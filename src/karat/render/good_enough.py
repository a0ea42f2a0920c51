"""Whether judges are good enough, besides what gates say: what their intervals promise, and how a gate is set."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from karat.about import COMPARED, NO_WORSE, OVER_TIME, Metric
from karat.figures.answering import Group, Row, answering, tables_of_figures, telling
from karat.figures.conclusions import Signs, Standing, facts
from karat.figures.oddities import Kind, Odd
from karat.figures.separation import Pair, mean_key, significant
from karat.render.numbers import NO_BREAK, inside, metric_text, plain
from karat.render.openings import opening_of
from karat.render.part import bounded
from karat.render.verdicts import asked_about
from karat.render.wording import MOST_NAMED, Wording, by_intervals, in_words, joined
from karat.report import Report

_NOT_YET = "Not until"
"""With this begins what is said of figures that cannot be believed as they are."""


class Lacking(NamedTuple):
    """A gate that a report lacks. option: that which takes it. metric: what it is about. sign: before its number.

    of: the key whose value must be named, where neither end is good of everybody.
    """

    option: Literal["fail_under", "fail_over", "fail_if_worse", "fail_unless_equivalent"]
    metric: str
    sign: Literal["=", ":"] = "="
    of: str = ""


def lacking_gate(report: Report) -> Lacking | None:
    """The gate that gives a report the verdict that it lacks; None where there is one, or nothing can be asked."""
    about = report.about
    answer = next(iter(about.answers), None)
    if report.gates or answer is None:
        return None
    metric, better = answer.metric, about.metrics[answer.metric].better
    if about.main in {COMPARED, OVER_TIME}:
        return Lacking("fail_if_worse", metric, ":") if better else None
    if f"{metric}{NO_WORSE}" in about.metrics:
        return Lacking("fail_unless_equivalent", metric, ":")
    return Lacking("fail_over" if better == "low" else "fail_under", metric, of="" if better else about.judge)


class HowToGate(NamedTuple):
    """What gives a page the verdict that it lacks. said: an option, or a command. meaning: what that does."""

    said: str
    meaning: str


_MEANINGS = {
    "fail_under": "it fails if {figure} is below VALUE or undefined",
    "fail_over": "it fails if {figure} is above VALUE or undefined",
    "fail_if_worse": "it fails if a loss is shown to be greater than MARGIN",
    "fail_unless_equivalent": "a judge passes if it is shown to be no more than MARGIN worse than people",
}
_FEW_VALUES = 2
_TOGETHER = "overall"
"""The table of all judgments together, which a gate reads where there is one."""


def how_to_gate(report: Report) -> HowToGate | None:
    """What gives a page the verdict that it lacks; None where nothing does."""
    gate = lacking_gate(report)
    if gate is None:
        return None
    number = "MARGIN" if gate.sign == ":" else "VALUE"
    text = f'"{gate.metric}[{gate.of}=NAME]={number}"' if gate.of else f"{gate.metric}{gate.sign}{number}"
    option = f"--{gate.option.replace('_', '-')} {text}"
    said = f"karat compare BEFORE AFTER {option}" if report.about.main == OVER_TIME else option
    return HowToGate(said, _MEANINGS[gate.option].format(figure=_gated(report, gate)))


def _gated(report: Report, gate: Lacking) -> str:
    """What a gate reads, in words: a figure, or any of several that differ in who is judged, and in what else."""
    about, name, tables = report.about, inside(report.about.metrics[gate.metric].title), tables_of_figures(report)
    if gate.of:
        return f"the {name} of NAME"
    read = ((one, answering(tables[one], gate.metric, {}, about)) for one in (_TOGETHER, about.main) if one in tables)
    table, rows = next(((one, rows) for one, rows in read if rows), ("", []))
    where, known = _in_any(rows, telling(rows, about)), [row["value"] for row in rows if row["value"] is not None]
    now = f" ({metric_text(known[0], about.metrics[gate.metric])} here)" if len(rows) == len(known) == 1 else ""
    if table == _TOGETHER:
        return f"the {name} of all judgments together{now}{where}"
    if len({row.get(about.judge) for row in rows}) > 1:
        return f"any {plain(about.judge)}'s {name}{where}"
    return f"{name}{now}{where}" if rows else "the figure"


def _in_any(rows: Sequence[Row], keys: Sequence[str]) -> str:
    """In which rows a gate reads a figure, by the keys that tell them apart; of one key, with its few values."""
    if not keys:
        return ""
    values = list(dict.fromkeys(row[keys[0]] for row in rows)) if len(keys) == 1 else []
    told = 1 < len(values) <= _FEW_VALUES and None not in values
    named = f" ({' or '.join(in_words(value) for value in values)})" if told else ""
    return f" in any {joined([plain(key) for key in keys])}{named}"


def reached(report: Report) -> str:
    """What stands in for a verdict, or beside it: what intervals promise, or whether anything got worse."""
    own = opening_of(report).verdict
    said = own(report) if own else _changed(report) if report.about.main == COMPARED else _promised(report)
    if report.gates or said.startswith(_NOT_YET):
        return said
    if own and said and by_intervals(report) not in said:  # a verdict of its own
        return f"No gate was set. {said}"
    if report.about.main == COMPARED and said:
        return f"No gate was set. {said}"
    return f"No gate was set: it depends on what you need. {said}" if said else "No gate was set: there is no verdict."


def _promised(report: Report) -> str:
    """The bad ends of the intervals of the figures that a report opens with, but for what gates told of each."""
    words, found = Wording(report), [fact for part in facts(report) for fact in part]
    told = _not_gated(report, [fact for fact in found if isinstance(fact, Standing | Signs)])
    known = Counter(map(_named, told))
    said = "; ".join(filter(None, (_bounds(words, fact, alone=known[_named(fact)] == 1) for fact in told)))
    doubt = any(isinstance(fact, Odd) and fact.kind is Kind.MISPLACED for fact in found)
    if doubt and said:
        return f"{_NOT_YET} the offsets are checked. If they are right, by the {by_intervals(report)}: {said}."
    besides = f"Besides the gate{'s' if len(report.gates) > 1 else ''}, by" if report.gates else "By"
    return f"{besides} the {by_intervals(report)}: {said}." if said else ""


def _not_gated(report: Report, told: Sequence[Standing | Signs]) -> list[Standing | Signs]:
    """The facts about metrics of which some figure was read by no gate."""
    asked = Counter(map(asked_about, report.gates))
    figures: Counter[str] = Counter()
    for fact in told:
        figures[fact.answer.metric] += len(fact.rows if isinstance(fact, Standing) else fact.above)
    return [fact for fact in told if asked[fact.answer.metric] < figures[fact.answer.metric]]


def _named(fact: Standing | Signs) -> tuple[object, ...]:
    """The figure that a fact is about, as far as its name and the group say."""
    return fact.answer.metric, *fact.group.items()


def _bounds(words: Wording, fact: Standing | Signs, *, alone: bool) -> str:
    """How good each judge is at least, of many the best and the last; of strengths, those above 0.

    alone: whether no other fact is about a figure of that name.
    """
    rows = fact.rows if isinstance(fact, Standing) else fact.above
    known = [row for row in rows if row["low"] is not None]
    if not known:
        return ""
    metric = words.metric(known[0]["metric"])
    bound, end = ("at most", "high") if metric.better == "low" else ("at least", "low")
    many = len(known) > MOST_NAMED
    named = [known[0], known[-1]] if many else known
    who = words.judge_of if isinstance(fact, Standing) else words.quoted
    each = [f"{metric_text(row[end], metric)} for {who(row)}" for row in named]
    ends = "the lowest and the highest" if metric.better == "low" else "the highest and the lowest"
    of_many = f", {ends} of {len(known):,}" if many else ""
    only = len(rows) == 1 and isinstance(fact, Standing)
    reached = metric_text(known[0][end], metric) if only else f"{joined(each)}{of_many}"
    at = {key: known[0][key] for key in fact.answer.most if f"{{{key}}}" in fact.answer.says}
    group = {**fact.group, **at} if alone else {**fact.group, **fact.answer.where, **at}
    mean = "mean " if words.averaged(known[0]) else ""
    return f"{mean}{words.inside(known[0]['metric'])}{_of(words, group)} {bound} {reached}"


def _changed(report: Report) -> str:
    """By how much the second run is better at least, or worse, and which of all figures are shown to be worse."""
    words, metrics = Wording(report), report.about.metrics
    tested = [
        row for row in report[COMPARED].to_dicts() if row["p_adjusted"] is not None and metrics[row["metric"]].better
    ]
    rows = [row for row in tested if not _is_bound(row["metric"], metrics)]
    if not rows:
        return ""
    gain = next((_gain(report, fact) for part in facts(report) for fact in part if isinstance(fact, Pair)), "")
    lost = [row for row in rows if significant(row["p_adjusted"], report.confidence) and _worse(words, row)]
    if not lost:
        of = f"None of the {len(rows):,} differences tested shows" if len(rows) > 1 else "The difference does not show"
        return f"{gain}{of} a loss{_largest_loss(report, words, rows)}."
    where = _where_lost(report, lost, telling(rows, report.about))
    if len(rows) == 1:
        return f"{gain}The difference shows a loss: {where}."
    bounds = next((row["metric"] for row in tested if _is_bound(row["metric"], metrics)), None)
    counted = "" if bounds is None else f" (not counting “{metrics[bounds].title}” and the like)"
    of = f"Of the {len(rows):,} differences tested below{counted}, {len(lost):,} show{'s' if len(lost) == 1 else ''}"
    return f"{gain}{of} a loss: {where}."


def _is_bound(metric: str, metrics: Mapping[str, Metric]) -> bool:
    """Whether a metric is what another would be at least, or at most, without missing labels."""
    return bounded(metric) in metrics.keys() - {metric}


def _where_lost(report: Report, lost: Sequence[Row], keys: Sequence[str]) -> str:
    """Which figures show a loss; of many, where one key tells all apart, with which values of it."""
    words, several = Wording(report), len(lost) > MOST_NAMED
    values = (
        list(dict.fromkeys(in_words(row[key]) for row in lost for key in keys)) if several and len(keys) == 1 else []
    )
    if 0 < len(values) <= MOST_NAMED:
        if keys[0] != mean_key(report):
            return f"all for {plain(keys[0])} {joined(values)}"
        return f"all in {joined([f'the {one}' if one == report.about.pooled else one for one in values])}"
    named = [f"{words.inside(row['metric'])}{_of(words, {key: row[key] for key in keys})}" for row in lost[:MOST_NAMED]]
    more = [f"{len(lost) - MOST_NAMED:,} more"] if several else []
    return joined([*named, *more])


def _largest_loss(report: Report, words: Wording, rows: Sequence[Row]) -> str:
    """The largest loss that the intervals of the first figure allow, in whichever of its parts."""
    metric = next((answer.metric for answer in report.about.answers), "")
    end, sign = ("high", 1) if words.metric(metric).better == "low" else ("low", -1)
    known = [row for row in rows if row["metric"] == metric and row[end] is not None and sign * row[end] > 0]
    if not known or len(rows) == 1:  # that one is told as it is
        return ""
    worst = max(known, key=lambda row: sign * row[end])
    by = metric_text(abs(worst[end]), replace(words.metric(metric), signed=True)).removeprefix("+")
    keys = {key: worst[key] for key in telling(known, report.about)}
    return f", but the interval of {words.inside(metric)}{_of(words, keys)} still allows one of {by}"


def _gain(report: Report, pair: Pair) -> str:
    """By how much the first difference that a report tells is one for the better at least, or for the worse."""
    words = Wording(report)
    metric = words.metric(pair.metric)
    worst, best = pair.difference.low, pair.difference.high
    if worst is None or best is None or not metric.better:
        return ""
    if metric.better == "low":
        worst, best = -best, -worst
    by = metric_text(abs(worst), replace(metric, signed=True)).removeprefix("+")
    if best < 0:
        least = metric_text(-best, replace(metric, signed=True)).removeprefix("+").removesuffix(f"{NO_BREAK}pp")
        turn = f"worse by {least} to {by}"
    else:
        turn = f"better by at least {by}" if worst > 0 else f"worse by at most {by}"
    key = mean_key(report)
    mean = "mean " if key and key not in pair.group and report[COMPARED][key].n_unique() > 2 else ""  # noqa: PLR2004
    return f"By the {by_intervals(report)}, {mean}{inside(metric.title)}{_of(words, pair.group)} gets {turn}. "


def _worse(words: Wording, row: Row) -> bool:
    return (row["value"] < 0) is (words.metric(row["metric"]).better == "high")


def _of(words: Wording, group: Group) -> str:
    """Which rows a figure is about, in parentheses behind its name."""
    told = words.within(group)
    return f" ({told})" if told else ""
