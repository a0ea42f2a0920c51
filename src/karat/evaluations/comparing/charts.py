"""The picture of a comparison: each difference with its interval, beside no difference."""

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

from karat.about import Metric
from karat.evaluations.charting import ACCENT, INK, MUTED, PAPER, SECOND, Chart, data, stacked, titled
from karat.names import distinct, percentage, short
from karat.report import NO_KEYS

if TYPE_CHECKING:
    import altair as alt

    from karat.evaluations.charting import AnyChart
    from karat.report import Report

MOST_ROWS = 24
"""Rows of one plot that are drawn, the first."""
_BESIDE = 3
"""Plots that stand side by side."""

_BETTER, _WORSE, _OPEN = "better", "worse", "not sure"
_COLOURS = {_BETTER: ACCENT, _WORSE: SECOND, _OPEN: MUTED}
_WHO = ("second_judge", "judge")
"""Keys that often follow from the others: each run has its judge."""
_WIDTH, _ROW, _LEAST = 215, 21, 44
_SPACE = 1.08
"""How much wider the axis is than the widest interval."""

Row = Mapping[str, Any]


def charts(report: "Report") -> list[Chart]:
    """The differences of each figure; none where no figure has one."""
    about = report.about
    rows = [row for row in report["comparison"].iter_rows(named=True) if row["value"] is not None]
    labels = _labels(rows)
    plots: dict[tuple[str, ...], list[tuple[Metric, list[dict[str, Any]]]]] = {}
    for name, metric in about.metrics.items():
        drawn = [_drawn(row, metric, label) for row, label in zip(rows, labels, strict=True) if row["metric"] == name]
        if drawn:
            plots.setdefault(tuple(one["label"] for one in drawn), []).append((metric, drawn))
    if not plots:
        return []
    lines = [line for names, own in plots.items() for line in _lines(list(names), own)]
    longest = max(map(len, plots))
    more = f" Shown: the first {MOST_ROWS} of {longest:,} rows." if longest > MOST_ROWS else ""
    share = percentage(float(report.options.get("confidence", 0.95)))
    runs = {(row["first"], row["second"]) for row in rows}
    first, second = (short(name) for name in runs.pop()) if len(runs) == 1 else ("first", "second")
    caption = (
        f"{second} less {first}, on the same items, with {share} intervals. Right of the line is higher; where the "
        f"interval leaves out the line, the colour says whether that is better. A hollow point carries a note.{more}"
    )
    return [Chart("differences", "What changed", caption, stacked(lines))]


def _labels(rows: Sequence[Row]) -> list[str]:
    """What each row is about, as far as rows of the same figure differ in it."""
    keys = [key for key in (rows[0] if rows else ()) if key not in NO_KEYS]
    apart = [key for key in keys if len({row[key] for row in rows}) > 1]
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


def _drawn(row: Row, metric: Metric, label: str) -> dict[str, Any]:
    low, high = row["low"], row["high"]
    sure = low is not None and (low > 0 or high < 0)
    good = (row["value"] > 0) == (metric.better == "high")
    change = (_BETTER if good else _WORSE) if sure and metric.better else _OPEN
    kind = "noted" if row["note"] else "plain"
    return {"label": label, "change": change, "kind": kind, "value": row["value"], "low": low, "high": high}


def _lines(labels: list[str], plots: "list[tuple[Metric, list[dict[str, Any]]]]") -> "Iterator[AnyChart]":
    """Plots with the same rows, some side by side."""
    import altair as alt

    shown = labels[:MOST_ROWS]
    for start in range(0, len(plots), _BESIDE):
        beside = [
            _plot(rows, shown, metric, labelled=place == 0)
            for place, (metric, rows) in enumerate(plots[start : start + _BESIDE])
        ]
        yield alt.hconcat(*beside, spacing=26).resolve_legend("shared").resolve_scale(x="independent")


def _plot(rows: Sequence[Row], labels: list[str], metric: Metric, *, labelled: bool) -> "alt.LayerChart":
    """One figure's differences around none."""
    import altair as alt

    shown = [row for row in rows if row["label"] in labels]
    limits = [abs(row[name]) for row in shown for name in ("value", "low", "high") if row[name] is not None]
    widest = _SPACE * max(limits) or 0.1
    scale = alt.Scale(domain=[-widest, widest], nice=False)
    axis = alt.Axis(domain=False, ticks=False, labelPadding=8, grid=True, gridOpacity=0.6, labels=labelled)
    along = alt.Axis(grid=False, domain=True, ticks=True, values=_ticks(widest))
    along.labelExpr = _SHARES if metric.percent else _NUMBERS
    base = alt.Chart(data(shown)).encode(
        alt.Y("label:N", scale=alt.Scale(domain=labels), sort=labels, title=None, axis=axis)
    )
    colours = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    colour = alt.Color("change:N", scale=colours, legend=alt.Legend(title=None))
    title = f"{metric.title}{' (lower is better)' if metric.better == 'low' else ''}"
    points = base.mark_point(filled=True, size=52, strokeWidth=1.5, opacity=1).encode(
        alt.X("value:Q", scale=scale, title=title, axis=along),
        stroke=colour,
        fill=alt.condition("datum.kind == 'noted'", alt.value(PAPER), colour),
    )
    reach = base.mark_rule(strokeWidth=1.5, opacity=0.8).encode(alt.X("low:Q", scale=scale), x2="high:Q", stroke=colour)
    none = alt.Chart(data([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1, opacity=0.7)
    zero = none.encode(alt.X("zero:Q", scale=scale))
    height = max(_LEAST, _ROW * len(labels))
    return titled(alt.LayerChart(layer=[zero, reach, points]), "", width=_WIDTH, height=height)


def _ticks(widest: float) -> list[float]:
    """0, and on both sides the greatest round number that leaves room beside it.

    >>> _ticks(0.43)
    [-0.2, 0.0, 0.2]
    """
    power = 10 ** floor(log10(_ROOM * widest))
    step = max(one * power for one in (1, 2, 5) if one * power <= _ROOM * widest)
    return [-step, 0.0, step]


_ROOM = 0.85
_SIGN = "(datum.value > 0 ? '+' : '')"
_SHARES = f"{_SIGN} + round(1000 * datum.value) / 10 + '\u00a0%'"
_NUMBERS = f"{_SIGN} + round(1000 * datum.value) / 1000"
