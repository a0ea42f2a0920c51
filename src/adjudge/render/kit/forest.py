"""Figures as points with their intervals, a row for each judge; plots of several metrics or groups share their rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import altair as alt
import polars as pl

from adjudge.display_names import distinct_names, short_name
from adjudge.render.kit import style
from adjudge.render.kit.scope import (
    Key,
    Row,
    Scope,
    Value,
    across_of,
    first_defined,
    hollow,
    left_out,
    plural,
    scope_of,
)
from adjudge.render.kit.style import RenderedChart, Spec
from adjudge.render.numbers import inside, worded
from adjudge.render.said import tested
from adjudge.report import NON_KEY_COLUMNS, Report
from adjudge.spec import ForestPlot, MetricSpec

MOST_TEXTS = 24
"""Rows of a plot that are drawn where several keys tell them apart."""
MOST_ACROSS = 12
"""Values across that are drawn, besides the pooled one."""
_FIGURE = ("metric", "value", "low", "high", "n", "caveat")
_WIDTHS = {1: 420, 2: 260, 3: 195, 4: 160}
_LINE = 4
_BESIDE = 12
"""Between names and the axis, where a point at its end takes half of its width."""
_ROW, _LOW_ROW, _MANY_ROWS, _LEAST = 22, 17, 30, 44
_FINE = 220
"""An axis as wide as this has five ticks where they are at round numbers, and else three."""
_NAME = 22
"""How much higher a row is whose name stands above it."""
_POINT = 34
"""The area of a point; of a larger one the intervals of sure figures would not be seen."""
_DODGED = 0.7
"""How much higher a row is for each further colour."""
_BETTER, _WORSE, _OPEN = "better", "worse", "not sure"
_CHANGES = {_BETTER: style.RIGHT, _WORSE: style.WRONG, _OPEN: style.MUTED}
_Row = alt.Y | alt.YOffset
_Up = Sequence[_Row]
_WHO = ("second_judge", "judge")
"""Keys that often follow from the others: each run has its judge."""


@dataclass(frozen=True, slots=True)
class _Panel:
    """A plot of the first metric that has a value. zero: what means nothing. guide: where a dashed line stands."""

    names: tuple[str, ...]
    metric: MetricSpec
    zero: float | None
    title: str
    rows: list[Row]
    guide: float | None

    @property
    def labels(self) -> list[str]:
        """The names of its rows, from above."""
        return list(dict.fromkeys(row["label"] for row in self.rows))


@dataclass(frozen=True, slots=True)
class _Form:
    """How plots are laid out. width: of each. names: how wide the names beside them are; none: as they come.

    above: whether names stand above their rows. narrow: whether all plots stand below one another.
    """

    width: int
    names: int | None = None
    above: bool = False
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What all plots share. points: the figures. colours: what tells points apart -> its colour.

    across: the key column with a plot per value. ends: the two metrics that are the ends of a bar.
    """

    report: Report
    picture: ForestPlot
    scope: Scope
    across: str
    ends: tuple[str, str] | None
    points: list[Row]
    colours: dict[str, str]

    @property
    def dodged(self) -> bool:
        """Whether points of several colours share a row, in which they then stand below one another."""
        keys = ("group", "across", "metric", "row")
        rows, kinds = ({tuple(one[key] for key in names) for one in self.points} for names in (keys, (*keys, "kind")))
        return bool(self.picture.colour) and len(kinds) > len(rows)


def forest(report: Report, picture: ForestPlot, *, narrow: bool) -> RenderedChart | None:
    """The picture; None where the report holds nothing of it, or no figure has a value."""
    further = [picture.colour] if picture.colour else []
    scope = scope_of(report, picture, picture.label, (*_FIGURE, *further), set(chain(*picture.metrics)))
    across = across_of(report, picture, [picture.label])
    ends = next((ends for ends in report.about.ranges.values() if picture.metrics == (ends,)), None)
    points = _points(report, picture, scope, across) if scope else []
    points = _bars(points, ends) if ends else points
    if scope is None or all(point["value"] is None for point in points):
        return None
    drawn = _Drawn(report, picture, scope, across, ends, points, _colours(picture, points))
    panels, said = _panels(drawn)
    limits = {line[0].names: _limits(drawn, line[0], panels) for line in panels}
    if not picture.label:
        longest = max(len({one["row"] for one in points if one["metric"] in names}) for names in limits)
        said += left_out("rows", longest, min(longest, MOST_TEXTS))
    shown = list(_lines(panels, 1 if narrow else _LINE))
    form = _narrow(chain(*shown)) if narrow else _Form(_WIDTHS[max(map(len, shown))])
    lines = [
        style.beside([_plot(one, limits[one.names], drawn, form, labels=one is line[0]) for one in line], flush=True)
        for line in shown
    ]
    first = first_defined(scope.rows, panels[0][0].names)
    caption = scope.worded(picture.caption, first) + _said(drawn, panels, limits) + scope.said + said
    return RenderedChart(picture.name, scope.worded(picture.title, first), caption, style.stacked(lines))


# --- what is drawn ---


def _points(report: Report, picture: ForestPlot, scope: Scope, across: str) -> list[Row]:
    """The figures of the table as points."""
    texts = [row[picture.label] for row in scope.rows] if picture.label else _texts(scope.rows)
    truths = _truths(report)
    return [
        {
            "row": text,
            "group": scope.group(row),
            "across": row.get(across),
            "metric": row["metric"],
            "kind": _kind(picture, scope, row),
            "hollow": _hollow(scope, row),
            "open": not picture.changes and row.get("p_adjusted") is not None and not scope.told_from_0(row),
            "baseline": scope.is_baseline(text),
            "truth": next((true for keys, true in truths if keys.items() <= row.items()), None),
            **{name: row[name] for name in ("value", "low", "high", "n", "caveat")},
        }
        for text, row in zip(texts, scope.rows, strict=True)
    ]


def _bars(points: Sequence[Row], ends: tuple[str, str]) -> list[Row]:
    """Bars from one metric to another, as points at their first ends."""
    keys = ("row", "group", "across", "kind")
    last = {tuple(one[key] for key in keys): one["value"] for one in points if one["metric"] == ends[1]}
    first = [(one, tuple(one[key] for key in keys)) for one in points if one["metric"] == ends[0]]
    return [{**one, "low": one["value"], "high": last.get(place)} for one, place in first]


def _truths(report: Report) -> list[tuple[Row, float]]:
    """What each figure truly is, by its metric and keys, where the report knows it."""
    table = report.tables.get("truth")
    if table is None or not {"metric", "truth"} <= set(table.columns):
        return []
    kept = [name for name in table.columns if name == "metric" or name not in {*NON_KEY_COLUMNS, "truth"}]
    return [({name: row[name] for name in kept}, row["truth"]) for row in table.iter_rows(named=True)]


def _kind(picture: ForestPlot, scope: Scope, row: Row) -> str:
    """What the colour of a point says."""
    if picture.colour:
        return scope.value_title(picture.colour, row[picture.colour])
    if not picture.changes:
        return ""
    better = scope.metric(row["metric"]).better
    if better is None or not row["value"] or not scope.told_from_0(row):
        return _OPEN
    return _BETTER if (row["value"] > 0) == (better == "high") else _WORSE


def _hollow(scope: Scope, row: Row) -> bool:
    """Whether a point is hollow: it carries a note where others have intervals."""
    return bool(row["caveat"]) and any(one["low"] is not None for one in scope.rows)


def _texts(rows: Sequence[Row]) -> list[str]:
    """What each row is about, as far as rows of the same figure differ in it."""

    def different(keys: Sequence[str]) -> int:
        return len({tuple(row[key] for key in keys) for row in rows})

    apart = [key for key in rows[0] if key not in NON_KEY_COLUMNS and different([key]) > 1]
    for key in _WHO:
        others = [name for name in apart if name != key]
        if different(others) == different(apart):
            apart = others
    texts = [" \u00b7 ".join(_text(row[key]) for key in apart if row[key] is not None) for row in rows]
    known = list(dict.fromkeys(filter(None, texts)))
    names = {"": " "} | dict(zip(known, distinct_names(known), strict=True))
    return [names[text] for text in texts]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else short_name(worded(str(value)), 24)


def _panels(drawn: _Drawn) -> tuple[list[list[_Panel]], str]:
    """A plot per group, for each metric and value across, the pooled one first; and a sentence on those left out."""
    scope, picture, about = drawn.scope, drawn.picture, drawn.scope.about
    held = {row["metric"] for row in scope.rows if row["value"] is not None}
    metrics = picture.metrics or tuple((name,) for name in about.metrics if name in held)
    values: dict[Value, str] = {None: ""}
    said = ""
    across = drawn.across
    if across and (known := dict.fromkeys(row[across] for row in scope.rows if row[across] is not None)):
        others = [value for value in known if value != about.pooled]
        shown = [*(value for value in known if value == about.pooled), *others[:MOST_ACROSS]]
        values = {value: scope.value_title(across, value) for value in shown}
        said = left_out(plural(across), len(others), len(others[:MOST_ACROSS]))
    slots = [(names, value) for names in metrics for value in values]
    return [[_panel(drawn, *slot, values[slot[1]], group) for group in scope.groups] for slot in slots], said


def _panel(drawn: _Drawn, names: tuple[str, ...], across: Value, title: str, group: Key) -> _Panel:
    """The plot of a metric for a group, with a row for each judge, or for whatever rows the figure has."""
    picture, scope = drawn.picture, drawn.scope
    metric = scope.metric(first_defined(scope.rows, names))
    ranged = next((called_so for called_so, ends in scope.about.ranges.items() if ends == drawn.ends), metric.title)
    zero = picture.zeros.get(names[0], 0.0 if picture.changes else None)
    points = [one for one in drawn.points if one["across"] == across and one["metric"] in names]
    rows = _rows(drawn, points, names, group)
    of = scope.groups[group]
    of += f", {inside(ranged)}" if of and len(picture.metrics) > 1 else ""
    above = "\n".join(filter(None, (title, of)))
    metric = replace(metric, title=ranged, signed=metric.signed or picture.changes)
    return _Panel(names, metric, zero, above, rows, _guide(drawn, names, group, rows))


def _rows(drawn: _Drawn, points: Sequence[Row], names: tuple[str, ...], group: Key) -> list[Row]:
    """The points of a plot under their labels, of each colour the first metric that has a value anywhere."""
    picture = drawn.picture
    chosen = {kind: first_defined((one for one in points if one["kind"] == kind), names) for kind in _kinds(points)}
    found: dict[Value, list[Row]] = {}
    for one in points:
        if one["group"] == group and one["metric"] == (names[0] if picture.changes else chosen[one["kind"]]):
            found.setdefault(one["row"], []).append(one)
    labels = drawn.scope.labels if picture.label else {one: str(one) for one in list(found)[:MOST_TEXTS]}
    unknown = dict.fromkeys(("value", "low", "high", "n", "caveat", "truth"))
    absent = {"kind": "", "hollow": False, "open": False, "baseline": False, **unknown}
    rows = []
    for row, label in labels.items():
        some = found.get(row) or ([] if picture.colour or drawn.ends else [{**absent, "word": "no figure"}])
        rows += [{"label": label, "word": "undefined" if one["value"] is None else "", **one} for one in some]
    return rows


def _kinds(points: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(one["kind"] for one in points))


def _guide(drawn: _Drawn, names: Sequence[str], group: Key, rows: Sequence[Row]) -> float | None:
    """The figure of all rows together, or else the best baseline's."""
    table = _pooled(drawn)
    if table is not None and {"metric", "value", *drawn.scope.keys} <= set(table.columns):
        found = (row for row in table.iter_rows(named=True) if row["metric"] in names)
        return next((row["value"] for row in found if drawn.scope.group(row) == group), None)
    return max((row["value"] for row in rows if row["baseline"] and row["value"] is not None), default=None)


def _pooled(drawn: _Drawn) -> pl.DataFrame | None:
    """The table about all judges together, beside the main table."""
    about = drawn.scope.about
    return drawn.report.tables.get(about.headline) if drawn.picture.table == about.main else None


def _limits(drawn: _Drawn, first: _Panel, panels: Sequence[Sequence[_Panel]]) -> tuple[float, float]:
    """The ends of the axis: 0 and 1 of shares, 0 in the middle of what has a sign, else round numbers."""
    low, high = style.ends_of(row for line in panels for one in line if one.names == first.names for row in one.rows)
    if first.zero == 0:
        bound = style.evenly(max(abs(low), abs(high)) or 0.1)
        return -bound, bound
    beside_shares = first.metric.range == (0.0, 1.0) and any(line[0].metric.percent for line in panels)
    if first.metric.percent or beside_shares:
        return 0.0, 1.0
    if drawn.ends:
        return low - 0.4, high + 0.4
    return style.rounded(min(low, 0.0) if first.metric.decimals is not None else low, high)


def _said(
    drawn: _Drawn, panels: Sequence[Sequence[_Panel]], limits: Mapping[tuple[str, ...], tuple[float, float]]
) -> str:
    """What a reader must know of what is drawn."""
    picture, scope = drawn.picture, drawn.scope
    rows = [row for line in panels for one in line for row in one.rows if row["value"] is not None]
    guided = any(one.guide is not None for line in panels for one in line)
    low = max(low for low, _ in limits.values())
    level = f"{1 - scope.confidence:.2g}".removeprefix("0")
    differs = f"differs from 0 (p < {level} after Holm's adjustment)"
    runs = {(row.get("first"), row.get("second")) for row in scope.rows} if picture.changes else set()
    first, second = (short_name(name) for name in runs.pop()) if len(runs) == 1 else ("", "")
    said = {
        f" The second run is {second}, the first {first}.": bool(first),
        f" A coloured point {differs}.": picture.changes,
        f" A blue point {differs}, a grey one may be 0.": not picture.changes
        and any(row.get("p_adjusted") is not None for row in scope.rows),
        hollow([row["caveat"] if row["hollow"] else None for row in rows if not row["baseline"]]): True,
        " A point without a line has no interval.": not drawn.ends
        and any(row["low"] is None and not row["baseline"] for row in rows)
        and any(row["low"] is not None for row in rows),
        " Grey ticks are baselines, which need no system; the dashed line is the best of them. If it lies far to the "
        "right, most items have the same label, and a high figure says little.": any(row["baseline"] for row in rows),
        " The dashed line is the figure of all judgments together.": guided
        and not any(row["baseline"] for row in rows),
        " Diamonds are the true values, known as the data are made up.": any(row["truth"] is not None for row in rows),
        " Nothing was tested: each is a single rank.": bool(drawn.ends) and not tested(drawn.report),
        f" The axes begin at {low:g}.": low > 0 and not drawn.ends,
        " All plots have the same rows.": len(scope.groups) > 1,
    }
    return "".join(sentence for sentence, holds in said.items() if holds)


# --- how it is drawn ---


def _lines(panels: Sequence[Sequence[_Panel]], most: int) -> Iterator[Sequence[_Panel]]:
    """Plots that stand beside each other: those of the only group, or else a line with all groups for each slot.

    most: how many stand in a line.
    """
    lines = [[one for (one,) in panels]] if len(panels[0]) == 1 else panels
    for line in lines:
        same: dict[tuple[str, ...], list[_Panel]] = {}
        for panel in line:
            if panel.rows:
                same.setdefault(tuple(panel.labels), []).append(panel)
        for some in same.values():
            yield from style.chunks(some, len(some) if len(some) <= most else max(1, most - 1))


def _narrow(panels: Iterable[_Panel]) -> _Form:
    """How plots are laid out on a phone, all of them below one another: their axes are as wide as names let them be."""
    names = max(style.width_of(label) for panel in panels for label in panel.labels) + _BESIDE
    if names > style.BESIDE:
        return _Form(style.INSIDE - 2 * style.OVERHANG, 0, above=True, narrow=True)
    return _Form(style.INSIDE - style.OVERHANG - names, names, narrow=True)


def _colours(picture: ForestPlot, points: Sequence[Row]) -> dict[str, str]:
    if picture.changes:
        return _CHANGES
    known = [kind for kind in _kinds(points) if kind]
    coloured = dict(zip(known, style.SERIES, strict=False))
    return {kind: coloured.get(kind, style.BACKGROUND) for kind in known} or {"": style.ACCENT}


def _plot(panel: _Panel, limits: tuple[float, float], drawn: _Drawn, form: _Form, *, labels: bool) -> Spec:
    """One of the plots. labels: whether its rows are named."""
    metric = panel.metric
    worse = drawn.picture.changes and metric.better == "low"
    scale = alt.Scale(domain=list(limits), nice=False)
    title = f"{metric.title} (lower is better)" if worse else metric.title
    titled = style.lines_of(title, form.width) if form.narrow else title
    along = alt.X("x:Q", scale=scale, title=titled, axis=_axis(panel, limits, form))
    row = _LOW_ROW if len(panel.labels) > _MANY_ROWS else _ROW
    high = row * (1 + _DODGED * (len(drawn.colours) - 1) * drawn.dodged) + _NAME * form.above
    up = _up(panel, drawn, form, high, labels=labels)
    layers = [
        *style.upright(panel.zero, along, color=style.INK, strokeWidth=1, opacity=0.7),
        *style.upright(panel.guide, along, color=style.MUTED, strokeDash=[4, 3]),
        *_intervals(panel, along, up, drawn, form),
        *_others(panel, limits, along, up),
        *(
            [style.names_above(alt.Chart(style.data({"label": one} for one in panel.labels)).encode(up[0]), high)]
            * form.above
        ),
    ]
    return style.plot(layers, panel.title, form.width, max(_LEAST, round(high * len(panel.labels))), narrow=form.narrow)


def _axis(panel: _Panel, limits: tuple[float, float], form: _Form) -> alt.Axis:
    least = int(panel.metric.decimals == 0)
    axis = style.ticks(
        panel.metric, signed=panel.zero == 0, grid=False, domain=True, ticks=True, tickCount=4, tickMinStep=least
    )
    axis.labelFlush = not form.narrow
    if panel.zero == 0 or limits == (0.0, 1.0):
        quarter = (limits[1] - limits[0]) / 4
        steps = 4 if form.width >= _FINE and abs(round(quarter, 2) - quarter) < style.TOUCHING else 2
        axis.tickCount = steps + 1
        axis.values = [limits[0] + (limits[1] - limits[0]) * step / steps for step in range(steps + 1)]
    return axis


def _up(panel: _Panel, drawn: _Drawn, form: _Form, high: float, *, labels: bool) -> list[_Row]:
    """Where rows of that height stand, beside their names; of several colours one below the other."""
    axis = style.names_axis(labels=labels and not form.above, grid=True, gridOpacity=0.6, labelPadding=_BESIDE)
    if form.names is not None:
        axis.minExtent = axis.maxExtent = form.names
    found: list[_Row]
    found = [alt.Y("label:N", scale=alt.Scale(domain=panel.labels), sort=panel.labels, title=None, axis=axis)]
    if drawn.dodged:
        scale = alt.Scale(domain=list(drawn.colours), paddingOuter=0.5)
        if form.above:
            scale.range = [_NAME, high]
        found.append(alt.YOffset("kind:N", scale=scale))
    return found


def _marks(rows: Iterable[Row], up: _Up) -> alt.Chart:
    kept = ("label", "kind", "low", "high", "n", "truth", "word", "hollow", "open", "at")
    values = ({"x": row["value"], **{name: row.get(name) for name in kept}} for row in rows)
    marks: alt.Chart = alt.Chart(style.data(values)).encode(*up)
    return marks


def _intervals(panel: _Panel, along: alt.X, up: _Up, drawn: _Drawn, form: _Form) -> Iterator[alt.Chart]:
    """Intervals, and points on them."""
    colours, picture, scale = drawn.colours, drawn.picture, along["scale"]
    base = _marks((row for row in panel.rows if row["value"] is not None and not row["baseline"]), up)
    empty, grey = {"test": "datum.hollow", "value": style.PAPER}, {"test": "datum.open", "value": style.MUTED}
    stroke: alt.Stroke | alt.StrokeValue = alt.StrokeValue(style.ACCENT, condition=grey)
    fill: alt.Fill | alt.FillValue = alt.FillValue(style.ACCENT, condition=[empty, grey])
    if len(colours) > 1:
        scale_of = alt.Scale(domain=list(colours), range=list(colours.values()))
        legend = _legend(colours, form)
        stroke = alt.Stroke("kind:N", scale=scale_of, legend=legend)
        fill = alt.Fill("kind:N", scale=scale_of, legend=legend, condition=[empty])
    reach = base.mark_rule(strokeWidth=3 if drawn.ends else 1.5)
    yield reach.encode(alt.X("low:Q", scale=scale), alt.X2("high:Q"), stroke)
    counts = sorted(row["n"] or 0 for row in drawn.points)
    size = _size(counts, "n") if picture.sized else alt.SizeValue(_POINT)
    points = base.mark_point(filled=True, strokeWidth=1.5, opacity=1).encode(stroke, fill, size)
    yield points.encode(along)
    if drawn.ends:
        yield points.encode(alt.X("high:Q", scale=scale))


def _legend(colours: Iterable[str], form: _Form) -> alt.Legend:
    legend = alt.Legend(title=None, symbolType="circle", symbolSize=70)
    if form.narrow:
        legend.orient, legend.columns = "top", style.in_columns(colours, style.INSIDE)
    return legend


def _size(counts: Sequence[int], title: str) -> alt.Size:
    """A point's size by its n. counts: of all points, in order; the first, the middle and the last are explained."""
    scale = alt.Scale(domain=[0, counts[-1]], range=[_POINT / 2, 1.5 * _POINT], type="sqrt")
    steps = sorted({counts[0], counts[len(counts) // 2], counts[-1]})
    return alt.Size("n:Q", scale=scale, title=title).legend(
        values=steps, format=",d", symbolFillColor=style.ACCENT, symbolStrokeColor=style.ACCENT, symbolStrokeWidth=1.5
    )


def _others(panel: _Panel, limits: tuple[float, float], along: alt.X, up: _Up) -> Iterator[alt.Chart]:
    """Baselines as ticks, true values as diamonds around points, and a word where there is no figure."""
    if baselines := [row for row in panel.rows if row["baseline"] and row["value"] is not None]:
        yield _marks(baselines, up).mark_tick(color=style.MUTED, thickness=4, size=10, orient="vertical").encode(along)
    if true := [row for row in panel.rows if row["truth"] is not None]:
        diamond = _marks(true, up).mark_point(
            shape="diamond", stroke=style.SECOND, strokeWidth=1.6, size=170, opacity=1
        )
        yield diamond.encode(alt.X("truth:Q", scale=along["scale"]))
    if missing := [{**row, "at": limits[0]} for row in panel.rows if row["value"] is None]:
        word = _marks(missing, up).mark_text(fontSize=12, fontStyle="italic", fill=style.MUTED, align="left", dx=5)
        yield word.encode(alt.X("at:Q", scale=along["scale"]), alt.Text("word:N"))
