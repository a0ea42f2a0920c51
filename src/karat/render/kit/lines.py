"""Figures along an axis, a line for each judge, with the interval of each figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.names import short
from karat.render.kit.places import Places, axis, places_of
from karat.render.kit.scope import Key, Row, Scope, Value, called, labels_of, left_out, plural, scope_of
from karat.render.kit.style import (
    ACCENT,
    GAP,
    INK,
    PAPER,
    PERCENT,
    PLAIN,
    SECOND,
    SERIES,
    Chart,
    data,
    heading,
    plot,
    rounded,
    stacked,
    upright,
)
from karat.report import NO_KEYS

if TYPE_CHECKING:
    import altair as alt

    from karat.about import Metric
    from karat.pictures import Lines
    from karat.render.kit.style import AnyChart
    from karat.report import Report

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
_MANY = 24
"""With more places than this along the axis, intervals are bands."""
_DODGE = 5
"""How far apart the marks of two lines at one place are, in pixels; less where places are close."""
_CLOSEST = 0.6
"""Which part of the way to the next place such marks fill at most."""
_LEGEND, _SYMBOL = 90, 5
"""How many letters fit beside each other in a legend, and how many a symbol is as wide as."""

Which = tuple[str, Key]
"""A metric and a group: what a plot shows."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What all plots share. plots: metric and group -> line -> points. names: of lines. said: in the caption.

    marks: line -> metric -> figure, of what stands behind the lines.
    """

    scope: Scope
    picture: "Lines"
    places: Places
    plots: "Mapping[Which, Mapping[Value, list[Row]]]"
    names: "Mapping[Value, str]"
    titles: Mapping[Key, str]
    marks: "Mapping[Value, Mapping[str, Row]]"
    said: str

    @property
    def apart(self) -> bool:
        """Whether each line has a plot of its own."""
        return self.picture.apart or len(self.names) > (MOST_BANDS if self.banded else MOST_TOGETHER)

    @property
    def shown(self) -> list[Which]:
        """The metrics and groups that are drawn."""
        return list(self.plots)[: MOST_GRIDS if self.apart else MOST_PLOTS]

    @property
    def height(self) -> int:
        """How high a plot of all lines is."""
        return _HEIGHT if len(self.plots) <= _MANY_PLOTS else _LOW_HEIGHT

    @property
    def banded(self) -> bool:
        """Whether intervals are bands."""
        return self.places.count > _MANY

    @property
    def across(self) -> str:
        """What the axis is called."""
        return self.picture.title_along or self.places.title


def lines(report: "Report", picture: "Lines") -> Chart | None:
    """The picture; None where the report holds nothing of it."""
    drawn = _drawn(report, picture)
    if drawn is None:
        return None
    draw = _apart if drawn.apart else _together
    plots = [draw(drawn, one) for one in drawn.shown]
    return Chart(picture.name, picture.title, _caption(drawn), stacked(plots))


# --- what is drawn ---


def _drawn(report: "Report", picture: "Lines") -> _Drawn | None:
    needed = ("metric", "value", "low", "high", "note", *filter(None, [picture.along]))
    scope = scope_of(report, picture, "", needed, picture.metrics)
    frame = report.tables.get(picture.table)
    keys = [name for name in frame.columns if name not in NO_KEYS] if scope and frame is not None else []
    if scope is None or (not picture.along and len(keys) < len(("run", "time"))):
        return None
    run, at = ("", picture.along) if picture.along else keys[:2]
    line = picture.line or report.about.judge
    named = line in keys and line not in {run, at}
    others = [key for key in keys if key not in {run, at, line, "name", *picture.where, *picture.first}]
    varied = [key for key in others if len({row[key] for row in scope.rows}) > 1]
    points = [_point(row, (run, at, line if named else ""), varied) for row in scope.rows]
    if picture.along:
        points = [point for point in points if point["at"] is not None and point["value"] is not None]
    if not points:
        return None
    everyone = list(dict.fromkeys(point["line"] for point in points))
    kept = _most_present(everyone, points)
    names = labels_of(report, line, kept) if named else [""]
    plots = _plots([point for point in points if point["line"] in kept], picture.metrics)
    constant = {key: scope.rows[0][key] for key in others if key not in varied and scope.rows[0][key] is not None}
    said = f" The same for all: {_title(scope, constant)}." if constant and not picture.along else ""
    return _Drawn(
        scope,
        picture,
        places_of(points, at, timed=not (picture.along or report.options.get("by"))),
        plots,
        dict(zip(kept, names, strict=True)),
        {group: _title(scope, dict(zip(varied, group, strict=True))) for _, group in plots},
        _marked(report, picture, line),
        said + left_out(plural(line), len(everyone), len(kept), "most") + scope.said,
    )


def _point(row: Row, keys: tuple[str, str, str], varied: Sequence[str]) -> Row:
    run, at, line = keys
    figure = {name: row[name] for name in ("metric", "value", "low", "high", "note")}
    return {
        "group": tuple(row[key] for key in varied),
        "line": row.get(line),
        "run": row.get(run, ""),
        "at": row[at],
        **figure,
    }


def _marked(report: "Report", picture: "Lines", line: str) -> dict[Value, dict[str, Row]]:
    """Line -> metric -> figure, of the table of marks."""
    table = report.tables.get(picture.marks[0]) if picture.marks else None
    found: dict[Value, dict[str, Row]] = {}
    if table is not None and {line, "metric", "value", "low", "high"} <= set(table.columns):
        for row in table.iter_rows(named=True):
            found.setdefault(row[line], {})[row["metric"]] = row
    return found


def _most_present(known: "Sequence[Value]", points: Sequence[Row]) -> "list[Value]":
    """The lines to be drawn, in the order in which they come up, if all cannot be."""
    counts = dict.fromkeys(known, 0)
    for point in points:
        counts[point["line"]] += point["value"] is not None
    kept = sorted(known, key=lambda line: -counts[line])[:MOST_LINES]
    return [line for line in known if line in kept]


def _plots(points: Sequence[Row], order: Sequence[str]) -> dict[Which, dict[Value, list[Row]]]:
    """Metric and group -> line -> points; the groups of a metric follow each other."""
    names = dict.fromkeys((*order, *(point["metric"] for point in points)))
    metrics = {name: place for place, name in enumerate(names)}
    found: dict[Which, dict[Value, list[Row]]] = {}
    for point in sorted(points, key=lambda point: metrics[point["metric"]]):
        found.setdefault((point["metric"], point["group"]), {}).setdefault(point["line"], []).append(point)
    return found


def _title(scope: Scope, keys: "Mapping[str, Value]") -> str:
    """What a group is called; values that stand in tables of their own elsewhere are called as those are."""
    apart = scope.about.apart
    return ", ".join(
        called(scope.about, key, value) if key in apart else f"{short(key)}: {called(scope.about, key, value)}"
        for key, value in keys.items()
    )


def _caption(drawn: _Drawn) -> str:
    points = [point for which in drawn.shown for of in drawn.plots[which].values() for point in of]
    sentences = [drawn.scope.worded(drawn.picture.caption)]
    if not drawn.picture.along:
        titles = ", ".join(dict.fromkeys(drawn.scope.metric(metric).title for metric, _ in drawn.shown))
        kind = "shade" if drawn.banded else "line"
        level = drawn.scope.worded("{confidence}")
        sentences = [f"{titles} of each run; the {kind} around a point is its {level} interval."]
    if any(point["note"] and point["value"] is not None for point in points):
        sentences.append("A hollow point carries a note: its interval may not keep its promise.")
    undefined = sum(point["value"] is None for point in points)
    sentences += [f"Undefined, and left as a gap: {undefined:,}."] if undefined else []
    more = left_out("plots", len(drawn.plots), len(drawn.shown))
    return " ".join(sentences) + drawn.places.said + drawn.said + more


# --- plots ---


def _together(drawn: _Drawn, which: Which) -> "alt.LayerChart":
    """All lines in one plot."""
    metric, group = which
    about, limits = drawn.scope.metric(metric), _limits(drawn, metric)
    up = _up(about, limits, title=about.title, height=drawn.height)
    layers: list[alt.Chart] = []
    for number, line in enumerate(drawn.names):
        points = _placed(drawn, which, line, shift=number - (len(drawn.names) - 1) / 2)
        layers += _marks(points, (_across(drawn, _WIDTH), up), SERIES[number], many=drawn.banded)
    layers += _legend(list(drawn.names.values()))
    return plot(layers, drawn.titles[group], _WIDTH, drawn.height)


def _across(drawn: _Drawn, width: int, *, small: bool = False, last: bool = True) -> "alt.X":
    """The axis of places. last: whether nothing stands below it."""
    import altair as alt

    places = drawn.places
    shown = axis(places, width, small=small, labels=last, percent=drawn.picture.percent)
    return alt.X(places.field, scale=places.scale(), axis=shown, title=drawn.across if last else "")


def _apart(drawn: _Drawn, which: Which) -> "AnyChart":
    """A small plot for each line, over the same range."""
    import altair as alt

    metric, group = which
    about, limits = drawn.scope.metric(metric), _limits(drawn, metric)
    held = [line for line in drawn.names if line in drawn.plots[which]]
    size = 2 if len(held) <= _FEW else _LINE
    width = (_WIDTH + GAP) // size - GAP
    panels = []
    for place, line in enumerate(held):
        first, last = place % size == 0, place + size >= len(held)
        up = _up(about, limits, title=about.title if first else "", height=_SMALL_HEIGHT, labels=first)
        across = _across(drawn, width, small=True, last=last)
        marks = _marks(_placed(drawn, which, line), (across, up), ACCENT, many=drawn.banded, small=True)
        layers = [*_behind(drawn, line, across), *marks, _heading(drawn.names[line])]
        panels.append(plot(layers, "", width, _SMALL_HEIGHT))
    rows = [panels[start : start + size] for start in range(0, len(panels), size)]
    above = heading(drawn.titles[group]) if drawn.titles[group] else alt.Undefined
    return alt.vconcat(*(alt.hconcat(*some, spacing=GAP, bounds="flush") for some in rows), spacing=10, title=above)


def _behind(drawn: _Drawn, line: Value, across: "alt.X") -> "Iterator[alt.Chart]":
    """Where a figure of the line's own lies along the axis, with its interval, and where another one does."""
    import altair as alt

    _, own, other = drawn.picture.marks or ("", "", "")
    empty = {"value": None, "low": None, "high": None}
    first, second = (drawn.marks.get(line, {}).get(name, empty) for name in (own, other))
    if first["low"] is not None:
        shade = alt.Chart(data([{"x": first["low"], "to": first["high"]}]))
        yield shade.mark_rect(fill=ACCENT, opacity=0.14).encode(across, x2="to:Q")
    yield from upright(first["value"], across, color=ACCENT, strokeWidth=2)
    yield from upright(second["value"], across, color=SECOND, strokeWidth=1.5, strokeDash=[4, 3])


def _heading(name: str) -> "alt.Chart":
    """A name above a small plot; titles would stand higher where an axis has labels."""
    import altair as alt

    row = alt.Chart(data([{"name": short(name, _SMALL_NAME)}]))
    text = row.mark_text(align="left", baseline="bottom", fontSize=12.5, fontWeight=600, fill=INK)
    placed: alt.Chart = text.encode(x=alt.value(0), y=alt.value(-8), text="name:N")
    return placed


def _limits(drawn: _Drawn, metric: str) -> tuple[float, float]:
    """Round numbers that hold all intervals of a metric."""
    points = (
        point for (name, _), held in drawn.plots.items() if name == metric for of in held.values() for point in of
    )
    ends = [point[name] for point in points for name in ("value", "low", "high") if point[name] is not None]
    return rounded(min(ends, default=0.0), max(ends, default=1.0))


def _up(
    about: "Metric", limits: tuple[float, float], *, title: str, height: int, labels: bool = True
) -> dict[str, Any]:
    """How figures are shown along the vertical axis."""
    import altair as alt

    shown = alt.Axis(
        tickCount=max(2, height // 40),
        labelExpr=PERCENT if about.percent else PLAIN,
        labels=labels,
        domain=False,
        ticks=False,
        grid=True,
        gridOpacity=0.6,
    )
    return {"title": title, "axis": shown, "scale": alt.Scale(domain=list(limits), nice=False, zero=False)}


def _placed(drawn: _Drawn, which: Which, line: Value, shift: float = 0.0) -> list[Row]:
    """The points of a line along the axis, in pieces that undefined figures part. shift: in marks to the right."""
    places = drawn.places
    width = _WIDTH / (places.limits[1] - places.limits[0])
    apart = min(_DODGE, _CLOSEST * places.closest * width / max(len(drawn.names), 1)) if places.count <= _MANY else 0
    found = []
    piece = 0
    for point in sorted(drawn.plots[which].get(line, []), key=places.of):
        piece += point["value"] is None
        kept = {name: point[name] for name in ("value", "low", "high")}
        found.append(
            {"x": places.of(point) + shift * apart / width, "piece": piece, "noted": bool(point["note"]), **kept}
        )
    return found


def _marks(
    points: Sequence[Row], axes: "tuple[alt.X, Mapping[str, Any]]", colour: str, *, many: bool, small: bool = False
) -> "Iterator[alt.Chart]":
    """Intervals as lines, or as bands where there are many; the line from run to run; the points."""
    import altair as alt

    across, up = axes
    value, low, high = alt.Y("value:Q", **up), alt.Y("low:Q", **up), alt.Y2("high:Q")
    known = [point for point in points if point["value"] is not None]
    sizes = [sum(one["piece"] == point["piece"] for one in known) for point in known]
    limits = [point for point in known if point["low"] is not None]
    alone = [point for point, size in zip(known, sizes, strict=True) if (size == 1 or not many) and point in limits]
    if many:
        band = alt.Chart(data(limits)).mark_area(fill=colour, opacity=0.13)
        yield band.encode(across, low, high, alt.Detail("piece:N"))
    rules = alt.Chart(data(alone)).mark_rule(stroke=colour, strokeWidth=1.5, opacity=0.55)
    yield rules.encode(across, low, high)
    lines = alt.Chart(data(known)).mark_line(stroke=colour, strokeWidth=1.4 if small else 2)
    yield lines.encode(across, value, alt.Detail("piece:N"))
    fill = alt.condition("datum.noted", alt.value(PAPER), alt.value(colour))
    dots = alt.Chart(data(known)).mark_point(filled=True, stroke=colour, strokeWidth=1.5, opacity=1)
    yield dots.encode(across, value, fill=fill, size=alt.value((8 if small else 16) if many else (30 if small else 52)))


def _legend(names: Sequence[str]) -> "Iterator[alt.Chart]":
    """What the colour of each line means, below the plots: a layer of points that nobody sees, for their legend."""
    import altair as alt

    if not any(names):
        return
    scale = alt.Scale(domain=list(names), range=list(SERIES[: len(names)]))
    columns = max(1, _LEGEND // (max(map(len, names)) + _SYMBOL))
    shown = alt.Legend(title=None, symbolType="circle", symbolOpacity=1, symbolStrokeWidth=0, columns=columns)
    unseen = alt.Chart(data([{"name": name} for name in names])).mark_point(opacity=0)
    yield unseen.encode(x=alt.value(0), y=alt.value(0), fill=alt.Fill("name:N", scale=scale, legend=shown))
