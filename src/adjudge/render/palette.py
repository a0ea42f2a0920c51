"""The colours of pages, charts and the explorer, in both themes and in print: here and nowhere else.

Blue, orange and grey (accent, second, faint) mean significance and nothing else; teal to magenta say who.
"""

from collections.abc import Mapping

LIGHT = {
    "paper": "#fbfbfa",
    "panel": "#f3f3f2",
    "ink": "#14171c",
    "soft": "#3d444e",
    "muted": "#646c77",
    "grid": "#e4e5e8",
    "rule": "#c9ccd2",
    "accent": "#1f5fbf",
    "second": "#b8500a",
    "faint": "#9aa1ab",
    "teal": "#0b7f74",
    "purple": "#8447b8",
    "ochre": "#9a6200",
    "magenta": "#b83280",
    "warning": "#fdf3e0",
    "warning-edge": "#9a6700",
    "mark": "#ffe08a",
}
DARK = {
    "paper": "#0f1216",
    "panel": "#1a1f26",
    "ink": "#eceff3",
    "soft": "#c6ccd5",
    "muted": "#98a2af",
    "grid": "#262c35",
    "rule": "#3b434f",
    "accent": "#79aefc",
    "second": "#f39a53",
    "faint": "#6d7683",
    "teal": "#4cc3b5",
    "purple": "#c39bf2",
    "ochre": "#e0b04a",
    "magenta": "#f08bc0",
    "warning": "#2d2515",
    "warning-edge": "#e0b04b",
    "mark": "#6b5410",
}
PRINTED = LIGHT | {"paper": "#ffffff", "panel": "#f6f6f6", "ink": "#000000", "warning": "#fffffe"}
"""Name -> colour, in each theme. Within a theme no two are equal: SVG of one theme is turned into another by them."""

TOO_MUCH = "#dd5862"
"""False alarms, in charts and in marked texts, in both themes and in print."""


def declared(colours: Mapping[str, str]) -> str:
    """Colours as CSS declares them for a page.

    >>> declared({"ink": "#000000"})
    '--adjudge-ink: #000000;'
    """
    return " ".join(f"--adjudge-{name}: {colour};" for name, colour in colours.items())
