"""The colours of pages, charts and the explorer, in both themes and in print, defined only here.

Blue, orange and grey (accent, second, faint) mean significance and nothing else; teal to magenta identify judges.
"""

from collections.abc import Mapping

_BOTH = {
    "paper": ("#fbfbfa", "#0f1216"),
    "panel": ("#f3f3f2", "#1a1f26"),
    "ink": ("#14171c", "#eceff3"),
    "soft": ("#3d444e", "#c6ccd5"),
    "muted": ("#646c77", "#98a2af"),
    "grid": ("#e4e5e8", "#262c35"),
    "rule": ("#c9ccd2", "#3b434f"),
    "accent": ("#1f5fbf", "#79aefc"),
    "second": ("#b8500a", "#f39a53"),
    "faint": ("#9aa1ab", "#6d7683"),
    "teal": ("#0b7f74", "#4cc3b5"),
    "purple": ("#8447b8", "#c39bf2"),
    "ochre": ("#9a6200", "#e0b04a"),
    "magenta": ("#b83280", "#f08bc0"),
    "warning": ("#fdf3e0", "#2d2515"),
    "warning-edge": ("#9a6700", "#e0b04b"),
    "mark": ("#ffe08a", "#6b5410"),
}
"""Name -> its light and its dark colour."""
LIGHT = {name: light for name, (light, _) in _BOTH.items()}
DARK = {name: dark for name, (_, dark) in _BOTH.items()}
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
