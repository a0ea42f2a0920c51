"""What is odd in the data, in sentences."""

from adjudge.display_names import short_name
from adjudge.metrics.data_checks import DataProblem, ProblemKind
from adjudge.render.numbers import count_text, counted_name, plain, worded
from adjudge.spec import Evaluation

_SENTENCES = {
    ProblemKind.CONSTANT: '{judge} {verb} nothing but "{label}", in all {of} {noun}{worst}.',
    ProblemKind.NOTHING: "{judge} {verb} nothing, where {of} {noun} are right{worst}.",
    ProblemKind.STRANGE: '{count} of {of} {noun} are "{label}", which {reference} never gives.',
    ProblemKind.NOBODY: 'Nobody {verb} "{label}", which is right in {count} of {of} {noun}.',
    ProblemKind.LEFT_OUT: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    ProblemKind.GAPS: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    ProblemKind.DEDUCTED: "{count} of {of} {noun} do not count, most often for this reason: {label}.",
    ProblemKind.MISPLACED: "In {count} of {of} true {noun}, the quote differs from the text at the given offsets.",
    ProblemKind.EMPTY: "{count} of {of} {items} have an empty text.",
    ProblemKind.REPEATED: "{count} of {of} {items} repeat another.",
    ProblemKind.ONE_SIDED: '{part}{always} giving "{label}" would be right in {count} of {of} {noun}{than}.',
    ProblemKind.UNBALANCED: '{Reference} has "{label}" in {count} of {of} {noun} for one side: positions are not '
    "balanced.",
    ProblemKind.NEVER: '{judge} never {verb} "{label}", which is right in {count} of {of} {noun}{worst}.',
    ProblemKind.NEVER_FLAGS: "{judge} flags nothing; {reference} flags {count} of the same {of} items{worst}.",
    ProblemKind.ALL_FLAGS: "{judge} flags all {of} items{worst}.",
    ProblemKind.FEW: "{judge} {has} only {few}; the median {kind} has {of}{worst}.",
    ProblemKind.RARE: '"{label}" is right in no more than {count} of {of} {noun}.',
    ProblemKind.NO_FLAGS: "Nobody flags any item.",
}
_COUNTS = {
    "as wrong": (", which counts as wrong", ", which count as wrong"),
    "not": (": the figures rest on the other {rest}",) * 2,
    "": ("", ""),
}
"""How labels that were left out count -> how it is said of one, and of more. rest: how many were not left out."""


def odd_text(odd: DataProblem, about: Evaluation, *, judge: str, reference: str, items: int) -> str:
    """An oddity as a sentence. judge, reference: what they are called. items: how many there are in all."""
    label = plain(odd.label) if odd.kind is ProblemKind.DEDUCTED else short_name(worded(odd.label))
    rest = odd.of - odd.count
    counts = _COUNTS[about.label_counts.counts][odd.count > 1] if rest else ""
    return _SENTENCES[odd.kind].format(
        judge=judge,
        items=about.items,
        kind=plain(about.judge),
        reference=reference,
        Reference=reference[:1].upper() + reference[1:] if reference.startswith("the ") else reference,
        verb=about.label_counts.verb,
        has=about.label_counts.verb if about.label_counts.metrics else "has",
        noun=about.label_counts.noun,
        label=label,
        part=_part(odd, about),
        always="always" if odd.part else "Always",
        count=count_text(odd.count),
        than=f", more often than any {plain(about.judge)} is" if odd.unbeaten else ": a high figure there says little",
        on=f" on {count_text(items)} {counted_name(about.items, items)}" if 0 < items < odd.of else "",
        counts=counts.format(rest="one" if rest == 1 else f"{count_text(rest)} {about.label_counts.noun}"),
        few=f"{count_text(odd.count)} {counted_name(about.label_counts.noun, odd.count)}",
        of=count_text(odd.of),
        worst=_others(odd, about),
    )


_LIKEWISE = {
    ProblemKind.FEW: ("has less than half of that, too", "have less than half of that, too"),
    ProblemKind.LEFT_OUT: ("left out some, too", "left out some, too"),
    ProblemKind.GAPS: ("left out some, too", "left out some, too"),
}
"""Of which kinds of oddities it is said in words of their own of one other judge, and of more, how they are like it."""


def _others(odd: DataProblem, about: Evaluation) -> str:
    """Of how many other judges it holds too, though less so."""
    count = odd.judges_alike - 1
    if not count:
        return ""
    how = _LIKEWISE.get(odd.kind, ("is similar", "are similar"))[count > 1]
    return f" ({count:,} other {plain(about.judge)}{'s' if count > 1 else ''} {how})"


def _part(odd: DataProblem, about: Evaluation) -> str:
    """What it is about, with which the sentence begins."""
    if not odd.part:
        return ""
    among = f" (the most extreme of {odd.judges_alike:,})" if odd.judges_alike > 1 else ""
    return f"For {plain(about.across)} {plain(odd.part)}{among}, "
