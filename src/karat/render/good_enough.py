"""Whether judges are good enough, besides what gates say: what their intervals promise, or what got worse."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from karat.about import COMPARED, OVER_TIME, Metric
from karat.figures.answering import TOGETHER, Group, Row, rows_of, telling
from karat.figures.conclusions import Signs, Standing, facts
from karat.figures.moves import run_column
from karat.figures.oddities import Kind, Odd
from karat.figures.separation import Pair, mean_key, significant
from karat.figures.steps import SAME_ITEMS, STEPS
from karat.names import short
from karat.render.numbers import NO_BREAK, End, inside, metric_text, plain, promised_text
from karat.render.openings import opening_of
from karat.render.part import bounded
from karat.render.verdicts import asked_about
from karat.render.wording import MOST_NAMED, Wording, by_intervals, in_words, joined
from karat.report import Report

_AT_LEAST: tuple[str, End] = ("at least", "low")
_AT_MOST: tuple[str, End] = ("at most", "high")
_ROUNDED = ", rounded to the safe side"
"""What is said of limits that are told as promises, which tables may show with another last digit."""
_NOT_YET = "Not until"
"""With this begins what is said of figures that cannot be believed as they are."""


def reached(report: Report) -> str:
    """What stands in for a verdict, or beside it: what intervals promise, or whether anything got worse."""
    own = opening_of(report).verdict
    of_runs = {COMPARED: _changed, OVER_TIME: _over_time}.get(report.about.main)
    said = (own or of_runs or _promised)(report)
    if report.gates or said.startswith(_NOT_YET):
        return said
    if said and (of_runs or (own and by_intervals(report) not in said)):  # a verdict of its own
        return f"No gate was set. {said}"
    return f"No gate was set: it depends on what you need. {said}" if said else "No gate was set: there is no verdict."


def _promised(report: Report) -> str:
    """The bad ends of the intervals of the figures that a report opens with, but for what gates told of each."""
    words, found = Wording(report), [fact for part in facts(report) for fact in part]
    told = _not_gated(report, [fact for fact in found if isinstance(fact, Standing | Signs)])
    known = Counter(map(_named, told))
    each = (_bounds(words, fact, alone=known[_named(fact)] == 1) for fact in told)
    several = any(isinstance(fact, Standing) and len(fact.rows) > 1 for fact in told)
    said = "; ".join(filter(None, (*each, _together(words, report) if several and not report.gates else "")))
    doubt = any(isinstance(fact, Odd) and fact.kind is Kind.MISPLACED for fact in found)
    if doubt and said:
        return (
            f"{_NOT_YET} the offsets are checked. If they are right, by the {by_intervals(report)}{_ROUNDED}: {said}."
        )
    besides = f"Besides the gate{'s' if len(report.gates) > 1 else ''}, by" if report.gates else "By"
    return f"{besides} the {by_intervals(report)}{_ROUNDED}: {said}." if said else ""


def _together(words: Wording, report: Report) -> str:
    """How good all judgments are together at least, where there is one such figure, which gates read."""
    metric = next((answer.metric for answer in report.about.answers), "")
    rows = rows_of(report, TOGETHER, metric)
    bound, end = _AT_MOST if rows and words.metric(metric).better == "low" else _AT_LEAST
    if len(rows) != 1 or rows[0][end] is None:
        return ""
    return f"of all judgments together {bound} {promised_text(rows[0][end], end, words.metric(metric))}"


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
    bound, end = _AT_MOST if metric.better == "low" else _AT_LEAST
    many, sign = len(known) > MOST_NAMED, 1 if end == "high" else -1
    promised = sorted(known, key=lambda row: sign * row[end])
    named = [promised[0], promised[-1]] if many else known
    who = words.judge_of if isinstance(fact, Standing) else words.quoted
    each = [f"{promised_text(row[end], end, metric)} for {who(row)}" for row in named]
    ends = "the lowest and the highest" if metric.better == "low" else "the highest and the lowest"
    of_many = f", {ends} of {len(known):,}" if many else ""
    only = len(rows) == 1 and isinstance(fact, Standing)
    reached = promised_text(known[0][end], end, metric) if only else f"{joined(each)}{of_many}"
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
    where, grouped = _where_lost(report, lost, telling(rows, report.about))
    if len(rows) == 1:
        return f"{gain}The difference shows a loss: {where}."
    if len(rows) < len(tested):  # bounds stand among the rows that a reader would count
        return f"{gain}Losses are shown {where if grouped else f'in {where}'}."
    shows = f"{len(lost):,} show{'s' if len(lost) == 1 else ''} a loss"
    return f"{gain}Of the {len(rows):,} differences tested, {shows}: {'all ' if grouped else ''}{where}."


def _is_bound(metric: str, metrics: Mapping[str, Metric]) -> bool:
    """Whether a metric is what another would be at least, or at most, without missing labels."""
    return bounded(metric) in metrics.keys() - {metric}


def _where_lost(report: Report, lost: Sequence[Row], keys: Sequence[str]) -> tuple[str, bool]:
    """Which figures show a loss; or of many that one key tells apart, with which values of it, and that it is so."""
    words, several = Wording(report), len(lost) > MOST_NAMED
    values = (
        list(dict.fromkeys(in_words(row[key]) for row in lost for key in keys)) if several and len(keys) == 1 else []
    )
    if 0 < len(values) <= MOST_NAMED:
        if keys[0] != mean_key(report):
            return f"for {plain(keys[0])} {joined(values)}", True
        return f"in {joined([f'the {one}' if one == report.about.pooled else one for one in values])}", True
    named = [f"{words.inside(row['metric'])}{_of(words, {key: row[key] for key in keys})}" for row in lost[:MOST_NAMED]]
    more = [f"{len(lost) - MOST_NAMED:,} more"] if several else []
    return joined([*named, *more]), False


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


def _over_time(report: Report) -> str:
    """Which changes over time are shown to be losses; if none is, how large a loss the intervals still allow."""
    words = Wording(report)
    steps = report[STEPS].to_dicts() if STEPS in report.tables else []
    rows = [row for row in steps if row["p_adjusted"] is not None and words.metric(row["metric"]).better]
    if not rows:
        return ""
    lost = [row for row in rows if significant(row["p_adjusted"], report.confidence) and _worse(words, row)]
    if not lost:
        tested = f"None of the {len(rows):,} changes tested shows a" if len(rows) > 1 else "The change shows no"
        return f"{tested} loss{_losses_allowed(report, words, rows)}."
    keys = _apart(report, rows)
    named = [
        f"{words.inside(row['metric'])}{_told_of(words, row, keys, ' of ')} from {short(row['first'])} to "
        f"{short(row['second'])}"
        for row in lost[:MOST_NAMED]
    ]
    more = [f"{len(lost) - MOST_NAMED:,} more"] if len(lost) > MOST_NAMED else []
    shows = "shows" if len(lost) == 1 else "show"
    tested = f"Of the {len(rows):,} changes tested, {len(lost):,} {shows}" if len(rows) > 1 else "The change shows"
    return f"{tested} a loss: {joined([*named, *more])}."


def _losses_allowed(report: Report, words: Wording, rows: Sequence[Row]) -> str:
    """The smallest and the largest loss that intervals allow, from the first run to the last, else from run to run."""
    metric = next((answer.metric for answer in report.about.answers), rows[0]["metric"])
    end, sign = ("high", 1) if words.metric(metric).better == "low" else ("low", -1)
    runs = report[OVER_TIME][run_column(report)].unique(maintain_order=True).cast(pl.String)
    of_metric = [row for row in rows if row["metric"] == metric and row[end] is not None]
    whole = [row for row in of_metric if (row["first"], row["second"]) == (runs[0], runs[-1])]
    known = sorted(whole or of_metric, key=lambda row: sign * row[end])
    if not known or sign * known[-1][end] <= 0:
        return ""
    days = f"from {short(runs[0])} to {short(runs[-1])}" if whole else "from run to run"
    named, keys = known if len(known) == 1 else [known[0], known[-1]], _apart(report, known)
    told = joined([f"{_loss(words, row, sign * row[end])}{_told_of(words, row, keys)}" for row in named])
    ends = f", the smallest and the largest of {len(known):,}" if len(known) > len(named) else ""
    allow = "allow" if len(known) > 1 else "allows"
    whose = f"{by_intervals(report) if len(known) > 1 else 'interval'} of {words.inside(metric)}"
    return f", but losses are not excluded: {days} the {whose} {allow} {told}{ends}"


def _loss(words: Wording, row: Row, size: float) -> str:
    """A loss of some size; none where it is none."""
    shown = metric_text(size, replace(words.metric(row["metric"]), signed=True)).removeprefix("+")
    return f"a loss of {shown}" if size > 0 else "no loss"


def _apart(report: Report, rows: Sequence[Row]) -> list[str]:
    """The keys that tell changes of a figure apart, besides who is judged and the runs."""
    return [key for key in telling(rows, report.about) if key != SAME_ITEMS]


def _told_of(words: Wording, row: Row, keys: Sequence[str], before: str = " for ") -> str:
    """Whose figure a row of a history is, and of which part; nothing where runs are judged themselves."""
    whose = f"{before}{words.judge_of(row)}" if words.about.judge in row else ""
    return f"{whose}{_of(words, {key: row[key] for key in keys})}"


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
