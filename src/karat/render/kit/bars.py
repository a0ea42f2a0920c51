"""Counts as bars of the same length, in parts."""

from typing import TYPE_CHECKING

from karat.render.kit.scope import Key, Row, Scope, called, scope_of
from karat.render.kit.style import PARTS, Chart, beside, data, names_axis, plot, stacked

if TYPE_CHECKING:
    import altair as alt

    from karat.pictures import Bars
    from karat.render.kit.style import AnyChart
    from karat.report import Report

_WIDTH, _ROW = 420, 26


def bars(report: "Report", picture: "Bars") -> Chart | None:
    """The picture; None where the report holds nothing of it."""
    scope = scope_of(report, picture, picture.rows, (picture.across, "outcome", "count"))
    if scope is None:
        return None
    parts = dict(zip(picture.parts, PARTS, strict=False))
    rows = [row for row in scope.rows if row[picture.rows] in scope.labels and row["outcome"] in parts]
    colours = {part: colour for part, colour in parts.items() if any(row["outcome"] == part for row in rows)}
    groups = [_group(rows, scope, picture, group, colours) for group in scope.groups]
    caption = scope.worded(picture.caption) + scope.said
    return Chart(picture.name, picture.title, caption, stacked(groups)) if rows else None


def _group(rows: list[Row], scope: Scope, picture: "Bars", group: Key, colours: dict[str, str]) -> "AnyChart":
    """A plot for each value across, below each other."""
    own = [row for row in rows if scope.group(row) == group]
    plots = [
        _plot([row for row in own if row[picture.across] == value], scope, picture, colours)
        for value in dict.fromkeys(row[picture.across] for row in own)
    ]
    return beside([stacked(plots)], scope.groups[group])


def _plot(rows: list[Row], scope: Scope, picture: "Bars", colours: dict[str, str]) -> "alt.LayerChart":
    """The bars of one value across; rows of the same part stand beside each other."""
    import altair as alt

    drawn = [
        {
            "label": scope.labels[row[picture.rows]],
            "part": row["outcome"],
            "count": row["count"],
            "place": picture.parts.index(row["outcome"]),
        }
        for row in rows
    ]
    labels = [label for label in scope.labels.values() if any(row["label"] == label for row in drawn)]
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    chart = alt.Chart(data(drawn)).mark_bar()
    layer = chart.encode(
        alt.X("sum(count):Q", stack="normalize", title=None, axis=alt.Axis(values=[0, 0.5, 1], format="%", grid=False)),
        alt.Y("label:N", title=None, sort=labels, axis=names_axis()),
        alt.Color("part:N", scale=scale, legend=alt.Legend(title=None, columns=len(colours))),
        order="place:Q",
    )
    return plot([layer], called(scope.about, picture.across, rows[0][picture.across]), _WIDTH, _ROW * len(labels))
