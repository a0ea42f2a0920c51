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
    More,
    Open,
    Signs,
    Standing,
    Unbeaten,
    Wide,
    facts,
)
from karat.figures.oddities import Odd
from karat.figures.separation import Pair, Separation, Tie
from karat.names import annotator_names, short
from karat.render.numbers import (
    NO_BREAK,
    counted_name,
    interval_text,
    metric_of,
    metric_text,
    p_text,
    plain,
    short_number,
)
from karat.render.oddities import odd_text
from karat.report import GateResult, Report

_MOST_NAMED = 4
"""More judges than this are not all named."""
_MOST_PAIRS = 3


def concluded(report: Report) -> tuple[str, ...]:
    """The sentences with which a report opens, from its tables alone.

    Where they are about several figures or groups, those about one make one line.
    """
    words = _Words(report)
    parts = [part for part in facts(report) if part]
    alone = sum(isinstance(part[0], Standing | Signs) for part in parts) < 2  # noqa: PLR2004 - several
    lines = [[sentence for fact in part for sentence in words.of(fact, alone=alone)] for part in parts]
    return tuple(sentence for line in lines for sentence in (line if alone else [" ".join(line)] if line else []))


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

    def of(self, fact: Fact, *, alone: bool) -> list[str]:
        """The sentences of a fact. alone: whether there is room for more than the chief one."""
        match fact:
            case Standing():
                return list(self._standing(fact))
            case Separation():
                told = self._told(fact, _MOST_PAIRS if alone else 1)
                return [*told, *([self._tie(fact.tie, fact.pairs)] if fact.tie and (alone or not told) else [])]
            case Signs():
                return [self._signs(fact)]
            case Pair():
                return [self._runs(fact)]
        return [self._besides(fact)]

    def _besides(self, fact: Unbeaten | Open | Odd | Few | Wide | More) -> str:
        """What else must be known."""
        match fact:
            case Unbeaten(baseline, judges):
                return f"{self._listed(judges)} {_is(judges)} not shown to be better than {baseline}."
            case Open():
                return self._open(fact)
            case Odd():
                return odd_text(fact, self.about.given, judge=self._judge(fact.judge), reference=self._reference())
            case Few(few, of):
                return f"{_these(few, of)} on few {self.about.items}: read the interval, not the value."
            case Wide():
                return self._wide(fact)
            case More(count, compared):
                kind = "comparison" if compared else "group"
                return f"{count:,} more {f'{kind} stands' if count == 1 else f'{kind}s stand'} in the table."

    def _standing(self, fact: Standing) -> Iterator[str]:
        """The figure of each judge, or of the first and the last; and whose is undefined."""
        where = self._where(fact.group)
        known = [row for row in fact.rows if row["value"] is not None]
        if len(known) > _MOST_NAMED:
            best, last = known[0], known[-1]
            end = "highest" if self._metric(fact.answer.metric).better == "low" else "lowest"
            clauses = [self._clause(fact, best), f"{self._of(last)}, the {end}, {self._says(fact.answer.then, last)}"]
            where += f"Of {len(fact.rows):,} {plain(self.about.judge)}s, "
        else:
            clauses = [self._clause(fact, row, further=place > 0) for place, row in enumerate(known)]
        if known:
            yield f"{where}{_joined(clauses)}."
        unknown = [row for row in fact.rows if row["value"] is None]
        if unknown:
            whose = f" of {self._listed([row[self.about.judge] for row in unknown])}" if known else ""
            title, reason = self._title(fact.answer.metric), unknown[0]["reason"]
            yield f"{'' if known else where}{title}{whose}: undefined ({reason})."

    def _clause(self, fact: Standing, row: Row, *, further: bool = False) -> str:
        return f"{self._of(row)} {self._says(fact.answer.then if further else fact.answer.says, row)}"

    def _says(self, clause: str, row: Row) -> str:
        known = {key: _value(value) for key, value in row.items()}
        return clause.format(**known | {"figure": self._figure(row), "reference": self._reference()})

    def _reference(self) -> str:
        """Whose labels are trusted, where one was named."""
        named = self.options.get("reference") or []
        one = named if isinstance(named, str) else named[0] if len(named) == 1 else "the reference"
        return self._judge(one)

    def _signs(self, fact: Signs) -> str:
        where, reference = self._where(fact.group), self._judge(fact.reference)
        told = {fact.answer.says: fact.above, fact.answer.below: fact.below}
        found = [says.format(figure=self._strongest(rows), reference=reference) for says, rows in told.items() if rows]
        if not found:
            return f"{where}{fact.answer.neither.format(reference=reference)}."
        if fact.untold:
            found.append(f"For {fact.untold:,} more the data do not tell")
        return f"{where}{'. '.join(found)}."

    def _strongest(self, rows: Sequence[Row]) -> str:
        more = len(rows) - _MOST_NAMED
        named = [f"{self._of(row)} {self._figure(row)}" for row in rows[:_MOST_NAMED]]
        return _joined([*named, *([f"{more:,} more"] if more > 0 else [])])

    def _told(self, fact: Separation, most: int) -> list[str]:
        """Who is better than whom."""
        if len(fact.told) > most:
            best = fact.told[0].one
            others = self._listed([pair.other for pair in fact.told if pair.one == best])
            told = f"{len(fact.told):,} of {fact.pairs:,} pairs are told apart"
            return [f"{self._judge(best)} is better than {others}; {told}."]
        return [
            f"{self._judge(pair.one)} is better than {self._judge(pair.other)} by {self._apart(pair)}{_tested(pair.p)}."
            for pair in fact.told
        ]

    def _tie(self, tie: Tie, pairs: int) -> str:
        """Whom the data do not tell apart, and how many items would."""
        ends, names = tie.ends, self._listed(tie.judges)
        on, apart, more = self._items(ends.difference.n), self._apart(ends), _to_show(ends)
        if len(tie.judges) == 2:  # noqa: PLR2004 - a pair
            return f"{names} cannot be told apart on {on}{_among(ends, pairs)}: {apart}{more}."
        gap = f"the gap between {self._judge(ends.one)} and {self._judge(ends.other)} is {apart} on {on}"
        return f"{names} cannot be told apart{_among(ends, pairs)}: {gap}{more}."

    def _runs(self, pair: Pair) -> str:
        """How a figure of the second run differs from that of the first."""
        value, (second, first) = pair.difference.value, pair.judges or (pair.one, pair.other)
        subject, verbs, changed = self._inside(pair.metric), ("rises", "falls"), "changed"
        other = f"from {short(pair.other)} to {short(pair.one)}"
        if (second, first) != (pair.one, pair.other):
            subject += f" of {self._judge(second)}"
        if first != second and subject != self._inside(pair.metric):
            subject, verbs, changed = f"{subject} in {short(pair.one)}", ("lies above", "lies below"), "differs from"
            other = f"that of {self._judge(first)} in {short(pair.other)}"
        if value is None:
            return f"How {subject} {changed} {other} is {self._apart(pair)}."
        if pair.told:
            verb = verbs[value < 0]
            return f"{subject[:1].upper()}{subject[1:]} {verb} {other} by {self._apart(pair)}{_tested(pair.p)}."
        whether = f"do not tell whether {subject} {changed} {other}"
        return f"{self._items(pair.difference.n)} {whether}: {self._apart(pair)}{_to_show(pair)}."

    def _wide(self, fact: Wide) -> str:
        half = f"{100 * NARROW / 2:.0f}{NO_BREAK}percentage points"
        more = f"About {fact.needed:,} {self.about.items} in place of {fact.rests_on:,}"
        return f"{more} would bring the interval of {self._judge(fact.judge)} down to {half} either way."

    def _open(self, fact: Open) -> str:
        """The bounds of the judges that miss answers."""
        metric, more = self._metric(fact.metric), len(fact.bounds) - _MOST_NAMED
        ends = {judge: tuple(metric_text(end, metric) for end in both) for judge, both in fact.bounds.items()}
        named = [f"{low} and {high} ({self._judge(judge)})" for judge, (low, high) in list(ends.items())[:_MOST_NAMED]]
        listed = _joined([*named, *([f"so on for {more:,} more"] if more > 0 else [])])
        return f"Had nothing been missing, {self._inside(fact.metric)} would lie between {listed}."

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

    def _inside(self, name: str) -> str:
        """The title of a figure within a sentence."""
        title = self._title(name)
        return title[:1].lower() + title[1:] if title[1:2].islower() else title

    def _items(self, count: int) -> str:
        return f"{count:,} {counted_name(self.about.items, count)}"

    def _of(self, row: Row) -> str:
        return self._judge(row[self.about.judge])

    def _judge(self, name: str | None) -> str:
        return short(self.people.get(name, name) if name is not None else None)

    def _listed(self, names: Sequence[str]) -> str:
        more = len(names) - _MOST_NAMED
        others = [f"{more:,} other{'s' if more > 1 else ''}"] if more > 0 else []
        return _joined([*map(self._judge, names[:_MOST_NAMED]), *others])

    def _where(self, group: Group) -> str:
        """The group that a sentence is about."""
        said = [_keyed(plain(key), _value(value)) for key, value in group.items() if value is not None]
        return f"{', '.join(said)}: " if said else ""


def _value(value: object) -> str:
    return short_number(value) if isinstance(value, float) else short(plain(str(value)))


def _keyed(key: str, value: str) -> str:
    """A value under its key, which is not said again where the value begins with it: `week 2`."""
    return value if value.casefold().startswith(f"{key.casefold()} ") else f"{key} {value}"


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
    """Where the own interval of two that are not told apart leaves out 0: of how many pairs they are one."""
    low, high = pair.difference.low, pair.difference.high
    alone = low is not None and high is not None and not low <= 0 <= high
    return f", with {pairs:,} pairs compared" if alone else ""


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
