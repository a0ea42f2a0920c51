"""What to do next, in sentences: the steps of `adjudge.metrics.next_steps` in words."""

from collections.abc import Sequence

from adjudge.display_names import short_name
from adjudge.metrics.conclusions import Fact
from adjudge.metrics.next_steps import Action, Recommendation, next_steps
from adjudge.render.numbers import counted_name, plain, worded
from adjudge.render.opening_sentences import opening_of
from adjudge.render.wording import Wording
from adjudge.report import Report
from adjudge.spec import HISTORY_TABLE

_SENTENCES = {
    Action.CHECK_FILE: "Check the {noun} of {judge} in the file before you trust its figures.",
    Action.CHECK_LABEL: 'See whether "{label}" is another spelling of a known label; --map-values makes them one.',
    Action.FILL: "Get the {noun} that {judge} left out.",
    Action.BEAT: "Do not rely on {judge} before it is shown to be better than {other}.",
    Action.BEAT_LABEL: "For {across} {part}, do not rely on any {kind}: none is right as often as a constant "
    '"{label}".',
    Action.GIVE: "Give {judge} more {items}: {given} {are} few; the median {kind} has {of}.",
    Action.CHECK_OFFSETS: "Check the offsets before you trust these figures: their unit (characters or bytes), "
    "{base}and whether the quotes are written as they stand in the text (quotation marks, escapes).",
    Action.EMPTY: "Check whether the empty texts are genuine; if not, fill them in or leave them out.",
    Action.REPEATED: "Leave out the repeats, unless they are intended, and score again.",
    Action.ALIKE: "Score the runs with the same settings, then compare them again.",
    Action.READ_CHANGES: "Read the {items} that changed for the worse from {other} to {judge}.",
    Action.COMPARE: "Compare {other} with {judge} item by item (adjudge compare) to see what was lost.",
    Action.READ_GUESSES: "Read the {noun} of {judge} before they are used.",
    Action.READ_WRONG: "Read what {judge} gets wrong.",
    Action.TALK: "Go through the {items} on which {judge} and {other} differ.",
    Action.TAKE: "Choose {judge}, which is shown to be better.",
    Action.ADD: "Collect about {count} {items} instead of {of}: they would probably tell {judge} from {other}, if the "
    "difference is what it seems{closer}.",
    Action.COLLECT: "Collect more {items} before you rely on these figures: {items_there} too few.",
    Action.OTHERWISE: "Choose between {judge} and {other} on other grounds, such as cost: far more than {of} {items} "
    "would be needed to tell them apart.",
    Action.SCORER: "Score with {judge}, which agrees most with people here; whether by more than chance is not tested.",
    Action.READ_NEVER: 'Read the {noun} where "{label}" is right, with what {judge} gives there.',
    Action.BALANCE: "Shuffle which of the two texts stands first before more is judged.",
    Action.SPREAD: 'Add {items} until no label is as rare, or as frequent, as "{label}".',
    Action.KEEP_ITEMS: "If all runs judge the same {items}, score each with --save-items FILE, which saves its "
    "judgments. Runs can then be compared item by item, which can show smaller changes.",
}


def advised(report: Report, told: Sequence[Sequence[Fact]]) -> tuple[str, ...]:
    """What to do next, in a sentence for each step. told: the facts that the report concludes."""
    if own := opening_of(report).steps:
        return own(report)
    words = _Words(report)
    return tuple(words.of(step) for step in next_steps(report, told))


def what_next(report: Report) -> str:
    """What to do next: what the report advises, and to see to who fails a gate; empty where there is nothing."""
    failed = [one for one in report.gates if not one.passed]
    if failed:
        named = failed[0].subject if len(report.gates) > 1 else ""
        what = f"the gate fails{f' for {named}' if named else ''}"
        if len(failed) > 1:
            what = f"{len(failed):,} gates fail{f' (first {named})' if named else ''}"
        until = "rely on it" if named and len(failed) == 1 else "go on"
        return " ".join([f"Find out why {what} before you {until}.", *report.advice])
    if report.advice:
        return " ".join(report.advice)
    if report.about.main == HISTORY_TABLE:
        followed = set(report[HISTORY_TABLE]["metric"])
        good = any(report.about.metrics[name].better for name in followed if name in report.about.metrics)
        return "Nothing needs to be done: no figure here is shown to have got worse." if good else ""
    return "Nothing needs to be done: all gates pass." if report.gates else ""


class _Words(Wording):
    """The sentence of a step."""

    def of(self, step: Recommendation) -> str:
        """What is to be done."""
        return self.where(step.group) + _SENTENCES[step.action].format(
            judge=self.judge(step.judge),
            other=self.judge(step.other),
            label=short_name(worded(step.label)),
            items=self.about.items,
            kind=plain(self.about.judge),
            across=plain(self.about.across),
            part=plain(step.other),
            base="" if self.options.get("offset_base") else "whether they start at 0 or 1 (--offset-base), ",
            noun=self.about.label_counts.noun,
            count=f"{step.count:,}",
            of=f"{step.of:,}",
            given=f"{step.count:,} {counted_name(self.about.label_counts.noun, step.count)}",
            closer=self._closer(step.between),
            are="is" if step.count == 1 else "are",
            items_there=f"{self.items(step.of)} {'is' if step.of == 1 else 'are'}",
        )

    def _closer(self, between: Sequence[str]) -> str:
        """What is said of judges that lie between two who can be told apart with more items."""
        if not between:
            return ""
        named = self.listed(between)
        lies, whom = ("lies", named) if len(between) == 1 else ("lie", "any of these")
        return f". {named} {lies} between them; to tell {whom} from either would take even more {self.about.items}"
