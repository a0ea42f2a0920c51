"""What a report concludes, in sentences: the facts of `adjudge.metrics.conclusions` in words."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from adjudge.estimate import Estimate
from adjudge.metrics import caveats, conclusions, ranking, trends
from adjudge.metrics.conclusions import Fact, Ranking
from adjudge.metrics.data_checks import DataProblem
from adjudge.metrics.ranking import PairTest, Separation, contains_zero
from adjudge.metrics.row_selection import TableRow
from adjudge.metrics.settings_diff import SettingsDiff
from adjudge.render.fact_sentences import MOST_PAIRS, FactSentences
from adjudge.render.numbers import counted_name, p_clause, plain
from adjudge.render.opening_sentences import opening_of
from adjudge.render.wording import MOST_NAMED, difference_text, in_words, joined, joined_first
from adjudge.report import Report

_OF_DATA = (
    *(trends.ItemOverlap, conclusions.DroppedRows, conclusions.SmallSample, trends.RunCoverage, DataProblem),
    *(caveats.MissingAnswerBounds, conclusions.NoProblem, SettingsDiff),
)
"""Facts about the data."""
_NAMED_FIGURES = 2
"""More figures than this are not named where all say the same."""
_OTHER_END = {"lowest": "highest", "highest": "lowest"}


def concluded(report: Report, told: Sequence[Sequence[Fact]]) -> tuple[str, ...]:
    """The sentences with which a report opens. told: the facts that its tables hold.

    Where they are about several figures or groups, those about one make one line.
    """
    opening = opening_of(report)
    own = opening.sentences(report)
    instead = own and opening.place == "instead"
    parts = [part for part in told if part and not (instead and isinstance(part[0], Ranking | conclusions.Omitted))]
    said, same = [line for line, _ in _lines(report, parts)], _same_tie(parts)
    head = [_Words(report).in_all(same)] if same else []
    both = (*said, *own) if opening.place == "behind" else (*own, *said)
    return tuple(dict.fromkeys((*head, *both)))  # what is undefined for one reason is told once


def answer_and_data(report: Report) -> tuple[list[str], list[str]]:
    """The sentences with which a report opens: those about who was judged, and those about its data."""
    if not report.conclusion:
        return [], []
    own = opening_of(report).of_data
    lines = _lines(report, [part for part in conclusions.facts(report) if part])
    data = {*(own(report) if own else ()), *(line for line, data in lines if data)}
    answer = [one for one in report.conclusion if one not in data]
    return answer, [one for one in report.conclusion if one in data]


def _lines(report: Report, parts: Sequence[Sequence[Fact]]) -> Iterator[tuple[str, bool]]:
    """The facts in words, and whether each line is about the data alone."""
    words = _Words(report)
    alone = sum(isinstance(part[0], Ranking | conclusions.SignTests) for part in parts) < 2  # noqa: PLR2004 - several
    words.same = _same_tie(parts)
    for part in parts:
        said = [(sentence, isinstance(fact, _OF_DATA)) for fact in part for sentence in words.of(fact, alone=alone)]
        if alone:
            yield from said
        elif said:
            yield _in_one_line([sentence for sentence, _ in said], words.same), all(data for _, data in said)


def _in_one_line(said: Sequence[str], same: ranking.CommonTie | None) -> str:
    """The sentences about one figure; figures that go with a tie that was told before them, and the gap, are one."""
    if not same or len(said) != 2:  # noqa: PLR2004 - a figure of each, and the gap
        return " ".join(said)
    figures, gap = said
    return f"{figures.removesuffix('.')}; {gap.replace('The difference', 'the difference', 1)}"


def _same_tie(parts: Sequence[Sequence[Fact]]) -> ranking.CommonTie | None:
    """The tie that all figures share, with which a report opens."""
    return ranking.common_tie([fact for part in parts for fact in part])


class _Words(FactSentences):
    """The sentences of each kind of fact. same: the tie that all figures share, which is told once before them."""

    same: ranking.CommonTie | None = None

    def of(self, fact: Fact, *, alone: bool) -> list[str]:
        """The sentences of a fact. alone: whether there is room for more than the chief one."""
        if isinstance(fact, Separation):
            told = self._told(fact, MOST_PAIRS if alone else 1)
            tie = [self._tie(fact)] if fact.tie and (alone or not told) else []
            return [*tie, *told] if _nobody_is_best(fact) else [*told, *tie]  # who is best is asked first
        said = self.kinds[type(fact)](self, fact)
        return [said] if isinstance(said, str) else list(said)

    def _level(self, fact: conclusions.TiedFirst) -> str:
        level = f"{self.listed(fact.judges)} are level. " if len(fact.judges) > 1 else ""
        return f"{level}Only published values are known: nothing tells which differences are chance."

    def _no_problem(self, _: conclusions.NoProblem) -> str:
        return f"Nothing odd was found in the counts of {self.about.label_counts.noun}."

    def _dropped_rows(self, fact: conclusions.DroppedRows) -> str:
        listed = joined([f"{count:,} for {plain(name)}" for name, count in fact.rows.items()])
        twice = " (a row may count for several)" if len(fact.rows) > 1 else ""
        return f"Rows with missing, invalid or repeated values were dropped and count nowhere: {listed}{twice}."

    def _standing(self, fact: Ranking) -> Iterator[str]:
        """The figure of each judge, or of the first and the last; and whose is undefined."""
        where = self.where(fact.group)
        known = [row for row in fact.rows if row["value"] is not None]
        ranked = [row for row in known if row[self.about.judge] not in fact.few]
        if fact.few:
            of, noun = f"{'of' if where else 'Of'} {len(ranked):,} {self.judges}", self.about.label_counts.noun
            where += f"{of} with enough {noun}, "
        if len(ranked) > MOST_NAMED:
            best, last = ranked[0], ranked[-1]
            end = "highest" if self.metric(fact.answer.metric).better == "low" else "lowest"
            clauses = [
                f"{self.judge_of(best)}, the {_OTHER_END[end]}, {self._says(fact.answer.clause, best)}",
                f"{self.judge_of(last)}, the {end}, {self._says(fact.answer.next_clause, last)}",
            ]
            if not fact.few:
                where += f"{'of' if where else 'Of'} {len(fact.rows):,} {self.judges}, "
        else:
            clauses = [self._clause(fact, row, further=place > 0) for place, row in enumerate(ranked)]
        if known:
            yield f"{where}{joined(clauses)}."
        if fact.few:
            yield self._on_few([row for row in known if row[self.about.judge] in fact.few])
        unknown = [row for row in fact.rows if row["value"] is None]
        if unknown:
            whose = f" of {self.listed([row[self.about.judge] for row in unknown])}" if known else ""
            title, reason = self.metric(fact.answer.metric).title, unknown[0]["reason"]
            titles = (self.about.names.get(key, {}).get(value) for key, value in fact.answer.where.items())
            named = ", ".join(filter(None, (title, *titles)))
            yield f"{'' if known else where}{named}{whose}: undefined ({reason})."

    def _on_few(self, rows: Sequence[TableRow]) -> str:
        """The figures of those with few labels, which are told apart from the others."""
        noun = self.about.label_counts.noun
        labels = [(row, f"{row['n']:,} {counted_name(noun, row['n'])}") for row in rows]
        named = [f"{self.judge_of(row)} has {self.figure(row)} on only {many}" for row, many in labels]
        return f"{joined_first(named, f'{{}} more have few {noun}, too')}."

    def _clause(self, fact: Ranking, row: TableRow, *, further: bool = False) -> str:
        return f"{self.judge_of(row)} {self._says(fact.answer.next_clause if further else fact.answer.clause, row)}"

    def _says(self, clause: str, row: TableRow) -> str:
        judges = {self.about.judge, "reference"}
        known = {key: self.judge(value) if key in judges else in_words(value) for key, value in row.items()}
        further = {"reference": self.reference(), "average": " on average" if self.averaged(row) else ""}
        return clause.format(**further | known | {"figure": self.figure(row)})

    def _sign_tests(self, fact: conclusions.SignTests) -> str:
        where, reference = self.where(fact.group), self.judge(fact.reference)
        title = f"{self.metric(fact.answer.metric).title} with {reference} as the reference is"
        if not fact.above and not fact.below:
            return f"{where}{title} significantly different from 0 for no {plain(self.about.judge)}."
        sides = {"above": fact.above, "below": fact.below}
        found = [f"{title} significantly {side} 0: {self._strongest(rows)}" for side, rows in sides.items() if rows]
        known = [row for row in fact.undecided if row["value"] is not None]
        if known:
            named = joined_first([*map(self._untold, known)], "{} other")
            found.append(f"Not significantly different from 0: {named}")
        if unknown := [row for row in fact.undecided if row["value"] is None]:
            have = "has" if len(unknown) == 1 else "have"
            found.append(f"{self._strongest(unknown)} {have} no figure")
        return f"{where}{'. '.join(found)}."

    def _strongest(self, rows: Sequence[TableRow]) -> str:
        return joined_first([*map(self._with_figure, rows)])

    def _untold(self, row: TableRow) -> str:
        """A judge with a metric that is not significantly different from 0, with p if the interval excludes 0."""
        said = self._with_figure(row)
        if contains_zero(Estimate.from_row(row)):
            return said
        return f"{said.removesuffix(')')}{p_clause(row['p_adjusted'], row['tests'])})" if said.endswith(")") else said

    def _with_figure(self, row: TableRow) -> str:
        """A judge, and its figure if it is known."""
        quoted = self.quoted(row)
        return quoted if row["value"] is None else f"{quoted} {self.figure(row)}"

    def _told(self, fact: Separation, most: int) -> list[str]:
        """Who is better than whom."""
        if fact.count > most:
            known = (pair.one for pair in fact.significant if pair.one not in fact.few_labels)
            best = next(known, fact.significant[0].one)
            beaten = [pair.other for pair in fact.significant if pair.one == best]
            told = f"in all, {fact.count:,} of {fact.pairs:,} compared pairs are shown to differ"
            return [f"{self.judge(best)} is better than {self._beaten(beaten, fact)}; {told}."]
        return [
            f"{self.judge(pair.one)} is better than {self.judge(pair.other)} by {self._apart_with_p(pair)}."
            for pair in fact.significant
        ]

    def _beaten(self, beaten: Sequence[str], fact: Separation) -> str:
        """Whom the best is better than: their names, or of more how many they are."""
        if len(beaten) <= MOST_NAMED:
            return self.listed(beaten)
        others = fact.compared - 1
        share = "all" if len(beaten) == others else f"{len(beaten):,} of the"
        return f"{share} {others:,} {self.judges} that it is compared with"

    def _tie(self, fact: Separation) -> str:
        """Whom the data do not tell apart, and how many items would."""
        if fact.tie is None:
            return ""
        judges, pair = fact.tie.judges, fact.tie.ends
        if self.same:
            size = "" if self.same.same_sample_size else f"{self._on(pair)}{self._to_show(pair)}"
            return f"{self._gap(pair)}{size}."
        if len(judges) == 2 and _ahead(pair, judges):  # noqa: PLR2004 - a pair
            ahead = f"{self.judge(pair.one)} is ahead of {self.judge(pair.other)}, but not shown to be better"
            return f"{ahead}: {self._sized(pair)}{self._on(pair)}{self._to_show(pair)}."
        if len(judges) == 2:  # noqa: PLR2004 - a pair
            level = f"{self.listed(judges)} cannot be told apart{self._on(pair)}"
            return f"{level}: {self._sized(pair)}{self._to_show(pair)}."
        nobody = f"No {plain(self.about.judge)} is shown to be best: " if fact.first else ""
        if len(judges) <= MOST_NAMED:
            who = f"{self.listed(judges)} cannot be told apart"
        elif fact.first:
            count = fact.judges - len(fact.few_labels)
            among = "" if len(judges) == count else f"first {len(judges):,} of "
            ranked = "ranked by their figures, " if among else ""
            enough = f" with enough {self.about.label_counts.noun}" if fact.few_labels else ""
            who = f"{ranked}no two of the {among}{count:,} {self.judges}{enough} can be told apart"
            if _ahead(pair, judges):
                ends = f"number 1, {self.judge(pair.one)}, and number {len(judges):,}, {self.judge(pair.other)}"
                gap = f"Even the difference between {ends}, may be chance: {self._sized(pair)}"
                return f"{nobody}{who}. {gap}{self._on(pair)}{self._to_show(pair)}."
        else:
            ends = f"from {self.judge(judges[0])} to {self.judge(judges[-1])}"
            who = f"{len(judges):,} {self.judges}, {ends}, cannot be told apart"
        one, other, size = self.judge(pair.one), self.judge(pair.other), self._sized(pair)
        if fact.tests > 1 and contains_zero(pair.difference):  # else it stands with the adjusted p
            who += f", as {fact.tests:,} pairs are tested together"
        lead = f"even the lead of {one} over {other}, {size}, may be chance"
        gap = lead if pair.difference.value else f"{one} and {other} differ by {size}"
        return f"{nobody}{who}; {gap}{self._on(pair)}{self._to_show(pair)}."

    def in_all(self, same: ranking.CommonTie) -> str:
        """Whom no figure tells apart."""
        pair, figures = same.pair, [self.inside(metric) for metric in dict.fromkeys(same.metrics)]
        few = len(figures) == len(same.metrics) <= _NAMED_FIGURES
        named = joined(figures) if few else f"all {len(same.metrics):,} figures"
        on = self._on(pair) if same.same_sample_size else ""
        more = self._to_show(pair) if same.same_sample_size else ""
        more = more.replace("a difference of this size", "differences of these sizes")
        if same.ahead:
            neither = f"Neither {plain(self.about.judge)} is shown to be better"
            ahead = f"{self.judge(pair.one)} is ahead of {self.judge(pair.other)}"
            return f"{neither}: {ahead} in {named}, which may be chance{on}{more}."
        unnamed = named if few else f"any of {len(same.metrics):,} figures"
        return f"{self.listed([pair.one, pair.other])} cannot be told apart in {unnamed}{on}{more}."

    def _sized(self, pair: PairTest) -> str:
        """A difference that is not shown: with its interval, or where that leaves out 0 with the p that says so."""
        apart = difference_text(pair.difference, self.metric(pair.metric), absolute=True)
        if pair.difference.low is None or pair.p is None or contains_zero(pair.difference):
            return apart
        return f"{apart.partition(' (')[0]} ({p_clause(pair.p, pair.tests).removeprefix(', ')})"

    def _gap(self, pair: PairTest) -> str:
        """The difference of two as a sentence without its end."""
        if not pair.difference.value:
            return f"The difference is {self._sized(pair)}"
        return f"{self.judge(pair.one)} is ahead by {self._sized(pair)}"

    def _on(self, pair: PairTest) -> str:
        """On how many items a difference rests, of how many where it is not all."""
        n, items = min(pair.difference.n, pair.collected), self.counts.get(self.about.items, 0)
        if n >= items or self.options.get("by"):
            return f" on {self.items(n)}"
        return f" on {n:,} of {self.items(items)}"

    def _small_sample(self, fact: conclusions.SmallSample) -> str:
        """Which figures rest on few items."""
        if fact.few == fact.of:
            which = "This figure rests" if fact.of == 1 else "These figures rest"
        elif 0 < len(fact.judges) <= MOST_NAMED:
            whose = f" of {self.listed(fact.judges)}"
            which = f"The figure{whose} rests" if fact.few == 1 else f"Figures{whose} rest"
        else:
            which = f"{fact.few:,} of these {fact.of:,} figures rest{'s' if fact.few == 1 else ''}"
        return f"{which} on few {self.about.items}: read the interval, not the value."

    def _match(self, fact: ranking.AgreementRange) -> str:
        """Which two annotators agree most, and which least."""
        most = self._says(fact.answer.clause, fact.most)
        if fact.least is None:
            return f"{most}."
        least = self._says(fact.answer.next_clause, fact.least)
        return f"{most}, the best of {fact.pairs:,} pairs; {least}, the worst."

    def _nearest(self, fact: ranking.ClosestScorer) -> str:
        """Which scorer is nearest to people, and where it errs."""
        row, errors = fact.agreement, ((fact.false_right, "yes", "no"), (fact.false_wrong, "no", "yes"))
        of = f"Of {fact.of:,} scorers, {row['scorer']} agrees most" if fact.of > 1 else f"{row['scorer']} agrees"
        what = "what is correct" if row["verdict"] == "correct" else f"the verdict {plain(row['verdict'])}"
        known = ((self.figure(one), own, theirs) for one, own, theirs in errors if one["value"] is not None)
        told = [f"{own} in {figure} of answers where they say {theirs}" for figure, own, theirs in known]
        said = f"; it says {joined(told)}" if told else ""
        rates = [self.figure(one) for one in fact.corrected or ()]
        both = " It says yes to {} of all answers; people would say yes to {}, by the corrected rate."
        corrected = both.format(*rates) if rates else ""
        return f"{of} with people on {what}, in {self.figure(row)} of {row['n']:,} answers{said}.{corrected}"

    def _omitted_rows(self, fact: conclusions.Omitted) -> str:
        """How many groups or comparisons the sentences leave to the table."""
        kind = "comparison" if fact.compared else "group"
        return f"{fact.count:,} more {f'{kind} stands' if fact.count == 1 else f'{kind}s stand'} in the table."

    kinds: ClassVar = {
        **FactSentences.kinds,
        Ranking: _standing,
        conclusions.SignTests: _sign_tests,
        conclusions.TiedFirst: _level,
        conclusions.NoProblem: _no_problem,
        conclusions.DroppedRows: _dropped_rows,
        conclusions.SmallSample: _small_sample,
        conclusions.Omitted: _omitted_rows,
        ranking.AgreementRange: _match,
        ranking.ClosestScorer: _nearest,
    }


def _nobody_is_best(fact: Separation) -> bool:
    """Whether the first of more than two judges are not told apart."""
    return fact.tie is not None and fact.first and len(fact.tie.judges) > 2  # noqa: PLR2004 - a pair


def _ahead(pair: PairTest, judges: Sequence[str]) -> bool:
    """Whether the judge that ranks first of several is ahead on the items of both, too."""
    return pair.one == judges[0] and bool(pair.difference.value)
