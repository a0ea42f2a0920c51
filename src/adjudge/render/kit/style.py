"""What all pictures share: how a picture is described, its colours, how plots are set together.

Pictures are Vega-Lite without titles; whoever shows one sets its title and caption. The palette
is of fixed colours, so that a page may exchange them for its own (`PALETTE`) in light and dark.

Altair makes the marks, and plain data puts them together: altair itself copies all that a plot holds, its rows among
it, whenever it is set beside another, which took most of the time of drawing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from textwrap import wrap
from typing import Any, TypeAlias
from unicodedata import east_asian_width

import altair as alt

from adjudge.render.numbers import MINUS
from adjudge.render.palette import LIGHT, TOO_MUCH
from adjudge.spec import MetricSpec

Spec: TypeAlias = dict[str, Any]
"""A plot, or several, as Vega-Lite."""


PALETTE = {name: LIGHT[name] for name in ("ink", "muted", "grid", "paper", "accent", "second")}
"""Colours that a page may exchange: of all that is not data, and of what is right or wrong. No other mark has them."""
INK, MUTED, GRID, PAPER, ACCENT, SECOND = PALETTE.values()

RIGHT, WRONG = ACCENT, SECOND
"""What is right is blue and what is wrong is orange, wherever either is drawn: in figures too, which go from one to the
other."""

SHARES = (0.06, 0.5)
"""How much of a colour stands behind none and behind all: text can be read on it in both themes, and the more there is,
the more it stands out from the page."""

SERIES = (ACCENT, "#a569f0", "#3c9696", "#e1961e", "#b3541e", "#785ac3", "#e15a69", "#784b4b")
"""Of things that have no order: told apart by every eye, the first five most of all; the first are not like `WRONG`."""

BACKGROUND = "#8b9099"
"""Of those with whom others are compared: seen in both themes, and less than these."""

_MEANT = {
    RIGHT: "correct agree true_positive unanimous with_all same_text both_right",
    "#34968c": "corrected both majority with_most rather_right",  # right in part, or in the end
    "#e1d257": "detected with_some with_few level reference_only",  # as much right as wrong, or too little was said
    "#8275bb": "rejected neither",  # nothing was said
    TOO_MUCH: "answered annotator_only false_positive one_differs with_none rather_wrong",  # too much was said
    WRONG: "incorrect disagree false_negative against_all with_nobody split other_text both_wrong",
    "#a0a4aa": "missing skipped deducted undecided",
    GRID: "unjudged flagged no_flags alone single no_people",  # there is nothing to compare with
}
OUTCOMES: Mapping[str, str] = {outcome: colour for colour, meant in _MEANT.items() for outcome in meant.split()}
"""Outcome -> its colour, the same in all evaluations: told apart by every eye."""

FONT = "sans-serif"
GAP = 24
NARROW = 340
"""How wide a picture for a phone is, in pixels: as the smallest of them have beside the margins of a page."""
_PADDING = 8
INSIDE = NARROW - 2 * _PADDING
"""How wide plots of such a picture may be with all that belongs to them."""
OVERHANG = 22
"""How far the label at the end of an axis may reach over it."""
BESIDE = 100
"""How wide names may be in such a picture to stand beside the rows that they name; wider ones stand above them."""
_BOLD = 1.1
"""How much wider letters are in bold."""
_SQUARE, _BROAD, _COMMON, _SLIM = 12.0, 8.6, 6.7, 3.6
_BROAD_ONES, _SLIM_ONES = frozenset("mwMW@%—…"), frozenset("iljtfrI.,:;'|!()[]-\u00b7 \u00a0")
_SYMBOL = 34
"""How wide the symbol of a legend is with what is around it and its name."""
TOUCHING = 1e-9
_LEAST = 1e-6
PERCENT = "abs(round(1000 * datum.value) / 10) + '\u00a0%'"
PLAIN = "abs(round(1000 * datum.value) / 1000)"
"""Labels of axes without their sign, rounded, since 100 * 0.55 is 55.00000000000001."""


@dataclass(frozen=True, slots=True)
class RenderedChart:
    """A picture of a report.

    name: for file names and ids. title, caption: to be set above and below it. spec: without a title.
    """

    name: str
    title: str
    caption: str
    spec: Spec


def rounded(low: float, high: float) -> tuple[float, float]:
    """The closest round numbers around both.

    >>> rounded(0.31, 0.57), rounded(3, 258)
    ((0.3, 0.6), (0.0, 300.0))
    """
    step = round_step(max(high - low, _LEAST * max(abs(high), 1.0)))
    low, high = floor(low / step + TOUCHING) * step, ceil(high / step - TOUCHING) * step
    return round(low, 9), round(max(high, low + step), 9)


def evenly(size: float) -> float:
    """The closest round number from a size on of which the half is round too.

    >>> evenly(0.83), evenly(0.174), evenly(0.3)
    (1.0, 0.2, 0.3)
    """
    step = 2 * round_step(size)
    return round(ceil(size / step - TOUCHING) * step, 9)


def round_step(size: float) -> float:
    """A round number of which 5 to 10 or so make up a size.

    >>> round_step(1.3), round_step(260), round_step(0.7)
    (0.2, 50.0, 0.1)
    """
    power = 10.0 ** floor(log10(size))
    return power / next(parts for parts, most in ((5, 2), (2, 5), (1, 11)) if size < most * power)


def even_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers at even steps around both, with at most so many steps between them.

    >>> even_ticks(0.43, 0.98, 5), even_ticks(3, 258, 5)
    ([0.4, 0.6, 0.8, 1.0], [0.0, 100.0, 200.0, 300.0])
    """
    power = floor(log10(max(high - low, _LEAST * max(abs(high), 1.0)) / most))
    for step in (part * 10.0**larger for larger in (power, power + 1) for part in (1, 2, 5)):
        first, last = floor(low / step + TOUCHING), ceil(high / step - TOUCHING)
        if last - first <= most:
            break
    return [round(place * step, 9) for place in range(first, max(last, first + 1) + 1)]


def ends_of(rows: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """The least and the greatest of all figures, limits and true values; 0 and 1 where there is none."""
    names = ("value", "low", "high", "truth")
    known = [row[name] for row in rows for name in names if row.get(name) is not None]
    return min(known, default=0.0), max(known, default=1.0)


def plot(layers: Sequence[alt.Chart], title: str, width: int, height: int, *, narrow: bool = False) -> Spec:
    """Layers as a plot of that size, under its own title if it has one. narrow: whether it is for a phone."""
    limit = max(width, 150)
    above = heading(_fitting(title, INSIDE if narrow else limit), limit, narrow=narrow) if title else {}
    return {"layer": list(map(_layer, layers)), "width": width, "height": height, **above}


def _fitting(title: str, width: int) -> str:
    """A title whose lines are as wide as what they stand above, if they are not narrower."""
    lines = title.split("\n")
    return "\n".join(_in_lines(line, width) if _BOLD * width_of(line) > width else line for line in lines)


def _in_lines(title: str, width: int) -> str:
    """A title in lines of that width, which hold fewer letters where these are wide."""
    wide = _BOLD * width_of(title) / (_COMMON * len(title))
    return "\n".join(lines_of(title, width / wide))


def _layer(mark: alt.Chart) -> Spec:
    bare = mark.copy(deep=False)
    bare.data = alt.Undefined
    return bare.to_dict(validate=False, context={"top_level": False}) | {"data": {"values": mark.data["values"]}}


def edges(field: str, colours: Mapping[str, str]) -> alt.Stroke:
    """The edges of bars of outcomes: of the faintest one that is seen, of others the page. colours: of the outcomes."""
    drawn = [MUTED if colour == GRID else PAPER for colour in colours.values()]
    return alt.Stroke(f"{field}:N", scale=alt.Scale(domain=list(colours), range=drawn), legend=None)


def heading(title: str, limit: int = 0, *, narrow: bool = False) -> Spec:
    """A title above plots, as they have it. limit: how wide it may be, in pixels; for a phone as wide as a picture."""
    where = {"frame": "bounds", "limit": INSIDE} if narrow else {"frame": "group", "limit": limit}
    look = {"fontSize": 12.5, "color": INK, "anchor": "start", "offset": 8, **where}
    return {"title": {"text": title.split("\n"), **look}}


def chunks(plots: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Plots in lines of that size."""
    return [plots[start : start + size] for start in range(0, len(plots), size)]


def beside(plots: Sequence[Spec], title: str = "", *, flush: bool = False, narrow: bool = False) -> Spec:
    """Plots beside each other, under a title if they have one; one alone without a title stays as it is.

    flush: whether their axes alone are set apart, so that those of several lines stand below one another.
    """
    if len(plots) == 1 and not title:
        return plots[0]
    above = heading(title, narrow=narrow) if title else {}
    return {"hconcat": _with_titles_alike(plots), "spacing": GAP, "bounds": "flush" if flush else "full", **above}


def _with_titles_alike(plots: Sequence[Spec]) -> list[Spec]:
    """Plots whose titles have the same number of lines, so that the plots below them stand at the same height."""
    lines = [plot["title"]["text"] if "title" in plot else [] for plot in plots]
    most = max(map(len, lines), default=0)
    return [
        {**plot, "title": {**plot["title"], "text": [*[" "] * (most - len(own)), *own]}} if own else plot
        for plot, own in zip(plots, lines, strict=True)
    ]


def stacked(blocks: Sequence[Spec]) -> Spec:
    """Blocks below each other; one block alone stays as it is."""
    return blocks[0] if len(blocks) == 1 else {"vconcat": list(blocks), "spacing": GAP}


def upright(value: float | None, along: alt.X, **look: Any) -> list[alt.Chart]:  # noqa: ANN401 - of altair's options
    """A line at a value of the field x; none where there is no value."""
    return [] if value is None else [alt.Chart(data([{"x": value}])).mark_rule(**look).encode(along)]


def width_of(text: str) -> int:
    """How wide a text is in letters of 12 pixels, roughly: what draws it says so too late.

    >>> width_of("annotator-01"), width_of("\u4e2d\u6587")
    (69, 24)
    """
    return ceil(sum(map(_wide, text)))


def _wide(letter: str) -> float:
    if east_asian_width(letter) in {"W", "F"}:
        return _SQUARE
    if letter in _SLIM_ONES:
        return _SLIM
    return _BROAD if letter in _BROAD_ONES or letter.isupper() else _COMMON


def lines_of(text: str, width: float) -> list[str]:
    """A text in lines of about that width."""
    return wrap(text, max(1, int(width / _COMMON)))


def in_columns(names: Iterable[str], room: float) -> int:
    """How many names of a legend stand beside each other."""
    return max(1, int(room // (max(map(width_of, names), default=0) + _SYMBOL)))


def names_above(marks: alt.Chart, high: float) -> alt.Chart:
    """The names of rows of that height, each above what stands in its row."""
    text = marks.mark_text(align="left", baseline="top", dy=2 - high / 2, fill=INK, fontSize=12)
    placed: alt.Chart = text.encode(alt.Text("label:N"), x=alt.value(0))
    return placed


def names_axis(*, labels: bool = True, **further: Any) -> alt.Axis:  # noqa: ANN401 - of altair's options
    """The axis along which names stand."""
    return alt.Axis(domain=False, ticks=False, labels=labels, **{"labelPadding": 8, **further})


def ticks(metric: MetricSpec, *, signed: bool = False, **further: Any) -> alt.Axis:  # noqa: ANN401 - of altair's options
    """The axis along which figures stand. signed: whether what lies above 0 has a plus."""
    number = PERCENT if metric.percent else PLAIN
    if metric.in_points:
        number = number.replace("%", "pp")
    above = "datum.value > 0 ? '+' : ''" if signed else "''"
    return alt.Axis(labelExpr=f"(datum.value < 0 ? '{MINUS}' : {above}) + {number}", **further)


def data(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as a chart's own data."""
    return alt.InlineData(values=list(map(dict, rows)))


def theme() -> dict[str, Any]:
    """Vega-Lite's configuration for every picture: calm, and the same everywhere."""
    words = {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 400}
    titles = {"color": INK, "subtitleColor": MUTED, "fontSize": 15, "subtitleFontSize": 11.5, "fontWeight": 600}
    set_apart = {"subtitlePadding": 6, "offset": 14, "subtitleLineHeight": 15}
    return {
        "aria": False,
        "background": PAPER,
        "font": FONT,
        "padding": _PADDING,
        "view": {"stroke": None},
        "title": {**titles, **set_apart, "anchor": "start", "frame": "bounds"},
        "axis": {**words, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID, "labelLimit": 320},
        "legend": {**words, "orient": "bottom", "labelLimit": 320, "columnPadding": 18},
    }
