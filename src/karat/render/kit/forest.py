"""Figures as points with their intervals, a row for each judge; plots of several metrics or groups share their rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karat.names import distinct, short
from karat.render.kit.scope import (
    Key,
    Row,
    Scope,
    Value,
    called,
    first_defined,
    is_baseline,
    left_out,
    plural,
    scope_of,
)
from karat.render.kit.style import (
    ACCENT,
    INK,
    MUTED,
    PAPER,
    PERCENT,
    PLAIN,
    SECOND,
    SERIES,
    Chart,
    beside,
    data,
    names_axis,
    plot,
    rounded,
    stacked,
    upright,
)
from karat.report import NO_KEYS

if TYPE_CHECKING:
    import altair as alt

    from karat.about import Metric
    from karat.pictures import Forest
    from karat.render.kit.style import AnyChart
    from karat.report import Report

MOST_TEXTS = 24
"""Rows of a plot that are drawn where several keys tell them apart."""
MOST_ACROSS = 12
"""Values across that are drawn, besides the pooled one."""
_FIGURE = ("metric", "value", "low", "high", "n", "note")
_WIDTHS = {1: 420, 2: 260, 3: 195, 4: 160}
_LINE = 4
_ROW, _LOW_ROW, _MANY_ROWS, _LEAST = 22, 17, 30, 44
_DODGED = 0.7
"""How much higher a row is for each further colour."""
_BETTER, _WORSE, _OPEN = "better", "worse", "not sure"
_CHANGES = {_BETTER: ACCENT, _WORSE: SECOND, _OPEN: MUTED}
_WHO = ("second_judge", "judge")
"""Keys that often follow from the others: each run has its judge."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """What one plot of each group shows: a metric, at a value of the column across. zero: what means nothing."""

    names: tuple[str, ...]
    metric: "Metric"
    zero: float | None
    across: Value
    title: str


@dataclass(frozen=True, slots=True)
class _Panel:
    """One plot. guide: where a dashed line stands."""

    slot: _Slot
    title: str
    rows: list[Row]
    guide: float | None

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its rows, from above."""
        return tuple(dict.fromkeys(row["label"] for row in self.rows))


@dataclass(frozen=True, slots=True)
class _Look:
    """How points look, the same in all plots. colours: what tells points apart -> its colour. most: the greatest n."""

    picture: "Forest"
    colours: dict[str, str]
    most: int


def forest(report: "Report", picture: "Forest") -> Chart | None:
    """The picture; None where the report holds nothing of it, or no figure has a value."""
    further = (one for one in (picture.across, picture.colour) if one)
    metrics = {*(name for names in picture.metrics for name in names), *(picture.ends or ())}
    scope = scope_of(report, picture, picture.label, (*_FIGURE, *further), metrics)
    points = _points(report, picture, scope) if scope else []
    if scope is None or all(point["value"] is None for point in points):
        return None
    slots, more = _slots(scope, picture)
    panels = {
        (place, group): _panel(points, slot, group, _Context(report, picture, scope))
        for place, slot in enumerate(slots)
        for group in scope.groups
    }
    drawn = [row for panel in panels.values() for row in panel.rows]
    look = _Look(picture, _colours(picture, drawn), max((row["n"] or 0 for row in drawn), default=0))
    limits = {
        slot.names: _limits(
            picture, slot, [row for one in panels.values() if one.slot.names == slot.names for row in one.rows]
        )
        for slot in slots
    }
    if not picture.label:
        longest = max(len({one["row"] for one in points if one["metric"] in slot.names}) for slot in slots)
        more += left_out("rows", longest, min(longest, MOST_TEXTS))
    lines = [_line(line, limits, look) for line in _lines(panels, len(slots), list(scope.groups))]
    first = first_defined(scope.rows, slots[0].names)
    said = _said(picture, scope, list(panels.values()), [limits[slot.names][0] for slot in slots])
    return Chart(
        picture.name,
        scope.worded(picture.title, first),
        f"{scope.worded(picture.caption, first)}{said}{scope.said}{more}",
        stacked(lines),
    )


# --- what is drawn ---


def _points(report: "Report", picture: "Forest", scope: Scope) -> list[Row]:
    """The figures of the table as points; two that are the ends of a bar are one."""
    texts = [row[picture.label] for row in scope.rows] if picture.label else _texts(scope)
    truths = _truths(report)
    points = [
        {
            "row": text,
            "group": scope.group(row),
            "across": row.get(picture.across),
            "metric": row["metric"],
            "kind": _kind(picture, scope, row),
            "hollow": _hollow(picture, scope, row),
            "baseline": is_baseline(text, scope.about),
            "truth": next((true for keys, true in truths if keys.items() <= row.items()), None),
            **{name: row[name] for name in ("value", "low", "high", "n")},
        }
        for text, row in zip(texts, scope.rows, strict=True)
    ]
    return _bars(points, picture.ends) if picture.ends else points


def _bars(points: Sequence[Row], ends: tuple[str, str]) -> list[Row]:
    """Bars from one metric to another, as points at their first ends."""
    keys = ("row", "group", "across", "kind")
    last = {tuple(one[key] for key in keys): one["value"] for one in points if one["metric"] == ends[1]}
    return [
        {**one, "low": one["value"], "high": last.get(tuple(one[key] for key in keys))}
        for one in points
        if one["metric"] == ends[0]
    ]


def _truths(report: "Report") -> list[tuple[Row, float]]:
    """What each figure truly is, by its metric and keys, where the report knows it."""
    table = report.tables.get("truth")
    if table is None or not {"metric", "truth"} <= set(table.columns):
        return []
    kept = [name for name in table.columns if name == "metric" or name not in {*NO_KEYS, "truth"}]
    return [({name: row[name] for name in kept}, row["truth"]) for row in table.iter_rows(named=True)]


def _kind(picture: "Forest", scope: Scope, row: Row) -> str:
    """What the colour of a point says."""
    if picture.colour:
        return called(scope.about, picture.colour, row[picture.colour])
    if not picture.changes:
        return ""
    p, better = row.get("p_adjusted"), scope.metric(row["metric"]).better
    if p is None or p >= 1 - scope.confidence or better is None or not row["value"]:
        return _OPEN
    return _BETTER if (row["value"] > 0) == (better == "high") else _WORSE


def _hollow(picture: "Forest", scope: Scope, row: Row) -> bool:
    """Whether a point is hollow: a test does not tell it from 0, or else it carries a note."""
    if picture.ends:
        return False
    if picture.tested:
        p = row.get("p_adjusted")
        return p is not None and p >= 1 - scope.confidence
    return bool(row["note"])


def _texts(scope: Scope) -> list[str]:
    """What each row is about, as far as rows of the same figure differ in it."""
    rows = scope.rows
    apart = [key for key in rows[0] if key not in NO_KEYS and len({row[key] for row in rows}) > 1]
    for key in _WHO:
        others = [name for name in apart if name != key]
        if _combinations(rows, others) == _combinations(rows, apart):
            apart = others
    texts = [" \u00b7 ".join(_text(row[key]) for key in apart if row[key] is not None) or " " for row in rows]
    known = list(dict.fromkeys(texts))
    names = dict(zip(known, distinct(known), strict=True)) if known != [" "] else {" ": " "}
    return [names[text] for text in texts]


def _combinations(rows: Sequence[Row], keys: Sequence[str]) -> int:
    return len({tuple(row[key] for key in keys) for row in rows})


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else short(str(value), 24)


def _slots(scope: Scope, picture: "Forest") -> tuple[list[_Slot], str]:
    """A plot for each metric and each value across, the pooled one first; and a sentence on those left out."""
    held = {row["metric"] for row in scope.rows if row["value"] is not None}
    metrics = picture.metrics or tuple((name,) for name in scope.about.metrics if name in held)
    values = dict.fromkeys(row[picture.across] for row in scope.rows) if picture.across else {None: None}
    pooled = [value for value in values if value is not None and value == scope.about.pooled]
    others = [value for value in values if value not in pooled and (value is not None or not picture.across)]
    ranges = {ends: title for title, ends in scope.about.ranges.items()}
    found = [scope.metric(first_defined(scope.rows, names)) for names in metrics]
    slots = [
        _Slot(
            names,
            replace(metric, title=ranges[picture.ends]) if picture.ends in ranges else metric,
            picture.zeros.get(names[0], 0.0 if picture.changes else None),
            value,
            called(scope.about, picture.across, value) if picture.across else "",
        )
        for names, metric in zip(metrics, found, strict=True)
        for value in (*pooled, *others[:MOST_ACROSS])
    ]
    return slots, left_out(plural(picture.across), len(others), len(others[:MOST_ACROSS]))


@dataclass(frozen=True, slots=True)
class _Context:
    report: "Report"
    picture: "Forest"
    scope: Scope


def _panel(points: Sequence[Row], slot: _Slot, group: Key, context: _Context) -> _Panel:
    """The plot of a slot for a group, with a row for each judge, or for whatever rows the figure has."""
    picture, scope = context.picture, context.scope
    own = [one for one in points if one["across"] == slot.across and one["metric"] in slot.names]
    chosen = {kind: first_defined((one for one in own if one["kind"] == kind), slot.names) for kind in _kinds(own)}
    if picture.changes:
        chosen = dict.fromkeys(chosen, slot.names[0])
    found: dict[Value, list[Row]] = {}
    for one in own:
        if one["group"] == group and one["metric"] == chosen[one["kind"]]:
            found.setdefault(one["row"], []).append(one)
    labels = scope.labels if picture.label else {one: str(one) for one in list(found)[:MOST_TEXTS]}
    absent = {"kind": "", "hollow": False, "baseline": False, **dict.fromkeys(("value", "low", "high", "n", "truth"))}
    rows = []
    for row, label in labels.items():
        some = found.get(row) or ([] if picture.colour or picture.ends else [{**absent, "word": "no figure"}])
        rows += [{"label": label, "word": "undefined" if one["value"] is None else "", **one} for one in some]
    title = "\n".join(filter(None, (slot.title, scope.groups[group])))
    return _Panel(slot, title, rows, _guide(rows, slot, group, context))


def _kinds(points: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(one["kind"] for one in points))


def _guide(rows: Sequence[Row], slot: _Slot, group: Key, context: _Context) -> float | None:
    """The figure of all rows together, or else the best baseline's."""
    table = context.report.tables.get(context.picture.pooled)
    if table is not None and {"metric", "value", *context.scope.keys} <= set(table.columns):
        found = (row for row in table.iter_rows(named=True) if row["metric"] in slot.names)
        return next((row["value"] for row in found if context.scope.group(row) == group), None)
    return max((row["value"] for row in rows if row["baseline"] and row["value"] is not None), default=None)


def _limits(picture: "Forest", slot: _Slot, rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of the axis: 0 and 1 of shares, 0 in the middle of what has a sign, else round numbers."""
    ends = [row[name] for row in rows for name in ("value", "low", "high", "truth") if row[name] is not None]
    if slot.zero == 0:
        bound = rounded(0.0, max(map(abs, ends), default=0.0) or 0.1)[1]
        return -bound, bound
    if picture.unit or slot.metric.percent:
        return 0.0, 1.0
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    if picture.ends:
        return low - 0.4, high + 0.4
    return rounded(min(low, 0.0) if slot.metric.decimals is not None else low, high)


def _said(picture: "Forest", scope: Scope, panels: Sequence[_Panel], lows: Sequence[float]) -> str:
    """What a reader must know of what is drawn."""
    rows = [row for panel in panels for row in panel.rows if row["value"] is not None]
    hollow, guided = any(row["hollow"] for row in rows), any(panel.guide is not None for panel in panels)
    level = f"{1 - scope.confidence:.2g}"
    runs = {(row.get("first"), row.get("second")) for row in scope.rows} if picture.changes else set()
    first, second = (short(name) for name in runs.pop()) if len(runs) == 1 else ("", "")
    said = {
        f"Second is {second}, first is {first}.": bool(first),
        f"A coloured point differs from 0 (p < {level} after Holm's adjustment).": picture.changes,
        f"A filled point differs from 0 (p < {level} after Holm's adjustment), a hollow one may be 0.": picture.tested
        and any(row.get("p_adjusted") is not None for row in scope.rows),
        "A hollow point carries a note: its interval may not keep its promise.": hollow and not picture.tested,
        "Grey ticks are baselines, which need no system; the dashed line is the best of them. If it lies far to the "
        "right, most items have the same label, and a high figure says little.": any(row["baseline"] for row in rows),
        "The dashed line is the figure of all judgments together.": bool(picture.pooled) and guided,
        "Diamonds are the true values, known as the data are made up.": any(row["truth"] is not None for row in rows),
        f"The axes begin at {max(lows):g}.": max(lows) > 0 and not picture.ends,
        "All plots have the same rows.": len(scope.groups) > 1,
    }
    return "".join(f" {sentence}" for sentence, holds in said.items() if holds)


# --- how it is drawn ---


def _lines(panels: Mapping[tuple[int, Key], _Panel], slots: int, groups: Sequence[Key]) -> "Iterator[list[_Panel]]":
    """Plots that stand beside each other: those of a group, or else a line with all groups for each metric."""
    several = len(groups) > 1
    lines = (
        [[panels[slot, group] for group in groups] for slot in range(slots)]
        if several
        else [[panels[slot, group] for slot in range(slots)] for group in groups]
    )
    for line in lines:
        same: dict[tuple[str, ...], list[_Panel]] = {}
        for panel in line:
            if panel.rows:
                same.setdefault(panel.labels, []).append(panel)
        for some in same.values():
            size = len(some) if len(some) <= _LINE else _LINE - 1
            yield from (some[start : start + size] for start in range(0, len(some), size))


def _line(panels: Sequence[_Panel], limits: Mapping[tuple[str, ...], tuple[float, float]], look: _Look) -> "AnyChart":
    width = _WIDTHS[len(panels)]
    return beside([_plot(one, limits[one.slot.names], look, width, labels=one is panels[0]) for one in panels])


def _colours(picture: "Forest", rows: Sequence[Row]) -> dict[str, str]:
    if picture.changes:
        return _CHANGES
    known = [kind for kind in _kinds(rows) if kind]
    return dict(zip(known, (ACCENT, SECOND, MUTED, *SERIES[1:]), strict=False)) or {"": ACCENT}


def _plot(panel: _Panel, limits: tuple[float, float], look: _Look, width: int, *, labels: bool) -> "alt.LayerChart":
    import altair as alt

    scale = alt.Scale(domain=list(limits), nice=False)
    along = alt.X("x:Q", scale=scale, title=_title(panel.slot.metric, look), axis=_axis(panel.slot, limits, width))
    high = (_LOW_ROW if len(panel.labels) > _MANY_ROWS else _ROW) * (
        1 + _DODGED * (len(look.colours) - 1) * _dodged(look)
    )
    known = [row for row in panel.rows if row["value"] is not None]
    layers = [
        *upright(panel.slot.zero, along, color=INK, strokeWidth=1, opacity=0.7),
        *upright(panel.guide, along, color=MUTED, strokeDash=[4, 3]),
        *_intervals([row for row in known if not row["baseline"]], panel.labels, scale, along, look, labels=labels),
        *_others(panel, limits, scale, along),
    ]
    return plot(layers, panel.title, width, max(_LEAST, round(high * len(panel.labels))))


def _dodged(look: _Look) -> bool:
    return bool(look.picture.colour)


def _title(metric: "Metric", look: _Look) -> str:
    return f"{metric.title} (lower is better)" if look.picture.changes and metric.better == "low" else metric.title


def _axis(slot: _Slot, limits: tuple[float, float], width: int) -> "alt.Axis":
    import altair as alt

    sign = "(datum.value > 0 ? '+' : '') + " if slot.zero == 0 else ""
    axis = alt.Axis(grid=False, domain=True, ticks=True, tickCount=4, tickMinStep=0 if slot.metric.decimals != 0 else 1)
    axis.labelExpr = sign + (PERCENT if slot.metric.percent else PLAIN)
    if slot.zero == 0 or limits == (0.0, 1.0):
        steps = 4 if width == _WIDTHS[1] else 2
        axis.values = [limits[0] + (limits[1] - limits[0]) * step / steps for step in range(steps + 1)]
    return axis


def _names(labels: Sequence[str], *, shown: bool = True) -> "alt.Y":
    import altair as alt

    axis = names_axis(labels=shown, grid=True, gridOpacity=0.6)
    return alt.Y("label:N", scale=alt.Scale(domain=list(labels)), sort=list(labels), title=None, axis=axis)


def _intervals(
    rows: Sequence[Row], names: Sequence[str], scale: "alt.Scale", along: "alt.X", look: _Look, *, labels: bool
) -> "Iterator[alt.Chart]":
    """Intervals, and points on them."""
    import altair as alt

    drawn = [{**_kept(row), "fill": PAPER if row["hollow"] else look.colours[row["kind"]]} for row in rows]
    base = alt.Chart(data(drawn)).encode(_names(names, shown=labels))
    if _dodged(look):
        base = base.encode(alt.YOffset("kind:N", scale=alt.Scale(domain=list(look.colours), paddingOuter=0.5)))
    legend = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=3) if len(look.colours) > 1 else None
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=list(look.colours), range=list(look.colours.values())), legend=legend
    )
    thick = bool(look.picture.ends)
    reach = base.mark_rule(strokeWidth=3 if thick else 1.5, opacity=0.8)
    yield reach.encode(alt.X("low:Q", scale=scale), x2="high:Q", stroke=colour)
    size = _size(look.most) if look.picture.sized else alt.value(56)
    points = base.mark_point(filled=True, strokeWidth=1.5, opacity=1)
    fill = alt.Fill("fill:N", scale=None)
    yield points.encode(along, stroke=colour, fill=fill, size=size)
    if thick:
        yield points.encode(alt.X("high:Q", scale=scale), stroke=colour, fill=fill, size=size)


def _kept(row: Row) -> Row:
    kept = ("label", "kind", "low", "high", "n", "truth", "word")
    return {"x": row["value"], **{name: row[name] for name in kept}}


def _size(most: int) -> "alt.Size":
    import altair as alt

    scale = alt.Scale(domain=[0, most], range=[20, 220], type="sqrt")
    steps = sorted({max(1, most // 10), max(1, most // 3), most})
    return alt.Size("n:Q", scale=scale, title="Items (n)").legend(
        values=steps, format=",d", symbolFillColor=ACCENT, symbolStrokeColor=ACCENT
    )


def _others(panel: _Panel, limits: tuple[float, float], scale: "alt.Scale", along: "alt.X") -> "Iterator[alt.Chart]":
    """Baselines as ticks, true values as diamonds, and a word where there is no figure."""
    import altair as alt

    def marked(some: Sequence[Row]) -> "alt.Chart":
        return alt.Chart(data([{**_kept(row), "at": limits[0]} for row in some])).encode(_names(panel.labels))

    if ticks := [row for row in panel.rows if row["baseline"] and row["value"] is not None]:
        yield marked(ticks).mark_tick(color=MUTED, thickness=4, size=13, orient="vertical").encode(along)
    if true := [row for row in panel.rows if row["truth"] is not None]:
        diamond = marked(true).mark_point(
            filled=True, shape="diamond", fill=SECOND, stroke=PAPER, strokeWidth=1, size=80, opacity=1
        )
        yield diamond.encode(alt.X("truth:Q", scale=scale))
    if missing := [row for row in panel.rows if row["value"] is None]:
        word = marked(missing).mark_text(fontSize=11, fontStyle="italic", fill=MUTED, align="left", dx=5)
        yield word.encode(alt.X("at:Q", scale=scale), text="word:N")
