"""Charts of judges: forest plot, leaderboard, strengths, agreement, human ceiling and detection."""

from dataclasses import replace

import altair as alt

from adjudge.render.charts import parts
from adjudge.render.charts.parts import BETTER, HEIGHT, Plot, Point, data, intervals, points, y_names
from adjudge.render.summary.contents import Score, Summary, SummaryTable
from adjudge.render.summary.sentences import SummaryRows
from adjudge.report import Report

_CELL = 68
"""Pixels of a criterion's column in a leaderboard."""
MOST_CRITERIA, _MOST_ANNOTATORS = 6, 12
_SIGNED = ("pp", "+")
_GROUP_HEIGHT = 62


def main_points(report: Report) -> tuple[list[Point], str, str]:
    """The points of the first column of estimates with intervals, else of other values, its title and its unit."""
    table, kinds = report.summary.table, ("estimate", "compact", "value")
    columns = [one for kind in kinds for one in table.columns if one.kind == kind and points(table, one.cells)]
    if not columns:
        return [], "", ""
    ranged = (one for one in columns if any(row["low"] < row["high"] for row in points(table, one.cells)))
    column = next(ranged, columns[0])
    unit = next(one.unit for one in column.cells.values() if isinstance(one, Score) and one.value is not None)
    return points(table, column.cells), column.title, unit


def series_names(summary: Summary) -> list[str]:
    """The judges of a chart with a colour for each."""
    table = summary.table
    if summary.chart == "noise" and table.noun != "model":
        cells = {one.title: [cell for cell in one.cells.values() if isinstance(cell, Score)] for one in table.columns}
        models = [one for one, some in cells.items() if all(cell.unit != "pp" for cell in some)]
        return parts.row_names(replace(table, labels={}), models)
    rows = {table.labels.get(row, row): row for row, tone in table.rows.items() if tone not in ("heading", "pooled")}
    return parts.row_names(table, [*rows.values()])


def forest(report: Report, width: float) -> Plot | None:
    """Estimates with intervals, the best first; the best baseline as a dashed line."""
    rows, title, unit = main_points(report)
    return _forest(rows, width, unit, title) if rows else None


def _forest(
    rows: list[Point], width: float, unit: str, title: str, *ends: float, height: float = HEIGHT, text: str = "text"
) -> Plot:
    """Estimates with intervals. ends: values that the axis holds besides."""
    step, named = parts.row_step(len(rows), height), len(rows) <= parts.NAMED_ROWS
    room = (parts.TEXTS_WIDTH if text == "text" else 62) if named and width > parts.PHONE else 0
    plot = width - room - (parts.NAMES_WIDTH if named else 24)
    y = y_names([row["name"] for row in rows], step, shown=named)
    ends = (*ends, 0.0) if unit in _SIGNED else ends
    x = alt.X("value:Q", **parts.values_axis(parts.domain(rows, *ends), unit, title))
    lines = [row for row in rows if row["tone"] == "baseline"][:1]
    marked = [layer for row in lines for layer in parts.vertical_line(row["value"], f"best baseline {row['short']}", x)]
    marked += [parts.zero_line(x)] if unit in _SIGNED else []
    texts = [parts.estimate_texts(rows, y, plot, text)] if room else []
    return alt.layer(*marked, *intervals(rows, x, y, step), *texts).properties(width=plot, height=step * len(rows))


def leaderboard(report: Report, width: float) -> Plot | None:
    """Estimates with intervals, next to a heat map of the criteria."""
    rows, title, unit = main_points(report)
    table = report.summary.table
    heats = [column for column in table.columns if column.kind == "heat"][:MOST_CRITERIA]
    if not heats or width <= parts.PHONE or len(rows) > parts.NAMED_ROWS:
        return forest(report, width)
    names, step = [row["name"] for row in rows], parts.row_step(len(rows))
    cells = [one | {"criterion": heat.title} for heat in heats for one in points(table, heat.cells, heat.title)]
    axis = alt.Axis(orient="top", labelAngle=0, labelLimit=_CELL - 2, labelFontSize=11, labelPadding=6)
    x = alt.X("criterion:N", sort=[one.title for one in heats], title=None, axis=axis)
    base = data(cells).encode(x=x, y=y_names(names, step, shown=False))
    ends = [min(one["value"] for one in cells), max(one["value"] for one in cells)]
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=ends, range=[0.06, 0.5]), legend=None)
    boxes = base.mark_rect(color=BETTER, cornerRadius=min(4, step / 5), width=_CELL - 3, height=min(step * 0.86, 40))
    texts = base.mark_text(color=parts.INK, fontSize=min(12.5, step * 0.78)).encode(text="short:N")
    strip = alt.layer(boxes.encode(opacity=shade, description="tip:N"), texts)
    strip = strip.properties(width=_CELL * len(heats), height=step * len(names))
    return alt.hconcat(_forest(rows, width - _CELL * len(heats) - 18, unit, title, text="short"), strip, spacing=18)


def agreement(report: Report, width: float) -> Plot | None:
    """Alpha, and each annotator against the others below."""
    rows, _, unit = main_points(report)
    order = [*report.summary.table.rows]
    split = next((at for at, row in enumerate(order) if report.summary.table.rows[row] == "heading"), len(order))
    first = [row for row in rows if row["row"] in order[:split]][:1]
    others = [row for row in rows if row["row"] in order[split:]]
    if not first:
        return forest(report, width)
    top = _forest(first, width, unit, "", 0.0, 1.0, height=54)
    if not others:
        return top
    return alt.vconcat(top, _forest(others, width, "%", "Agreement with the other annotators", height=216), spacing=26)


def ceiling(report: Report, width: float) -> Plot | None:
    """Judges, and annotators compared with the others, against the band of the human ceiling."""
    table, rows = report.summary.table, SummaryRows(report)
    columns = {one.title: one for one in table.columns}
    own, human = columns.get("agreement") or columns.get("distance"), columns.get("human ceiling")
    judges = points(table, own.cells) if own else []
    scores = [one for one in (human.cells.values() if human else ()) if isinstance(one, Score)]
    band = [parts.point("human ceiling", one) for one in scores if one.value is not None][:1]
    known = [row for row in rows.rows("everyone", side="person") if row["value"] is not None]
    known = [row for row in known if row["metric"].endswith(("_with_others", "_from_others"))]
    people = [parts.point(rows.name(row["annotator"]), rows.score(row), "faint", "annotator") for row in known]
    people = sorted(people, key=lambda row: -row["value"]) if len(people) <= _MOST_ANNOTATORS else []
    shown = [*judges, *people]
    if own is None or not judges or not band or len(shown) > parts.NAMED_ROWS:
        return forest(report, width)
    step, room = parts.row_step(len(shown)), parts.TEXTS_WIDTH if width > parts.PHONE else 0
    plot, y = width - room - parts.NAMES_WIDTH, y_names([row["name"] for row in shown], step)
    title, unit = f"{own.title.capitalize()} with human annotators", "%" if band[0]["short"].endswith("%") else ""
    x = alt.X("value:Q", **parts.values_axis(parts.domain([*shown, *band]), unit, title))
    area = data(band).mark_rect(color=BETTER, opacity=0.13)
    layers = alt.layer(
        area.encode(x=alt.X("low:Q", scale=x["scale"]), x2="high:Q", description="tip:N"),
        *parts.vertical_line(band[0]["value"], f"human ceiling {band[0]['short']}", x, BETTER),
        *intervals(shown, x, y, step),
        *([parts.estimate_texts(shown, y, plot)] if room else []),
    )
    return layers.properties(width=plot, height=step * len(shown))


def detection(report: Report, width: float) -> Plot | None:
    """Match score, F1, precision and recall of each checker in each way of matching, and its errors."""
    table, names = report.summary.table, series_names(report.summary)
    errors = [one for one in table.columns if one.kind == "count" and one.title != "n"]
    scores = [one for one in table.columns if one.kind in ("estimate", "compact", "value")]
    heads = [name for name, tone in table.rows.items() if tone == "heading"] or [""]
    if len(names) > parts.MOST_SERIES or len(scores) < 2 or len(heads) > 2:  # noqa: PLR2004 - a metric, two ways of matching
        return forest(report, width)
    panels, wide, height = list[Plot](), width > parts.PHONE, _GROUP_HEIGHT * len(scores)
    across = (width - 150) / (len(heads) + 0.9) if wide else width - 110
    tables = list[tuple[str, SummaryTable]]()
    for head in heads if wide else heads[:1]:
        tones = {row: tone for row, tone in table.rows.items() if row.startswith(head and f"{head}, ")}
        tables.append((head, replace(table, rows=tones)))
    for head, own in tables:
        found = [one | {"metric": column.title} for column in scores for one in points(own, column.cells, column.title)]
        if found:
            panel = alt.layer(
                parts.grouped(found, names, "", labelled=not wide or not panels), parts.heading(head.capitalize())
            )
            panels.append(panel.properties(width=across, height=height))
    if errors and panels:
        own = tables[0][1]
        named = [*zip(parts.row_names(own, [*own.rows]), own.rows, strict=True)]
        counts = [{"metric": one.title, "name": name, "count": one.cells[row]} for one in errors for name, row in named]
        bars = _error_bars(counts, names)
        panels.append(bars.properties(width=across * (0.8 if wide else 1), height=2 * _GROUP_HEIGHT))
    return alt.hconcat(*panels, spacing=24) if wide else alt.vconcat(*panels, spacing=30)


def _error_bars(rows: list[Point], names: list[str]) -> Plot:
    """Counts of missed violations and of false alarms, a bar for each checker."""
    scale = alt.Scale(domain=[0, 1.15 * max(row["count"] for row in rows) or 1])
    y = parts.y_metrics([*dict.fromkeys(row["metric"] for row in rows)])
    x, offset = alt.X("count:Q", title=None, axis=None, scale=scale), alt.YOffset("name:N", sort=names)
    base = data(row | {"tip": f"{row['name']}: {row['count']} {row['metric']}"} for row in rows)
    base = base.encode(x=x, y=y, yOffset=offset)
    bars = base.mark_bar(opacity=0.75, cornerRadius=2).encode(color=parts.series(names)[0], description="tip:N")
    texts = base.mark_text(align="left", dx=5, fontSize=12, fontWeight=600, color=parts.SOFT).encode(text="count:Q")
    return alt.layer(bars, texts, parts.heading("Errors"))
