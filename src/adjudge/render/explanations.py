"""The meaning of a report's metrics, caveats and interval methods, in words for readers."""

from adjudge.estimate import Caveat
from adjudge.render.numbers import metric_of
from adjudge.report import Report, holds_estimates

METHODS = {
    "wilson": ("Wilson", "Wilson's score interval of a proportion of independent items."),
    "clopper-pearson": ("Clopper-Pearson", "The exact interval of a proportion: never too narrow, often too wide."),
    "clustered-wilson": ("Wilson, clustered", "Wilson's interval with Student's t and an effective n for clusters."),
    "effective-wilson": ("Wilson, effective n", "Wilson's interval with the n that has the estimate's standard error."),
    "beta-binomial": ("Beta-binomial", "The credible interval of an estimate shrunk toward the mean of annotators."),
    "tango": ("Tango", "Tango's score interval of a difference of paired proportions."),
    "clustered-tango": ("Tango, clustered", "Tango's interval with an effective n for clusters."),
    "clustered-mover": ("MOVER, clustered", "The interval of a product, with an effective n for clusters."),
    "mover": ("MOVER", "The interval of a product or a mean of shares, by variance estimates recovery from its parts."),
    "two-way": ("Two-way", "As Wilson, effective n, over other items and other annotators."),
    "score": ("Score", "The values that a score test does not reject."),
    "quadratic": ("Quadratic form", "Roots of the limits of the squared error, a quadratic form of normal deviates."),
    "f": ("F", "The limits of an intraclass correlation by the F distribution."),
    "t": ("Student's t", "The estimate plus and minus Student's t times its standard error."),
    "prediction-powered": ("Prediction-powered", "Wilson's with effective n, or t; by a score test for weights."),
    "mcnemar-mid-p": ("McNemar's mid-P test", "A test of whether two judges err equally often, on the same items."),
}
"""Interval method -> its title and description."""

NOTES = {note.title: f"{note.meaning} {note.consequence}" for note in Caveat}
"""Title of a caveat -> its meaning. It lacks other texts, such as reasons."""


def method_title(method: str) -> str:
    """The printed title of an interval method; the code itself of an unknown one.

    >>> method_title("clustered-wilson")
    'Wilson, clustered'
    """
    return METHODS.get(method, (method, ""))[0]


def meanings(report: Report) -> list[tuple[str, str]]:
    """The meaning of each metric of the report: its title, and sentences."""
    about, held = report.about, texts_of(report, "metric")
    names = dict.fromkeys(name for name in (*about.metrics, *held) if name in held)
    better = {"high": " The higher, the better.", "low": " The lower, the better.", None: ""}
    metrics = [metric_of(about.metrics, name) for name in names]
    return [(one.title, (one.meaning or "Not described.") + better[one.better]) for one in metrics]


def texts_of(report: Report, column: str) -> list[str]:
    """All different texts of a column of the report's tables of metrics, sorted."""
    tables = (frame for frame in report.tables.values() if holds_estimates(frame))
    return sorted({text for frame in tables for text in frame[column].drop_nulls().unique()})
