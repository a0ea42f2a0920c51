"""Figures or counts as coloured cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt

from karat.about import Matrix
from karat.names import annotator_names, distinct
from karat.render.kit.scope import Key, Row, Scope, Value, called, scope_of
from karat.render.kit.style import (
    ACCENT,
    GOODNESS,
    INK,
    SHARES,
    SIGNS,
    Chart,
    Spec,
    beside,
    chunks,
    data,
    names_axis,
    plot,
    rounded,
    stacked,
)
from karat.render.numbers import DASH, MINUS, metric_text, worded
from karat.report import Report

MOST_PRINTED = 20
"""How many rows a matrix of signs may have to print its values."""
MOST_LABELS = 8
"""With more labels than this no matrix of counts is drawn."""
_COLOURS = {"goodness": GOODNESS, "signs": SIGNS}
_SIZES = {"goodness": (108, 22), "signs": (38, 24), "shares": (29, 21)}
"""Width and height of a cell."""
_SMALL = 15
_DIGIT, _AROUND = 7, 8
"""Pixels of a digit of a count, and of what is around it in a cell."""
_LINE, _HEADING = 5, 16
_LINE_HEIGHT = 12
_BLACK, _WHITE = "#000000", "#ffffff"
_DARK = "isValid(datum.tone) && luminance(scale('fill', datum.tone)) < 0.179"
"""Where white is easier to read than black: with a contrast of 4.58 or more (WCAG 2.2), as black has elsewhere."""
_THOUSAND, _MILLION = 10_000, 1_000_000


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What all matrices of a picture share.

    columns: what they hold -> their titles. bound: the farthest from 0. digits: of the greatest count.
    """

    picture: Matrix
    scope: Scope
    columns: dict[Key, str]
    bound: float
    digits: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a cell."""
        width, height = _SIZES[self.picture.colours] if self.printed else (_SMALL, _SMALL)
        return max(width, _DIGIT * self.digits + _AROUND), height

    @property
    def printed(self) -> bool:
        """Whether cells are so large that they hold text."""
        return self.picture.colours != "signs" or len(self.scope.labels) <= MOST_PRINTED

    def fill(self) -> dict[str, Any]:
        """How the tone of a cell says its colour."""
        if self.picture.colours == "shares":
            shares = alt.Scale(domain=[0, 1], range=list(SHARES))
            return {"fill": alt.value(ACCENT), "fillOpacity": alt.FillOpacity("tone:Q", scale=shares, legend=None)}
        colours = _COLOURS[self.picture.colours]
        low, high = (-self.bound, self.bound) if self.picture.colours == "signs" else (0.0, 1.0)
        steps = [low + (high - low) * step / (len(colours) - 1) for step in range(len(colours))]
        scale = alt.Scale(domain=steps, range=list(colours), interpolate="rgb", clamp=True)
        return {"fill": alt.Fill("tone:Q", scale=scale, legend=None)}

    def ink(self) -> alt.FillValue:
        """The colour of text that can be read on the cells."""
        if self.picture.colours == "shares":
            return alt.FillValue(INK)
        return alt.FillValue(
            _BLACK, condition=[{"test": "!datum.shaded", "value": INK}, {"test": _DARK, "value": _WHITE}]
        )


def matrix(report: Report, picture: Matrix) -> Chart | None:
    """The picture; None where the report holds nothing of it, or a single column, or more labels than can be seen."""
    needed = ["count"] if picture.colours == "shares" else ["metric", "value"]
    needed += [*picture.columns, *filter(None, [picture.across])]
    metrics = _metrics(report, picture)
    scope = scope_of(report, picture, picture.rows, needed, metrics)
    rows = [row for row in scope.rows if row[picture.rows] in scope.labels and _held(row, picture)] if scope else []
    if not picture.columns:
        known = {row["metric"] for row in rows if row["value"] is not None}
        rows = [row for row in rows if row["metric"] in known]
    if scope is None or not rows:
        return None
    columns = _columns(report, scope, picture, rows)
    seen = picture.colours != "shares" or max(len(columns), len(scope.labels)) <= MOST_LABELS
    if len(columns) == 1 or not seen:
        return None
    bound = rounded(0.0, max(abs(row.get("value") or 0.0) for row in rows) or 0.1)[1]
    digits = max(len(_count_text(row.get("count") or 0)) for row in rows)
    drawn = _Drawn(picture, scope, columns, bound, digits)
    if picture.colours == "shares" and not picture.across:  # all of them have the same rows
        blocks = _lines(drawn, [(scope.groups[group], _of_group(scope, group, rows)) for group in scope.groups])
    else:
        blocks = [block for group in scope.groups for block in _blocks(drawn, group, rows)]
    return Chart(picture.name, picture.title, scope.worded(picture.caption, *metrics[:1]) + scope.said, stacked(blocks))


def _metrics(report: Report, picture: Matrix) -> tuple[str, ...]:
    """Which metrics are drawn: all where each has a column, else the first that the table holds."""
    table = report.tables.get(picture.table)
    if not picture.columns or picture.headed or table is None or "metric" not in table.columns:
        return picture.metrics
    held = set(table["metric"])
    return next(((one,) for one in picture.metrics if one in held), picture.metrics)


def _held(row: Row, picture: Matrix) -> bool:
    """Whether a row is of a metric that is drawn; of a column's value, of that which stands there."""
    return all(row["metric"] == metrics.get(row[column]) for column, metrics in picture.headed.items())


def _columns(report: Report, scope: Scope, picture: Matrix, rows: Sequence[Row]) -> dict[Key, str]:
    """The columns with their titles; names of judges are those of the rows."""
    if not picture.columns:
        drawn = {row["metric"] for row in rows}
        return {(name,): _wrapped([scope.metric(name).title]) for name in picture.metrics if name in drawn}
    held = dict.fromkeys(tuple(row[name] for name in picture.columns) for row in rows)
    if picture.colours == "shares":
        order = [(value,) for value in scope.about.values]
        keys = sorted(held, key=order.index) if held.keys() <= set(order) else held
        return {key: called(scope.about, picture.columns[0], key[0]) for key in keys}
    if len(picture.columns) == 1:
        names = annotator_names(report.tables.values())
        others = [key[0] for key in held if key[0] not in scope.labels]
        labels = [*scope.labels.values(), *(names.get(str(one), worded(str(one))) for one in others)]
        return dict(zip([(one,) for one in (*scope.labels, *others)], distinct(labels), strict=True))
    first = [key[0] for key in held]
    return {
        key: _wrapped(
            called(scope.about, name, one)
            for name, one in zip(picture.columns, key if first.count(key[0]) > 1 else key[:1], strict=False)
        )
        for key in held
    }


def _wrapped(parts: Iterable[str]) -> str:
    """A title in lines that are as wide as a column."""
    return "\n".join(wrap(", ".join(parts), _HEADING))


def _blocks(drawn: _Drawn, group: Key, rows: Sequence[Row]) -> list[Spec]:
    """The matrices of a group, side by side."""
    scope, across = drawn.scope, drawn.picture.across
    own = _of_group(scope, group, rows)
    if not across:
        return _lines(drawn, [(scope.groups[group], own)])
    values = dict.fromkeys(row[across] for row in own)
    some = [(called(scope.about, across, one), [row for row in own if row[across] == one]) for one in values]
    return _lines(drawn, some, scope.groups[group])


def _of_group(scope: Scope, group: Key, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if scope.group(row) == group]


def _lines(drawn: _Drawn, titled: Sequence[tuple[str, Sequence[Row]]], heading: str = "") -> list[Spec]:
    """Matrices with their titles in lines, under a heading if they have one; the first of a line names its rows."""
    plots = [_plot(drawn, rows, title, labels=place % _LINE == 0) for place, (title, rows) in enumerate(titled)]
    return [beside(line, heading) for line in chunks(plots, _LINE)]


def _plot(drawn: _Drawn, rows: Sequence[Row], title: str, *, labels: bool) -> Spec:
    cells = _cells(drawn, rows)
    names = [label for label in drawn.scope.labels.values() if any(cell["row"] == label for cell in cells)]
    heads = [head for head in drawn.columns.values() if any(cell["column"] == head for cell in cells)]
    slanted = drawn.picture.colours != "goodness"
    across = names_axis(
        orient="top",
        labelAngle=-60 if slanted else 0,
        labelLimit=180,
        labelPadding=8 + _LINE_HEIGHT * max(head.count("\n") for head in heads),
        labelExpr="split(datum.label, '\\n')",
        labelAlign="left" if slanted else "center",
    )
    base = alt.Chart(data(cells)).encode(
        alt.X("column:N", sort=heads, title=None, axis=across, scale=_bands(heads)),
        alt.Y("row:N", sort=names, title=None, axis=names_axis(labels=labels), scale=_bands(names)),
    )
    layers = [base.transform_filter("datum.shaded").mark_rect(invalid=None).encode(**drawn.fill())]
    if any(cell["right"] for cell in cells):
        layers.append(base.transform_filter("datum.right").mark_rect(fill=None, stroke=INK, strokeWidth=1.2))
    if drawn.printed:
        layers.append(base.mark_text(fontSize=12).encode(alt.Text("text:N"), drawn.ink()))
    width, height = drawn.size
    return plot(layers, title, width * len(heads), height * len(names))


def _bands(names: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), paddingInner=0.05, paddingOuter=0)


def _cells(drawn: _Drawn, rows: Sequence[Row]) -> list[Row]:
    """A cell for each row of the table; of counts one for each pair of labels."""
    picture, scope = drawn.picture, drawn.scope
    counted = picture.colours == "shares"
    found: dict[tuple[Value, Key], Row] = {}
    if counted:
        found = {(one, key): {"count": 0} for one in scope.labels for key in drawn.columns}
    for row in rows:
        place = row[picture.rows], tuple(row[name] for name in picture.columns) or (row["metric"],)
        found[place] = {**row, "count": found[place]["count"] + row["count"]} if counted else row
    totals = {
        one: sum(row["count"] for (name, _), row in found.items() if name == one) for one in scope.labels if counted
    }
    return [
        {
            "row": scope.labels[one],
            "column": drawn.columns[key],
            "right": counted and (one,) == key,
            **(_counted(row["count"], totals[one]) if counted else _look(drawn, row)),
        }
        for (one, key), row in found.items()
        if key in drawn.columns and not (picture.colours == "signs" and (one,) == key)
    ]


def _counted(count: int, total: int) -> dict[str, Any]:
    """The text of a count, and its share of the row's as its tone."""
    return {"text": _count_text(count), "tone": count / max(total, 1), "shaded": True}


def _count_text(count: int) -> str:
    """A count as short as can be, nothing for none."""
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    return f"{count / 1000:.0f}k" if count >= _THOUSAND else str(count or "")


def _look(drawn: _Drawn, row: Row) -> dict[str, Any]:
    """The text of a figure's cell, and its tone; what is neither good nor bad has no colour."""
    value, metric = row["value"], drawn.scope.metric(row["metric"])
    if value is None:
        return {"text": DASH, "tone": None, "shaded": True}
    if drawn.picture.colours == "signs":
        return {"text": _signed(value), "tone": value, "shaded": True}
    tone = None if metric.better is None else value if metric.better == "high" else 1 - value
    return {"text": metric_text(value, metric), "tone": tone, "shaded": tone is not None}


def _signed(value: float) -> str:
    """A number between -1 and 1 as short as can be: .12, −.40, 1."""
    text = f"{value:z.2f}".replace("0.", ".", 1).replace("-", MINUS)
    return {".00": "0", "1.00": "1", f"{MINUS}1.00": f"{MINUS}1"}.get(text, text)
