"""The picture of a history: each figure along time, a line for each judge, with the interval of each run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from karat.about import Evaluation, Metric
from karat.evaluations.charting import ACCENT, INK, PAPER, Chart, data, stacked, titled
from karat.evaluations.history import JUDGES, keys_of
from karat.evaluations.history.places import Places, axis, places_of
from karat.names import annotator_names, distinct, group_title, percentage, short

if TYPE_CHECKING:
    import altair as alt

    from karat.evaluations.charting import AnyChart
    from karat.evaluations.history.axis import Value
    from karat.report import Report

MOST_JUDGES = 12
MOST_TOGETHER = 5
MOST_BANDS = 3
"""With more judges than this, each has a plot of its own; the second where intervals are bands."""
MOST_PLOTS, MOST_GRIDS = 8, 3
"""How many figures, each of one group, are drawn; the second where each judge has a plot of its own."""

_COLOURS = (ACCENT, "#b3541e", "#4b8b3b", "#7a4fa3", "#9c8412")
_WIDTH, _HEIGHT, _LOW_HEIGHT = 600, 220, 150
_MANY_PLOTS = 2
"""More plots than this are lower."""
_SMALL_HEIGHT, _LINE, _FEW, _GAP = 100, 3, 4, 22
"""Of small plots: their height, how many stand side by side, how few make two suffice, the space between."""
_SMALL_NAME = 28
_MANY = 24
"""With more places than this along the axis, intervals are bands."""
_DODGE = 5
"""How far apart the marks of two judges of one run are, in pixels; less where runs are close."""
_CLOSEST = 0.6
"""Which part of the way to the next run such marks fill at most."""
_LABEL = 15
"""How far apart names at the end of lines are."""
_MARGIN = 14
_TOUCHING = 1e-9
_LEAST = 1e-6

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What all plots share.

    plots: metric and group, with the points of each judge. judges: who is drawn, and what to call them. groups: their
    titles. said: sentences for the caption.
    """

    about: Evaluation
    places: Places
    plots: "Mapping[tuple[str, tuple[Value, ...]], Mapping[Value, list[Row]]]"
    judges: "Mapping[Value, str]"
    groups: "Mapping[tuple[Value, ...], str]"
    said: str

    @property
    def apart(self) -> bool:
        """Whether each judge has a plot of its own."""
        return len(self.judges) > (MOST_BANDS if self.banded else MOST_TOGETHER)

    @property
    def shown(self) -> "list[tuple[str, tuple[Value, ...]]]":
        """The metrics and groups that are drawn."""
        return list(self.plots)[: MOST_GRIDS if self.apart else MOST_PLOTS]

    @property
    def height(self) -> int:
        """How high a plot of all judges is."""
        return _HEIGHT if len(self.plots) <= _MANY_PLOTS else _LOW_HEIGHT

    @property
    def banded(self) -> bool:
        """Whether intervals are bands."""
        return self.places.count > _MANY


def charts(report: "Report") -> list[Chart]:
    """Every figure over time; none where there is no figure."""
    frame = report.tables.get("history")
    if frame is None or frame.is_empty() or len(keys_of(frame)) < len(("run", "time")):
        return []
    scope = _scope(report)
    draw = _apart if scope.apart else _together
    plots = [draw(scope, one) for one in scope.shown]
    return [Chart("history", "Figures over time", _caption(scope, report), stacked(plots))]


# --- what is drawn ---


def _scope(report: "Report") -> _Scope:
    frame, about = report["history"], report.about
    run, at, *keys = keys_of(frame)
    judge = JUDGES[report.evaluation] if JUDGES[report.evaluation] in keys else ""
    others = [key for key in keys if key not in {judge, "name"}]
    varied = [key for key in others if frame[key].n_unique() > 1]
    points = [
        {
            "metric": row["metric"],
            "group": tuple(row[key] for key in varied),
            "judge": row.get(judge),
            "run": row[run],
            "at": row[at],
            **{name: row[name] for name in ("value", "low", "high", "note")},
        }
        for row in frame.iter_rows(named=True)
    ]
    everyone = list(dict.fromkeys(point["judge"] for point in points))
    judges = _most_present(everyone, points)
    plots = _plots([point for point in points if point["judge"] in judges])
    names = annotator_names(report.tables.values())
    labels = distinct(names.get(one, one) if isinstance(one, str) else None for one in judges)
    return _Scope(
        about,
        places_of(points, at, timed=not report.options.get("by")),
        plots,
        dict(zip(judges, labels if judge else [""], strict=True)),
        {group: _group_title(dict(zip(varied, group, strict=True)), about) for _, group in plots},
        _constants({key: frame[key][0] for key in others if key not in varied}, about)
        + _left_out("judges, those with the most figures", len(everyone), len(judges)),
    )


def _most_present(judges: "Sequence[Value]", points: Sequence[Row]) -> "list[Value]":
    """Those to be drawn, in the order in which they come up, if all cannot be."""
    counts = dict.fromkeys(judges, 0)
    for point in points:
        counts[point["judge"]] += point["value"] is not None
    kept = sorted(judges, key=lambda judge: -counts[judge])[:MOST_JUDGES]
    return [judge for judge in judges if judge in kept]


def _plots(points: Sequence[Row]) -> "dict[tuple[str, tuple[Value, ...]], dict[Value, list[Row]]]":
    """Metric and group -> judge -> points; the groups of a metric follow each other."""
    metrics = list(dict.fromkeys(point["metric"] for point in points))
    found: dict[tuple[str, tuple[Value, ...]], dict[Value, list[Row]]] = {}
    for metric in metrics:
        for point in points:
            if point["metric"] == metric:
                found.setdefault((metric, point["group"]), {}).setdefault(point["judge"], []).append(point)
    return found


def _group_title(keys: "Mapping[str, Value]", about: Evaluation) -> str:
    """What a group is called; values that stand in tables of their own elsewhere are called as those are."""
    apart = [about.apart[key].get(str(value), short(str(value))) for key, value in keys.items() if key in about.apart]
    rest = {
        key: f"{value:g}" if isinstance(value, float) else value
        for key, value in keys.items()
        if key not in about.apart
    }
    return ", ".join([*apart, *([group_title(rest)] if rest else [])])


def _constants(keys: "Mapping[str, Value]", about: Evaluation) -> str:
    known = {key: value for key, value in keys.items() if value is not None}
    return f" The same for all: {_group_title(known, about)}." if known else ""


def _left_out(what: str, known: int, shown: int) -> str:
    name, which = what.split(", ")
    return f" Shown: {shown:,} of {known:,} {name}, {which}." if known > shown else ""


def _caption(scope: _Scope, report: "Report") -> str:
    points = [point for which in scope.shown for of in scope.plots[which].values() for point in of]
    titles = ", ".join(dict.fromkeys(_metric(scope.about, metric).title for metric, _ in scope.shown))
    share = percentage(float(report.options.get("confidence", 0.95)))
    kind = "shade" if scope.banded else "line"
    caption = f"{titles} of each run; the {kind} around a point is its {share} interval."
    if any(point["note"] and point["value"] is not None for point in points):
        caption += " A hollow point carries a note: its interval may not keep its promise."
    undefined = sum(point["value"] is None for point in points)
    caption += f" Undefined, and left as a gap: {undefined:,}." if undefined else ""
    more = _left_out("plots, the first", len(scope.plots), len(scope.shown))
    return caption + scope.places.said + scope.said + more


def _metric(about: Evaluation, name: str) -> Metric:
    return about.metrics.get(name) or Metric(name.replace("_", " ").capitalize(), "", percent=False)


# --- plots ---


def _together(scope: _Scope, which: "tuple[str, tuple[Value, ...]]") -> "alt.LayerChart":
    """All judges in one plot, with their names at the ends of their lines."""
    import altair as alt

    metric, group = which
    about = _metric(scope.about, metric)
    limits = _limits(scope, metric)
    up = _up(about, limits, title=about.title, height=scope.height)
    across = alt.X(
        scope.places.field, scale=scope.places.scale(), axis=axis(scope.places, _WIDTH), title=scope.places.title
    )
    layers: list[alt.Chart] = []
    ends = {}
    for number, judge in enumerate(scope.judges):
        points = _drawn(scope, which, judge, shift=number - (len(scope.judges) - 1) / 2)
        layers += _marks(points, (across, up), _COLOURS[number], many=scope.banded)
        last = next((point["value"] for point in reversed(points) if point["value"] is not None), None)
        if last is not None and scope.judges[judge]:
            ends[number] = last
    layers += _end_names(ends, list(scope.judges.values()), up, limits, scope.height)
    return titled(alt.LayerChart(layer=layers), scope.groups[group], width=_WIDTH, height=scope.height)


def _apart(scope: _Scope, which: "tuple[str, tuple[Value, ...]]") -> "AnyChart":
    """A small plot for each judge, over the same range."""
    import altair as alt

    metric, group = which
    about, limits = _metric(scope.about, metric), _limits(scope, metric)
    held = [judge for judge in scope.judges if judge in scope.plots[which]]
    line = 2 if len(held) <= _FEW else _LINE
    width = (_WIDTH + _GAP) // line - _GAP
    panels = []
    for place, judge in enumerate(held):
        first, last = place % line == 0, place + line >= len(held)
        up = _up(about, limits, title=about.title if first else "", height=_SMALL_HEIGHT, labels=first)
        across = alt.X(
            scope.places.field,
            scale=scope.places.scale(),
            axis=axis(scope.places, width, small=True, labels=last),
            title=scope.places.title if last else "",
        )
        marks = [*_marks(_drawn(scope, which, judge), (across, up), ACCENT, many=scope.banded, small=True)]
        layers = alt.LayerChart(layer=[*marks, _heading(scope.judges[judge])])
        panels.append(titled(layers, "", width=width, height=_SMALL_HEIGHT))
    lines = [panels[start : start + line] for start in range(0, len(panels), line)]
    grid = alt.vconcat(*(alt.hconcat(*some, spacing=_GAP, bounds="flush") for some in lines), spacing=10)
    return grid.properties(title=_above(scope.groups[group])) if scope.groups[group] else grid


def _heading(name: str) -> "alt.Chart":
    """A name above a small plot; titles would stand higher where an axis has labels."""
    import altair as alt

    row = alt.Chart(data([{"name": short(name, _SMALL_NAME)}]))
    text = row.mark_text(align="left", baseline="bottom", fontSize=12.5, fontWeight=600, fill=INK)
    placed: alt.Chart = text.encode(x=alt.value(0), y=alt.value(-8), text="name:N")
    return placed


def _above(title: str) -> "alt.TitleParams":
    import altair as alt

    return alt.TitleParams(title, fontSize=13.5, color=INK, anchor="start", offset=12)


def _limits(scope: _Scope, metric: str) -> tuple[float, float]:
    """Round numbers that hold all intervals of a metric."""
    ends = [
        point[name]
        for (of_metric, _), judges in scope.plots.items()
        if of_metric == metric
        for points in judges.values()
        for point in points
        for name in ("value", "low", "high")
        if point[name] is not None
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    step = 0.1 if _metric(scope.about, metric).percent else _step(max(high - low, _LEAST * max(abs(high), 1.0)))
    low, high = floor(low / step + _TOUCHING) * step, ceil(high / step - _TOUCHING) * step
    return round(low, 9), round(max(high, low + step), 9)


def _step(size: float) -> float:
    """A round number of which 5 to 10 or so make up a size.

    >>> _step(1.3), _step(260), _step(0.7)
    (0.2, 50.0, 0.1)
    """
    power = 10.0 ** floor(log10(size))
    return power / next(parts for parts, most in ((5, 2), (2, 5), (1, 11)) if size < most * power)


def _up(
    about: Metric, limits: tuple[float, float], *, title: str | None, height: int, labels: bool = True
) -> dict[str, Any]:
    """How figures are shown along the other axis."""
    import altair as alt

    label = "round(1000 * datum.value) / 10 + '\u00a0%'" if about.percent else "format(datum.value, '~r')"
    shown = alt.Axis(
        tickCount=max(2, height // 40),
        labelExpr=label,
        labels=labels,
        domain=False,
        ticks=False,
        grid=True,
        gridOpacity=0.6,
    )
    return {"title": title, "axis": shown, "scale": alt.Scale(domain=list(limits), nice=False, zero=False)}


def _drawn(scope: _Scope, which: "tuple[str, tuple[Value, ...]]", judge: "Value", shift: float = 0.0) -> list[Row]:
    """The points of a judge along the axis, in pieces that undefined figures part. shift: in marks to the right."""
    places = scope.places
    width = _WIDTH / (places.limits[1] - places.limits[0])
    apart = min(_DODGE, _CLOSEST * places.closest * width / max(len(scope.judges), 1)) if places.count <= _MANY else 0
    found = []
    piece = 0
    for point in sorted(scope.plots[which].get(judge, []), key=places.of):
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


def _end_names(
    ends: Mapping[int, float],
    names: Sequence[str],
    up: Mapping[str, Any],
    limits: tuple[float, float],
    height: int,
) -> "list[alt.Chart]":
    """The names of judges at the right, each as near to the end of its line as the others allow."""
    import altair as alt

    low, high = limits
    found = []
    for number, place in _spread(
        {one: height * (high - end) / (high - low) for one, end in ends.items()}, height
    ).items():
        rows = data([{"value": high - place * (high - low) / height, "name": names[number]}])
        y = alt.Y("value:Q", **up)
        dot = alt.Chart(rows).mark_point(filled=True, fill=_COLOURS[number], size=60, opacity=1)
        name = alt.Chart(rows).mark_text(align="left", baseline="middle", fontSize=12, fill=INK)
        found += [
            dot.encode(y, x=alt.value(_WIDTH + _MARGIN)),
            name.encode(y, x=alt.value(_WIDTH + _MARGIN + 9), text="name:N"),
        ]
    return found


def _spread(places: Mapping[int, float], height: int) -> dict[int, float]:
    """Places in pixels from above moved apart where they are too close, within the height and in their order.

    >>> _spread({0: 100.0, 1: 104.0, 2: 219.0}, 220)
    {0: 94.5, 1: 109.5, 2: 212.5}
    """
    blocks: list[list[int]] = []
    for number in sorted(places, key=lambda number: places[number]):
        blocks.append([number])
        while len(blocks) > 1 and _reaches(blocks[-2], blocks[-1], places, height):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    return {
        number: _top(block, places, height) + _LABEL * (place + 0.5)
        for block in blocks
        for place, number in enumerate(block)
    }


def _top(block: Sequence[int], places: Mapping[int, float], height: int) -> float:
    """Where a block of names begins that is centred on its places, and stays within the height."""
    size = _LABEL * len(block)
    middle = sum(places[number] for number in block) / len(block)
    return min(max(middle - size / 2, 0.0), height - size)


def _reaches(block: Sequence[int], below: Sequence[int], places: Mapping[int, float], height: int) -> bool:
    """Whether a block of names reaches into the one below it."""
    return _top(below, places, height) < _top(block, places, height) + _LABEL * len(block)
