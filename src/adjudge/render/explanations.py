"""The meaning of a report's metrics, notes and interval methods, in words for readers."""

from collections import Counter
from dataclasses import replace

from adjudge.estimate import Caveat
from adjudge.render.numbers import inside, metric_of, plain
from adjudge.report import Report, holds_estimates

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


def meanings(report: Report) -> list[tuple[str, str]]:
    """What each metric of the report means: its title, and sentences.

    Titles that several metrics share stand with their tables. The two ends of a range stand under its title.
    """
    about, held = report.about, texts_of(report, "metric")
    names = [name for name in (*about.metrics, *held) if name in held]
    metrics = {name: metric_of(about.metrics, name) for name in dict.fromkeys(names)}
    alike = Counter(one.title for one in metrics.values())
    titles = {name: one.title for name, one in metrics.items()}
    for name, metric in metrics.items():
        if alike[metric.title] > 1:
            tables = (table for table, frame in report.tables.items() if holds_estimates(frame))
            where = (plain(table) for table in tables if name in {*report[table]["metric"]})
            titles[name] = f"{metric.title} ({', '.join(where)})"
    for title, (low, high) in about.ranges.items():
        if {low, high} <= metrics.keys():
            ends = (inside(metrics[end].meaning.removesuffix(".")) for end in (low, high))
            titles[low], metrics[low] = title, replace(metrics[low], meaning=f"From {' to '.join(ends)}.")
            del metrics[high]
    better = {"high": " The higher, the better.", "low": " The lower, the better.", None: ""}
    return [(titles[name], (one.meaning or "Not described.") + better[one.better]) for name, one in metrics.items()]


def texts_of(report: Report, column: str) -> list[str]:
    """All different texts of a column of the report's tables of metrics, sorted."""
    tables = (frame for frame in report.tables.values() if holds_estimates(frame))
    return sorted({text for frame in tables for text in frame[column].drop_nulls().unique()})
