"""Counts as bars of the same length, in parts."""

import altair as alt

from adjudge.render.kit import style
from adjudge.render.kit.scope import Row, Scope, scope_of
from adjudge.render.kit.style import RenderedChart, Spec
from adjudge.report import Report
from adjudge.spec import BarChart

_WIDTH, _ROW = 420, 26
_HIGH_ROW, _BAR = 44, 22
"""Of a row with its name above the bar."""


def bars(report: Report, picture: BarChart, *, narrow: bool) -> RenderedChart | None:
    """The picture; None where the report holds nothing of it."""
    judge = report.about.judge
    scope = scope_of(report, picture, judge, ("outcome", "count"))
    if scope is None:
        return None
    rows = [row for row in scope.rows if row[judge] in scope.labels and row["outcome"] in picture.parts]
    held = {row["outcome"] for row in rows}
    groups = [
        _plot([row for row in rows if scope.group(row) == group], scope, picture, title, held, narrow=narrow)
        for group, title in scope.groups.items()
    ]
    caption = scope.worded(picture.caption) + scope.said
    return RenderedChart(picture.name, picture.title, caption, style.stacked(groups)) if rows else None


def _plot(rows: list[Row], scope: Scope, picture: BarChart, title: str, held: set[str], *, narrow: bool) -> Spec:
    """The bars of a group; rows of the same part stand beside each other. held: the parts of all plots."""
    drawn = [
        {
            "label": scope.labels[row[scope.about.judge]],
            "part": scope.outcome(row["outcome"]),
            "count": row["count"],
            "place": picture.parts.index(row["outcome"]),
        }
        for row in rows
    ]
    labels = [label for label in scope.labels.values() if any(row["label"] == label for row in drawn)]
    colours = {scope.outcome(part): style.OUTCOMES[part] for part in picture.parts if part in held}
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    axis = alt.Axis(values=[0, 0.5, 1], labelExpr=style.PERCENT, grid=False)
    names = max(map(style.width_of, scope.labels.values()))
    above = narrow and names > style.BESIDE
    room = style.INSIDE if narrow else _WIDTH
    columns = style.in_columns(colours, room) if narrow else len(colours)
    legend = alt.Legend(title=None, orient="top", columns=columns)
    rows_of = alt.Y("label:N", title=None, sort=labels, axis=style.names_axis(labels=not above))
    row = _HIGH_ROW if above else _ROW
    base = alt.Chart(style.data(drawn))
    bar = base.mark_bar(height=_BAR, yOffset=(row - _BAR) / 2 - 2) if above else base.mark_bar()
    layer = bar.encode(
        alt.X("sum(count):Q", stack="normalize", title="Share of answers", axis=axis),
        rows_of,
        alt.Color("part:N", scale=scale, legend=legend),
        style.edges("part", colours),
        alt.Order("place:Q"),
    )
    layers = [layer]
    if above:
        named = alt.Chart(style.data({"label": label} for label in labels)).encode(rows_of)
        layers.append(style.names_above(named, row))
    width = room - 2 * style.OVERHANG - (0 if above else names) if narrow else _WIDTH
    return style.plot(layers, title, width, row * len(labels), narrow=narrow)
