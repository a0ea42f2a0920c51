"""Facts in sentences: on runs and differences, on caveats (`adjudge.metrics.caveats`), on problems of the data."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from adjudge.display_names import short_name
from adjudge.metrics import caveats, trends
from adjudge.metrics.conclusions import PartChanges
from adjudge.metrics.data_checks import DataProblem, ProblemKind
from adjudge.metrics.ranking import PairTest, contains_zero
from adjudge.metrics.settings_diff import SettingsDiff
from adjudge.render.numbers import NO_BREAK, count_text, counted_name, inside, metric_text, p_clause, plain, worded
from adjudge.render.wording import Wording, capital, difference_text, in_words, joined, joined_first

MOST_PAIRS = 3
"""More differences than this are not all told."""
_TESTED = "tested from run to run and from the first to the last"
_OUT_OF_REACH = 100_000
"""Of more items than this it is not said how many would show a difference."""
_PROBLEMS = {
    ProblemKind.CONSTANT: '{judge} gives nothing but "{label}", in all {of} {noun}{worst}.',
    ProblemKind.NOTHING: "{judge} gives nothing, where {of} {noun} are right{worst}.",
    ProblemKind.STRANGE: '{count} of {of} {noun} are "{label}", which {reference} never gives.',
    ProblemKind.NOBODY: 'Nobody gives "{label}", which is right in {count} of {of} {noun}.',
    ProblemKind.LEFT_OUT: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    ProblemKind.GAPS: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    ProblemKind.DEDUCTED: "{count} of {of} {noun} do not count, most often for this reason: {label}.",
    ProblemKind.MISPLACED: "In {count} of {of} true {noun}, the quote differs from the text at the given offsets.",
    ProblemKind.EMPTY: "{count} of {of} {items} have an empty text.",
    ProblemKind.REPEATED: "{count} of {of} {items} repeat another.",
    ProblemKind.ONE_SIDED: '{part}{always} giving "{label}" would be right in {count} of {of} {noun}{than}.',
    ProblemKind.UNBALANCED: '{Reference} has "{label}" in {count} of {of} {noun} for one side: positions are not '
    "balanced.",
    ProblemKind.NEVER: '{judge} never gives "{label}", which is right in {count} of {of} {noun}{worst}.',
    ProblemKind.NEVER_FLAGS: "{judge} flags nothing; {reference} flags {count} of the same {of} items{worst}.",
    ProblemKind.ALL_FLAGS: "{judge} flags all {of} items{worst}.",
    ProblemKind.FEW: "{judge} has only {few}; the median {kind} has {of}{worst}.",
    ProblemKind.RARE: '"{label}" is right in no more than {count} of {of} {noun}.',
}
_COUNTS = {
    "as wrong": (", which counts as wrong", ", which count as wrong"),
    "not": (": the figures rest on the other {rest}",) * 2,
    "": ("", ""),
}
"""How labels that were left out count -> how it is said of one, and of more. rest: how many were not left out."""
_ALIKE = {
    ProblemKind.FEW: ("has less than half of that, too", "have less than half of that, too"),
    ProblemKind.LEFT_OUT: ("left out some, too", "left out some, too"),
    ProblemKind.GAPS: ("left out some, too", "left out some, too"),
}
"""Kinds of problems that one other judge, and more, share in words of their own."""


class FactSentences(Wording):
    """The sentences on runs, differences of any kind, caveats and problems of the data."""

    def _shared(self, fact: trends.ItemOverlap) -> str:
        """Which items two runs share."""
        one, other = map(short_name, fact.names)
        if not fact.first and not fact.second:
            return f"Both runs, {one} and {other}, hold the same {self.items(fact.both)}."
        alone = f"{fact.first:,} more in {one} alone, {fact.second:,} in {other} alone"
        return f"{self.items(fact.both)} stand in both runs, and are compared; {alone}."

    def _settings(self, fact: SettingsDiff) -> str:
        """In which settings runs differ."""
        listed = joined_first([*map(plain, fact.settings)])
        return f"The runs were scored with different settings ({listed}): a figure may have changed for that alone."

    def _runs(self, pair: PairTest) -> str:
        """How a figure of the second run differs from that of the first."""
        value, (second, first) = pair.difference.value, pair.judges or (pair.one, pair.other)
        run, before = short_name(pair.one), short_name(pair.other)
        subject, verbs, changed = self.inside(pair.metric), ("rises", "falls"), "changed"
        other = f"from {before} to {run}"
        if (second, first) != (pair.one, pair.other):
            subject += f" of {self.judge(second)}"
        if first != second and subject != self.inside(pair.metric):
            subject, verbs, changed = f"{subject} in {run}", ("lies above", "lies below"), "differs from"
            other = f"that of {self.judge(first)} in {before}"
        if value is None:
            said = f"how {subject} {changed} {other} is {self._apart(pair)}."
        elif pair.significant:
            said = f"{subject} {verbs[value < 0]} {other} by {self._apart_with_p(pair)}."
        else:
            whether = f"do not tell whether {subject} {changed} {other}"
            gap = self._apart(pair) if contains_zero(pair.difference) else self._apart_with_p(pair)
            said = f"{self.items(min(pair.difference.n, pair.collected))} {whether}: {gap}{self._to_show(pair)}."
        where = self.where(pair.group)
        return f"{where}{said}" if where else capital(said)

    def _parts(self, fact: PartChanges) -> str:
        """How single parts of a mean changed from the first run to the second."""
        told = [
            f"{in_words(part)} {'falls' if (pair.difference.value or 0) < 0 else 'rises'} by {self._apart_with_p(pair)}"
            for part, pair in fact.significant[:MOST_PAIRS]
        ]
        more = len(fact.significant) - len(told)
        named = "; ".join([*told, *([f"{more:,} more change"] if more else [])])
        rest = fact.of - len(fact.significant)
        return f"By {plain(fact.key)}: {named}{f'; no change is shown in the other{NO_BREAK}{rest:,}' if rest else ''}."

    def _steps(self, fact: trends.StepTests) -> Iterator[str]:
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
            adjusted = p_clause(near.p, near.tests).removeprefix(", ")
            chance = f"; a change of this size may be chance ({adjusted})" if adjusted else ""
            step = f"from {short_name(near.other)} to {short_name(near.one)}: {up}{self._apart(near)}{chance}"
            none = f"No change is shown to be beyond chance: {fact.steps:,} were {_TESTED}"
            yield f"{none}. The one that came closest: {what}, {step}."

    def _coverage(self, fact: trends.RunCoverage) -> str:
        """Whether every judge has figures for every run; if not, who lacks some."""
        runs = "runs" if fact.run in trends.RUN_COLUMNS else f"values of {plain(fact.run)}"
        if fact.lacking:
            (first, count), *others = fact.lacking.items()
            named = [
                f"{self.judge(first)} has them for {count:,}",
                *(f"{self.judge(one)} for {n:,}" for one, n in others),
            ]
            listed = joined_first(named, "{} more not for all")
            return f"Not every {plain(self.about.judge)} has figures for all {fact.runs:,} {runs}: {listed}."
        if len(fact.judges) == 1:
            return f"{self.judge(fact.judges[0])} has figures for all {fact.runs:,} {runs}."
        return f"All {len(fact.judges):,} {self.judges} have figures for all {fact.runs:,} {runs}."

    def _apart(self, pair: PairTest) -> str:
        """A difference with its interval: of shares in percentage points."""
        return difference_text(pair.difference, self.metric(pair.metric), absolute=pair.significant)

    def _apart_with_p(self, pair: PairTest) -> str:
        return f"{self._apart(pair)}{p_clause(pair.p, pair.tests)}"

    def _to_show(self, pair: PairTest) -> str:
        """How many items would show a difference, behind what is said of it."""
        needed, items = pair.items_needed, self.about.items
        if not needed:
            return ""
        shown = "show a difference of this size"
        if needed > _OUT_OF_REACH:
            return f"; more than {_OUT_OF_REACH:,} {items} would be needed to {shown}"
        return f"; about {needed:,} {items} would probably {shown}"

    # --- caveats ---

    def _first(self, fact: caveats.FirstValueOnly) -> str:
        """Whose figures are told, of several that the tables have."""
        titles, key = self.about.names.get(fact.key, {}), plain(fact.key)
        values = (fact.value, *fact.others)
        first, *further = (inside(titles[one]) if one in titles else f"{key} {one}" for one in values)
        rest = further[0] if len(further) == 1 else f"other {len(further):,} {key}s"
        others = f"those of the {rest} are the same" if fact.same else f"the tables also have those of the {rest}"
        return f"These figures use the {first}; {others}."

    def _unbeaten(self, fact: caveats.BaselineUnbeaten) -> str:
        """Which judges a baseline beats, and which others do not beat it."""
        others = [judge for judge in fact.judges if judge not in fact.worse]
        told = {"worse": fact.worse, "not shown to be better": others}
        said = [
            f"{self.listed(judges)} {'is' if len(judges) == 1 else 'are'} {how} than {fact.baseline}"
            for how, judges in told.items()
            if judges
        ]
        return f"{joined(said)}."

    def _at_chance(self, fact: caveats.ChanceAgreement) -> str:
        """Who is not shown to agree beyond chance, and by how much on how many labels."""
        metric, noun = self.metric(fact.rows[0]["metric"]), self.about.label_counts.noun
        figures = ((row, metric_text(row["value"], metric)) for row in fact.rows)
        named = [f"{self.judge_of(row)} ({figure} on {row['n']:,} {noun})" for row, figure in figures]
        who, single = f"By {inside(metric.title)}, {joined_first(named, '{} other')}", len(fact.rows) == 1
        if fact.contrary:
            agree = f"{'agrees' if single else 'agree'} with {self.reference()}"
            return f"{who} {agree} less often than chance would, as if labels were swapped."
        return f"{who} {'is' if single else 'are'} not shown to agree with {self.reference()} beyond chance."

    def _bounds(self, fact: caveats.MissingAnswerBounds) -> str:
        """The bounds of the judges that miss answers."""
        metric = self.metric(fact.metric)
        ends = ((self.judge(judge), [metric_text(end, metric) for end in both]) for judge, both in fact.bounds.items())
        (first, between), *others = ((judge, f"between {low} and {high}") for judge, (low, high) in ends)
        named = [f"{first} would lie {between}", *(f"that of {judge} {between}" for judge, between in others)]
        listed = joined_first(named, "so on for {} more")
        return f"Had no {self.about.label_counts.noun} been missing, the {self.inside(fact.metric)} of {listed}."

    # --- problems of the data ---

    def _problem(self, fact: DataProblem) -> str:
        """A problem of the data as a sentence."""
        about, counts, reference = self.about, self.about.label_counts, self.reference()
        judge, items, rest = plain(about.judge), self.counts.get(about.items, 0), fact.of - fact.count
        among = f" (the most extreme of {fact.judges_alike:,})" if fact.judges_alike > 1 else ""
        missing = _COUNTS[counts.counts][fact.count > 1] if rest else ""
        return _PROBLEMS[fact.kind].format(
            judge=self.judge(fact.judge),
            items=about.items,
            kind=judge,
            reference=reference,
            Reference=capital(reference) if reference.startswith("the ") else reference,
            noun=counts.noun,
            label=plain(fact.label) if fact.kind is ProblemKind.DEDUCTED else short_name(worded(fact.label)),
            part=f"For {plain(about.across)} {plain(fact.part)}{among}, " if fact.part else "",
            always="always" if fact.part else "Always",
            count=count_text(fact.count),
            than=f", more often than any {judge} is" if fact.unbeaten else ": a high figure there says little",
            on=f" on {count_text(items)} {counted_name(about.items, items)}" if 0 < items < fact.of else "",
            counts=missing.format(rest="one" if rest == 1 else f"{count_text(rest)} {counts.noun}"),
            few=f"{count_text(fact.count)} {counted_name(counts.noun, fact.count)}",
            of=count_text(fact.of),
            worst=self._similar_judges(fact),
        )

    def _similar_judges(self, fact: DataProblem) -> str:
        """Of how many other judges it holds too, though less so."""
        count = fact.judges_alike - 1
        if not count:
            return ""
        how = _ALIKE.get(fact.kind, ("is similar", "are similar"))[count > 1]
        return f" ({count:,} other {plain(self.about.judge)}{'s' if count > 1 else ''} {how})"

    kinds: ClassVar[Mapping[type, Callable[[Any, Any], str | Iterable[str]]]] = {
        PairTest: _runs,
        PartChanges: _parts,
        SettingsDiff: _settings,
        DataProblem: _problem,
        trends.ItemOverlap: _shared,
        trends.StepTests: _steps,
        trends.RunCoverage: _coverage,
        caveats.FirstValueOnly: _first,
        caveats.BaselineUnbeaten: _unbeaten,
        caveats.ChanceAgreement: _at_chance,
        caveats.MissingAnswerBounds: _bounds,
    }
    """Kind of fact -> its sentence, or sentences."""
