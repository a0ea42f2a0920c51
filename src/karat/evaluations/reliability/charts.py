"""The pictures of reliability, drawn from the report's tables alone."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import (
    ACCENT,
    INK,
    MUTED,
    PAPER,
    SECOND,
    UNDEFINED,
    Chart,
    data,
    goodness_colour,
    ink_on,
    stacked,
    titled,
)
from karat.evaluations.reliability import EVALUATION
from karat.names import distinct, group_title, percentage

if TYPE_CHECKING:
    import altair as alt

    from karat.report import Report

MOST_ROWS = 100
"""How many annotators a picture shows, over all groups."""
MOST_GROUPS = 10
_FEWEST_ROWS = 10

COLUMNS = ("reliability", "flag_mismatch", "items")
ROW_HEIGHT = 22
_LOW_ROW_HEIGHT = 17
_MANY_ROWS = 30

Figure = Mapping[str, Any]
Row = dict[str, Any]
Block = tuple[str, list[Row]]
"""A group's title and its annotators, each with its label and a figure per metric."""


def charts(report: "Report") -> list[Chart]:
    """The matrix of all annotators, and their reliability with intervals. None where there are no annotators."""
    blocks, left_out = _blocks(report)
    if not blocks:
        return []
    found = [_matrix(blocks, left_out)]
    measured = [(title, [row for row in rows if row["reliability"]["value"] is not None]) for title, rows in blocks]
    if any(rows for _, rows in measured):
        undefined = sum(len(rows) for _, rows in blocks) - sum(len(rows) for _, rows in measured)
        found.append(_intervals([block for block in measured if block[1]], report, left_out, undefined))
    return found


def _blocks(report: "Report") -> tuple[list[Block], str]:
    """Groups of annotators, most reliable first, and a sentence on what was left out."""
    groups = _by_group(report)
    biggest = sorted(groups, key=lambda key: -sum(row["items"]["value"] for row in groups[key]))[:MOST_GROUPS]
    most = max(_FEWEST_ROWS, MOST_ROWS // max(len(biggest), 1))
    kept = {key: sorted(groups[key], key=lambda row: -row["items"]["value"])[:most] for key in groups if key in biggest}
    by = report.options.get("by") or []
    blocks = [(group_title(dict(zip(by, key, strict=True))), _ranked(rows)) for key, rows in kept.items()]
    return blocks, _left_out(groups, kept)


def _by_group(report: "Report") -> dict[tuple[str | None, ...], list[Row]]:
    by = report.options.get("by") or []
    truths = _truths(report, by)
    rows: dict[tuple[str | None, ...], Row] = {}
    for figure in report["annotators"].iter_rows(named=True):
        key = tuple(figure[name] for name in (*by, "annotator"))
        row = rows.setdefault(key, {"annotator": key[-1], "truth": truths.get(key)})
        row[figure["metric"]] = figure
    groups: dict[tuple[str | None, ...], list[Row]] = {}
    for key, row in rows.items():
        if all(name in row for name in COLUMNS):
            groups.setdefault(key[:-1], []).append(row)
    return groups


def _truths(report: "Report", by: Sequence[str]) -> dict[tuple[str | None, ...], float | None]:
    """The true reliability of each annotator, where the report knows it."""
    table = report.tables.get("truth")
    if table is None or not {*by, "annotator", "metric", "truth"} <= set(table.columns):
        return {}
    rows = [row for row in table.iter_rows(named=True) if row["metric"] == "reliability"]
    return {tuple(row[name] for name in (*by, "annotator")): row["truth"] for row in rows}


def _ranked(rows: Sequence[Row]) -> list[Row]:
    def order(row: Row) -> tuple[float, float, str]:
        value = row["reliability"]["value"]
        return (-1.0 if value is None else value, row["items"]["value"], row["annotator"] or "")

    ranked = sorted(rows, key=order, reverse=True)
    return [row | {"label": label} for row, label in zip(ranked, distinct(_names(ranked)), strict=True)]


def _names(rows: Sequence[Row]) -> list[str | None]:
    return [row["annotator"] for row in rows]


def _left_out(groups: Mapping[Any, list[Row]], kept: Mapping[Any, list[Row]]) -> str:
    shown, known = (sum(len(rows) for rows in one.values()) for one in (kept, groups))
    if shown == known:
        return ""
    of_groups = f" of the {len(kept):,} largest of {len(groups):,} groups" if len(kept) < len(groups) else ""
    each = " of each group" if len(groups) > 1 and not of_groups else ""
    return f" Shown: {shown:,} of {known:,} annotators, those{each} with the most items{of_groups}."


def _matrix(blocks: Sequence[Block], left_out: str) -> Chart:
    caption = (
        "A row per annotator. Light green is good, dark red is bad: high reliability, low flag mismatch. "
        "A grey cell with a dash has no figure." + left_out
    )
    return Chart("matrix", "Annotators at a glance", caption, stacked([_matrix_block(*block) for block in blocks]))


def _matrix_block(title: str, rows: Sequence[Row]) -> "alt.LayerChart":
    import altair as alt

    base = alt.Chart(data([_cell(row, metric) for row in rows for metric in COLUMNS])).encode(
        alt.X("column:N", sort=[EVALUATION.metrics[metric].title for metric in COLUMNS], title=None)
        .axis(orient="top", labelAngle=0, domain=False, ticks=False, labelPadding=8)
        .scale(paddingInner=0.02, paddingOuter=0),
        alt.Y("label:N", sort=[row["label"] for row in rows], title=None)
        .axis(domain=False, ticks=False, labelPadding=8)
        .scale(paddingInner=0.06, paddingOuter=0),
    )
    cells = base.mark_rect().encode(fill=alt.Fill("fill:N", scale=None))
    texts = base.mark_text(fontSize=12).encode(text="text:N", fill=alt.Fill("ink:N", scale=None))
    return titled(alt.LayerChart(layer=[cells, texts]), title, width=108 * len(COLUMNS), height=ROW_HEIGHT * len(rows))


def _cell(row: Row, metric: str) -> dict[str, Any]:
    value = row[metric]["value"]
    known = EVALUATION.metrics[metric]
    cell = {"label": row["label"], "column": known.title}
    if value is None:
        return cell | {"text": "–", "fill": UNDEFINED, "ink": ink_on(UNDEFINED)}
    if known.better is None:
        return cell | {"text": f"{value:,.0f}", "fill": "transparent", "ink": INK}
    fill = goodness_colour(value if known.better == "high" else 1 - value)
    return cell | {"text": f"{value:.1%}".replace("%", "\u00a0%"), "fill": fill, "ink": ink_on(fill)}


_ESTIMATE, _NOTED, _TRUTH = "estimate", "estimate with a note, such as few items", "true value"


def _intervals(blocks: Sequence[Block], report: "Report", left_out: str, undefined: int) -> Chart:
    overall = _pooled(report)
    confidence = percentage(float(report.options.get("confidence", 0.95)))
    everyone = [row for _, rows in blocks for row in rows]
    caption = f"Reliability of each annotator with its {confidence} interval; the larger the point, the more items."
    if any(row["reliability"]["note"] for row in everyone):
        caption += " A hollow point carries a note: its interval may not keep its promise."
    caption += " The dashed line is the figure of all judgments together." if overall else ""
    caption += " The true values are known, as the data are made up." if "truth" in report.tables else ""
    caption += f" Without a figure and not shown: {undefined:,}." if undefined else ""
    drawn = [_interval_block(title, rows, overall.get(title), _marks(everyone)) for title, rows in blocks]
    return Chart("intervals", "Reliability with intervals", caption + left_out, stacked(drawn))


def _pooled(report: "Report") -> dict[str, float]:
    """The reliability of all judgments together, by the title of their group."""
    by = report.options.get("by") or []
    table = report.tables.get("overall")
    rows = [] if table is None else table.iter_rows(named=True)
    return {
        group_title({name: row[name] for name in by}): row["value"]
        for row in rows
        if row["metric"] == "reliability" and row["value"] is not None
    }


def _interval_block(
    title: str, rows: Sequence[Row], pooled: float | None, marks: Mapping[str, Any]
) -> "alt.LayerChart":
    import altair as alt

    base = alt.Chart(data([_point(row) for row in rows])).encode(
        alt.Y("label:N", sort=[row["label"] for row in rows], title=None).axis(
            domain=False, ticks=False, labelPadding=8, grid=False
        )
    )
    scale = alt.Scale(domain=[0, 1])
    along = alt.X("value:Q", scale=scale, title="Reliability").axis(
        tickCount=6, labelExpr="round(100 * datum.value) + '\u00a0%'"
    )
    lines = base.mark_rule(color=ACCENT, strokeWidth=1.5, opacity=0.75).encode(alt.X("low:Q", scale=scale), x2="high:Q")
    points = base.mark_point(filled=True, stroke=ACCENT, strokeWidth=1.5, opacity=1).encode(along, **marks)
    layers: list[alt.Chart] = [lines, points]
    if pooled is not None:
        layers.insert(0, alt.Chart(data([{"value": pooled}])).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(along))
    if any(row["truth"] is not None for row in rows):
        diamonds = base.mark_point(filled=True, fill=SECOND, stroke=PAPER, strokeWidth=1, size=80, opacity=1)
        layers.append(diamonds.encode(alt.X("truth:Q", scale=scale), shape=_truth_shape()))
    height = (_LOW_ROW_HEIGHT if len(rows) > _MANY_ROWS else ROW_HEIGHT) * len(rows)
    return titled(alt.LayerChart(layer=layers), title, width=420, height=height)


def _point(row: Row) -> dict[str, Any]:
    figure: Figure = row["reliability"]
    values = {name: figure[name] for name in ("value", "low", "high", "n")}
    kind = _NOTED if figure["note"] else _ESTIMATE
    return {"label": row["label"], "kind": kind, "truth": row["truth"], "mark": _TRUTH, **values}


def _marks(rows: Sequence[Row]) -> dict[str, Any]:
    """How points are drawn, the same in all blocks."""
    return {"size": _sizes(rows), "fill": _fills(rows)}


def _sizes(rows: Sequence[Row]) -> "alt.Size":
    import altair as alt

    most = max(row["reliability"]["n"] for row in rows)
    scale = alt.Scale(domain=[0, most], range=[20, 220], type="sqrt")
    steps = sorted({max(1, most // 10), max(1, most // 3), most})
    return alt.Size("n:Q", scale=scale, title="Items (n)").legend(
        values=steps, format=",d", symbolFillColor=ACCENT, symbolStrokeColor=ACCENT
    )


def _fills(rows: Sequence[Row]) -> "alt.Fill":
    import altair as alt

    fills = {_ESTIMATE: ACCENT, _NOTED: PAPER}
    present = [kind for kind in fills if any(kind == _point(row)["kind"] for row in rows)]
    scale = alt.Scale(domain=present, range=[fills[kind] for kind in present])
    return alt.Fill("kind:N", scale=scale, title=None).legend(
        symbolStrokeColor=ACCENT, symbolSize=90, direction="vertical"
    )


def _truth_shape() -> "alt.Shape":
    import altair as alt

    scale = alt.Scale(domain=[_TRUTH], range=["diamond"])
    return alt.Shape("mark:N", scale=scale, title=None).legend(
        symbolFillColor=SECOND, symbolStrokeColor=PAPER, symbolSize=90
    )
