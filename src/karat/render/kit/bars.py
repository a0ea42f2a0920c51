"""Counts as bars of the same length, in parts."""

import altair as alt

from karat.about import Bars
from karat.render.kit.scope import Row, Scope, called, scope_of
from karat.render.kit.style import OUTCOMES, PERCENT, Chart, Spec, beside, data, names_axis, plot, stacked
from karat.report import Report

_WIDTH, _ROW = 420, 26


def bars(report: Report, picture: Bars) -> Chart | None:
    """The picture; None where the report holds nothing of it."""
    scope = scope_of(report, picture, picture.rows, (picture.across, "outcome", "count"))
    if scope is None:
        return None
    rows = [row for row in scope.rows if row[picture.rows] in scope.labels and row["outcome"] in picture.parts]
    groups = []
    for group, title in scope.groups.items():
        plots: dict[str, list[Row]] = {}
        for row in rows:
            if scope.group(row) == group:
                plots.setdefault(called(scope.about, picture.across, row[picture.across]), []).append(row)
        drawn = [
            _plot(some, scope, picture, across, {row["outcome"] for row in rows}) for across, some in plots.items()
        ]
        groups.append(beside([stacked(drawn)], title))
    caption = scope.worded(picture.caption) + scope.said
    return Chart(picture.name, picture.title, caption, stacked(groups)) if rows else None


def _plot(rows: list[Row], scope: Scope, picture: Bars, title: str, held: set[str]) -> Spec:
    """The bars of one value across; rows of the same part stand beside each other. held: the parts of all plots."""
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
    colours = {part: OUTCOMES[part] for part in picture.parts if part in held}
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    axis = alt.Axis(values=[0, 0.5, 1], labelExpr=PERCENT, grid=False)
    layer = alt.Chart(data(drawn)).mark_bar()
    layer = layer.encode(
        alt.X("sum(count):Q", stack="normalize", title="Share of answers", axis=axis),
        alt.Y("label:N", title=None, sort=labels, axis=names_axis()),
        alt.Color("part:N", scale=scale, legend=alt.Legend(title=None, columns=len(colours))),
        alt.Order("place:Q"),
    )
    return plot([layer], title, _WIDTH, _ROW * len(labels))
