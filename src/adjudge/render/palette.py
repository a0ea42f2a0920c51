"""The colours of pages, pictures and the explorer, in both themes and in print: here and nowhere else.

Data have colours of their own (`adjudge.render.kit.style`), which are the same in both themes.
"""

from collections.abc import Mapping

LIGHT = {
    "paper": "#fffffe",
    "panel": "#f5f6f8",
    "ink": "#1b1f26",
    "muted": "#59616d",
    "grid": "#dfe2e7",
    "accent": "#2b5f8f",
    "second": "#a34708",
    "warning": "#fdf3e0",
    "warning-edge": "#c07a12",
    "mark": "#ffe08a",
}
DARK = {
    "paper": "#15181d",
    "panel": "#1d2128",
    "ink": "#e5e8ec",
    "muted": "#a5adb9",
    "grid": "#363c47",
    "accent": "#86b4e2",
    "second": "#f2a468",
    "warning": "#2d2515",
    "warning-edge": "#d39a35",
    "mark": "#6b5410",
}
PRINTED = LIGHT | {
    "paper": "#ffffff",
    "ink": "#000000",
    "muted": "#4a505a",
    "grid": "#cfd3d9",
    "accent": "#1f4e79",
    "second": "#8a3a05",
    "warning": "#ffffff",
    "warning-edge": "#8a5a00",
}
"""Name -> colour, in each theme."""

TOO_MUCH = "#dd5862"
"""What was said too much, as an invented violation: in pictures and in marked texts, in both themes and in print."""


def declared(colours: Mapping[str, str]) -> str:
    """Colours as CSS declares them for a page.

    >>> declared({"ink": "#000000"})
    '--adjudge-ink: #000000;'
    """
    return " ".join(f"--adjudge-{name}: {colour};" for name, colour in colours.items())
