"""What the pictures of all evaluations share: how a picture is described, its colours.

Pictures are altair charts without titles; whoever shows one sets its title and caption. The palette
is of fixed colours, so that a page may exchange them for its own (`PALETTE`) in light and dark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
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

FONT = "sans-serif"


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


def titled(chart: "alt.LayerChart", title: str, *, width: int, height: int, limit: int = 0) -> "alt.LayerChart":
    """A plot of that size under its own title, if it has one. limit: how wide the title may be, in pixels."""
    import altair as alt

    sized = chart.properties(width=width, height=height)
    if not title:
        return sized
    heading = alt.TitleParams(
        title.split("\n"), fontSize=12.5, color=INK, anchor="start", frame="group", offset=8, limit=limit
    )
    return sized.properties(title=heading)


def data(rows: Sequence[Mapping[str, Any]]) -> "alt.InlineData":
    """Rows as a chart's own data."""
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in rows])


def stacked(blocks: "Sequence[AnyChart]") -> "AnyChart":
    """Blocks below each other; one block alone stays as it is."""
    import altair as alt

    return blocks[0] if len(blocks) == 1 else alt.vconcat(*blocks, spacing=24).resolve_legend("shared")


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
