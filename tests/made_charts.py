"""Tables of estimates made by hand, and the contrast of colours."""

import re

from adjudge.estimate import Estimate
from adjudge.metrics.tables import estimate_row
from adjudge.report import ESTIMATE_COLUMNS, typed_table


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


def luminance(colour):
    """Relative luminance of a colour, "#rrggbb" or "rgb(r, g, b)", 0 to 1 (WCAG 2.2, "relative luminance")."""
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)] if colour[0] == "#" else re.findall(r"\d+", colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (int(one) / 255 for one in channels)]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """How well a colour can be read on another, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)
