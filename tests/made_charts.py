"""Reports made by hand for tests of pictures, and what stands in a picture."""

import re

from altair import TopLevelSpec

from adjudge.estimate import Estimate
from adjudge.metrics.tables import estimate_row
from adjudge.render.kit import charts
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_reports import made_report


def figures(keys, rows, numbers=()):
    """A table of figures from rows: values of the keys, metric, value; intervals reach 0.1 to both sides."""
    made = [estimate_row(dict(zip(keys, row, strict=False)), row[-2], estimate(row[-1])) for row in rows]
    return typed_table(made, [*keys, *ESTIMATE_COLUMNS], numbers=numbers)


def estimate(value):
    """An estimate of that value, or one that is given, or one that is undefined."""
    if isinstance(value, Estimate):
        return value
    if value is None:
        return Estimate.undefined("no items")
    return Estimate(value, value - 0.1, value + 0.1, n=100, method="wilson")


def with_p(keys, rows):
    """Differences from rows: values of the keys, metric, value, adjusted p."""
    table = figures(keys, [row[:-1] for row in rows]).to_dicts()
    tests = [{"p": row[-1], "p_adjusted": row[-1]} for row in rows]
    return typed_table([{**one, **test} for one, test in zip(table, tests, strict=True)])


def chart_of(evaluation, name, tables, **options):
    """The picture of that name of a report with these tables; None where there is none."""
    report = made_report(evaluation, tables, options=options)
    return next((chart for chart in charts(report) if chart.name == name), None)


def plots(chart):
    """All single plots of a picture, in order, each with its layers' data in place."""
    TopLevelSpec.validate(chart.spec)

    def walk(node):
        inner = [one for kind in ("hconcat", "vconcat") for one in node.get(kind, [])]
        return [found for one in inner for found in walk(one)] if inner else [filled(node)]

    def filled(plot):
        return plot | {"layer": [layer | {"rows": layer["data"]["values"]} for layer in plot["layer"]]}

    return walk(chart.spec)


def title(plot):
    """What stands above a plot; lines are set apart by a slash."""
    return " / ".join(plot.get("title", {"text": []})["text"])


def marked(plot, kind):
    """The data of the layers of that kind of mark."""
    return [layer["rows"] for layer in plot["layer"] if layer["mark"]["type"] == kind]


def points(plot):
    """The points of a forest: label -> value, from above."""
    return {row["label"]: row["x"] for row in marked(plot, "point")[0]}


def names(plot):
    """The names along the side of a forest."""
    layer = next(one for one in plot["layer"] if "y" in one["encoding"])
    return layer["encoding"]["y"]["scale"]["domain"]


def luminance(colour):
    """Relative luminance of a colour, "#rrggbb" or "rgb(r, g, b)", 0 to 1 (WCAG 2.2, "relative luminance")."""
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)] if colour[0] == "#" else re.findall(r"\d+", colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (int(one) / 255 for one in channels)]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """How well a colour can be read on another, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def blended(colour, ground, share):
    """A colour that lets its ground through."""
    mixed = (
        round(one * share + other * (1 - share)) for one, other in zip(*map(channels, (colour, ground)), strict=True)
    )
    return f"#{bytes(mixed).hex()}"


def channels(colour):
    return bytes.fromhex(colour[1:])
