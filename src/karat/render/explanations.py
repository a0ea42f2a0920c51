"""The meaning of a report's notes and interval methods, in words for readers."""

from karat.estimate import Note

METHODS = {
    "wilson": "Wilson's score interval of a proportion of independent items.",
    "clopper-pearson": "Clopper and Pearson's exact interval of a proportion: never too narrow, often too wide.",
    "clustered-wilson": (
        "Wilson's interval with an effective number of items, because items of the same cluster are similar, "
        "and with Student's t for the number of clusters."
    ),
    "effective-wilson": (
        "Wilson's interval with an effective number of items: that at which a proportion would be as uncertain as "
        "this figure, such as a mean over criteria, which rests on the same items several times."
    ),
    "beta-binomial": (
        "The credible interval of a figure drawn toward the mean of all annotators; the fewer items it rests on and "
        "the less the annotators differ, the more so."
    ),
    "tango": "Tango's score interval of a difference of paired proportions.",
    "clustered-tango": "Tango's interval with an effective number of items, as items of a cluster are similar.",
    "clustered-mover": "The interval of a product, with an effective number of items for the clusters.",
    "mover": (
        "The interval of a product or of a mean of shares, computed from the intervals of its parts: "
        "the method of variance estimates recovery."
    ),
    "t": "The figure plus and minus Student's t times its standard error.",
    "percentile": "Percentiles of the figure over resampled items or clusters (bootstrap).",
}
"""Interval method -> what it is."""

_NOTES = {note.title: f"{note.meaning} {note.consequence}" for note in Note}
"""Title of a note -> what it says about its figure."""


def method_meaning(method: str) -> str:
    """The meaning of an interval method; empty for an unknown one.

    >>> method_meaning("wilson")
    "Wilson's score interval of a proportion of independent items."
    """
    return METHODS.get(method, "")


def note_title(code: str | None) -> str:
    """The printed title of a note in a table; empty where there is none.

    >>> note_title("few_items")
    'few items'
    """
    return Note(code).title if code else ""


def note_meaning(title: str) -> str:
    """The meaning of a note, by its title; empty for a text that is no title, such as a reason.

    >>> note_meaning("not in the data")
    'No violation in the data has this part. Its weight is 0.'
    """
    return _NOTES.get(title, "")
