"""Figures or counts as coloured cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import altair as alt

from adjudge.display_names import annotator_names, distinct_names
from adjudge.render.kit import style
from adjudge.render.kit.scope import Key, Row, Scope, Value, across_of, scope_of
from adjudge.render.kit.style import RenderedChart, Spec
from adjudge.render.numbers import DASH, MINUS, inside, metric_text, worded
from adjudge.report import Report
from adjudge.spec import Evaluation, Heatmap

MOST_PRINTED = 20
"""How many rows a matrix of signs may have to print its values."""
MOST_LABELS = 8
"""With more labels than this no matrix of counts is drawn."""
_SIZES = {"goodness": (108, 22), "signs": (38, 24), "shares": (29, 21)}
"""Width and height of a cell."""
_SMALL = 15
_AROUND, _BESIDE, _ABOVE = 8, 8, 24
"""Around the text of a cell, between names and the cells beside them, of a name above them."""
_LINE, _HEADING = 5, 16
_LINE_HEIGHT = 12
_UNDEFINED = 0.3
"""How strong the grey of a cell without a figure is."""
_EDGE = 0.45
"""How strong the edge of a cell is, whose colour may be hardly seen."""
_THOUSAND, _MILLION = 10_000, 1_000_000


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What all matrices of a picture share.

    columns: what they hold -> their titles. bound: the farthest from 0. least: how wide a cell is at least.
    across: the key column with a matrix per value. narrow: whether it is for a phone.
    """

    picture: Heatmap
    across: str
    scope: Scope
    columns: dict[Key, str]
    bound: float
    least: int
    narrow: bool

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a cell: on a phone as wide as there is room for, and no narrower than what it holds."""
        if not self.printed:
            return _SMALL, _SMALL
        width, height = _SIZES[self.picture.colours]
        if not self.narrow:
            return max(width, self.least), height
        room, columns = style.INSIDE - self.beside, len(self.columns)
        room, two = room // columns, (room - style.GAP) // 2 // columns
        room = two if self.picture.colours == "shares" and two >= self.least else room
        return max(min(width, room), self.least), height

    @property
    def above(self) -> bool:
        """Whether the names of rows stand above them, as else there is no room for the cells."""
        return self.narrow and self.printed and self._names + len(self.columns) * self.least > style.INSIDE

    @property
    def beside(self) -> int:
        """How wide the names are that stand beside the cells."""
        return 0 if self.above else self._names

    @property
    def _names(self) -> int:
        return max(map(style.width_of, self.scope.labels.values())) + _BESIDE

    def in_line(self, titles: Iterable[str]) -> int:
        """How many matrices with these titles stand beside each other."""
        if not self.narrow:
            return _LINE
        lines = (line for one in titles for line in one.split("\n"))
        width = max([self.size[0] * len(self.columns), *map(style.width_of, lines)])
        return max(1, (style.INSIDE - self.beside + style.GAP) // (width + style.GAP))

    @property
    def printed(self) -> bool:
        """Whether cells are so large that they hold text."""
        return self.picture.colours != "signs" or len(self.scope.labels) <= MOST_PRINTED


def matrix(report: Report, picture: Heatmap, *, narrow: bool) -> RenderedChart | None:
    """The picture; None where the report holds nothing of it, or a single column, or more labels than can be seen."""
    needed = ["count"] if picture.colours == "shares" else ["metric", "value"]
    needed += picture.columns
    metrics = _metrics(report, picture)
    scope = scope_of(report, picture, picture.rows, needed, metrics)
    rows = (
        [row for row in scope.rows if row[picture.rows] in scope.labels and _held(row, report.about, picture)]
        if scope
        else []
    )
    if not picture.columns:
        known = {row["metric"] for row in rows if row["value"] is not None}
        rows = [row for row in rows if row["metric"] in known]
    if scope is None or not rows:
        return None
    columns = _columns(report, scope, picture, rows)
    seen = picture.colours != "shares" or max(len(columns), len(scope.labels)) <= MOST_LABELS
    if len(columns) == 1 or not seen:
        return None
    bound = style.rounded(0.0, max(abs(row.get("value") or 0.0) for row in rows) or 0.1)[1]
    least = max(style.width_of(_text(scope, picture, row)) for row in rows) + _AROUND
    across = across_of(report, picture, picture.columns)
    drawn = _Drawn(picture, across, scope, columns, bound, least, narrow)
    if picture.colours == "shares" and not across:  # all of them have the same rows
        blocks = _lines(drawn, [(scope.groups[group], _of_group(scope, group, rows)) for group in scope.groups])
    else:
        blocks = [block for group in scope.groups for block in _blocks(drawn, group, rows)]
    caption = scope.worded(picture.caption, *metrics[:1]) + _said(drawn, rows) + scope.said
    return RenderedChart(picture.name, picture.title, caption, style.stacked(blocks))


def _said(drawn: _Drawn, rows: Iterable[Row]) -> str:
    """What the colours say."""
    said = {
        "goodness": " Blue is good and orange is bad: strongest where a figure cannot be better or worse, and faint "
        "halfway between.",
        "signs": f" The stronger the colour, the farther from 0, up to {drawn.bound:g}.",
        "shares": "",
    }[drawn.picture.colours]
    by_column = _headline_metrics(drawn.scope.about, drawn.picture)
    headed = "".join(_headed(drawn, name, metrics) for name, metrics in by_column.items())
    undefined = drawn.picture.colours != "shares" and any(row["value"] is None for row in rows)
    return headed + said + " A grey cell with a dash has no figure." * undefined


def _headed(drawn: _Drawn, column: str, metrics: Mapping[str, str]) -> str:
    """Which figure stands in the columns of each value that is drawn."""
    place, scope = drawn.picture.columns.index(column), drawn.scope
    held = dict.fromkeys(str(key[place]) for key in drawn.columns)
    said = (f"{scope.value_title(column, one)}: {inside(scope.metric(metrics[one]).title)}" for one in held)
    text = "; ".join(one if number == 0 else inside(one) for number, one in enumerate(said))
    return f" {text}."


def _metrics(report: Report, picture: Heatmap) -> tuple[str, ...]:
    """Which metrics are drawn: all where each has a column, else the first that the table holds."""
    table = report.tables.get(picture.table)
    if not picture.columns or not picture.metrics or table is None or "metric" not in table.columns:
        return picture.metrics
    held = set(table["metric"])
    return next(((one,) for one in picture.metrics if one in held), picture.metrics)


def _headline_metrics(about: Evaluation, picture: Heatmap) -> dict[str, dict[str, str]]:
    """Column -> its value -> the metric of the headline that reads it, if the picture names no metrics."""
    if picture.metrics or picture.colours == "shares":
        return {}
    read = [(answer.where, answer.metric) for answer in about.answers]
    named = {name: {where[name]: metric for where, metric in read if name in where} for name in picture.columns}
    return {name: metrics for name, metrics in named.items() if metrics}


def _held(row: Row, about: Evaluation, picture: Heatmap) -> bool:
    """Whether a row is of a metric that is drawn; of a column's value, of that which stands there."""
    by_column = _headline_metrics(about, picture)
    return all(row["metric"] == metrics.get(row[column]) for column, metrics in by_column.items())


def _columns(report: Report, scope: Scope, picture: Heatmap, rows: Sequence[Row]) -> dict[Key, str]:
    """The columns with their titles; names of judges are those of the rows."""
    if not picture.columns:
        drawn = {row["metric"] for row in rows}
        return {(name,): _wrapped([scope.metric(name).title]) for name in picture.metrics if name in drawn}
    held = dict.fromkeys(tuple(row[name] for name in picture.columns) for row in rows)
    if picture.colours == "shares":
        own = [(value,) for value in scope.about.values]
        order = own if held.keys() <= set(own) else [*((label,) for label in scope.labels), *held]  # as rows stand
        keys = sorted(held, key=order.index)
        return {key: scope.value_title(picture.columns[0], key[0]) for key in keys}
    if len(picture.columns) == 1:
        names = annotator_names(report.tables.values())
        others = [key[0] for key in held if key[0] not in scope.labels]
        labels = [*scope.labels.values(), *(names.get(str(one), worded(str(one))) for one in others)]
        return dict(zip([(one,) for one in (*scope.labels, *others)], distinct_names(labels), strict=True))
    first = [key[0] for key in held]
    enough = {key: key if first.count(key[0]) > 1 else key[:1] for key in held}
    parts = {key: zip(picture.columns, some, strict=False) for key, some in enough.items()}
    return {key: _wrapped(scope.value_title(*part) for part in some) for key, some in parts.items()}


def _wrapped(parts: Iterable[str]) -> str:
    """A title in lines that are as wide as a column."""
    return "\n".join(wrap(", ".join(parts), _HEADING))


def _blocks(drawn: _Drawn, group: Key, rows: Sequence[Row]) -> list[Spec]:
    """The matrices of a group, side by side."""
    scope, across = drawn.scope, drawn.across
    own = _of_group(scope, group, rows)
    if not across:
        return _lines(drawn, [(scope.groups[group], own)])
    values = dict.fromkeys(row[across] for row in own)
    some = [(scope.value_title(across, one), [row for row in own if row[across] == one]) for one in values]
    return _lines(drawn, some, scope.groups[group])


def _of_group(scope: Scope, group: Key, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if scope.group(row) == group]


def _lines(drawn: _Drawn, titled: Sequence[tuple[str, Sequence[Row]]], heading: str = "") -> list[Spec]:
    """Matrices with their titles in lines, under a heading if they have one; the first of a line names its rows."""
    size = drawn.in_line(title for title, _ in titled)
    plots = [_plot(drawn, rows, title, labels=place % size == 0) for place, (title, rows) in enumerate(titled)]
    return [style.beside(line, heading, narrow=drawn.narrow) for line in style.chunks(plots, size)]


def _plot(drawn: _Drawn, rows: Sequence[Row], title: str, *, labels: bool) -> Spec:
    cells = _cells(drawn, rows)
    names = [label for label in drawn.scope.labels.values() if any(cell["row"] == label for cell in cells)]
    held = [head for head in drawn.columns.values() if any(cell["column"] == head for cell in cells)]
    width, height = drawn.size
    if drawn.narrow and (least := _turned(drawn, names, held)):
        cells = [{**cell, "row": _in_line(cell["column"]), "column": cell["row"]} for cell in cells]
        width, names, held, labels = least, [*map(_in_line, held)], names, True
    slanted = drawn.picture.colours != "goodness"
    if drawn.narrow:
        slanted = slanted or max(style.width_of(word) for head in held for word in head.split()) > width
    heads = [_fitted(head, width, slanted=slanted) for head in held] if drawn.narrow else held
    cells = [{**cell, "column": heads[held.index(cell["column"])]} for cell in cells]
    across = style.names_axis(
        orient="top",
        labelAngle=(-90 if drawn.narrow else -60) if slanted else 0,
        labelLimit=180,
        labelPadding=8 + _LINE_HEIGHT * max(head.count("\n") for head in heads),
        labelExpr="split(datum.label, '\\n')",
        labelAlign="left" if slanted else "center",
    )
    row = height + _ABOVE * drawn.above
    up = _bands(names)
    if drawn.above:
        up.paddingInner, up.paddingOuter, up.align = _ABOVE / row, _ABOVE / row, 1
    base = alt.Chart(style.data(cells)).encode(
        alt.X("column:N", sort=heads, title=None, axis=across, scale=_bands(heads)),
        alt.Y("row:N", sort=names, title=None, axis=style.names_axis(labels=labels and not drawn.above), scale=up),
    )
    fill, strength = alt.Fill("fill:N", scale=None), alt.FillOpacity("strength:Q", scale=None)
    layers = [base.mark_rect(stroke=style.MUTED, strokeWidth=0.5, strokeOpacity=_EDGE).encode(fill, strength)]
    if any(cell["right"] for cell in cells):
        layers.append(base.transform_filter("datum.right").mark_rect(fill=None, stroke=style.INK, strokeWidth=1.2))
    if drawn.printed:
        layers.append(base.mark_text(fontSize=12, fill=style.INK).encode(alt.Text("text:N")))
    if drawn.above and labels:
        named = alt.Chart(style.data({"row": name} for name in names)).mark_text(align="left", baseline="bottom", dy=-3)
        over = alt.Y("row:N", sort=names, scale=up, bandPosition=0)
        look = {"x": alt.value(0), "fill": alt.value(style.INK), "size": alt.value(12)}
        layers.append(named.encode(over, alt.Text("row:N"), **look))
    return style.plot(layers, title, width * len(heads), row * len(names), narrow=drawn.narrow)


def _turned(drawn: _Drawn, names: Sequence[str], held: Sequence[str]) -> int:
    """How wide the columns are where a phone has the rows of figures in their place, since columns have long names.

    0 where it has not: columns have room for their names, or rows would have none for theirs.
    """
    fits = max(style.width_of(word) for head in held for word in head.split()) <= drawn.size[0]
    least = max(drawn.least, *(style.width_of(name) + _AROUND for name in names))
    whole = max(style.width_of(_in_line(head)) for head in held) + _BESIDE + least * len(names)
    return 0 if drawn.picture.colours != "goodness" or drawn.above or fits or whole > style.INSIDE else least


def _in_line(head: str) -> str:
    """The name of a column in one line."""
    return head.replace("\n", " ")


def _fitted(head: str, width: int, *, slanted: bool) -> str:
    """A head of a column for a phone: in lines of that width, or in one line that is turned."""
    whole = _in_line(head)
    return whole if slanted else "\n".join(style.lines_of(whole, width))


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
            "text": _text(scope, picture, row),
            **(_filled(row["count"] / max(totals[one], 1)) if counted else _look(drawn, row)),
        }
        for (one, key), row in found.items()
        if key in drawn.columns and not (picture.colours == "signs" and (one,) == key)
    ]


def _text(scope: Scope, picture: Heatmap, row: Row) -> str:
    """What stands in a cell."""
    if picture.colours == "shares":
        return _count_text(row["count"])
    if (value := row["value"]) is None:
        return DASH
    return _signed(value) if picture.colours == "signs" else metric_text(value, scope.metric(row["metric"]))


def _count_text(count: int) -> str:
    """A count as short as can be, nothing for none."""
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    return f"{count / 1000:.0f}k" if count >= _THOUSAND else str(count or "")


def _look(drawn: _Drawn, row: Row) -> dict[str, Any]:
    """How the cell of a figure is filled; what is neither good nor bad has no colour."""
    value, better = row["value"], drawn.scope.metric(row["metric"]).better
    if value is None:
        return {"fill": style.MUTED, "strength": _UNDEFINED}
    if drawn.picture.colours == "signs":
        return _filled(value / drawn.bound)
    tone = min(max(2 * value - 1, -1.0), 1.0)
    return _filled(-tone if better == "low" else tone) if better else {"fill": style.ACCENT, "strength": 0.0}


def _filled(tone: float) -> dict[str, Any]:
    """How a cell is filled, by how far it is from what means nothing, at most 1: text can be read on it everywhere."""
    none, most = style.SHARES
    return {"fill": style.SECOND if tone < 0 else style.ACCENT, "strength": none + abs(tone) * (most - none)}


def _signed(value: float) -> str:
    """A number between -1 and 1 as short as can be: .12, −.40, 1."""
    text = f"{value:z.2f}".replace("0.", ".", 1).replace("-", MINUS)
    return {".00": "0", "1.00": "1", f"{MINUS}1.00": f"{MINUS}1"}.get(text, text)
