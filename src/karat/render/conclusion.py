"""What a report concludes, in sentences: the facts of `karat.figures.conclusions` in words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from karat.about import Metric
from karat.estimate import Estimate
from karat.figures.answering import Row
from karat.figures.conclusions import (
    NARROW,
    Fact,
    Few,
    Group,
    MoreGroups,
    Open,
    Pair,
    Separation,
    Signs,
    Standing,
    Unbeaten,
    Wide,
    facts,
)
from karat.names import annotator_names, short
from karat.render.numbers import NO_BREAK, interval_text, metric_of, metric_text, p_text, plain, short_number
from karat.report import GateResult, Report

_MOST_NAMED = 4
"""More judges than this are not all named."""
_MOST_PAIRS = 3


def concluded(report: Report) -> tuple[str, ...]:
    """The sentences with which a report opens, from its tables alone."""
    words = _Words(report)
    return tuple(dict.fromkeys(sentence for fact in facts(report) for sentence in words.of(fact)))


def gate_text(result: GateResult) -> str:
    """What became of a gate, the verdict first.

    >>> gate_text(GateResult("reliability >= 0.7", "annotator ana", "0.9500", passed=True))
    'PASS reliability >= 0.7 for annotator ana: 0.9500'
    """
    subject = f" for {result.subject}" if result.subject else ""
    return f"{'PASS' if result.passed else 'FAIL'} {result.gate.removesuffix(':')}{subject}: {result.said}"


class _Words:
    """The names that a report has for its judges and figures, and the sentences made with them."""

    def __init__(self, report: Report) -> None:
        self.about, self.options = report.about, report.options
        self.people = annotator_names(report.tables.values())

    def of(self, fact: Fact) -> list[str]:
        """The sentences of a fact."""
        if isinstance(fact, Separation):
            return [*self._told(fact), *self._untold(fact)]
        match fact:
            case Standing():
                said = self._standing(fact)
            case Signs():
                said = self._signs(fact)
            case Pair():
                said = self._runs(fact)
            case Unbeaten(baseline, judges):
                said = f"{self._listed(judges)} {_is(judges)} not shown to be better than {baseline}."
            case Open(metric, judge, lowest, highest):
                low, high = (metric_text(end, self._metric(metric)) for end in (lowest, highest))
                title = self._title(metric)
                said = f"{title} of {self._judge(judge)} would lie from {low} to {high} had nothing been missing."
            case Few(few, of):
                said = f"{_these(few, of)} on few items: read the interval, not the value."
            case Wide(judge, rests_on, needed):
                half = f"{100 * NARROW / 2:.0f}{NO_BREAK}percentage points"
                whose = f"the interval of {self._judge(judge)}"
                said = f"About {needed:,} items in place of {rests_on:,} would bring {whose} down to {half} either way."
            case MoreGroups(count):
                said = f"{count:,} more {'group stands' if count == 1 else 'groups stand'} in the table."
        return [said] if said else []

    def _standing(self, fact: Standing) -> str:
        rows = fact.rows
        if not rows:
            return ""
        where = self._where(fact.group)
        if len(rows) > _MOST_NAMED:
            kind, defined = plain(self.about.judge), [row for row in rows if row["value"] is not None]
            if not defined:
                return ""
            best, last = self._clause(fact, defined[0]), self._clause(fact, defined[-1], further=True)
            return f"{where}Of {len(rows):,} {kind}s {best}, the last, {last}."
        first, *others = (self._clause(fact, row, further=place > 0) for place, row in enumerate(rows))
        return f"{where}{_joined([first, *others])}."

    def _clause(self, fact: Standing, row: Row, *, further: bool = False) -> str:
        says = fact.answer.then if further else fact.answer.says
        said = says.format(figure=self._figure(row), reference=self.options.get("reference") or "the reference")
        return f"{self._judge(row[self.about.judge])} {said}"

    def _signs(self, fact: Signs) -> str:
        told = {fact.answer.says: fact.above, fact.answer.below: fact.below}
        found = [
            says.format(figure=self._strongest(rows), reference=self._judge(rows[0]["reference"]))
            for says, rows in told.items()
            if rows
        ]
        if found and fact.untold:
            found.append(f"For {fact.untold:,} more the data do not tell")
        return f"{self._where(fact.group)}{'. '.join(found or ['The data do not tell of anyone'])}."

    def _strongest(self, rows: Sequence[Row]) -> str:
        more = len(rows) - _MOST_NAMED
        named = [f"{self._judge(row[self.about.judge])} {self._figure(row)}" for row in rows[:_MOST_NAMED]]
        return _joined([*named, *([f"{more:,} more"] if more > 0 else [])])

    def _told(self, fact: Separation) -> Iterator[str]:
        """Who is better than whom."""
        if len(fact.told) > _MOST_PAIRS:
            best = fact.told[0].one
            others = self._listed([pair.other for pair in fact.told if pair.one == best])
            told = f"{len(fact.told):,} of {fact.pairs:,} pairs are told apart"
            yield f"{self._where(fact.group)}{self._judge(best)} is better than {others}; {told}."
            return
        for pair in fact.told:
            one, other = self._judge(pair.one), self._judge(pair.other)
            yield f"{self._where(fact.group)}{one} is better than {other} by {self._apart(pair)}{_tested(pair.p)}."

    def _untold(self, fact: Separation) -> Iterator[str]:
        """Whom the data do not tell apart, and how many items would."""
        for pair in fact.untold[: max(_MOST_PAIRS - len(fact.told), 1)]:
            both = f"{self._where(fact.group)}{self._judge(pair.one)} and {self._judge(pair.other)}"
            yield f"{both} cannot be told apart{_among(pair, fact.pairs)}: {self._apart(pair)}{_to_show(pair)}."

    def _runs(self, pair: Pair) -> str:
        """How a figure of the second run differs from that of the first."""
        title, value = self._title(pair.metric), pair.difference.value
        whose = f" of {self._judge(pair.judge)}" if pair.judge not in {None, pair.one, pair.other} else ""
        runs = f"from {short(pair.other)} to {short(pair.one)}"
        if value is None:
            return f"How {title.lower()}{whose} changed {runs} is {self._apart(pair)}."
        if pair.told:
            return f"{title}{whose} {'rises' if value > 0 else 'falls'} {runs} by {self._apart(pair)}{_tested(pair.p)}."
        changed = f"whether {title.lower()}{whose} changed {runs}"
        return f"{pair.difference.n:,} items do not tell {changed}: {self._apart(pair)}{_to_show(pair)}."

    # --- pieces ---

    def _apart(self, pair: Pair) -> str:
        """A difference with its interval: of shares in percentage points."""
        return difference_text(pair.difference, self._metric(pair.metric), absolute=pair.told)

    def _figure(self, row: Row) -> str:
        metric = self._metric(row["metric"])
        if row["value"] is None:
            return f"an unknown share ({row['reason']})" if metric.percent else f"nothing known ({row['reason']})"
        limits = interval_text(row["low"], row["high"], metric).replace(NO_BREAK, " ")
        return f"{metric_text(row['value'], metric)}{f' ({limits})' if limits else ''}"

    def _metric(self, name: str) -> Metric:
        return metric_of(self.about.metrics, name)

    def _title(self, name: str) -> str:
        return self._metric(name).title

    def _judge(self, name: str | None) -> str:
        return short(self.people.get(name, name) if name is not None else None)

    def _listed(self, names: Sequence[str]) -> str:
        more = len(names) - _MOST_NAMED
        return _joined([*map(self._judge, names[:_MOST_NAMED]), *([f"{more:,} more"] if more > 0 else [])])

    def _where(self, group: Group) -> str:
        """The group that a sentence is about."""
        said = [f"{plain(key)} {_value(value)}" for key, value in group.items() if value is not None]
        return f"{', '.join(said)}: " if said else ""


def _value(value: object) -> str:
    return short_number(value) if isinstance(value, float) else short(plain(str(value)))


def _joined(names: Sequence[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _these(few: int, of: int) -> str:
    if few < of:
        return f"{few:,} of these {of:,} figures rest{'s' if few == 1 else ''}"
    return "This figure rests" if of == 1 else "These figures rest"


def _among(pair: Pair, pairs: int) -> str:
    """On how many items two are not told apart; where their own interval leaves out 0, as one of how many pairs."""
    low, high = pair.difference.low, pair.difference.high
    alone = low is not None and high is not None and not low <= 0 <= high
    return f" on {pair.difference.n:,} items{f' (one of {pairs:,} pairs compared)' if alone else ''}"


def _to_show(pair: Pair) -> str:
    return f"; about {pair.needed:,} would show a difference of this size" if pair.needed else ""


def _tested(p: float | None) -> str:
    return "" if p is None else f", adjusted {p_text(p).replace(NO_BREAK, ' ')}"


def difference_text(difference: Estimate, metric: Metric, *, absolute: bool = False) -> str:
    r"""A difference with its interval; that of shares in percentage points. absolute: its size, whatever its sign.

    >>> difference_text(Estimate(-0.095, -0.396, 0.057, n=9), Metric("Accuracy", ""))
    '−9.5\xa0pp (−39.6 to 5.7)'
    """
    value, low, high = difference.value, difference.low, difference.high
    if value is None:
        return f"undefined ({difference.reason})"
    if absolute and value < 0:
        value, low, high = -value, None if high is None else -high, None if low is None else -low
    limits = interval_text(low, high, metric).replace(NO_BREAK, " ")
    shown = metric_text(value, replace(metric, signed=True)).removeprefix("+")
    return f"{shown}{f' ({limits})' if limits else ''}"
