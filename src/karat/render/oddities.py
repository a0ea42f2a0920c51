"""What is odd in the data, in sentences."""

from karat.about import Evaluation
from karat.figures.oddities import Kind, Odd
from karat.names import short
from karat.render.numbers import count_text, counted_name, plain, worded

_SENTENCES = {
    Kind.CONSTANT: '{judge} {verb} nothing but "{label}", in all {of} {noun}{worst}.',
    Kind.NOTHING: "{judge} {verb} nothing, where {of} {noun} are right{worst}.",
    Kind.STRANGE: '{count} of {of} {noun} are "{label}", which {reference} never gives.',
    Kind.NOBODY: 'Nobody {verb} "{label}", which is right in {count} of {of} {noun}.',
    Kind.LEFT_OUT: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    Kind.GAPS: "{judge} left out {count} of {of} {noun}{on}{worst}{counts}.",
    Kind.DEDUCTED: "{count} of {of} {noun} do not count, most often for this reason: {label}.",
    Kind.MISPLACED: "In {count} of {of} true {noun}, the quote differs from the text at the given offsets.",
    Kind.EMPTY: "{count} of {of} {items} have an empty text.",
    Kind.REPEATED: "{count} of {of} {items} repeat another.",
    Kind.ONE_SIDED: '{part}{always} giving "{label}" would be right in {count} of {of} {noun}{than}.',
    Kind.UNBALANCED: '{Reference} has "{label}" in {count} of {of} {noun} for one side: positions are not balanced.',
    Kind.NEVER: '{judge} never {verb} "{label}", which is right in {count} of {of} {noun}{worst}.',
    Kind.NEVER_FLAGS: "{judge} flags nothing; {reference} flags {count} of the same {of} items{worst}.",
    Kind.ALL_FLAGS: "{judge} flags all {of} items{worst}.",
    Kind.FEW: "{judge} {has} only {few}; the median {kind} has {of}{worst}.",
    Kind.RARE: '"{label}" is right in no more than {count} of {of} {noun}.',
    Kind.NO_FLAGS: "Nobody flags any item.",
}
_COUNTS = {
    "as wrong": (", which counts as wrong", ", which count as wrong"),
    "not": (": the figures rest on the other {rest}",) * 2,
    "": ("", ""),
}
"""How labels that were left out count -> how it is said of one, and of more. rest: how many were not left out."""


def odd_text(odd: Odd, about: Evaluation, *, judge: str, reference: str, items: int) -> str:
    """An oddity as a sentence. judge, reference: what they are called. items: how many there are in all."""
    label = plain(odd.label) if odd.kind is Kind.DEDUCTED else short(worded(odd.label))
    rest = odd.of - odd.count
    counts = _COUNTS[about.given.counts][odd.count > 1] if rest else ""
    return _SENTENCES[odd.kind].format(
        judge=judge,
        items=about.items,
        kind=plain(about.judge),
        reference=reference,
        Reference=reference[:1].upper() + reference[1:] if reference.startswith("the ") else reference,
        verb=about.given.verb,
        has=about.given.verb if about.given.figures else "has",
        noun=about.given.noun,
        label=label,
        part=_part(odd, about),
        always="always" if odd.part else "Always",
        count=count_text(odd.count),
        than=f", more often than any {plain(about.judge)} is" if odd.unreached else ": a high figure there says little",
        on=f" on {count_text(items)} {counted_name(about.items, items)}" if 0 < items < odd.of else "",
        counts=counts.format(rest="one" if rest == 1 else f"{count_text(rest)} {about.given.noun}"),
        few=f"{count_text(odd.count)} {counted_name(about.given.noun, odd.count)}",
        of=count_text(odd.of),
        worst=_others(odd, about),
    )


_LIKEWISE = {
    Kind.FEW: ("has less than half of that, too", "have less than half of that, too"),
    Kind.LEFT_OUT: ("left out some, too", "left out some, too"),
    Kind.GAPS: ("left out some, too", "left out some, too"),
}
"""Of which kinds of oddities it is said in words of their own of one other judge, and of more, how they are like it."""


def _others(odd: Odd, about: Evaluation) -> str:
    """Of how many other judges it holds too, though less so."""
    count = odd.alike - 1
    if not count:
        return ""
    how = _LIKEWISE.get(odd.kind, ("is similar", "are similar"))[count > 1]
    return f" ({count:,} other {plain(about.judge)}{'s' if count > 1 else ''} {how})"


def _part(odd: Odd, about: Evaluation) -> str:
    """What it is about, with which the sentence begins."""
    if not odd.part:
        return ""
    among = f" (the most extreme of {odd.alike:,})" if odd.alike > 1 else ""
    return f"For {plain(about.across)} {plain(odd.part)}{among}, "
