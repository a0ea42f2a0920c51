"""What must be known of figures, in words: see `adjudge.metrics.caveats`."""

from collections.abc import Sequence

from adjudge.metrics.caveats import (
    NARROW,
    BaselineUnbeaten,
    ChanceAgreement,
    FirstValueOnly,
    MissingAnswerBounds,
    WideInterval,
)
from adjudge.render.numbers import NO_BREAK, inside, metric_text, plain
from adjudge.render.wording import MOST_NAMED, Wording, joined


class Reservations(Wording):
    """The sentence of each."""

    def reserved(
        self, fact: FirstValueOnly | BaselineUnbeaten | ChanceAgreement | MissingAnswerBounds | WideInterval
    ) -> str:
        """What must be known of figures."""
        match fact:
            case FirstValueOnly():
                said = self._first(fact)
            case BaselineUnbeaten():
                said = self._unbeaten(fact)
            case ChanceAgreement():
                said = self._at_chance(fact)
            case MissingAnswerBounds():
                said = self._open(fact)
            case WideInterval():
                said = self._wide(fact)
        return said

    def _first(self, fact: FirstValueOnly) -> str:
        """Whose figures are told, of several that the tables have."""
        titles = self.about.names.get(fact.key, {})
        first, *further = (
            inside(titles[one]) if one in titles else f"{plain(fact.key)} {one}" for one in (fact.value, *fact.others)
        )
        rest = further[0] if len(further) == 1 else f"other {len(further):,} {plain(fact.key)}s"
        others = f"those of the {rest} are the same" if fact.same else f"the tables also have those of the {rest}"
        return f"These figures use the {first}; {others}."

    def _unbeaten(self, fact: BaselineUnbeaten) -> str:
        """Which judges a baseline beats, and which others do not beat it."""
        told = {
            "worse": fact.worse,
            "not shown to be better": [judge for judge in fact.judges if judge not in fact.worse],
        }
        said = [
            f"{self.listed(judges)} {_is(judges)} {how} than {fact.baseline}" for how, judges in told.items() if judges
        ]
        gives = self.about.gives.get(fact.baseline)
        return f"{joined(said)}{f' ({gives})' if gives else ''}."

    def _at_chance(self, fact: ChanceAgreement) -> str:
        """Who is not shown to agree beyond chance, and by how much on how many labels."""
        metric, noun = self.metric(fact.rows[0]["metric"]), self.about.label_counts.noun
        named = [
            f"{self.judge_of(row)} ({metric_text(row['value'], metric)} on {row['n']:,} {noun})"
            for row in fact.rows[:MOST_NAMED]
        ]
        more = len(fact.rows) - MOST_NAMED
        who = joined([*named, *([f"{more:,} other{'s' if more > 1 else ''}"] if more > 0 else [])])
        are = "is" if len(fact.rows) == 1 else "are"
        title, reference = inside(metric.title), self.reference()
        if fact.contrary:
            agree = "agrees" if len(fact.rows) == 1 else "agree"
            return (
                f"By {title}, {who} {agree} with {reference} less often than chance would, as if labels were swapped."
            )
        return f"By {title}, {who} {are} not shown to agree with {reference} beyond chance."

    def _wide(self, fact: WideInterval) -> str:
        """How many items would make the interval of the only judge narrow."""
        half = f"{100 * NARROW / 2:.0f}{NO_BREAK}percentage points"
        more = f"About {fact.items_needed:,} {self.about.items} in place of {fact.rests_on:,}"
        return f"{more} would bring the interval of {self.judge(fact.judge)} down to {half} either way."

    def _open(self, fact: MissingAnswerBounds) -> str:
        """The bounds of the judges that miss answers."""
        metric, more = self.metric(fact.metric), len(fact.bounds) - MOST_NAMED
        ends = {judge: tuple(metric_text(end, metric) for end in both) for judge, both in fact.bounds.items()}
        (first, between), *others = (
            (self.judge(judge), f"between {low} and {high}") for judge, (low, high) in list(ends.items())[:MOST_NAMED]
        )
        named = [f"{first} would lie {between}", *(f"that of {judge} {between}" for judge, between in others)]
        listed = joined([*named, *([f"so on for {more:,} more"] if more > 0 else [])])
        return f"Had no {self.about.label_counts.noun} been missing, the {self.inside(fact.metric)} of {listed}."


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
