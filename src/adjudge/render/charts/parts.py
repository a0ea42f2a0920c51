"""Parts that charts share: points of a column, axes that fit the data, and layers of intervals."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import altair as alt

from adjudge.display_names import number_repeats, short_name
from adjudge.render.palette import LIGHT
from adjudge.render.summary.contents import Score, SummaryTable

Plot: TypeAlias = alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart
Layer: TypeAlias = Any
"""A plot of one mark, which Altair leaves untyped."""
Point: TypeAlias = dict[str, Any]

WIDE, NARROW = 760, 384
"""Pixels of a chart on a desk and on a phone."""
PHONE = 500
"""A wider chart has room next to its plot."""
NAMED_ROWS = 36
"""The most rows with names; more are a curve of dots."""
MOST_SERIES = 6
"""The most judges that colours and shapes distinguish."""
HEIGHT = 330
NAMES_WIDTH, TEXTS_WIDTH = 114, 146
"""Pixels of the names at the left of a plot, and of the estimates at its right."""

INK, SOFT, MUTED, GRID, PAPER = (LIGHT[name] for name in ("ink", "soft", "muted", "grid", "paper"))
BETTER, WORSE, FAINT = (LIGHT[name] for name in ("accent", "second", "faint"))
SERIES = ("teal", "purple", "ochre", "magenta", "soft", "muted")
"""Names of the colours of judges."""
_SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
_TONES = {"best": BETTER, "": BETTER, "worse": WORSE, "faint": FAINT, "baseline": FAINT}
TONE = alt.Color("tone:N", scale=alt.Scale(domain=[*_TONES], range=[*_TONES.values()]), legend=None)
"""The colour of significance."""
_CUT = "length(datum.label) > 22 ? slice(datum.label, 0, 11) + '\N{HORIZONTAL ELLIPSIS}' + slice(datum.label, -10)"
_OF_OBJECTS = re.compile(
    r"constructor|toString|valueOf|hasOwnProperty|isPrototypeOf|toLocaleString|propertyIs.*|__.*__"
)
_DIFFERENCES = (
    "(datum.value > 0 ? '+' : datum.value < 0 ? '\N{MINUS SIGN}' : '') + abs(round(datum.value * 100))"
    " + (datum.value ? ' pp' : '')"
)
_AXES: Mapping[str, dict[str, Any]] = {
    "%": {"format": ".0%"},
    "pp": {"labelExpr": _DIFFERENCES},
    "+": {"labelExpr": "datum.value ? format(datum.value, '+.1~f') : '0'"},
    "": {"format": "~g"},
}
"""The format of a unit's values along an axis."""


def data(rows: Iterable[Mapping[str, Any]]) -> alt.Chart:
    """A chart of these rows, as JSON text: Altair copies other data with every plot that holds them."""
    text = json.dumps([*rows], ensure_ascii=False)
    return alt.Chart(alt.InlineData(values=text, format=alt.JsonDataFormat(type="json")))


# --- points ---


def points(table: SummaryTable, cells: Mapping[str, Any], about: str = "") -> list[Point]:
    """A point for each defined score, in the order of the table's rows. about: the metric's text in tooltips."""
    rows = [name for name, tone in table.rows.items() if tone not in ("heading", "pooled")]
    defined = [name for name in rows if isinstance(one := cells.get(name), Score) and one.value is not None]
    labels = dict(zip(rows, row_names(table, rows), strict=True))
    return [point(labels[row], cells[row], table.rows[row], about) | {"row": row} for row in defined]


def row_names(table: SummaryTable, rows: Sequence[str]) -> list[str]:
    """Unique names of rows in a chart: with their groups if labels occur in several."""
    labels = [table.labels.get(row, row) for row in rows]
    return [*map(drawn_name, number_repeats(map(short_name, labels if len({*labels}) == len(labels) else rows)))]


def drawn_name(name: str) -> str:
    """A drawable name: names of properties of JavaScript objects break the renderer, unless changed invisibly."""
    return f"\N{WORD JOINER}{name}" if _OF_OBJECTS.fullmatch(name) else name


def point(name: str, score: Score, tone: str = "", about: str = "") -> Point:
    """A score as a datum. text: the estimate with its interval. tip: its tooltip."""
    low, high = (score.value if end is None else end for end in (score.low, score.high))
    text, n = score.with_interval, f", n = {score.n:,}" if score.n else ""
    own = {"name": name, "value": score.value, "low": low, "high": high, "text": text, "tone": tone}
    return own | {"short": str(score), "tip": f"{name}{about and f', {about}'}: {text}{n}"}


def series(names: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    """The colours and the shapes of judges."""
    colours = alt.Scale(domain=[*names], range=[LIGHT[name] for name in SERIES[: len(names)]])
    shapes = alt.Scale(domain=[*names], range=[*_SHAPES[: len(names)]])
    return alt.Color("name:N", scale=colours, legend=None), alt.Shape("name:N", scale=shapes, legend=None)


def spread(values: Sequence[float], gap: float) -> list[float]:
    """Places of labels: those of the values, at least a gap apart."""
    order, placed = sorted(range(len(values)), key=values.__getitem__), [*values]
    for lower, upper in pairwise(order):
        placed[upper] = max(placed[upper], placed[lower] + gap)
    return placed


# --- axes ---


def domain(rows: Sequence[Point], *lines: float) -> list[float]:
    """The ends of an axis that fits the data and its lines; within 0 and 1 if possible.

    >>> domain([{"low": 0.5, "high": 0.75}]), domain([{"low": 0.25, "high": 0.5}], 1.0)
    ([0.49, 0.76], [0.22, 1.005])
    """
    values = [*lines, *(row[end] for row in rows for end in ("low", "high"))]
    low, high = min(values), max(values)
    pad = (high - low or abs(high) or 1) * 0.04
    return [max(low - pad, 0) if low >= 0 else low - pad, min(high + pad, 1.005) if high <= 1 else high + pad]


def values_axis(ends: Sequence[float], unit: str, title: str | None = None, ticks: int = 6) -> dict[str, Any]:
    """The scale and the axis of values from end to end."""
    scale = alt.Scale(domain=[*ends], nice=False, zero=False)
    return {"title": title, "scale": scale, "axis": alt.Axis(tickCount=ticks, **_AXES[unit])}


def y_names(names: Sequence[str], step: float, *, shown: bool = True) -> alt.Y:
    """A row for each name."""
    size = 13.5 if step >= 20 else 11  # noqa: PLR2004 - pixels
    look: dict[str, Any] = {"labelFontSize": size, "labelColor": INK, "labelFontWeight": 500, "labelLimit": 170}
    axis = alt.Axis(grid=False, labelPadding=12, minExtent=56, labelExpr=f"{_CUT} : datum.label", **look)
    return alt.Y("name:N", sort=[*names], title=None, axis=axis if shown else None)


def row_step(rows: int, height: float = HEIGHT) -> float:
    """The height of a row: rows with names have room for them."""
    return height / rows if rows > NAMED_ROWS else min(66, max(13, height // rows))


# --- layers ---


def intervals(rows: Sequence[Point], x: alt.X, y: alt.Y, step: float) -> list[Layer]:
    """Points with their intervals, in the colours of significance."""
    base, many = data(rows).encode(y=y, color=TONE, description="tip:N"), len(rows) > NAMED_ROWS
    bars = base.mark_rule(strokeWidth=max(min(step * 0.2, 6.5), 1), opacity=0.32, strokeCap="butt" if many else "round")
    dots = base.mark_point(filled=True, size=max(min(step * 4.2, 150), 9), opacity=1)
    return [bars.encode(x=alt.X("low:Q", scale=x["scale"]), x2="high:Q"), dots.encode(x=x)]


def estimate_texts(rows: Sequence[Point], y: alt.Y, plot: float, field: str = "text") -> Layer:
    """The estimates as text at the right of a plot."""
    mark = data(rows).mark_text(align="left", fontSize=12.5, color=SOFT)
    return mark.encode(x=alt.value(plot + 14), y=y, text=f"{field}:N")


def vertical_line(value: float, label: str, x: alt.X, colour: str = MUTED) -> list[Layer]:
    """A dashed line at a value, with its label above the plot."""
    base = data([{"x": value, "label": label}]).encode(x=alt.X("x:Q", scale=x["scale"]))
    text = base.mark_text(baseline="bottom", dy=-6, fontSize=11.5, color=colour)
    line = base.mark_rule(color=colour, strokeWidth=1.3, strokeDash=[4, 4])
    return [line, text.encode(y=alt.value(0), text="label:N")]


def zero_line(x: alt.X) -> Layer:
    """A line at 0."""
    return data([{"x": 0}]).mark_rule(color=SOFT).encode(x=alt.X("x:Q", scale=x["scale"]))


def heading(text: str, at: float = -26) -> Layer:
    """The heading of a panel."""
    mark = data([{"text": text}]).mark_text(align="left", fontSize=12.5, fontWeight=500, color=MUTED)
    return mark.encode(x=alt.value(0), y=alt.value(at), text="text:N")


def y_metrics(metrics: Sequence[str], *, shown: bool = True) -> alt.Y:
    """A group of rows for each metric, with the words of its title below one another."""
    axis = alt.Axis(grid=False, labelPadding=10, labelLimit=120, labelExpr="split(datum.label, ' ')", labelFontSize=13)
    scale = alt.Scale(paddingInner=0.28, paddingOuter=0.1)
    return alt.Y("metric:N", sort=[*metrics], title=None, axis=axis if shown else None, scale=scale)


def grouped(rows: Sequence[Point], names: Sequence[str], unit: str, *, labelled: bool = True) -> Plot:
    """Points with intervals: a group of rows for each metric, a colour and a shape for each judge."""
    (colour, shape), metrics = series(names), [*dict.fromkeys(row["metric"] for row in rows)]
    offset = alt.YOffset("name:N", sort=[*names], scale=alt.Scale(paddingOuter=0.18))
    base = data(rows).encode(y=y_metrics(metrics, shown=labelled), yOffset=offset, color=colour)
    x = alt.X("value:Q", **values_axis(domain(rows, 0, 1), unit, ticks=5))
    bars = base.mark_rule(strokeWidth=6, opacity=0.25, strokeCap="round")
    dots = base.mark_point(filled=True, size=100, opacity=1).encode(x=x, shape=shape, description="tip:N")
    return alt.layer(bars.encode(x=alt.X("low:Q", scale=x["scale"]), x2="high:Q", description="tip:N"), dots)
