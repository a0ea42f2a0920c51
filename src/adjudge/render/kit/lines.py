"""Figures along an axis, a line for each judge, with the interval of each figure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt

from adjudge.display_names import short_name
from adjudge.render.kit import style
from adjudge.render.kit.places import Places, places_of
from adjudge.render.kit.scope import Key, Row, Scope, Value, hollow, labels_of, left_out, plural, scope_of
from adjudge.render.kit.style import RenderedChart, Spec
from adjudge.report import NON_KEY_COLUMNS, Report
from adjudge.spec import LineChart

MOST_LINES = 12
MOST_TOGETHER = 5
MOST_BANDS = 3
"""With more lines than this, each has a plot of its own; the second where intervals are bands."""
MOST_PLOTS, MOST_GRIDS = 8, 3
"""How many figures, each of one group, are drawn; the second where each line has a plot of its own."""

_WIDTH, _HEIGHT, _LOW_HEIGHT = 600, 220, 150
_MANY_PLOTS = 2
"""More plots than this are lower."""
_SMALL_HEIGHT, _LINE, _FEW = 100, 3, 4
"""Of small plots: their height, how many stand side by side, how few make two suffice."""
_SMALL_NAME = 28
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")
"""Of the points of lines that stand together: colour is not all that tells them apart."""
_NOTED = {"test": "datum.noted", "value": style.PAPER}
"""What fills points with a note."""
_RUN_AND_TIME = 2
"""Keys of a history that say where along the axis a point stands."""
_MANY = 24
"""With more places than this along the axis, intervals are bands."""
_DODGE = 5
"""How far apart the marks of two lines that would meet are, in pixels."""
_UP = 66
"""How wide the vertical axis with its title is on a phone."""

_Axes = tuple[alt.X, Mapping[str, Any]]
_Look = tuple[Any, Any, Any]
Which = tuple[str, Key]
"""A metric and a group: what a plot shows."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What all plots share. plots: metric and group -> line -> points. names: of lines. said: in the caption."""

    scope: Scope
    picture: LineChart
    places: Places
    plots: Mapping[Which, Mapping[Value, list[Row]]]
    names: Mapping[Value, str]
    titles: Mapping[Key, str]
    said: str
    narrow: bool

    @property
    def width(self) -> int:
        """How wide a plot is that has none beside it."""
        return style.INSIDE - _UP - style.OVERHANG if self.narrow else _WIDTH

    @property
    def apart(self) -> bool:
        """Whether each line has a plot of its own."""
        return len(self.names) > (MOST_BANDS if self.banded else MOST_TOGETHER)

    @property
    def shown(self) -> list[Which]:
        """The metrics and groups that are drawn."""
        return list(self.plots)[: MOST_GRIDS if self.apart else MOST_PLOTS]

    @property
    def banded(self) -> bool:
        """Whether intervals are bands."""
        return len(self.places.known) > _MANY

    def points(self, which: Which) -> list[Row]:
        """The points of a plot."""
        return [point for of_line in self.plots[which].values() for point in of_line]


def lines(report: Report, picture: LineChart, *, narrow: bool) -> RenderedChart | None:
    """The picture; None where the report holds nothing of it."""
    drawn = _drawn(report, picture, narrow=narrow)
    if drawn is None:
        return None
    draw = _apart if drawn.apart else _together
    plots = [draw(drawn, one) for one in drawn.shown]
    return RenderedChart(picture.name, picture.title, _caption(drawn), style.stacked(plots))


# --- what is drawn ---


def _drawn(report: Report, picture: LineChart, *, narrow: bool) -> _Drawn | None:
    needed = ("metric", "value", "low", "high", "caveat", *filter(None, [picture.along]))
    scope = scope_of(report, picture, "", needed, picture.metrics)
    keys = [name for name in scope.rows[0] if name not in NON_KEY_COLUMNS] if scope else []
    if scope is None or (not picture.along and len(keys) < _RUN_AND_TIME):
        return None
    run, at = ("", picture.along) if picture.along else keys[:2]
    line, told = _line(scope.rows, keys, report.about.judge, at)
    named = line in keys and line not in {run, at}
    others = [key for key in keys if key not in {run, at, line, "name", *told, *picture.where, *picture.first}]
    varied = [key for key in others if len({row[key] for row in scope.rows}) > 1]
    points = [_point(row, (run, at, line if named else ""), varied) for row in scope.rows]
    if picture.along:
        points = [point for point in points if point["at"] is not None and point["value"] is not None]
    if not points:
        return None
    everyone, kept = _most_present(points)
    plots = _plots([point for point in points if point["line"] in kept], picture.metrics)
    constant = {key: scope.rows[0][key] for key in others if key not in varied and scope.rows[0][key] is not None}
    said = f" The same for all: {_title(scope, constant)}." if constant and not picture.along else ""
    said += left_out(plural(line), len(everyone), len(kept), "most") + scope.said
    places = places_of(points, at, timed=not (picture.along or report.options.get("by")))
    names = dict(zip(kept, labels_of(report, line, kept) if named else [""], strict=True))
    titles = {group: _title(scope, dict(zip(varied, group, strict=True))) for _, group in plots}
    return _Drawn(scope, picture, places, plots, names, titles, said, narrow)


def _line(rows: Sequence[Row], keys: Sequence[str], line: str, at: str) -> tuple[str, set[str]]:
    """What tells lines apart, and the keys that say the same: a name without its version, if one is at each place."""
    if not {"name", "version"} <= set(keys):
        return line, set()
    same = [key for key in keys if key not in {line, "version"} or key == at]
    places = [(row["metric"], *(row[key] for key in same)) for row in rows]
    return ("name", {line, "version"}) if len(set(places)) == len(places) else (line, {"version", "model"})


def _point(row: Row, keys: tuple[str, str, str], varied: Sequence[str]) -> Row:
    run, at, line = keys
    figure = {name: row[name] for name in ("metric", "value", "low", "high", "caveat")}
    group = tuple(row[key] for key in varied)
    return {"group": group, "line": row.get(line), "run": row.get(run, ""), "at": row[at], **figure}


def _most_present(points: Sequence[Row]) -> tuple[list[Value], list[Value]]:
    """The lines in the order in which they come up, and those of them that are drawn: those with the most figures."""
    everyone = list(dict.fromkeys(point["line"] for point in points))
    counts = Counter(point["line"] for point in points if point["value"] is not None)
    kept = sorted(everyone, key=lambda line: -counts[line])[:MOST_LINES]
    return everyone, [line for line in everyone if line in kept]


def _plots(points: Sequence[Row], order: Sequence[str]) -> dict[Which, dict[Value, list[Row]]]:
    """Metric and group -> line -> points; the groups of a metric follow each other."""
    metrics = list(dict.fromkeys((*order, *(point["metric"] for point in points))))
    found: dict[Which, dict[Value, list[Row]]] = {}
    for point in sorted(points, key=lambda point: metrics.index(point["metric"])):
        found.setdefault((point["metric"], point["group"]), {}).setdefault(point["line"], []).append(point)
    return found


def _title(scope: Scope, keys: Mapping[str, Value]) -> str:
    """What a group is called; values that stand in tables of their own elsewhere are called as those are."""
    names = {key: scope.value_title(key, value) for key, value in keys.items()}
    own = scope.about.table_titles
    return ", ".join(name if key in own else f"{short_name(key)}: {name}" for key, name in names.items())


def _caption(drawn: _Drawn) -> str:
    points = [point for which in drawn.shown for point in drawn.points(which)]
    said = drawn.scope.worded(drawn.picture.caption)
    if not drawn.picture.along:
        titles = ", ".join(dict.fromkeys(drawn.scope.metric(metric).title for metric, _ in drawn.shown))
        kind = "shade" if drawn.banded else "line"
        said = drawn.scope.worded(f"{titles} of each run; the {kind} around a point is its {{confidence}} interval.")
    said += hollow([point["caveat"] or None for point in points if point["value"] is not None])
    if undefined := sum(point["value"] is None for point in points):
        said += f" Undefined, and left as a gap: {undefined:,}."
    return said + drawn.places.said + drawn.said + left_out("plots", len(drawn.plots), len(drawn.shown))


# --- plots ---


def _together(drawn: _Drawn, which: Which) -> Spec:
    """All lines in one plot, with a legend if they have names."""
    metric, group = which
    height = _HEIGHT if len(drawn.plots) <= _MANY_PLOTS else _LOW_HEIGHT
    up = _up(drawn, metric, height=height)
    names = list(drawn.names.values())
    columns = style.in_columns(names, style.INSIDE if drawn.narrow else _WIDTH)
    legend = alt.Legend(title=None, columns=columns) if any(names) else None
    scale = alt.Scale(domain=names, range=list(style.SERIES[: len(names)]))
    shape = alt.Shape("name:N", scale=alt.Scale(domain=names, range=list(_SHAPES[: len(names)])), legend=legend)
    fill = alt.Fill("name:N", scale=scale, legend=legend, condition=_NOTED)
    layers: list[alt.Chart] = [*_diagonal(drawn, (_across(drawn, drawn.width), up))]
    stroke = alt.Stroke("name:N", scale=scale, legend=legend)
    placed = [_placed(drawn, which, line) for line in drawn.names]
    apart = 0 if drawn.banded or not _meet(drawn, placed) else _DODGE
    for number, points in enumerate(placed):
        shift = apart * (number - (len(names) - 1) / 2)
        axes = _across(drawn, drawn.width), up
        layers += _marks(points, axes, style.SERIES[number], (stroke, shape, fill), many=drawn.banded, shift=shift)
    return style.plot(layers, drawn.titles[group], drawn.width, height, narrow=drawn.narrow)


def _meet(drawn: _Drawn, placed: Sequence[Sequence[Row]]) -> bool:
    """Whether points of two lines stand so near each other along the axis that marks of one may hide the other's."""
    known = drawn.places.known
    numbers = list(range(len(known))) if drawn.places.kind == "name" else known
    number = dict(zip(known, numbers, strict=True))
    near = _DODGE / drawn.width * (numbers[-1] - numbers[0])
    at = sorted((number[point["x"]], line) for line, points in enumerate(placed) for point in points)
    return any(one[1] != other[1] and other[0] - one[0] <= near for one, other in pairwise(at))


def _across(drawn: _Drawn, width: int, *, small: bool = False, last: bool = True) -> alt.X:
    """The axis of places. last: whether nothing stands below it."""
    axis = drawn.places.axis(width, small=small, labels=last, percent=drawn.picture.along in drawn.scope.about.shares)
    title = (drawn.picture.title_along or drawn.places.title) if last else ""
    return drawn.places.field(axis, style.lines_of(title, width) if drawn.narrow else title)


def _apart(drawn: _Drawn, which: Which) -> Spec:
    """A small plot for each line, over the same range."""
    metric, group = which
    held = [line for line in drawn.names if line in drawn.plots[which]]
    size = 2 if len(held) <= _FEW or drawn.narrow else _LINE
    if drawn.narrow and max(style.width_of(drawn.names[line]) for line in held) > (drawn.width - style.GAP) // 2:
        size = 1
    width = (drawn.width + style.GAP) // size - style.GAP
    panels = []
    for place, line in enumerate(held):
        up = _up(drawn, metric, height=_SMALL_HEIGHT, labels=place % size == 0)
        across = _across(drawn, width, small=True, last=place + size >= len(held))
        look = alt.StrokeValue(style.ACCENT), alt.ShapeValue(_SHAPES[0]), alt.FillValue(style.ACCENT, condition=_NOTED)
        marks = _marks(_placed(drawn, which, line), (across, up), style.ACCENT, look, many=drawn.banded, small=True)
        layers = [*_diagonal(drawn, (across, up)), *marks, _heading(drawn.names[line])]
        panels.append(style.plot(layers, "", width, _SMALL_HEIGHT))
    rows = [{"hconcat": some, "spacing": style.GAP, "bounds": "flush"} for some in style.chunks(panels, size)]
    above = style.heading(drawn.titles[group], narrow=drawn.narrow) if drawn.titles[group] else {}
    return {"vconcat": rows, "spacing": 10, **above}


def _diagonal(drawn: _Drawn, axes: _Axes) -> Iterator[alt.Chart]:
    """Where figures equal what stands on the axis."""
    if drawn.picture.diagonal:
        across, up = axes
        known = drawn.places.known
        ends = alt.Chart(style.data([{"x": one, "value": one} for one in (known[0], known[-1])]))
        line = ends.mark_line(color=style.MUTED, strokeWidth=1.5, strokeDash=[4, 3])
        yield line.encode(across, alt.Y("value:Q", **up))


def _heading(name: str) -> alt.Chart:
    """A name above a small plot; titles would stand higher where an axis has labels."""
    row = alt.Chart(style.data([{"name": short_name(name, _SMALL_NAME)}]))
    text = row.mark_text(align="left", baseline="bottom", fontSize=12.5, fontWeight=600, fill=style.INK)
    placed: alt.Chart = text.encode(alt.Text("name:N"), x=alt.value(0), y=alt.value(-8))
    return placed


def _up(drawn: _Drawn, metric: str, *, height: int, labels: bool = True) -> dict[str, Any]:
    """How figures are shown along the vertical axis, whose ends are round and hold all intervals of the metric."""
    about = drawn.scope.metric(metric)
    points = (point for which in drawn.plots if which[0] == metric for point in drawn.points(which))
    at = style.even_ticks(*_ends(drawn, points), max(2, height // 30))
    axis = style.ticks(about, values=at, tickCount=len(at), labels=labels, domain=False, ticks=False, gridOpacity=0.6)
    scale = alt.Scale(domain=[at[0], at[-1]], nice=False, zero=False)
    return {"title": about.title if labels else "", "axis": axis, "scale": scale}


def _ends(drawn: _Drawn, points: Iterable[Row]) -> tuple[float, float]:
    """What the vertical axis holds."""
    low, high = style.ends_of(points)
    known = drawn.places.known
    return (min(low, known[0]), max(high, known[-1])) if drawn.picture.diagonal else (low, high)


def _placed(drawn: _Drawn, which: Which, line: Value) -> list[Row]:
    """The points of a line along the axis; those between two gaps are alone."""
    place_of, order = drawn.places.of, drawn.places.known
    points = sorted(drawn.plots[which].get(line, []), key=lambda point: order.index(place_of(point)))
    defined = [False, *(point["value"] is not None for point in points), False]
    return [
        {"name": drawn.names[line], "x": place_of(point), "noted": bool(point["caveat"])}
        | {"alone": not (defined[place] or defined[place + 2])}
        | {name: point[name] for name in ("value", "low", "high")}
        for place, point in enumerate(points)
    ]


def _marks(
    points: Sequence[Row], axes: _Axes, colour: str, look: _Look, *, many: bool, small: bool = False, shift: float = 0.0
) -> Iterator[alt.Chart]:
    """Intervals as lines, or as bands where there are many; the line from run to run; the points.

    look: the stroke of the line, the shape of its points and what fills them.
    """
    (across, up), (stroke, shape, fill) = axes, look
    value, low, high = alt.Y("value:Q", **up), alt.Y("low:Q", **up), alt.Y2("high:Q")
    base = alt.Chart(style.data(points)).encode(across)
    limited = alt.Chart(style.data([one for one in points if one["low"] is not None and (one["alone"] or not many)]))
    if many:
        yield base.mark_area(fill=colour, opacity=0.13).encode(low, high)
    yield limited.mark_rule(stroke=colour, strokeWidth=1.5, opacity=0.8, xOffset=shift).encode(across, low, high)
    yield base.mark_line(strokeWidth=1.4 if small else 2, xOffset=shift).encode(value, stroke)
    size = alt.SizeValue((8 if small else 16) if many else (30 if small else 52))
    dots = base.mark_point(filled=True, stroke=colour, strokeWidth=1.5, opacity=1, xOffset=shift)
    yield dots.encode(value, shape, fill, size)
