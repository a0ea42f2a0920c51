"""The gate that a report lacks: which one would give it a verdict, what it reads, and what would pass it now."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from karat.about import COMPARED, NO_WORSE, OVER_TIME, Answer
from karat.figures.answering import TOGETHER, Row, answering, rows_of, subject_text, telling
from karat.figures.conclusions import groups_of
from karat.render.numbers import End, plain, promised
from karat.render.wording import MOST_NAMED, Wording, in_words, joined
from karat.report import Report

OPTION = Literal["fail_under", "fail_over", "fail_if_worse", "fail_unless_equivalent"]
EVERYONE = ""
"""Named in place of a judge, it stands for all of them."""
_NAME = "NAME"
"""What stands for a judge that must be named, and is not yet."""
_FEW_VALUES = 2
_STEP = 0.001
"""A margin is passed by what lies below it."""
_ENDS: Mapping[str, tuple[str, str, End]] = {
    "fail_under": ("at least", "lower", "low"),
    "fail_over": ("at most", "upper", "high"),
}
"""Option -> what it asks, of which limit of an interval, and in which column that stands."""


class Lacking(NamedTuple):
    """A gate that a report lacks. option: that which takes it. metric: what it is about. of: the key of who is judged.

    must: whether one of them must be named, since neither end of the figure is good of everybody. best: who is named
    unless another is: the one of whom most is shown, where one judge is to be taken; else everyone.
    """

    option: OPTION
    metric: str
    of: str = ""
    must: bool = False
    best: str = EVERYONE

    @property
    def sign(self) -> str:
        """What stands before its number."""
        return "=" if self.option in _ENDS else ":"

    def asked(self, judge: str, number: str) -> str:
        """The gate as it is written."""
        named = {self.of: judge or _NAME} if judge or self.must else {}
        return f"{subject_text(self.metric, named)}{self.sign}{number}"


def metrics_asked(report: Report) -> list[str]:
    """The figures that are good at one end and of which a report answers something; of compared runs the first."""
    about = report.about
    good = list(dict.fromkeys(one.metric for one in about.answers if about.metrics[one.metric].better))
    known = [one for one in good if rows_of(report, about.main, one)]
    return known[:1] if about.main in {COMPARED, OVER_TIME} else known


def lacking_gate(report: Report, metric: str = "") -> Lacking | None:
    """The gate that gives a report the verdict that it lacks; None where there is one, or nothing can be asked.

    metric: by default that with which the report answers first.
    """
    about = report.about
    asked = (one for one in about.answers if metric in ("", one.metric))
    answer = next((one for one in asked if rows_of(report, about.main, one.metric)), None)
    if report.gates or answer is None:
        return None
    name, better = answer.metric, about.metrics[answer.metric].better
    if about.main in {COMPARED, OVER_TIME}:
        return Lacking("fail_if_worse", name) if better else None
    if f"{name}{NO_WORSE}" in about.metrics:
        return Lacking("fail_unless_equivalent", name)
    gate = Lacking("fail_over" if better == "low" else "fail_under", name, about.judge, must=not better)
    taken = answer.chosen and not answer.mutual and better
    return gate._replace(best=_best(report, answer, gate)) if taken else gate


def _best(report: Report, answer: Answer, gate: Lacking) -> str:
    """The judge whose worst limit is the best, of the figures that an answer tells of several.

    Everyone where no judge has an interval in all of them, or where there are not several.
    """
    _, _, end = _ENDS[gate.option]
    limits: dict[str, list[float | None]] = {}
    for row in (row for _, rows in groups_of(report, answer) for row in rows):
        limits.setdefault(row.get(gate.of) or EVERYONE, []).append(row[end])
    if len(limits) < 2 or EVERYONE in limits:  # noqa: PLR2004 - one of several
        return EVERYONE
    known = {name: [one for one in each if one is not None] for name, each in limits.items()}
    whole = [name for name, each in known.items() if len(each) == len(limits[name])]
    if gate.option == "fail_over":
        return min(whole, key=lambda name: max(known[name]), default=EVERYONE)
    return max(whole, key=lambda name: min(known[name]), default=EVERYONE)


def judges_read(report: Report, gate: Lacking) -> list[str]:
    """Whom a gate can name: those with a figure of its metric in the main table."""
    if not gate.of:
        return []
    rows = answering(rows_of(report, report.about.main, gate.metric), gate.metric, {}, report.about)
    return list(dict.fromkeys(row[gate.of] for row in rows if row.get(gate.of)))


def everyone(report: Report, gate: Lacking) -> str:
    """What a gate reads that names nobody."""
    together = _read(report, gate, EVERYONE)[0] == TOGETHER
    return "All judgments together" if together else f"Every {plain(gate.of)}"


class HowToGate(NamedTuple):
    """What gives a page the verdict that it lacks. said: an option, or a command. meaning: what that does."""

    said: str
    meaning: str


def how_to_gate(report: Report) -> HowToGate | None:
    """What gives a page the verdict that it lacks; None where nothing does."""
    gate = lacking_gate(report)
    if gate is None:
        return None
    judge = gate.best
    number = "VALUE" if gate.option in _ENDS else "MARGIN"
    said = f"--{gate.option.replace('_', '-')} {shlex.quote(gate.asked(judge, number))}"
    if by_limits(report, gate, judge):
        said += " --bound low"
    if report.about.main == OVER_TIME:
        said = f"karat compare BEFORE AFTER {said}"
    return HowToGate(said, passes(report, gate, judge, number))


def by_limits(report: Report, gate: Lacking, judge: str) -> bool:
    """Whether a gate is to read the limits of intervals: that of a figure of which all rows have one."""
    if gate.option not in _ENDS:
        return False
    rows = [row for row in _read(report, gate, judge)[1] if row["value"] is not None]
    return bool(rows) and all(row["low"] is not None and row["high"] is not None for row in rows)


def passes(report: Report, gate: Lacking, judge: str, number: str) -> str:
    """What passes a gate, in words, with the number that would now. number: what that is called."""
    points = "0.05 is 5 percentage points" if report.about.metrics[gate.metric].percent else ""
    if gate.option == "fail_if_worse":
        return f"it fails if a loss is shown to be greater than {number}{f' ({points})' if points else ''}"
    if gate.option == "fail_unless_equivalent":
        more = "; ".join(filter(None, (points, _margins(report, gate))))
        worse = f"a judge passes if it is shown to be no more than {number} worse than people"
        return f"{worse}{f' ({more})' if more else ''}"
    asks, end, _ = _ENDS[gate.option]
    limit = f", by the {end} limit of its interval," if by_limits(report, gate, judge) else ""
    return f"it passes if {_gated(report, gate, judge)}{limit} is {asks} {number}{_now(report, gate, judge)}"


def _read(report: Report, gate: Lacking, judge: str) -> tuple[str, list[Row]]:
    """The table that a gate reads, and its rows there."""
    keys = {gate.of: judge} if judge else {}
    read = (
        (one, answering(rows_of(report, one, gate.metric), gate.metric, keys, report.about))
        for one in (TOGETHER, report.about.main)
    )
    return next(((one, rows) for one, rows in read if rows), ("", []))


def _now(report: Report, gate: Lacking, judge: str) -> str:
    """Up to which number a gate passes now, or that it fails with any; nothing where nobody is named yet."""
    _, rows = _read(report, gate, judge)
    if not rows or (gate.must and not judge):
        return ""
    if any(row["value"] is None for row in rows):
        return " (not now: a figure is undefined)"
    _, _, end = _ENDS[gate.option]
    column = end if by_limits(report, gate, judge) else "value"
    hardest = (max if end == "high" else min)(rows, key=lambda row: row[column])
    least = f"{'from' if end == 'high' else 'up to'} {promised(hardest[column], end):g}"
    return f" (now: {least}{_at(report, rows, hardest)})"


def _at(report: Report, rows: Sequence[Row], hardest: Row) -> str:
    """Which of several rows that a gate reads has the figure that is the hardest to pass."""
    words, judge = Wording(report), report.about.judge
    where = words.within({key: hardest[key] for key in telling(rows, report.about)})
    whose = f"of {words.judge(hardest[judge])}" if len({row.get(judge) for row in rows}) > 1 else ""
    told = ", ".join(filter(None, (whose, where)))
    return f", {told}" if told else ""


def _margins(report: Report, gate: Lacking) -> str:
    """The margins with which judges would pass now, of a few judges."""
    metric = f"{gate.metric}{NO_WORSE}"
    rows = answering(rows_of(report, "equivalence", metric), metric, {}, report.about)
    known = {row[report.about.judge]: row["value"] for row in rows if row["value"] is not None}
    if not known or len(known) < len(rows) or len(known) > MOST_NAMED:
        return ""
    words = Wording(report)
    least = {judge: promised(value, "high") for judge, value in known.items()}
    least = {judge: margin if margin > known[judge] else margin + _STEP for judge, margin in least.items()}
    told = joined([f"{margin:g} for {words.judge(judge)}" for judge, margin in least.items()])
    return f"the least that passes now, by one-sided limits: {told}"


def _gated(report: Report, gate: Lacking, judge: str) -> str:
    """What a gate reads, in words: a figure, or every one of several that differ in who is judged, and in what else."""
    words, about, (table, rows) = Wording(report), report.about, _read(report, gate, judge)
    mean = "mean " if rows and all(map(words.averaged, rows)) else ""
    name, where = f"{mean}{words.inside(gate.metric)}", _in_every(rows, telling(rows, about))
    if gate.must and not judge:
        return f"the {name} of {_NAME}"
    if judge:
        return f"the {name} of {words.quoted(rows[0]) if rows else words.judge(judge)}{where}"
    if table == TOGETHER:
        return f"the {name} of all judgments together{where}"
    if len({row.get(about.judge) for row in rows}) > 1:
        return f"every {plain(about.judge)}'s {name}{where}"
    return f"{name}{where}" if rows else "the figure"


def _in_every(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> str:
    """In which rows a gate reads a figure, by the keys that tell them apart; of one key, with its few values."""
    if not keys:
        return ""
    values = list(dict.fromkeys(row[keys[0]] for row in rows)) if len(keys) == 1 else []
    told = 1 < len(values) <= _FEW_VALUES and None not in values
    named = f" ({' and '.join(in_words(value) for value in values)})" if told else ""
    return f" in every {joined([plain(key) for key in keys])}{named}"
