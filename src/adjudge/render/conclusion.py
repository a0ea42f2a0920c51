"""What a report concludes, in sentences: the facts of `adjudge.metrics.conclusions` in words."""

from collections.abc import Iterator, Sequence

from adjudge.estimate import Estimate
from adjudge.metrics.caveats import BaselineUnbeaten, ChanceAgreement, FirstValueOnly, MissingAnswerBounds, WideInterval
from adjudge.metrics.conclusions import (
    DroppedRows,
    Fact,
    NoProblem,
    Omitted,
    PartChanges,
    Ranking,
    SideFact,
    SignTests,
    SmallSample,
    TiedFirst,
    facts,
)
from adjudge.metrics.data_checks import DataProblem
from adjudge.metrics.ranking import (
    AgreementRange,
    ClosestScorer,
    CommonTie,
    PairTest,
    Separation,
    common_tie,
    contains_zero,
)
from adjudge.metrics.row_selection import TableRow
from adjudge.metrics.settings_diff import SettingsDiff
from adjudge.metrics.trends import ItemOverlap, RunCoverage, SeeRunReport, StepTests
from adjudge.render.conclusion_of_runs import MOST_PAIRS, OfRuns
from adjudge.render.numbers import counted_name, plain
from adjudge.render.oddities import odd_text
from adjudge.render.openings import opening_of
from adjudge.render.wording import MOST_NAMED, difference_text, in_words, joined, tested
from adjudge.report import Report

_OF_DATA = (
    ItemOverlap | DroppedRows | SmallSample | RunCoverage | DataProblem | MissingAnswerBounds | NoProblem | SettingsDiff
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
    parts = [part for part in told if part and not (instead and isinstance(part[0], Ranking | Omitted))]
    said, same = [line for line, _ in _lines(report, parts)], _same_tie(parts)
    head = [_Words(report).in_all(same)] if same else []
    both = (*said, *own) if opening.place == "behind" else (*own, *said)
    return tuple(dict.fromkeys((*head, *both)))  # what is undefined for one reason is told once


def answer_and_data(report: Report) -> tuple[list[str], list[str]]:
    """The sentences with which a report opens: those about who was judged, and those about its data."""
    if not report.conclusion:
        return [], []
    own = opening_of(report).of_data
    lines = _lines(report, [part for part in facts(report) if part])
    data = {*(own(report) if own else ()), *(line for line, data in lines if data)}
    answer = [one for one in report.conclusion if one not in data]
    return answer, [one for one in report.conclusion if one in data]


def _lines(report: Report, parts: Sequence[Sequence[Fact]]) -> Iterator[tuple[str, bool]]:
    """The facts in words, and whether each line is about the data alone."""
    words = _Words(report)
    alone = sum(isinstance(part[0], Ranking | SignTests) for part in parts) < 2  # noqa: PLR2004 - several
    words.same = _same_tie(parts)
    for part in parts:
        said = [(sentence, isinstance(fact, _OF_DATA)) for fact in part for sentence in words.of(fact, alone=alone)]
        if alone:
            yield from said
        elif said:
            yield _in_one_line([sentence for sentence, _ in said], words.same), all(data for _, data in said)


def _in_one_line(said: Sequence[str], same: CommonTie | None) -> str:
    """The sentences about one figure; figures that go with a tie that was told before them, and the gap, are one."""
    if not same or len(said) != 2:  # noqa: PLR2004 - a figure of each, and the gap
        return " ".join(said)
    figures, gap = said
    return f"{figures.removesuffix('.')}; {gap.replace('The difference', 'the difference', 1)}"


def _same_tie(parts: Sequence[Sequence[Fact]]) -> CommonTie | None:
    """The tie that all figures share, with which a report opens."""
    return common_tie([fact for part in parts for fact in part])


class _Words(OfRuns):
    """The sentences of each kind of fact. same: the tie that all figures share, which is told once before them."""

    same: CommonTie | None = None

    def of(self, fact: Fact, *, alone: bool) -> list[str]:
        """The sentences of a fact. alone: whether there is room for more than the chief one."""
        match fact:
            case Ranking():
                said = list(self._standing(fact))
            case Separation():
                told = self._told(fact, MOST_PAIRS if alone else 1)
                tie = [self._tie(fact)] if fact.tie and (alone or not told) else []
                said = [*tie, *told] if _nobody_is_best(fact) else [*told, *tie]  # who is best is asked first
            case SignTests():
                said = [self._signs(fact)]
            case PairTest():
                said = [self._runs(fact)]
            case PartChanges():
                said = [self._parts(fact)]
            case StepTests():
                said = list(self._moves(fact))
            case RunCoverage():
                said = [self._held(fact)]
            case AgreementRange():
                said = [self._match(fact)]
            case ClosestScorer():
                said = [self._nearest(fact)]
            case _:
                said = [self._besides(fact)]
        return said

    def _besides(self, fact: SideFact) -> str:
        """What else must be known."""
        match fact:
            case SeeRunReport() | SettingsDiff() | ItemOverlap():
                said = self.between(fact)
            case FirstValueOnly() | BaselineUnbeaten() | ChanceAgreement() | MissingAnswerBounds() | WideInterval():
                said = self.reserved(fact)
            case TiedFirst(judges):
                level = f"{self.listed(judges)} are level. " if len(judges) > 1 else ""
                said = f"{level}Only published values are known: nothing tells which differences are chance."
            case DataProblem():
                names = {"judge": self.judge(fact.judge), "reference": self.reference()}
                said = odd_text(fact, self.about, **names, items=self.counts.get(self.about.items, 0))
            case NoProblem():
                said = f"Nothing odd was found in the counts of {self.about.label_counts.noun}."
            case DroppedRows(rows):
                listed = joined([f"{count:,} for {plain(name)}" for name, count in rows.items()])
                twice = " (a row may count for several)" if len(rows) > 1 else ""
                said = f"Rows with missing, invalid or repeated values were dropped and count nowhere: {listed}{twice}."
            case SmallSample():
                said = f"{self._few(fact)} on few {self.about.items}: read the interval, not the value."
            case Omitted():
                said = _more(fact)
        return said

    def _standing(self, fact: Ranking) -> Iterator[str]:
        """The figure of each judge, or of the first and the last; and whose is undefined."""
        where = self.where(fact.group)
        known = [row for row in fact.rows if row["value"] is not None]
        ranked = [row for row in known if row[self.about.judge] not in fact.few]
        if fact.few:
            where += (
                f"{'of' if where else 'Of'} {len(ranked):,} {self.judges} with enough {self.about.label_counts.noun}, "
            )
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
            usual = f"{title}{whose}: undefined ({{reason}})"
            yield f"{'' if known else where}{(fact.answer.unknown or usual).format(reason=reason)}."

    def _on_few(self, rows: Sequence[TableRow]) -> str:
        """The figures of those with few labels, which are told apart from the others."""
        noun = self.about.label_counts.noun
        named = [
            f"{self.judge_of(row)} has {self.figure(row)} on only {row['n']:,} {counted_name(noun, row['n'])}"
            for row in rows[:MOST_NAMED]
        ]
        more = [f"{len(rows) - MOST_NAMED:,} more have few {noun}, too"] if len(rows) > MOST_NAMED else []
        return f"{joined([*named, *more])}."

    def _clause(self, fact: Ranking, row: TableRow, *, further: bool = False) -> str:
        return f"{self.judge_of(row)} {self._says(fact.answer.next_clause if further else fact.answer.clause, row)}"

    def _says(self, clause: str, row: TableRow) -> str:
        judges = {self.about.judge, "reference"}
        known = {key: self.judge(value) if key in judges else in_words(value) for key, value in row.items()}
        further = {"reference": self.reference(), "average": " on average" if self.averaged(row) else ""}
        return clause.format(**further | known | {"figure": self.figure(row)})

    def _signs(self, fact: SignTests) -> str:
        where, reference = self.where(fact.group), self.judge(fact.reference)
        usual = fact.answer.clause, fact.answer.below, fact.answer.none_clause, fact.answer.open_clause
        instead = (said for prefix, said in fact.answer.instead.items() if fact.reference.startswith(prefix))
        above, below, neither, open_ = next(instead, usual)
        told = {above: fact.above, below: fact.below}
        found = [
            says.format(figure=self._strongest(rows), reference=reference, **self._who(rows))
            for says, rows in told.items()
            if rows
        ]
        if not found:
            return f"{where}{neither.format(reference=reference)}."
        known = [row for row in fact.undecided if row["value"] is not None]
        if known:
            others = len(known) - MOST_NAMED
            more = [f"{others:,} other{'s' if others > 1 else ''}"] if others > 0 else []
            named = joined([*map(self._untold, known[:MOST_NAMED]), *more])
            found.append(open_.format(reference=reference, named=named))
        if unknown := [row for row in fact.undecided if row["value"] is None]:
            have = "has" if len(unknown) == 1 else "have"
            found.append(f"{self._strongest(unknown)} {have} no figure")
        if fact.between:
            found.insert(1, self._two(fact.between))
        return f"{where}{'. '.join(found)}."

    def _two(self, pair: PairTest) -> str:
        """How two judges differ, without the end of the sentence."""
        whether = "" if pair.significant else "cannot be told apart: they "
        p = tested(pair.p) if pair.significant or not contains_zero(pair.difference) else ""
        return f"The two {whether}differ by {self._apart(pair)}{p}"

    def _strongest(self, rows: Sequence[TableRow]) -> str:
        more = len(rows) - MOST_NAMED
        named = [self._with_figure(row) for row in rows[:MOST_NAMED]]
        return joined([*named, *([f"{more:,} more"] if more > 0 else [])])

    def _who(self, rows: Sequence[TableRow]) -> dict[str, str]:
        """The judges of some rows and their figures apart: who, figures, and the s of a verb about one judge."""
        first, more = rows[:MOST_NAMED], len(rows) - MOST_NAMED
        named = [*map(self.quoted, first), *([f"{more:,} more"] if more > 0 else [])]
        return {"who": joined(named), "figures": joined([*map(self.figure, first)]), "s": "s" * (len(rows) == 1)}

    def _untold(self, row: TableRow) -> str:
        """The same of a figure that is not told from 0: where its interval leaves out 0, with the p that says so."""
        said = self._with_figure(row)
        if contains_zero(Estimate.from_row(row)):
            return said
        return f"{said.removesuffix(')')}{tested(row['p_adjusted'])})" if said.endswith(")") else said

    def _with_figure(self, row: TableRow) -> str:
        """A judge, and its figure if it is known."""
        quoted = self.quoted(row)
        return quoted if row["value"] is None else f"{quoted} {self.figure(row)}"

    def _told(self, fact: Separation, most: int) -> list[str]:
        """Who is better than whom."""
        if fact.count > most:
            best = next(
                (pair.one for pair in fact.significant if pair.one not in fact.few_labels), fact.significant[0].one
            )
            beaten, others = [pair.other for pair in fact.significant if pair.one == best], fact.judges - 1
            told = f"in all, {fact.count:,} of {fact.pairs:,} pairs are shown to differ"
            return [f"{self.judge(best)} is better than {self._beaten(beaten, others)}; {told}."]
        return [
            f"{self.judge(pair.one)} is better than {self.judge(pair.other)} by {self._apart(pair)}{tested(pair.p)}."
            for pair in fact.significant
        ]

    def _beaten(self, beaten: Sequence[str], others: int) -> str:
        """Whom the best is better than: their names, or of more how many they are."""
        if len(beaten) <= MOST_NAMED:
            return self.listed(beaten)
        return (
            f"{len(beaten):,} of the other {others:,} {self.judges}"
            if len(beaten) < others
            else f"all {others:,} others"
        )

    def _tie(self, fact: Separation) -> str:
        """Whom the data do not tell apart, and how many items would."""
        if fact.tie is None:
            return ""
        judges, pair = fact.tie.judges, fact.tie.ends
        if self.same:
            size = "" if self.same.same_sample_size else f"{self._on(pair)}{self._to_show(pair)}"
            return f"{self._gap(pair, fact.tests)}{size}."
        if len(judges) == 2 and _ahead(pair, judges):  # noqa: PLR2004 - a pair
            ahead = f"{self.judge(pair.one)} is ahead of {self.judge(pair.other)}, but not shown to be better"
            return f"{ahead}: {self._sized(pair, fact.tests)}{self._on(pair)}{self._to_show(pair)}."
        if len(judges) == 2:  # noqa: PLR2004 - a pair
            level = f"{self.listed(judges)} cannot be told apart{self._on(pair)}"
            return f"{level}: {self._sized(pair, fact.tests)}{self._to_show(pair)}."
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
                gap = f"Even the difference between {ends}, may be chance: {self._sized(pair, fact.tests)}"
                return f"{nobody}{who}. {gap}{self._on(pair)}{self._to_show(pair)}."
        else:
            ends = f"from {self.judge(judges[0])} to {self.judge(judges[-1])}"
            who = f"{len(judges):,} {self.judges}, {ends}, cannot be told apart"
        one, other, size = self.judge(pair.one), self.judge(pair.other), self._sized(pair, fact.tests)
        if fact.tests > 1 and contains_zero(pair.difference):  # else it stands with the adjusted p
            who += f", as {fact.tests:,} pairs are tested together"
        lead = f"even the lead of {one} over {other}, {size}, may be chance"
        gap = lead if pair.difference.value else f"{one} and {other} differ by {size}"
        return f"{nobody}{who}; {gap}{self._on(pair)}{self._to_show(pair)}."

    def in_all(self, same: CommonTie) -> str:
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

    def _sized(self, pair: PairTest, tests: int) -> str:
        """A difference that is not shown: with its interval, or where that leaves out 0 with the p that says so.

        tests: among how many it is adjusted.
        """
        apart = difference_text(pair.difference, self.metric(pair.metric), absolute=True)
        if pair.difference.low is None or pair.p is None or contains_zero(pair.difference):
            return apart
        among = f" among {tests:,} tests" if tests > 1 else ""
        return f"{apart.partition(' (')[0]} ({tested(pair.p).removeprefix(', ')}{among})"

    def _gap(self, pair: PairTest, tests: int) -> str:
        """The difference of two as a sentence without its end."""
        if not pair.difference.value:
            return f"The difference is {self._sized(pair, tests)}"
        return f"{self.judge(pair.one)} is ahead by {self._sized(pair, tests)}"

    def _on(self, pair: PairTest) -> str:
        """On how many items a difference rests, of how many where it is not all; of different ones nothing is said."""
        n, items = pair.difference.n, self.counts.get(self.about.items, 0)
        if pair.estimates:
            return ""
        if n >= items or self.options.get("by"):
            return f" on {self.items(n)}"
        known_of = next((answer.known_of for answer in self.about.answers if answer.metric == pair.metric), "")
        return f" on the {n:,} of {self.items(items)} {known_of}" if known_of else f" on {n:,} of {self.items(items)}"

    def _few(self, fact: SmallSample) -> str:
        """Which figures rest on few items, without the end of the sentence."""
        if fact.few == fact.of:
            return "This figure rests" if fact.of == 1 else "These figures rest"
        if 0 < len(fact.judges) <= MOST_NAMED:
            whose = f" of {self.listed(fact.judges)}"
            return f"The figure{whose} rests" if fact.few == 1 else f"Figures{whose} rest"
        return f"{fact.few:,} of these {fact.of:,} figures rest{'s' if fact.few == 1 else ''}"

    def _match(self, fact: AgreementRange) -> str:
        """Which two annotators agree most, and which least."""
        most = self._says(fact.answer.clause, fact.most)
        if fact.least is None:
            return f"{most}."
        least = self._says(fact.answer.next_clause, fact.least)
        return f"{most}, the best of {fact.pairs:,} pairs; {least}, the worst."

    def _nearest(self, fact: ClosestScorer) -> str:
        """Which scorer is nearest to people, and where it errs."""
        row, errors = fact.agreement, ((fact.false_right, "yes", "no"), (fact.false_wrong, "no", "yes"))
        of = f"Of {fact.of:,} scorers, {row['scorer']} agrees most" if fact.of > 1 else f"{row['scorer']} agrees"
        what = "what is correct" if row["verdict"] == "correct" else f"the verdict {plain(row['verdict'])}"
        told = [
            f"{own} in {self.figure(one)} of answers where they say {theirs}"
            for one, own, theirs in errors
            if one["value"] is not None
        ]
        said = f"; it says {joined(told)}" if told else ""
        rates = [self.figure(one) for one in fact.corrected or ()]
        corrected = (
            " It says yes to {} of all answers; people would say yes to {}, by the corrected rate.".format(*rates)
            if rates
            else ""
        )
        return f"{of} with people on {what}, in {self.figure(row)} of {row['n']:,} answers{said}.{corrected}"


def _nobody_is_best(fact: Separation) -> bool:
    """Whether the first of more than two judges are not told apart."""
    return fact.tie is not None and fact.first and len(fact.tie.judges) > 2  # noqa: PLR2004 - a pair


def _ahead(pair: PairTest, judges: Sequence[str]) -> bool:
    """Whether the judge that ranks first of several is ahead on the items of both, too."""
    return pair.one == judges[0] and bool(pair.difference.value)


def _more(fact: Omitted) -> str:
    """How many groups or comparisons the sentences leave to the table."""
    kind = "comparison" if fact.compared else "group"
    return f"{fact.count:,} more {f'{kind} stands' if fact.count == 1 else f'{kind}s stand'} in the table."
