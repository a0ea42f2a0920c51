"""Charts of changes: accuracy over noise, two runs, and a history of runs."""

import re
from collections.abc import Sequence

import altair as alt

from adjudge.display_names import short_name
from adjudge.render.charts import parts
from adjudge.render.charts.judges import forest, series_names
from adjudge.render.charts.parts import Plot, Point, data, point, points
from adjudge.render.summary.contents import Score, Summary
from adjudge.render.summary.runs import history_lines
from adjudge.render.summary.sentences import SummaryRows
from adjudge.report import Report

_NOISE = re.compile(r"Accuracy, (no|\d+%) noise")
MOST_METRICS = 14
_DATES = r"test(/^\d{4}-\d\d-\d\d$/, datum.label) ? timeFormat(toDate(datum.label), '%b %-d') : datum.label"


def _by_model(summary: Summary) -> dict[str, dict[str, Score]]:
    """Metric -> each model's score, whether models are the rows or the columns of the table."""
    table, found = summary.table, dict[str, dict[str, Score]]()
    for column in table.columns:
        for row, cell in column.cells.items():
            if isinstance(cell, Score) and cell.unit != "pp" and cell.value is not None:
                model, metric = (row, column.title) if table.noun == "model" else (column.title, row)
                found.setdefault(model, {})[metric] = cell
    return dict(zip(series_names(summary), found.values(), strict=False))


def noise(report: Report, width: float) -> Plot | None:
    """Accuracy over the share of irrelevant documents, a line for each model, next to the other metrics."""
    scores = _by_model(report.summary)
    names, wide = [*scores][: parts.MOST_SERIES], width > parts.PHONE
    lines, dots = list[Point](), list[Point]()
    every = [(model, *one) for model in names for one in scores[model].items()]
    for model, metric, score in every:
        if share := _NOISE.fullmatch(metric):
            level = 0.0 if share[1] == "no" else float(share[1].rstrip("%")) / 100
            lines.append(point(model, score, about=f"{level:.0%} noise") | {"noise": level})
        else:
            title = metric.removeprefix("Accuracy, ").removesuffix(" rate").capitalize()
            dots.append(point(model, score, about=metric) | {"metric": title})
    if not lines:
        return forest(report, width)
    across = ((width - 96) * 0.53 - 40, (width - 96) * 0.47 - 96) if dots and wide else (width - 120, width - 130)
    panels: list[Plot] = [_noise_lines(lines, names).properties(width=across[0], height=280 if wide else 200)]
    if dots:
        panel = alt.layer(parts.grouped(dots, names, "%"), parts.heading("Rejection and error handling"))
        panels.append(panel.properties(width=across[1], height=280 if wide else 190))
    return alt.hconcat(*panels, spacing=26) if wide else alt.vconcat(*panels, spacing=34)


def _noise_lines(rows: list[Point], names: list[str]) -> Plot:
    shares = sorted({row["noise"] for row in rows})
    gap = (shares[-1] - shares[0] or 1) * 0.02
    for row in rows:  # shift intervals sideways, so that they do not hide one another
        row["x"] = row["noise"] + gap * (names.index(row["name"]) - (len(names) - 1) / 2)
    scale = alt.Scale(domain=[shares[0] - 3 * gap, shares[-1] + 3 * gap], nice=False)
    axis = alt.Axis(values=shares, format=".0%", grid=False)
    x = alt.X("x:Q", title="Share of irrelevant documents", scale=scale, axis=axis)
    ends = [row | {"label": row["name"]} for row in rows if row["noise"] == shares[-1]]
    return _lines(rows, ends, names, x, [0, 1.001], "%")


def _lines(
    rows: list[Point], ends: list[Point], names: Sequence[str], x: alt.X, limits: list[float], unit: str
) -> Plot:
    """Lines of judges with their intervals. ends: the last points, which have labels."""
    (colour, shape), y = parts.series(names), alt.Y("value:Q", **parts.values_axis(limits, unit, ticks=5))
    heights = parts.spread([row["value"] for row in ends], (limits[1] - limits[0]) * 0.06)
    labels = data(row | {"at": at} for row, at in zip(ends, heights, strict=True))
    base = data(rows).encode(x=x, color=colour)
    rules, area = base.mark_rule(strokeWidth=7, opacity=0.16, strokeCap="round"), base.mark_area(opacity=0.12)
    band = rules if isinstance(rows[0].get("x"), float) else area
    texts = labels.mark_text(align="left", dx=11, fontSize=13, fontWeight=600)
    return alt.layer(
        band.encode(y=alt.Y("low:Q", title=None, scale=y["scale"]), y2="high:Q"),
        base.mark_line(strokeWidth=2.5).encode(y=y),
        base.mark_point(filled=True, size=75, opacity=1).encode(y=y, shape=shape, description="tip:N"),
        texts.encode(x=x, y=alt.Y("at:Q", scale=y["scale"]), text="label:N", color=colour),
    )


def dumbbell(report: Report, width: float) -> Plot | None:
    """Both values of each metric, and the paired change with its interval."""
    table, wide = report.summary.table, width > parts.PHONE
    before, after, change = [*table.columns[:3], *[None] * 3][:3]
    if before is None or after is None or change is None:
        return None
    pairs, unit = list[Point](), ""
    for row in points(table, change.cells)[:MOST_METRICS]:
        old, new = before.cells.get(row["row"]), after.cells.get(row["row"])
        if isinstance(old, Score) and isinstance(new, Score) and None not in (old.value, new.value):
            unit = unit if pairs else old.unit
            tip = f"{row['name']}: {old} \N{RIGHTWARDS ARROW} {new}, change {row['text']}"
            own = {"before": old.value, "after": new.value, "tone": row["tone"] or "faint", "both": tip}
            pairs += [row | own] if old.unit == unit else []
    if not pairs:
        return None
    names, step = [row["name"] for row in pairs], parts.row_step(len(pairs), 300)
    values = [{"low": row[side], "high": row[side]} for row in pairs for side in ("before", "after")]
    x, y = alt.X("before:Q", **parts.values_axis(parts.domain(values), unit, ticks=5)), parts.y_names(names, step)
    base = data(pairs).encode(y=y, color=parts.TONE, description="both:N")
    rising = pairs[0]["after"] >= pairs[0]["before"]
    left = alt.layer(
        base.mark_rule(strokeWidth=4, opacity=0.35).encode(x=x, x2="after:Q"),
        base.mark_point(size=100, strokeWidth=2.2, fill=parts.PAPER, opacity=1).encode(x=x),
        base.mark_point(size=130, filled=True, opacity=1).encode(x=alt.X("after:Q", scale=x["scale"])),
        _run_name(pairs[0] | {"x": pairs[0]["before"], "run": short_name(before.title, 20)}, x, y, right=rising),
        _run_name(pairs[0] | {"x": pairs[0]["after"], "run": short_name(after.title, 20)}, x, y, right=not rising),
    ).properties(width=(width - 290) * 0.56 if wide else width - 130, height=step * len(pairs))
    if not wide:
        return left
    across, y = (width - 290) * 0.44 - 10, parts.y_names(names, step, shown=False)
    x = alt.X("value:Q", **parts.values_axis(parts.domain(pairs, 0.0), "pp" if unit == "%" else "+", ticks=4))
    layers = [
        parts.zero_line(x),
        *parts.intervals(pairs, x, y, step * 0.6),
        parts.estimate_texts(pairs, y, across),
        parts.heading("Paired change", -14),
    ]
    return alt.hconcat(left, alt.layer(*layers).properties(width=across, height=step * len(pairs)), spacing=28)


def _run_name(row: Point, x: alt.X, y: alt.Y, *, right: bool) -> parts.Layer:
    """The name of a run over its first point."""
    side, dx = ("right", 6) if right else ("left", -6)
    base: parts.Layer = data([row])
    mark = base.mark_text(dy=-15, dx=dx, align=side, fontSize=12, fontWeight=600, color=parts.MUTED)
    return mark.encode(x=alt.X("x:Q", scale=x["scale"]), y=y, text="run:N")


def history(report: Report, width: float) -> Plot | None:
    """The metric of each judge over the runs."""
    rows, names = SummaryRows(report), series_names(report.summary)[: parts.MOST_SERIES]
    lines = [
        (parts.drawn_name(short_name(run)), parts.drawn_name(short_name(name)), rows.score(row))
        for run, name, row in history_lines(rows)
    ]
    shown = [point(name, score, about=run) | {"run": run} for run, name, score in lines if name in names]
    if not shown:
        return None
    runs = [*dict.fromkeys(run for run, *_ in lines)]
    axis = alt.Axis(labelAngle=0, labelOverlap="greedy", labelLimit=110, grid=False, labelExpr=_DATES)
    x = alt.X("run:O", sort=runs, title=None, axis=axis, scale=alt.Scale(type="point", padding=0.15))
    ends = [row | {"label": f"{row['name']}  {row['short']}"} for row in shown if row["run"] == runs[-1]]
    plot = _lines(shown, ends, names, x, parts.domain(shown), lines[0][2].unit)
    return plot.properties(width=width - 160, height=parts.HEIGHT if width > parts.PHONE else 260)
