"""What a report concludes of runs that are compared, or follow one another, in sentences."""

from collections.abc import Iterator, Sequence

from adjudge.display_names import short_name
from adjudge.metrics.conclusions import PartChanges
from adjudge.metrics.ranking import PairTest, contains_zero
from adjudge.metrics.settings_diff import SettingsDiff
from adjudge.metrics.trends import MISSING, RUN_COLUMNS, ItemOverlap, RunCoverage, SeeRunReport, StepTests
from adjudge.render.numbers import NO_BREAK, metric_text, plain
from adjudge.render.reservations import Reservations
from adjudge.render.wording import MOST_NAMED, capital, difference_text, in_words, joined, tested

MOST_PAIRS = 3
"""More differences than this are not all told."""
_TESTED = "tested from run to run and from the first to the last"
_OUT_OF_REACH = 100_000
"""Of more items than this it is not said how many would show a difference."""


class OfRuns(Reservations):
    """The sentences on runs, and on differences of any kind."""

    def between(self, fact: SeeRunReport | SettingsDiff | ItemOverlap) -> str:
        """What else must be known of runs, besides their differences."""
        match fact:
            case SeeRunReport():
                return "Who is best in one run is not tested here; see the report of that run."
            case SettingsDiff(settings):
                return self._unlike(settings)
            case ItemOverlap():
                return self._shared(fact)

    def _shared(self, fact: ItemOverlap) -> str:
        """Which items two runs share."""
        one, other = map(short_name, fact.names)
        if not fact.first and not fact.second:
            return f"Both runs, {one} and {other}, hold the same {self.items(fact.both)}.{self._lacking(fact)}"
        alone = f"{fact.first:,} more in {one} alone, {fact.second:,} in {other} alone"
        return f"{self.items(fact.both)} stand in both runs, and are compared; {alone}.{self._lacking(fact)}"

    def _unlike(self, settings: Sequence[str]) -> str:
        """In which settings runs differ."""
        named = [plain(one) for one in settings[:MOST_NAMED]]
        more = len(settings) - len(named)
        listed = joined([*named, *([f"{more:,} more"] if more else [])])
        return f"The runs were scored with different settings ({listed}): a figure may have changed for that alone."

    def _lacking(self, fact: ItemOverlap) -> str:
        """Which share of its labels each of two runs lacks, behind what is said of them."""
        if fact.missing is None or not any(fact.missing):
            return ""
        metric = self.metric(MISSING)
        told = [
            f"{short_name(name)} lacks {metric_text(share, metric)} of its {self.about.label_counts.noun}"
            for name, share in zip(fact.names, fact.missing, strict=True)
            if share
        ]
        counts = ", which count as wrong" if self.about.label_counts.counts == "as wrong" else ""
        return f" {joined(told)}{counts}."

    def _runs(self, pair: PairTest) -> str:
        """How a figure of the second run differs from that of the first."""
        value, (second, first) = pair.difference.value, pair.judges or (pair.one, pair.other)
        subject, verbs, changed = self.inside(pair.metric), ("rises", "falls"), "changed"
        other = f"from {short_name(pair.other)} to {short_name(pair.one)}"
        if (second, first) != (pair.one, pair.other):
            subject += f" of {self.judge(second)}"
        if first != second and subject != self.inside(pair.metric):
            subject, verbs, changed = (
                f"{subject} in {short_name(pair.one)}",
                ("lies above", "lies below"),
                "differs from",
            )
            other = f"that of {self.judge(first)} in {short_name(pair.other)}"
        if value is None:
            said = f"how {subject} {changed} {other} is {self._apart(pair)}."
        elif pair.significant:
            said = f"{subject} {verbs[value < 0]} {other} by {self._apart(pair)}{tested(pair.p)}."
        else:
            whether = f"do not tell whether {subject} {changed} {other}"
            gap = self._apart(pair) if contains_zero(pair.difference) else f"{self._apart(pair)}{tested(pair.p)}"
            said = f"{self.items(pair.difference.n)} {whether}: {gap}{self._to_show(pair)}."
        where = self.where(pair.group)
        return f"{where}{said}" if where else capital(said)

    def _parts(self, fact: PartChanges) -> str:
        """How single parts of a mean changed from the first run to the second."""
        told = [
            f"{in_words(part)} {'falls' if (pair.difference.value or 0) < 0 else 'rises'} by "
            f"{self._apart(pair)}{tested(pair.p)}"
            for part, pair in fact.significant[:MOST_PAIRS]
        ]
        more = len(fact.significant) - len(told)
        named = "; ".join([*told, *([f"{more:,} more change"] if more else [])])
        rest = fact.of - len(fact.significant)
        return f"By {plain(fact.key)}: {named}{f'; no change is shown in the other{NO_BREAK}{rest:,}' if rest else ''}."

    def _moves(self, fact: StepTests) -> Iterator[str]:
        """What moved from run to run, or what came nearest to it."""
        yield from (self._runs(pair) for pair in fact.significant[:MOST_PAIRS])
        if len(fact.significant) > MOST_PAIRS:
            yield f"{len(fact.significant):,} of the {fact.steps:,} changes {_TESTED} are beyond chance."
        if fact.significant or fact.largest is None:
            return
        if fact.steps == 1:
            yield self._runs(fact.largest)
        else:
            near = fact.largest
            what = f"{self.inside(near.metric)} of {self.judge((near.judges or (near.one,))[0])}"
            what += f" ({within})" if (within := self.within(near.group)) else ""
            up = "+" if (near.difference.value or 0) > 0 else ""
            adjusted = tested(near.p).removeprefix(", ")
            chance = f"; in {fact.steps:,} tests a change of this size may be chance ({adjusted})" if adjusted else ""
            step = f"from {short_name(near.other)} to {short_name(near.one)}: {up}{self._apart(near)}{chance}"
            none = f"No change is shown to be beyond chance: {fact.steps:,} were {_TESTED}"
            yield f"{none}. The one that came closest: {what}, {step}."

    def _held(self, fact: RunCoverage) -> str:
        """Whether every judge has figures for every run; if not, who lacks some."""
        runs = "runs" if fact.run in RUN_COLUMNS else f"values of {plain(fact.run)}"
        if fact.lacking:
            (first, count), *others = list(fact.lacking.items())[:MOST_NAMED]
            named = [
                f"{self.judge(first)} has them for {count:,}",
                *(f"{self.judge(one)} for {n:,}" for one, n in others),
            ]
            more = len(fact.lacking) - MOST_NAMED
            listed = joined([*named, *([f"{more:,} more not for all"] if more > 0 else [])])
            return f"Not every {plain(self.about.judge)} has figures for all {fact.runs:,} {runs}: {listed}."
        if len(fact.judges) == 1:
            return f"{self.judge(fact.judges[0])} has figures for all {fact.runs:,} {runs}."
        return f"All {len(fact.judges):,} {self.judges} have figures for all {fact.runs:,} {runs}."

    def _apart(self, pair: PairTest) -> str:
        """A difference with its interval: of shares in percentage points."""
        return difference_text(pair.difference, self.metric(pair.metric), absolute=pair.significant)

    def _to_show(self, pair: PairTest) -> str:
        """How many items would show a difference, behind what is said of it."""
        needed, each = pair.items_needed, " each" if pair.estimates else ""
        if not needed:
            return ""
        shown, items = "show a difference of this size", f"{self.about.items}{each}"
        if needed > _OUT_OF_REACH:
            return f"; more than {_OUT_OF_REACH:,} {items} would be needed to {shown}"
        return f"; about {needed:,} {items} would probably {shown}"
