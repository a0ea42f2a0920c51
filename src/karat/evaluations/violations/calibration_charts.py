"""The picture of a calibration: how well judgments can be met with the weight of one part held."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import ACCENT, INK, SECOND, Chart, data, stacked, titled
from karat.names import percentage

if TYPE_CHECKING:
    import altair as alt

    from karat.report import Report

Row = dict[str, Any]

_MEASURES = {"accuracy": "accuracy", "log_likelihood": "log-likelihood per judgment"}
"""What stands in the lines of panels -> what its axis is called."""

_WIDTHS = {1: 420, 2: 250, 3: 180, 4: 140, 5: 118}
_HEIGHT = 130
_GAP = 18
_TOUCHING = 1e-9
_PERCENT, _PLAIN = "round(1000 * datum.value) / 10 + '\u00a0%'", "round(1000 * datum.value) / 1000"
"""What axes say, rounded, since 100 * 0.55 is 55.00000000000001."""

_STEPS = {"accuracy": 0.05, "log_likelihood": 0.1}


def pictures(report: "Report") -> list[Chart]:
    """The curves of accuracy and likelihood over the weight of each part; none where there is nothing to choose."""
    if not {"weights", "flatness"} <= set(report.tables):
        return []
    curves = _curves(report)
    if not curves:
        return []
    weights = _weights(report)
    lines = [_line(curves, weights, measure) for measure in _MEASURES]
    share = percentage(float(report.options.get("confidence", 0.95)))
    caption = (
        "With the weight of one part held at each value and all others fitted anew: the share of judgments that the "
        "best rule meets (above), and how likely it makes them (below), both on the judgments it is fitted to. The "
        f"solid line is the fitted weight, the shade its {share} interval, the dashed line the default weight. Where a "
        "curve is flat, another weight does as well."
    )
    return [Chart("flatness", "How flat the optimum is", caption, stacked(lines))]


def _curves(report: "Report") -> dict[str, dict[str, list[Row]]]:
    """Part -> measure -> points; parts with one point alone have no curve."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in report["flatness"].iter_rows(named=True):
        if row["metric"] in _MEASURES and row["value"] is not None:
            points = found.setdefault(row["part"], {}).setdefault(row["metric"], [])
            points.append({"weight": float(row["weight"]), "value": row["value"]})
    return {part: of for part, of in found.items() if all(len(of.get(measure, [])) > 1 for measure in _MEASURES)}


def _weights(report: "Report") -> dict[str, dict[str, Row]]:
    """Part -> weight and default_weight -> the figure."""
    found: dict[str, dict[str, Row]] = {}
    for row in report["weights"].iter_rows(named=True):
        found.setdefault(row["part"], {})[row["metric"]] = row
    return found


def _line(
    curves: Mapping[str, Mapping[str, Sequence[Row]]], weights: Mapping[str, Mapping[str, Row]], measure: str
) -> "alt.HConcatChart | alt.LayerChart":
    """A panel per part with one measure, all over the same range."""
    import altair as alt

    limits = _limits([row["value"] for of in curves.values() for row in of[measure]], _STEPS[measure])
    panels = [
        _panel(part, of[measure], weights.get(part, {}), (measure, limits), first=place == 0, count=len(curves))
        for place, (part, of) in enumerate(curves.items())
    ]
    return panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=_GAP)


def _limits(values: Sequence[float], step: float) -> tuple[float, float]:
    """Round numbers that hold all values."""
    low = floor(min(values) / step + _TOUCHING) * step
    high = ceil(max(values) / step - _TOUCHING) * step
    return round(low, 3), round(max(high, low + step), 3)


def _panel(
    part: str,
    points: Sequence[Row],
    weights: Mapping[str, Row],
    measured: tuple[str, tuple[float, float]],
    *,
    first: bool,
    count: int,
) -> "alt.LayerChart":
    import altair as alt

    measure, limits = measured
    label = _PERCENT if measure == "accuracy" else _PLAIN
    across = alt.X(
        "weight:Q",
        scale=alt.Scale(domain=[0, 1], nice=False),
        title="weight" if first else None,
        axis=alt.Axis(values=[0, 0.5, 1], grid=False),
    )
    axis = alt.Axis(tickCount=4, labels=first, ticks=False, domain=False, grid=True, gridOpacity=0.6, labelExpr=label)
    scale = alt.Scale(domain=list(limits), nice=False, zero=False)
    up = alt.Y("value:Q", scale=scale, title=_MEASURES[measure] if first else None, axis=axis)
    curve = alt.Chart(data(points)).mark_line(color=INK, strokeWidth=1.6, clip=True).encode(across, up)
    layers = [*_marks(weights, across), curve]
    width = _WIDTHS.get(count, min(_WIDTHS.values()))
    return titled(alt.LayerChart(layer=layers), part if measure == "accuracy" else "", width=width, height=_HEIGHT)


def _marks(weights: Mapping[str, Row], across: "alt.X") -> "list[alt.Chart]":
    """The fitted weight with its interval, and the default's."""
    import altair as alt

    layers = []
    own, usual = weights.get("weight"), weights.get("default_weight")
    if own is not None and own["low"] is not None:
        shade = alt.Chart(data([{"weight": own["low"], "to": own["high"]}]))
        layers.append(shade.mark_rect(fill=ACCENT, opacity=0.14).encode(across, x2="to:Q"))
    if own is not None and own["value"] is not None:
        line = alt.Chart(data([{"weight": own["value"]}]))
        layers.append(line.mark_rule(color=ACCENT, strokeWidth=2).encode(across))
    if usual is not None and usual["value"] is not None:
        line = alt.Chart(data([{"weight": usual["value"]}]))
        layers.append(line.mark_rule(color=SECOND, strokeWidth=1.5, strokeDash=[4, 3]).encode(across))
    return layers
