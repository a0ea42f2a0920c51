"""The meaning of a report's notes and interval methods, in words for readers."""

from adjudge.estimate import Caveat

METHODS = {
    "wilson": ("Wilson", "Wilson's score interval of a proportion of independent items."),
    "clopper-pearson": (
        "Clopper-Pearson",
        "Clopper and Pearson's exact interval of a proportion: never too narrow, often too wide.",
    ),
    "clustered-wilson": (
        "Wilson, clustered",
        "Wilson's interval with an effective number of items, as items of a cluster are similar, and Student's t.",
    ),
    "effective-wilson": (
        "Wilson, effective n",
        "Wilson's interval with that number of items at which a proportion would be as uncertain as this figure.",
    ),
    "beta-binomial": (
        "Beta-binomial",
        "The credible interval of a figure drawn toward the mean of all annotators; the fewer its items, the more so.",
    ),
    "tango": ("Tango", "Tango's score interval of a difference of paired proportions."),
    "clustered-tango": (
        "Tango, clustered",
        "Tango's interval with an effective number of items, as items of a cluster are similar.",
    ),
    "clustered-mover": (
        "MOVER, clustered",
        "The interval of a product, with an effective number of items for the clusters.",
    ),
    "mover": (
        "MOVER",
        "The interval of a product or of a mean of shares, from those of its parts (variance estimates recovery).",
    ),
    "two-way": (
        "Two-way",
        "As Wilson, effective n, over other items and other annotators.",
    ),
    "score": ("Score", "The values that a score test does not reject."),
    "quadratic": (
        "Quadratic form",
        "Roots of the limits of the squared error, whose variance is that of a quadratic form of normal deviates.",
    ),
    "f": ("F", "The limits of an intraclass correlation by the F distribution."),
    "t": ("Student's t", "The figure plus and minus Student's t times its standard error."),
    "prediction-powered": (
        "Prediction-powered",
        (
            "Wilson's interval with an effective number of items, or Student's t, from how much people's labels vary "
            "about the judge's and those about their mean; allows for an error of the judge that was not seen. Where "
            "labels stand for unequal numbers of items a score test's."
        ),
    ),
    "percentile": ("Bootstrap", "Percentiles of the figure over resampled items or clusters."),
    "mcnemar-mid-p": ("McNemar's mid-P test", "A test of whether two judges err equally often, on the same items."),
}
"""Interval method -> its title, and what it is."""

NOTES = {note.title: f"{note.meaning} {note.consequence}" for note in Caveat}
"""Title of a note -> what it says about its figure. A text that is no title, such as a reason, is not in it."""


def method_title(method: str) -> str:
    """The printed title of an interval method; the code itself of an unknown one.

    >>> method_title("clustered-wilson")
    'Wilson, clustered'
    """
    return METHODS.get(method, (method, ""))[0]


def note_title(code: str | None) -> str:
    """The printed title of a note in a table; empty where there is none.

    >>> note_title("few_items")
    'few items'
    """
    return Caveat(code).title if code else ""
