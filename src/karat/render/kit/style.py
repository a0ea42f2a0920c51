"""What all pictures share: how a picture is described, its colours, how plots are set together.

Pictures are altair charts without titles; whoever shows one sets its title and caption. The palette
is of fixed colours, so that a page may exchange them for its own (`PALETTE`) in light and dark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import altair as alt

    AnyChart: TypeAlias = alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart

INK = "#1b1f26"
MUTED = "#59616d"
GRID = "#dfe2e7"
PAPER = "#fffffe"
ACCENT = "#2b5f8f"
SECOND = "#a34708"
PALETTE = {"ink": INK, "muted": MUTED, "grid": GRID, "paper": PAPER, "accent": ACCENT, "second": SECOND}
"""Colours of all that is not data: name -> colour. No other mark has one of them."""

UNDEFINED = "#c8ccd2"
"""Fill of a cell whose figure is undefined."""

GOODNESS = ("#7f1d1d", "#bf4f26", "#eda150", "#ecd28a", "#d5f0c2")
"""From worst to best at even steps; each is lighter than the one before, so that it reads without hue."""

SIGNS = ("#2f6eb5", "#f7f7f7", "#c05a00")
"""From the most negative to the most positive: told apart by every eye, and darker the farther from 0."""

SHARES = ("#f1f5fa", "#9cc0e2", "#1d4a78")
"""From none to all; each is darker than the one before."""

SERIES = (ACCENT, "#b3541e", "#4b8b3b", "#7a4fa3", "#9c8412", "#b03a6b", "#3f8f8f", "#6b6b6b")
"""Of things that have no order."""

PARTS = ("#7fae6b", "#4b8b3b", "#d9b44a", "#8fa9c4", "#c46a4a", "#9c3d26", "#c8ccd2", "#e4e6ea")
"""Of outcomes, from the best to what is missing."""

FONT = "sans-serif"
GAP = 24
_TOUCHING = 1e-9
_LEAST = 1e-6
PERCENT = "round(1000 * datum.value) / 10 + '\u00a0%'"
PLAIN = "round(1000 * datum.value) / 1000"
"""Labels of axes, rounded, since 100 * 0.55 is 55.00000000000001."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a report.

    name: for file names and ids. title, caption: to be set above and below it. chart: without a title.
    """

    name: str
    title: str
    caption: str
    chart: "AnyChart"


def goodness_colour(goodness: float) -> str:
    """The colour between worst (0) and best (1).

    >>> goodness_colour(0), goodness_colour(1), goodness_colour(0.5)
    ('#7f1d1d', '#d5f0c2', '#eda150')
    """
    return blend(GOODNESS, goodness)


def blend(colours: Sequence[str], position: float) -> str:
    """The colour between the first (0) and the last (1), by straight lines through all of them in RGB.

    >>> blend(["#000000", "#ffffff", "#ff0000"], 0.75)
    '#ff8080'
    """
    steps = list(pairwise(colours))
    along = min(max(position, 0.0), 1.0) * len(steps)
    step = min(int(along), len(steps) - 1)
    low, high = (_rgb(colour) for colour in steps[step])
    mixed = (round(a + (b - a) * (along - step)) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour; the contrast is 4.58 or more.

    >>> ink_on("#7f1d1d"), ink_on("#d5f0c2")
    ('#ffffff', '#000000')
    """
    light = luminance(colour) + 0.05
    return "#ffffff" if 1.05 / light > light / 0.05 else "#000000"


def luminance(colour: str) -> float:
    """Relative luminance of a colour, 0 to 1 (WCAG 2.2, "relative luminance")."""
    channels = (_linear(channel / 255) for channel in _rgb(colour))
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - of sRGB


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def rounded(low: float, high: float) -> tuple[float, float]:
    """The closest round numbers around both.

    >>> rounded(0.31, 0.57), rounded(3, 258)
    ((0.3, 0.6), (0.0, 300.0))
    """
    step = round_step(max(high - low, _LEAST * max(abs(high), 1.0)))
    low, high = floor(low / step + _TOUCHING) * step, ceil(high / step - _TOUCHING) * step
    return round(low, 9), round(max(high, low + step), 9)


def round_step(size: float) -> float:
    """A round number of which 5 to 10 or so make up a size.

    >>> round_step(1.3), round_step(260), round_step(0.7)
    (0.2, 50.0, 0.1)
    """
    power = 10.0 ** floor(log10(size))
    return power / next(parts for parts, most in ((5, 2), (2, 5), (1, 11)) if size < most * power)


def plot(layers: "Sequence[alt.Chart]", title: str, width: int, height: int) -> "alt.LayerChart":
    """Layers as a plot of that size, under its own title if it has one."""
    import altair as alt

    above = heading(title, max(width, 150)) if title else alt.Undefined
    return alt.LayerChart(layer=list(layers), width=width, height=height, title=above)


def heading(title: str, limit: int = 0) -> "alt.TitleParams":
    """A title above plots. limit: how wide it may be, in pixels."""
    import altair as alt

    return alt.TitleParams(
        title.split("\n"), fontSize=12.5, color=INK, anchor="start", frame="group", offset=8, limit=limit
    )


def beside(plots: "Sequence[AnyChart]", title: str = "") -> "AnyChart":
    """Plots beside each other, under a title if they have one; one alone without a title stays as it is."""
    import altair as alt

    if len(plots) == 1 and not title:
        return plots[0]
    return alt.hconcat(*plots, spacing=GAP, title=heading(title) if title else alt.Undefined)


def upright(value: float | None, along: "alt.X", **look: Any) -> "list[alt.Chart]":  # noqa: ANN401 - of altair's options
    """A line at a value of the field x; none where there is no value."""
    import altair as alt

    return [] if value is None else [alt.Chart(data([{"x": value}])).mark_rule(**look).encode(along)]


def names_axis(*, labels: bool = True, **further: Any) -> "alt.Axis":  # noqa: ANN401 - of altair's options
    """The axis along which names stand."""
    import altair as alt

    return alt.Axis(domain=False, ticks=False, labels=labels, **{"labelPadding": 8, **further})


def data(rows: Sequence[Mapping[str, Any]]) -> "alt.InlineData":
    """Rows as a chart's own data."""
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def stacked(blocks: "Sequence[AnyChart]") -> "AnyChart":
    """Blocks below each other; one block alone stays as it is."""
    import altair as alt

    return blocks[0] if len(blocks) == 1 else alt.vconcat(*blocks, spacing=GAP)


def theme() -> dict[str, Any]:
    """Vega-Lite's configuration for every picture: calm, and the same everywhere."""
    return {
        "aria": False,
        "background": PAPER,
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "title": {
            "color": INK,
            "subtitleColor": MUTED,
            "fontSize": 15,
            "subtitleFontSize": 11.5,
            "anchor": "start",
        }
        | {
            "fontWeight": 600,
            "subtitlePadding": 6,
            "offset": 14,
            "subtitleLineHeight": 15,
            "frame": "bounds",
        },
        "axis": {
            "labelColor": INK,
            "titleColor": MUTED,
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
        }
        | {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 400, "labelLimit": 320},
        "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12}
        | {"titleFontWeight": 400, "orient": "bottom", "labelLimit": 320, "columnPadding": 18},
    }
